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
    /// Equal, run as a tensor of one dimension: the record's shape has more than 8.
    HighRank,
    /// Equal; another record has the same data.
    SameData,
    /// Different exactly as the exception says.
    Excepted,
    /// Rejected by the standard and by the crate.
    Refused,
    /// The runtime gave no output though the standard defines one. The result follows the standard's rules.
    Gap,
    /// About the shape of a bound. A bound of this crate is one element, so there is nothing to call.
    BoundShape,
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
    elements(&job.on_host, job.x)
}

fn elements(clamp: &Clamp, x: &[u64]) -> Result<Vec<u64>> {
    Ok(x.iter().map(|&x| reference::element(clamp, x)).collect::<Result<_, _>>()?)
}

/// Runs a record and judges the result. `on_gpu`: whether the bounds lie on the GPU.
pub fn judge(record: &Record, run: Run, on_gpu: bool) -> Result<Verdict> {
    let Record { file, id, .. } = record;
    let place = if on_gpu { "GPU" } else { "host" };
    verdict(record, run, on_gpu).with_context(|| format!("{file} {id}, bounds on the {place}"))
}

fn verdict(record: &Record, run: Run, on_gpu: bool) -> Result<Verdict> {
    if record.is_bound_shape {
        return Ok(Verdict::BoundShape);
    }
    if !rules::is_a_call(record) {
        ensure!(
            record.y.is_none(),
            "the runtime computed a result without a bound that its standard requires"
        );
        return Ok(Verdict::Refused);
    }
    let clamp = rules::construct(record, on_gpu);
    if let Some(message) = rules::refusal(record) {
        ensure!(record.y.is_none(), "the runtime computed what its standard rejects ({message:?})");
        match clamp {
            Err(Error::Standard { standard, refusal })
                if standard == record.standard && refusal.to_string().starts_with(&message) => {}
            other => bail!("must be refused ({message:?}), but is {other:?}"),
        }
        return Ok(Verdict::Refused);
    }
    let (clamp, on_host) = (clamp?, rules::construct(record, false)?);
    let got = run(&Job { clamp, on_host, shape: &record.shape, x: &record.x })?;

    let expected = match &record.y {
        Some(y) => y.clone(),
        None => elements(&rules::stated(record), &record.x)?,
    };
    ensure!(got.len() == expected.len(), "{} elements, not {}", got.len(), expected.len());
    let exception = exceptions::of(record);
    let mut differing = 0;
    for (i, (&x, (&ours, &theirs))) in record.x.iter().zip(got.iter().zip(&expected)).enumerate() {
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
    Ok(match record {
        _ if differing > 0 => Verdict::Excepted,
        Record { y: None, .. } => Verdict::Gap,
        Record { is_repeated: true, .. } => Verdict::SameData,
        Record { shape, .. } if shape.len() > wgpu_clamp::MAX_RANK => Verdict::HighRank,
        _ => Verdict::Equal,
    })
}
