//! What each standard refuses, as whole messages: a table per standard, kept in `snapshots/`.

use std::fmt::{Debug, Write as _};

use wgpu_clamp::standards::directml::{
    ElementWiseClip, ElementWiseClip1, FeatureLevel, ScaleBias, TensorDesc,
};
use wgpu_clamp::standards::onnx::Bounds;
use wgpu_clamp::standards::webnn::MlNumber;
use wgpu_clamp::{Clamp, DType, Error, Number};

use crate::said;

/// Arguments, each with the message below it.
#[derive(Default)]
struct Table(String);

impl Table {
    /// Adds a call, which must be refused.
    fn add<T: Debug>(&mut self, arguments: impl AsRef<str>, result: Result<T, Error>) {
        writeln!(self.0, "{}\n    {}", arguments.as_ref(), said(result)).unwrap();
    }

    #[track_caller]
    fn assert_kept(&self, standard: &str) {
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(standard, self.0));
    }
}

/// The first integer that f64 rounds.
const ROUNDED: i64 = (1 << 53) + 1;

#[test]
fn webnn() {
    let mut table = Table::default();
    let pairs: [(DType, MlNumber, MlNumber); 12] = [
        (DType::BF16, 0.0.into(), 1.0.into()),
        (DType::F32, 0.1.into(), 0.into()),
        (DType::F32, (1_i64 << 60).into(), ROUNDED.into()),
        (DType::F32, f64::INFINITY.into(), f64::MIN.into()),
        (DType::F16, 1e300.into(), i128::MIN.into()),
        (DType::I8, f64::NAN.into(), (-1.0).into()),
        (DType::I8, 0.6.into(), 0.4.into()),
        (DType::U8, 2.5.into(), 1.into()),
        (DType::I32, f64::INFINITY.into(), f64::NAN.into()),
        (DType::I64, ROUNDED.into(), (ROUNDED - 1).into()),
        (DType::I64, f64::INFINITY.into(), (i64::MAX - 1).into()),
        (DType::U64, u64::MAX.into(), (u64::MAX - 1).into()),
    ];
    for (dtype, min, max) in pairs {
        table.add(format!("{dtype}, {min:?}, {max:?}"), Clamp::webnn(dtype, Some(min), Some(max)));
    }
    table.assert_kept("webnn");
}

#[test]
fn openvino() {
    let mut table = Table::default();
    for (dtype, min, max) in [
        (DType::F32, f64::NAN, 1.0),
        (DType::I64, f64::NEG_INFINITY, -f64::NAN),
        (DType::F32, 1.0_f64.next_up(), 1.0),
        (DType::F16, 0.1, 0.0),
        (DType::U8, f64::INFINITY, f64::NEG_INFINITY),
        (DType::F64, f64::MAX, 5e-324),
        (DType::I64, 9_007_199_254_740_994.0, 9_007_199_254_740_992.0),
        (DType::U64, 18_446_744_073_709_551_616.0, 9_223_372_036_854_775_808.0),
    ] {
        table.add(format!("{dtype}, {min:?}, {max:?}"), Clamp::openvino(dtype, min, max));
    }
    table.assert_kept("openvino");
}

#[test]
fn onednn() {
    let mut table = Table::default();
    for (dtype, min, max) in [
        (DType::F64, 0.0, 1.0),
        (DType::I8, 0.0, 1.0),
        (DType::F32, f32::NAN, 1.0),
        (DType::F16, f32::NEG_INFINITY, f32::NAN),
        (DType::F32, 0.1, 0.0),
        (DType::BF16, 1.0_f32.next_up(), 1.0),
        (DType::F16, f32::INFINITY, f32::MAX),
        (DType::F32, 18_014_400_656_965_632.0, 18_014_398_509_481_984.0),
    ] {
        table.add(format!("{dtype}, {min:?}, {max:?}"), Clamp::onednn(dtype, min, max));
    }
    table.assert_kept("onednn");
}

