//! Runs a list of dispatches on every device, in several orders.

use crate::execute::execute;
use crate::memory::Stored;
use crate::module::Order;
use crate::{Device, Dispatch, Finding, Kind, Memory, Source};

/// The result of a list of dispatches on one device.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The device.
    pub device: Device,
    /// The buffers afterwards.
    pub buffers: Vec<Memory>,
    /// The faults. Each kind is reported at most once per line, whichever call led there; a dispatch has at most a few
    /// findings.
    pub findings: Vec<Finding>,
}

impl Outcome {
    /// The source of the last store to the word that has the byte, with the index of its dispatch; `None` if no
    /// dispatch stored there.
    #[must_use]
    pub fn stored_by(&self, dispatches: &[Dispatch<'_>], buffer: usize, byte: u64) -> Option<Source> {
        let Stored { dispatch, site, invocation } = self.buffers[buffer].stored(byte / 4)?;
        let dispatch = dispatch as usize - 1;
        let Dispatch { program, grid, .. } = dispatches.get(dispatch)?;
        Some(Source { dispatch, ..program.code.source(&program.wgsl, site, *grid, invocation) })
    }
}

/// Runs the dispatches one after the other on copies of `buffers`: on every device that makes a difference, in two
/// orders of invocations, or in three if a program has atomics. An outcome also stands for the devices that differ only
/// in choices without effect.
///
/// # Panics
///
/// If a resource has no binding; if a binding names a buffer that does not exist, reaches beyond its buffer or is not
/// of whole words; or if a dispatch has 2^32 - 2 invocations or more.
#[must_use]
pub fn everywhere(dispatches: &[Dispatch<'_>], buffers: &[Memory]) -> Vec<Outcome> {
    let mut outcomes: Vec<(Outcome, u8)> = Vec::new();
    for device in Device::all() {
        if outcomes.iter().all(|(outcome, met)| met & outcome.device.differences(device) != 0) {
            outcomes.push(run(device, dispatches, buffers));
        }
    }
    outcomes.into_iter().map(|(outcome, _)| outcome).collect()
}

/// As [`everywhere`], on one device.
#[must_use]
pub fn on_device(device: Device, dispatches: &[Dispatch<'_>], buffers: &[Memory]) -> Outcome {
    run(device, dispatches, buffers).0
}

/// Returns a device's outcome and the choices that made a difference.
fn run(device: Device, dispatches: &[Dispatch<'_>], buffers: &[Memory]) -> (Outcome, u8) {
    let mut met = 0;
    let mut in_order = |order| {
        let mut buffers = buffers.to_vec();
        buffers.iter_mut().for_each(Memory::forget);
        let mut findings = Vec::new();
        for (n, dispatch) in dispatches.iter().enumerate() {
            let (found, choices) = execute(dispatch, device, order, &mut buffers, None);
            let of_dispatch = |source| Source { dispatch: n, ..source };
            findings
                .extend(found.into_iter().map(|one| Finding { source: one.source.map(of_dispatch), ..one }));
            met |= choices;
        }
        (buffers, findings)
    };
    let (buffers, mut findings) = in_order(Order::Forward);
    let scattered = dispatches.iter().any(|one| one.program.code.has_atomics()).then_some(Order::Scattered);
    for order in [Order::Backward].into_iter().chain(scattered) {
        let (others, more) = in_order(order);
        if findings.is_empty() {
            findings = more;
        }
        if findings.is_empty() {
            findings.extend(differing(&buffers, &others));
        }
    }
    (Outcome { device, buffers, findings }, met)
}

/// A finding if buffers differ after two orders.
fn differing(buffers: &[Memory], others: &[Memory]) -> Option<Finding> {
    let differ = |(n, (a, b)): (usize, (&Memory, &Memory))| {
        let byte = a.first_difference(b)?;
        let [of_a, of_b] = [a, b].map(|memory| memory.load(byte / 4).to_le_bytes()[byte as usize % 4]);
        let values = format!("byte {byte} of buffer {n}: {of_a:#x} or {of_b:#x}");
        Some(Finding { kind: Kind::Order, source: None, values })
    };
    buffers.iter().zip(others).enumerate().find_map(differ)
}
