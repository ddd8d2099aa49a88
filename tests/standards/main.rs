//! Compares the constructors of the five standards with their texts: dtypes, conversions of bounds, rejections. None
//! of this needs a GPU.

mod directml;
mod messages;
mod onednn;
mod onnx;
mod openvino;
mod rounding;
mod webnn;

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
    let accepted: Vec<&str> = accepted.split(' ').collect();
    for dtype in DType::ALL {
        let result = construct(dtype);
        if accepted.contains(&dtype.name()) {
            assert_eq!(result.unwrap().dtype(), dtype);
            continue;
        }
        match result {
            Err(Error::Standard { standard: by, refusal }) => {
                assert_eq!(by, standard);
                assert_eq!(refusal.argument, "dtype");
                assert!(refusal.value.starts_with(&format!("{dtype} ")), "{refusal}");
                let takes = refusal.remedy.strip_prefix("it takes ").unwrap();
                let mut allowed: Vec<_> = takes.split("; ").next().unwrap().split(", ").collect();
                let mut accepted = accepted.clone();
                allowed.sort_unstable();
                accepted.sort_unstable();
                assert_eq!(allowed, accepted);
            }
            other => panic!("{standard} of {dtype}: {other:?}"),
        }
    }
}
