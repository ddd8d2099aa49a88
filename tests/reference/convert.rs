//! Conversions between all pairs of nine dtypes: exact results compared with rational arithmetic, conversions alone
//! with Rust's `as` and the crate `half`, NaN and ∞ with the rules of the definition.

use std::ops::RangeInclusive;

use num_bigint::BigInt;
use wgpu_clamp::{Clamp, DType, Element, Error, NanRule, Number, Precision, Rounding, reference};

use crate::host::{converted, narrowed, widened};
use crate::numbers::{
    Fixed, Random, affine, bias_for, fields, infinity, narrow, parameter, sign_bit, to_f64, to_i128,
};

pub const ROUNDINGS: [Rounding; 2] = [Rounding::TowardZero, Rounding::NearestEven];
const INTEGERS: [DType; 8] =
    [DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::U32, DType::U64];

/// All 81 pairs of source and destination.
pub fn pairs() -> impl Iterator<Item = (DType, DType)> {
    let of = |source| DType::CONVERTIBLE.into_iter().map(move |dtype| (source, dtype));
    DType::CONVERTIBLE.into_iter().flat_map(of)
}

fn converting(source: DType, dtype: DType) -> Clamp {
    Clamp::unbounded(dtype).with_source(source).unwrap()
}

/// `numerator * 2^exponent` of a finite element, and whether it has a minus sign.
fn parts(dtype: DType, bits: u64) -> ((i128, i32), bool) {
    if dtype.is_float() {
        let value = to_f64(dtype, bits);
        (Fixed::parts(value), value.is_sign_negative())
    } else {
        let value = to_i128(dtype, bits);
        ((value, 0), value < 0)
    }
}

/// The correctly rounded result of a clamp without bounds, for a finite element.
fn exact_result(clamp: &Clamp, x: u64) -> u64 {
    let (x, negative) = parts(clamp.source(), x);
    let (value, negative_zero) = match affine(clamp) {
        None => (Fixed::scaled(x.0, x.1), negative),
        Some((scale, bias)) => {
            let product_negative = negative != scale.is_sign_negative();
            let negative_zero = if bias == 0.0 && (x.0 == 0 || scale == 0.0) {
                product_negative && bias.is_sign_negative()
            } else {
                false
            };
            (Fixed::product(x, Fixed::parts(scale)) + Fixed::from_f64(bias), negative_zero)
        }
    };
    rounded(clamp, &value, negative_zero)
}

fn rounded(clamp: &Clamp, value: &BigInt, negative_zero: bool) -> u64 {
    if clamp.dtype().is_float() {
        Fixed::to_float(clamp.dtype(), value, negative_zero)
    } else {
        Fixed::to_integer(clamp.dtype(), clamp.rounding(), value)
    }
}

/// A scale and a bias that make the result hard to round; often it is a tie of an integer.
#[expect(clippy::cast_precision_loss, reason = "the product is only a start for the bias")]
fn hard_affine(random: &mut Random, source: DType, dtype: DType, x: u64) -> (f32, f32) {
    let value = if source.is_float() { to_f64(source, x) } else { to_i128(source, x) as f64 };
    let scale = parameter(random, dtype);
    if dtype.is_float() || random.below(2) == 0 {
        return (narrow(scale), narrow(bias_for(random, dtype, value * scale)));
    }
    let scale = random.pick(&[1.0, 0.5, -0.25, 1.5, -1.0, 2.0_f64.powi(-20), 0.1_f32.into()]);
    let near = to_i128(dtype, random.integer(dtype)) as f64 + random.pick(&[0.0, 0.5, -0.5, 0.25]);
    let bias = narrow(near - value * scale);
    let bias = random.pick(&[bias, bias.next_up(), bias.next_down()]);
    (narrow(scale), if bias.is_finite() { bias } else { 0.5 })
}

#[test]
fn every_pair_is_exact_with_an_affine_step() {
    for (seed, (source, dtype)) in pairs().enumerate() {
        let mut random = Random(1000 + seed as u64);
        for _ in 0..4000 {
            let x = random.element(source);
            if !widened(source, x).is_finite() {
                continue;
            }
            let (scale, bias) = hard_affine(&mut random, source, dtype, x);
            let clamp = converting(source, dtype).with_affine(scale, bias).unwrap();
            for rounding in ROUNDINGS {
                let clamp = clamp.with_precision(Precision::Exact).with_rounding(rounding);
                let expected =
                    if affine(&clamp).is_none() && source == dtype { x } else { exact_result(&clamp, x) };
                let got = reference::element(&clamp, x);
                assert_eq!(got, expected, "{clamp:?} of {x:#x}: {got:#x} is not {expected:#x}");
                assert_eq!(reference::allowed(&clamp, x).values(), [expected]);
                // `element` is exact in either precision.
                assert_eq!(reference::element(&clamp.with_precision(Precision::Fast), x), expected);
            }
        }
    }
}

