//! What blocks cost: see `kernel/cost.rs`.

#![expect(clippy::cast_precision_loss, reason = "counts of one warp are far below 2^24")]

use super::extents::gcd;
use super::rows::are_whole;
use super::text::MOST_CALLS;
use super::{Block, Numbers, Reads, Shape, Stores, Stride, runs};
use crate::MAX_RANK;
use crate::arithmetic::{AffineStep, Arithmetic, ParameterBytes, ParameterPlace};
use crate::kernel::cost::{Weights, Work, of_element};
use crate::kernel::region::{DST, Region, SRC};
use crate::kernel::walk::Loop;
use crate::kernel::{Lanes, PACKET, Placement, Task, WORD};

/// Operations that find an invocation's block, and those for each loop over blocks.
const PLACE: f32 = 10.0;
const PER_LOOP: f32 = 9.0;
/// Operations of a packet that is exchanged.
const EXCHANGE: f32 = 6.0;
/// [`Shape::Around`] takes so many times the operations of a box: the text of a box has channels as constants.
const AROUND: f32 = 1.15;
/// A loop of exact steps of integers takes so many times the operations of single ones.
const LOOPED: f32 = 1.2;
/// Operations of a load that joins two words or packets.
const STRADDLE: f32 = 9.0;
/// The same for packets of [`Reads::Across`].
const ACROSS: f32 = 20.0;
/// Operations that find an invocation's packets of a row.
const ROW: f32 = 14.0;
/// Dispatches that a part for another kernel counts as: it has a pipeline and a uniform block of its own (an estimate).
const PART: f32 = 1.25;
/// Operations that join the ends of two blocks to a packet.
const JOIN: f32 = 30.0;

impl Block {
    /// Sorts loops over blocks: of two orders the one in which a warp touches fewer lines. In sequence, consecutive
    /// invocations share cache lines of src or dst.
    pub(super) fn sort(&self, loops: &mut [Loop], lanes: Lanes) {
        match lanes {
            Lanes::InStep => _ = self.sort_in_step(loops, Weights::of(lanes)),
            Lanes::InSequence => loops.sort_unstable_by_key(Loop::distance),
        }
    }

    /// Sorts loops for lanes in step, and returns their [traffic](Self::traffic).
    fn sort_in_step(&self, loops: &mut [Loop], weights: &Weights) -> f32 {
        loops.sort_unstable_by_key(Loop::distance);
        let nearest = self.traffic(loops, weights);
        if loops.is_sorted_by_key(|along| along.dst) {
            return nearest;
        }
        let mut others = [Loop::ONCE; MAX_RANK];
        let others = &mut others[..loops.len()];
        others.copy_from_slice(loops);
        others.sort_unstable_by_key(|along| along.dst);
        let along_dst = self.traffic(others, weights);
        if along_dst < nearest {
            loops.copy_from_slice(others);
        }
        along_dst.min(nearest)
    }

    /// Stores of a block.
    fn stores(&self) -> usize {
        (self.len() / self.per_store()).max(1)
    }

    /// Loads of a block, and the bytes of each.
    fn loads(&self, weights: &Weights) -> (u64, usize) {
        // As `Chosen::src_rows`, for a finished block: elements that lie closer than a packet belong to one row of loads.
        let (mut rows, mut run) = (1, 1);
        for dim in self.dims() {
            let extent = usize::from(dim.extent);
            match dim.strides[SRC] {
                Stride::Near(stride) if usize::from(stride.unsigned_abs()) * self.size(SRC) < PACKET => {
                    run += usize::from(stride.unsigned_abs()) * (extent - 1);
                }
                _ => rows *= extent,
            }
        }
        let bytes = run * self.size(SRC);
        let one_by_one = self.len() / rows * self.size(SRC).div_ceil(WORD);
        let (each, width) = match self.reads {
            Reads::Packets => (bytes.div_ceil(PACKET), PACKET),
            // In sequence, the packets of an invocation follow each other, and share what they load.
            Reads::Across if weights.in_sequence() => (bytes.div_ceil(PACKET) + 1, PACKET),
            Reads::Across => (2 * bytes.div_ceil(PACKET), PACKET),
            Reads::Words => (one_by_one, WORD),
            Reads::Straddling => ((2 * one_by_one).min(bytes.div_ceil(WORD) + 1), WORD),
        };
        ((rows * each) as u64, width)
    }

