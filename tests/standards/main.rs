//! Compares the constructors of the five standards with their texts. `snapshots/` keeps a table per standard: the dtypes of
//! each version, clamps and refusals. Whoever changes a row compares it with the text. The fuzz target `standards` has all
//! other bounds. None of this needs a GPU.

mod directml;

use std::fmt::Write as _;

use wgpu_clamp::standards::onnx::{self, Bounds};
use wgpu_clamp::standards::webnn::MlNumber;
use wgpu_clamp::{Clamp, DType, Element as _, Error, Number, Scalar, reference};

/// Calls, each with the clamp or the refusal below it.
#[derive(Default)]
struct Table(String);

impl Table {
    /// Adds a call: the bits of the bounds, and the rules.
    fn add(&mut self, call: impl AsRef<str>, made: Result<Clamp, Error>) {
        let bound = |number: Number| match number {
            Number::Value(value) => format!("{:#x}", value.bits()),
            other => format!("{other:?}"),
        };
        let text = made.map(|clamp| {
            let [min, max] = [clamp.min(), clamp.max()].map(bound);
            let step = match (clamp.scale().value(), clamp.bias().value()) {
                (Some(scale), Some(bias)) => format!("x * {scale} + {bias} "),
                _ => String::new(),
            };
            format!("{step}in {min}..{max}, {:?}, NaN: {:?}", clamp.order(), clamp.nan_rule())
        });
        self.line(call, text);
    }

    fn line(&mut self, call: impl AsRef<str>, said: Result<String, Error>) {
        let said = said.unwrap_or_else(|error| format!("refused: {error}"));
        writeln!(self.0, "{}\n    {said}", call.as_ref()).unwrap();
    }

