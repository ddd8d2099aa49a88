//! One clamp for a whole tensor, or one for each index of an axis.

use std::fmt;

use crate::{Clamp, Error};

/// The clamps of a call: one [`Clamp`] for all elements, or one per channel (an index of one axis of the shape).
///
/// A `Clamp` and a `&Clamp` convert into `Clamps`, so that a plain call reads as `prepare(clamp, operands)`. A list of clamps,
/// such as `&[Clamp; 3]`, does not, since it has no axis: [`along`](Self::along) names it, as in
/// `prepare(Clamps::along(1, &channels), operands)`. It takes a clamp per channel, whose numbers are absent or values. [`slots_along`](Self::slots_along) takes one clamp
/// whose numbers on the GPU differ between channels. Each call checks them against its shape.
///
/// The numbers of several channels, and those on the GPU, lie in a table, a storage buffer of the prepared call. A channel
/// takes 16 to 80 bytes, with a scale or bias on the GPU 16. F32 takes 16 bytes, so a binding of 128 MiB holds 8,388,608
/// channels. A table beyond a binding or a buffer is [`Error::Limit`];
/// slices are clamped in chunks of fewer channels.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Clamps<'a>(Kind<'a>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind<'a> {
    /// One clamp for all elements.
    One(Clamp),
    /// A clamp for each index of the axis.
    Along(usize, &'a [Clamp]),
    /// One clamp, with slots along the axis.
    SlotsAlong(usize, Clamp),
}

impl From<Clamp> for Clamps<'_> {
    fn from(clamp: Clamp) -> Self {
        Self(Kind::One(clamp))
    }
}

impl From<&Clamp> for Clamps<'_> {
    fn from(clamp: &Clamp) -> Self {
        (*clamp).into()
    }
}

impl<'a> Clamps<'a> {
    /// Applies `clamps[i]` to index `i` of dimension `axis`. There must be one clamp for each index, and all must have
    /// the same dtypes, order, NaN rule, precision and rounding. All or none are of
    /// [`quantize_linear`](Clamp::quantize_linear) or [`dequantize_linear`](Clamp::dequantize_linear), each with a scale
    /// and a zero point of its own.
    #[must_use]
    pub const fn along(axis: usize, clamps: &'a [Clamp]) -> Self {
        Self(Kind::Along(axis, clamps))
    }

    /// Applies one clamp whose numbers on the GPU differ along dimension `axis`. Index `i` takes element `i` of a slot
    /// with one element per index. A slot of one element, an absent number and a value each serve all indices.
    ///
    /// ```
    /// use wgpu_clamp::{Clamp, Clamper, Clamps, DType, Error, Layout, Number, Operands, Rounding, View, wgpu};
    ///
    /// /// To 8 bits, each row by a scale of its own that a dispatch has found.
    /// fn quantize(
    ///     clamper: &Clamper,
    ///     encoder: &mut wgpu::CommandEncoder,
    ///     operands: Operands<'_>,
    ///     scales: &wgpu::Buffer,
    /// ) -> Result<(), Error> {
    ///     let rows = operands.dst().layout().shape()[0];
    ///     let clamp = Clamp::unbounded(DType::I8)
    ///         .with_source(DType::F32)?
    ///         .with_affine(Number::OnGpu, Number::Absent)?
    ///         .with_rounding(Rounding::NearestEven);
    ///     let scales = View::of::<f32>(scales, Layout::packed(&[rows])?);
    ///     clamper.encode(encoder, Clamps::slots_along(0, clamp), operands.with_scale(scales))
    /// }
    /// ```
    #[must_use]
    pub const fn slots_along(axis: usize, clamp: Clamp) -> Self {
        Self(Kind::SlotsAlong(axis, clamp))
    }

    /// The dimension whose indices are the channels; `None` if one clamp serves all elements.
    #[must_use]
    pub const fn axis(&self) -> Option<usize> {
        match self.0 {
            Kind::One(_) => None,
            Kind::Along(axis, _) | Kind::SlotsAlong(axis, _) => Some(axis),
        }
    }

