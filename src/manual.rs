//! The manual: a page for each question that a program meets. No code, only documentation.
//!
//! | you want to | page |
//! | --- | --- |
//! | clamp a crop, a transpose, one channel, a part of a larger buffer; clamp in place | [`layouts`] |
//! | turn a camera frame into a network's input, and its output into a picture | [`conversion`] |
//! | know which bits to expect, and from which device | [`precision`] |
//! | take bounds, scales or biases that the GPU has computed | [`gpu_numbers`] |
//! | quantise activations and weights, requantise and dequantise accumulators | [`quantization`] |
//! | clamp more than a binding, a buffer or the memory holds | [`large_data`] |
//! | find out why a tensor was refused | [`errors`] |
//! | know what blocks, what stays in memory, what is logged; several GPUs | [`running`] |
//! | make it fast, measure it, or leave it to the CPU | [`performance`] |
//! | know where it has run | [`portability`] |
//! | follow a standard | [`standards`](crate::standards) |
//!
//! What is computed is on the [front page](crate#what-is-computed).

pub mod conversion;
pub mod errors;
pub mod gpu_numbers;
pub mod large_data;
pub mod layouts;
pub mod performance;
pub mod portability;
pub mod precision;
pub mod quantization;
pub mod running;