    /// What the loads and stores of a warp cost.
    fn traffic(&self, loops: &[Loop], weights: &Weights) -> f32 {
        let (loads, width) = self.loads(weights);
        // Packets that are exchanged go together, as if each lane stored all packets of a round at once.
        let (stores, width_of_dst) = match self.stores {
            Stores::Exchanged => (self.stores() / self.round(), self.round() * PACKET),
            Stores::Packets | Stores::Words => (self.stores(), self.stores.bytes()),
        };
        let touched = [SRC, DST].map(|side| {
            let size = self.size(side);
            let width = if side == SRC { width } else { width_of_dst };
            let stride = |along: &Loop| [along.src, along.dst][side].unsigned_abs().saturating_mul(size);
            weights.touched(loops, width, stride)
        });
        weights.traffic(loads, stores as u64, touched)
    }

    /// What the block costs per element of a region. `parts`: the number of parts that other kernels take.
    pub(crate) fn cost(&self, task: &Task, region: &Region, parts: usize) -> f32 {
        let weights = Weights::of(task.limits.lanes);
        let mut all = [Loop::ONCE; MAX_RANK];
        let rank = region.dims().len();
        let loops = &mut all[..rank];
        for (d, (along, dim)) in loops.iter_mut().zip(region.dims()).enumerate() {
            let mut steps = 1;
            if let Some(n) = self.dims().iter().position(|dim| Self::dim_of(*dim, region) == d) {
                steps = self.dims[n].extent.into();
                if self.shape == (Shape::Runs { along: n as u8, beside: false }) {
                    steps *= runs::UNITS;
                }
            }
            *along = Loop::of(dim, dim.extent).in_steps(steps);
        }
        let (loads, stores) = (self.loads(weights).0, self.stores() as u64);
        let mut idle = 1.0;
        let traffic = match self.shape {
            // Neighbours take adjacent packets.
            Shape::Rows => weights.traffic(loads, stores, [weights.packets(); 2]),
            Shape::Around => self.traffic(&self.loops_around(task, region), weights),
            Shape::Squares { along_src } => {
                let ends = [self.dims[usize::from(self.rank) - 1], self.dims[usize::from(along_src)]];
                let [dst, src] = ends.map(|dim| loops[Self::dim_of(dim, region)]);
                self.traffic(&[Loop { extent: dst.extent.min(4), ..dst }, src], weights)
            }
            Shape::Runs { along, beside: true } => {
                let run = Self::dim_of(self.dims[usize::from(along)], region);
                let blocks = loops[run];
                // A segment has one block less than invocations, and the last one of a run may be short.
                let lanes = 1_u64 << Self::lanes_log2(blocks);
                idle = (blocks.extent.div_ceil(lanes - 1) * lanes) as f32 / blocks.extent as f32;
                loops[..=run].rotate_right(1);
                loops[1..].sort_unstable_by_key(Loop::distance);
                self.traffic(loops, weights)
            }
            _ if weights.in_sequence() => self.traffic(loops, weights),
            _ => self.sort_in_step(loops, weights),
        };
        // The look-ups of parameters, how many channels the lanes of a warp look up at once, and how far these lie apart.
        let (look_ups, channels, step) = match self.numbers {
            Numbers::One => (0, 1, 1),
            Numbers::Each if self.shape == Shape::Around => {
                // Stores begin with every `step`-th channel.
                let step = gcd(self.per_store(), task.channels);
                (self.per_store(), (task.channels / step) as u64, step)
            }
            Numbers::Each | Numbers::Block => {
                let each = self.channel_dim().map_or(1, |d| usize::from(self.dims[d].extent));
                // Lanes that lie along other loops first share a channel.
                let before = loops.iter().take_while(|along| !along.channels).map(|along| along.extent);
                let sharing = before.fold(1, u64::saturating_mul).min(weights.warp);
                let extent = loops.iter().find(|along| along.channels).map_or(1, |along| along.extent);
                (each, extent.min(weights.warp / sharing), each)
            }
        };
        let (channels, look_ups) = (channels.min(weights.warp), look_ups as f32);
        let place = PLACE + PER_LOOP * loops.iter().filter(|along| along.extent > 1).count() as f32;
        // The operations of exchanging or joining packets, and those that pass through workgroup memory.
        let (more, passed) = match (self.stores, self.shape) {
            (Stores::Exchanged, _) => (EXCHANGE, stores as f32),
            (_, Shape::Runs { beside: true, .. }) => (JOIN, self.runs() as f32),
            (_, Shape::Runs { .. }) => (JOIN, 0.0),
            _ => (0.0, 0.0),
        };
        // The loads of a look-up, and what each touches.
        // The bounds and the affine step are loaded apart, from the uniform block 16 bytes at a time.
        let words = ParameterBytes::stored_size(task.arithmetic, ParameterPlace::Stored, 1) as f32 / 4.0;
        let (numbers, table_lines, uniform_addresses) = if task.parameter_place().are_stored() {
            (words, weights.lines(((channels - 1) * step as u64 + 1) * WORD as u64), 0)
        } else {
            ((words / 4.0).max(2.0), 0, channels - 1)
        };
        let look_ups = numbers * look_ups;
        let per_load = match self.reads {
            Reads::Straddling => STRADDLE,
            Reads::Across => ACROSS,
            Reads::Packets | Reads::Words => 3.0,
        };
        let (of_shape, of_row) = match self.shape {
            Shape::Around => (AROUND, 0.0),
            Shape::Rows => (1.0, ROW),
            _ => (1.0, 0.0),
        };
        let Arithmetic { step, dtype, .. } = task.arithmetic;
        let is_exact = step == AffineStep::Exact;
        let calls = self.calls();
        let is_looped = is_exact && !dtype.is_float() && calls > MOST_CALLS;
        // Compilers leave out the elements of a vector that nobody uses, but not in an exact step.
        let clamped = if is_exact { calls * Self::at_once(self.size(DST)) } else { self.len() };
        let of_clamped = of_element(task) * if is_looped { LOOPED } else { 1.0 };
        let work = Work {
            elements: self.len(),
            bytes: self.size(SRC) + self.size(DST),
            traffic,
            table_lines: look_ups * table_lines as f32,
            uniform_addresses: look_ups * uniform_addresses as f32,
            operations: of_shape
                * (place
                    + of_row
                    + per_load * loads as f32
                    + (3.0 + more) * stores as f32
                    + 2.0 * self.len() as f32
                    + of_clamped * clamped as f32
                    + 2.0 * look_ups),
            passed,
        };
        let edges = if self.has_edges(task, region) { 1.0 } else { 0.0 };
        let dispatches = PART * parts as f32 + edges;
        work.cost(weights, dispatches, region.len(), idle)
    }

