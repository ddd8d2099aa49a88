//! The header of a `.npy` file, as the example `clamp_npy` reads it: one that is read is written and read again as the
//! same, or an error with a message.

#[path = "../../examples/clamp_npy/npy.rs"]
mod header;

use std::error::Error;

use header::Header;
use wgpu_clamp::DType;

/// As that of the example.
type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// One input of the target: a file.
///
/// # Panics
///
/// Something is wrong with the reader.
pub fn run(bytes: &[u8]) {
    let mut rest = bytes;
    let Some(header) = accepted(Header::read(&mut rest)) else { return };
    assert!(!header.to_string().is_empty());
    let size = header.dtype.size() as u64;
    let elements = header.shape.iter().try_fold(1_u64, |n, extent| n.checked_mul(*extent));
    assert!(header.shape.contains(&0) && header.elements == 0 || elements == Some(header.elements));
    assert_eq!(header.elements.checked_mul(size), Some(header.bytes));

    // Whether data follows that is as long as it says, and no longer.
    let whole = accepted(header.check_length(Some(bytes.len() as u64))).is_some();
    assert_eq!(whole, rest.len() as u64 == header.bytes);
    assert!(header.check_length(None).is_ok());

    for dtype in DType::ALL {
        let Some(other) = accepted(header.with_dtype(dtype)) else { continue };
        assert_eq!(Some(other.bytes), header.elements.checked_mul(dtype.size() as u64));
        // Not one of NumPy.
        if dtype == DType::BF16 {
            continue;
        }
        let written = other.to_bytes();
        assert!(written.len().is_multiple_of(64));
        let again = Header::read(&mut &written[..]).expect("what was written is read");
        assert_eq!(again.to_bytes(), written);
        assert_eq!((again.dtype, &again.shape), (other.dtype, &other.shape));
        assert_eq!((again.fortran_order, again.elements), (other.fortran_order, other.elements));
        assert!(again.big_endian == other.big_endian || dtype.size() == 1);
    }
}

fn accepted<T>(read: Result<T>) -> Option<T> {
    read.inspect_err(|error| assert!(!error.to_string().is_empty(), "{error:?}")).ok()
}
