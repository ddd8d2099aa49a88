//! A list of dispatches on every device, in both orders.

use crate::memory::Stored;
use crate::{Device, Dispatch, Finding, Freedoms, Kind, Memory, Order, Source};

/// What one device makes of a list of dispatches.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The device.
    pub device: Device,
    /// The buffers afterwards.
    pub buffers: Vec<Memory>,
    /// What is wrong; a few at most.
    pub findings: Vec<Finding>,
}

impl Outcome {
    /// What stored a byte of a buffer last: which of `dispatches`, and where in its program; `None` if nothing did.
    #[must_use]
    pub fn stored_by(
        &self,
        dispatches: &[Dispatch<'_>],
        buffer: usize,
        byte: u64,
    ) -> Option<(usize, Source)> {
        let Stored { dispatch, site, invocation } = self.buffers[buffer].stored(byte / 4)?;
        let n = dispatch as usize - 1;
        let Dispatch { program, grid, .. } = dispatches.get(n)?;
        Some((n, program.source(site, *grid, invocation)))
    }
}

/// Runs the dispatches one after the other on copies of `buffers`: on every device that makes a difference to one of the
/// programs, in both orders of invocations.
#[must_use]
pub fn everywhere(dispatches: &[Dispatch<'_>], buffers: &[Memory]) -> Vec<Outcome> {
    let freedoms = dispatches.iter().fold(Freedoms::default(), |all, one| all.or(one.program.freedoms()));
    freedoms.devices().into_iter().map(|device| on_device(device, dispatches, buffers)).collect()
}

fn on_device(device: Device, dispatches: &[Dispatch<'_>], buffers: &[Memory]) -> Outcome {
    let in_order = |order| {
        let mut buffers = buffers.to_vec();
        buffers.iter_mut().for_each(Memory::forget);
        let mut findings = Vec::new();
        for Dispatch { program, grid, bindings } in dispatches {
            findings.extend(program.run(device, order, *grid, bindings, &mut buffers));
        }
        (buffers, findings)
    };
    let (buffers, mut findings) = in_order(Order::Forward);
    let (others, more) = in_order(Order::Backward);
    if findings.is_empty() {
        findings = more;
    }
    let differs = buffers.iter().zip(&others).position(|(a, b)| a != b);
    if let Some(n) = differs.filter(|_| findings.is_empty()) {
        let byte = buffers[n].first_difference(&others[n]).unwrap_or(0);
        findings.push(Finding {
            kind: Kind::Order,
            source: None,
            values: format!(
                "byte {byte} of buffer {n}: {:#x} or {:#x}",
                buffers[n].byte(byte),
                others[n].byte(byte)
            ),
        });
    }
    Outcome { device, buffers, findings }
}