    /// Calls of the arithmetic: as many as there are groups of elements of a channel that are clamped at once.
    fn calls(&self) -> usize {
        let channels = self.channel_dim().map_or(1, |d| usize::from(self.dims[d].extent));
        channels * (self.len() / channels).div_ceil(Self::at_once(self.size(DST)))
    }

    /// Whether a region has elements for the second dispatch, as if one window covered it.
    fn has_edges(&self, task: &Task, region: &Region) -> bool {
        let per_packet = self.per_store();
        match self.shape {
            Shape::Line | Shape::Squares { .. } => false,
            Shape::Runs { .. } => true,
            Shape::Rows => !(are_whole(region, per_packet) && self.reads_within(task, region)),
            Shape::Around => ![region.starts[DST], region.len()].iter().all(|n| n.is_multiple_of(per_packet)),
        }
    }

    /// Whether the binding of src, which ends with a word, has the whole packets that [`Reads::Across`] loads.
    fn reads_within(&self, task: &Task, region: &Region) -> bool {
        if self.reads != Reads::Across {
            return true;
        }
        let [src, dst] = [SRC, DST].map(|side| region.span(side, &region.whole()).1);
        let last = if task.placement == Placement::TwoBuffers { src } else { src.max(dst) };
        // Elements of both sides have the same size.
        let bytes = (last % self.per_store() + 1) * self.size(SRC);
        bytes.next_multiple_of(WORD) == PACKET
    }
}
