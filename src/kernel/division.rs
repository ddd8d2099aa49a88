//! Division by a number that the host knows, as a multiplication and a shift.

/// Divides n < 2^31 by a divisor d: the upper word of 2n · `multiplier`, shifted right by `shift`.
///
/// Why the quotient is exact (Granlund and Montgomery, 1994):
///
/// 1. The shift is s = ⌈log2 d⌉, the multiplier m = ⌈2^(31 + s) / d⌉.
/// 2. Rounding adds less than 1 to m, so n · m / 2^(31 + s) exceeds n / d by less than n / 2^(31 + s) < 2^-s ≤ 1 / d.
/// 3. The fraction of n / d is at most 1 − 1 / d, so the excess changes no quotient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Division {
    pub(crate) multiplier: u32,
    pub(crate) shift: u32,
}

impl Division {
    /// Divides by `divisor`, from 1 to 2^31.
    pub(crate) fn by(divisor: u32) -> Self {
        let shift = divisor.next_power_of_two().trailing_zeros();
        let multiplier = (1_u64 << (31 + shift)).div_ceil(divisor.into());
        Self { multiplier: multiplier as u32, shift }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn quotients_are_exact(number in 0_u32..1 << 31, divisor in prop_oneof![1_u32..=1 << 31, 1_u32..1000]) {
            let Division { multiplier, shift } = Division::by(divisor);
            // As `kernel/divide.wgsl` computes it. Multiples of the divisor and the numbers just below are the hard
            // ones.
            let multiple = number / divisor * divisor;
            for number in [number, multiple, multiple.saturating_sub(1)] {
                let upper = (u64::from(number << 1) * u64::from(multiplier)) >> 32;
                prop_assert_eq!(upper as u32 >> shift, number / divisor);
            }
        }
    }
}
