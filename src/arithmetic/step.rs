//! Chooses the arithmetic of a module: source, destination and affine step.

use std::fmt;

use super::{Fixed, Halves, Thirds};
use crate::fragment::{Fragment, fragment};
use crate::operator::Affine;
use crate::{Clamp, DType, Precision, Rounding};

/// A class of dtypes that share one piece of arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    /// From integers to integers, both of up to 32 bits.
    Integer,
    Integer64,
    /// From any convertible dtype to a float of up to 32 bits.
    Float,
    Float64,
    /// From floats to integers of up to 16 bits; from integers too, if the step is on the GPU.
    Rounded,
    /// From floats to 32-bit integers.
    Rounded32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AffineStep {
    None,
    Fast,
    Exact,
    /// Exact: a product and a shift.
    Fixed,
    /// Exact: products with two parts of the factor.
    Halves,
    /// Exact: products with three bytes of the factor.
    Thirds,
}

/// The arithmetic of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Arithmetic {
    pub(crate) source: DType,
    pub(crate) dtype: DType,
    pub(crate) step: AffineStep,
    /// The rounding to integers. [`Rounding::TowardZero`] without one, and for [`AffineStep::Fixed`], whose numbers
    /// include the rounding.
    pub(crate) rounding: Rounding,
    /// Whether the step is on the GPU and the source is an integer: the step may then make NaNs.
    pub(crate) found: bool,
}

impl Arithmetic {
    pub(crate) const fn new(clamp: &Clamp, step: AffineStep) -> Self {
        let (source, dtype) = (clamp.source(), clamp.dtype());
        let found = clamp.has_affine_on_gpu() && !source.is_float();
        let rounds = rounds(class(source, dtype, found), step);
        let rounding = if rounds { clamp.rounding() } else { Rounding::TowardZero };
        Self { source, dtype, step, rounding, found }
    }

    pub(crate) const fn class(self) -> Class {
        class(self.source, self.dtype, self.found)
    }

    pub(crate) fn converts(self) -> bool {
        self.source != self.dtype
    }

    /// Bytes per element of src and of dst.
    pub(crate) const fn sizes(self) -> [usize; 2] {
        [self.source.size(), self.dtype.size()]
    }

    /// Bytes per element if both sides have the same; else `None`.
    pub(crate) const fn one_size(self) -> Option<usize> {
        let [src, dst] = self.sizes();
        if src == dst { Some(dst) } else { None }
    }

    #[cfg(test)]
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let pairs = DType::ALL.into_iter().flat_map(|dtype| {
            let sources = DType::ALL.into_iter().filter(move |source| source.converts_to(dtype));
            sources.map(move |source| (source, dtype))
        });
        let found = |(source, dtype): (DType, DType)| {
            let takes = !source.is_float() && dtype.takes_affine_on_gpu();
            [Some(false), takes.then_some(true)]
                .into_iter()
                .flatten()
                .map(move |found| (source, dtype, found))
        };
        pairs.flat_map(found).flat_map(|(source, dtype, found)| {
            steps(source, dtype, found).iter().flat_map(move |&step| {
                let roundings: &[Rounding] = if rounds(class(source, dtype, found), step) {
                    &[Rounding::TowardZero, Rounding::NearestEven]
                } else {
                    &[Rounding::TowardZero]
                };
                roundings.iter().map(move |&rounding| Self { source, dtype, step, rounding, found })
            })
        })
    }

    /// Whether the source is a 32-bit integer, which an f32 may not hold.
    const fn takes_words(self) -> bool {
        self.source.size() == 4 && !self.source.is_float()
    }

    /// Whether the module needs naga's `f64` and `u64`, which need device features.
    pub(crate) const fn takes_f64(self) -> bool {
        matches!((self.step, self.class()), (AffineStep::Fast, Class::Float64))
    }
}

impl fmt::Display for Arithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.converts() {
            write!(f, "{} to ", self.source)?;
        }
        write!(f, "{}, {}", self.dtype, self.step)?;
        if self.found {
            f.write_str(" found on the GPU")?;
        }
        if self.rounding == Rounding::NearestEven {
            f.write_str(", to nearest even")?;
        }
        Ok(())
    }
}

const fn class(source: DType, dtype: DType, found: bool) -> Class {
    match (dtype.is_float(), dtype.bits()) {
        (true, 64) => Class::Float64,
        (true, _) => Class::Float,
        (false, 64) => Class::Integer64,
        (false, 32) if source.is_float() => Class::Rounded32,
        (false, _) if source.is_float() || found => Class::Rounded,
        (false, _) => Class::Integer,
    }
}

