//! Cases in which a runtime differs from the text of its standard. This crate follows the text.

use wgpu_clamp::{Clamp, DType};

use crate::golden::Record;
use crate::judge::bits;

/// Why a runtime's output is not demanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    SignalingNan,
    InfinityKept,
    RoundedBound,
    CrossedIntegers,
    OneDnnZero,
}

impl Reason {
    pub const ALL: [Self; 5] =
        [Self::SignalingNan, Self::InfinityKept, Self::RoundedBound, Self::CrossedIntegers, Self::OneDnnZero];

    pub const fn text(self) -> &'static str {
        match self {
            Self::SignalingNan => {
                "F16 goes through f32, which quiets a signaling NaN; an element that no bound replaces keeps its bits"
            }
            Self::InfinityKept => {
                "F16 goes through f32, so that ±∞ passes an absent bound; it is the largest finite F16"
            }
            Self::RoundedBound => {
                "OpenVINO truncates some bounds of BF16, or rounds them twice; they are rounded to nearest, once"
            }
            Self::CrossedIntegers => {
                "OpenVINO gives Min where only the integer bounds cross; by the specification's formula Max wins"
            }
            Self::OneDnnZero => {
                "oneDNN gives +0 where the element or the bound is −0; equal numbers replace nothing, bounds keep their bits"
            }
        }
    }

    /// Whether this explains that `x` became `theirs` in the runtime and `ours` here.
    pub fn covers(self, clamp: &Clamp, x: u64, ours: u64, theirs: u64) -> bool {
        let (min, max) = (bits(clamp.min()), bits(clamp.max()));
        match self {
            Self::SignalingNan => {
                let signaling = clamp.dtype() == DType::F16 && x & 0x7e00 == 0x7c00 && x & 0x1ff != 0;
                signaling && ours == x && theirs == x | 0x200
            }
            Self::InfinityKept => {
                let infinite = clamp.dtype() == DType::F16 && x & 0x7fff == 0x7c00;
                infinite && ours == x - 1 && theirs == x
            }
            Self::RoundedBound => {
                let replaced = Some(ours) == min || Some(ours) == max;
                clamp.dtype() == DType::BF16 && replaced && ours.abs_diff(theirs) == 1
            }
            Self::CrossedIntegers => Some(ours) == max && Some(theirs) == min,
            Self::OneDnnZero => ours == 1 << (clamp.dtype().bits() - 1) && theirs == 0,
        }
    }
}

/// Why a record is listed as an exception, if it is.
pub fn of(record: &Record) -> Option<Reason> {
    let listed =
        |(file, _, ids): &&(&str, Reason, &[&str])| *file == record.file && ids.contains(&record.id.as_str());
    EXCEPTIONS.iter().find(listed).map(|(_, reason, _)| *reason)
}

/// File, reason, ids. A record that does not differ must not be here.
pub const EXCEPTIONS: &[(&str, Reason, &[&str])] = &[
    (
        "onnxruntime-1.31.1_clip6.jsonl",
        Reason::SignalingNan,
        &["f16/inf-lo", "f16/f16-max-round", "f16/fltmax"],
    ),
    (
        "onnxruntime-1.31.1_clip11.jsonl",
        Reason::SignalingNan,
        &[
            "f16/inf-lo",
            "f16/nan-min-inf",
            "f16/nan-max-inf",
            "f16/f16-max-round",
            "f16/fltmax",
            "f16/no-min-neginf",
        ],
    ),
    (
        "openvino-reference-2026.4.1_clamp1-float.jsonl",
        Reason::SignalingNan,
        &["f16/inf-lo", "f16/f16-max-round", "f16/fltmax"],
    ),
    ("onnxruntime-1.31.1_clip11.jsonl", Reason::InfinityKept, &["f16/no-max", "f16/no-min-nan"]),
    (
        "openvino-reference-2026.4.1_clamp1-float.jsonl",
        Reason::RoundedBound,
        &["bf16/inexact-1", "bf16/inexact-2", "bf16/equal-2", "bf16/beyond-bf16-max"],
    ),
    (
        "openvino-reference-2026.4.1_clamp1-int.jsonl",
        Reason::CrossedIntegers,
        &["i8/frac-empty-neg", "i16/frac-empty-neg", "i32/frac-empty", "u16/frac-empty"],
    ),
    (
        "onednn-graph-3.9.1_clamp.jsonl",
        Reason::OneDnnZero,
        &[
            "f32/zero-2",
            "f32/zero-3",
            "f32/zero-4",
            "f32/zero-6",
            "f32/zero-8",
            "f32/signed-zero-hpz",
            "f32/signed-zero-nzpz",
            "f32/edge-shape-zero-16",
            "bf16/zero-1",
            "bf16/zero-4",
            "bf16/zero-5",
            "bf16/zero-6",
            "bf16/zero-7",
            "bf16/zero-8",
            "bf16/signed-zero-pz",
            "bf16/signed-zero-nz",
            "bf16/signed-zero-hnz",
            "bf16/signed-zero-pznz",
            "bf16/edge-shape-zero-3",
            "bf16/edge-shape-zero-1x1x1x3x1x1x1x2",
        ],
    ),
];
