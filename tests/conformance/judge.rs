//! Judges whether a result is the one that a record demands.

use anyhow::{Context as _, Result, bail, ensure};
use wgpu_clamp::{Error, reference};

use crate::exceptions;
use crate::golden::Record;
use crate::rules;

/// The outcome of a record that does not fail, in the order of the columns of `CONFORMANCE.md`.
#[derive(Clone, Copy, Debug)]
pub enum Verdict {
    /// Equal to the recorded output.
    Equal,
    /// Different exactly as the exception says.
    Excepted,
    /// Rejected by the standard, by the runtime and by the crate.
    Refused,
}

/// Judges the result of a record on the CPU reference, to which the other tests hold the GPU.
pub fn judge(record: &Record) -> Result<Verdict> {
    verdict(record).with_context(|| format!("{} {}", record.file, record.id))
}

fn verdict(record: &Record) -> Result<Verdict> {
    let Some(expected) = &record.y else {
        // The runtime and the crate refuse what the standard rejects; `tests/standards` has the messages.
        return match rules::construct(record) {
            None | Some(Err(Error::Standard { .. })) => Ok(Verdict::Refused),
            other => bail!("must be refused, but is {other:?}"),
        };
    };
    let clamp = rules::construct(record).context("the standard requires both bounds")??;
    let got = record.x.iter().map(|&x| reference::element(&clamp, x)).collect::<Result<Vec<u64>, _>>()?;
    ensure!(got.len() == expected.len(), "{} elements, not {}", got.len(), expected.len());
    let exception = exceptions::of(record);
    let mut differing = 0;
    for (i, (&x, (&ours, &theirs))) in record.x.iter().zip(got.iter().zip(expected)).enumerate() {
        if ours == theirs || record.deviates.contains(&i) {
            continue;
        }
        differing += 1;
        ensure!(
            exception.is_some_and(|exception| (exception.covers)(&clamp, [x, ours, theirs])),
            "element {i}: {x:#x} became {ours:#x}, expected {theirs:#x}, by {clamp:?}, and no exception covers it"
        );
    }
    ensure!(differing > 0 || exception.is_none(), "the result equals the runtime's, so it is no exception");
    Ok(if differing > 0 { Verdict::Excepted } else { Verdict::Equal })
}
