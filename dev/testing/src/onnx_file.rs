//! ONNX's protocol buffers, as far as a node test of Clip needs them.
//!
//! The field numbers come from `onnx.proto`.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use prost::Message;
use wgpu_clamp::standards::onnx::Bounds;
use wgpu_clamp::{DType, Number, Scalar};

/// Errors for people: each names the file and the fault.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

#[derive(Clone, PartialEq, Message)]
pub struct ModelProto {
    #[prost(message, optional, tag = "7")]
    pub graph: Option<GraphProto>,
    #[prost(message, repeated, tag = "8")]
    pub opset_import: Vec<OperatorSetIdProto>,
}

#[derive(Clone, PartialEq, Message)]
pub struct OperatorSetIdProto {
    /// Empty, or "ai.onnx", for ONNX's own operators.
    #[prost(string, optional, tag = "1")]
    pub domain: Option<String>,
    #[prost(int64, optional, tag = "2")]
    pub version: Option<i64>,
}

#[derive(Clone, PartialEq, Message)]
pub struct GraphProto {
    #[prost(message, repeated, tag = "1")]
    pub node: Vec<NodeProto>,
    #[prost(message, repeated, tag = "5")]
    pub initializer: Vec<TensorProto>,
    #[prost(message, repeated, tag = "11")]
    pub input: Vec<ValueInfoProto>,
}

#[derive(Clone, PartialEq, Message)]
pub struct NodeProto {
    /// An empty name stands for an optional input that is absent.
    #[prost(string, repeated, tag = "1")]
    pub input: Vec<String>,
    #[prost(string, optional, tag = "4")]
    pub op_type: Option<String>,
    #[prost(message, repeated, tag = "5")]
    pub attribute: Vec<AttributeProto>,
}

#[derive(Clone, PartialEq, Message)]
pub struct AttributeProto {
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
    #[prost(float, optional, tag = "2")]
    pub f: Option<f32>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ValueInfoProto {
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
}

/// The elements lie in `raw_data`, little-endian, or in the list for their data type.
#[derive(Clone, PartialEq, Message)]
pub struct TensorProto {
    #[prost(int64, repeated, packed = "false", tag = "1")]
    pub dims: Vec<i64>,
    #[prost(int32, optional, tag = "2")]
    pub data_type: Option<i32>,
    #[prost(float, repeated, tag = "4")]
    pub float_data: Vec<f32>,
    #[prost(int32, repeated, tag = "5")]
    pub int32_data: Vec<i32>,
    #[prost(int64, repeated, tag = "7")]
    pub int64_data: Vec<i64>,
    #[prost(string, optional, tag = "8")]
    pub name: Option<String>,
    #[prost(bytes = "vec", optional, tag = "9")]
    pub raw_data: Option<Vec<u8>>,
    #[prost(double, repeated, tag = "10")]
    pub double_data: Vec<f64>,
    #[prost(uint64, repeated, tag = "11")]
    pub uint64_data: Vec<u64>,
    /// 1 if the elements are in another file.
    #[prost(int32, optional, tag = "14")]
    pub data_location: Option<i32>,
}

/// A tensor as a buffer holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    pub dtype: DType,
    pub shape: Vec<usize>,
    /// Packed little-endian elements.
    pub bytes: Vec<u8>,
}

impl Tensor {
    fn decode(proto: &TensorProto) -> Result<Self> {
        if proto.data_location() != 0 {
            return Err("its elements are in another file, which is not supported".into());
        }
        let dtype = dtype(proto.data_type())?;
        let shape: Vec<_> =
            proto.dims.iter().map(|&dim| dim.try_into()).collect::<std::result::Result<_, _>>()?;
        let bytes = proto.raw_data.clone().unwrap_or_else(|| typed_data(dtype, proto));
        let needed = shape.iter().try_fold(dtype.size(), |bytes, &dim| bytes.checked_mul(dim));
        if needed != Some(bytes.len()) {
            return Err(
                format!("{} bytes do not make {dtype} elements of shape {shape:?}", bytes.len()).into()
            );
        }
        Ok(Self { dtype, shape, bytes })
    }

    /// The elements' bits, zero-extended.
    pub fn bits(&self) -> Vec<u64> {
        let widen = |element: &[u8]| {
            let mut word = [0; 8];
            word[..element.len()].copy_from_slice(element);
            u64::from_le_bytes(word)
        };
        self.bytes.chunks_exact(self.dtype.size()).map(widen).collect()
    }

    fn bound(&self, dtype: DType) -> Result<Number> {
        match self.bits()[..] {
            [bits] if self.dtype == dtype => Ok(Scalar::from_bits(dtype, bits)?.into()),
            _ => Err(format!("a bound is {} of shape {:?}, not one {dtype}", self.dtype, self.shape).into()),
        }
    }
}

