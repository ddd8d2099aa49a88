//! `DirectML` CLIP and CLIP1.

use clamp_testing::directml_text::cases;
use wgpu_clamp::standards::Standard;
use wgpu_clamp::standards::directml::{
    ElementWiseClip, ElementWiseClip1, FeatureLevel, ScaleBias, TensorDesc,
};
use wgpu_clamp::{Clamp, DType, Layout, NanRule, Number, Order, reference};

use crate::{assert_dtypes, both, bounds, said};

/// The levels and their names, in order.
fn levels() -> impl Iterator<Item = (FeatureLevel, &'static str)> {
    let names = "1.0 2.0 2.1 3.0 3.1 4.0 4.1 5.0 5.1 5.2 6.0 6.1 6.2 6.3 6.4";
    let mut levels = clamp_fuzz::standards::LEVELS;
    levels.sort();
    levels.into_iter().zip(names.split(' '))
}

fn packed(dtype: DType, sizes: &[u32]) -> TensorDesc<'_> {
    TensorDesc { dtype, sizes, strides: None }
}

fn clip<'a>(input: TensorDesc<'a>, output: TensorDesc<'a>) -> ElementWiseClip<'a> {
    ElementWiseClip { input, output, scale_bias: None, min: 0.0, max: 6.0 }
}

/// CLIP1 with bounds whose bits are 0 and 1.
fn clip1<'a>(input: TensorDesc<'a>, output: TensorDesc<'a>) -> ElementWiseClip1<'a> {
    let min_max_dtype = input.dtype;
    ElementWiseClip1 { input, output, scale_bias: None, min_max_dtype, min: 0, max: 1 }
}

#[test]
fn cases_from_the_text() {
    let cases = cases();
    for case in &cases {
        let results: Vec<u64> =
            case.src.iter().map(|&x| reference::element(&case.clamp, x).unwrap()).collect();
        assert_eq!(results, case.expected, "{}: {:?} of {:x?}", case.sentence, case.clamp, case.src);
    }
    println!("DirectML: {} cases from its text", cases.len());
}

#[test]
fn levels_are_ordered_and_the_newest_is_the_default() {
    assert!(levels().all(|(level, name)| level.to_string() == name));
    assert_eq!(levels().last().map(|(level, _)| level), Some(FeatureLevel::default()));
}

#[test]
fn dtypes_by_level() {
    for (level, name) in levels() {
        let accepted = match name {
            "1.0" | "2.0" => "f32 f16",
            "2.1" | "3.0" | "3.1" | "4.0" | "4.1" => "f32 f16 i8 i16 i32 u8 u16 u32",
            _ => "f32 f16 i8 i16 i32 u8 u16 u32 i64 u64",
        };
        let standard = Standard::DirectMl { level };
        let sizes = [1, 2, 3, 4];
        assert_dtypes(standard, accepted, |dtype| Clamp::directml(dtype, 0.0, 6.0, None, level));
        assert_dtypes(standard, accepted, |dtype| {
            let tensor = packed(dtype, &sizes);
            clip(tensor, tensor).resolve(level).map(|(clamp, _, _)| clamp)
        });
        if level >= FeatureLevel::V5_0 {
            assert_dtypes(standard, accepted, |dtype| {
                let tensor = packed(dtype, &sizes);
                clip1(tensor, tensor).resolve(level).map(|(clamp, _, _)| clamp)
            });
        }
    }
}

#[test]
fn ranks_by_level() {
    for (level, name) in levels() {
        let allowed = if matches!(name, "1.0" | "2.0" | "2.1") { 4..=4 } else { 1..=8 };
        for rank in 0..=9 {
            let sizes = vec![1; rank];
            let tensor = packed(DType::F32, &sizes);
            let result = clip(tensor, tensor).resolve(level);
            if allowed.contains(&rank) {
                assert_eq!(result.unwrap().1.rank(), rank);
            } else {
                let (least, most) = (allowed.start(), allowed.end());
                let takes = if least == most { least.to_string() } else { format!("{least} to {most}") };
                let message =
                    format!("sizes: {rank} dimensions are not in DirectML CLIP at feature level {name}");
                assert_eq!(result.unwrap_err().to_string(), format!("{message}; it takes {takes}"));
            }
        }
    }
}

#[test]
fn clip1_is_since_5_0() {
    let tensor = packed(DType::F32, &[1, 1, 1, 1]);
    for (level, name) in levels() {
        let result = clip1(tensor, tensor).resolve(level);
        let since = FeatureLevel::V5_0;
        let refused =
            format!("level: ELEMENT_WISE_CLIP1 is not in DirectML feature level {name}; it is since 5.0");
        assert_eq!(result.err().map(|error| error.to_string()), (level < since).then_some(refused));
    }
}

