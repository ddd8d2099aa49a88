//! The clamp: its bounds, order, NaN rule, scale, bias, precision and rounding.

use crate::error::names;
use crate::{DType, Element, Error, Number, Scalar};

/// The bound that wins where `Min > Max`. Elsewhere the two orders give the same results. There is no third order of two
/// bounds, so a `match` needs no further arm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// Replace by Max first, then by Min: every non-NaN element becomes Min.
    #[default]
    MinWins,
    /// Replace by Min first, then by Max: every non-NaN element becomes Max.
    MaxWins,
}

/// The treatment of a NaN element. An integer is none, so between integers the rule has no effect, unless a
/// scale or bias on the GPU is NaN or infinite. To an integer dtype, a NaN
/// becomes 0 or, quantised, the zero point; by [`ToMin`](Self::ToMin) the lowest integer, by [`ToMax`](Self::ToMax) the highest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NanRule {
    /// A NaN stays, within one dtype bit for bit.
    #[default]
    Propagate,
    /// A NaN is treated as −∞. The result is −∞ where no bound replaces it.
    ToMin,
    /// A NaN is treated as +∞. The result is +∞ where no bound replaces it.
    ToMax,
}

/// The rounding of the affine step where source or destination is a float, and of a quantisation. Between integers the
/// affine step is always exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Precision {
    /// Hardware arithmetic in f32 (f64 for F64). The result is one of a stated set, see
    /// [`reference::allowed`](crate::reference::allowed).
    ///
    /// Hardware arithmetic for F64 needs a device on Vulkan with the features `SHADER_F64` and `SHADER_INT64`, which
    /// [`Host::open`](crate::Host::open) asks for. Other devices compute F64 as [`Exact`](Self::Exact), many times
    /// slower; that result is always in the set. [`Limits::f64_arithmetic`](crate::Limits::f64_arithmetic) of
    /// [`Clamper::limits`](crate::Clamper::limits) tells whether a device has this arithmetic.
    #[default]
    Fast,
    /// The exact real number, rounded once to the dtype, ties to even, subnormals kept: the same bits
    /// on every device. For F32 and F64 that is Rust's `x.mul_add(scale, bias)`, before the bounds, with the exceptions
    /// listed in the [manual](crate::manual::precision). A clamp of [`quantize_linear`](Clamp::quantize_linear) or
    /// [`dequantize_linear`](Clamp::dequantize_linear) rounds as ONNX says instead.
    Exact,
}

/// The rounding to an integer, where the [`Clamp`]'s own dtype is an integer. Floats are always rounded to nearest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rounding {
    /// Toward zero: drops the fraction, as Rust's `as` does.
    #[default]
    TowardZero,
    /// To the nearest integer, ties to even.
    NearestEven,
}

/// An affine step `x * scale + bias` whose numbers the host knows. Both are finite, and f32 values unless the dtype is
/// F64.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Affine {
    scale: f64,
    bias: f64,
}

/// The numbers of `Clamp::quantize_linear`, which has a float source, or of `Clamp::dequantize_linear`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quantization {
    /// Finite; not 0 if it divides.
    pub(crate) scale: f32,
    /// A number of the integer dtype.
    pub(crate) zero_point: i32,
}

impl Affine {
    pub(crate) const fn new(scale: f64, bias: f64) -> Self {
        Self { scale, bias }
    }

    pub(crate) const fn scale(self) -> f64 {
        self.scale
    }

    pub(crate) const fn bias(self) -> f64 {
        self.bias
    }
}

