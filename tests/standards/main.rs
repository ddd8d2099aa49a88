//! The constructors of the five standards against their texts: dtypes, conversions of the bounds, rejections.
//! None of this needs a GPU.

mod directml;
mod messages;
mod onednn;
mod onnx;
mod openvino;
mod rounding;
mod webnn;

use wgpu_clamp::standards::Standard;
use wgpu_clamp::{Bound, Clamp, DType, Error};

/// The bits of two bounds that are values.
fn bounds(clamp: &Clamp) -> (u64, u64) {
    match (clamp.min(), clamp.max()) {
        (Bound::Value(min), Bound::Value(max)) => (min, max),
        other => panic!("{other:?}"),
    }
}

/// The bits of a bound that both attributes turn into.
fn both(clamp: Result<Clamp, Error>) -> u64 {
    let (min, max) = bounds(&clamp.unwrap());
    assert_eq!(min, max);
    min
}

/// `construct` takes exactly the dtypes named in `accepted`, and refuses the others in the name of `standard`.
fn assert_dtypes(standard: Standard, accepted: &str, construct: impl Fn(DType) -> Result<Clamp, Error>) {
    let accepted: Vec<&str> = accepted.split(' ').collect();
    for dtype in DType::ALL {
        let result = construct(dtype);
        if accepted.contains(&dtype.name()) {
            assert_eq!(result.unwrap().dtype(), dtype);
            continue;
        }
        match result {
            Err(Error::DTypeNotInStandard { standard: by, dtype: refused, allowed }) => {
                assert_eq!((by, refused), (standard, dtype));
                let mut allowed: Vec<_> = allowed.iter().map(|dtype| dtype.name()).collect();
                let mut accepted = accepted.clone();
                allowed.sort_unstable();
                accepted.sort_unstable();
                assert_eq!(allowed, accepted);
            }
            other => panic!("{standard} of {dtype}: {other:?}"),
        }
    }
}