#[test]
fn rules() {
    let tensor = packed(DType::F32, &[4]);
    let level = FeatureLevel::default();
    let clip1 = ElementWiseClip1::new(tensor, tensor, None, 2.0_f32, 1.0).resolve(level).unwrap().0;
    let clip = Clamp::directml(DType::F32, 2.0, 1.0, None, level).unwrap();
    assert_eq!(clip, clip1);
    assert_eq!((clip.order(), clip.nan_rule()), (Order::MinWins, NanRule::ToMax));
    assert_eq!(affine(&clip), (Number::Absent, Number::Absent));
}

#[test]
fn to_integers() {
    let of = |dtype, value: f32| both(Clamp::directml(dtype, value, value, None, FeatureLevel::default()));
    for value in [0.99, -0.99, 0.5, -0.5, -0.0, 1e-45] {
        for dtype in FeatureLevel::default().dtypes().iter().filter(|dtype| !dtype.is_float()) {
            assert_eq!(of(*dtype, value), 0, "{value} as {dtype}");
        }
    }
    let power = |n| 2.0_f32.powi(n);
    for (dtype, value, bits) in [
        (DType::I8, -1.5, 0xff),
        (DType::I8, 1.999, 1),
        (DType::I8, 128.0, 0x7f),
        (DType::I8, -129.0, 0x80),
        (DType::U8, 256.0, 0xff),
        (DType::I16, 1e5, 0x7fff),
        (DType::I16, -1e5, 0x8000),
        (DType::U16, -1.0, 0),
        (DType::I32, power(31).next_down(), 0x7fff_ff80),
        (DType::I32, power(31), 0x7fff_ffff),
        (DType::U32, power(31), 1 << 31),
        (DType::U32, power(32), 0xffff_ffff),
        (DType::I64, power(63).next_down(), (1 << 63) - (1 << 39)),
        (DType::I64, power(63), (1 << 63) - 1),
        (DType::U64, power(63), 1 << 63),
        (DType::I64, -power(63), 1 << 63),
        (DType::I64, f32::MIN, 1 << 63),
        (DType::U64, f32::INFINITY, u64::MAX),
        (DType::U64, f32::NEG_INFINITY, 0),
    ] {
        assert_eq!(of(dtype, value), bits, "{value} as {dtype}");
    }
}

#[test]
fn nan_bounds_are_refused() {
    let level = FeatureLevel::V5_0;
    let refused = |argument: &str| {
        format!(
            "{argument}: NaN is no bound of DirectML CLIP at feature level 5.0; give a number, or ±infinity for none"
        )
    };
    for &dtype in level.dtypes() {
        assert_eq!(said(Clamp::directml(dtype, f32::NAN, 1.0, None, level)), refused("min"));
        assert_eq!(said(Clamp::directml(dtype, 1.0, -f32::NAN, None, level)), refused("max"));
    }
    for (dtype, first, last) in [(DType::F32, 0x7f80_0001, 0xffff_ffff), (DType::F16, 0x7c01, 0xffff)] {
        let tensor = packed(dtype, &[3]);
        for nan in [first, last] {
            let clip1 = clip1(tensor, tensor);
            assert_eq!(said(ElementWiseClip1 { min: nan, ..clip1 }.resolve(level)), refused("min"));
            assert_eq!(said(ElementWiseClip1 { max: nan, ..clip1 }.resolve(level)), refused("max"));
        }
        let largest = ElementWiseClip1 { max: first - 1, ..clip1(tensor, tensor) };
        assert_eq!(largest.resolve(level).map(|(clamp, _, _)| bounds(&clamp).1), Ok(first - 1));
    }
    // The bits of a NaN are a number of an integer dtype.
    let tensor = packed(DType::U32, &[3]);
    assert!(ElementWiseClip1 { max: 0x7fc0_0000, ..clip1(tensor, tensor) }.resolve(level).is_ok());
}

fn affine(clamp: &Clamp) -> (Number, Number) {
    (clamp.scale(), clamp.bias())
}

