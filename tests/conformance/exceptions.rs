//! Cases in which a runtime differs from the text of its standard. This crate follows the text.

use wgpu_clamp::{Clamp, DType, Scalar};

use crate::golden::Record;

/// Records whose output the crate need not equal, for one reason.
pub struct Exception {
    pub reason: &'static str,
    /// Whether the reason explains these bits: an element, its result here, and its result in the runtime.
    pub covers: fn(&Clamp, [u64; 3]) -> bool,
    /// Files, each with the ids of its records. The crate must differ from each of these records.
    pub records: &'static [(&'static str, &'static str)],
}

/// The exception that lists a record.
pub fn of(record: &Record) -> Option<&'static Exception> {
    let lists = |(file, ids): &(&str, &str)| *file == record.file && ids.split(' ').any(|id| id == record.id);
    EXCEPTIONS.iter().find(|exception| exception.records.iter().any(lists))
}

/// The bits of min and max.
fn bounds(clamp: &Clamp) -> [Option<u64>; 2] {
    [clamp.min(), clamp.max()].map(|bound| bound.value().map(Scalar::bits))
}

pub static EXCEPTIONS: [Exception; 5] = [
    Exception {
        reason: "F16 goes through f32, which quiets a signaling NaN; an element that no bound replaces keeps its bits",
        covers: |clamp, [x, ours, theirs]| {
            let signaling = clamp.dtype() == DType::F16 && x & 0x7e00 == 0x7c00 && x & 0x1ff != 0;
            signaling && ours == x && theirs == x | 0x200
        },
        records: &[
            ("onnxruntime-1.31.1_clip6.jsonl", "f16/inf-lo f16/f16-max-round f16/fltmax"),
            (
                "onnxruntime-1.31.1_clip11.jsonl",
                "f16/inf-lo f16/nan-min-inf f16/nan-max-inf f16/f16-max-round f16/fltmax f16/no-min-neginf",
            ),
            ("openvino-reference-2026.4.1_clamp1-float.jsonl", "f16/inf-lo f16/f16-max-round f16/fltmax"),
        ],
    },
    Exception {
        reason: "F16 goes through f32, so ±∞ passes an absent bound, which is the largest finite F16",
        covers: |clamp, [x, ours, theirs]| {
            clamp.dtype() == DType::F16 && x & 0x7fff == 0x7c00 && ours == x - 1 && theirs == x
        },
        records: &[("onnxruntime-1.31.1_clip11.jsonl", "f16/no-max f16/no-min-nan")],
    },
    Exception {
        reason: "OpenVINO truncates some bounds of BF16, or rounds them twice; the crate rounds once, to nearest",
        covers: |clamp, [_, ours, theirs]| {
            let replaced = bounds(clamp).contains(&Some(ours));
            clamp.dtype() == DType::BF16 && replaced && ours.abs_diff(theirs) == 1
        },
        records: &[(
            "openvino-reference-2026.4.1_clamp1-float.jsonl",
            "bf16/inexact-1 bf16/inexact-2 bf16/equal-2 bf16/beyond-bf16-max",
        )],
    },
    Exception {
        reason: "OpenVINO gives Min where only rounding makes bounds cross; by the specification's formula Max wins",
        covers: |clamp, [_, ours, theirs]| bounds(clamp) == [Some(theirs), Some(ours)],
        records: &[(
            "openvino-reference-2026.4.1_clamp1-int.jsonl",
            "i8/frac-empty-neg i16/frac-empty-neg i32/frac-empty u16/frac-empty",
        )],
    },
    Exception {
        reason: "oneDNN gives +0 for an element or bound of −0; a bound replaces no equal element, and keeps its bits",
        covers: |clamp, [_, ours, theirs]| ours == 1 << (clamp.dtype().bits() - 1) && theirs == 0,
        records: &[(
            "onednn-graph-3.9.1_clamp.jsonl",
            "f32/zero-2 f32/zero-3 f32/zero-4 f32/zero-6 f32/zero-8 f32/signed-zero-hpz f32/signed-zero-nzpz \
             f32/edge-shape-zero-16 bf16/zero-1 bf16/zero-4 bf16/zero-5 bf16/zero-6 bf16/zero-7 bf16/zero-8 \
             bf16/signed-zero-pz bf16/signed-zero-nz bf16/signed-zero-hnz bf16/signed-zero-pznz \
             bf16/edge-shape-zero-3 bf16/edge-shape-zero-1x1x1x3x1x1x1x2",
        )],
    },
];
