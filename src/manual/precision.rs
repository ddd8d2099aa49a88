//! Which bits to expect: `Exact`, `Fast` and its stated sets.
//!
//! Without an affine step there is nothing to choose: elements are compared as integers and replaced, so every device
//! gives the same bits. Nor is there for integers, which are computed exactly with either [`Precision`]. The choice is
//! for `x * scale + bias` where a float takes part.
//!
//! | | [`Precision::Fast`] (default) | [`Precision::Exact`] |
//! | --- | --- | --- |
//! | arithmetic | the device's own, in f32 (F64: f64) | integers alone |
//! | result | one of a stated set | the real number, rounded once, ties to even, subnormals kept |
//! | across devices | may differ within the set | the same bits |
//! | instructions per F32 byte on an AMD GPU | 1.6 | 15 |
//! | near a tie, to an integer, F16 or BF16 | may be one off, since it rounds twice | rounded once |
//! | for | networks, pictures, audio | rounding that can be relied on, tests, results that are compared or kept |
//!
//! (The instructions are those of AMD's compiler for navi21, of `cargo xtask shaders --budget`, 2026-11-22.)
//!
//! To F32 and F64, `Exact` is Rust's `x.mul_add(scale, bias)`, before the bounds, but for three cases: scale 1 with bias
//! ±0 keeps −0, a NaN keeps its bits, and ±∞ times ±0 is the canonical quiet NaN. F16 and BF16 are rounded once too, not by
//! way of F32.
//!
//! # The set of `Fast`
//!
//! To F32 and F64 the exact result is one of the set. To other dtypes it need not be: `Fast` rounds to f32 first, and then to
//! the dtype. "Rounded to nearest" is true of `Exact` alone.
//!
//! A device may fuse the multiplication with the addition or not, and may flush subnormals, so the set has the fused and
//! the unfused result, each with subnormals kept or flushed: one to four values for an ordinary element. It may tell that a
//! number is subnormal before it rounds it: `SwiftShader` makes half of `0x00ff_ffff` 0, where the exact product is a tie
//! between the largest subnormal and the least normal number, and rounds to the latter.
//! [`reference`](mod@crate::reference) states it, [`reference::allowed`] gives it, and [`verify::check`] and
//! [`Host::self_test`] hold a device to it.
//!
//! ```
//! use wgpu_clamp::{Clamp, Element, reference};
//!
//! // 0.1 * 3 - 0.3 in f32: what is left of the product's rounding, or nothing.
//! let clamp = Clamp::new(-1.0_f32, 1.0).with_affine(3.0, -0.3)?;
//! let allowed = reference::allowed(&clamp, 0.1_f32.to_bits64());
//! let values: Vec<f32> = allowed.values().iter().map(|bits| f32::from_bits(*bits as u32)).collect();
//! assert_eq!(values, [-7.450_581e-9, 0.0]); // fused; unfused
//! # Ok::<(), wgpu_clamp::Error>(())
//! ```
//!
//! WGSL leaves the rounding of float arithmetic to the device, so one may fall outside of the set all the same. Of those
//! tried, none does now; Microsoft's DXC did until a product was kept from it (see [`portability`](super::portability)). `Exact` uses no float instruction.
//!
//! # F64
//!
//! On Vulkan devices that were created with `SHADER_F64` and `SHADER_INT64`, `Fast` is f64 arithmetic of the device.
//! Elsewhere it is computed as `Exact`, whose result is in the set, and takes twelve times as many instructions.
//! [`Clamper::optional_features`] is what to ask an adapter for.
//!
//! [`Precision`]: crate::Precision
//! [`Precision::Fast`]: crate::Precision::Fast
//! [`Precision::Exact`]: crate::Precision::Exact
//! [`reference::allowed`]: crate::reference::allowed
//! [`verify::check`]: crate::verify::check
//! [`Host::self_test`]: crate::Host::self_test
//! [`Clamper::optional_features`]: crate::Clamper::optional_features