/// The bits of every element of up to 16 bits; for 32 bits, edges and random elements.
fn elements(source: DType, random: &mut Random) -> Vec<u64> {
    if source.size() == 4 && !source.is_float() {
        let mut elements: Vec<u64> = (0..40_000).map(|_| random.integer(source)).collect();
        // Integers that no f32 holds: numbers between two f32, ties and their neighbours.
        elements.extend((0..40_000).map(|_| {
            let low = random.pick(&[1, 0x40, 0x7f, 0x80, 0x81, 0xff, 0x100, 0x7fff, 0x8000, 0x8001]);
            (random.bits() & 0xffff_0000 | low) >> random.below(8)
        }));
        return elements;
    }
    if source != DType::F32 {
        let all: RangeInclusive<u64> = 0..=(1 << source.bits()) - 1;
        return all.collect();
    }
    let mut elements: Vec<u64> = (0..40_000).map(|_| random.float(source)).collect();
    // Numbers of each dtype, numbers half a unit beside them, and the neighbours of both.
    for dtype in DType::CONVERTIBLE {
        for _ in 0..4000 {
            let element = widened(dtype, random.element(dtype));
            let near = element + random.pick(&[0.0, 0.5, -0.5]);
            let near = random.pick(&[near, near.next_up(), near.next_down(), -near]);
            elements.push(near.to_bits64());
        }
    }
    for edge in [65504.0, 65519.996, 65520.0, 65535.0, 65535.5, 65536.0, 2.0_f32.powi(-24), 2.0_f32.powi(-25)]
    {
        elements.extend([edge, -edge, edge.next_up(), edge.next_down()].map(Element::to_bits64));
    }
    elements
}

/// The crate `half` and `as` round and saturate as the definition says, NaNs included.
#[test]
fn every_pair_converts_as_the_host_does() {
    for (seed, (source, dtype)) in pairs().enumerate() {
        let mut random = Random(1100 + seed as u64);
        for x in elements(source, &mut random) {
            for rounding in ROUNDINGS {
                let clamp = converting(source, dtype).with_rounding(rounding);
                let expected = if source == dtype { x } else { converted(source, dtype, rounding, x) };
                let got = reference::element(&clamp, x);
                assert_eq!(got, expected, "{source} to {dtype}, {rounding:?}: {x:#x} became {got:#x}");
                for precision in [Precision::Fast, Precision::Exact] {
                    let clamp = clamp.with_precision(precision);
                    assert_eq!(reference::allowed(&clamp, x).values(), [expected]);
                }
                // The identity is no affine step.
                let identity = clamp.with_affine(1.0, -0.0).unwrap();
                assert_eq!(reference::allowed(&identity, x).values(), [expected]);
            }
        }
    }
}

#[test]
fn integers_convert_by_saturation() {
    for (source, dtype) in pairs().filter(|(source, dtype)| !source.is_float() && !dtype.is_float()) {
        let highest = if dtype.is_signed_integer() { sign_bit(dtype) - 1 } else { 2 * sign_bit(dtype) - 1 };
        let lowest = if dtype.is_signed_integer() { -to_i128(DType::U64, sign_bit(dtype)) } else { 0 };
        for x in elements(source, &mut Random(1150)) {
            let expected = to_i128(source, x).clamp(lowest, highest.into());
            assert_eq!(to_i128(dtype, reference::element(&converting(source, dtype), x)), expected);
        }
    }
}

