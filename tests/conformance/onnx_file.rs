//! The part of ONNX's file format that a model of one Clip node and its test data need. Shared by the conformance
//! tests and the example `onnx_clip`.

use std::error::Error;
use std::path::Path;

use prost::Message;
use wgpu_clamp::standards::onnx::Bounds;
use wgpu_clamp::{Bound, Clamp, DType};

/// `onnx.ModelProto`, of which only what is read here. The numbers are the fields of `onnx.proto3`.
#[derive(Clone, PartialEq, Message)]
struct Model {
    #[prost(message, optional, tag = "7")]
    graph: Option<Graph>,
    #[prost(message, repeated, tag = "8")]
    opset_import: Vec<OperatorSet>,
}

#[derive(Clone, PartialEq, Message)]
struct OperatorSet {
    #[prost(string, tag = "1")]
    domain: String,
    #[prost(int64, tag = "2")]
    version: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Graph {
    #[prost(message, repeated, tag = "1")]
    node: Vec<Node>,
    #[prost(message, repeated, tag = "11")]
    input: Vec<ValueInfo>,
}

#[derive(Clone, PartialEq, Message)]
struct ValueInfo {
    #[prost(string, tag = "1")]
    name: String,
}

#[derive(Clone, PartialEq, Message)]
struct Node {
    #[prost(string, repeated, tag = "1")]
    input: Vec<String>,
    #[prost(string, tag = "4")]
    op_type: String,
    #[prost(message, repeated, tag = "5")]
    attribute: Vec<Attribute>,
}

#[derive(Clone, PartialEq, Message)]
struct Attribute {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(float, tag = "2")]
    f: f32,
}

#[derive(Clone, PartialEq, Message)]
struct TensorProto {
    #[prost(int64, repeated, tag = "1")]
    dims: Vec<i64>,
    #[prost(int32, tag = "2")]
    data_type: i32,
    #[prost(bytes = "vec", tag = "9")]
    raw_data: Vec<u8>,
}

/// A tensor of a test: its elements little-endian, as buffers hold them.
#[derive(Clone, Debug)]
pub struct Data {
    pub dtype: DType,
    pub shape: Vec<usize>,
    pub bytes: Vec<u8>,
}

/// A Clip node with its input and the output that is expected.
#[derive(Debug)]
pub struct Test {
    pub opset: u32,
    pub x: Data,
    pub min: Option<Data>,
    pub max: Option<Data>,
    pub y: Data,
    /// The attributes of opsets 1 to 10.
    attributes: (Option<f32>, Option<f32>),
}

impl Test {
    /// Reads `model.onnx` and `test_data_set_0` of a folder.
    ///
    /// An expanded model has no Clip node but the nodes that Clip stands for: its inputs are named as those of
    /// the Clip that it expands.
    pub fn read(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let model = Model::decode(read(&folder.join("model.onnx"))?.as_slice())?;
        // The last one, as the node's own domain is the default one.
        let opset = model
            .opset_import
            .iter()
            .rfind(|set| set.domain.is_empty())
            .ok_or("the model imports no operator set")?;
        let graph = model.graph.ok_or("the model has no graph")?;
        let clip = match graph.node.as_slice() {
            [node] if node.op_type == "Clip" => Some(node),
            _ if folder.to_string_lossy().ends_with("_expanded") => None,
            nodes => {
                let types: Vec<_> = nodes.iter().map(|node| &node.op_type).collect();
                return Err(format!("one Clip node is needed, the model has {types:?}").into());
            }
        };
        let set = folder.join("test_data_set_0");
        let inputs: Vec<Data> = (0..graph.input.len())
            .map(|n| tensor(&set.join(format!("input_{n}.pb"))))
            .collect::<Result<_, _>>()?;
        // An input that the node leaves out has an empty name.
        let by_name = |name: &str| {
            let at = graph.input.iter().position(|input| input.name == name && !name.is_empty());
            at.map(|n| inputs[n].clone())
        };
        let names: Vec<&str> =
            clip.map_or(vec!["x", "min", "max"], |node| node.input.iter().map(String::as_str).collect());
        let input = |n: usize| names.get(n).and_then(|name| by_name(name));
        let attribute =
            |name: &str| clip.and_then(|node| node.attribute.iter().find(|a| a.name == name)).map(|a| a.f);
        Ok(Self {
            opset: opset.version.try_into()?,
            x: input(0).ok_or("the node has no input")?,
            min: input(1),
            max: input(2),
            y: tensor(&set.join("output_0.pb"))?,
            attributes: (attribute("min"), attribute("max")),
        })
    }

    /// The clamp, by the rules of the operator set. `on_gpu`: bounds that are inputs lie on the GPU.
    pub fn clamp(&self, on_gpu: bool) -> Result<Clamp, Box<dyn Error>> {
        let bound = |input: &Option<Data>| match input {
            None => Bound::Absent,
            Some(_) if on_gpu => Bound::OnGpu,
            Some(data) => {
                let mut bits = [0; 8];
                bits[..data.bytes.len()].copy_from_slice(&data.bytes);
                Bound::Value(u64::from_le_bytes(bits))
            }
        };
        let bounds = if self.opset < 11 {
            Bounds::Attributes { min: self.attributes.0, max: self.attributes.1 }
        } else {
            Bounds::Inputs { min: bound(&self.min), max: bound(&self.max) }
        };
        Ok(Clamp::onnx(self.opset, self.x.dtype, bounds)?)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()).into())
}

fn tensor(path: &Path) -> Result<Data, Box<dyn Error>> {
    let tensor = TensorProto::decode(read(path)?.as_slice())?;
    // `TensorProto.DataType`
    let dtype = match tensor.data_type {
        1 => DType::F32,
        2 => DType::U8,
        3 => DType::I8,
        4 => DType::U16,
        5 => DType::I16,
        6 => DType::I32,
        7 => DType::I64,
        10 => DType::F16,
        11 => DType::F64,
        12 => DType::U32,
        13 => DType::U64,
        16 => DType::BF16,
        other => return Err(format!("{}: data type {other} is none of Clip's", path.display()).into()),
    };
    let shape: Vec<usize> = tensor.dims.iter().map(|&dim| usize::try_from(dim)).collect::<Result<_, _>>()?;
    let needed = shape.iter().product::<usize>() * dtype.size();
    if tensor.raw_data.len() != needed {
        let held = tensor.raw_data.len();
        return Err(format!("{}: {held} bytes of raw data, {needed} needed", path.display()).into());
    }
    Ok(Data { dtype, shape, bytes: tensor.raw_data })
}
