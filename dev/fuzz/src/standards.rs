//! Makes attributes of the five standards and of quantisations from raw bits. They give a clamp with their rules and bounds, or
//! an error with a message. That results follow from a clamp is for the tests of the reference.

use arbitrary::{Result, Unstructured};
use clamp_testing::drawn::accepted;
use clamp_testing::numbers::{integer, limits, number};
use clamp_testing::values::mask;
use wgpu_clamp::standards::directml::{
    ElementWiseClip, ElementWiseClip1, FeatureLevel, ScaleBias, TensorDesc,
};
use wgpu_clamp::standards::onnx::{self, Bounds};
use wgpu_clamp::standards::webnn;
use wgpu_clamp::{Clamp, DType, Error, NanRule, Number, Order, Scalar};

/// The clamp or the error that a constructor returns.
type Made = std::result::Result<Clamp, Error>;

/// Runs one input of the target.
///
/// # Panics
///
/// The crate has a fault.
pub fn run(bytes: &[u8]) {
    case(&mut Unstructured::new(bytes)).expect("every choice has something to choose from");
}

fn case(u: &mut Unstructured) -> Result<()> {
    let dtype = *u.choose(DType::ALL)?;
    let made = match u.int_in_range(0..=5)? {
        0 => directml(u, dtype)?,
        1 => directml_desc(u, dtype)?,
        2 => onnx(u, dtype)?,
        3 => openvino(u, dtype)?,
        4 => onednn(u, dtype)?,
        _ => of_webnn(u, dtype)?,
    };
    if let Some(clamp) = accepted(made) {
        assert_eq!((clamp.dtype(), clamp.source()), (dtype, dtype));
    }
    quantised(u)
}

/// `QuantizeLinear` and `DequantizeLinear`: a clamp if and only if the arguments are those of the standard.
fn quantised(u: &mut Unstructured) -> Result<()> {
    const FLOATS: [DType; 3] = [DType::F32, DType::F16, DType::BF16];
    const NARROW: [DType; 4] = [DType::U8, DType::I8, DType::U16, DType::I16];
    let (source, dtype) = (*u.choose(DType::ALL)?, *u.choose(DType::ALL)?);
    let scale = if u.arbitrary()? {
        *u.choose(&[0.5, 0.0, -0.0, 1e-45, f32::INFINITY, f32::NAN])?
    } else {
        f32::from_bits(u.arbitrary()?)
    };
    let zero_point = if u.arbitrary()? { i32::from(u.arbitrary::<i16>()?) } else { u.arbitrary()? };
    let quantizes = u.arbitrary()?;
    let (new, integer) = if quantizes {
        (Clamp::quantize_linear as fn(_, _, _, _) -> Made, dtype)
    } else {
        (Clamp::dequantize_linear as _, source)
    };
    let pair = if quantizes {
        FLOATS.contains(&source) && NARROW.contains(&dtype) && scale != 0.0
    } else {
        (NARROW.contains(&source) || source == DType::I32 && zero_point == 0) && FLOATS.contains(&dtype)
    };
    let good = pair && scale.is_finite() && {
        let [lowest, highest] = limits(integer);
        (lowest..=highest).contains(&zero_point.into())
    };
    let clamp = accepted(new(source, dtype, scale, zero_point));
    assert_eq!(clamp.is_some(), good, "{source} to {dtype}, {scale:?}, {zero_point}");
    if let Some(clamp) = clamp {
        assert_eq!((clamp.source(), clamp.dtype()), (source, dtype));
        assert_eq!(clamp.zero_point(), Some(zero_point));
        assert_eq!([clamp.min(), clamp.max()], [Number::Absent; 2]);
    }
    Ok(())
}

