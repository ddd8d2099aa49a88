//! What the warps of a GPU do in a list of dispatches.

use crate::Device;
use crate::execute::execute;
use crate::memory::Memory;
use crate::module::{Dispatch, Order};
use crate::profile::{Counts, Profiler};

/// Executes about `batches` times 64 invocations of each dispatch, spread over all of it, and scales their counts to the
/// whole dispatch. `buffers` hold what the dispatches load.
///
/// # Panics
///
/// As [`everywhere`](crate::everywhere).
#[must_use]
pub fn counts(dispatches: &[Dispatch<'_>], buffers: &[Memory], batches: u64) -> Vec<Counts> {
    let mut buffers = buffers.to_vec();
    let device = Device::all().next().expect("there is a device");
    let of_dispatch = |dispatch: &Dispatch<'_>| {
        let mut profiler = Profiler::of(batches);
        execute(dispatch, device, Order::Forward, &mut buffers, Some(&mut profiler));
        let of_workgroup = dispatch.program.code.workgroup_size;
        profiler.scaled(dispatch.grid.iter().chain(&of_workgroup).map(|n| f64::from(*n)).product())
    };
    dispatches.iter().map(of_dispatch).collect()
}
