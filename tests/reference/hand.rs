//! Results that are derived by hand.

use wgpu_clamp::{Clamp, DType, Element, Layout, NanRule, Number, reference};

use crate::inputs::converting;

fn of<T: Element>(clamp: Clamp, x: T) -> u64 {
    reference::element(&clamp, x.to_bits64()).unwrap()
}

/// An integer 0 is +0 before the affine step, and the bounds have the destination's dtype.
#[test]
fn integers_to_floats() {
    for (scale, bias, expected) in [(2.0, -0.0, 0), (-2.0, -0.0, 0x8000_0000), (-2.0, 0.0, 0)] {
        let clamp = converting(DType::U8, DType::F32).with_affine(scale, bias).unwrap();
        assert_eq!(reference::allowed(&clamp, 0).unwrap().values(), [expected]);
    }
    let clamp = Clamp::new(0.25_f32, 0.75).with_source(DType::U8).unwrap();
    let clamp = clamp.with_affine(1.0 / 255.0, 0.0).unwrap();
    let results = [0.25, 128.0 / 255.0, 0.75].map(|v: f32| v.to_bits64());
    assert_eq!([0_u8, 128, 255].map(|x| of(clamp, x)), results);
}

#[test]
fn slices_of_two_dtypes() {
    let clamp = Clamp::new(-1.5_f32, 2.0).with_source(DType::I8).unwrap();
    let mut dst = [0.0_f32; 2];
    reference::clamp_slice(&clamp, &[1_i8, -128], &mut dst).unwrap();
    assert_eq!(dst.map(f32::to_bits), [1.0_f32, -1.5].map(f32::to_bits));
}

#[test]
fn shared_elements_of_dst_take_the_last_value() {
    let layout = Layout::strided(&[3], &[0], 1).unwrap();
    let mut dst = [0; 3];
    reference::apply(Clamp::at_most(9_u8), &Layout::packed(&[3]).unwrap(), &[1, 20, 7], &layout, &mut dst)
        .unwrap();
    assert_eq!(dst, [0, 7, 0]);
}

#[test]
fn the_nan_rule_comes_before_the_bounds() {
    let clamp = Clamp::new(5_u8, 250).with_source(DType::F32).unwrap();
    for (rule, expected) in [(NanRule::Propagate, 5), (NanRule::ToMin, 5), (NanRule::ToMax, 250)] {
        assert_eq!(of(clamp.with_nan_rule(rule), f32::NAN), expected);
    }
    let clamp = Clamp::new(-9_i16, -5).with_source(DType::F32).unwrap();
    assert_eq!(of(clamp, f32::NAN), (-5_i16).to_bits64(), "0 is above Max");
    let open = clamp.with_bounds(-9_i16, Number::Absent).unwrap();
    assert_eq!(of(open, f32::NAN), 0);
    assert_eq!(of(open.with_nan_rule(NanRule::ToMax), f32::NAN), 0x7fff);
    assert_eq!(of(open.with_nan_rule(NanRule::ToMin), f32::NAN), (-9_i16).to_bits64());
}

#[test]
fn bounds_apply_after_the_affine_step() {
    let clamp = Clamp::new(-1.0_f32, 1.0).with_affine(f32::MAX, 0.0).unwrap();
    assert_eq!(of(clamp, 2.0_f32), 1.0_f32.to_bits64(), "an overflow is an infinity, which meets Max");
    let zero = Clamp::new(-1.0_f32, 1.0).with_affine(0.0, 0.5).unwrap();
    assert_eq!(of(zero, f32::INFINITY), 0x7fc0_0000, "the NaN of infinity times zero propagates");
    assert_eq!(of(zero.with_nan_rule(NanRule::ToMin), f32::INFINITY), (-1.0_f32).to_bits64());
    assert_eq!(of(zero.with_nan_rule(NanRule::ToMax), f32::INFINITY), 1.0_f32.to_bits64());
    let levels = Clamp::new(10_u8, 99).with_affine(2.0, -20.0).unwrap();
    assert_eq!([0_u8, 14, 16, 200].map(|x| of(levels, x)), [10, 10, 12, 99]);
}

#[test]
fn bits_beyond_the_width_are_ignored() {
    let clamp = Clamp::new(-5_i8, 5);
    assert_eq!(reference::element(&clamp, 0xdead_be03).unwrap(), 3);
    assert_eq!(reference::allowed(&clamp, !0).unwrap().values(), [0xff]);
    let doubled = |dtype| converting(DType::F16, dtype).with_affine(2.0, 0.0).unwrap();
    assert_eq!(reference::allowed(&doubled(DType::F16), 0xffff_3c00).unwrap().values(), [0x4000]);
    assert_eq!(reference::allowed(&doubled(DType::F16), 0xffff_7c01).unwrap().values(), [0x7c01]);
    assert_eq!(reference::allowed(&doubled(DType::I8), 0xffff_3c00).unwrap().values(), [2]);
    assert_eq!(reference::allowed(&converting(DType::F32, DType::U8), 0x1_4000_0000).unwrap().values(), [2]);
}
