//! Reader, clamp and writer at the same time, with a fixed number of buffers that go round.

use std::io::{ErrorKind, Read, Write as _};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use bytemuck::Zeroable as _;
use indicatif::ProgressBar;
use wgpu_clamp::Element;

use crate::Result;
use crate::output::Output;

/// What is read, clamped and written at a time, in bytes: two of the chunks of 16 MiB that `clamp_slice` takes, so
/// that one is uploaded while the other is computed.
const SLICE: usize = 32 << 20;

/// One is read, one is clamped, one is written.
const BUFFERS: usize = 3;

/// What goes round: a slice of the input, which becomes one of the output.
pub trait Slice: Default + Send + Sync + 'static {
    type Src: Element;
    type Dst: Element;

    fn src(&mut self) -> &mut Vec<Self::Src>;
    fn dst(&mut self) -> &mut Vec<Self::Dst>;
}

/// In place.
impl<T: Element> Slice for Vec<T> {
    type Src = T;
    type Dst = T;

    fn src(&mut self) -> &mut Self {
        self
    }

    fn dst(&mut self) -> &mut Self {
        self
    }
}

/// From one type to another.
impl<S: Element, T: Element> Slice for (Vec<S>, Vec<T>) {
    type Src = S;
    type Dst = T;

    fn src(&mut self) -> &mut Vec<S> {
        &mut self.0
    }

    fn dst(&mut self) -> &mut Vec<T> {
        &mut self.1
    }
}

/// Where the elements come from.
pub struct Reader {
    pub input: Box<dyn Read + Send>,
    /// For messages.
    pub name: String,
    /// The file has the other byte order than this machine.
    pub swap: bool,
}

/// Where the elements go.
pub struct Writer<'a> {
    pub output: &'a mut Output,
    pub swap: bool,
    pub bar: &'a ProgressBar,
}

/// Reads `elements` elements, applies `clamp` to slices of them, and writes them. Success means that all are written
/// and that the input ended there.
pub fn run<B: Slice>(
    reader: Reader,
    writer: Writer<'_>,
    elements: u64,
    mut clamp: impl FnMut(&mut B) -> Result<()>,
) -> Result<()> {
    let (give_empty, take_empty) = channel();
    let (give_read, take_read) = channel();
    let (give_clamped, take_clamped) = channel();
    for _ in 0..BUFFERS {
        give_empty.send(B::default())?;
    }
    let (read, clamped, written) = thread::scope(|scope| {
        let reader = scope.spawn(move || reader.run(elements, &take_empty, &give_read));
        let writer = scope.spawn(move || writer.run(&take_clamped, &give_empty));
        let clamped: Result<()> = take_read.iter().try_for_each(|mut slice: B| {
            clamp(&mut slice)?;
            // Fails only if the writer has ended, with an error that is reported below.
            let _ = give_clamped.send(slice);
            Ok(())
        });
        // Without these the threads would wait for ever for one that gave up.
        drop((take_read, give_clamped));
        (join(reader), clamped, join(writer))
    });
    let written = written?;
    clamped?;
    read?;
    if written == elements {
        Ok(())
    } else {
        // All three parts would have to agree on the mistake.
        Err(format!("only {written} of {elements} elements were written").into())
    }
}

fn join<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

impl Reader {
    /// Ends early, without an error of its own, if the others have ended.
    fn run<B: Slice>(mut self, elements: u64, empty: &Receiver<B>, read: &Sender<B>) -> Result<()> {
        // Of the larger of two types.
        let most = SLICE / size_of::<B::Src>().max(size_of::<B::Dst>());
        let mut left = elements;
        while left > 0 {
            let Ok(mut slice) = empty.recv() else { return Ok(()) };
            let len = left.min(most as u64) as usize;
            let src = slice.src();
            src.resize(len, B::Src::zeroed());
            self.input.read_exact(bytemuck::cast_slice_mut(src)).map_err(|error| {
                let (done, name) = (elements - left, &self.name);
                match error.kind() {
                    ErrorKind::UnexpectedEof => {
                        format!("{name}: it ends before element {} of {elements}", done + len as u64)
                    }
                    _ => format!("cannot read {name} from element {done} on: {error}"),
                }
            })?;
            if self.swap {
                swap_bytes(src);
            }
            left -= len as u64;
            if read.send(slice).is_err() {
                return Ok(());
            }
        }
        match self.input.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(format!("{}: more follows after its {elements} elements", self.name).into()),
            Err(error) => Err(format!("cannot read {} to its end: {error}", self.name).into()),
        }
    }
}

impl Writer<'_> {
    /// How many elements were written.
    fn run<B: Slice>(self, clamped: &Receiver<B>, empty: &Sender<B>) -> Result<u64> {
        let mut written = 0;
        for mut slice in clamped {
            let dst = slice.dst();
            if self.swap {
                swap_bytes(dst);
            }
            let bytes: &[u8] = bytemuck::cast_slice(dst);
            self.output.file().write_all(bytes).map_err(|error| self.output.cannot_write(&error))?;
            written += dst.len() as u64;
            self.bar.inc(bytes.len() as u64);
            // The reader may have all that it needs.
            let _ = empty.send(slice);
        }
        Ok(written)
    }
}

fn swap_bytes<T: Element>(slice: &mut [T]) {
    for element in bytemuck::cast_slice_mut::<T, u8>(slice).chunks_exact_mut(size_of::<T>()) {
        element.reverse();
    }
}