    /// Adds the dtypes that a version takes, and checks that the refusals of the others name them.
    fn dtypes(&mut self, version: impl AsRef<str>, construct: impl Fn(DType) -> Result<Clamp, Error>) {
        let (taken, refused): (Vec<_>, Vec<_>) =
            DType::ALL.iter().copied().partition(|&dtype| construct(dtype).is_ok());
        for &dtype in &taken {
            assert_eq!(construct(dtype).unwrap().dtype(), dtype);
        }
        for dtype in refused {
            let Err(Error::Standard { refusal, .. }) = construct(dtype) else { panic!("{dtype}") };
            assert_eq!(refusal.argument, "dtype");
            assert!(refusal.value.starts_with(&format!("{dtype} ")), "{refusal}");
            let named = refusal.remedy.strip_prefix("it takes ").unwrap().split("; ").next().unwrap();
            assert!(
                named.split(", ").all(|name| taken.iter().any(|taken| taken.name() == name)),
                "{refusal}"
            );
            assert_eq!(named.split(", ").count(), taken.len(), "{refusal}");
        }
        let names: Vec<_> = taken.iter().map(|dtype| dtype.name()).collect();
        self.line(version, Ok(names.join(" ")));
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
    table.dtypes("WebNN", |dtype| Clamp::webnn(dtype, Some(0.0.into()), Some(6.0.into())));
    table.add("f32, absent, 1.0", Clamp::webnn(DType::F32, None, Some(1.0.into())));
    table.add("i64, absent, absent", Clamp::webnn(DType::I64, None, None));
    let mut one = |dtype, number: MlNumber| {
        table.add(format!("{dtype}, {number:?} twice"), Clamp::webnn(dtype, Some(number), Some(number)));
    };
    // A tie of f32, and the next integer, which f64 rounds to the tie.
    let tie = (1_i128 << 60) + (1 << 36);
    for number in [tie, tie + 1] {
        one(DType::F32, number.into());
    }
    for number in [2049, 2051, 65_519, -65_520, i64::MIN] {
        one(DType::F16, number.into());
    }
    for (dtype, numbers) in [
        (DType::U64, &[ROUNDED.into(), i128::MAX][..]),
        (DType::I64, &[i128::from(i64::MIN) - 1, i128::from(i64::MAX) + 1]),
        (DType::I8, &[-129, 128]),
        (DType::I32, &[1 << 31]),
        (DType::U8, &[-1, 256]),
    ] {
        for &number in numbers {
            one(dtype, number.into());
        }
    }
    let pairs: [(DType, MlNumber, MlNumber); 9] = [
        (DType::F32, 0.1.into(), 0.into()),
        (DType::F32, (1_i64 << 60).into(), ROUNDED.into()),
        (DType::F16, 1e300.into(), i128::MIN.into()),
        (DType::U8, 2.5.into(), 1.into()),
        (DType::I64, ROUNDED.into(), (ROUNDED - 1).into()),
        (DType::I64, f64::INFINITY.into(), (i64::MAX - 1).into()),
        (DType::U64, u64::MAX.into(), (u64::MAX - 1).into()),
        // Equal after the cast, or a float NaN.
        (DType::I8, 0.4.into(), 0.2.into()),
        (DType::F32, f64::NAN.into(), (-1.0).into()),
    ];
    for (dtype, min, max) in pairs {
        table.add(format!("{dtype}, {min:?}, {max:?}"), Clamp::webnn(dtype, Some(min), Some(max)));
    }
    table.assert_kept("webnn");
}

#[test]
fn openvino() {
    let mut table = Table::default();
    table.dtypes("OpenVINO", |dtype| Clamp::openvino(dtype, 0.0, 6.0));
    for (dtype, min, max) in [
        (DType::F32, -1.0, 1.0),
        (DType::F32, 0.0, -0.0),
        // Min up and Max down, which may cross: an unsigned dtype has no -1.
        (DType::I8, -0.5, 0.5),
        (DType::I32, 0.2, 0.8),
        (DType::U32, -0.8, -0.2),
        // 2^63 itself is beyond I64, and the last f64 below it is 2^63 - 1024.
        (DType::I64, 0.0, 9_223_372_036_854_774_784.0),
        (DType::U64, 9_223_372_036_854_775_808.0, 1.9e19),
        // Compared before they are rounded.
        (DType::F32, 1.0_f64.next_up(), 1.0),
        (DType::F16, 0.1, 0.0),
        (DType::U8, f64::INFINITY, f64::NEG_INFINITY),
        (DType::F64, f64::MAX, 5e-324),
        (DType::I64, 9_007_199_254_740_994.0, 9_007_199_254_740_992.0),
        (DType::U64, 18_446_744_073_709_551_616.0, 9_223_372_036_854_775_808.0),
        (DType::F32, f64::NAN, 1.0),
        (DType::I64, f64::NEG_INFINITY, -f64::NAN),
    ] {
        table.add(format!("{dtype}, {min:?}, {max:?}"), Clamp::openvino(dtype, min, max));
    }
    table.assert_kept("openvino");
}

#[test]
fn onednn() {
    let mut table = Table::default();
    table.dtypes("oneDNN", |dtype| Clamp::onednn(dtype, 0.0, 6.0));
    for (dtype, min, max) in [
        (DType::F32, -2.0, 1.0),
        (DType::F32, 0.0, -0.0),
        (DType::F16, f32::NEG_INFINITY, f32::INFINITY),
        (DType::F32, f32::NAN, 1.0),
        (DType::F16, f32::NEG_INFINITY, f32::NAN),
        (DType::F32, 0.1, 0.0),
        // Compared before they are rounded.
        (DType::BF16, 1.0_f32.next_up(), 1.0),
        (DType::F16, f32::INFINITY, f32::MAX),
        (DType::F32, 18_014_400_656_965_632.0, 18_014_398_509_481_984.0),
    ] {
        table.add(format!("{dtype}, {min:?}, {max:?}"), Clamp::onednn(dtype, min, max));
    }
    table.assert_kept("onednn");
}

/// The bounds of a node that gives none, in the form of its opset.
fn none(opset: u32) -> Bounds {
    if opset < 11 {
        Bounds::Attributes { min: None, max: None }
    } else {
        Bounds::Inputs { min: Number::Absent, max: Number::Absent }
    }
}

#[test]
fn onnx() {
    let versions: Vec<u32> = (1..=15).map(|opset| onnx::version(opset).unwrap()).collect();
    assert_eq!(versions, [1, 1, 1, 1, 1, 6, 6, 6, 6, 6, 11, 12, 13, 13, 13]);
    assert_eq!(onnx::version(u32::MAX), Ok(13));
    assert_eq!(onnx::dtypes(0).unwrap_err(), onnx::version(0).unwrap_err());
    let mut table = Table::default();
    for opset in [1, 6, 11, 12, 13, u32::MAX] {
        table.dtypes(format!("opset {opset}"), |dtype| Clamp::onnx(opset, dtype, none(opset)));
    }
    let mut add = |opset, dtype, bounds| {
        table.add(format!("opset {opset}, {dtype}, {bounds:?}"), Clamp::onnx(opset, dtype, bounds));
    };
    // Absent attributes are the largest f32, absent inputs the ends of the dtype.
    for dtype in [DType::F32, DType::F16, DType::F64] {
        add(6, dtype, none(6));
    }
    for &dtype in DType::ALL {
        add(13, dtype, none(13));
    }
    let attributes = |min, max| Bounds::Attributes { min, max };
    let inputs = |min, max| Bounds::Inputs { min, max };
    let signalling = Scalar::from_bits(DType::F32, 0x7f80_0001).unwrap();
    for (opset, dtype, bounds) in [
        (1, DType::F16, attributes(None, Some(1.0))),
        (6, DType::F16, attributes(Some(1.0), None)),
        (6, DType::F64, attributes(Some(f32::NAN), Some(0.1))),
        (10, DType::F32, attributes(Some(2.0), Some(1.0))),
        (11, DType::F32, inputs(2.0_f32.into(), 1.0_f32.into())),
        (11, DType::F64, inputs(Number::OnGpu, Number::OnGpu)),
        (12, DType::I64, inputs(ROUNDED.into(), i64::MAX.into())),
        (13, DType::U8, inputs(Number::OnGpu, Number::Absent)),
        (13, DType::F32, inputs(Number::Absent, signalling.into())),
        (0, DType::F32, none(0)),
        (9, DType::I8, none(9)),
        (11, DType::BF16, inputs(Number::Absent, Number::OnGpu)),
        (3, DType::F32, none(13)),
        (13, DType::F32, attributes(None, Some(f32::NAN))),
        (12, DType::U8, inputs(256_u16.into(), Number::Absent)),
        (13, DType::F64, inputs(f64::NAN.into(), f32::INFINITY.into())),
        (13, DType::U64, inputs(Number::OnGpu, ROUNDED.into())),
    ] {
        add(opset, dtype, bounds);
    }
    table.assert_kept("onnx");
    // By its absent bounds, infinity becomes the largest finite number.
    let clamp = Clamp::onnx(11, DType::F32, none(11)).unwrap();
    assert_eq!(reference::element(&clamp, f32::INFINITY.to_bits64()).unwrap(), f32::MAX.to_bits64());
}
