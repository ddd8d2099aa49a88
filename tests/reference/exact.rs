//! Compares exact results with arbitrary-precision arithmetic, results of NaN and ∞ with the rules of the definition.

use clamp_testing::numbers::{limits, number};
use clamp_testing::random::Random;
use clamp_testing::values::{NAN_RULES, PRECISIONS, ROUNDINGS, pairs};
use wgpu_clamp::{Clamp, DType, Element, NanRule, Precision, Rounding, Scalar, reference};

use crate::host::{narrowed, widened};
use crate::inputs::{converting, element, hard_step, with_step};
use crate::numbers::{
    fields, infinity, nearest_float, nearest_float_of_integer, rounded_result, sign_bit, wrapped,
};

/// Asserts the exact result of a clamp without bounds; returns it.
fn assert_rounded_once(clamp: &Clamp, x: u64) -> u64 {
    let (exact, fast) = (clamp.with_precision(Precision::Exact), clamp.with_precision(Precision::Fast));
    let expected = rounded_result(clamp, x);
    let got = reference::element(&exact, x).unwrap();
    assert_eq!(got, expected, "{clamp:?} of {x:#x}: {got:#x} is not {expected:#x}");
    assert_eq!(reference::allowed(&exact, x).unwrap().values(), [expected]);
    // `element` is exact in either precision. Between integers, so is the only result that `Fast` allows.
    assert_eq!(reference::element(&fast, x).unwrap(), expected);
    if !clamp.source().is_float() && !clamp.dtype().is_float() {
        assert_eq!(reference::allowed(&fast, x).unwrap().values(), [expected]);
    }
    expected
}

#[test]
fn every_pair_is_exact_with_an_affine_step() {
    for (seed, (source, dtype)) in pairs().enumerate() {
        let mut random = Random(1000 + seed as u64);
        let mut ties = 0;
        for _ in 0..if source == dtype { 40_000 } else { 4000 } {
            let x = element(&mut random, source);
            let step = hard_step(&mut random, source, dtype, x);
            if number(source, x).is_finite() {
                let clamp = with_step(&converting(source, dtype), step);
                let [truncated, nearest] =
                    ROUNDINGS.map(|rounding| assert_rounded_once(&clamp.with_rounding(rounding), x));
                ties += usize::from(truncated != nearest);
            }
        }
        assert!(
            ties > 1000 || source != dtype || dtype.is_float(),
            "{dtype}: the roundings differ {ties} times"
        );
    }
}

/// The bits of every element of 8 and 16 bits; of wider dtypes, edges and random elements.
fn elements(source: DType, random: &mut Random) -> Vec<u64> {
    if source.bits() <= 16 {
        return (0..1 << source.bits()).collect();
    }
    let mut elements: Vec<u64> = (0..10_000).map(|_| element(random, source)).collect();
    if !source.is_float() {
        // Integers that no f32 holds: numbers between two f32, ties and their neighbours.
        elements.extend((0..10_000).map(|_| {
            let low = random.pick(&[1, 0x40, 0x7f, 0x80, 0x81, 0xff, 0x100, 0x7fff, 0x8000, 0x8001]);
            (random.bits() & 0xffff_0000 | low) >> random.below(8)
        }));
    }
    if source != DType::F32 {
        return elements;
    }
    // Numbers of each dtype, numbers half a unit beside them, and the neighbours of both.
    for &dtype in DType::CONVERTIBLE {
        for _ in 0..1000 {
            let near = widened(dtype, element(random, dtype)) + random.pick(&[0.0, 0.5, -0.5]);
            let near = random.pick(&[near, near.next_up(), near.next_down(), -near]);
            elements.push(near.to_bits64());
        }
    }
    let tiny = [2.0_f32.powi(-24), 2.0_f32.powi(-25)];
    for edge in [65504.0, 65519.996, 65520.0, 65535.0, 65535.5, 65536.0].into_iter().chain(tiny) {
        elements.extend([edge, -edge, edge.next_up(), edge.next_down()].map(Element::to_bits64));
    }
    elements
}