/// Without conversions, for all eight integer dtypes.
#[test]
fn nearest_even_to_every_integer() {
    for (seed, dtype) in INTEGERS.into_iter().enumerate() {
        let mut random = Random(1200 + seed as u64);
        let mut ties = 0;
        for _ in 0..20_000 {
            let x = random.integer(dtype);
            let (scale, bias) = hard_affine(&mut random, dtype, dtype, x);
            let clamp = Clamp::unbounded(dtype).with_affine(scale, bias).unwrap();
            let [truncated, nearest] = ROUNDINGS.map(|rounding| {
                let clamp = clamp.with_rounding(rounding);
                let expected = exact_result(&clamp, x);
                assert_eq!(reference::element(&clamp, x), expected, "{clamp:?} of {x:#x}");
                assert_eq!(reference::allowed(&clamp, x).values(), [expected]);
                expected
            });
            ties += usize::from(truncated != nearest);
        }
        assert!(ties > 1000, "{dtype}: the roundings differ {ties} times");
    }
}

#[test]
fn nearest_even_by_hand() {
    let i64_of = |x: i64, scale: f32, bias: f32| {
        let clamp = Clamp::unbounded(DType::I64).with_affine(scale, bias).unwrap();
        reference::element(&clamp.with_rounding(Rounding::NearestEven), x.to_bits64()).cast_signed()
    };
    let halves = [(1, 0), (2, 1), (3, 2), (5, 2), (7, 4), (-1, 0), (-3, -2), (-5, -2), (-7, -4)];
    for (x, half) in halves {
        assert_eq!(i64_of(x, 0.5, 0.0), half, "{x} / 2");
    }
    // Numbers whose low bits f64 would drop.
    let odd = (1_i64 << 60) + 1;
    assert_eq!(i64_of(odd, 1.0, 0.5), odd + 1);
    assert_eq!(i64_of(odd, 1.0, -0.5), odd - 1);
    assert_eq!(i64_of(odd, 1.0, 0.5_f32.next_down()), odd);
    assert_eq!(i64_of(odd + 1, 1.0, 0.5), odd + 1);
    assert_eq!(i64_of(odd + 1, 1.0, 0.5_f32.next_up()), odd + 2);
    // A bias far below the last bit decides.
    assert_eq!(i64_of(1, 0.5, f32::from_bits(1)), 1);
    assert_eq!(i64_of(3, 0.5, -f32::from_bits(1)), 1);
    assert_eq!(i64_of(-1, 0.5, -f32::from_bits(1)), -1);
    assert_eq!(i64_of(i64::MAX, 1.0, 0.5), i64::MAX, "saturated");
    assert_eq!(i64_of(i64::MIN, 1.0, -0.5), i64::MIN);

    let u64_of = |x: u64, scale: f32, bias: f32| {
        let clamp = Clamp::unbounded(DType::U64).with_affine(scale, bias).unwrap();
        reference::element(&clamp.with_rounding(Rounding::NearestEven), x)
    };
    assert_eq!(u64_of(u64::MAX, 1.0, -0.5), u64::MAX - 1);
    assert_eq!(u64_of(u64::MAX - 1, 1.0, 0.5), u64::MAX - 1);
    assert_eq!(u64_of(u64::MAX, 1.0, 0.5), u64::MAX);
    assert_eq!(u64_of(1, -0.5, 0.0), 0);
    // The rounding has no effect on floats.
    let float = Clamp::unbounded(DType::F32).with_affine(0.5, 0.0).unwrap();
    let nearest = float.with_rounding(Rounding::NearestEven);
    assert_eq!(reference::element(&nearest, 3.0_f32.to_bits64()), 1.5_f32.to_bits64());
}

const NAN_RULES: [NanRule; 3] = [NanRule::Propagate, NanRule::ToMin, NanRule::ToMax];

/// The bits of the lowest and the highest integer.
fn limits(dtype: DType) -> (u64, u64) {
    let sign = sign_bit(dtype);
    if dtype.is_signed_integer() { (sign, sign - 1) } else { (0, 2 * sign - 1) }
}

/// The bits that a NaN becomes without bounds; `stays` if it propagates.
fn ruled(dtype: DType, rule: NanRule, stays: u64) -> u64 {
    match rule {
        NanRule::Propagate => stays,
        NanRule::ToMin if dtype.is_float() => infinity(dtype) | sign_bit(dtype),
        NanRule::ToMax if dtype.is_float() => infinity(dtype),
        NanRule::ToMin => limits(dtype).0,
        NanRule::ToMax => limits(dtype).1,
    }
}

fn quiet_nan(dtype: DType) -> u64 {
    infinity(dtype) | 1 << (fields(dtype).1 - 1)
}

