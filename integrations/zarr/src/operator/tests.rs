use clap::{Args as _, Command, FromArgMatches as _};
use wgpu_clamp::{DType, Precision, reference};

use super::Operator;
use crate::Result;

fn options(words: &str) -> Result<Operator> {
    let command = Operator::augment_args(Command::new("test").no_binary_name(true));
    let options = Operator::from_arg_matches(&command.try_get_matches_from(words.split(' '))?)?;
    options.refuse_nothing()?;
    options.refuse_nonsense()?;
    Ok(options)
}

/// The bits of an element, clamped.
fn clamp(dtype: DType, bits: u64, words: &str) -> u64 {
    reference::element(&options(words).unwrap().clamp(dtype).unwrap(), bits).unwrap()
}

fn f4(x: f32, words: &str) -> f32 {
    f32::from_bits(clamp(DType::F32, x.to_bits().into(), words) as u32)
}

fn f8(x: f64, words: &str) -> f64 {
    f64::from_bits(clamp(DType::F64, x.to_bits(), words))
}

#[track_caller]
fn same(a: f32, b: f32) {
    assert_eq!(a.to_bits(), b.to_bits());
}

#[test]
fn order_nan_precision_and_rounding() {
    let u1 = |x, words| clamp(DType::U8, x, words);
    assert_eq!(u1(15, "--scale 1.5 --bias -20 --max 200"), 2);
    assert_eq!(u1(250, "--scale 1.5 --bias -20 --max 200"), 200);
    assert_eq!(u1(5, "--min 9 --max 3"), 9);
    assert_eq!(u1(5, "--min 9 --max 3 --order min"), 9);
    assert_eq!(u1(5, "--min 9 --max 3 --order max"), 3);
    assert_eq!(u1(7, "--scale 0.5 --rounding zero"), 3);
    assert_eq!(u1(7, "--scale 0.5 --rounding even"), 4);
    assert!(f4(f32::NAN, "--min 1 --max 2").is_nan());
    assert!(f4(f32::NAN, "--min 1 --max 2 --nan keep").is_nan());
    same(f4(f32::NAN, "--min 1 --max 2 --nan min"), 1.0);
    same(f4(f32::NAN, "--min 1 --max 2 --nan max"), 2.0);
    same(f4(f32::NAN, "--nan max"), f32::INFINITY);
    same(f4(5.0, "--min nan --max nan"), 5.0);
    // Rounded once; 0.1 is an f32 or an f64.
    same(f4(3.0, "--scale 0.3333333432674408 --bias -1"), 2.0_f32.powi(-25));
    same(f4(3.0, "--scale 0.3333333432674408 --bias -1 --precision fast"), 2.0_f32.powi(-25));
    // The reference computes both precisions alike, so this looks at the clamps.
    let precision = |words| options(words).unwrap().clamp(DType::F32).unwrap().precision();
    assert_eq!(precision("--scale 2"), Precision::Exact);
    assert_eq!(precision("--scale 2 --precision fast"), Precision::Fast);
    same(f4(0.0, "--bias 0.1"), 0.1);
    assert_eq!(f8(0.0, "--bias 0.1").to_bits(), 0.1_f64.to_bits());
}

/// The values are from the documentation of the standards.
#[test]
fn standards() {
    let u1 = |x, words| clamp(DType::U8, x, words);
    let i2 = |x, words| clamp(DType::I16, x, words);
    assert_eq!(u1(0, "--min 0.8 --max 3.8 --standard openvino"), 1);
    assert_eq!(u1(9, "--max 3.5 --standard webnn"), 4);
    assert_eq!(u1(9, "--min 0 --max 2.5 --standard webnn"), 2);
    assert_eq!(u1(0, "--min 0.8 --max 3.8 --standard directml"), 0);
    assert_eq!(u1(9, "--min 0.8 --max 3.8 --standard directml:2.1"), 3);
    assert_eq!(i2(10, "--min 0 --max 100 --scale 2 --bias 1 --standard directml"), 21);
    assert_eq!(i2(10, "--min 0 --max 20 --scale 2 --bias 1 --standard clip1"), 20);
    assert_eq!(i2(10, "--min 0x10 --max 0x14 --standard clip1:5.0"), 16);
    assert_eq!(i2(10, "--min 12 --max 5 --standard clip1"), 12);
    assert_eq!(i2(10, "--min 12 --max 5 --standard onnx"), 5);
    assert_eq!(i2(10, "--max 5 --standard onnx:12"), 5);
    same(f4(f32::INFINITY, "--min 0 --standard onnx:11"), f32::MAX);
    assert_eq!(f8(f64::INFINITY, "--min 0 --standard onnx:6").to_bits(), f64::from(f32::MAX).to_bits());
    assert_eq!(f8(f64::INFINITY, "--max 0.1 --standard onnx:1").to_bits(), f64::from(0.1_f32).to_bits());
    assert_eq!(f8(f64::INFINITY, "--max 0.1 --standard onnx:13").to_bits(), 0.1_f64.to_bits());
    same(f4(f32::NAN, "--min 1 --max 2 --standard onednn"), 1.0);
    same(f4(f32::NAN, "--min 1 --max 2 --standard directml"), 2.0);
    assert!(f4(f32::NAN, "--min 1 --max 2 --standard openvino").is_nan());
}

