//! Records that real systems compute otherwise than their own text says, each with the reason. An exception whose
//! record no longer differs, or differs in another way, fails the tests.

use std::collections::BTreeMap;

use wgpu_clamp::DType;

/// Why an output differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// `oneDNN` returns +0 where the element or the bound was −0.
    PlusZero,
    /// ONNX Runtime (at opsets 6 and 11) and `OpenVINO` run F16 through f32, which quiets signalling NaNs.
    QuietNan,
    /// ONNX Runtime runs F16 at opset 11 through f32, whose largest number stands for an absent bound: ∞ stays.
    InfinityKept,
    /// `OpenVINO` rounds some BF16 bounds by truncation or twice through f32.
    BoundRounding,
    /// `OpenVINO` behaves like `MinWins` where converted integer bounds cross, as with (0.2, 0.8) or (−0.8, −0.2).
    CrossedAsMinWins,
}

impl Reason {
    /// Whether the reason covers one element: `x` became `got` here and `expected` in the system.
    pub fn explains(self, dtype: DType, x: u64, expected: u64, got: u64) -> bool {
        let mask = u64::MAX >> (64 - dtype.bits());
        let sign = 1 << (dtype.bits() - 1);
        match self {
            Self::PlusZero => expected == 0 && got == sign,
            Self::QuietNan => {
                let quiet = 1 << 9;
                dtype == DType::F16
                    && x & 0x7fff > 0x7c00
                    && got == x
                    && expected == x | quiet
                    && got != expected
            }
            Self::InfinityKept => {
                dtype == DType::F16 && x & 0x7fff == 0x7c00 && expected == x && got == x - 1
            }
            Self::BoundRounding => dtype == DType::BF16 && expected.abs_diff(got) == 1,
            // Max is one less than Min.
            Self::CrossedAsMinWins => expected == (got + 1) & mask,
        }
    }
}

/// File, reason, ids.
const EXCEPTIONS: &[(&str, Reason, &[&str])] = &[
    (
        "onednn-graph-3.9.1_clamp",
        Reason::PlusZero,
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
    (
        "onnxruntime-1.31.1_clip11",
        Reason::QuietNan,
        &[
            "f16/inf-lo",
            "f16/nan-min-inf",
            "f16/nan-max-inf",
            "f16/f16-max-round",
            "f16/fltmax",
            "f16/no-min-neginf",
        ],
    ),
    ("onnxruntime-1.31.1_clip11", Reason::InfinityKept, &["f16/no-max", "f16/no-min-nan"]),
    ("onnxruntime-1.31.1_clip6", Reason::QuietNan, &["f16/inf-lo", "f16/f16-max-round", "f16/fltmax"]),
    (
        "openvino-reference-2026.4.1_clamp1-float",
        Reason::QuietNan,
        &["f16/inf-lo", "f16/f16-max-round", "f16/fltmax"],
    ),
    (
        "openvino-reference-2026.4.1_clamp1-float",
        Reason::BoundRounding,
        &["bf16/inexact-1", "bf16/inexact-2", "bf16/equal-2", "bf16/beyond-bf16-max"],
    ),
    (
        "openvino-reference-2026.4.1_clamp1-int",
        Reason::CrossedAsMinWins,
        &["i8/frac-empty-neg", "i16/frac-empty-neg", "i32/frac-empty", "u16/frac-empty"],
    ),
];

/// The reason of each exception, by file and id.
pub fn all() -> BTreeMap<(String, String), Reason> {
    let mut all = BTreeMap::new();
    for &(file, reason, ids) in EXCEPTIONS {
        for &id in ids {
            assert!(all.insert((file.to_owned(), id.to_owned()), reason).is_none(), "{file} {id} twice");
        }
    }
    all
}
