//! The rules of the clamp itself: order, NaN, absent bounds, zeros.

use half::{bf16, f16};
use wgpu_clamp::{Clamp, DType, Element, NanRule, Number, Order, Scalar, reference};

use crate::numbers::{Random, infinity, sign_bit, to_f64, to_i128};

const ORDERS: [Order; 2] = [Order::MinWins, Order::MaxWins];
const NAN_RULES: [NanRule; 3] = [NanRule::Propagate, NanRule::ToMin, NanRule::ToMax];

fn is_nan(dtype: DType, bits: u64) -> bool {
    dtype.is_float() && to_f64(dtype, bits).is_nan()
}

/// Whether `a < b` as numbers, by the host's own comparison.
fn less(dtype: DType, a: u64, b: u64) -> bool {
    if dtype.is_float() { to_f64(dtype, a) < to_f64(dtype, b) } else { to_i128(dtype, a) < to_i128(dtype, b) }
}

/// Asserts the definition of the clamp, stated as properties of the result.
fn assert_defined(clamp: &Clamp, x: u64, got: u64) {
    let dtype = clamp.dtype();
    let usable = |bound: Number| bound.value().map(Scalar::bits).filter(|&bits| !is_nan(dtype, bits));
    let (min, max) = (usable(clamp.min()), usable(clamp.max()));
    let x = match clamp.nan_rule() {
        NanRule::Propagate if is_nan(dtype, x) => return assert_eq!(got, x, "{clamp:?}"),
        NanRule::ToMin if is_nan(dtype, x) => infinity(dtype) | sign_bit(dtype),
        NanRule::ToMax if is_nan(dtype, x) => infinity(dtype),
        _ => x,
    };
    let below = min.filter(|&min| less(dtype, x, min));
    let above = max.filter(|&max| less(dtype, max, x));
    let expected = match (min, max) {
        (Some(min), Some(max)) if less(dtype, max, min) => match clamp.order() {
            Order::MinWins => min,
            Order::MaxWins => max,
        },
        _ => below.or(above).unwrap_or(x),
    };
    assert_eq!(got, expected, "{clamp:?} of {x:#x}");
}

#[test]
fn random_bounds_and_elements() {
    for (seed, dtype) in DType::ALL.into_iter().enumerate() {
        let mut random = Random(300 + seed as u64);
        for _ in 0..20_000 {
            let mut bound = || match random.below(8) {
                0 => Number::Absent,
                1 => Scalar::from_bits(dtype, 0).unwrap().into(),
                2 => Scalar::from_bits(dtype, sign_bit(dtype)).unwrap().into(),
                _ => Scalar::from_bits(dtype, random.element(dtype)).unwrap().into(),
            };
            let (min, max) = (bound(), bound());
            let clamp = Clamp::unbounded(dtype)
                .with_bounds(min, max)
                .unwrap()
                .with_order(random.pick(&ORDERS))
                .with_nan_rule(random.pick(&NAN_RULES));
            let near = random
                .pick(&[min, max])
                .value()
                .map_or(0, |scalar| scalar.bits().wrapping_add(random.below(3)).wrapping_sub(1));
            for x in [random.element(dtype), near & (u64::MAX >> (64 - dtype.bits())), 0, sign_bit(dtype)] {
                assert_defined(&clamp, x, reference::element(&clamp, x));
                assert_eq!(reference::allowed(&clamp, x).values(), [reference::element(&clamp, x)]);
            }
        }
    }
}

#[test]
fn every_short_element() {
    let f16_bounds =
        [None, Some(0x0000), Some(0x8000), Some(0x3c00), Some(0xbc01), Some(0xfc00), Some(0x7e00)];
    let bf16_bounds =
        [None, Some(0x0000), Some(0x8000), Some(0x3f80), Some(0xbf81), Some(0x7f80), Some(0xff81)];
    let i16_bounds = [None, Some(0x0000), Some(0x8000), Some(0x7fff), Some(0xffff)];
    let bounds = [
        (DType::F16, &f16_bounds[..], 0xffff),
        (DType::BF16, &bf16_bounds[..], 0xffff),
        (DType::I16, &i16_bounds[..], 0xffff),
        (DType::U16, &i16_bounds[..], 0xffff),
        (DType::I8, &[None, Some(0x80), Some(0), Some(0x7f), Some(0xff)][..], 0xff),
        (DType::U8, &[None, Some(0x80), Some(0), Some(0x7f), Some(0xff)][..], 0xff),
    ];
    for (dtype, bounds, last) in bounds {
        let bound = |bits: &Option<u64>| {
            bits.map_or(Number::Absent, |bits| Scalar::from_bits(dtype, bits).unwrap().into())
        };
        for (min, max) in bounds.iter().flat_map(|min| bounds.iter().map(move |max| (bound(min), bound(max))))
        {
            for order in ORDERS {
                for rule in if dtype.is_float() { &NAN_RULES[..] } else { &NAN_RULES[..1] } {
                    let clamp = Clamp::unbounded(dtype)
                        .with_bounds(min, max)
                        .unwrap()
                        .with_order(order)
                        .with_nan_rule(*rule);
                    for x in 0..=last {
                        assert_defined(&clamp, x, reference::element(&clamp, x));
                    }
                }
            }
        }
    }
}