#[test]
fn nan_and_infinity_by_rule() {
    for (seed, (source, dtype)) in pairs().filter(|(source, _)| source.is_float()).enumerate() {
        let mut random = Random(1300 + seed as u64);
        let (sign, tiny) = (sign_bit(source), f32::from_bits(1));
        let low = if dtype.is_float() { infinity(dtype) | sign_bit(dtype) } else { limits(dtype).0 };
        let high = if dtype.is_float() { infinity(dtype) } else { limits(dtype).1 };
        for n in 0..3 * 2 * 2 * 50 {
            let (rule, rounding) = (NAN_RULES[n % 3], ROUNDINGS[n / 3 % 2]);
            let precision = [Precision::Fast, Precision::Exact][n / 6 % 2];
            let plain = converting(source, dtype).with_nan_rule(rule).with_rounding(rounding);
            let plain = plain.with_precision(precision);
            let of = |clamp: Clamp, x: u64| {
                assert_eq!(
                    reference::allowed(&clamp, x).values(),
                    [reference::element(&clamp, x)],
                    "{clamp:?}"
                );
                reference::element(&clamp, x)
            };
            // ±∞, by the sign of the scale.
            assert_eq!([of(plain, infinity(source)), of(plain, infinity(source) | sign)], [high, low]);
            for bias in [0.0, -0.0, 3.0, f32::MIN] {
                for scale in [2.0, tiny, f32::MAX] {
                    let up = plain.with_affine(scale, bias).unwrap();
                    assert_eq!([of(up, infinity(source)), of(up, infinity(source) | sign)], [high, low]);
                    let down = plain.with_affine(-scale, bias).unwrap();
                    assert_eq!([of(down, infinity(source)), of(down, infinity(source) | sign)], [low, high]);
                }
                // ∞ times zero is a NaN.
                let stays = if dtype.is_float() { quiet_nan(dtype) } else { 0 };
                for scale in [0.0, -0.0] {
                    let zero = plain.with_affine(scale, bias).unwrap();
                    for x in [infinity(source), infinity(source) | sign] {
                        assert_eq!(of(zero, x), ruled(dtype, rule, stays), "{zero:?} of {x:#x}");
                    }
                }
            }
            // A NaN, which no affine step changes.
            let payload = 1 + random.below((1 << fields(source).1) - 1);
            let nan = infinity(source) | payload | (random.below(2) * sign);
            let stays = match dtype.is_float() {
                true if source == dtype => nan,
                true => narrowed(dtype, rounding, widened(source, nan)),
                false => 0,
            };
            for clamp in [plain, plain.with_affine(2.0, 5.0).unwrap(), plain.with_affine(0.0, 1.0).unwrap()] {
                assert_eq!(of(clamp, nan), ruled(dtype, rule, stays), "{clamp:?} of {nan:#x}");
            }
        }
    }
}

#[test]
fn payloads_by_hand() {
    let of = |source, dtype, x| reference::element(&converting(source, dtype), x);
    assert_eq!(
        of(DType::F32, DType::F16, 0xff80_0001),
        0xfe00,
        "the payload does not fit, the NaN stays one"
    );
    assert_eq!(of(DType::F32, DType::F16, 0x7fa4_6fff), 0x7f23);
    assert_eq!(of(DType::F32, DType::BF16, 0x7fb5_ffff), 0x7ff5);
    assert_eq!(of(DType::F16, DType::F32, 0xfc01), 0xffc0_2000);
    assert_eq!(of(DType::BF16, DType::F32, 0x7fa3), 0x7fe3_0000);
    assert_eq!(of(DType::F16, DType::BF16, 0x7d0f), 0x7fe1);
    assert_eq!(of(DType::BF16, DType::F16, 0xffb1), 0xff88);
}

#[test]
fn the_nan_rule_comes_before_the_bounds() {
    let nan = u64::from(f32::NAN.to_bits());
    let clamp = Clamp::new(5_u8, 250).with_source(DType::F32).unwrap();
    for (rule, expected) in [(NanRule::Propagate, 5), (NanRule::ToMin, 5), (NanRule::ToMax, 250)] {
        assert_eq!(reference::element(&clamp.with_nan_rule(rule), nan), expected);
    }
    let clamp = Clamp::new(-9_i16, -5).with_source(DType::F32).unwrap();
    assert_eq!(reference::element(&clamp, nan), (-5_i16).to_bits64(), "0 is above Max");
    let open = clamp.with_bounds(-9_i16, Number::Absent).unwrap();
    assert_eq!(reference::element(&open, nan), 0);
    assert_eq!(reference::element(&open.with_nan_rule(NanRule::ToMax), nan), 0x7fff);
    assert_eq!(reference::element(&open.with_nan_rule(NanRule::ToMin), nan), (-9_i16).to_bits64());
}

