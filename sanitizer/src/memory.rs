//! Buffers: sparse, so that one of 2 GiB of which a dispatch touches a few words costs a few pages.

use rustc_hash::FxHashMap;

use crate::finding::Kind;

/// Words in a page.
const PAGE: usize = 32;

/// The bytes of a buffer. Only the pages that something was written to take memory, so a buffer may be of any size.
#[derive(Clone, Debug)]
pub struct Memory {
    size: u64,
    /// What every word holds that was never written.
    fill: u32,
    pages: FxHashMap<u64, Box<Page>>,
    /// How many dispatches had the buffer.
    dispatches: u32,
}

#[derive(Clone, Debug)]
struct Page {
    words: [u32; PAGE],
    /// Allocated when a dispatch first touches the page.
    touched: Option<Box<[Touched; PAGE]>>,
}

/// Who touched a word in a dispatch.
#[derive(Clone, Copy, Debug, Default)]
struct Touched {
    /// The dispatch, counted from 1 on.
    dispatch: u32,
    /// An invocation that loaded it, plus 1, or [`SEVERAL`].
    reader: u32,
    /// The one that stored it, plus 1, or [`SEVERAL`].
    writer: u32,
    atomically: bool,
    /// The last store, of any dispatch.
    stored: Option<Stored>,
}

/// Who stored a word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored {
    /// Which of the dispatches that had the buffer, counted from 1 on.
    pub(crate) dispatch: u32,
    /// Where in its code.
    pub(crate) site: u32,
    pub(crate) invocation: u32,
}

const SEVERAL: u32 = u32::MAX;

/// How a word is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Load,
    Store,
    AtomicLoad,
    /// A store, or both at once.
    AtomicStore,
}

impl Memory {
    /// `size` bytes, each of them `fill`. The size is a multiple of 4, as that of every buffer that WGSL can be given.
    ///
    /// # Panics
    ///
    /// It is not.
    #[must_use]
    pub fn new(size: u64, fill: u8) -> Self {
        assert!(size.is_multiple_of(4), "{size} bytes are not whole words");
        Self { size, fill: u32::from_le_bytes([fill; 4]), pages: FxHashMap::default(), dispatches: 0 }
    }

    /// These bytes, of which there is a multiple of 4.
    ///
    /// # Panics
    ///
    /// There is not.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut memory = Self::new(bytes.len() as u64, 0);
        memory.write(0, bytes);
        memory
    }

    /// In bytes.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// One byte.
    ///
    /// # Panics
    ///
    /// It is beyond the size.
    #[must_use]
    pub fn byte(&self, offset: u64) -> u8 {
        let mut bytes = [0];
        self.read(offset, &mut bytes);
        bytes[0]
    }

    /// Copies the bytes from `offset` on.
    ///
    /// # Panics
    ///
    /// They reach beyond the size.
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
    /// They reach beyond the size.
    pub fn write(&mut self, offset: u64, bytes: &[u8]) {
        assert!(offset + bytes.len() as u64 <= self.size);
        for (at, byte) in (offset..).zip(bytes) {
            let (page, word) = self.page(at / 4);
            let mut now = page.words[word].to_le_bytes();
            now[(at % 4) as usize] = *byte;
            page.words[word] = u32::from_le_bytes(now);
        }
    }

    /// All of them.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        (0..self.size / 4).flat_map(|word| self.load(word).to_le_bytes()).collect()
    }

    /// The first byte in which two buffers of one size and fill differ.
    ///
    /// # Panics
    ///
    /// They are of different sizes or fills.
    #[must_use]
    pub fn first_difference(&self, other: &Self) -> Option<u64> {
        assert_eq!((self.size, self.fill), (other.size, other.fill), "only buffers alike are compared");
        let differing = |n: &u64| {
            let words = (n * PAGE as u64..).take(PAGE);
            words.map(|word| (word, self.load(word) ^ other.load(word))).find(|(_, bits)| *bits != 0)
        };
        let byte = |(word, bits): (u64, u32)| word * 4 + u64::from(bits.trailing_zeros() / 8);
        self.pages.keys().chain(other.pages.keys()).filter_map(differing).map(byte).min()
    }

    /// A word, counted from the start.
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

    /// Forgets the dispatches that had the buffer, and who touched it.
    pub(crate) fn forget(&mut self) {
        self.dispatches = 0;
        self.pages.values_mut().for_each(|page| page.touched = None);
    }

    /// Begins a dispatch, which nobody has touched a word in.
    pub(crate) const fn begin_dispatch(&mut self) {
        self.dispatches += 1;
    }

    /// Who stored a word last.
    pub(crate) fn stored(&self, word: u64) -> Option<Stored> {
        let page = self.pages.get(&(word / PAGE as u64))?;
        page.touched.as_ref()?[word as usize % PAGE].stored
    }

    /// Notes that an invocation of the dispatch touches a word, and says what is wrong with that.
    pub(crate) fn touch(
        &mut self,
        word: u64,
        (invocation, site): (u32, u32),
        access: Access,
    ) -> Option<(Kind, String)> {
        let dispatch = self.dispatches;
        let (page, i) = self.page(word);
        let touched = &mut page.touched.get_or_insert_with(|| Box::new([Touched::default(); PAGE]))[i];
        let me = invocation + 1;
        let atomically = matches!(access, Access::AtomicLoad | Access::AtomicStore);
        if touched.dispatch != dispatch {
            *touched = Touched { dispatch, reader: 0, writer: 0, atomically, ..*touched };
        }
        let mixed = touched.atomically != atomically;
        let another = |who: u32| who != 0 && who != me;
        let stores = matches!(access, Access::Store | Access::AtomicStore);
        let raced = (another(touched.writer) || stores && another(touched.reader))
            && !(atomically && touched.atomically);
        let wrong = (mixed || raced).then(|| {
            let who = |who: u32| match who {
                0 => "none".to_owned(),
                SEVERAL => "several".to_owned(),
                one => format!("the {}.", one - 1),
            };
            let kind = if raced { Kind::Race } else { Kind::MixedAtomics };
            let values = format!(
                "bytes {} to {}, {access:?} by the {invocation}. invocation; loaded by {}, stored by {}{}",
                word * 4,
                word * 4 + 3,
                who(touched.reader),
                who(touched.writer),
                if touched.atomically { ", atomically" } else { "" },
            );
            (kind, values)
        });
        let join = |who: &mut u32| *who = if *who == 0 || *who == me { me } else { SEVERAL };
        if access != Access::Store {
            join(&mut touched.reader);
        }
        if stores {
            join(&mut touched.writer);
            touched.stored = Some(Stored { dispatch, site, invocation });
        }
        touched.atomically |= atomically;
        wrong
    }
}

impl PartialEq for Memory {
    fn eq(&self, other: &Self) -> bool {
        self.first_difference(other).is_none()
    }
}

impl Eq for Memory {}