#[test]
fn scale_and_bias() {
    let level = FeatureLevel::default();
    for &dtype in level.dtypes() {
        let of = |scale, bias| {
            let scale_bias = Some(ScaleBias { scale, bias });
            let tensor = packed(dtype, &[3]);
            let clamp = Clamp::directml(dtype, 0.0, 6.0, scale_bias, level);
            let by_desc = ElementWiseClip { scale_bias, ..clip(tensor, tensor) }.resolve(level);
            assert_eq!(format!("{clamp:?}"), format!("{:?}", by_desc.map(|(clamp, _, _)| clamp)));
            let typed = ElementWiseClip1 { scale_bias, ..clip1(tensor, tensor) }.resolve(level);
            assert_eq!(
                typed.map(|(clamp, _, _)| affine(&clamp)).ok(),
                clamp.clone().map(|clamp| affine(&clamp)).ok()
            );
            clamp
        };
        assert_eq!(affine(&of(1.5, -20.0).unwrap()), (1.5_f32.into(), (-20.0_f32).into()));
        assert_eq!(affine(&of(1.0, 0.0).unwrap()), (Number::Absent, Number::Absent));
        let finite = "the affine step takes finite numbers";
        assert_eq!(said(of(f32::NAN, 0.0)), format!("scale: NaN is not finite; {finite}"));
        assert_eq!(said(of(1.0, f32::INFINITY)), format!("bias: inf is not finite; {finite}"));
    }
}

#[test]
fn tensors_must_agree() {
    let level = FeatureLevel::default();
    let (u8s, i8s) = (packed(DType::U8, &[2, 3]), packed(DType::I8, &[2, 3]));
    let mismatch =
        |argument: &str| format!("{argument}: i8 is not the dtype of input, u8; they must be equal");
    assert_eq!(said(clip(u8s, i8s).resolve(level)), mismatch("output"));
    assert_eq!(said(clip1(u8s, i8s).resolve(level)), mismatch("output"));
    let typed = ElementWiseClip1::new(u8s, u8s, None, 0_i8, 1);
    assert_eq!(said(typed.resolve(level)), mismatch("min_max_dtype"));
    let wide = ElementWiseClip1 { min: 256, ..clip1(u8s, u8s) };
    let refused = "min: 0x100 has bits beyond the 8 of u8; give the element's bits, zero-extended";
    assert_eq!(said(wide.resolve(level)), refused);
    for sizes in [&[3, 2][..], &[6], &[1, 2, 3]] {
        let other = packed(DType::U8, sizes);
        assert!(said(clip(u8s, other).resolve(level)).contains("differs from that of src"));
        assert!(said(clip1(u8s, other).resolve(level)).contains("differs from that of src"));
    }
}

#[test]
fn layouts_of_strides() {
    let input = TensorDesc { dtype: DType::F16, sizes: &[1, 2, 2, 3], strides: Some(&[9, 0, 4, 1]) };
    let output = packed(DType::F16, &[1, 2, 2, 3]);
    let (_, src, dst) = clip(input, output).resolve(FeatureLevel::V1_0).unwrap();
    assert_eq!(src, Layout::strided(&[1, 2, 2, 3], &[9, 0, 4, 1], 0).unwrap());
    assert_eq!(dst, Layout::packed(&[1, 2, 2, 3]).unwrap());
    let short = TensorDesc { dtype: DType::F16, sizes: &[1, 2, 2, 3], strides: Some(&[1, 2, 3]) };
    let refused = "strides: 3 given for a shape of rank 4; one stride per dimension is needed";
    assert_eq!(said(clip(short, output).resolve(FeatureLevel::V1_0)), refused);
    assert_eq!(said(short.total_tensor_size_in_bytes()), refused);
}

#[test]
fn tensor_sizes() {
    for (dtype, sizes, strides, bytes) in [
        (DType::F32, &[1, 2, 3, 4][..], None, 96),
        (DType::U8, &[1, 1, 1, 5], None, 8),
        (DType::F16, &[3], None, 8),
        (DType::I64, &[3], None, 24),
        // The size ends with the last element, not with its row.
        (DType::F16, &[2, 3], Some(&[8, 1][..]), 24),
        (DType::U8, &[2, 3], Some(&[5, 1]), 8),
        (DType::F32, &[100, 100], Some(&[0, 0]), 4),
        (DType::F32, &[2, 0], None, 0),
        (DType::F32, &[2, 0], Some(&[7, 1]), 0),
        // DirectML's helper sums in 32 bits, which gives 12 for the first of these tensors.
        (DType::F32, &[2, 65536, 65536], Some(&[3, 65536, 1]), 4 * ((1 << 32) + 3)),
        (DType::U8, &[u32::MAX, 2], Some(&[2, u32::MAX]), (3 << 32) - 4),
        (DType::I64, &[u32::MAX; 8], None, u64::MAX),
        (DType::I64, &[u32::MAX; 8], Some(&[u32::MAX; 8]), u64::MAX),
    ] {
        let desc = TensorDesc { dtype, sizes, strides };
        assert_eq!(desc.total_tensor_size_in_bytes(), Ok(bytes), "{desc:?}");
        // `Layout` computes the same size in another way.
        if let Ok(layout) = desc.layout() {
            assert_eq!(bytes, layout.required_bytes(dtype));
        }
    }
}
