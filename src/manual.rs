//! The manual: pages of documentation without code. [The front page](crate#what-is-computed) defines what is computed.
//!
//! | you want to | page |
//! | --- | --- |
//! | clamp a crop, a transpose, a channel, a part of a buffer; clamp in place | [`layouts`] |
//! | turn a camera frame into a network's input, and its output into a picture | [`conversion`] |
//! | know which bits to expect | [`precision`] |
//! | take bounds, scales or biases that the GPU has computed | [`gpu_numbers`] |
//! | quantise, requantise and dequantise | [`quantization`] |
//! | clamp more than a binding, a buffer or the memory holds | [`large_data`] |
//! | find out why a call was refused | [`errors`] |
//! | work inside Bevy, vello or egui | [`frameworks`] |
//! | know what blocks, stays in memory or is logged; use several GPUs | [`running`] |
//! | make it fast, or leave it to the CPU | [`performance`] |
//! | know where it has run | [`portability`] |
//! | follow a standard | [`standards`](crate::standards) |

pub mod conversion;
pub mod errors;
pub mod frameworks;
pub mod gpu_numbers;
pub mod large_data;
pub mod layouts;
pub mod performance;
pub mod portability;
pub mod precision;
pub mod quantization;
pub mod running;
