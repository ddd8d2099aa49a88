//! Every golden record, on the reference and on every adapter.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use wgpu_clamp::standards::onnx::Bounds;
use wgpu_clamp::{Bound, Clamp, Error};

use crate::exceptions::{self, Reason};
use crate::golden::{Record, records};
use crate::harness::{Gpu, gpus};
use crate::run::{on_gpu, on_reference};

/// The clamp of a record, by the standard's own constructor. `None`: a constructor's arguments cannot say it.
fn clamp(record: &Record) -> Option<Result<Clamp, Error>> {
    let float = |bits: Option<u64>| bits.map(|bits| f32::from_bits(u32::try_from(bits).unwrap()));
    let input = |bits: Option<u64>| bits.map_or(Bound::Absent, Bound::Value);
    if record.id.contains("bound-shape") {
        return None; // A bound is a scalar here.
    }
    Some(match (record.file.split('-').next().unwrap(), record.opset) {
        ("onnxruntime" | "onnx", Some(opset @ 11..)) => {
            let bounds = Bounds::Inputs { min: input(record.min), max: input(record.max) };
            Clamp::onnx(opset, record.dtype, bounds)
        }
        ("onnxruntime", Some(opset)) => {
            let bounds = Bounds::Attributes { min: float(record.min), max: float(record.max) };
            Clamp::onnx(opset, record.dtype, bounds)
        }
        ("openvino", None) => {
            Clamp::openvino(record.dtype, f64::from_bits(record.min?), f64::from_bits(record.max?))
        }
        // Both attributes are required: a constructor without one does not exist.
        ("onednn", None) => Clamp::onednn(record.dtype, float(record.min)?, float(record.max)?),
        other => panic!("no standard for {other:?}"),
    })
}

/// Holds an output to the record's.
fn compare(record: &Record, got: &[u64], exception: Option<Reason>, who: &str) {
    let y = record.y.as_ref().unwrap();
    let mut differs = false;
    for (i, ((&x, &expected), &got)) in record.x.iter().zip(y).zip(got).enumerate() {
        if expected == got || record.deviates.contains(&i) {
            continue;
        }
        differs = true;
        let explained = exception.is_some_and(|reason| reason.explains(record.dtype, x, expected, got));
        assert!(
            explained,
            "{} {} element {i}: {x:#x} became {got:#x} on {who}, the system has {expected:#x}; {exception:?}",
            record.file, record.id
        );
    }
    assert_eq!(
        differs,
        exception.is_some(),
        "{} {} on {who}: the exception {exception:?} has no difference",
        record.file,
        record.id
    );
}

/// The adapters' results for one clamp; at opset 11 and later with bounds on the GPU as well.
fn each_gpu(record: &Record, clamp: &Clamp, mut see: impl FnMut(&Gpu, Vec<u64>)) {
    let flat = [record.x.len()];
    let shape = if record.shape.len() > 8 { &flat[..] } else { &record.shape };
    for gpu in gpus() {
        see(gpu, on_gpu(gpu, clamp, &record.x, shape, false));
        if record.opset.is_some_and(|opset| opset >= 11) {
            see(gpu, on_gpu(gpu, clamp, &record.x, shape, true));
        }
    }
}

/// What became of the records of one standard, version and dtype.
#[derive(Default)]
struct Count {
    equal: usize,
    excepted: usize,
    rejected: usize,
    gaps: usize,
    inexpressible: usize,
    flattened: usize,
}

#[test]
fn every_golden_record_is_met_or_excepted() {
    let mut counts: BTreeMap<(String, String), Count> = BTreeMap::new();
    let mut exceptions = exceptions::all();
    for record in records() {
        let count = counts.entry((record.file.clone(), record.dtype.to_string())).or_default();
        let exception = exceptions.remove(&(record.file.clone(), record.id.clone()));
        let Some(clamp) = clamp(&record) else {
            assert!(record.y.is_none(), "{} {}", record.file, record.id);
            count.inexpressible += 1;
            continue;
        };
        let clamp = match clamp {
            Ok(clamp) => clamp,
            Err(error) => {
                assert!(record.y.is_none(), "{} {}: {error}", record.file, record.id);
                assert!(is_rejection(&record, &error), "{} {}: {error}", record.file, record.id);
                count.rejected += 1;
                continue;
            }
        };
        count.flattened += usize::from(record.shape.len() > 8);
        let reference = on_reference(&clamp, &record.x);
        if record.y.is_none() {
            // A gap of that runtime alone: computed by the rules, which the reference has.
            each_gpu(&record, &clamp, |gpu, got| assert_eq!(got, reference, "{} on {}", record.id, gpu.name));
            count.gaps += 1;
            continue;
        }
        compare(&record, &reference, exception, "the reference");
        each_gpu(&record, &clamp, |gpu, got| compare(&record, &got, exception, &gpu.name));
        if exception.is_some() {
            count.excepted += 1;
        } else {
            count.equal += 1;
        }
    }
    assert!(exceptions.is_empty(), "exceptions without a record: {:?}", exceptions.keys());
    publish(&table(&counts));
}

/// Whether the error is the one that the standard's table of rejections asks for.
fn is_rejection(record: &Record, error: &Error) -> bool {
    match error {
        Error::DTypeNotInStandard { dtype, .. } => *dtype == record.dtype,
        Error::NanBound { .. } => record.id.contains("nan"),
        Error::CrossedBounds { min, max, .. } => min > max && record.id.contains("inver"),
        _ => false,
    }
}

fn table(counts: &BTreeMap<(String, String), Count>) -> String {
    let mut table = String::from(
        "| system | dtype | equal | excepted | rejected alike | gaps of the runtime | not expressible | of these flattened |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let mut total = Count::default();
    for ((file, dtype), c) in counts {
        writeln!(
            table,
            "| {file} | {dtype} | {} | {} | {} | {} | {} | {} |",
            c.equal, c.excepted, c.rejected, c.gaps, c.inexpressible, c.flattened
        )
        .unwrap();
        total.equal += c.equal;
        total.excepted += c.excepted;
        total.rejected += c.rejected;
        total.gaps += c.gaps;
        total.inexpressible += c.inexpressible;
        total.flattened += c.flattened;
    }
    writeln!(
        table,
        "| all | | {} | {} | {} | {} | {} | {} |",
        total.equal, total.excepted, total.rejected, total.gaps, total.inexpressible, total.flattened
    )
    .unwrap();
    table
}

/// Prints the table and holds `tests/data/CONFORMANCE.md` to it. `WGPU_CLAMP_UPDATE=1` writes the file.
#[expect(clippy::explicit_write, reason = "the test runner swallows what `println` writes")]
fn publish(table: &str) {
    writeln!(std::io::stdout(), "\n{table}").unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/CONFORMANCE.md");
    let text = format!(
        "# Records of real systems\n\nWritten by the conformance tests, which also hold this file to what they count.\n\n{table}"
    );
    if std::env::var_os("WGPU_CLAMP_UPDATE").is_some_and(|value| value == "1") {
        std::fs::write(&path, text).unwrap();
    } else {
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "WGPU_CLAMP_UPDATE=1 writes the file anew");
    }
}
