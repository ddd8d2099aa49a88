//! What a block costs a GPU: the terms of the model that was fitted to an H200 (`benches/table/src/model.rs`), from strides
//! and extents, without counting. Costs compare the blocks of one region. Their unit is 10⁻⁶ µs of that device per element.

#![expect(clippy::cast_precision_loss, reason = "counts of one warp are far below 2^24")]

use super::choose::gcd;
use super::{Block, Numbers, Reads, Shape, Stores, Stride, runs};
use crate::MAX_RANK;
use crate::kernel::region::{DST, Region, SRC};
use crate::kernel::walk::Loop;
use crate::kernel::{Lanes, PACKET, Task, WORD};

/// Lanes that run each instruction together.
const WARP: u64 = 32;
/// Bytes of a cache line.
const LINE: u64 = 128;
/// Bytes of the part of a line that a store should fill.
const SECTOR: u64 = 32;

/// A byte of src or dst.
const BYTE: f32 = 0.265;
/// A line in which a store fills a sector only in part.
const TORN_LINE: f32 = 29.9;
/// Another line of a store.
const WHOLE_LINE: f32 = 10.8;
/// A line of a load.
const LOADED_LINE: f32 = 6.7;
/// A line of a load from a table of parameters in storage.
const TABLE_LINE: f32 = 6.5;
/// An address beyond one of a load from the uniform block.
const UNIFORM_ADDRESS: f32 = 27.0;
const OPERATION: f32 = 1.58;
const START: f32 = 102.0;
/// A dispatch beyond the first.
const DISPATCH: f32 = 2e6;

/// A packet's way through workgroup memory: four rounds of its banks each way, and the place of its block.
const PASSED: f32 = 34.0;
/// Operations of a packet that is exchanged.
const EXCHANGE: f32 = 6.0;
/// Operations of a load whose word may begin within another.
const STRADDLE: f32 = 9.0;
/// Operations that join the ends of two blocks to a packet.
const JOIN: f32 = 30.0;
/// Loads that look up a channel's parameters in the uniform block.
const UNIFORM_LOADS: f32 = 2.0;
/// The same in a table: an affine step has about as many numbers.
const STORED_NUMBERS: f32 = 9.0;

/// What one access of a warp touches.
struct Touched {
    lines: u64,
    /// Whether it fills whole sectors.
    whole: bool,
}

/// What the lanes of a warp touch that take neighbouring indices of `loops`, the first loop fastest: `width` bytes each.
/// `stride` returns the stride of a loop in bytes.
fn touched(loops: &[Loop], width: usize, stride: impl Fn(&Loop) -> usize) -> Touched {
    // Pieces far apart, and the bytes that each spans.
    let (mut pieces, mut span, mut dense, mut lanes) = (1, width as u64, true, WARP);
    for along in loops.iter().filter(|along| along.extent > 1) {
        let (stride, count) = (stride(along) as u64, along.extent.min(lanes));
        if stride >= LINE && stride > span {
            pieces *= count;
        } else {
            dense &= stride <= span;
            span += (count - 1) * stride;
        }
        lanes = lanes.div_ceil(count);
        if lanes == 1 {
            break;
        }
    }
    Touched { lines: pieces * span.div_ceil(LINE), whole: dense && span.is_multiple_of(SECTOR) }
}

/// Two terms that overlap in part. Unlike `hypot`, it gives the same number on every host.
fn both(a: f32, b: f32) -> f32 {
    (a * a + b * b).sqrt()
}

impl Block {
    /// Sorts loops over blocks: of two orders the one in which a warp touches fewer lines. In sequence, consecutive
    /// invocations share cache lines of src or dst.
    pub(super) fn sort(&self, loops: &mut [Loop], lanes: Lanes) {
        match lanes {
            Lanes::InStep => _ = self.sort_in_step(loops),
            Lanes::InSequence => loops.sort_unstable_by_key(Loop::distance),
        }
    }

    /// Sorts loops for lanes in step, and returns their [traffic](Self::traffic).
    fn sort_in_step(&self, loops: &mut [Loop]) -> f32 {
        loops.sort_unstable_by_key(Loop::distance);
        let nearest = self.traffic(loops);
        let mut others = [Loop::ONCE; MAX_RANK];
        let others = &mut others[..loops.len()];
        others.copy_from_slice(loops);
        others.sort_unstable_by_key(|along| along.dst);
        let along_dst = self.traffic(others);
        if along_dst < nearest {
            loops.copy_from_slice(others);
        }
        along_dst.min(nearest)
    }

    /// Stores of a block.
    fn stores(&self) -> usize {
        (self.len() * self.size(DST) / self.stored()).max(1)
    }