/// Whether the module's text decides how numbers are rounded to integers.
const fn rounds(class: Class, step: AffineStep) -> bool {
    match class {
        Class::Rounded | Class::Rounded32 => true,
        Class::Integer | Class::Integer64 => {
            matches!(step, AffineStep::Exact | AffineStep::Halves | AffineStep::Thirds)
        }
        Class::Float | Class::Float64 => false,
    }
}

/// All steps from one dtype to another.
#[cfg(test)]
const fn steps(source: DType, dtype: DType, found: bool) -> &'static [AffineStep] {
    use AffineStep::{Exact, Fast, Fixed, Halves, None, Thirds};
    match class(source, dtype, found) {
        Class::Float if found => &[Fast, Exact],
        Class::Rounded if found => &[Exact],
        Class::Float | Class::Float64 | Class::Rounded | Class::Rounded32 => &[None, Fast, Exact],
        Class::Integer if dtype.size() == 4 => &[None, Exact],
        Class::Integer if source.size() == 1 => &[None, Exact, Fixed, Halves],
        Class::Integer if source.size() == 2 => &[None, Exact, Halves],
        Class::Integer if source.size() == 4 => &[None, Exact, Thirds],
        Class::Integer | Class::Integer64 => &[None, Exact],
    }
}

impl AffineStep {
    /// The shortest step that serves all `clamps`, which agree in dtypes. [`Exact`](Self::Exact) serves any.
    /// `f64_arithmetic`: see [`Limits`](crate::Limits).
    pub(crate) fn of(clamps: &[Clamp], f64_arithmetic: bool) -> Self {
        if let [clamp] = clamps
            && clamp.has_affine_on_gpu()
        {
            let fast = clamp.precision() == Precision::Fast && clamp.meets_a_float();
            return if fast { Self::Fast } else { Self::Exact };
        }
        let serves_all = |step: &Self| clamps.iter().all(|clamp| step.serves(clamp, f64_arithmetic));
        let shorter = [Self::None, Self::Fixed, Self::Halves, Self::Thirds, Self::Fast];
        shorter.into_iter().find(serves_all).unwrap_or(Self::Exact)
    }

    /// Whether this step can compute `clamp`.
    fn serves(self, clamp: &Clamp, f64_arithmetic: bool) -> bool {
        let (source, dtype) = (clamp.source(), clamp.dtype());
        let class = class(source, dtype, false);
        let Some(affine) = clamp.affine() else {
            // In a plan with affine steps, the identity serves a clamp without one. Fast F64 has no numbers that keep
            // every bit.
            return (self, class) != (Self::Fast, Class::Float64);
        };
        match self {
            Self::None => false,
            Self::Fixed => Fixed::find(source, dtype, affine, clamp.rounding()).is_some(),
            Self::Halves => Halves::find(source, dtype, affine, clamp.rounding()).is_some(),
            Self::Thirds => Thirds::find(source, dtype, affine, clamp.rounding()).is_some(),
            Self::Fast => {
                clamp.precision() == Precision::Fast
                    && match class {
                        Class::Float | Class::Rounded | Class::Rounded32 => true,
                        Class::Float64 => f64_arithmetic,
                        // Steps between integers are always exact.
                        Class::Integer | Class::Integer64 => false,
                    }
            }
            Self::Exact => true,
        }
    }
}

impl fmt::Display for AffineStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "no affine step",
            Self::Fast => "fast affine step",
            Self::Exact => "exact affine step",
            Self::Fixed => "fixed-point affine step",
            Self::Halves => "fixed-point affine step in halves",
            Self::Thirds => "fixed-point affine step in thirds",
        })
    }
}

/// The dtype of step values, if they are floats.
pub(super) fn step_dtype(arithmetic: Arithmetic) -> DType {
    if arithmetic.converts() || arithmetic.found { DType::F32 } else { arithmetic.dtype }
}

/// The identity for exact steps; preserves −0.
pub(super) const UNCHANGED: Affine = Affine::new(1.0, -0.0);

