//! Division by a number that the host knows, as a multiplication and a shift.

/// What divides numbers below 2^31 by a divisor: the upper word of twice the number times `multiplier`, shifted right.
///
/// With s = ⌈log2 divisor⌉ the multiplier is ⌈2^(31 + s) / divisor⌉, which is too large by less than 2^-s of itself;
/// times a number below 2^31 that stays below one unit of the quotient's fraction (Granlund and Montgomery, 1994).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Division {
    pub(crate) multiplier: u32,
    pub(crate) shift: u32,
}

impl Division {
    /// `divisor` is from 1 to 2^31.
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
            // As `kernel/walk.wgsl` computes it; the quotients just below and at a multiple of the divisor are the
            // hard ones.
            let multiple = number / divisor * divisor;
            for number in [number, multiple, multiple.saturating_sub(1)] {
                let upper = (u64::from(number << 1) * u64::from(multiplier)) >> 32;
                prop_assert_eq!(upper as u32 >> shift, number / divisor);
            }
        }
    }
}
