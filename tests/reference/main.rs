//! Compares the CPU reference with arbitrary-precision arithmetic, the host's own floats and conversions, recorded
//! outputs of ONNX Runtime, and tables derived from the definition of the operator. None of this needs a GPU.

mod bounds;
mod channels;
mod exact;
mod fast;
mod hand;
mod host;
mod inputs;
mod numbers;
mod quantized;
mod recorded;
mod verify;
