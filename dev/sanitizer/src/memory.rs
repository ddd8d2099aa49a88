//! Sparse buffers: a dispatch that touches a few words of 2 GiB costs a few pages.

use rustc_hash::FxHashMap;

/// Words in a page.
const PAGE: usize = 32;

/// The bytes of a buffer of any size. Only pages that were written, or that a dispatch accessed, take memory.
#[derive(Clone, Debug)]
pub struct Memory {
    size: u64,
    /// The value of every word that was never written.
    fill: u32,
    pages: FxHashMap<u64, Box<Page>>,
    /// Number of dispatches so far.
    dispatches: u32,
}

#[derive(Clone, Debug)]
struct Page {
    words: [u32; PAGE],
    /// Allocated when a dispatch first touches the page.
    touched: Option<Box<[Touched; PAGE]>>,
}

/// The invocations that accessed a word in a dispatch.
#[derive(Clone, Copy, Debug, Default)]
struct Touched {
    /// The dispatch, counted from 1.
    dispatch: u32,
    /// The invocation that loaded the word, plus 1; 0 for none, or [`SEVERAL`].
    reader: u32,
    /// The invocation that stored the word, plus 1; 0 for none, or [`SEVERAL`].
    writer: u32,
    /// Whether all accesses were atomic.
    atomically: bool,
    /// The last store of any dispatch.
    stored: Option<Stored>,
}

/// The store that wrote a word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored {
    /// The dispatch, counted from 1.
    pub(crate) dispatch: u32,
    /// The site in the code of the dispatch's program.
    pub(crate) site: u32,
    pub(crate) invocation: u32,
}

const SEVERAL: u32 = u32::MAX;

/// A kind of access to a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Load,
    Store,
    AtomicLoad,
    /// A store, or a load and a store at once.
    AtomicStore,
}

impl Memory {
    /// Makes a buffer of `size` bytes, each with the value `fill`.
    ///
    /// # Panics
    ///
    /// If `size` is not a multiple of 4.
    #[must_use]
    pub fn new(size: u64, fill: u8) -> Self {
        assert!(size.is_multiple_of(4), "{size} bytes are not whole words");
        Self { size, fill: u32::from_le_bytes([fill; 4]), pages: FxHashMap::default(), dispatches: 0 }
    }

    /// Makes a buffer of these bytes.
    ///
    /// # Panics
    ///
    /// If their number is not a multiple of 4.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut memory = Self::new(bytes.len() as u64, 0);
        memory.write(0, bytes);
        memory
    }

    /// Size in bytes.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Copies the bytes from `offset` on.
    ///
    /// # Panics
    ///
    /// If they reach beyond the size.
    pub fn read(&self, offset: u64, bytes: &mut [u8]) {
        assert!(offset + bytes.len() as u64 <= self.size);
        for (at, byte) in (offset..).zip(bytes) {
            *byte = self.load(at / 4).to_le_bytes()[(at % 4) as usize];
        }
    }

    /// Replaces the bytes from `offset` on.
    ///
    /// # Panics
    ///
    /// If they reach beyond the size.
    pub fn write(&mut self, offset: u64, bytes: &[u8]) {
        assert!(offset + bytes.len() as u64 <= self.size);
        for (at, byte) in (offset..).zip(bytes) {
            let (page, word) = self.page(at / 4);
            let mut now = page.words[word].to_le_bytes();
            now[(at % 4) as usize] = *byte;
            page.words[word] = u32::from_le_bytes(now);
        }
    }

    /// All bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        (0..self.size / 4).flat_map(|word| self.load(word).to_le_bytes()).collect()
    }

    /// The first byte in which two buffers of the same size and fill differ.
    ///
    /// # Panics
    ///
    /// If their sizes or fills differ.
    #[must_use]
    pub fn first_difference(&self, other: &Self) -> Option<u64> {
        assert_eq!((self.size, self.fill), (other.size, other.fill), "buffers differ in size or fill");
        let differing = |n: &u64| {
            let words = (n * PAGE as u64..).take(PAGE);
            words.map(|word| (word, self.load(word) ^ other.load(word))).find(|(_, bits)| *bits != 0)
        };
        let byte = |(word, bits): (u64, u32)| word * 4 + u64::from(bits.trailing_zeros() / 8);
        self.pages.keys().chain(other.pages.keys()).filter_map(differing).map(byte).min()
    }

    /// The word at an index.
    pub(crate) fn load(&self, word: u64) -> u32 {
        match self.pages.get(&(word / PAGE as u64)) {
            Some(page) => page.words[word as usize % PAGE],
            None => self.fill,
        }
    }

    pub(crate) fn store(&mut self, word: u64, value: u32) {
        let (page, i) = self.page(word);
        page.words[i] = value;
    }

    fn page(&mut self, word: u64) -> (&mut Page, usize) {
        let fill = self.fill;
        let page = self.pages.entry(word / PAGE as u64);
        let page = page.or_insert_with(|| Box::new(Page { words: [fill; PAGE], touched: None }));
        (page, word as usize % PAGE)
    }

    /// Forgets all dispatches and their accesses.
    pub(crate) fn forget(&mut self) {
        self.dispatches = 0;
        self.pages.values_mut().for_each(|page| page.touched = None);
    }

    /// Begins a dispatch, in which no word has been accessed yet.
    pub(crate) const fn begin_dispatch(&mut self) {
        self.dispatches += 1;
    }

    /// The last store to a word.
    pub(crate) fn stored(&self, word: u64) -> Option<Stored> {
        let page = self.pages.get(&(word / PAGE as u64))?;
        page.touched.as_ref()?[word as usize % PAGE].stored
    }

    /// Notes that an invocation of the dispatch accesses a word; returns the word, and a description of the race, if
    /// there is one.
    pub(crate) fn touch(
        &mut self,
        word: u64,
        (invocation, site): (u32, u32),
        access: Access,
    ) -> (u32, Option<String>) {
        let dispatch = self.dispatches;
        let (page, i) = self.page(word);
        let touched = &mut page.touched.get_or_insert_with(|| Box::new([Touched::default(); PAGE]))[i];
        let me = invocation + 1;
        let atomically = matches!(access, Access::AtomicLoad | Access::AtomicStore);
        if touched.dispatch != dispatch {
            *touched = Touched { dispatch, reader: 0, writer: 0, atomically, ..*touched };
        }
        let another = |who: u32| who != 0 && who != me;
        let stores = matches!(access, Access::Store | Access::AtomicStore);
        touched.atomically &= atomically;
        let raced = (another(touched.writer) || stores && another(touched.reader)) && !touched.atomically;
        let wrong = raced.then(|| {
            let who = |who: u32| match who {
                0 => "none".to_owned(),
                SEVERAL => "several".to_owned(),
                one => format!("invocation {}", one - 1),
            };
            format!(
                "bytes {} to {}, {access:?} by invocation {invocation}; loaded by {}, stored by {}",
                word * 4,
                word * 4 + 3,
                who(touched.reader),
                who(touched.writer),
            )
        });
        let join = |who: &mut u32| *who = if *who == 0 || *who == me { me } else { SEVERAL };
        if access != Access::Store {
            join(&mut touched.reader);
        }
        if stores {
            join(&mut touched.writer);
            touched.stored = Some(Stored { dispatch, site, invocation });
        }
        (page.words[i], wrong)
    }
}
