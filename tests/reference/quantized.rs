//! Compares quantisation and dequantisation with integers of arbitrary precision and with the host's own arithmetic.

use clamp_testing::numbers::{beside_an_edge, integer, limits, number};
use clamp_testing::random::Random;
use clamp_testing::values::{NAN_RULES, bits_of};
use wgpu_clamp::{Clamp, DType, NanRule, Precision, reference};

use crate::host::narrowed;
use crate::inputs::{element, finite};
use crate::numbers::{infinity, quotient, sign_bit, wrapped};

const FLOATS: [DType; 3] = [DType::F32, DType::F16, DType::BF16];
const INTEGERS: [DType; 4] = [DType::U8, DType::I8, DType::U16, DType::I16];

/// A zero point of any kind.
fn zero_point(random: &mut Random, dtype: DType) -> i32 {
    let [lowest, highest] = limits(dtype);
    let any = integer(dtype, random.bits());
    random.pick(&[0, 1, lowest, highest, any]) as i32
}

fn assert_quantized(random: &mut Random, [source, dtype]: [DType; 2], x: u64, scale: f32) {
    let value = number(source, x) as f32;
    if scale == 0.0 || !value.is_finite() {
        return;
    }
    let zero_point = zero_point(random, dtype);
    let clamp = Clamp::quantize_linear(source, dtype, scale, zero_point).unwrap();
    let exact = clamp.with_precision(Precision::Exact);
    let rounded = |quotient: f32| {
        let [lowest, highest] = limits(dtype);
        let sum = i128::from(quotient.round_ties_even() as i64) + i128::from(zero_point);
        wrapped(dtype, sum.clamp(lowest, highest))
    };
    // The law: divide, round to f32, round to an integer, add.
    let size = quotient(value.abs(), scale.abs());
    let wanted = rounded(if (value < 0.0) == (scale < 0.0) { size } else { -size });
    assert_eq!(reference::element(&clamp, x).unwrap(), wanted, "{clamp} of {x:#x}");
    assert_eq!(reference::allowed(&exact, x).unwrap().values(), [wanted], "{exact} of {x:#x}");
    // PyTorch's way, where nothing is subnormal or infinite: the host's own product.
    let (reciprocal, product) = (1.0 / scale, value * (1.0 / scale));
    let usual = |number: f32| number == 0.0 || number.is_normal();
    if [value, reciprocal].into_iter().all(usual) && (product.abs() > f32::MIN_POSITIVE || value == 0.0) {
        let allowed = reference::allowed(&clamp, x).unwrap();
        assert_eq!(allowed.values(), [rounded(product)], "{clamp} of {x:#x}");
    }
}

#[test]
fn quotients_are_those_of_big_integers() {
    let mut random = Random(4900);
    for half_of in (0..1000).chain((1000..1 << 17).step_by(97)) {
        for above in [false, true] {
            let Some([x, scale]) = beside_an_edge(half_of, above) else { continue };
            for x in [x, x.next_up(), x.next_down(), -x] {
                assert_quantized(&mut random, [DType::F32, DType::U16], x.to_bits().into(), scale);
            }
        }
    }
    for n in 0..60_000 {
        let [source, dtype] = [FLOATS[n % 3], INTEGERS[n / 3 % 4]];
        let mut scale = finite(&mut random, DType::F32) as f32;
        let x = match random.below(3) {
            0 => element(&mut random, source),
            // Halves, and subnormal quotients.
            1 => bits_of(source, f64::from(scale) * (f64::from(random.below(70_000) as u32) + 0.5)),
            _ => {
                scale = scale.abs().max(1.0);
                bits_of(source, f64::from(scale) * 2.0_f64.powi(-140 - random.below(12) as i32))
            }
        };
        assert_quantized(&mut random, [source, dtype], x, scale);
    }
}

#[test]
fn nan_and_infinity_quantise_by_rule() {
    for (source, scale) in FLOATS.into_iter().flat_map(|source| [2.0, -1e-40].map(|scale| (source, scale))) {
        for dtype in INTEGERS {
            let [lowest, highest] = limits(dtype).map(|limit| wrapped(dtype, limit));
            for rule in NAN_RULES {
                let clamp = Clamp::quantize_linear(source, dtype, scale, 7).unwrap().with_nan_rule(rule);
                let of = |x| reference::allowed(&clamp, x).unwrap().values().to_vec();
                let (infinity, sign) = (infinity(source), sign_bit(source));
                let ends = if scale < 0.0 { [highest, lowest] } else { [lowest, highest] };
                assert_eq!([of(infinity | sign), of(infinity)], ends.map(|end| vec![end]));
                let nan = match rule {
                    NanRule::Propagate => 7,
                    NanRule::ToMin => lowest,
                    NanRule::ToMax => highest,
                    _ => unreachable!("a new rule"),
                };
                assert_eq!([of(infinity | 1), of((infinity + 1) | sign)], [vec![nan], vec![nan]]);
                // 1 / -1e-40 is no f32, and its product with 0 counts as 0.
                assert_eq!([of(0), of(sign)], [vec![7], vec![7]]);
            }
        }
    }
}

/// The host rounds as the law does: to f32 after the difference, after the product, and to the dtype.
#[test]
#[expect(clippy::cast_precision_loss, reason = "rounding to an f32 is what the law asks for")]
fn dequantised_numbers_are_those_of_the_host() {
    let mut random = Random(4901);
    for source in INTEGERS.into_iter().chain([DType::I32]) {
        for n in 0..30_000 {
            let dtype = FLOATS[n % 3];
            let zero_point = if source == DType::I32 { 0 } else { zero_point(&mut random, source) };
            let scale = finite(&mut random, DType::F32) as f32;
            let x = element(&mut random, source);
            let difference = (integer(source, x) - i128::from(zero_point)) as f32;
            let product = difference * scale;
            let clamp = Clamp::dequantize_linear(source, dtype, scale, zero_point).unwrap();
            let wanted = narrowed(dtype, clamp.rounding(), product);
            assert_eq!(reference::element(&clamp, x).unwrap(), wanted, "{clamp} of {x:#x}");
            let allowed = reference::allowed(&clamp, x).unwrap();
            assert_eq!(allowed.first(), wanted);
            let tiny = |number: f32| number != 0.0 && number.abs() <= f32::MIN_POSITIVE;
            if tiny(scale) || tiny(product) {
                let zero = narrowed(dtype, clamp.rounding(), product * 0.0);
                assert!(
                    allowed.values().iter().all(|bits| [wanted, zero].contains(bits)),
                    "{clamp}: {allowed:?}"
                );
            } else {
                assert_eq!(allowed.values(), [wanted], "{clamp} of {x:#x}");
            }
        }
    }
}
