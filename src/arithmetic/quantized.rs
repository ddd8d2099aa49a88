//! What the host finds for [`Clamp::quantize_linear`](crate::Clamp::quantize_linear): a GPU does not round quotients right.

use super::step::AffineStep;
use crate::operator::format::Binary;

/// The reciprocal that the quotient of a scale uses: of the scale's magnitude, perhaps infinite; for exact quotients 2^23
/// over the scale's significand.
pub(super) fn reciprocal(step: AffineStep, scale: f32) -> f32 {
    if step == AffineStep::Fast {
        return 1.0 / scale.abs();
    }
    let significand = Binary::of(scale.into()).single();
    (f64::from(1 << 23) / f64::from(significand)) as f32
}