    /// Whether there is one clamp with slots along the axis, from [`slots_along`](Self::slots_along).
    #[must_use]
    pub const fn has_slots_along(&self) -> bool {
        matches!(self.0, Kind::SlotsAlong(..))
    }

    /// The clamps: a single one, or one per channel.
    pub const fn as_slice(&self) -> &[Clamp] {
        match &self.0 {
            Kind::One(clamp) | Kind::SlotsAlong(_, clamp) => std::slice::from_ref(clamp),
            Kind::Along(_, clamps) => clamps,
        }
    }

    /// Checks that the clamps fit the shape and each other.
    pub(crate) fn check(&self, shape: &[usize]) -> Result<(), Error> {
        let Some(axis) = self.axis() else { return Ok(()) };
        let rank = shape.len();
        let extent = *shape.get(axis).ok_or_else(|| Error::axis(axis, rank))?;
        match self.0 {
            Kind::Along(_, list) if list.len() != extent => {
                let value = format!("{} given for axis {axis} of extent {extent}", list.len());
                Err(Error::argument("clamps", value, "one for each index is needed"))
            }
            _ => self.check_alike(),
        }
    }

    /// Checks that the clamps of a list of channels fit each other.
    pub(crate) fn check_alike(&self) -> Result<(), Error> {
        let Kind::Along(_, list) = self.0 else { return Ok(()) };
        let Some(first) = list.first() else { return Ok(()) };
        for (channel, clamp) in list.iter().enumerate() {
            if let Some(argument) = clamp.number_on_gpu() {
                let value = format!("{argument} of channel {channel} is `Number::OnGpu`");
                return Err(Error::argument("clamps", value, "give one clamp with `Clamps::slots_along`"));
            }
            if let Some(difference) = difference(first, channel, clamp) {
                let remedy = "all channels agree in source and destination dtype, presence of a zero point, order, \
                              NaN rule, precision and rounding";
                return Err(Error::argument("clamps", difference, remedy));
            }
        }
        Ok(())
    }

    /// A single clamp, if the host knows that all channels have equal clamps; else `self`.
    pub(crate) fn simplified(self, shape: &[usize]) -> Self {
        match self.0 {
            Kind::SlotsAlong(_, clamp) if clamp.number_on_gpu().is_none() || self.channels(shape) <= 1 => {
                clamp.into()
            }
            Kind::Along(_, [first, others @ ..]) if others.iter().all(|other| other == first) => first.into(),
            _ => self,
        }
    }

    /// The number of channels that may differ in numbers; 1 for a single clamp.
    pub(crate) fn channels(self, shape: &[usize]) -> usize {
        match self.0 {
            Kind::One(_) => 1,
            Kind::Along(_, list) => list.len(),
            Kind::SlotsAlong(axis, _) => shape[axis],
        }
    }
}

/// Names the first property that differs in channels 0 and `n`, but must not.
fn difference(first: &Clamp, n: usize, other: &Clamp) -> Option<String> {
    fn differ<T: PartialEq + fmt::Debug>(property: &str, n: usize, [first, other]: [T; 2]) -> Option<String> {
        (first != other).then(|| format!("channel {n} has {property} {other:?}, channel 0 has {first:?}"))
    }
    let both = [first, other];
    let zero_points = || {
        let [first, other] = both.map(|clamp| clamp.zero_point().map_or("no zero point", |_| "a zero point"));
        (first != other).then(|| format!("channel {n} has {other}, channel 0 has {first}"))
    };
    differ("source dtype", n, both.map(Clamp::source))
        .or_else(|| differ("dtype", n, both.map(Clamp::dtype)))
        .or_else(zero_points)
        .or_else(|| differ("order", n, both.map(Clamp::order)))
        .or_else(|| differ("NaN rule", n, both.map(Clamp::nan_rule)))
        .or_else(|| differ("precision", n, both.map(Clamp::precision)))
        .or_else(|| differ("rounding", n, both.map(Clamp::rounding)))
}
