//! A device's own conversions between F16 and f32, as a check found them.

use std::fmt;

/// A device's own conversions between F16 and f32, as [`Host::check_f16`](crate::Host::check_f16) found them, for
/// [`Clamper::with_f16_conversions`](crate::Clamper::with_f16_conversions).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum F16Conversions {
    /// All are right.
    Right,
    /// At least one is wrong.
    Wrong,
    /// The check has not run to its end, or not at all. If wgpu refused it, the log has the reason, at level debug.
    #[default]
    NotRun,
}

/// `right`, `wrong` or `not run`.
impl fmt::Display for F16Conversions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Right => "right",
            Self::Wrong => "wrong",
            Self::NotRun => "not run",
        })
    }
}