/// Elements that are finite numbers; `nan_and_infinity_by_rule` has the others.
#[test]
fn every_pair_is_exact_without_an_affine_step() {
    for (seed, (source, dtype)) in pairs().enumerate() {
        let mut random = Random(1100 + seed as u64);
        let plain = converting(source, dtype);
        for x in elements(source, &mut random).into_iter().filter(|&x| number(source, x).is_finite()) {
            for clamp in ROUNDINGS.map(|rounding| plain.with_rounding(rounding)) {
                let expected = assert_rounded_once(&clamp, x);
                // A scale of 1 with a bias of ±0 is no affine step, so `Fast` allows one result.
                for bias in [0.0, -0.0] {
                    let identity = clamp.with_affine(1.0, bias).unwrap();
                    assert_eq!(reference::allowed(&identity, x).unwrap().values(), [expected]);
                }
            }
        }
    }
}

#[test]
fn nan_and_infinity_by_rule() {
    for (seed, (source, dtype)) in pairs().filter(|(source, _)| source.is_float()).enumerate() {
        let mut random = Random(1300 + seed as u64);
        let sign = sign_bit(source);
        // Flushing must not turn a tiny scale into the zero that makes a NaN.
        let tiny = f32::from_bits(1);
        // The results of −∞, of +∞, and of ∞ times zero. `ToMin` turns NaN into the first, `ToMax` into the second.
        let (low, high, quiet_nan) = if dtype.is_float() {
            let infinity = infinity(dtype);
            (infinity | sign_bit(dtype), infinity, infinity | 1 << (fields(dtype).1 - 1))
        } else {
            let [lowest, highest] = limits(dtype).map(|limit| wrapped(dtype, limit));
            (lowest, highest, 0)
        };
        for n in 0..3 * 2 * 2 * 50 {
            let (rule, rounding) = (NAN_RULES[n % 3], ROUNDINGS[n / 3 % 2]);
            let precision = PRECISIONS[n / 6 % 2];
            let plain = converting(source, dtype).with_nan_rule(rule).with_rounding(rounding);
            let plain = plain.with_precision(precision);
            let of = |clamp: &Clamp, x: u64| {
                let element = reference::element(clamp, x).unwrap();
                assert_eq!(reference::allowed(clamp, x).unwrap().values(), [element], "{clamp:?}");
                element
            };
            let of_infinities =
                |clamp: &Clamp| [infinity(source), infinity(source) | sign].map(|x| of(clamp, x));
            let ruled = |stays| match rule {
                NanRule::Propagate => stays,
                NanRule::ToMin => low,
                NanRule::ToMax => high,
                _ => unreachable!("a new rule"),
            };
            assert_eq!(of_infinities(&plain), [high, low]);
            for bias in [0.0, -0.0, 3.0, f32::MIN] {
                let step = |scale| plain.with_affine(scale, bias).unwrap();
                for scale in [2.0, tiny, f32::MAX] {
                    assert_eq!(of_infinities(&step(scale)), [high, low]);
                    assert_eq!(of_infinities(&step(-scale)), [low, high]);
                }
                for scale in [0.0, -0.0] {
                    assert_eq!(of_infinities(&step(scale)), [ruled(quiet_nan); 2], "{:?}", step(scale));
                }
            }
            // No affine step changes a NaN.
            let payload = 1 + random.bits() % ((1 << fields(source).1) - 1);
            let nan = infinity(source) | payload | (random.bits() % 2 * sign);
            let stays = match dtype.is_float() {
                true if source == dtype => nan,
                true => narrowed(dtype, rounding, widened(source, nan)),
                false => 0,
            };
            assert_eq!(of(&plain, nan), ruled(stays), "{plain:?} of {nan:#x}");
            for (scale, bias) in [(2.0, 5.0), (0.0, 1.0), (0.0, 5.0), (-1.0, 5.0), (tiny, 5.0)] {
                let clamp = plain.with_affine(scale, bias).unwrap();
                assert_eq!(of(&clamp, nan), ruled(stays), "{clamp:?} of {nan:#x}");
            }
        }
    }
}

/// All standards share this conversion of attributes; the fuzz target `standards` holds each of them to the nearest number. The
/// attributes are numbers of the format, the midpoints between them, and neighbours of midpoints.
#[test]
fn attributes_of_standards_become_the_nearest_floats() {
    for (dtype, step) in [(DType::F16, 1), (DType::BF16, 1), (DType::F32, 65_537)] {
        let last = infinity(dtype) - 1;
        for magnitude in (0..last).step_by(step).chain([last]) {
            let [before, below, above] =
                [magnitude.saturating_sub(1), magnitude, magnitude + 1].map(|bits| number(dtype, bits));
            let midpoint =
                if above.is_finite() { below.midpoint(above) } else { below + (below - before) / 2.0 };
            for value in [below, midpoint.next_down(), midpoint, midpoint.next_up(), 1.0 / below] {
                for value in [value, -value] {
                    let bound = Clamp::openvino(dtype, value, value).unwrap().min().value().unwrap().bits();
                    assert_eq!(bound, nearest_float(dtype, value), "{value:e} as {dtype}");
                }
            }
        }
    }
}

