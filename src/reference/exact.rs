//! Exact products and sums, before any rounding.

/// The real number `±magnitude * 2^exponent`. A zero keeps its sign.
#[derive(Clone, Copy)]
pub(super) struct Dyadic {
    pub negative: bool,
    pub magnitude: u64,
    pub exponent: i32,
}

/// A [`Dyadic`] wide enough for a product. If `sticky`, the number lies further from zero than
/// `±magnitude * 2^exponent`, by less than one unit in the last place, and the magnitude has at least 120 bits.
#[derive(Clone, Copy)]
pub(super) struct Wide {
    pub negative: bool,
    pub magnitude: u128,
    pub exponent: i32,
    pub sticky: bool,
}

impl Wide {
    /// The exponent of the leading bit: `2^leading <= |number| < 2^(leading + 1)`. The number is not zero.
    pub(super) const fn leading(self) -> i32 {
        self.exponent + 127 - self.magnitude.leading_zeros().cast_signed()
    }
}

impl From<Dyadic> for Wide {
    fn from(number: Dyadic) -> Self {
        let Dyadic { negative, magnitude, exponent } = number;
        Self { negative, magnitude: magnitude.into(), exponent, sticky: false }
    }
}

/// `x * scale`.
pub(super) fn mul(x: Dyadic, scale: Dyadic) -> Wide {
    Wide {
        negative: x.negative != scale.negative,
        magnitude: u128::from(x.magnitude) * u128::from(scale.magnitude),
        exponent: x.exponent + scale.exponent,
        sticky: false,
    }
}

/// `product + bias`. An exact zero is +0 unless both addends are −0.
pub(super) fn add(product: Wide, bias: Dyadic) -> Wide {
    let bias = Wide::from(bias);
    match (product.magnitude, bias.magnitude) {
        (0, 0) => Wide { negative: product.negative && bias.negative, ..product },
        (0, _) => bias,
        (_, 0) => product,
        _ => add_normalized(normalized(product), normalized(bias)),
    }
}

/// Shifts the highest bit of the magnitude to position 126 and keeps the number. One bit remains for the carry of a
/// sum.
fn normalized(number: Wide) -> Wide {
    // A magnitude has at most 106 bits (see `add_normalized`), so there are leading zeros.
    let shift = number.magnitude.leading_zeros() - 1;
    Wide { magnitude: number.magnitude << shift, exponent: number.exponent - shift.cast_signed(), ..number }
}

fn add_normalized(a: Wide, b: Wide) -> Wide {
    let a_is_larger = (a.exponent, a.magnitude) >= (b.exponent, b.magnitude);
    let (large, small) = if a_is_larger { (a, b) } else { (b, a) };
    let distance = large.exponent.abs_diff(small.exponent);
    let aligned = small.magnitude.checked_shr(distance).unwrap_or(0);
    // A magnitude has at most 106 significant bits: 53 + 53 for F64, 64 + 24 for an integer and an f32. So bits are
    // lost only at a distance above 20, and then the difference computed below has at least 120 bits.
    let sticky = small.magnitude.trailing_zeros() < distance;
    if large.negative == small.negative {
        return Wide { magnitude: large.magnitude + aligned, sticky, ..large };
    }
    // The lost bits must be subtracted too. A whole unit is subtracted for them; its excess is the new sticky part.
    let magnitude = large.magnitude - aligned - u128::from(sticky);
    Wide { negative: large.negative && magnitude != 0, magnitude, sticky, ..large }
}
