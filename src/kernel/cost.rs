//! What a kernel costs per element, from strides and extents, without counting. Costs compare the candidates for one
//! region.

#![expect(clippy::cast_precision_loss, reason = "counts of one warp are far below 2^24")]

use super::region::{DST, SRC};
use super::walk::Loop;
use super::{Lanes, PACKET, Task};
use crate::DType;
use crate::arithmetic::{AffineStep, Arithmetic};

/// Bytes of the part of a line that a store should fill.
const SECTOR: u64 = 32;

/// What each unit of [`Work`] costs, in picoseconds of a device that is busy with many warps.
pub(super) struct Weights {
    /// Invocations that run each instruction together: a warp.
    pub(super) warp: u64,
    /// Bytes of a line of the cache. In sequence a line is a word: the load of a packet counts four.
    line: u64,
    /// A byte of src or dst. All candidates move the same bytes; where these take long, instructions hide behind them.
    byte: f32,
    /// A line that a store touches, and fills a sector of it only in part.
    torn_line: f32,
    /// Another line that a store touches.
    whole_line: f32,
    /// A line that a load touches.
    loaded_line: f32,
    /// A line of a load from a table of parameters in storage.
    table_line: f32,
    /// An address beyond one of a load from the uniform block.
    uniform_address: f32,
    /// An operation.
    operation: f32,
    /// The start of an invocation.
    start: f32,
    /// A packet's way through workgroup memory and back.
    passed: f32,
    /// A dispatch beyond the first.
    dispatch: f32,
}

/// The terms of the model that was fitted to an H200 (`benches/table/src/model.rs`). A packet passes four rounds of
/// workgroup memory's banks each way.
const IN_STEP: Weights = Weights {
    warp: 32,
    line: 128,
    byte: 0.265,
    torn_line: 29.9,
    whole_line: 10.8,
    loaded_line: 6.7,
    table_line: 6.5,
    uniform_address: 27.0,
    operation: 1.58,
    start: 102.0,
    passed: 34.0,
    dispatch: 2e6,
};

/// Fitted to the times of 1,426 candidates on lavapipe (Mesa 22.3.6, two cores, 4 MiB, 2026-11-26): half of them were within
/// 12 %, before rows and exact steps had terms of their own.
const IN_SEQUENCE: Weights = Weights {
    warp: 1,
    line: 4,
    byte: 360.0,
    // No store is torn: it costs the same either way.
    torn_line: 20.0,
    whole_line: 20.0,
    loaded_line: 4_600.0,
    table_line: 7_000.0,
    uniform_address: 0.0,
    operation: 100.0,
    start: 37_000.0,
    passed: 40_000.0,
    dispatch: 5e7,
};

/// The hypotenuse of two terms, which overlap in part. Unlike `hypot`, it gives the same number on every host.
fn both(a: f32, b: f32) -> f32 {
    (a * a + b * b).sqrt()
}

impl Weights {
    pub(super) const fn of(lanes: Lanes) -> &'static Self {
        match lanes {
            Lanes::InStep => &IN_STEP,
            Lanes::InSequence => &IN_SEQUENCE,
        }
    }

    pub(super) const fn in_sequence(&self) -> bool {
        self.warp == 1
    }

    /// What neighbours touch that take neighbouring indices of `loops`, the first loop fastest: `width` bytes each.
    /// `stride` returns the stride of a loop in bytes.
    pub(super) fn touched(&self, loops: &[Loop], width: usize, stride: impl Fn(&Loop) -> usize) -> Touched {
        // Pieces far apart, the bytes that each spans and whether it has no gap, and the lanes whose place is open.
        let (mut pieces, mut span, mut dense, mut lanes) = (1, width as u64, true, self.warp);
        for along in loops.iter().filter(|along| along.extent > 1) {
            if lanes == 1 {
                break;
            }
            let (stride, count) = (stride(along) as u64, along.extent.min(lanes));
            if stride >= self.line && stride > span {
                pieces *= count;
            } else {
                dense &= stride <= span;
                span += (count - 1) * stride;
            }
            lanes = lanes.div_ceil(count);
        }
        Touched { lines: pieces * self.lines(span), whole: dense && span.is_multiple_of(SECTOR) }
    }

    /// What neighbours touch that take adjacent packets.
    pub(super) const fn packets(&self) -> Touched {
        Touched { lines: self.lines(self.warp * PACKET as u64), whole: true }
    }

    /// The lines of adjacent bytes.
    pub(super) const fn lines(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.line)
    }

    /// What loads and stores cost that touch such lines.
    pub(super) fn traffic(&self, loads: u64, stores: u64, touched: [Touched; 2]) -> f32 {
        let [src, dst] = touched;
        let of_dst = if dst.whole { self.whole_line } else { self.torn_line };
        both(self.loaded_line * (loads * src.lines) as f32, of_dst * (stores * dst.lines) as f32)
    }
}

