//! Compares the CPU reference with arbitrary-precision arithmetic, the host's own floats and conversions, recorded
//! outputs of ONNX Runtime, and tables derived from the definition of the operator. None of this needs a GPU.

mod affine;
mod bounds;
mod buffers;
mod channels;
mod convert;
mod fast;
mod host;
mod numbers;
mod recorded;
mod verify;