#[test]
fn bounds_are_rounded_once_to_nearest() {
    same(f4(0.0, "--min 16777217"), 16_777_216.0);
    same(f4(0.0, "--min 16777219"), 16_777_220.0);
    assert_eq!(f8(0.0, "--min 0.1").to_bits(), 0.1_f64.to_bits());
    let f2 = |text: &str| clamp(DType::F16, 0, &format!("--min {text}"));
    // Rounded to f32 first, the first two would become ties, and then 1.
    assert_eq!(f2("1.00048828126"), 0x3c01);
    assert_eq!(f2("1.0004882812500003"), 0x3c01);
    assert_eq!(f2("1.00048828125"), 0x3c00);
    assert_eq!(f2("65519"), 0x7bff);
    assert_eq!(f2("inf"), 0x7c00);
    assert_eq!(f2("5.960464477539063e-8"), 1);
    assert_eq!(clamp(DType::I8, 0, "--min 0x55"), 0x55);
    assert_eq!(clamp(DType::U64, 0, "--min 18446744073709551613"), u64::MAX - 2);
}

#[test]
fn refusals() {
    use DType::{F16, F32, F64, I8, I32, I64, U8, U64};
    for (dtype, words, said) in [
        (U8, "--min -1", "--min: \"-1\" is no u8; give an integer from 0 to 255"),
        (I8, "--max=128", "an integer from -128 to 127"),
        (I32, "--max=2.5", "an integer from -2147483648 to 2147483647"),
        (I32, "--max=inf", "--max: \"inf\" is no i32"),
        (I32, "--max=", "--max: \"\" is no i32"),
        (I32, "--max=--5", "--max: \"--5\" is no i32"),
        (I32, "--max=0x-5", "--max: \"0x-5\" is no i32"),
        (U64, "--max=18446744073709551616", "to 18446744073709551615"),
        (F32, "--max=one", "--max: \"one\" is no f32; give a number"),
        (F32, "--max=0x10", "--max: \"0x10\" is no f32"),
        (F32, "--max=1e39", "--max: 1e39 is beyond the largest f32"),
        (F16, "--min=-65520", "--min: -65520 is beyond the largest f16"),
        (F64, "--max=1e400", "--max: 1e400 is beyond the largest f64"),
        (F32, "--scale=inf --min=0", "scale: inf is not finite"),
        (F32, "--bias=x --min=0", "--bias: \"x\" is no f32"),
        (I32, "--bias=16777217", "--bias: 16777217 would be rounded to 16777216; it is taken as f32"),
        (F64, "--dtype=f32 --max=none", "source: f64 does not convert to f32"),
        (U8, "--dtype=f16 --max=65520", "--max: 65520 is beyond the largest f16"),
        (U8, "--dtype=f32 --bias=16777217", "would be rounded to 16777216; it is taken as f32"),
        (I32, "--standard=directml --min=0 --max=16777217", "--max: 16777217 would be rounded"),
        (I64, "--standard=openvino --min=0 --max=9007199254740993", "rounded to 9007199254740992"),
        (I32, "--standard=onednn --min=0 --max=1", "i32 is not in oneDNN Graph Clamp"),
        (I32, "--standard=onnx:11 --min=0", "i32 is not in ONNX Clip-11"),
        (F64, "--standard=directml --min=0 --max=1", "f64 is not in DirectML CLIP"),
        (I64, "--standard=clip1:4.1 --min=0 --max=1", "not in DirectML feature level 4.1"),
        (F32, "--standard=openvino --min=1 --max=0", "1 is more than 0"),
        (F32, "--standard=directml --min=nan --max=0", "NaN is no bound"),
        (F32, "--order=max", "nothing to do: give --min or --max"),
        (F32, "--rounding=even", "nothing to do"),
        (
            F32,
            "--min=1 --order=up",
            "invalid value 'up' for '--order <ORDER>'\n  [possible values: min, max]",
        ),
        (F32, "--nan=zero", "'zero' for '--nan <RULE>'\n  [possible values: keep, min, max]"),
        (
            F32,
            "--min=1 --precision=double",
            "'double' for '--precision <P>'\n  [possible values: exact, fast]",
        ),
        (F32, "--dtype=fp32", "'--dtype <D>': dtype: \"fp32\" is unknown; give f32, f16"),
        (F32, "--dtype=u8 --rounding=up", "'up' for '--rounding <R>'\n  [possible values: zero, even]"),
        (F32, "--standard=onnx --dtype=u8", "--dtype, --rounding: --standard has no conversion"),
        (F32, "--standard=directml --rounding=even", "--dtype, --rounding: --standard has no conversion"),
        (F32, "--standard=numpy", "'numpy' for '--standard <S>': give directml"),
        (F32, "--standard=openvino:1", "'openvino:1' for '--standard <S>': give directml"),
        (F32, "--standard=onnx:0", "opset: 0 is no version"),
        (F32, "--standard=onnx:x", "\"x\" is no version"),
        (F32, "--standard=directml:9.9", "feature level: \"9.9\" is unknown; give 1.0, 2.0"),
        (F32, "--standard=openvino --min=0", "--standard needs both"),
        (F32, "--standard=onnx --min=0 --nan=max", "--nan: --standard has its own"),
        (F32, "--standard=onnx --min=0 --scale=2", "only directml and clip1"),
    ] {
        let error = options(words).and_then(|options| options.clamp(dtype)).unwrap_err().to_string();
        assert!(error.contains(said), "{words}: {error}");
    }
}
