//! What `gather` costs, to print it beside the costs of blocks: it comes last among the candidates at any cost.

use super::UNITS;
use crate::MAX_RANK;
use crate::kernel::cost::{Weights, Work, of_element};
use crate::kernel::region::{DST, Region, SRC};
use crate::kernel::walk::Loop;
use crate::kernel::{Task, WORD};

/// Operations that find the place of an invocation, those of a unit and those of an element.
const PLACE: f32 = 60.0;
const PER_UNIT: f32 = 15.0;
const PER_ELEMENT: f32 = 30.0;
/// Operations that look up an element's channel.
const PER_LOOK_UP: f32 = 20.0;

/// What `gather` costs per element of a region.
#[expect(clippy::cast_precision_loss, reason = "an invocation takes a few elements")]
pub(in crate::kernel) fn cost(task: &Task, region: &Region) -> f32 {
    let weights = Weights::of(task.limits.lanes);
    let sizes = task.arithmetic.sizes();
    // An invocation takes some units, and loads and clamps each element by itself. The units of a row that begins anywhere
    // have one more.
    let per_word = WORD.div_ceil(sizes[DST]);
    let dims = region.dims();
    let row =
        dims.last().filter(|dim| dim.dst == 1 && !dim.channels).map_or(1, |dim| dim.extent.min(1 << 16));
    let same = region.aligned(DST, per_word, &dims[..dims.len().saturating_sub(1)]);
    let units = if same { row.div_ceil(per_word) } else { (row + 2 * (per_word - 1)).div_ceil(per_word) };
    let elements = (UNITS as usize * row / units).max(1);
    let mut all = [Loop::ONCE; MAX_RANK];
    let loops = &mut all[..dims.len()];
    for (along, dim) in loops.iter_mut().zip(dims.iter().rev()) {
        *along = Loop::of(dim, dim.extent);
    }
    if let Some(first) = loops.first_mut() {
        *first = first.in_steps(elements as u64);
    }
    let touched = [SRC, DST].map(|side| {
        let stride = |along: &Loop| [along.src, along.dst][side].unsigned_abs().saturating_mul(sizes[side]);
        weights.touched(loops, WORD, stride)
    });
    let look_ups = if task.channels > 1 { elements } else { 0 };
    let work = Work {
        elements,
        bytes: sizes[SRC] + sizes[DST],
        traffic: weights.traffic(elements as u64, UNITS, touched),
        uniform_addresses: look_ups as f32,
        operations: PLACE
            + (PER_ELEMENT + of_element(task)) * elements as f32
            + PER_LOOK_UP * look_ups as f32
            + PER_UNIT * UNITS as f32,
        ..Work::default()
    };
    work.cost(weights, 0.0, region.len(), 1.0)
}