fn of<T: Element>(clamp: Clamp, x: T) -> u64 {
    reference::element(&clamp, x.to_bits64())
}

#[test]
fn zeros_are_equal_and_keep_their_sign() {
    let (plus, minus) = (0.0_f32.to_bits64(), (-0.0_f32).to_bits64());
    assert_eq!(of(Clamp::at_least(0.0_f32), -0.0_f32), minus);
    assert_eq!(of(Clamp::at_most(-0.0_f32), 0.0_f32), plus);
    // +0 is not greater than −0: in either order, the bound that the element exceeds applies.
    for order in ORDERS {
        let clamp = Clamp::new(0.0_f32, -0.0).with_order(order);
        assert_eq!(of(clamp, 5.0_f32), minus);
        assert_eq!(of(clamp, -5.0_f32), plus);
        assert_eq!(of(clamp, 0.0_f32), plus);
        assert_eq!(of(clamp, -0.0_f32), minus);
    }
}

#[test]
fn the_order_decides_where_min_exceeds_max() {
    let clamp = Clamp::new(2_i64, 1);
    for x in [i64::MIN, 0, 1, 2, 3, i64::MAX] {
        assert_eq!(of(clamp, x), 2);
        assert_eq!(of(clamp.with_order(Order::MaxWins), x), 1);
    }
    let clamp = Clamp::new(f64::INFINITY, f64::NEG_INFINITY);
    assert_eq!(of(clamp, 0.0), f64::INFINITY.to_bits());
    assert_eq!(of(clamp.with_order(Order::MaxWins), 0.0), f64::NEG_INFINITY.to_bits());
}

#[test]
fn nan_elements_follow_the_rule() {
    let signalling = bf16::from_bits(0xff81);
    let clamp = Clamp::new(bf16::NEG_ONE, bf16::ONE);
    assert_eq!(of(clamp, signalling), 0xff81);
    assert_eq!(of(clamp.with_nan_rule(NanRule::ToMin), signalling), bf16::NEG_ONE.to_bits64());
    assert_eq!(of(clamp.with_nan_rule(NanRule::ToMax), signalling), bf16::ONE.to_bits64());

    // Without a bound that replaces it, the NaN becomes an infinity.
    let nan = f16::NAN;
    assert_eq!(of(Clamp::at_most(f16::ONE).with_nan_rule(NanRule::ToMin), nan), 0xfc00);
    assert_eq!(of(Clamp::at_least(f16::ONE).with_nan_rule(NanRule::ToMax), nan), 0x7c00);
    assert_eq!(of(Clamp::at_least(f16::NAN).with_nan_rule(NanRule::ToMin), nan), 0xfc00);

    // Crossed bounds replace a NaN too, unless it propagates.
    let crossed = Clamp::new(2.0_f32, 1.0);
    assert_eq!(of(crossed, f32::NAN), f32::NAN.to_bits64());
    assert_eq!(of(crossed.with_nan_rule(NanRule::ToMin), f32::NAN), 2.0_f32.to_bits64());
    assert_eq!(of(crossed.with_nan_rule(NanRule::ToMax), f32::NAN), 2.0_f32.to_bits64());
}

#[test]
fn nan_bounds_never_replace() {
    let clamp = Clamp::new(f32::NAN, -f32::NAN);
    for x in [f32::NEG_INFINITY, -1.0, -0.0, 1e-45, f32::INFINITY] {
        assert_eq!(of(clamp, x), x.to_bits64());
    }
    assert_eq!(of(Clamp::new(f32::NAN, 1.0), 2.0_f32), 1.0_f32.to_bits64());
    assert_eq!(of(Clamp::new(1.0, f32::NAN), 0.0_f32), 1.0_f32.to_bits64());
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
    assert_eq!(reference::element(&clamp, 0xdead_be03), 3);
    assert_eq!(reference::allowed(&clamp, !0).values(), [0xff]);
    let fast = Clamp::unbounded(DType::F16).with_affine(2.0, 0.0).unwrap();
    assert_eq!(reference::allowed(&fast, 0xffff_3c00).values(), [0x4000]);
    assert_eq!(reference::allowed(&fast, 0xffff_7c01).values(), [0x7c01]);
}
