//! The rules of the clamp itself: order, NaN, absent bounds, zeros.

use clamp_testing::numbers::{integer, number};
use clamp_testing::random::Random;
use clamp_testing::values::{NAN_RULES, ORDERS};
use wgpu_clamp::{Clamp, DType, NanRule, Number, Order, Scalar, reference};

use crate::inputs::element;
use crate::numbers::{infinity, sign_bit, wrapped};

fn is_nan(dtype: DType, bits: u64) -> bool {
    dtype.is_float() && number(dtype, bits).is_nan()
}

/// Whether `a < b` as numbers, by the host's own comparison.
fn less(dtype: DType, a: u64, b: u64) -> bool {
    if dtype.is_float() { number(dtype, a) < number(dtype, b) } else { integer(dtype, a) < integer(dtype, b) }
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
    for (seed, dtype) in DType::ALL.iter().copied().enumerate() {
        let mut random = Random(300 + seed as u64);
        for _ in 0..20_000 {
            let mut bound = || match random.below(8) {
                0 => None,
                1 => Some(0),
                2 => Some(sign_bit(dtype)),
                _ => Some(element(&mut random, dtype)),
            };
            let bounds = [bound(), bound()];
            let clamp = clamp(dtype, bounds, random.pick(&ORDERS), random.pick(&NAN_RULES));
            let near = random.pick(&bounds).map_or(0, |bits| i128::from(bits) + random.below(3) as i128 - 1);
            for x in [element(&mut random, dtype), wrapped(dtype, near), 0, sign_bit(dtype)] {
                assert_defined(&clamp, x, reference::element(&clamp, x).unwrap());
                assert_eq!(
                    reference::allowed(&clamp, x).unwrap().values(),
                    [reference::element(&clamp, x).unwrap()]
                );
            }
        }
    }
}

/// A clamp with bounds given as bits.
fn clamp(dtype: DType, bounds: [Option<u64>; 2], order: Order, rule: NanRule) -> Clamp {
    let bound = |bits: Option<u64>| {
        bits.map_or(Number::Absent, |bits| Scalar::from_bits(dtype, bits).unwrap().into())
    };
    let [min, max] = bounds.map(bound);
    Clamp::unbounded(dtype).with_bounds(min, max).unwrap().with_order(order).with_nan_rule(rule)
}
