//! Judges whether a result is what a record demands.

use wgpu_clamp::{Clamp, Number, Scalar, reference};

use crate::exceptions::{self, Reason};
use crate::golden::Record;
use crate::rules::{self, Refusal};

/// The outcome of a record that does not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Equal to the recorded output.
    Equal,
    /// Equal, run as a tensor of one dimension: the record's shape has more than 8.
    HighRank,
    /// Equal; the data is that of another record.
    SameData,
    /// Different exactly as the exception says.
    Excepted(Reason),
    /// Rejected by the standard and by the crate.
    Refused,
    /// The runtime gave no output though the standard defines one; equal to the standard's rules.
    Gap,
    /// About the shape of a bound. A bound of this crate is one element, so there is nothing to call.
    BoundShape,
}

/// A clamp to run. `slots` has the bits of the bounds that lie on the GPU.
pub struct Job<'a> {
    pub clamp: Clamp,
    /// The clamp with all bounds on the host.
    pub on_host: Clamp,
    pub slots: [u64; 2],
    pub shape: &'a [usize],
    pub x: &'a [u64],
}

/// Runs a clamp; returns its elements, or a description of what is wrong.
pub type Run<'a> = &'a dyn Fn(&Job) -> Result<Vec<u64>, String>;

/// Runs a job on the CPU reference.
#[expect(clippy::unnecessary_wraps, reason = "it has the signature of every `Run`")]
pub fn on_reference(job: &Job) -> Result<Vec<u64>, String> {
    Ok(job.x.iter().map(|&x| reference::element(&job.on_host, x)).collect())
}

/// Runs a record and judges the result. `on_gpu`: whether the bounds lie on the GPU.
pub fn judge(record: &Record, run: Run, on_gpu: bool) -> Result<Verdict, String> {
    let case = format!("{} {}", record.file, record.id);
    if record.is_bound_shape {
        return Ok(Verdict::BoundShape);
    }
    if let Some(refusal) = Refusal::of(record) {
        return refused(record, refusal, on_gpu).map_err(|error| format!("{case}: {error}"));
    }
    let construct = |on_gpu| rules::construct(record, on_gpu).map_err(|error| format!("{case}: {error}"));
    let (clamp, on_host) = (construct(on_gpu)?, construct(false)?);
    let slots = [record.min, record.max].map(Option::unwrap_or_default);
    let job = Job { clamp, on_host, slots, shape: &record.shape, x: &record.x };
    let got = run(&job).map_err(|error| format!("{case}: {error}"))?;

    let gap = record.y.is_err().then(|| {
        let stated = rules::stated(record);
        record.x.iter().map(|&x| reference::element(&stated, x)).collect()
    });
    let expected =
        gap.as_ref().unwrap_or_else(|| record.y.as_ref().expect("an output where there is no gap"));
    let differing: Vec<usize> = (0..expected.len().max(got.len()))
        .filter(|i| got.get(*i) != expected.get(*i) && !record.deviates.contains(i))
        .collect();
    let mismatch = |i: usize| {
        let hex = |bits: Option<&u64>| bits.map_or("nothing".to_owned(), |bits| format!("{bits:#x}"));
        let [x, y, got] = [&record.x, expected, &got].map(|list| hex(list.get(i)));
        let place = if on_gpu { "GPU" } else { "host" };
        let others = differing.len() - 1;
        format!(
            "{case}, element {i}: {x} became {got}, expected {y} ({others} others differ; bounds on the \
             {place}, {on_host:?})"
        )
    };
    match (exceptions::of(record), differing.first()) {
        (None, None) if gap.is_some() => Ok(Verdict::Gap),
        (None, None) if record.same_as.is_some() => Ok(Verdict::SameData),
        (None, None) if record.shape.len() > wgpu_clamp::MAX_RANK => Ok(Verdict::HighRank),
        (None, None) => Ok(Verdict::Equal),
        (None, Some(&i)) => Err(mismatch(i)),
        (Some(reason), None) => Err(format!("{case}: no longer differs, so it is no exception ({reason:?})")),
        (Some(reason), Some(_)) => {
            let covered = |i: usize| reason.covers(&on_host, record.x[i], got[i], expected[i]);
            match differing.iter().find(|&&i| !covered(i)) {
                None => Ok(Verdict::Excepted(reason)),
                Some(&i) => Err(format!("{}; the exception ({reason:?}) does not cover it", mismatch(i))),
            }
        }
    }
}

fn refused(record: &Record, refusal: Refusal, on_gpu: bool) -> Result<Verdict, String> {
    if record.y.is_ok() {
        return Err(format!("the runtime computed what its standard rejects ({refusal:?})"));
    }
    if refusal == Refusal::Absent {
        return Ok(Verdict::Refused);
    }
    match rules::construct(record, on_gpu) {
        Err(error) if refusal.is_said_by(&error, record) => Ok(Verdict::Refused),
        other => Err(format!("must be refused ({refusal:?}), but is {other:?}")),
    }
}

/// The bits of a bound on the host.
pub fn bits(bound: Number) -> Option<u64> {
    bound.value().map(Scalar::bits)
}