/// Every feature level of `DirectML`. A seed chooses a level by its index, so the order must stay.
pub const LEVELS: [FeatureLevel; 15] = [
    FeatureLevel::V6_4,
    FeatureLevel::V1_0,
    FeatureLevel::V2_0,
    FeatureLevel::V2_1,
    FeatureLevel::V3_0,
    FeatureLevel::V3_1,
    FeatureLevel::V4_0,
    FeatureLevel::V4_1,
    FeatureLevel::V5_0,
    FeatureLevel::V5_1,
    FeatureLevel::V5_2,
    FeatureLevel::V6_0,
    FeatureLevel::V6_1,
    FeatureLevel::V6_2,
    FeatureLevel::V6_3,
];

fn scale_bias(u: &mut Unstructured) -> Result<Option<ScaleBias>> {
    Ok(if u.arbitrary()? { Some(ScaleBias { scale: u.arbitrary()?, bias: u.arbitrary()? }) } else { None })
}

fn is_finite(scale_bias: Option<ScaleBias>) -> bool {
    scale_bias.is_none_or(|ScaleBias { scale, bias }| scale.is_finite() && bias.is_finite())
}

fn directml(u: &mut Unstructured, dtype: DType) -> Result<Made> {
    let level = *u.choose(&LEVELS)?;
    let ([min, max], scale_bias) = (floats(u)?, scale_bias(u)?);
    let made = Clamp::directml(dtype, min, max, scale_bias, level);
    let numbers = !min.is_nan() && !max.is_nan() && is_finite(scale_bias);
    let good = numbers && level.dtypes().contains(&dtype);
    let rules = (Order::MinWins, NanRule::ToMax);
    Ok(judged(made, good, [min, max].map(f64::from), rules, [f64::trunc; 2]))
}

/// Checks a constructor's result: it is a clamp if and only if the arguments are `good`, with these rules and bounds.
fn judged(
    made: Made,
    good: bool,
    values: [f64; 2],
    rules: (Order, NanRule),
    to_integer: [fn(f64) -> f64; 2],
) -> Made {
    assert_eq!(made.is_ok(), good, "{made:?}");
    made.inspect(|clamp| attributes(clamp, values, rules, to_integer))
}

/// Makes descriptions of operator and tensors, with any sizes and strides.
fn directml_desc(u: &mut Unstructured, dtype: DType) -> Result<Made> {
    let level = *u.choose(&LEVELS)?;
    let (sizes, strides): (Vec<u32>, Vec<u32>) = (numbers(u)?, numbers(u)?);
    let [with, without] = [Some(&strides[..]), None];
    let input = TensorDesc { dtype, sizes: &sizes, strides: if u.arbitrary()? { with } else { without } };
    let output = match u.int_in_range(0..=7)? {
        0 => TensorDesc { dtype: *u.choose(DType::ALL)?, ..input },
        1 => TensorDesc { sizes: &strides, ..input },
        2..=4 => TensorDesc { strides: with, ..input },
        _ => TensorDesc { strides: None, ..input },
    };
    if let Some(bytes) = accepted(input.total_tensor_size_in_bytes())
        && let Some(layout) = accepted(input.layout())
    {
        assert_eq!(bytes, layout.required_bytes(dtype), "{input:?}");
    }
    let scale_bias = scale_bias(u)?;
    let made = if u.arbitrary()? {
        let [min, max] = floats(u)?;
        ElementWiseClip { input, output, scale_bias, min, max }.resolve(level)
    } else {
        let min_max_dtype = if u.ratio(1, 8)? { *u.choose(DType::ALL)? } else { dtype };
        let mask = if u.ratio(1, 8)? { u64::MAX } else { mask(dtype) };
        let [min, max] = [u.arbitrary::<u64>()? & mask, u.arbitrary::<u64>()? & mask];
        let made = ElementWiseClip1 { input, output, scale_bias, min_max_dtype, min, max }.resolve(level);
        if let Ok((clamp, ..)) = &made {
            let scalar = |bits| Number::from(Scalar::from_bits(dtype, bits).unwrap());
            assert_eq!((clamp.min(), clamp.max()), (scalar(min), scalar(max)));
            assert!(level >= FeatureLevel::V5_0 && min_max_dtype == dtype);
        }
        made
    };
    Ok(made.map(|(clamp, src, dst)| {
        assert_eq!(src.shape(), dst.shape());
        assert!(level.ranks().contains(&src.rank()) && is_finite(scale_bias));
        assert_eq!((clamp.order(), clamp.nan_rule()), (Order::MinWins, NanRule::ToMax));
        clamp
    }))
}