/// The operation `max(Min, min(x * scale + bias, Max))` on elements of one [`DType`], or from one dtype to another.
///
/// A `Clamp` is plain data: it holds no GPU object and can be a key of a map. The bounds compare
/// values as numbers and only replace them. A value that no bound replaces keeps its exact bits: the sign of a zero, a
/// subnormal, a NaN payload. −0 and +0 are equal.
///
/// ```
/// use wgpu_clamp::{Clamp, DType, NanRule, Order};
///
/// let relu6 = Clamp::new(0.0_f32, 6.0);
/// assert_eq!(relu6.dtype(), DType::F32);
///
/// let levels = Clamp::new(0_u8, 255).with_affine(1.5, -20.0)?;
/// let one_sided = Clamp::at_least(-5_i64).with_order(Order::MaxWins);
/// let no_nan = Clamp::at_most(1.0_f64).with_nan_rule(NanRule::ToMin);
///
/// // Bytes to floats from 0 to 1.
/// let to_floats = Clamp::new(0.0_f32, 1.0).with_source(DType::U8)?.with_affine(1.0 / 255.0, 0.0)?;
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct Clamp {
    /// Dtype of the source.
    source: DType,
    /// Dtype of the destination and of the bounds.
    dtype: DType,
    min: Number,
    max: Number,
    order: Order,
    nan_rule: NanRule,
    /// Scale and bias are both absent if the affine step is the identity.
    scale: Number,
    bias: Number,
    precision: Precision,
    rounding: Rounding,
    /// Not `None` for a quantisation, of which `scale` is the scale. There is no affine step then.
    zero_point: Option<i32>,
}

impl Clamp {
    /// A clamp with both bounds: `max(min, min(x, max))`. The bounds have the type of the elements; without a suffix,
    /// `0.0` is an f64 and `0` an i32 in Rust.
    ///
    /// `min > max` is allowed and follows the [`Order`].
    ///
    /// ```
    /// # use wgpu_clamp::{Clamp, DType};
    /// assert_eq!(Clamp::new(0.0_f32, 6.0).dtype(), DType::F32);
    /// assert_eq!(Clamp::new(0.0, 6.0).dtype(), DType::F64);
    /// assert_eq!(Clamp::new(-1_i8, 1).min(), (-1_i8).into());
    /// ```
    pub fn new<T: Element>(min: T, max: T) -> Self {
        Self { min: min.into(), ..Self::at_most(max) }
    }

    /// A clamp with only a lower bound: `max(min, x)`.
    ///
    /// ```
    /// # use wgpu_clamp::{Clamp, Number};
    /// assert_eq!(Clamp::at_least(0_u16).max(), Number::Absent);
    /// ```
    pub fn at_least<T: Element>(min: T) -> Self {
        Self { min: min.into(), ..Self::unbounded(T::DTYPE) }
    }

    /// A clamp with only an upper bound: `min(x, max)`.
    ///
    /// ```
    /// # use wgpu_clamp::{Clamp, Number};
    /// assert_eq!(Clamp::at_most(9_u16).min(), Number::Absent);
    /// ```
    pub fn at_most<T: Element>(max: T) -> Self {
        Self { max: max.into(), ..Self::unbounded(T::DTYPE) }
    }

    /// A clamp without bounds: a copy, or the affine step alone.
    ///
    /// ```
    /// # use wgpu_clamp::{Clamp, DType};
    /// let gain = Clamp::unbounded(DType::F16).with_affine(2.0, 0.0)?;
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub const fn unbounded(dtype: DType) -> Self {
        Self {
            source: dtype,
            dtype,
            min: Number::Absent,
            max: Number::Absent,
            order: Order::MinWins,
            nan_rule: NanRule::Propagate,
            scale: Number::Absent,
            bias: Number::Absent,
            precision: Precision::Fast,
            rounding: Rounding::TowardZero,
            zero_point: None,
        }
    }

    /// The clamp without bounds of a quantisation, whose arguments are right.
    pub(crate) fn of_quantization(source: DType, dtype: DType, quantization: Quantization) -> Self {
        let Quantization { scale, zero_point } = quantization;
        Self {
            source,
            scale: scale.into(),
            rounding: Rounding::NearestEven,
            zero_point: Some(zero_point),
            ..Self::unbounded(dtype)
        }
    }

