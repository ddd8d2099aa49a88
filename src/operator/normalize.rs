//! Normalisation by mean and deviation: clamps per channel.

use super::Clamp;
use crate::{DType, Error};

impl Clamp {
    /// A clamp for each channel that normalises it: `(x / one - mean) / deviation`, with the bounds and the rules of `self`,
    /// whose affine step it replaces.
    /// [`Clamps::along`](crate::Clamps::along) takes the result. `one` is the element that counts as 1: 255 for bytes, 1 for
    /// floats.
    ///
    /// The affine step has `scale = 1 / (one * deviation)` and `bias = -mean / deviation`, each computed in f64 and then
    /// rounded to f32, to nearest, ties to even (not for F64). Nothing else is rounded before the step: with
    /// [`Precision::Exact`](crate::Precision::Exact), a result is `x * scale + bias` of these two numbers, rounded once.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if a number is not finite, if `one` or a `deviation` is 0, if a scale becomes 0 or infinite or a
    /// bias infinite by the rounding, or if the clamp is of [`quantize_linear`](Self::quantize_linear) or
    /// [`dequantize_linear`](Self::dequantize_linear).
    ///
    /// ```
    /// use wgpu_clamp::{Clamp, Clamps, DType, Layout, reference};
    ///
    /// // As networks trained on ImageNet take it: bytes to planes of f32.
    /// let (mean, deviation) = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]);
    /// let channels =
    ///     Clamp::unbounded(DType::F32).with_source(DType::U8)?.normalize(255.0, mean, deviation)?;
    /// let (pixel, mut planes) = ([255_u8, 0, 128], [0; 12]);
    /// let layout = Layout::packed(&[3])?;
    /// reference::apply(Clamps::along(0, &channels), &layout, &pixel, &layout, &mut planes)?;
    /// let [red, ..] = planes.as_chunks().0 else { unreachable!() };
    /// assert_eq!(f32::from_le_bytes(*red), ((1.0 - 0.485) / 0.229) as f32);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn normalize<const N: usize>(
        self,
        one: f64,
        mean: [f64; N],
        deviation: [f64; N],
    ) -> Result<[Self; N], Error> {
        self.per_channel(one, (mean, deviation), |mean, deviation| {
            (1.0 / (one * deviation), -mean / deviation)
        })
    }

    /// The inverse of [`normalize`](Self::normalize): `(x * deviation + mean) * one`, in place of an affine step of `self`.
    ///
    /// The affine step has `scale = one * deviation` and `bias = one * mean`, computed and rounded as there. These are not
    /// the inverses of `normalize`'s rounded numbers, so a result may differ from the first element in the last places of
    /// f32. Bytes come back from F32 and F16 with [`Rounding::NearestEven`](crate::Rounding::NearestEven); the default
    /// rounding drops the fraction.
    ///
    /// # Errors
    ///
    /// Those of [`normalize`](Self::normalize).
    ///
    /// ```
    /// # use wgpu_clamp::{Clamp, DType, Rounding};
    /// let to_bytes = Clamp::new(0_u8, 255).with_source(DType::F32)?.with_rounding(Rounding::NearestEven);
    /// let [red, ..] = to_bytes.denormalize(255.0, [0.485, 0.456, 0.406], [0.229, 0.224, 0.225])?;
    /// assert_eq!((red.scale(), red.bias()), (58.395_f32.into(), 123.675_f32.into()));
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn denormalize<const N: usize>(
        self,
        one: f64,
        mean: [f64; N],
        deviation: [f64; N],
    ) -> Result<[Self; N], Error> {
        self.per_channel(one, (mean, deviation), |mean, deviation| (one * deviation, one * mean))
    }

    fn per_channel<const N: usize>(
        self,
        one: f64,
        (mean, deviation): ([f64; N], [f64; N]),
        step: impl Fn(f64, f64) -> (f64, f64),
    ) -> Result<[Self; N], Error> {
        const NOT_ZERO: &str = "a finite number other than 0 is needed";
        if !one.is_finite() || one == 0.0 {
            return Err(Error::argument("one", format!("it is {one:?}"), NOT_ZERO));
        }
        let mut channels = [self; N];
        for (channel, clamp) in channels.iter_mut().enumerate() {
            let (mean, deviation) = (mean[channel], deviation[channel]);
            let refused = |argument, value: f64, remedy: &str| {
                Err(Error::argument(argument, format!("that of channel {channel} is {value:?}"), remedy))
            };
            if !mean.is_finite() {
                return refused("mean", mean, "a finite number is needed");
            }
            if !deviation.is_finite() || deviation == 0.0 {
                return refused("deviation", deviation, NOT_ZERO);
            }
            let (scale, bias) = step(mean, deviation);
            let [rounded_scale, rounded_bias] = [scale, bias]
                .map(|number| if self.dtype() == DType::F64 { number } else { f64::from(number as f32) });
            if !rounded_scale.is_finite() || rounded_scale == 0.0 {
                return refused(
                    "deviation",
                    deviation,
                    &format!("with `one` of {one:?} it makes the scale {rounded_scale:?}; {NOT_ZERO}"),
                );
            }
            if !rounded_bias.is_finite() {
                return refused(
                    "mean",
                    mean,
                    &format!(
                        "with a deviation of {deviation:?} it makes the bias {rounded_bias:?}; a finite number is needed"
                    ),
                );
            }
            *clamp = clamp.with_affine(scale, bias)?;
        }
        Ok(channels)
    }
}