impl Arithmetic {
    /// The fragments for one element: source, destination, class, affine step, and the fragments that these need.
    pub(crate) fn fragments(self) -> Vec<Fragment> {
        let Self { source, dtype, step, rounding, found } = self;
        let class = self.class();
        let element: &[Fragment] = match class {
            Class::Integer => &[fragment!("element/integer")],
            Class::Integer64 => &[fragment!("element/integer64"), fragment!("wide")],
            Class::Float => &[fragment!("element/float")],
            Class::Float64 => &[fragment!("element/float64"), fragment!("wide")],
            Class::Rounded => &[fragment!("element/rounded"), fragment!("element/from_singles")],
            Class::Rounded32 => &[fragment!("element/rounded32"), fragment!("element/from_singles")],
        };
        let (sum, packed) = (fragment!("affine/sum"), fragment!("affine/packed"));
        let (of_float, of_word) = (fragment!("affine/float_product"), fragment!("affine/word_product"));
        let affine = match (step, class) {
            (AffineStep::None, Class::Integer) if self.converts() && source == DType::U32 => {
                vec![fragment!("affine/none_from_u32")]
            }
            (AffineStep::None, Class::Integer) if self.converts() && dtype == DType::U32 => {
                vec![fragment!("affine/none_to_u32")]
            }
            (AffineStep::None, Class::Rounded | Class::Rounded32) => {
                vec![fragment!("affine/none_from_float")]
            }
            (AffineStep::None, _) => vec![fragment!("affine/none")],
            (AffineStep::Fast, Class::Float64) => vec![fragment!("affine/float64_fast")],
            (AffineStep::Fast, _) => vec![fragment!("affine/float_fast")],
            (AffineStep::Fixed, _) => vec![fragment!("affine/fixed")],
            (AffineStep::Halves, _) => vec![fragment!("affine/halves")],
            (AffineStep::Thirds, _) => vec![fragment!("affine/thirds")],
            (AffineStep::Exact, Class::Integer) => vec![fragment!("affine/integer"), fragment!("wide")],
            (AffineStep::Exact, Class::Integer64) => vec![fragment!("affine/integer64")],
            (AffineStep::Exact, Class::Float | Class::Rounded) if self.takes_words() => {
                vec![fragment!("affine/word_to_single"), of_word, sum, packed]
            }
            (AffineStep::Exact, Class::Float | Class::Rounded) => {
                vec![fragment!("affine/float_exact"), of_float, sum, packed]
            }
            (AffineStep::Exact, Class::Rounded32) => vec![fragment!("affine/single_to_word"), of_float, sum],
            (AffineStep::Exact, Class::Float64) => vec![fragment!("affine/float64_exact")],
        };
        let mut fragments = vec![dtype.destination_fragment()];
        fragments.extend(source.source_fragment());
        fragments.extend(element.iter().copied().chain(affine));
        if matches!(class, Class::Float | Class::Rounded | Class::Rounded32) {
            // The step of an integer makes a NaN only if its numbers are on the GPU.
            let never_nan = !source.is_float() && !found;
            if step != AffineStep::None {
                fragments.push(match found {
                    _ if never_nan => fragment!("affine/finite"),
                    true => fragment!("affine/found"),
                    false => fragment!("affine/specials"),
                });
            }
            if self.converts() || found {
                if class == Class::Float || step != AffineStep::None {
                    fragments.push(fragment!("step_value/single"));
                }
                fragments.push(match step {
                    _ if source.is_float() => fragment!("step_value/from_float"),
                    _ if !self.takes_words() => fragment!("step_value/from_integer"),
                    AffineStep::Exact => fragment!("step_value/word"),
                    _ => fragment!("step_value/from_word"),
                });
                fragments.push(match (class, step) {
                    (Class::Rounded32, AffineStep::Exact) => fragment!("step_value/to_word"),
                    _ if never_nan => fragment!("step_value/finite"),
                    _ => fragment!("step_value/specials"),
                });
            } else {
                fragments.push(fragment!("step_value/own"));
            }
        }
        if rounds(class, step) {
            fragments.push(match rounding {
                Rounding::TowardZero => fragment!("rounding/toward_zero"),
                Rounding::NearestEven => fragment!("rounding/nearest_even"),
            });
        }
        fragments
    }

    /// Whether the elements of a word are computed without unpacking them, see
    /// [`packet_fragment`](Self::packet_fragment).
    pub(crate) const fn has_packed_form(self) -> bool {
        let one_dtype = self.source as u8 == self.dtype as u8;
        match (self.dtype.size(), self.class()) {
            (1 | 2, Class::Integer) => one_dtype && matches!(self.step, AffineStep::None),
            (2, Class::Float) => one_dtype,
            _ => false,
        }
    }

    /// The fragment for packets of elements of 8 bytes, or of 1 or 2 bytes with a [packed form](Self::has_packed_form).
    pub(crate) const fn packet_fragment(self) -> Fragment {
        match (self.dtype.size(), self.class(), self.step) {
            (1, ..) => fragment!("packet/fields8"),
            (2, Class::Integer, _) => fragment!("packet/fields16"),
            (2, _, AffineStep::None) => fragment!("packet/halves16"),
            (2, ..) => fragment!("packet/upper16"),
            (.., AffineStep::Exact) => fragment!("packet/elements64_looped"),
            _ => fragment!("packet/elements64"),
        }
    }
}