fn onnx(u: &mut Unstructured, dtype: DType) -> Result<Made> {
    let opset = if u.ratio(1, 8)? { u.arbitrary()? } else { u.int_in_range(0..=15)? };
    let version = accepted(onnx::version(opset));
    assert_eq!(version.is_some(), opset > 0);
    let has = accepted(onnx::dtypes(opset)).is_some_and(|dtypes| dtypes.contains(&dtype));
    let rules = (Order::MaxWins, NanRule::Propagate);
    if u.arbitrary()? {
        let [min, max] = floats(u)?;
        let there: [bool; 2] = u.arbitrary()?;
        let (min, max) = (there[0].then_some(min), there[1].then_some(max));
        let made = Clamp::onnx(opset, dtype, Bounds::Attributes { min, max });
        let values = [min.unwrap_or(f32::MIN), max.unwrap_or(f32::MAX)].map(f64::from);
        return Ok(judged(made, has && opset < 11, values, rules, [f64::trunc; 2]));
    }
    let mut bound = || -> Result<Number> {
        Ok(match u.int_in_range(0..=5)? {
            0 => Number::Absent,
            1 => Number::OnGpu,
            2 => u.arbitrary::<i16>()?.into(),
            _ => Scalar::from_bits(dtype, u.arbitrary::<u64>()? & mask(dtype)).unwrap().into(),
        })
    };
    let (min, max) = (bound()?, bound()?);
    let made = Clamp::onnx(opset, dtype, Bounds::Inputs { min, max });
    let fits = |bound: Number| bound.value().is_none_or(|scalar| scalar.dtype() == dtype);
    assert_eq!(made.is_ok(), has && opset >= 11 && fits(min) && fits(max), "{made:?}");
    Ok(made.inspect(|clamp| {
        assert_eq!((clamp.order(), clamp.nan_rule()), rules);
        for (given, taken) in [(min, clamp.min()), (max, clamp.max())] {
            // An absent input becomes the lowest or the highest finite number.
            assert!(given == taken || given == Number::Absent && taken.value().is_some());
        }
    }))
}

fn openvino(u: &mut Unstructured, dtype: DType) -> Result<Made> {
    let [min, max]: [f64; 2] = if u.arbitrary()? { floats(u)?.map(f64::from) } else { u.arbitrary()? };
    let made = Clamp::openvino(dtype, min, max);
    let rules = (Order::MaxWins, NanRule::Propagate);
    Ok(judged(made, min <= max, [min, max], rules, [f64::ceil, f64::floor]))
}

fn onednn(u: &mut Unstructured, dtype: DType) -> Result<Made> {
    let [min, max] = floats(u)?;
    let made = Clamp::onednn(dtype, min, max);
    let good = min <= max && [DType::F32, DType::F16, DType::BF16].contains(&dtype);
    let rules = (Order::MaxWins, NanRule::ToMin);
    Ok(judged(made, good, [min, max].map(f64::from), rules, [f64::trunc; 2]))
}

