//! Quantised layers: numbers to 8 bits and back, with scales of the host or on the GPU.
//!
//! | step | clamp | axis of the scales |
//! | --- | --- | --- |
//! | quantise activations | from F32, F16 or BF16 to I8 or U8 | rows, or one for all |
//! | quantise weights | the same | outputs |
//! | requantise accumulators | from I32 to I8 or U8 | outputs: columns |
//! | dequantise | from I32, I8 or U8 to F32, F16 or BF16 | columns, then rows |
//!
//! Steps to integers take `Clamp::new(-127_i8, 127)` or other bounds, [`Clamp::with_source`], a scale, and
//! [`Rounding::NearestEven`]; the default rounding drops the fraction. Steps to floats take `Clamp::unbounded(DType::F32)`,
//! [`Clamp::with_source`] and the reciprocal of the scale. Weights, with scales that the host knows:
//!
//! ```
//! use wgpu_clamp::{Clamp, Clamps, DType, Layout, Rounding, reference};
//!
//! // Each row by its largest: one pass for a clamp per row and a conversion.
//! let weights = [[0.5_f32, -1.0, 0.25], [8.0, -4.0, 1.0]];
//! let row = |largest: f32| {
//!     let clamp = Clamp::new(-127_i8, 127).with_source(DType::F32)?.with_affine(127.0 / largest, 0.0)?;
//!     Ok::<_, wgpu_clamp::Error>(clamp.with_rounding(Rounding::NearestEven))
//! };
//! let layout = Layout::packed(&[2, 3])?;
//! let src: Vec<u8> = weights.iter().flatten().flat_map(|weight| weight.to_le_bytes()).collect();
//! let mut dst = [0; 8];
//! reference::apply(Clamps::along(0, &[row(1.0)?, row(8.0)?]), &layout, &src, &layout, &mut dst)?;
//! assert_eq!(dst.map(u8::cast_signed), [64, -127, 32, 127, -64, 16, 0, 0]);
//! # Ok::<(), wgpu_clamp::Error>(())
//! ```
//!
//! Activations, with a scale per row that a kernel has computed [on the GPU](super::gpu_numbers):
//!
//! ```no_run
//! use wgpu_clamp::{Clamp, Clamps, Clamper, DType, Error, Layout, Number, Operands, Prepared, Rounding, View, wgpu};
//!
//! fn quantize(
//!     clamper: &Clamper,
//!     activations: &wgpu::Buffer, // f32, [tokens, features]
//!     scales: &wgpu::Buffer, // f32, [tokens]: what a row is multiplied by
//!     quantized: &wgpu::Buffer, // i8, [tokens, features]
//!     [tokens, features]: [usize; 2],
//! ) -> Result<Prepared, Error> {
//!     let clamp = Clamp::new(-127_i8, 127)
//!         .with_source(DType::F32)?
//!         .with_scale_bias(Number::OnGpu, Number::Absent)?
//!         .with_rounding(Rounding::NearestEven);
//!     let layout = Layout::packed(&[tokens, features])?;
//!     let operands = Operands::new(View::of::<f32>(activations, layout), View::of::<i8>(quantized, layout))
//!         .with_scale(View::of::<f32>(scales, Layout::packed(&[tokens])?));
//!     clamper.prepare(Clamps::slots_along(0, &clamp), operands)
//! }
//! ```
//!
//! Record the result ([`Prepared::record`]) after the kernel that computes the scales. A kernel of the program reads
//! four I8 from a `u32`, the first in the lowest byte, as WGSL's `dot4I8Packed` does. Back to floats, by a scale per
//! column, then in place per row:
//!
//! ```no_run
//! use wgpu_clamp::{Clamp, Clamps, Clamper, DType, Error, Number, Operands, Prepared, View};
//!
//! fn dequantize(
//!     clamper: &Clamper,
//!     [products, result]: [View<'_>; 2], // i32 and f32, [tokens, outputs]
//!     [of_columns, of_rows]: [View<'_>; 2], // f32, [outputs] and [tokens]
//! ) -> Result<[Prepared; 2], Error> {
//!     let scaled = |clamp: Clamp| clamp.with_scale_bias(Number::OnGpu, Number::Absent);
//!     let columns = scaled(Clamp::unbounded(DType::F32).with_source(DType::I32)?)?;
//!     let rows = scaled(Clamp::unbounded(DType::F32))?;
//!     Ok([
//!         clamper.prepare(Clamps::slots_along(1, &columns), Operands::new(products, result).with_scale(of_columns))?,
//!         clamper.prepare(Clamps::slots_along(0, &rows), Operands::in_place(result).with_scale(of_rows))?,
//!     ])
//! }
//! ```
//!
//! The example `quantize` is a whole layer in one submission: scales, quantise, multiply, requantise, dequantise.
//!
//! - Scales per row and per column take two calls to F32. On lavapipe the two take 1.8 times as long as one
//!   (2026-11-24; not measured on a GPU). To I8 a scale per column suffices: the weights' scale divided by the
//!   output's. The results are in units of the row's scale, by which a later step multiplies.
//! - Every step between integers is exact. From I32 to F32 or F16, `Fast` first rounds the accumulator to a
//!   neighbouring f32; `Exact` rounds once.
//! - With scales from 1e-5 to 1 that the host knows, nearly all calls from I32 to I8 take 32-bit arithmetic: 99 % of those with 1,024
//!   channels. Other scales take about three times as long. The channels of a call share one arithmetic.
//! - A zero point is the bias: `x * scale + zero_point`, rounded after the sum.
//!
//! # As other systems do it
//!
//! | system | same | different |
//! | --- | --- | --- |
//! | PyTorch `quantize_per_tensor`, `quantize_per_channel` | multiplies by `inv_scale = 1 / scale`, rounds to nearest even. With zero point 0, `Fast` has the same bits | adds the zero point after rounding: if it is not 0, results near a tie may be one apart |
//! | ONNX `QuantizeLinear` | rounds to nearest even, saturates | divides by `y_scale`, which equals a multiplication for powers of two only; adds the zero point after rounding, which gives the same with `Exact` and an even zero point |
//! | ONNX `DequantizeLinear` | `(x - zero_point) * scale` | give the bias `-zero_point * scale`: the sum is rounded once with `Exact` |

#[cfg(doc)]
use crate::{Clamp, Precision, Prepared, Rounding};