/// Scalars for a dtype known at run time: of any f64 and any i64, with ties and their neighbours in every dtype.
#[test]
#[expect(clippy::cast_precision_loss, reason = "any f64 will do")]
fn scalars_are_rounded_once_or_refused() {
    let mut random = Random(66);
    let mut refused = [0; 12];
    for (n, &dtype) in DType::ALL.iter().enumerate() {
        for _ in 0..4000 {
            // A bit more than a significand of BF16, F16 or F32 has, at any place; then nothing or a last bit.
            let (width, shift) = (random.pick(&[10, 13, 26]), random.below(64));
            let last = random.pick(&[0, 1, -1]);
            let integer = ((random.bits() as i64 >> (64 - width)) << shift).wrapping_add(last);
            let made = Scalar::from_i64(dtype, integer).ok().map(Scalar::bits);
            let expected = if dtype.is_float() {
                let bits = nearest_float_of_integer(dtype, integer);
                (bits & !sign_bit(dtype) != infinity(dtype)).then_some(bits)
            } else {
                let [lowest, highest] = limits(dtype);
                (lowest..=highest).contains(&integer.into()).then(|| wrapped(dtype, integer.into()))
            };
            assert_eq!(made, expected, "{integer} as {dtype}");

            let values = [integer as f64, f64::from_bits(random.bits()), random.number()];
            let value = random.pick(&values);
            let made = Scalar::from_f64(dtype, value).ok();
            if value.is_nan() {
                let number = made.map(|made| number(dtype, made.bits()));
                assert_eq!(number.is_some_and(f64::is_nan), dtype.is_float(), "{dtype}");
                continue;
            }
            let expected = if dtype.is_float() {
                let bits = nearest_float(dtype, value);
                (bits & !sign_bit(dtype) != infinity(dtype) || value.is_infinite()).then_some(bits)
            } else {
                let [lowest, highest] = limits(dtype);
                let is_in_range = value.fract() == 0.0 && (lowest..=highest).contains(&(value as i128));
                is_in_range.then(|| wrapped(dtype, value as i128))
            };
            assert_eq!(made.map(Scalar::bits), expected, "{value:e} as {dtype}");
            refused[n] += i32::from(made.is_none());
        }
        // An f64 is always an F64.
        assert_eq!(refused[n] == 0, dtype == DType::F64, "{dtype}");
    }
}

/// Scale and bias of a normalisation are the real numbers, rounded; the inverse's too. Bytes come back.
#[test]
fn normalisations_round_their_numbers_once() {
    let (mean, deviation) = ([0.485, 0.0, -3.5], [0.229, 1.0, 0.001]);
    let floats = Clamp::unbounded(DType::F32).with_source(DType::U8).unwrap();
    let there = floats.normalize(255.0, mean, deviation).unwrap();
    let back = Clamp::new(0_u8, 255)
        .with_source(DType::F32)
        .unwrap()
        .with_rounding(Rounding::NearestEven)
        .denormalize(255.0, mean, deviation)
        .unwrap();
    for channel in 0..3 {
        let (mean, deviation) = (mean[channel], deviation[channel]);
        let numbers = |clamp: Clamp| [clamp.scale(), clamp.bias()].map(|number| number.value().unwrap());
        let single = |value: f64| Scalar::from(value as f32);
        assert_eq!(numbers(there[channel]), [single(1.0 / (255.0 * deviation)), single(-mean / deviation)]);
        assert_eq!(numbers(back[channel]), [single(255.0 * deviation), single(255.0 * mean)]);
        for byte in 0..=255_u8 {
            let float = reference::element(&there[channel], byte.into()).unwrap();
            assert_eq!(reference::element(&back[channel], float).unwrap(), u64::from(byte), "{channel}");
        }
    }
    let doubles = Clamp::unbounded(DType::F64).normalize(1.0, [0.1], [0.3]).unwrap();
    assert_eq!(doubles[0].scale(), (1.0 / 0.3).into());
}
