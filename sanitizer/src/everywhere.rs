//! Runs a list of dispatches on every device, in several orders.

use crate::memory::Stored;
use crate::{Device, Dispatch, Finding, Freedoms, Kind, Memory, Order, Source};

/// The result of a list of dispatches on one device.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The device.
    pub device: Device,
    /// The buffers afterwards.
    pub buffers: Vec<Memory>,
    /// What is wrong: a few findings per dispatch at most.
    pub findings: Vec<Finding>,
}

impl Outcome {
    /// The source of the last store to the word of a byte, with the index of its dispatch; `None` if no dispatch
    /// stored there.
    #[must_use]
    pub fn stored_by(&self, dispatches: &[Dispatch<'_>], buffer: usize, byte: u64) -> Option<Source> {
        let Stored { dispatch, site, invocation } = self.buffers[buffer].stored(byte / 4)?;
        let dispatch = dispatch as usize - 1;
        let Dispatch { program, grid, .. } = dispatches.get(dispatch)?;
        Some(Source { dispatch, ..program.source(site, *grid, invocation) })
    }
}

/// Runs the dispatches one after the other on copies of `buffers`: on every device that makes a difference, in two
/// orders of invocations, or in three with atomics. An outcome stands for all devices that do the same.
#[must_use]
pub fn everywhere(dispatches: &[Dispatch<'_>], buffers: &[Memory]) -> Vec<Outcome> {
    let freedoms = dispatches.iter().fold(Freedoms::default(), |all, one| all.or(one.program.freedoms()));
    let mut outcomes: Vec<(Outcome, Freedoms)> = Vec::new();
    for device in freedoms.devices() {
        if outcomes.iter().all(|(outcome, met)| met.tell_apart(outcome.device, device)) {
            outcomes.push(on_device(device, dispatches, buffers));
        }
    }
    outcomes.into_iter().map(|(outcome, _)| outcome).collect()
}

/// Returns a device's outcome and the choices that made a difference.
fn on_device(device: Device, dispatches: &[Dispatch<'_>], buffers: &[Memory]) -> (Outcome, Freedoms) {
    let mut met = Freedoms::default();
    let mut in_order = |order| {
        let mut buffers = buffers.to_vec();
        buffers.iter_mut().for_each(Memory::forget);
        let mut findings = Vec::new();
        for (n, Dispatch { program, grid, bindings }) in dispatches.iter().enumerate() {
            let (mut found, differences) = program.run(device, order, *grid, bindings, &mut buffers);
            found
                .iter_mut()
                .filter_map(|finding| finding.source.as_mut())
                .for_each(|source| source.dispatch = n);
            findings.extend(found);
            met = met.or(differences);
        }
        (buffers, findings)
    };
    let (buffers, mut findings) = in_order(Order::Forward);
    let scattered = dispatches.iter().any(|one| one.program.has_atomics()).then_some(Order::Scattered);
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
        let values = format!("byte {byte} of buffer {n}: {:#x} or {:#x}", a.byte(byte), b.byte(byte));
        Some(Finding { kind: Kind::Order, source: None, values })
    };
    buffers.iter().zip(others).enumerate().find_map(differ)
}