    /// Replaces both bounds. Each is [`Number::Absent`], a value of the clamp's dtype, or [`Number::OnGpu`]. Programs
    /// that learn the dtype at run time give values as [`Scalar`](crate::Scalar)s.
    ///
    /// # Errors
    ///
    /// - [`Error::DType`] if a value is not of the clamp's dtype,
    /// - [`Error::Argument`] if a number is on the GPU and the clamp is of [`quantize_linear`](Self::quantize_linear) or
    ///   [`dequantize_linear`](Self::dequantize_linear).
    ///
    /// ```
    /// # use wgpu_clamp::{Clamp, DType, Number, Scalar};
    /// let from_a_slot = Clamp::unbounded(DType::F32).with_bounds(0.0_f32, Number::OnGpu)?;
    /// assert_eq!(from_a_slot.max(), Number::OnGpu);
    ///
    /// let one = Scalar::from_bits(DType::BF16, 0x3f80)?;
    /// let at_most_one = Clamp::unbounded(one.dtype()).with_bounds(Number::Absent, one)?;
    /// assert!(at_most_one.with_bounds(0.0_f32, one).is_err());
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn with_bounds(self, min: impl Into<Number>, max: impl Into<Number>) -> Result<Self, Error> {
        let (min, max) = (min.into(), max.into());
        for (argument, number) in [("min", min), ("max", max)] {
            if let Number::Value(scalar) = number
                && scalar.dtype() != self.dtype
            {
                let remedy = format!(
                    "give a value of dtype {} (literals without a suffix are f64 and i32)",
                    self.dtype
                );
                return Err(Error::dtype_of_clamp(argument, self.dtype, scalar.dtype(), &remedy));
            }
            if number == Number::OnGpu && self.zero_point.is_some() {
                let value = format!("it is `Number::OnGpu`, {}", self.beside_a_zero_point());
                return Err(Error::argument(argument, value, "give its value"));
            }
        }
        Ok(Self { min, max, ..self })
    }

    /// Sets the bound that wins where `Min > Max`. The default is [`Order::MinWins`].
    ///
    /// ```
    /// # use wgpu_clamp::{Clamp, Order};
    /// assert_eq!(Clamp::new(2, 1).with_order(Order::MaxWins).order(), Order::MaxWins);
    /// ```
    pub const fn with_order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// Sets the treatment of a NaN element. The default is [`NanRule::Propagate`].
    ///
    /// ```
    /// # use wgpu_clamp::{Clamp, NanRule};
    /// let clamp = Clamp::new(0.0_f32, 1.0).with_nan_rule(NanRule::ToMax);
    /// assert_eq!(clamp.nan_rule(), NanRule::ToMax);
    /// ```
    pub const fn with_nan_rule(mut self, rule: NanRule) -> Self {
        self.nan_rule = rule;
        self
    }

    /// Takes elements of another dtype: `x` is of dtype `source`. Bounds and result keep the clamp's own dtype.
    ///
    /// The nine dtypes of [`DType::CONVERTIBLE`] convert into each other. A float becomes an integer by the
    /// [`Rounding`], saturated. A NaN becomes the integer 0, or the lowest or highest integer by the [`NanRule`]. Any
    /// number becomes a float by rounding to nearest, ties to even.
    ///
    /// The default rounding drops the fraction, so a byte that goes to a float and back often comes back lower by 1.
    /// Set [`Rounding::NearestEven`], as [the
    /// manual](crate::manual::conversion#and-back-a-networks-output-to-a-picture) does.
    ///
    /// # Errors
    ///
    /// - [`Error::DType`] if `source` is not the clamp's own dtype and one of the two is not among the nine,
    /// - [`Error::Argument`] if the clamp is of [`quantize_linear`](Self::quantize_linear) or
    ///   [`dequantize_linear`](Self::dequantize_linear) and has another source.
    ///
    /// ```
    /// # use wgpu_clamp::{Clamp, DType, Rounding};
    /// let to_bytes = Clamp::new(0_u8, 255)
    ///     .with_source(DType::F32)?
    ///     .with_affine(255.0, 0.0)?
    ///     .with_rounding(Rounding::NearestEven);
    /// assert_eq!((to_bytes.source(), to_bytes.dtype()), (DType::F32, DType::U8));
    /// assert!(to_bytes.with_source(DType::I64).is_err());
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn with_source(self, source: DType) -> Result<Self, Error> {
        if !source.converts_to(self.dtype) {
            let pair = format!("{source} does not convert to {}", self.dtype);
            let those = names(DType::CONVERTIBLE);
            return Err(Error::dtype("source", pair, format!("any two of {those} do")));
        }
        if self.zero_point.is_some() && source != self.source {
            let value = format!("it is {source}, {}", self.beside_a_zero_point());
            return Err(Error::argument("source", value, "give the constructor this source"));
        }
        Ok(Self { source, ..self })
    }

