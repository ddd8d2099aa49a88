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
//!         .with_affine(Number::OnGpu, Number::Absent)?
//!         .with_rounding(Rounding::NearestEven);
//!     let layout = Layout::packed(&[tokens, features])?;
//!     let operands = Operands::new(View::of::<f32>(activations, layout), View::of::<i8>(quantized, layout))
//!         .with_scale(View::of::<f32>(scales, Layout::packed(&[tokens])?));
//!     clamper.prepare(Clamps::slots_along(0, clamp), operands)
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
//!     let scaled = |clamp: Clamp| clamp.with_affine(Number::OnGpu, Number::Absent);
//!     let columns = scaled(Clamp::unbounded(DType::F32).with_source(DType::I32)?)?;
//!     let rows = scaled(Clamp::unbounded(DType::F32))?;
//!     Ok([
//!         clamper.prepare(Clamps::slots_along(1, columns), Operands::new(products, result).with_scale(of_columns))?,
//!         clamper.prepare(Clamps::slots_along(0, rows), Operands::in_place(result).with_scale(of_rows))?,
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
//!
//! # Zero points, as ONNX and others define them
//!
//! [`Clamp::quantize_linear`] divides by a scale, rounds, and adds a zero point after rounding;
//! [`Clamp::dequantize_linear`] subtracts it from the integer. An affine step multiplies and rounds once at the end, so it
//! has other results: with a bias in place of a zero point, bytes beside a tie are one apart, and a dequantised zero point
//! is up to 3e-6 instead of 0 (U8, scale 0.3). The law:
//!
//! - quantise, F32, F16 or BF16 to U8, I8, U16 or I16: `saturate(nearest_even(f32(x / scale)) + zero_point)`, then bounds.
//! - dequantise, U8, I8, U16, I16 or I32 to F32, F16 or BF16: `dtype(f32(f32(x - zero_point) * scale))`, then the bounds.
//!   The zero point of an I32 is 0.
//! - A NaN counts as 0, so it becomes the zero point; [`NanRule::ToMin`](crate::NanRule::ToMin) and
//!   [`ToMax`](crate::NanRule::ToMax) make it the lowest or highest integer. ±∞ saturates.
//! - [`Precision::Exact`] has these bits on every device. [`Precision::Fast`] multiplies by `f32(1 / scale)`, as `PyTorch`
//!   does. Where that is infinite, ±0 gives the zero point and every other element saturates. Dequantised, `Fast` differs only
//!   where a device flushes subnormals.
//!
//! | system | call | bits |
//! | --- | --- | --- |
//! | ONNX `QuantizeLinear`, opset 10 to 21 | [`Clamp::quantize_linear`] with `Exact` | all of ONNX Runtime 1.32's that are recorded: `CONFORMANCE.md` in `tests/data`. It makes a NaN the lowest integer, so [`NanRule::ToMin`](crate::NanRule::ToMin) |
//! | ONNX `DequantizeLinear` | [`Clamp::dequantize_linear`] | all recorded |
//! | `PyTorch` `quantize_per_tensor` | [`Clamp::quantize_linear`] with `Fast` | all of an `x / scale` below 2^31, where the device flushes no subnormals; for others see [below](#pytorch) |
//! | `PyTorch` `quantize_per_channel` | the same, [`along`](crate::Clamps::along) its axis | the same |
//! | `PyTorch` `quantize_per_channel` with float zero points | `with_affine(1.0 / scale, zero_point)` with [`Rounding::NearestEven`] and `Fast`, see [below](#pytorch) | the same, where the device also rounds the product before it adds; elsewhere bytes beside a tie are one apart |
//! | `PyTorch` `dequantize` of one scale | [`Clamp::dequantize_linear`] | all |
//! | `PyTorch` `dequantize` of a scale per channel | the same, [`along`](crate::Clamps::along) its axis | all where the scales are numbers of f32 |
//! | `PyTorch` `fake_quantize_per_tensor_affine` and `per_channel` | [`Clamp::quantize_linear`] with `Fast`, then [`Clamp::dequantize_linear`] | all but NaN, which becomes the lowest: [`NanRule::ToMin`](crate::NanRule::ToMin) |
//! | `TFLite` `QUANTIZE` from F32 | [`Clamp::quantize_linear`] with `Fast`; a NaN becomes the highest integer in XNNPACK, so [`NanRule::ToMax`](crate::NanRule::ToMax) | all finite ones of XNNPACK, which is the default, and of the kernels without it |
//! | `TFLite` `QUANTIZE` in reference kernels | the same with `Exact` | all finite ones but ties, which round away from zero |
//! | `TFLite` `DEQUANTIZE` | [`Clamp::dequantize_linear`] | all of XNNPACK and the reference kernels; without XNNPACK a quarter differs |
//!
//! `PyTorch` (1.13 on a CPU, 10.5 million elements quantised, 0.4 million dequantised) and `TFLite` (`LiteRT` 2.3, 1.2 million
//! and 20,480) were compared with these formulas on 2026-11-28: U8 and I8, ten scales, four zero points, ties and their
//! neighbours among the elements. So was `PyTorch` 2.15.0 of `PyPI` on x86, with FBGEMM: 3.0 million elements quantised, each
//! per tensor and per channel, 0.4 million with float zero points, 0.4 million fake, 0.1 million dequantised. No test repeats
//! it.
//!
//! A node of an ONNX model is one call. No example reads ONNX files: the test `every_node_of_onnx_runtime_is_equal` replaces
//! 194 nodes and compares their bytes. A fused `ReLU` is a Min equal to the zero point. Not offered: the I32
//! source of `QuantizeLinear`; scales or zero points on the GPU; FP8, 4 bits and less; from opset 23 on, a `precision` other
//! than f32.
//!
//! ## `PyTorch`
//!
//! - Large elements, ±∞ and NaN depend on the build. `PyPI`'s 2.15 on x86 saturates as we do, but its sum with the zero point
//!   wraps: per tensor, an `x / scale` from about 2^31 on becomes 0 in U8 if the zero point is above 127, and one of -2^31 or less
//!   becomes 127 in I8 if it is negative. A NaN becomes the highest integer per tensor, 0 per channel. A build without FBGEMM makes
//!   the lowest integer of an `x / scale` from 2^31 on, of +∞ and of NaN. With float zero points, 2.15 makes all these 0 in
//!   U8.
//! - A scale per channel is an f64, by which `dequantize` multiplies. U8 0 with zero point 10 and scale 0.03 becomes `0xbe99999a`;
//!   per tensor and here it is `0xbe999999`. Of 61,440 elements with such scales 16,517 differ, in the last place. None
//!   differs if the scales were f32 before.
//! - A float zero point is a bias, since it is added before the number is rounded. The way back subtracts it first: no call here
//!   has these bits.
//! - Fake quantisation is two calls, through a tensor of bytes.
//!
//! ```
//! use wgpu_clamp::{Clamp, DType, Element, Rounding, reference};
//!
//! // torch.quantize_per_channel(x, torch.tensor([0.125]), torch.tensor([7.5]), 0, torch.quint8), of one row
//! let float_zero_point = Clamp::unbounded(DType::U8)
//!     .with_source(DType::F32)?
//!     .with_affine(1.0 / 0.125, 7.5)?
//!     .with_rounding(Rounding::NearestEven);
//! for (x, byte) in [(-1.0_f32, 0), (0.0, 8), (0.25, 10), (0.3, 10), (1.0, 16), (12.75, 110), (30.0, 248)] {
//!     assert_eq!(reference::element(&float_zero_point, x.to_bits64())?, byte);
//! }
//!
//! // torch.fake_quantize_per_tensor_affine(x, 0.1, 3, 0, 255)
//! let quantize = Clamp::quantize_linear(DType::F32, DType::U8, 0.1, 3)?;
//! let dequantize = Clamp::dequantize_linear(DType::U8, DType::F32, 0.1, 3)?;
//! for (x, fake) in [(-1.0_f32, -0.3_f32), (-0.01, 0.0), (0.25, 0.2), (0.3, 0.3), (1.0, 1.0), (30.0, 25.2)] {
//!     let byte = reference::element(&quantize, x.to_bits64())?;
//!     assert_eq!(reference::element(&dequantize, byte)?, fake.to_bits64());
//! }
//! # Ok::<(), wgpu_clamp::Error>(())
//! ```
//!
//! ## A scale for each block
//!
//! ONNX's `block_size`, GGUF and others give each `k` elements of a row a scale. View the tensor as `[n / k, k]`; blocks are
//! then channels along axis 0:
//!
//! ```
//! use wgpu_clamp::{Clamp, Clamps, DType, Layout, Precision, reference};
//!
//! let (k, scales) = (4, [0.25_f32, 2.0]);
//! let weights = [0.5_f32, -1.0, 0.3, 31.75, 1.0, 3.0, -5.0, 1e9];
//! let block = |scale| Ok(Clamp::quantize_linear(DType::F32, DType::I8, scale, 0)?.with_precision(Precision::Exact));
//! let blocks = scales.into_iter().map(block).collect::<Result<Vec<_>, wgpu_clamp::Error>>()?;
//! let layout = Layout::packed(&[weights.len() / k, k])?;
//! let src: Vec<u8> = weights.iter().flat_map(|weight| weight.to_le_bytes()).collect();
//! let mut quantized = [0; 8];
//! reference::apply(Clamps::along(0, &blocks), &layout, &src, &layout, &mut quantized)?;
//! assert_eq!(quantized.map(u8::cast_signed), [2, -4, 1, 127, 0, 2, -2, 127]); // 0.5, 1.5 and -2.5 are ties
//!
//! // And back.
//! let block = |scale| Clamp::dequantize_linear(DType::I8, DType::F32, scale, 0);
//! let blocks = scales.into_iter().map(block).collect::<Result<Vec<_>, wgpu_clamp::Error>>()?;
//! let mut bytes = [0; 32];
//! reference::apply(Clamps::along(0, &blocks), &layout, &quantized, &layout, &mut bytes)?;
//! let floats: Vec<f32> = bytes.chunks(4).map(|x| f32::from_le_bytes(x.try_into().unwrap())).collect();
//! assert_eq!(floats, [0.5, -1.0, 0.25, 31.75, 0.0, 4.0, -4.0, 254.0]);
//! # Ok::<(), wgpu_clamp::Error>(())
//! ```
//!
//! - Scales that a kernel computed: `Clamps::slots_along(0, …)` on the same view, with an affine step as [above](self).
//! - A rest of less than `k` elements: a second call.
//! - Blocks along another axis, such as `k` rows of a matrix for each column: a block is then no index of one axis. Take a call for
//!   each `k` rows, with [`Layout::slice`](crate::Layout::slice) and a clamp per column.
//! - Rows that are not packed, such as every second row, with several blocks each: no single axis then has all blocks. Take a call
//!   for each column of blocks: `k` columns of the matrix by [`Layout::slice`](crate::Layout::slice), and a clamp per row.
//!
//! ## A picture / 255
//!
//! `torchvision`'s `v2.ToDtype(scale=True)` multiplies by `1.0 / 255` (0.29), and so does a division by 255 in `PyTorch` on CUDA:
//! `dequantize_linear(U8, F32, 1.0 / 255.0, 0)` has their bits. `ToTensor` on a CPU divides: 126 of the 256 results are then
//! one unit in the last place apart. No call here divides to a float.
//!
//! ```
//! use wgpu_clamp::{Clamp, DType, reference};
//!
//! let picture = Clamp::dequantize_linear(DType::U8, DType::F32, 1.0 / 255.0, 0)?;
//! let mut apart = 0;
//! for byte in 0..=255_u8 {
//!     let ours = f32::from_bits(reference::element(&picture, byte.into())? as u32);
//!     assert_eq!(ours, f32::from(byte) * (1.0 / 255.0));
//!     apart += usize::from(ours != f32::from(byte) / 255.0);
//! }
//! assert_eq!(apart, 126);
//! # Ok::<(), wgpu_clamp::Error>(())
//! ```

#[cfg(doc)]
use crate::{Clamp, Precision, Prepared, Rounding};
