//! The blocks that can take a region.

use super::extents::{Filled, LEAST_BLOCKS, LEAST_ELEMENTS};
use super::{Along, Block, Reads, Shape, Stores, Stride};
use crate::kernel::candidates::Candidates;
use crate::kernel::region::{DST, Region};
use crate::kernel::{Claim, Cut, Lanes, PACKET, Placement, Task, WORD, WORKGROUP_SIZE};

/// The fewest packets of a run that begins anywhere in a packet, as [`LEAST_BLOCKS`].
const LEAST_PACKETS: usize = 16;

/// The most parts that a claim leaves to other kernels.
const MOST_PARTS: usize = 2;

/// How boxes are cut.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Boxes {
    /// The fewest elements that fill packets or words of dst.
    Narrow,
    /// Widened in src; in squares where src and dst are fastest along different dimensions.
    Wide,
    /// As [`Wide`](Boxes::Wide), but loads packets of src past the last element. Elements that follow there are left to
    /// another kernel.
    Past,
}

impl Block {
    /// Adds the blocks that can take a region or most of it.
    pub(in crate::kernel) fn claim(candidates: &mut Candidates<'_>) {
        let (task, region) = (candidates.task, candidates.region);
        for repeated in [true, false] {
            candidates.add(Self::claim_rows(task, region, repeated));
        }
        candidates.add(Self::claim_around(task, region));
        if let Some(packets) = Filled::new(task, region, Stores::Packets) {
            let wide = Self::add_wide(candidates, &packets);
            // If nothing has widened the box, it is narrow.
            if wide.is_none_or(|block| block.len() > packets.chosen.len()) {
                candidates.add(Self::claim_boxes(task, region, &packets, Boxes::Narrow));
            }
        }
        // Where words become bytes, and where lanes look up channels in a table: four channels of neighbouring lanes lie
        // closer than sixteen. Where elements are words in dst, words may begin anywhere, as planes of pixels do. In one
        // buffer, words of dst ask for words of src.
        let [src, dst] = task.arithmetic.sizes();
        let suits = match dst {
            1 => src == WORD || task.parameter_place().are_stored(),
            _ => dst == WORD && task.limits.lanes == Lanes::InStep,
        };
        if suits && task.placement == Placement::TwoBuffers {
            let words = Filled::new(task, region, Stores::Words);
            if let Some(words) = words.filter(|words| !words.keeps && words.ahead.is_some()) {
                Self::add_wide(candidates, &words);
            }
        }
    }

    /// Adds wide boxes and returns their block. What they load by words may lie on packets, but for the end of the last row:
    /// then adds such boxes too. In one buffer, another invocation could store what follows there.
    fn add_wide(candidates: &mut Candidates<'_>, filled: &Filled<'_>) -> Option<Self> {
        let (task, region) = (candidates.task, candidates.region);
        let claim = Self::claim_boxes(task, region, filled, Boxes::Wide);
        candidates.add(claim);
        let (block, _) = claim?;
        if task.placement == Placement::TwoBuffers && !block.by_packets() {
            candidates.add(Self::claim_boxes(task, region, filled, Boxes::Past));
        }
        Some(block)
    }

    /// Whether a workgroup can exchange the block's packets: they are adjacent in dst, and memory holds those of a
    /// workgroup. In one buffer, an invocation could load what another has stored.
    fn may_exchange(&self, task: &Task) -> bool {
        let reach = |dim: &Along| match dim.strides[DST] {
            Stride::Near(stride) => Some(usize::from(stride.unsigned_abs()) * usize::from(dim.extent - 1)),
            Stride::Far => None,
        };
        let adjacent = self.dims().iter().map(reach).sum::<Option<usize>>() == Some(self.len() - 1);
        let packets = self.len() / self.per_store();
        let bytes = WORKGROUP_SIZE as usize * (self.round() * PACKET + WORD);
        task.limits.lanes == Lanes::InStep
            && task.placement != Placement::OneBuffer
            && matches!(self.shape, Shape::Line | Shape::Squares { .. })
            && adjacent
            && packets > 1
            && packets.is_multiple_of(self.round())
            && bytes <= task.limits.max_workgroup_memory as usize
    }