#[test]
fn onnx() {
    let mut table = Table::default();
    let attributes = Bounds::Attributes { min: None, max: Some(f32::NAN) };
    let inputs = |min, max| Bounds::Inputs { min, max };
    for (opset, dtype, bounds) in [
        (0, DType::F32, attributes),
        (9, DType::I8, attributes),
        (11, DType::BF16, inputs(Number::Absent, Number::OnGpu)),
        (3, DType::F32, inputs(Number::Absent, Number::Absent)),
        (13, DType::F32, attributes),
        (12, DType::U8, inputs(256_u16.into(), Number::Absent)),
        (13, DType::F64, inputs(f64::NAN.into(), f32::INFINITY.into())),
        (13, DType::U64, inputs(Number::OnGpu, ROUNDED.into())),
    ] {
        table.add(format!("{opset}, {dtype}, {bounds:?}"), Clamp::onnx(opset, dtype, bounds));
    }
    table.assert_kept("onnx");
}

#[test]
fn directml() {
    use FeatureLevel::{V1_0, V2_1, V3_0, V4_1, V5_0};
    let mut table = Table::default();
    let scaled = |scale, bias| Some(ScaleBias { scale, bias });
    for (dtype, min, max, scale_bias, level) in [
        (DType::BF16, 0.0, 1.0, None, V1_0),
        (DType::I64, 0.0, 1.0, None, V2_1),
        (DType::F32, f32::NAN, 1.0, None, V5_0),
        (DType::U64, f32::NEG_INFINITY, f32::NAN, None, V5_0),
        (DType::F32, 0.0, 1.0, scaled(f32::NAN, 0.0), V5_0),
        (DType::U8, 0.0, 1.0, scaled(0.1, f32::NEG_INFINITY), V5_0),
    ] {
        let given = format!("CLIP of {dtype}, {min:?}, {max:?}, {scale_bias:?}, {level}");
        table.add(given, Clamp::directml(dtype, min, max, scale_bias, level));
    }

    let tensor = |dtype, sizes| TensorDesc { dtype, sizes, strides: None };
    let bytes = tensor(DType::U8, &[2, 3]);
    let strided = TensorDesc { strides: Some(&[1]), ..bytes };
    for (input, output, level) in [
        (bytes, tensor(DType::I8, &[2, 3]), V5_0),
        (bytes, tensor(DType::U8, &[3, 2]), V5_0),
        (bytes, bytes, V2_1),
        (tensor(DType::U8, &[1; 9]), tensor(DType::U8, &[1; 9]), V3_0),
        (bytes, strided, V5_0),
    ] {
        let [from, to] = [input, output].map(|TensorDesc { dtype, sizes, strides }| {
            format!("{dtype} {sizes:?}{}", strides.map_or_else(String::new, |it| format!(" by {it:?}")))
        });
        let clip = ElementWiseClip { input, output, scale_bias: None, min: 0.0, max: 1.0 };
        table.add(format!("CLIP of {from} to {to}, {level}"), clip.resolve(level));
    }

    let tensor = |dtype| TensorDesc { dtype, sizes: &[3], strides: None };
    for (dtype, min_max_dtype, min, max, level) in [
        (DType::F32, DType::F32, 0, 1, V4_1),
        (DType::F64, DType::F64, 0, 1, V5_0),
        (DType::I64, DType::U64, 0, 1, V5_0),
        (DType::U8, DType::U8, 0, 256, V5_0),
        (DType::F32, DType::F32, 0x7fc0_0000, 1, V5_0),
        (DType::F16, DType::F16, 0xfc00, 0xfc01, V5_0),
    ] {
        let (input, output) = (tensor(dtype), tensor(dtype));
        let clip = ElementWiseClip1 { input, output, scale_bias: None, min_max_dtype, min, max };
        let given = format!("CLIP1 of {dtype}, {min:#x} and {max:#x} of {min_max_dtype}, {level}");
        table.add(given, clip.resolve(level));
    }
    table.assert_kept("directml");
}
