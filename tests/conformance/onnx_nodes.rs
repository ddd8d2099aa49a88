//! ONNX's own node tests of Clip.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clamp_testing::archive;
use clamp_testing::onnx_file::{
    AttributeProto, GraphProto, ModelProto, NodeProto, NodeTest, OperatorSetIdProto, TensorProto,
    ValueInfoProto,
};
use prost::Message as _;
use wgpu_clamp::standards::Standard;
use wgpu_clamp::standards::onnx::Bounds;
use wgpu_clamp::{DType, Element, Number, Scalar};

use crate::golden::Record;

/// The node test that the example `onnx_clip` reads; the others lie in an archive.
const EXAMPLE: &str = "test_clip";

/// Every node test, by name. The model of an `_expanded` test has no Clip node, so its data is read with the model of the
/// test without this suffix.
pub fn node_tests() -> Vec<Record> {
    let files = archive::files(&crate::data().join("onnx.tar"));
    let name = |path: &PathBuf| path.iter().next().unwrap().to_str().unwrap().to_owned();
    let mut names: Vec<_> = files.keys().map(name).chain([EXAMPLE.to_owned()]).collect();
    names.sort();
    names.dedup();
    let read = |path: &Path| {
        if path.starts_with(EXAMPLE) {
            return fs::read(crate::data().join("onnx").join(path));
        }
        files.get(path).cloned().ok_or_else(|| ErrorKind::NotFound.into())
    };
    let record = |id: String| {
        let namesake = id.strip_suffix("_expanded");
        let model = Path::new(namesake.unwrap_or(&id));
        let test = NodeTest::read(read, model, Path::new(&id)).unwrap();
        let bits = |bound: Number| bound.value().map(Scalar::bits);
        let (bound_dtype, min, max) = match test.bounds {
            Bounds::Attributes { min, max } => (DType::F32, min.map(f32::to_bits64), max.map(f32::to_bits64)),
            Bounds::Inputs { min, max } => (test.x.dtype, bits(min), bits(max)),
        };
        assert_eq!((test.expected.dtype, &test.expected.shape), (test.x.dtype, &test.x.shape), "{id}");
        Record {
            file: "onnx",
            held_to: "node tests of onnx 1.22.0",
            standard: Standard::Onnx { opset: test.opset },
            dtype: test.x.dtype,
            x: test.x.bits(),
            shape: test.x.shape,
            min,
            max,
            bound_dtype,
            y: Some(test.expected.bits()),
            deviates: Vec::new(),
            is_bound_shape: false,
            is_repeated: namesake.is_some(),
            id,
        }
    };
    names.into_iter().map(record).collect()
}

/// The node tests have raw data and inputs only. Other writers of ONNX files also write typed data and attributes.
#[test]
fn typed_elements_and_attributes_are_decoded() {
    let read = |version, node: NodeProto, tensor: TensorProto| {
        let low = TensorProto {
            data_type: Some(3),
            name: Some("low".into()),
            int32_data: vec![-3],
            ..Default::default()
        };
        let input = vec![ValueInfoProto { name: Some("x".into()) }];
        let graph = Some(GraphProto { node: vec![node], initializer: vec![low], input });
        let opset_import = vec![OperatorSetIdProto { domain: None, version: Some(version) }];
        let model = ModelProto { graph, opset_import }.encode_to_vec();
        let file = |path: &Path| match path.file_name().and_then(|name| name.to_str()) {
            Some("model.onnx") => Ok(model.clone()),
            Some("input_0.pb" | "output_0.pb") => Ok(tensor.encode_to_vec()),
            _ => panic!("{}", path.display()),
        };
        NodeTest::read(file, Path::new(""), Path::new(""))
    };
    let clip = |inputs: &[&str], attribute| NodeProto {
        input: inputs.iter().map(|&name| name.to_owned()).collect(),
        op_type: Some("Clip".into()),
        attribute,
    };
    let two = |code| TensorProto { dims: vec![2, 1], data_type: Some(code), ..Default::default() };
    let cases = [
        (TensorProto { float_data: vec![1.0, -0.0], ..two(1) }, DType::F32, [0x3f80_0000, 0x8000_0000]),
        (TensorProto { int32_data: vec![200, 3], ..two(2) }, DType::U8, [200, 3]),
        (TensorProto { int32_data: vec![-1, 3], ..two(3) }, DType::I8, [0xff, 3]),
        (TensorProto { int32_data: vec![40_000, 3], ..two(4) }, DType::U16, [40_000, 3]),
        (TensorProto { int32_data: vec![-2, 3], ..two(5) }, DType::I16, [0xfffe, 3]),
        (TensorProto { int32_data: vec![-2, 3], ..two(6) }, DType::I32, [0xffff_fffe, 3]),
        (TensorProto { int64_data: vec![-2, 3], ..two(7) }, DType::I64, [u64::MAX - 1, 3]),
        (TensorProto { int32_data: vec![0x3c00, 0x8000], ..two(10) }, DType::F16, [0x3c00, 0x8000]),
        (TensorProto { double_data: vec![1.0, -0.0], ..two(11) }, DType::F64, [0x3ff0 << 48, 1 << 63]),
        (TensorProto { uint64_data: vec![1 << 31, 3], ..two(12) }, DType::U32, [1 << 31, 3]),
        (TensorProto { uint64_data: vec![1 << 63, 3], ..two(13) }, DType::U64, [1 << 63, 3]),
        (TensorProto { int32_data: vec![0x3f80, 0x8000], ..two(16) }, DType::BF16, [0x3f80, 0x8000]),
    ];
    for (tensor, dtype, bits) in cases {
        let attribute = [AttributeProto { name: Some("max".into()), f: Some(0.5) }].to_vec();
        let test = read(6, clip(&["x"], attribute), tensor).unwrap();
        assert_eq!((test.opset, test.bounds), (6, Bounds::Attributes { min: None, max: Some(0.5) }));
        assert_eq!((test.x.dtype, test.x.bits(), &test.expected), (dtype, bits.to_vec(), &test.x));
        assert_eq!(test.x.shape, [2, 1]);
    }
    let bytes = TensorProto { int32_data: vec![1, 2], ..two(3) };
    let test = read(13, clip(&["x", "low", ""], vec![]), bytes.clone()).unwrap();
    assert_eq!(test.bounds, Bounds::Inputs { min: (-3_i8).into(), max: Number::Absent });
    for (version, node, tensor, said) in [
        (13, clip(&["x", "lower"], vec![]), bytes.clone(), "no value for input lower"),
        (13, clip(&[], vec![]), bytes.clone(), "no input"),
        (13, clip(&["x", "x"], vec![]), bytes.clone(), "a bound is i8 of shape [2, 1]"),
        (13, NodeProto::default(), bytes.clone(), "not Clip"),
        (-1, clip(&["x"], vec![]), bytes.clone(), "out of range"),
        (13, clip(&["x"], vec![]), two(3), "0 bytes do not make i8"),
        (13, clip(&["x"], vec![]), two(8), "data type 8"),
    ] {
        let error = read(version, node, tensor).unwrap_err().to_string();
        assert!(error.contains(said) && error.contains("model.onnx") | error.contains(".pb"), "{error}");
    }
}