    /// Sets the rounding to an integer. The default is [`Rounding::TowardZero`]. Without effect if the clamp's dtype is
    /// a float, and on a clamp of [`quantize_linear`](Self::quantize_linear), which rounds to nearest.
    ///
    /// ```
    /// # use wgpu_clamp::{Clamp, Rounding};
    /// let halves = Clamp::new(0_u8, 9).with_affine(0.5, 0.0)?.with_rounding(Rounding::NearestEven);
    /// assert_eq!(halves.rounding(), Rounding::NearestEven);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub const fn with_rounding(mut self, rounding: Rounding) -> Self {
        if self.zero_point.is_none() {
            self.rounding = rounding;
        }
        self
    }

    /// Sets the precision of a float affine step or of a quantisation. The default is [`Precision::Fast`].
    ///
    /// ```
    /// # use wgpu_clamp::{Clamp, Precision};
    /// let clamp = Clamp::new(0.0_f32, 1.0).with_precision(Precision::Exact);
    /// assert_eq!(clamp.precision(), Precision::Exact);
    /// ```
    pub const fn with_precision(mut self, precision: Precision) -> Self {
        self.precision = precision;
        self
    }

    /// Computes `x * scale + bias` before the bounds apply. Each number is [`Number::Absent`], a value or
    /// [`Number::OnGpu`]. An absent scale is 1. An absent bias is −0, which adds nothing.
    ///
    /// A value is an f32 or an f64. A clamp of F64 keeps all its bits; any other rounds an f64 to f32, to nearest, ties to
    /// even:
    /// `1.0 / 255.0` is computed in f64 and rounded once. [`scale`](Self::scale) and [`bias`](Self::bias) return the numbers
    /// that are used.
    ///
    /// Scale 1 with bias +0 or −0 is the identity and is dropped: every bit stays. A NaN element passes the step
    /// unchanged. ±∞ stays infinite, and a negative `scale` flips its sign. Where `scale` is ±0, ±∞ becomes the
    /// canonical quiet NaN (sign 0, only the top mantissa bit set), which then meets the [`NanRule`].
    ///
    /// A number on the GPU is an F32. The clamp's dtype must then be F32, F16, BF16 or an integer of up to 16 bits; its
    /// source may be any dtype that converts. A number on the GPU has the same effect as that value given by the host:
    /// scale 1 with bias ±0 keeps every bit, and between integers every scale is exact. If that number is a NaN or an
    /// infinity, each element except a NaN becomes the canonical quiet NaN. An integer dtype treats that NaN as
    /// [`with_source`](Self::with_source) says.
    ///
    /// # Errors
    ///
    /// - [`Error::Argument`] if a value is NaN, infinite or beyond f32, or if the clamp is of
    ///   [`quantize_linear`](Self::quantize_linear) or [`dequantize_linear`](Self::dequantize_linear),
    /// - [`Error::DType`] if a value is neither an f32 nor an f64, or if a number is on the GPU and the clamp's dtype is
    ///   I32, U32 or of 64 bits.
    ///
    /// ```
    /// # use wgpu_clamp::{Clamp, DType, Number};
    /// let clamp = Clamp::new(0_u8, 200).with_affine(1.5, -20.0)?;
    /// assert_eq!((clamp.scale(), clamp.bias()), (1.5_f32.into(), (-20.0_f32).into()));
    /// assert_eq!(clamp.with_affine(1.0, -0.0)?, Clamp::new(0_u8, 200));
    ///
    /// let quantize = Clamp::new(-127_i8, 127).with_source(DType::F32)?.with_affine(Number::OnGpu, Number::Absent)?;
    /// assert_eq!(quantize.scale(), Number::OnGpu);
    ///
    /// assert_eq!(Clamp::new(0.0_f32, 1.0).with_affine(0.1, 0.3)?.scale(), 0.1_f32.into());
    /// assert_eq!(Clamp::new(0.0_f64, 1.0).with_affine(0.1, 0.3)?.scale(), 0.1_f64.into());
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn with_affine(mut self, scale: impl Into<Number>, bias: impl Into<Number>) -> Result<Self, Error> {
        let (scale, bias) = (scale.into(), bias.into());
        if self.zero_point.is_some() {
            let (argument, number) = if scale == Number::Absent && bias != Number::Absent {
                ("bias", bias)
            } else {
                ("scale", scale)
            };
            let number = match number {
                Number::Value(value) => value.to_string(),
                Number::Absent | Number::OnGpu => format!("`Number::{number:?}`"),
            };
            let value = format!("it is {number}, {}", self.beside_a_zero_point());
            let remedy =
                "give the constructor scale and zero point, or make another clamp for an affine step";
            return Err(Error::argument(argument, value, remedy));
        }
        self.scale = self.affine_number("scale", scale)?;
        self.bias = self.affine_number("bias", bias)?;
        if let Some(Affine { scale, bias }) = self.known_affine() {
            #[expect(clippy::float_cmp, reason = "only exactly 1 is the identity")]
            let identity = scale == 1.0 && bias == 0.0;
            if identity {
                (self.scale, self.bias) = (Number::Absent, Number::Absent);
            }
        }
        Ok(self)
    }

    /// The scale or bias as stored: an F64 in a clamp of F64, else an F32.
    fn affine_number(&self, argument: &'static str, number: Number) -> Result<Number, Error> {
        let scalar = match number {
            Number::Absent => return Ok(number),
            Number::OnGpu if self.dtype.takes_affine_on_gpu() => return Ok(number),
            Number::OnGpu => return Err(Error::affine_on_gpu(argument, self.source, self.dtype)),
            Number::Value(scalar) => scalar,
        };
        let Some(given) = scalar.get::<f64>().or_else(|| scalar.get::<f32>().map(f64::from)) else {
            let value = format!("{scalar} has dtype {}, which no {argument} has", scalar.dtype());
            return Err(Error::dtype(argument, value, "give an f32 or an f64"));
        };
        let is_double = self.dtype == DType::F64;
        let finite = if is_double { given.is_finite() } else { (given as f32).is_finite() };
        if !finite {
            let value = if given.is_finite() { "is beyond f32" } else { "is not finite" };
            let remedy = "the affine step takes finite numbers";
            return Err(Error::argument(argument, format!("{given:?} {value}"), remedy));
        }
        Ok(if is_double { given.into() } else { (given as f32).into() })
    }

    /// The name of the constructor of a quantisation.
    fn quantizer(&self) -> &'static str {
        if self.source.is_float() { "quantize_linear" } else { "dequantize_linear" }
    }

    /// The end of a refusal's value: the constructor beside which something is refused.
    fn beside_a_zero_point(&self) -> String {
        format!("and the clamp is of `Clamp::{}` from {} to {}", self.quantizer(), self.source, self.dtype)
    }

    /// The affine step, the identity if there is none; `None` if scale or bias is on the GPU, or for a quantisation.
    fn known_affine(&self) -> Option<Affine> {
        if self.zero_point.is_some() {
            return None;
        }
        let known = |number: Number, absent: f64| match number {
            Number::Absent => Some(absent),
            Number::Value(scalar) => scalar.get::<f64>().or_else(|| scalar.get::<f32>().map(f64::from)),
            Number::OnGpu => None,
        };
        Some(Affine { scale: known(self.scale, 1.0)?, bias: known(self.bias, -0.0)? })
    }

    /// The element type of the destination and the bounds; of the source too, if the clamp does not convert.
    #[must_use]
    pub const fn dtype(&self) -> DType {
        self.dtype
    }

    /// The element type of the source.
    #[must_use]
    pub const fn source(&self) -> DType {
        self.source
    }

    /// Refuses a source or destination whose dtype is not the clamp's on that side.
    pub(crate) fn check_dtypes(
        &self,
        [src, dst]: [&'static str; 2],
        [of_src, of_dst]: [DType; 2],
    ) -> Result<(), Error> {
        let of_quantization =
            self.zero_point.map(|_| format!("`Clamp::{}` names the dtypes of src and dst", self.quantizer()));
        let remedy = |other| of_quantization.as_deref().unwrap_or(other);
        let of_bounds = "a clamp has the dtype of its bounds (literals without a suffix are f64 and i32), \
                         `Clamp::with_source` converts from another";
        if of_src != self.source && self.converts() {
            let remedy = remedy("`Clamp::with_source` names the dtype of src, the bounds have that of dst");
            Err(Error::dtype_of_source(src, self.source, of_src, remedy))
        } else if of_src != self.source {
            Err(Error::dtype_of_clamp(src, self.dtype, of_src, remedy(of_bounds)))
        } else if of_dst != self.dtype {
            Err(Error::dtype_of_clamp(dst, self.dtype, of_dst, remedy(of_bounds)))
        } else {
            Ok(())
        }
    }

    /// Whether source or destination is a float. Between integers every affine step is exact, and there is no NaN.
    pub(crate) fn meets_a_float(&self) -> bool {
        self.source.is_float() || self.dtype.is_float()
    }

    /// Whether source and destination differ in dtype.
    #[must_use]
    pub fn converts(&self) -> bool {
        self.source != self.dtype
    }

    /// The lower bound.
    #[must_use]
    pub const fn min(&self) -> Number {
        self.min
    }

    /// The upper bound.
    #[must_use]
    pub const fn max(&self) -> Number {
        self.max
    }

    pub(crate) const fn numbers(&self) -> [(&'static str, Number); 4] {
        [("min", self.min), ("max", self.max), ("scale", self.scale), ("bias", self.bias)]
    }

    /// The dtype that each number's slot has, in the order of [`numbers`](Self::numbers).
    pub(crate) const fn slot_dtypes(&self) -> [DType; 4] {
        [self.dtype, self.dtype, DType::F32, DType::F32]
    }

    pub(crate) fn number_on_gpu(&self) -> Option<&'static str> {
        self.numbers().into_iter().find(|&(_, number)| number == Number::OnGpu).map(|(argument, _)| argument)
    }

    /// The bound that wins where `Min > Max`.
    #[must_use]
    pub const fn order(&self) -> Order {
        self.order
    }

    /// The treatment of a NaN element.
    #[must_use]
    pub const fn nan_rule(&self) -> NanRule {
        self.nan_rule
    }

    /// The factor of the affine step: an F64 in a clamp of F64, else an F32. Absent if there is no step or the step is
    /// the identity. With a [`zero_point`](Self::zero_point), the scale of that quantisation.
    #[must_use]
    pub const fn scale(&self) -> Number {
        self.scale
    }

    /// The addend of the affine step: an F64 in a clamp of F64, else an F32. Absent if there is no step or the step is
    /// the identity.
    #[must_use]
    pub const fn bias(&self) -> Number {
        self.bias
    }

    /// The zero point of [`quantize_linear`](Self::quantize_linear) or [`dequantize_linear`](Self::dequantize_linear);
    /// `None` for any other clamp.
    #[must_use]
    pub const fn zero_point(&self) -> Option<i32> {
        self.zero_point
    }

    pub(crate) fn quantization(&self) -> Option<Quantization> {
        let scale = self.scale.value().and_then(Scalar::get);
        Some(Quantization { zero_point: self.zero_point?, scale: scale? })
    }

    /// Whether there is an affine step other than the identity. A step with a number on the GPU counts as one.
    pub(crate) fn has_affine(&self) -> bool {
        self.zero_point.is_none() && [self.scale, self.bias] != [Number::Absent; 2]
    }

    pub(crate) const fn has_affine_on_gpu(&self) -> bool {
        matches!(self.scale, Number::OnGpu) || matches!(self.bias, Number::OnGpu)
    }

    /// The affine step, or `None` if there is none, it is the identity, or a number of it is on the GPU.
    pub(crate) fn affine(&self) -> Option<Affine> {
        self.known_affine().filter(|_| self.has_affine())
    }

    /// The precision of a float affine step or of a quantisation.
    #[must_use]
    pub const fn precision(&self) -> Precision {
        self.precision
    }

    /// The rounding to an integer.
    #[must_use]
    pub const fn rounding(&self) -> Rounding {
        self.rounding
    }
}
