//! Each rejection says what was refused, by which standard and version, and what would be right.

use wgpu_clamp::standards::directml::{ElementWiseClip, ElementWiseClip1, FeatureLevel, TensorDesc};
use wgpu_clamp::standards::onnx::Bounds;
use wgpu_clamp::{Clamp, DType, Number};

#[test]
fn messages() {
    let inputs = Bounds::Inputs { min: Number::Absent, max: Number::Absent };
    let attributes = Bounds::Attributes { min: None, max: None };
    let tensor = TensorDesc { dtype: DType::F32, sizes: &[2, 3], strides: None };
    let clip = ElementWiseClip { input: tensor, output: tensor, scale_bias: None, min: 0.0, max: 1.0 };
    let scalar = TensorDesc { sizes: &[], ..tensor };
    let no_rank = ElementWiseClip { input: scalar, output: scalar, ..clip };
    let clip1 = ElementWiseClip1::new(tensor, tensor, None, 0.0_f32, 1.0);
    let other = TensorDesc { dtype: DType::I8, ..tensor };
    let two_dtypes = ElementWiseClip { output: other, ..clip };
    let messages = [
        (
            Clamp::onnx(11, DType::BF16, inputs).unwrap_err(),
            "dtype: bf16 is not in ONNX Clip-11 (opset 11); it takes f32, f16, f64; bf16 comes with opset 13",
        ),
        (
            Clamp::onnx(9, DType::I8, attributes).unwrap_err(),
            "dtype: i8 is not in ONNX Clip-6 (opset 9); it takes f32, f16, f64; i8 comes with opset 12",
        ),
        (
            Clamp::onednn(DType::F64, 0.0, 1.0).unwrap_err(),
            "dtype: f64 is not in oneDNN Graph Clamp; it takes f32, f16, bf16",
        ),
        (
            Clamp::onnx(3, DType::F32, inputs).unwrap_err(),
            "bounds: ONNX Clip-1 (opset 3) takes no inputs; opsets 1 to 10 take attributes, 11 and later take inputs",
        ),
        (
            Clamp::onnx(0, DType::F32, inputs).unwrap_err(),
            "opset: 0 is no version; versions of the ONNX operator set begin at 1",
        ),
        (
            Clamp::directml(DType::I64, 0.0, 1.0, None, FeatureLevel::V2_1).unwrap_err(),
            "dtype: i64 is not in DirectML CLIP at feature level 2.1; it takes f32, f16, i8, i16, i32, u8, u16, u32; \
             i64 comes with feature level 5.0",
        ),
        (
            Clamp::directml(DType::BF16, 0.0, 1.0, None, FeatureLevel::V1_0).unwrap_err(),
            "dtype: bf16 is not in DirectML CLIP at feature level 1.0; it takes f32, f16",
        ),
        (
            Clamp::openvino(DType::U8, 2.5, 1.0).unwrap_err(),
            "min, max: 2.5 is more than 1; OpenVINO Clamp-1 requires min <= max (its implementation, not its text)",
        ),
        (
            Clamp::onednn(DType::F16, 2.5, 1.0).unwrap_err(),
            "min, max: 2.5 is more than 1; oneDNN Graph Clamp requires min <= max (its implementation, not its text)",
        ),
        (
            Clamp::webnn(DType::U8, Some(2.5.into()), Some(1.0.into())).unwrap_err(),
            "min, max: 2.5 is more than 1; WebNN clamp requires min <= max",
        ),
        (
            Clamp::directml(DType::U8, 0.0, f32::NAN, None, FeatureLevel::V5_1).unwrap_err(),
            "max: NaN is no bound of DirectML CLIP at feature level 5.1; give a number, or ±infinity for none",
        ),
        (
            clip.resolve(FeatureLevel::V2_1).unwrap_err(),
            "sizes: 2 dimensions are not in DirectML CLIP at feature level 2.1; it takes 4",
        ),
        (
            two_dtypes.resolve(FeatureLevel::V2_1).unwrap_err(),
            "output: i8 is not the dtype of input, f32; they must be equal",
        ),
        (
            no_rank.resolve(FeatureLevel::V3_0).unwrap_err(),
            "sizes: 0 dimensions are not in DirectML CLIP at feature level 3.0; it takes 1 to 8",
        ),
        (
            clip1.resolve(FeatureLevel::V4_1).unwrap_err(),
            "level: ELEMENT_WISE_CLIP1 is not in DirectML feature level 4.1; it is since 5.0",
        ),
    ];
    for (error, message) in messages {
        assert_eq!(error.to_string(), message);
    }
}
