//! Affine step and conversion in one: from an element of the source to an element of the destination, before the
//! bounds.

use super::exact::{Dyadic, Wide, add, mul};
use super::float::Format;
use super::integer;
use crate::operator::Affine;
use crate::{Clamp, DType, NanRule};

/// The exact result: the real number rounded once.
pub(super) fn exact(clamp: &Clamp, x: u64) -> u64 {
    if clamp.affine().is_none() && !clamp.converts() {
        return x;
    }
    special(clamp, x).unwrap_or_else(|| {
        let x = decode(clamp.source(), x);
        let number = match clamp.affine() {
            None => x.into(),
            Some(affine) => {
                let (scale, bias) = parameters(affine);
                add(mul(x, scale), bias)
            }
        };
        round(clamp, number)
    })
}

/// The results of NaN and ±∞, the same in every precision; `None` for a finite element.
pub(super) fn special(clamp: &Clamp, x: u64) -> Option<u64> {
    let format = Format::of(clamp.source())?;
    if format.is_nan(x) {
        return Some(match Format::of(clamp.dtype()) {
            None => integer_for_nan(clamp),
            Some(_) if !clamp.converts() => x,
            Some(destination) => destination.nan_from(format, x),
        });
    }
    if !format.is_infinite(x) {
        return None;
    }
    let scale = clamp.affine().map_or(1.0, Affine::scale);
    if scale == 0.0 {
        return Some(Format::of(clamp.dtype()).map_or_else(|| integer_for_nan(clamp), Format::quiet_nan));
    }
    let negative = x & format.sign() != 0;
    Some(infinite(clamp.dtype(), negative != scale.is_sign_negative()))
}

/// The integer that stands for a NaN.
fn integer_for_nan(clamp: &Clamp) -> u64 {
    match clamp.nan_rule() {
        NanRule::Propagate => 0,
        NanRule::ToMin => integer::limit(clamp.dtype(), true),
        NanRule::ToMax => integer::limit(clamp.dtype(), false),
    }
}

/// ±∞ as an element: an integer saturates.
pub(super) fn infinite(dtype: DType, negative: bool) -> u64 {
    match Format::of(dtype) {
        None => integer::limit(dtype, negative),
        Some(format) if negative => format.sign() | format.infinity(),
        Some(format) => format.infinity(),
    }
}

/// The number that a finite element stands for.
pub(super) fn decode(dtype: DType, bits: u64) -> Dyadic {
    match Format::of(dtype) {
        None => integer::decode(dtype, bits),
        Some(format) => format.decode(bits),
    }
}

/// Rounds a number to an element: to an integer by the clamp's rounding, to a float by round to nearest even.
pub(super) fn round(clamp: &Clamp, number: Wide) -> u64 {
    match Format::of(clamp.dtype()) {
        None => integer::round(clamp.dtype(), clamp.rounding(), number),
        Some(format) => format.round(number),
    }
}

pub(super) fn parameters(affine: Affine) -> (Dyadic, Dyadic) {
    (Format::F64.decode(affine.scale().to_bits()), Format::F64.decode(affine.bias().to_bits()))
}
