//! `DirectML` CLIP and CLIP1. `DirectML` runs on Windows only, so there are no recorded outputs of it.

use wgpu_clamp::standards::directml::{
    ElementWiseClip, ElementWiseClip1, FeatureLevel, ScaleBias, TensorDesc,
};
use wgpu_clamp::{Clamp, DType, Layout};

use crate::Table;

/// The levels, in order.
fn levels() -> Vec<FeatureLevel> {
    let mut levels = clamp_fuzz::standards::LEVELS.to_vec();
    levels.sort();
    assert_eq!(levels.last(), Some(&FeatureLevel::default()));
    levels
}

fn packed(dtype: DType, sizes: &[u32]) -> TensorDesc<'_> {
    TensorDesc { dtype, sizes, strides: None }
}

fn clip<'a>(input: TensorDesc<'a>, output: TensorDesc<'a>) -> ElementWiseClip<'a> {
    ElementWiseClip { input, output, scale_bias: None, min: 0.0, max: 6.0 }
}

/// CLIP1 with bounds given as bits.
fn clip1(tensor: TensorDesc<'_>, min_max_dtype: DType, min: u64, max: u64) -> ElementWiseClip1<'_> {
    ElementWiseClip1 { input: tensor, output: tensor, scale_bias: None, min_max_dtype, min, max }
}

#[test]
fn versions_clamps_and_refusals() {
    use FeatureLevel::{V1_0, V2_1, V3_0, V4_1, V5_0};
    let mut table = Table::default();
    for level in levels() {
        table.dtypes(format!("CLIP, {level}"), |dtype| Clamp::directml(dtype, 0.0, 6.0, None, level));
        let tensor = packed(DType::F32, &[1, 1, 1, 1]);
        table.add(format!("CLIP1, {level}"), clip1(tensor, DType::F32, 0, 1).resolve(level).map(|it| it.0));
        let ranks = (0..=9).filter(|&rank| {
            let sizes = vec![1; rank];
            let tensor = packed(DType::F32, &sizes);
            clip(tensor, tensor).resolve(level).is_ok_and(|(_, src, _)| src.rank() == rank)
        });
        table.line(format!("ranks, {level}"), Ok(format!("{:?}", ranks.collect::<Vec<_>>())));
    }
    let scaled = |scale, bias| Some(ScaleBias { scale, bias });
    for (dtype, min, max, scale_bias) in [
        (DType::F32, 2.0, 1.0, None),
        (DType::F32, 0.0, 6.0, scaled(1.5, -20.0)),
        (DType::U8, 0.0, 6.0, scaled(1.0, 0.0)),
        // The float bounds of an integer tensor truncate toward zero.
        (DType::I8, -1.5, 1.999, None),
        (DType::F32, f32::NAN, 1.0, None),
        (DType::U64, f32::NEG_INFINITY, f32::NAN, None),
        (DType::F32, 0.0, 1.0, scaled(f32::NAN, 0.0)),
        (DType::U8, 0.0, 1.0, scaled(0.1, f32::NEG_INFINITY)),
    ] {
        let given = format!("CLIP of {dtype}, {min:?}, {max:?}, {scale_bias:?}");
        let made = Clamp::directml(dtype, min, max, scale_bias, V5_0);
        let tensor = packed(dtype, &[3]);
        let by_desc = ElementWiseClip { scale_bias, min, max, ..clip(tensor, tensor) }.resolve(V5_0);
        assert_eq!(format!("{made:?}"), format!("{:?}", by_desc.map(|(clamp, _, _)| clamp)));
        table.add(given, made);
    }

    let bytes = packed(DType::U8, &[2, 3]);
    let strided = TensorDesc { strides: Some(&[1]), ..bytes };
    for (input, output, level) in [
        (bytes, packed(DType::I8, &[2, 3]), V5_0),
        (bytes, packed(DType::U8, &[3, 2]), V5_0),
        (bytes, bytes, V2_1),
        (packed(DType::U8, &[1; 9]), packed(DType::U8, &[1; 9]), V3_0),
        (bytes, strided, V5_0),
        (packed(DType::BF16, &[1; 4]), packed(DType::BF16, &[1; 4]), V1_0),
    ] {
        let [from, to] = [input, output].map(|TensorDesc { dtype, sizes, strides }| {
            format!("{dtype} {sizes:?}{}", strides.map_or_else(String::new, |it| format!(" by {it:?}")))
        });
        table.add(
            format!("CLIP of {from} to {to}, {level}"),
            clip(input, output).resolve(level).map(|it| it.0),
        );
    }
    for (dtype, min_max_dtype, min, max, level) in [
        (DType::F32, DType::F32, 0, 1, V4_1),
        (DType::F64, DType::F64, 0, 1, V5_0),
        (DType::I64, DType::U64, 0, 1, V5_0),
        (DType::U8, DType::U8, 0, 256, V5_0),
        // The bits of a NaN are a number of an integer dtype.
        (DType::U32, DType::U32, 0, 0x7fc0_0000, V5_0),
        (DType::F32, DType::F32, 0x7fc0_0000, 1, V5_0),
        (DType::F16, DType::F16, 0xfc00, 0xfc01, V5_0),
    ] {
        let given = format!("CLIP1 of {dtype}, {min:#x} and {max:#x} of {min_max_dtype}, {level}");
        table.add(given, clip1(packed(dtype, &[3]), min_max_dtype, min, max).resolve(level).map(|it| it.0));
    }
    table.assert_kept("directml");
}

#[test]
fn layouts_of_strides() {
    let input = TensorDesc { dtype: DType::F16, sizes: &[1, 2, 2, 3], strides: Some(&[9, 0, 4, 1]) };
    let output = packed(DType::F16, &[1, 2, 2, 3]);
    let (_, src, dst) = clip(input, output).resolve(FeatureLevel::V1_0).unwrap();
    assert_eq!(src, Layout::strided(&[1, 2, 2, 3], &[9, 0, 4, 1], 0).unwrap());
    assert_eq!(dst, Layout::packed(&[1, 2, 2, 3]).unwrap());
}

#[test]
fn tensor_sizes() {
    for (dtype, sizes, strides, bytes) in [
        (DType::F32, &[1, 2, 3, 4][..], None, 96),
        (DType::U8, &[1, 1, 1, 5], None, 8),
        // The size ends with the last element, not with its row.
        (DType::F16, &[2, 3], Some(&[8, 1][..]), 24),
        (DType::F32, &[100, 100], Some(&[0, 0]), 4),
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