fn of_webnn(u: &mut Unstructured, dtype: DType) -> Result<Made> {
    let given: [Option<f64>; 2] =
        if u.arbitrary()? { floats(u)?.map(|number| Some(number.into())) } else { u.arbitrary()? };
    let [min, max] = given.map(|number| number.map(webnn::MlNumber::from));
    let made = Clamp::webnn(dtype, min, max);
    let has = webnn::DTYPES.contains(&dtype);
    // A NaN that is cast to an integer becomes 0.
    let whole = |number: f64| if number.is_nan() && !dtype.is_float() { 0.0 } else { number };
    match (&made, given) {
        _ if !has => assert!(made.is_err(), "{made:?}"),
        (Ok(clamp), [Some(min), Some(max)]) => {
            let rules = (Order::MaxWins, NanRule::Propagate);
            attributes(clamp, [min, max], rules, [f64::round_ties_even; 2]);
            if let (Some(min), Some(max)) = (clamp.min().value(), clamp.max().value()) {
                let [min, max] = [min, max].map(Scalar::bits);
                let crossed = number(dtype, min) > number(dtype, max)
                    || !dtype.is_float() && integer(dtype, min) > integer(dtype, max);
                assert!(!crossed, "{clamp:?}");
            }
        }
        // Bounds that cross before the casts may be equal after them.
        (Err(_), [Some(min), Some(max)]) => assert!(whole(min) > whole(max), "{made:?}"),
        _ => assert!(made.is_ok(), "{made:?}"),
    }
    Ok(made)
}

/// Two floats: any bits, or small numbers.
fn floats(u: &mut Unstructured) -> Result<[f32; 2]> {
    if u.ratio(2, 3)? {
        return u.arbitrary();
    }
    Ok([u.arbitrary::<i16>()?, u.arbitrary()?].map(|n| f32::from(n) / 16.0))
}

fn numbers(u: &mut Unstructured) -> Result<Vec<u32>> {
    let mut numbers = Vec::new();
    for _ in 0..u.int_in_range(0..=9)? {
        numbers.push(match u.int_in_range(0..=3)? {
            0..=1 => u.int_in_range(1..=8)?,
            2 => u32::from(u.arbitrary::<u16>()?),
            _ => u.arbitrary()?,
        });
    }
    Ok(numbers)
}

/// Checks the rules of a clamp, and that its bounds are the attributes' `values` in its dtype.
fn attributes(clamp: &Clamp, values: [f64; 2], rules: (Order, NanRule), to_integer: [fn(f64) -> f64; 2]) {
    assert_eq!((clamp.order(), clamp.nan_rule()), rules);
    let dtype = clamp.dtype();
    for ((bound, value), to_integer) in [clamp.min(), clamp.max()].into_iter().zip(values).zip(to_integer) {
        let Some(bits) = bound.value().map(Scalar::bits) else {
            panic!("{clamp:?} lacks a bound of {value}")
        };
        let number = number(dtype, bits);
        if number.is_nan() {
            assert!(value.is_nan(), "{clamp:?} of {value}");
        } else if dtype.is_float() {
            nearest(dtype, value, bits, number);
        } else {
            let [lowest, highest] = limits(dtype);
            // `as` saturates, and every f64 beyond an i128 is beyond the dtype.
            let expected = (to_integer(value) as i128).clamp(lowest, highest);
            assert_eq!(integer(dtype, bits), expected, "{dtype} of {value}");
        }
    }
}

/// Checks that no number of the dtype is nearer to `value` than the number with these bits.
fn nearest(dtype: DType, value: f64, bits: u64, rounded: f64) {
    assert_eq!(rounded.is_sign_negative(), value.is_sign_negative(), "{dtype} of {value} is {rounded}");
    if dtype == DType::F64 {
        return assert_eq!(rounded.to_bits(), value.to_bits());
    }
    // Infinity counts as the number that would follow the largest finite one.
    let beyond = if dtype == DType::F16 { 65_536.0 } else { 2.0_f64.powi(128) };
    let off = |magnitude: u64| (number(dtype, magnitude).min(beyond) - value.abs().min(2.0 * beyond)).abs();
    let magnitude = bits & mask(dtype) >> 1;
    let beside = [magnitude.saturating_sub(1), magnitude + 1];
    assert!(beside.iter().all(|&other| off(magnitude) <= off(other)), "{dtype} of {value} is {rounded}");
}
