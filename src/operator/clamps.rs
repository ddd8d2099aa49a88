//! One clamp for a whole tensor, or one for each index of an axis.

use crate::{Clamp, Error};

/// What a call computes: one [`Clamp`] for all elements, or one for each index of an axis of the shape, its channels.
///
/// A `&Clamp` converts into it, so that a plain call reads as `prepare(&clamp, operands)`. The clamps of the channels
/// agree in both dtypes, order, NaN rule, precision and rounding; their bounds are absent or values. They are checked
/// where the shape is known.
///
/// ```
/// use wgpu_clamp::{Clamp, Clamps, DType, Layout, reference};
///
/// // Two interleaved channels of bytes, each with a scale and a range of its own.
/// let channels = [
///     Clamp::new(0.0_f32, 1.0).with_source(DType::U8)?.with_affine(1.0 / 255.0, 0.0)?,
///     Clamp::new(-1.0_f32, 1.0).with_source(DType::U8)?.with_affine(1.0 / 127.5, -1.0)?,
/// ];
/// let layout = Layout::packed(&[2, 2])?;
/// let mut dst = [0; 16];
/// reference::apply(Clamps::along(1, &channels), &layout, &[255, 255, 0, 0], &layout, &mut dst)?;
/// let numbers: Vec<f32> = dst.chunks(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect();
/// assert_eq!(numbers, [1.0, 1.0, 0.0, -1.0]);
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clamps<'a> {
    /// `None` for one clamp alone.
    axis: Option<usize>,
    list: &'a [Clamp],
}

impl<'a> From<&'a Clamp> for Clamps<'a> {
    fn from(clamp: &'a Clamp) -> Self {
        Self { axis: None, list: std::slice::from_ref(clamp) }
    }
}

impl<'a> Clamps<'a> {
    /// `clamps[i]` for index `i` of dimension `axis`: as many as that dimension is long.
    #[must_use]
    pub const fn along(axis: usize, clamps: &'a [Clamp]) -> Self {
        Self { axis: Some(axis), list: clamps }
    }

    /// The dimension whose indices are the channels; `None` where one clamp serves all elements.
    #[must_use]
    pub const fn axis(&self) -> Option<usize> {
        self.axis
    }

    /// The clamps: one, or one for each channel.
    pub const fn as_slice(&self) -> &'a [Clamp] {
        self.list
    }

    /// Whether they suit a shape and agree with each other.
    pub(crate) fn check(&self, shape: &[usize]) -> Result<(), Error> {
        let Some(axis) = self.axis else { return Ok(()) };
        let rank = shape.len();
        let extent = *shape.get(axis).ok_or_else(|| Error::axis(axis, rank))?;
        if self.list.len() != extent {
            let value = format!("{} given for axis {axis} of extent {extent}", self.list.len());
            return Err(Error::argument("clamps", value, "one for each index is needed"));
        }
        let Some(first) = self.list.first() else { return Ok(()) };
        for (channel, clamp) in self.list.iter().enumerate() {
            if let Some(argument) = clamp.bound_on_gpu() {
                return Err(Error::argument(
                    "clamps",
                    format!("{argument} of channel {channel} is `Number::OnGpu`"),
                    "bounds of channels are absent or values",
                ));
            }
            if let Some(difference) = Difference::between(first, clamp) {
                let Difference { property, first, other } = difference;
                return Err(Error::argument(
                    "clamps",
                    format!("channel {channel} has {property} {other}, channel 0 has {first}"),
                    "all channels agree in source and destination dtype, order, NaN rule, precision and rounding",
                ));
            }
        }
        Ok(())
    }

    /// One clamp, if all channels have the same one.
    pub(crate) fn simplified(self) -> Self {
        match self.list.split_first() {
            Some((first, others)) if others.iter().all(|other| other == first) => first.into(),
            _ => self,
        }
    }
}

/// A property in which two channels' clamps differ but must agree.
struct Difference {
    property: &'static str,
    first: String,
    other: String,
}

impl Difference {
    fn between(first: &Clamp, other: &Clamp) -> Option<Self> {
        fn differ<T: PartialEq + std::fmt::Debug>(
            property: &'static str,
            [first, other]: [T; 2],
        ) -> Option<Difference> {
            (first != other).then(|| Difference {
                property,
                first: format!("{first:?}"),
                other: format!("{other:?}"),
            })
        }
        differ("source dtype", [first.source(), other.source()])
            .or_else(|| differ("dtype", [first.dtype(), other.dtype()]))
            .or_else(|| differ("order", [first.order(), other.order()]))
            .or_else(|| differ("NaN rule", [first.nan_rule(), other.nan_rule()]))
            .or_else(|| differ("precision", [first.precision(), other.precision()]))
            .or_else(|| differ("rounding", [first.rounding(), other.rounding()]))
    }
}