/// `TensorProto.DataType`.
fn dtype(code: i32) -> Result<DType> {
    Ok(match code {
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
        _ => return Err(format!("data type {code} is not one of Clip").into()),
    })
}

fn typed_data(dtype: DType, proto: &TensorProto) -> Vec<u8> {
    fn low<const N: usize>(size: usize, words: impl Iterator<Item = [u8; N]>) -> Vec<u8> {
        words.flat_map(|word| word[..size].to_vec()).collect()
    }
    let size = dtype.size();
    match dtype {
        DType::F32 => low(size, proto.float_data.iter().map(|x| x.to_le_bytes())),
        DType::F64 => low(size, proto.double_data.iter().map(|x| x.to_le_bytes())),
        DType::I64 => low(size, proto.int64_data.iter().map(|x| x.to_le_bytes())),
        DType::U32 | DType::U64 => low(size, proto.uint64_data.iter().map(|x| x.to_le_bytes())),
        // For 16-bit floats, `int32_data` holds the bits.
        _ => low(size, proto.int32_data.iter().map(|x| x.to_le_bytes())),
    }
}

/// A model of one Clip node, with an input and the expected output.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeTest {
    pub opset: u32,
    pub bounds: Bounds,
    pub x: Tensor,
    pub expected: Tensor,
}

impl NodeTest {
    /// Reads the node from `model/model.onnx`, and inputs and output from `data/test_data_set_0`. `file` returns a
    /// file's bytes.
    ///
    /// # Errors
    ///
    /// A file is missing or is not part of such a test. The error names the file.
    pub fn read(file: impl Fn(&Path) -> io::Result<Vec<u8>>, model: &Path, data: &Path) -> Result<Self> {
        let (model, data) = (&model.join("model.onnx"), data.join("test_data_set_0"));
        let (opset, graph) = named(model, decode(&file, model).and_then(opset_and_graph))?;
        let tensor = |name: String| {
            let path = &data.join(name);
            named(path, decode(&file, path).and_then(|proto| Tensor::decode(&proto)))
        };
        let mut tensors = HashMap::new();
        for proto in &graph.initializer {
            tensors.insert(proto.name(), named(model, Tensor::decode(proto))?);
        }
        for (n, input) in graph.input.iter().enumerate() {
            tensors.insert(input.name(), tensor(format!("input_{n}.pb"))?);
        }
        let expected = tensor("output_0.pb".into())?;
        let (x, bounds) = named(model, clip(opset, &graph.node, &tensors))?;
        Ok(Self { opset, bounds, x, expected })
    }
}

/// Puts the file's name before an error.
fn named<T>(path: &Path, result: Result<T>) -> Result<T> {
    result.map_err(|error| format!("{}: {error}", path.display()).into())
}

fn decode<M: Message + Default>(file: impl Fn(&Path) -> io::Result<Vec<u8>>, path: &Path) -> Result<M> {
    Ok(M::decode(&file(path)?[..])?)
}

fn opset_and_graph(model: ModelProto) -> Result<(u32, GraphProto)> {
    let own = |id: &&OperatorSetIdProto| matches!(id.domain(), "" | "ai.onnx");
    let version = model.opset_import.iter().find(own).and_then(|id| id.version);
    let version = version.ok_or("it does not say which version of the operator set it uses")?;
    Ok((u32::try_from(version)?, model.graph.ok_or("it has no graph")?))
}

fn clip(opset: u32, nodes: &[NodeProto], tensors: &HashMap<&str, Tensor>) -> Result<(Tensor, Bounds)> {
    let [node] = nodes else {
        return Err(format!("{} nodes, but 1 is needed", nodes.len()).into());
    };
    if node.op_type() != "Clip" {
        return Err(format!("its node is {}, not Clip", node.op_type()).into());
    }
    let input = |n: usize| match node.input.get(n).map_or("", String::as_str) {
        "" => Ok(None),
        name => tensors.get(name).map(Some).ok_or_else(|| format!("there is no value for input {name}")),
    };
    let x = input(0)?.ok_or("its node has no input")?.clone();
    let bounds = if opset < 11 {
        let attribute = |name: &str| node.attribute.iter().find(|found| found.name() == name)?.f;
        Bounds::Attributes { min: attribute("min"), max: attribute("max") }
    } else {
        let bound = |n| input(n)?.map_or(Ok(Number::Absent), |tensor| tensor.bound(x.dtype));
        Bounds::Inputs { min: bound(1)?, max: bound(2)? }
    };
    Ok((x, bounds))
}