#[test]
fn zeros_and_limits_by_hand() {
    let of = |source, dtype, x| reference::element(&converting(source, dtype), x);
    assert_eq!(of(DType::F32, DType::F16, 0x8000_0000), 0x8000, "-0 stays -0");
    assert_eq!(of(DType::BF16, DType::F32, 0x8000), 0x8000_0000);
    assert_eq!(of(DType::F32, DType::F16, 0x8000_0001), 0x8000, "an underflow keeps its sign");
    assert_eq!(of(DType::F32, DType::I8, 0x8000_0000), 0);
    assert_eq!(of(DType::U16, DType::F16, 65519), 0x7bff);
    assert_eq!(of(DType::U16, DType::F16, 65520), 0x7c00, "the tie goes to infinity");
    assert_eq!(of(DType::BF16, DType::F16, 0x0001), 0, "far below every F16");
    assert_eq!(of(DType::F16, DType::BF16, 0x0001), 0x3380, "2^-24");

    // An integer 0 is +0 before the affine step.
    let zero = |scale, bias| {
        let clamp = converting(DType::U8, DType::F32).with_affine(scale, bias).unwrap();
        reference::allowed(&clamp, 0).values().to_vec()
    };
    assert_eq!(zero(2.0, -0.0), [0]);
    assert_eq!(zero(-2.0, -0.0), [0x8000_0000]);
    assert_eq!(zero(-2.0, 0.0), [0]);

    // The bounds have the destination's dtype.
    let clamp =
        Clamp::new(0.25_f32, 0.75).with_source(DType::U8).unwrap().with_affine(1.0 / 255.0, 0.0).unwrap();
    let results = [0, 128, 255].map(|x| reference::element(&clamp, x));
    assert_eq!(results, [0.25, 128.0 / 255.0, 0.75].map(|v: f32| u64::from(v.to_bits())));
}

/// Exact results round once, not first to f32.
#[test]
fn exact_rounds_once() {
    let clamp = converting(DType::I16, DType::I8).with_affine(2.0_f32.powi(-10), 0.5).unwrap();
    let clamp = clamp.with_rounding(Rounding::NearestEven);
    assert_eq!(reference::element(&clamp, 1024), 2, "1.5 is a tie");
    let exact = converting(DType::F32, DType::I8).with_affine(1.0, 2.0_f32.powi(-40)).unwrap();
    let exact = exact.with_rounding(Rounding::NearestEven);
    let x = 2.5_f32.to_bits64();
    assert_eq!(reference::element(&exact, x), 3, "above the tie");
    assert_eq!(reference::allowed(&exact, x).values(), [2], "in f32 it is the tie");
    // Between integers Fast is exact.
    let integers = converting(DType::I16, DType::I8).with_affine(1.0, 2.0_f32.powi(-40) - 0.5).unwrap();
    let integers = integers.with_rounding(Rounding::NearestEven);
    assert_eq!(reference::allowed(&integers, 3).values(), [reference::element(&integers, 3)]);
}

#[test]
fn bits_beyond_the_source_are_ignored() {
    assert_eq!(reference::element(&converting(DType::U8, DType::F32), 0xffff_ff01), 0x3f80_0000);
    let fast = converting(DType::F16, DType::I8).with_affine(2.0, 0.0).unwrap();
    assert_eq!(reference::allowed(&fast, 0xffff_3c00).values(), [2]);
    assert_eq!(reference::allowed(&converting(DType::F32, DType::U8), 0x1_4000_0000).values(), [2]);
}

#[test]
fn other_pairs_do_not_convert() {
    for source in DType::ALL {
        for dtype in DType::ALL {
            let converts = source == dtype || pairs().any(|pair| pair == (source, dtype));
            let result = Clamp::unbounded(dtype).with_source(source);
            assert_eq!(result.is_ok(), converts, "{source} to {dtype}");
            if let Err(error) = result {
                assert!(matches!(error, Error::DType(_)), "{error:?}");
                let pair = format!("source: {source} does not convert to {dtype}; ");
                assert_eq!(
                    error.to_string(),
                    pair + "any two of u8, i8, u16, i16, u32, i32, f16, bf16, f32 do"
                );
            }
        }
    }
}
