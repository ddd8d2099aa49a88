//! Which kernel takes a region: rules in an order.

use std::iter;

use super::boxes::{Boxes, shared};
use super::grow::Growth;
use super::piece::{Piece, Stores};
use super::region::{Region, SRC};
use super::thresholds::{LEAST_BYTES, LEAST_CHANNELS, LEAST_ELEMENTS, LEAST_PACKETS, PIXEL};
use super::{Kernel, Placement, Task, WORD};

/// A kernel, the part of a region that it takes, and the parts that it leaves to others.
#[derive(PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) kernel: Kernel,
    /// What the kernel takes. Its dimensions may be split.
    pub(crate) region: Region,
    /// For src and dst: the alignment of a binding's end, in bytes. It may exceed a word only if elements follow in `rest`,
    /// because a binding must not end behind its buffer.
    pub(crate) ends: [u64; 2],
    /// The parts for kernels that leave none.
    pub(crate) rest: Vec<Region>,
}

impl Candidate {
    /// The kernel takes all of a region.
    const fn whole(kernel: Kernel, region: &Region) -> Self {
        Self { kernel, region: *region, ends: [WORD as u64; 2], rest: Vec::new() }
    }

    fn reads_packets(&self) -> bool {
        matches!(self.kernel, Kernel::Piece(piece) if piece.by_packets())
    }
}

/// The kernels that can take a region, the best first.
///
/// 1. A **stream** whose elements come together, or as one: by the model of an H200, 1.0 to 1.1 of a copy.
/// 2. **Boxes**, where src and dst disagree about what is adjacent, or channels differ within a packet: 1.0 to 1.6, where a
///    stream takes 1.1 to 13.
/// 3. A **stream** that finds each element by itself: 1.1 to 3. Before it come only boxes whose loads leave few gaps: for
///    every second pixel of F32, the stream takes 1.4 of a copy, boxes 2.5.
/// 4. For few bytes, what takes all comes before what leaves parts to others; for few elements, nothing leaves parts.
/// 5. **Words** take everything.
pub(crate) fn candidates<'a>(task: &'a Task, region: &'a Region) -> impl Iterator<Item = Candidate> + 'a {
    let of = |kernel| Candidate::whole(kernel, region);
    let least = LEAST_PACKETS * task.per_packet();
    let is_row = region.dims().last().is_some_and(|row| row.dst == 1 && row.extent >= least);
    let bytes = region.len().saturating_mul(task.arithmetic.sizes().iter().sum());
    let is_large = bytes >= LEAST_BYTES;
    let together = if is_row { Piece::stream(task, region, is_large) } else { None };
    // Most tensors need no other candidate.
    let others = move || {
        let run = region.run().iter().fold(1_usize, |length, dim| length.saturating_mul(dim.extent));
        let stepping = (run >= least).then(|| Piece::stepping_stream(task, region));
        let is_sparse =
            |one: &Candidate| matches!(one.kernel, Kernel::Piece(piece) if piece.loads_sparsely());
        let (sparse, mut all): (Vec<_>, Vec<_>) = boxes(task, region).into_iter().partition(is_sparse);
        all.extend(stepping.map(|piece| of(Kernel::Piece(piece))).into_iter().chain(sparse));
        let leaves_parts = |candidate: &Candidate| !candidate.rest.is_empty();
        if region.len() < LEAST_ELEMENTS {
            all.retain(|candidate| !leaves_parts(candidate));
        } else if !is_large {
            all.sort_by_key(leaves_parts);
        }
        all.push(of(Kernel::Words));
        all
    };
    let together = together.into_iter().map(move |piece| of(Kernel::Piece(piece)));
    together.chain(iter::once_with(others).flatten())
}

/// The boxes that can take a region or most of it, the best first.
fn boxes(task: &Task, region: &Region) -> Vec<Candidate> {
    let growth = |stores| Growth::new(task, region, stores);
    let packets = growth(Stores::Packets).map_or_else(Vec::new, |growth| boxes_from(task, region, growth));
    // A word holds four elements or one. In one buffer, words of dst could share packets with src.
    if task.placement != Placement::TwoBuffers || !matches!(task.arithmetic.dtype.size(), 1 | 4) {
        return packets;
    }
    let Some(growth) = growth(Stores::Words) else { return packets };
    let words = boxes_from(task, region, growth);
    let [first, second] =
        if words_first(task, region, &growth, &packets) { [words, packets] } else { [packets, words] };
    first.into_iter().chain(second).collect()
}

/// Boxes that grow from the fewest elements, the best first: those that share look-ups of channels, those that load whole
/// packets of src, wide ones where these pay, narrow ones.
fn boxes_from(task: &Task, region: &Region, growth: Growth<'_>) -> Vec<Candidate> {
    let mut all = shared(task, region, &growth);
    let wide = Piece::boxes(task, region, growth, Boxes::Wide);
    // What is loaded by words may lie on packets, but for the end of the last row. In one buffer, another invocation
    // could store what follows there.
    if task.placement == Placement::TwoBuffers && !wide.as_ref().is_some_and(Candidate::reads_packets) {
        all.extend(Piece::boxes(task, region, growth, Boxes::Past));
    }
    // A wide box pays if it loads packets, or if elements share words. Whole words are loaded once by boxes of any width.
    let pays = task.arithmetic.sizes()[SRC] < WORD || wide.as_ref().is_some_and(Candidate::reads_packets);
    let narrow = Piece::boxes(task, region, growth, Boxes::Narrow);
    let both = if pays { [wide, narrow] } else { [narrow, wide] };
    for candidate in both.into_iter().flatten() {
        if !all.contains(&candidate) {
            all.push(candidate);
        }
    }
    all
}

/// Whether neighbours store words before packets: where a packet of src, or as many elements near each other, becomes a word;
/// where sixteen channels would be looked up at once; and where no box takes pixels of words by whole packets of src without
/// loading past them. `growth`: that of words; `others` store packets.
fn words_first(task: &Task, region: &Region, growth: &Growth<'_>, others: &[Candidate]) -> bool {
    let Some(row) = region.dims().last() else { return false };
    let on_packets = |other: &Candidate| other.reads_packets() && other.ends == [WORD as u64; 2];
    growth.is_near(PIXEL)
        && match task.arithmetic.sizes() {
            [WORD, 1] => true,
            [_, 1] => row.channels && row.extent >= LEAST_CHANNELS,
            [WORD, WORD] => row.src.unsigned_abs() > 1 && !others.iter().any(on_packets),
            _ => false,
        }
}