    /// Whether memory holds a packet of each run of each invocation of a workgroup.
    fn may_run_beside(&self, task: &Task) -> bool {
        let bytes = WORKGROUP_SIZE as usize * self.runs() * PACKET;
        task.limits.lanes == Lanes::InStep && bytes <= task.limits.max_workgroup_memory as usize
    }

    /// Claims a region for boxes that fill packets or words.
    fn claim_boxes(task: &Task, region: &Region, filled: &Filled<'_>, boxes: Boxes) -> Option<(Self, Claim)> {
        let Filled { stores, mut chosen, d, keeps, ahead } = *filled;
        let (dims, along) = (chosen.dims, chosen.dims[d]);
        let pitch = along.dst.unsigned_abs();
        let in_step = task.limits.lanes == Lanes::InStep;
        let past = boxes == Boxes::Past;
        if boxes != Boxes::Narrow {
            chosen.widen();
        }
        if !(in_step && boxes == Boxes::Narrow) {
            chosen.lengthen_for_channels(d, task);
        }
        // In sequence, the start of an invocation costs as much as hundreds of operations, so blocks are long. In step,
        // neighbouring lanes store neighbouring packets of short blocks.
        if !in_step {
            chosen.lengthen(d, ahead.is_none());
        } else if boxes != Boxes::Narrow && stores == Stores::Packets {
            chosen.double_for_channel(d);
        }
        // Pixels beyond whole blocks are left to another kernel. One more pixel is left if the last packet would extend
        // past the last element, because whole packets are loaded.
        let (first, lead) = ahead.unwrap_or_default();
        let behind_last = (lead + chosen.between(d) + (chosen.extents[d] - 1) * pitch) * chosen.sizes[DST];
        let beyond = keeps && !behind_last.next_multiple_of(WORD).is_multiple_of(PACKET);
        let behind = if past { chosen.packet_past(d)? } else { 0 }.max(beyond.into());
        let rest = along.extent.checked_sub(first + behind)? % chosen.extents[d];
        let left = usize::from(first > 0) + usize::from(behind + rest > 0);
        // For few elements, another dispatch costs more than blocks save.
        let is_small = region.len() < LEAST_ELEMENTS;
        if is_small && (left > 0 || ahead.is_none()) {
            return None;
        }
        chosen.divide_others(d, if is_small { 0 } else { MOST_PARTS - left });
        // Some blocks of a run are computed by two invocations. In place, one could load what the other has stored.
        let joins = !keeps
            && !task.in_place(region)
            && along.extent * chosen.between(d) >= LEAST_PACKETS * task.per_packet()
            && along.extent >= LEAST_BLOCKS * chosen.extents[d];
        if ahead.is_none() && !joins {
            return None;
        }
        if chosen.len() == 1 {
            return None;
        }
        let numbers = chosen.numbers(task);

        let mut cuts = [None; MOST_PARTS];
        let mut slots = cuts.iter_mut();
        for (e, dim) in dims.iter().enumerate() {
            let (first, behind) = if e == d { (first, behind) } else { (0, 0) };
            let block = chosen.extents[e];
            // `rest` is there only if the dimension has the elements that are cut off.
            let extent = (dim.extent - first - behind) / block * block;
            if extent < dim.extent {
                // A cut keeps at least half of the dimension, and the first channel.
                if extent * 2 < dim.extent || dim.channels && first > 0 {
                    return None;
                }
                *slots.next()? = Some(Cut { dim: e, first, extent });
            }
        }
        let ends = [past, beyond].map(|past| if past { PACKET } else { WORD } as u64);
        let claim = Claim { cuts, ends };
        let cut;
        let main = if cuts[0].is_none() {
            region
        } else {
            cut = claim.main(region);
            &cut
        };
        if main.dims().len() < dims.len() {
            return None;
        }
        let squares = boxes != Boxes::Narrow && stores == Stores::Packets;
        let run = if ahead.is_none() { Some(d) } else { None };
        let block = Block { kept_before: lead as u8, ..chosen.block(main, numbers, run, squares, past) };
        if past && block.reads != Reads::Packets {
            return None;
        }
        let exchanges = stores == Stores::Packets && !keeps && block.may_exchange(task);
        let stores = if exchanges { Stores::Exchanged } else { stores };
        let shape = match block.shape {
            Shape::Runs { along, .. } => Shape::Runs { along, beside: block.may_run_beside(task) },
            shape => shape,
        };
        Some((Block { stores, shape, ..block }, claim))
    }
}
