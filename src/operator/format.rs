//! Bit patterns and rounding of the float formats, for host code. [`reference`](mod@crate::reference) has its own.

/// Width of an f64's fraction field, in bits.
const F64_MANTISSA_BITS: u32 = f64::MANTISSA_DIGITS - 1;

/// A float format. Bit patterns are zero-extended to 64 bits.
#[derive(Clone, Copy)]
pub(crate) struct FloatFormat {
    /// The sign bit alone.
    pub(crate) sign: u64,
    /// +∞. Greater magnitudes are NaNs.
    pub(crate) infinity: u64,
    pub(crate) quiet_nan: u64,
    /// Width of the fraction field, in bits.
    pub(crate) mantissa_bits: u32,
    /// Exponent field of a normal number minus its exponent.
    pub(crate) exponent_bias: i32,
}

impl FloatFormat {
    pub(crate) const F32: Self = Self::new(32, 23);
    pub(crate) const F16: Self = Self::new(16, 10);
    pub(crate) const BF16: Self = Self::new(16, 7);
    pub(crate) const F64: Self = Self::new(64, F64_MANTISSA_BITS);

    const fn new(bits: u32, mantissa_bits: u32) -> Self {
        let sign = 1 << (bits - 1);
        let infinity = sign - (1 << mantissa_bits);
        Self {
            sign,
            infinity,
            quiet_nan: infinity | 1 << (mantissa_bits - 1),
            mantissa_bits,
            exponent_bias: (infinity >> mantissa_bits >> 1) as i32,
        }
    }

    pub(crate) const fn is_nan(&self, bits: u64) -> bool {
        bits & (self.sign - 1) > self.infinity
    }

    /// The nearest number of a format narrower than f64, ties to even. A NaN becomes the quiet NaN with its sign.
    ///
    /// `half::{f16, bf16}::from_f64` are not exact: they drop the low 32 bits of `value` or pass through f32, so a
    /// number just above a tie is rounded like the tie.
    pub(crate) fn round(&self, value: f64) -> u64 {
        let Binary { negative, significand, exponent } = Binary::of(value);
        let sign = if negative { self.sign } else { 0 };
        if value.is_nan() {
            return sign | self.quiet_nan;
        }
        // The number's exponent field in this format. Below 1 the number is subnormal, and each step below 1 drops one
        // more bit of the significand.
        let rebiased = exponent + F64_MANTISSA_BITS as i32 + self.exponent_bias;
        let field = rebiased.max(1);
        let dropped = F64_MANTISSA_BITS - self.mantissa_bits + field.abs_diff(rebiased);
        if dropped > F64_MANTISSA_BITS + 1 {
            return sign; // Below half of the smallest subnormal, as are 0 and f64's own subnormals.
        }
        let (kept, rest, tie) =
            (significand >> dropped, significand & ((1 << dropped) - 1), 1_u64 << (dropped - 1));
        let up = rest > tie || rest == tie && kept & 1 == 1;
        // The leading bit of a normal `kept` lies at the lowest bit of the exponent field, and adds the 1 subtracted
        // here. A carry out of the mantissa raises the exponent too, so a number beyond the largest becomes infinity.
        let bits = ((field as u64 - 1) << self.mantissa_bits) + kept + u64::from(up);
        sign | bits.min(self.infinity)
    }
}

/// A finite f64 as `± significand * 2^exponent`. The significand is 0, or its top bit is bit 52. ±∞ counts as ±2^1024,
/// which no finite f64 reaches.
pub(crate) struct Binary {
    /// Whether the sign bit is set, also of a zero.
    pub(crate) negative: bool,
    /// The significand, as an integer below 2^53.
    pub(crate) significand: u64,
    /// The exponent of the significand's lowest bit.
    pub(crate) exponent: i32,
}

impl Binary {
    pub(crate) fn of(value: f64) -> Self {
        let bits = value.to_bits();
        let fraction = bits & ((1 << F64_MANTISSA_BITS) - 1);
        let field = (bits >> F64_MANTISSA_BITS & 0x7ff) as i32;
        let significand = if field == 0 { fraction } else { fraction | 1 << F64_MANTISSA_BITS };
        let shift = if significand == 0 { 0 } else { significand.leading_zeros() - 11 };
        Self {
            negative: value.is_sign_negative(),
            significand: significand << shift,
            exponent: field.max(1) - 1075 - shift as i32,
        }
    }

    /// The significand of an f32: 0, or its top bit is bit 23.
    pub(crate) const fn single(&self) -> u32 {
        // The lower 29 bits of an f32's significand are 0.
        (self.significand >> 29) as u32
    }
}
