//! Which bits to expect: `Exact`, `Fast` and its stated sets.
//!
//! Without an affine step, and between integers, every device gives the same bits. [`Precision`] is a choice for
//! `x * scale + bias` with a float as source or destination.
//!
//! | | [`Precision::Fast`] (default) | [`Precision::Exact`] |
//! | --- | --- | --- |
//! | arithmetic | the device's f32 (F64: f64) | integers; floats only where no rounding of the device decides |
//! | result | one of a stated set | the real number, rounded once, ties to even, subnormals kept |
//! | across devices | may differ within the set | the same bits |
//! | instructions per F32 byte, AMD navi21 | 2.8 | 18 |
//! | near a tie, to an integer, F16 or BF16 | may be one off: rounded twice | rounded once |
//! | for | networks, pictures, audio | tests, results that are compared or kept |
//!
//! To F32 and F64, `Exact` is Rust's `x.mul_add(scale, bias)` before the bounds, with three exceptions: scale 1 with bias
//! ±0 keeps −0, a NaN keeps its bits, and ±∞ times ±0 is the canonical quiet NaN. F16 and BF16 are rounded once, not by way
//! of F32.
//!
//! # The set of `Fast`
//!
//! To F32 and F64 the set contains the exact result, except from an I32 or U32 element that is no f32. To other dtypes
//! it need not: `Fast` rounds to f32 first, then to the dtype.
//!
//! A device may fuse the multiplication with the addition, and may flush subnormals of f32 (f64 for F64). So the set has
//! the fused and the unfused result, each with subnormals kept or flushed: one to four values for an ordinary element. A
//! device may judge subnormals before it rounds: `SwiftShader` turns half of `0x00ff_ffff` into 0, though the product
//! rounds up to the least normal number. Subnormals of BF16 are subnormals of f32. Those of F16 are not: each is kept.
//! [`reference`](mod@crate::reference) defines the set, [`reference::allowed`] returns it, and [`verify::check`] and
//! [`Host::self_test`] check a device against it.
//!
//! ```
//! use wgpu_clamp::{Clamp, Element, reference};
//!
//! // 0.1 * 3 - 0.3 in f32: what is left of the product's rounding, or nothing.
//! let clamp = Clamp::new(-1.0_f32, 1.0).with_affine(3.0, -0.3)?;
//! let allowed = reference::allowed(&clamp, 0.1_f32.to_bits64())?;
//! let values: Vec<f32> = allowed.values().iter().map(|bits| f32::from_bits(*bits as u32)).collect();
//! assert_eq!(values, [-7.450_581e-9, 0.0]); // fused; unfused
//! # Ok::<(), wgpu_clamp::Error>(())
//! ```
//!
//! [`Clamp::quantize_linear`](crate::Clamp::quantize_linear) with `Fast` is such a product with `1 / scale`, rounded to an
//! integer; with `Exact` it is the quotient. See the [manual](super::quantization).
//!
//! WGSL leaves float rounding to the device, so a result may lie outside the set. No tested device has such a result.
//! `Exact` uses no float instruction whose rounding matters: one estimates a quotient, which integers correct, and the others are
//! exact.
//!
//! # F16
//!
//! F16 is converted to f32 and back by integer operations, which every device computes alike. WGSL lets a device's own
//! instructions round otherwise. [`Host::check_f16`] tells whether they are right. A [`Clamper`] that is
//! [given](Clamper::with_f16_conversions) this answer uses them, and F16 becomes as fast as F32 on many GPUs; the results
//! are the same. [`Host::open`] does both. A program with a device of its own does both once; without, F16 is right and
//! slower.
//!
//! # F64
//!
//! On Vulkan devices with `SHADER_F64` and `SHADER_INT64`, `Fast` is f64 arithmetic of the device. Elsewhere it is computed as
//! `Exact`, whose result is in the set, with four times as many instructions. Request the features of
//! [`Clamper::optional_features`].
//!
//! NVIDIA's driver 580.159.04 (H200, Vulkan) compiled a comparison after f64 arithmetic wrongly: on long runs every positive
//! result became Max. The crate no longer uses that comparison there, at the cost of a few instructions per element.
//! [`Host::self_test`] runs this step on a long run wherever the device has it.

#[cfg(doc)]
use crate::{Clamper, Host, Precision, reference, verify};
