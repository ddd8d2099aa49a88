//! The kernel `words`, for any layouts, and for what lies beside the whole units of a stream. An invocation fills a word of
//! dst, or a larger element, element by element. The host's half of `kernel/words.wgsl`.

use super::region::DST;
use super::run::{Geometry, Runs};
use super::walk::BoundTile;
use super::{Dispatch, EntryPoint, Kernel, Launch, WORD};
use crate::arithmetic::Arithmetic;
use crate::fragment::{Fragment, fragment};

/// Elements of dst in a word; 1 for larger elements.
fn lanes(tile: &BoundTile<'_>) -> u64 {
    WORD.div_ceil(tile.task.arithmetic.sizes()[DST]) as u64
}

/// Launches all words of a tile.
pub(super) fn launch(tile: &BoundTile<'_>) -> Launch {
    let runs = Runs::of(tile, true);
    let mut geometry = runs.geometry(tile, None);
    let dispatch = dispatch(tile, &runs, &mut geometry, runs.touched(lanes(tile)), None);
    Launch::new(&geometry, vec![dispatch])
}

/// The dispatch for the words beside the units of `unit` elements, if there are any. `ends_within`: whether units
/// whose source does not lie in whole packets of src are left, too.
pub(super) fn beside(
    tile: &BoundTile<'_>,
    runs: &Runs,
    geometry: &mut Geometry,
    unit: usize,
    ends_within: bool,
) -> Option<Dispatch> {
    let count = runs.words_beside(unit as u64, lanes(tile), ends_within);
    (count > 0).then(|| dispatch(tile, runs, geometry, count, Some(unit as u32)))
}

/// The dispatch for `count` words of each run: all, or those beside a stream's units of so many elements.
fn dispatch(
    tile: &BoundTile<'_>,
    runs: &Runs,
    geometry: &mut Geometry,
    count: u64,
    beside: Option<u32>,
) -> Dispatch {
    let (share, grid) = runs.share(tile, count, turns(tile.task.limits.cpu));
    geometry.words = share;
    let [rank, depth] = runs.ranks();
    // Without a stream, `UNIT` is unused.
    let unit = ("UNIT", beside.unwrap_or(4));
    let (beside, steps) = (beside.is_some().into(), runs.step_channels().into());
    let constants = [rank, depth, unit, ("BESIDE", beside), ("STEPS_CHANNELS", steps)];
    let entry_point = EntryPoint::new("words", &constants);
    Dispatch { kernel: Kernel::Words, entry_point, grid }
}

/// The fragments of the kernel.
pub(super) fn fragments(arithmetic: Arithmetic) -> Vec<Fragment> {
    let [src, dst] = arithmetic.sizes();
    let mut fragments = vec![fragment!("kernel/walk"), fragment!("kernel/run"), fragment!("kernel/words")];
    if src <= WORD {
        // Atomics change a word that holds several elements of dst. If src lies in the same binding, atomics load it too.
        let access = if dst < WORD { fragment!("access/contended") } else { fragment!("access/plain") };
        fragments.extend([fragment!("access/load"), access]);
    } else {
        fragments.push(fragment!("access/load64"));
    }
    fragments.extend(match dst {
        1 | 2 => vec![fragment!("kernel/words_packed")],
        4 => vec![fragment!("kernel/words_whole"), fragment!("access/store32")],
        _ => vec![fragment!("kernel/words_whole"), fragment!("access/store64")],
    });
    fragments
}

/// Words that an invocation takes in turn.
pub(super) const fn turns(cpu: bool) -> u32 {
    if cpu { 4 } else { 1 }
}

/// The entry point.
pub(super) fn text(cpu: bool) -> String {
    let turns = turns(cpu);
    let mut lines = super::text::entry_point("words", cpu, turns);
    lines.push("    let at = place_in_runs(params.geometry.words, workgroup, invocation);".to_owned());
    if turns == 1 {
        lines.push("    take(at, 0u);".to_owned());
    } else {
        lines.push("    for (var turn = 0u; turn < TURNS; turn++) {".to_owned());
        lines.push("        take(at, turn);".to_owned());
        lines.push("    }".to_owned());
    }
    lines.push("}\n".to_owned());
    lines.join("\n")
}
