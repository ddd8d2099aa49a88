//! Judges whether a result is the one that a record demands.

use anyhow::{Context as _, Result, bail, ensure};
use wgpu_clamp::{Clamp, Error, reference};

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

/// A clamp to run.
pub struct Job<'a> {
    pub clamp: Clamp,
    /// The clamp with all bounds on the host.
    pub on_host: Clamp,
    pub shape: &'a [usize],
    pub x: &'a [u64],
}

/// Runs a job; returns the elements of the result.
pub type Run<'a> = &'a dyn Fn(&Job) -> Result<Vec<u64>>;

/// Runs a job on the CPU reference.
pub fn on_reference(job: &Job) -> Result<Vec<u64>> {
    Ok(job.x.iter().map(|&x| reference::element(&job.on_host, x)).collect::<Result<_, _>>()?)
}

/// Runs a record and judges the result. `on_gpu`: whether the bounds lie on the GPU.
pub fn judge(record: &Record, run: Run, on_gpu: bool) -> Result<Verdict> {
    let Record { file, id, .. } = record;
    let place = if on_gpu { "GPU" } else { "host" };
    verdict(record, run, on_gpu).with_context(|| format!("{file} {id}, bounds on the {place}"))
}

fn verdict(record: &Record, run: Run, on_gpu: bool) -> Result<Verdict> {
    let Some(expected) = &record.y else {
        // The runtime and the crate refuse what the standard rejects; `tests/standards` has the messages.
        return match rules::construct(record, on_gpu) {
            None | Some(Err(Error::Standard { .. })) => Ok(Verdict::Refused),
            other => bail!("must be refused, but is {other:?}"),
        };
    };
    let made = |on_gpu| rules::construct(record, on_gpu).context("the standard requires both bounds");
    let (clamp, on_host) = (made(on_gpu)??, made(false)??);
    let got = run(&Job { clamp, on_host, shape: &record.shape, x: &record.x })?;
    ensure!(got.len() == expected.len(), "{} elements, not {}", got.len(), expected.len());
    let exception = exceptions::of(record);
    let mut differing = 0;
    for (i, (&x, (&ours, &theirs))) in record.x.iter().zip(got.iter().zip(expected)).enumerate() {
        if ours == theirs || record.deviates.contains(&i) {
            continue;
        }
        differing += 1;
        ensure!(
            exception.is_some_and(|exception| (exception.covers)(&on_host, [x, ours, theirs])),
            "element {i}: {x:#x} became {ours:#x}, expected {theirs:#x}, by {on_host:?}, and no exception covers it"
        );
    }
    ensure!(differing > 0 || exception.is_none(), "the result equals the runtime's, so it is no exception");
    Ok(if differing > 0 { Verdict::Excepted } else { Verdict::Equal })
}
