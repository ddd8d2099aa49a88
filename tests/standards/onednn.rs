//! `oneDNN` Graph Clamp.

use half::{bf16, f16};
use wgpu_clamp::standards::Standard;
use wgpu_clamp::{Clamp, DType, Element, NanRule, Number, reference};

use crate::{assert_dtypes, said};

#[test]
fn three_dtypes() {
    assert_dtypes(Standard::OneDnn, "f32 f16 bf16", |dtype| Clamp::onednn(dtype, 0.0, 6.0));
}

#[test]
fn a_nan_element_becomes_min() {
    let clamp = Clamp::onednn(DType::F32, -2.0, 1.0).unwrap();
    assert_eq!((clamp.nan_rule(), clamp.scale()), (NanRule::ToMin, Number::Absent));
    for nan in [0x7fc0_0000, 0xffc0_0000, 0x7f80_0001] {
        assert_eq!(reference::element(&clamp, nan).unwrap(), (-2.0_f32).to_bits64());
    }
    let clamp = Clamp::onednn(DType::F16, -2.0, 1.0).unwrap();
    assert_eq!(reference::element(&clamp, f16::NAN.to_bits64()).unwrap(), f16::from_f32(-2.0).to_bits64());
    let clamp = Clamp::onednn(DType::BF16, f32::NEG_INFINITY, 1.0).unwrap();
    assert_eq!(reference::element(&clamp, bf16::NAN.to_bits64()).unwrap(), bf16::NEG_INFINITY.to_bits64());
}

#[test]
fn crossed_or_nan_attributes_are_refused() {
    for dtype in [DType::F32, DType::F16, DType::BF16] {
        // F16 and BF16 round both attributes to one number, but the attributes are compared before rounding.
        let min = 1.0_f32.next_up();
        let requires = "oneDNN Graph Clamp requires min <= max (its implementation, not its text)";
        let crossed = format!("min, max: {min:?} is more than 1.0; {requires}");
        assert_eq!(said(Clamp::onednn(dtype, min, 1.0)), crossed);
        assert!(Clamp::onednn(dtype, 0.0, -0.0).is_ok());
        let nan = |argument| {
            format!("{argument}: NaN is no bound of oneDNN Graph Clamp; give a number, or ±infinity for none")
        };
        assert_eq!(said(Clamp::onednn(dtype, f32::NAN, 1.0)), nan("min"));
        assert_eq!(said(Clamp::onednn(dtype, 1.0, f32::NAN)), nan("max"));
    }
}
