//! Compares the constructors of the five standards with their texts: dtypes, conversions of bounds, rejections. None
//! of this needs a GPU.

mod directml;
mod onednn;
mod onnx;
mod openvino;
mod refusals;
mod rounding;
mod webnn;

use std::collections::BTreeSet;

use wgpu_clamp::standards::Standard;
use wgpu_clamp::{Clamp, DType, Error, Number};

/// The bits of min and max, which must be values.
fn bounds(clamp: &Clamp) -> (u64, u64) {
    let bits = |bound: Number| bound.value().unwrap_or_else(|| panic!("{clamp}")).bits();
    (bits(clamp.min()), bits(clamp.max()))
}

/// The bits of min and max, which must be equal.
fn both(clamp: Result<Clamp, Error>) -> u64 {
    let (min, max) = bounds(&clamp.unwrap());
    assert_eq!(min, max);
    min
}

/// Asserts that `construct` takes exactly the dtypes in `accepted`, and refuses the others in the name of
/// `standard`.
fn assert_dtypes(standard: Standard, accepted: &str, construct: impl Fn(DType) -> Result<Clamp, Error>) {
    let accepted: BTreeSet<&str> = accepted.split(' ').collect();
    for dtype in DType::ALL {
        match construct(dtype) {
            Ok(clamp) => assert!(accepted.contains(dtype.name()) && clamp.dtype() == dtype, "{clamp}"),
            Err(Error::Standard { standard: by, refusal }) => {
                assert!(!accepted.contains(dtype.name()), "{refusal}");
                assert_eq!((by, refusal.argument), (standard, "dtype"));
                assert!(refusal.value.starts_with(&format!("{dtype} ")), "{refusal}");
                let takes = refusal.remedy.strip_prefix("it takes ").unwrap();
                let allowed: BTreeSet<_> = takes.split("; ").next().unwrap().split(", ").collect();
                assert_eq!(allowed, accepted);
            }
            other => panic!("{standard} of {dtype}: {other:?}"),
        }
    }
}

/// The message of a refusal.
fn said<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    result.unwrap_err().to_string()
}