/// Operations that clamp an element, as `wgsl-sanitizer` counts them in the texts.
pub(super) fn of_element(task: &Task) -> f32 {
    let Arithmetic { source, dtype, step, .. } = task.arithmetic;
    let of_step = match (step, dtype) {
        (AffineStep::None, _) => 2.0,
        (AffineStep::Fast, _) => 6.0,
        (AffineStep::Fixed, _) => 5.0,
        (AffineStep::Halves, _) => 12.0,
        (AffineStep::Thirds, _) => 18.0,
        (AffineStep::Quarters, _) => 23.0,
        (AffineStep::Exact, DType::F64) => 430.0,
        (AffineStep::Exact, DType::I64 | DType::U64) => 130.0,
        (AffineStep::Exact, DType::I32 | DType::U32) => 60.0,
        (AffineStep::Exact, _) => 112.0,
    };
    let of_half = if task.converts_f16_by_device() { 6.0 } else { 15.0 };
    let of_sides = [source, dtype].map(|side| match side {
        DType::F16 if task.arithmetic.converts_f16() => of_half,
        DType::F64 | DType::I64 | DType::U64 => 8.0,
        _ => 0.0,
    });
    let to_integer = if source.is_float() && !dtype.is_float() { 3.0 } else { 0.0 };
    of_step + of_sides[SRC] + of_sides[DST] + to_integer
}

/// What one access of a warp touches.
#[derive(Clone, Copy)]
pub(super) struct Touched {
    pub(super) lines: u64,
    /// Whether it fills whole sectors.
    pub(super) whole: bool,
}

/// What a warp does, each invocation for one block or another number of elements.
#[derive(Default)]
pub(super) struct Work {
    /// Elements of an invocation.
    pub(super) elements: usize,
    /// Bytes of an element of src and of an element of dst, together.
    pub(super) bytes: usize,
    /// What its loads and stores cost, see [`Weights::traffic`].
    pub(super) traffic: f32,
    /// Lines of loads from a table of parameters.
    pub(super) table_lines: f32,
    /// Addresses beyond one of loads from the uniform block.
    pub(super) uniform_addresses: f32,
    /// Operations of an invocation.
    pub(super) operations: f32,
    /// Packets that an invocation passes through workgroup memory.
    pub(super) passed: f32,
}

impl Work {
    /// What the work costs per element: the fourth root of `memory⁴ + instructions⁴`, where `memory` is the hypotenuse of bytes,
    /// traffic and numbers, and `instructions` that of operations, starts and passed packets. `dispatches`: those beyond the first, for `all` elements. `idle`: all invocations
    /// per invocation with a block.
    pub(super) fn cost(&self, weights: &Weights, dispatches: f32, all: usize, idle: f32) -> f32 {
        let elements = (self.elements as u64 * weights.warp) as f32;
        let bytes = weights.byte * elements * self.bytes as f32;
        let numbers =
            weights.table_line * self.table_lines + weights.uniform_address * self.uniform_addresses;
        let memory = both(both(bytes, self.traffic), numbers);
        let operations = both(weights.operation * self.operations, weights.start);
        let instructions = both(operations, weights.passed * self.passed);
        // Memory and instructions overlap almost wholly: a root of the sum of fourth powers.
        let of_warp = both(memory * memory, instructions * instructions).sqrt();
        idle * of_warp / elements + weights.dispatch * dispatches / all as f32
    }
}