    /// Loads of a block, and the bytes of each.
    fn loads(&self) -> (u64, usize) {
        // Elements that lie closer than a packet belong to one row of loads.
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
        let in_row = self.len() / rows * self.size(SRC).div_ceil(WORD);
        let (each, width) = match self.reads {
            Reads::Packets => (bytes.div_ceil(PACKET), PACKET),
            Reads::Across => (2 * bytes.div_ceil(PACKET), PACKET),
            Reads::Words => (in_row, WORD),
            Reads::Straddling => ((2 * in_row).min(bytes.div_ceil(WORD) + 1), WORD),
        };
        ((rows * each) as u64, width)
    }

    /// The lines that a warp loads and stores, weighted.
    fn traffic(&self, loops: &[Loop]) -> f32 {
        let (loads, width) = self.loads();
        // Packets that are exchanged go together, as if each lane stored all packets of a round at once.
        let (times, width_of_dst) = match self.stores {
            Stores::Exchanged => ((self.stores() / self.round()) as u64, self.round() * PACKET),
            Stores::Packets | Stores::Words => (self.stores() as u64, self.stored()),
        };
        let [src, dst] = [SRC, DST].map(|side| {
            let size = self.size(side);
            let width = if side == SRC { width } else { width_of_dst };
            touched(loops, width, |along| [along.src, along.dst][side].unsigned_abs().saturating_mul(size))
        });
        let weight = if dst.whole { WHOLE_LINE } else { TORN_LINE };
        both(LOADED_LINE * (loads * src.lines) as f32, weight * (times * dst.lines) as f32)
    }

    /// What the block costs per element of a region. `parts`: the number of parts that other kernels take.
    pub(super) fn cost(&self, task: &Task, region: &Region, parts: usize) -> f32 {
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
        let (loads, stores) = (self.loads().0, self.stores() as u64);
        let len = self.len() as f32;
        let mut idle = 1.0;
        let traffic = match self.shape {
            Shape::Around => {
                let lines = PACKET as u64 * WARP / LINE;
                both(LOADED_LINE * (loads * lines) as f32, WHOLE_LINE * (stores * lines) as f32)
            }
            Shape::Squares { along_src } => {
                let ends = [self.dims[usize::from(self.rank) - 1], self.dims[usize::from(along_src)]];
                let [dst, src] = ends.map(|dim| loops[Self::dim_of(dim, region)]);
                self.traffic(&[Loop { extent: dst.extent.min(4), ..dst }, src])
            }
            Shape::Runs { along, beside: true } => {
                let run = Self::dim_of(self.dims[usize::from(along)], region);
                let blocks = loops[run];
                // A segment has one block less than invocations, and the last one of a run may be short.
                let lanes = 1_u64 << Self::lanes_log2(blocks);
                idle = (blocks.extent.div_ceil(lanes - 1) * lanes) as f32 / blocks.extent as f32;
                loops[..=run].rotate_right(1);
                loops[1..].sort_unstable_by_key(Loop::distance);
                self.traffic(loops)
            }
            _ => self.sort_in_step(loops),
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
                let sharing = before.fold(1, u64::saturating_mul).min(WARP);
                let extent = loops.iter().find(|along| along.channels).map_or(1, |along| along.extent);
                (each, extent.min(WARP / sharing), each)
            }
        };
        let (channels, look_ups) = (channels.min(WARP), look_ups as f32);
        let place = 24.0 + 9.0 * loops.iter().filter(|along| along.extent > 1).count() as f32;
        // The operations of exchanging or joining packets, and those that pass through workgroup memory.
        let (more, passed) = match (self.stores, self.shape) {
            (Stores::Exchanged, _) => (EXCHANGE, stores as f32),
            (_, Shape::Runs { beside: true, .. }) => (JOIN, self.runs() as f32),
            (_, Shape::Runs { .. }) => (JOIN, 0.0),
            _ => (0.0, 0.0),
        };
        // The loads of a look-up, and what each costs.
        let (numbers, parameters) = if task.parameter_place().are_stored() {
            (STORED_NUMBERS, TABLE_LINE * (channels * (step * WORD) as u64).div_ceil(LINE) as f32)
        } else {
            (UNIFORM_LOADS, UNIFORM_ADDRESS * (channels - 1) as f32)
        };
        let parameters = numbers * parameters;
        let per_load = if self.reads == Reads::Straddling { STRADDLE } else { 3.0 };
        let operations = place
            + per_load * loads as f32
            + (3.0 + more) * stores as f32
            + 5.0 * len
            + 2.0 * numbers * look_ups;
        let bytes = WARP as f32 * len * (self.size(SRC) + self.size(DST)) as f32;
        // Memory and instructions overlap almost wholly.
        let memory = both(both(BYTE * bytes, traffic), look_ups * parameters);
        let instructions = both(both(OPERATION * operations, START), PASSED * passed);
        let of_warp = both(memory * memory, instructions * instructions).sqrt();
        let further = parts + usize::from(self.leaves_edges());
        idle * of_warp / (len * WARP as f32) + DISPATCH * further as f32 / region.len() as f32
    }
}
