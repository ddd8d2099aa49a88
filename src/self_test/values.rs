//! The elements, scales and biases of the self-test's cases.

use crate::DType;
use crate::operator::format::FloatFormat;

/// Steele and Vigna's splitmix64: returns the next 64 bits and advances the state.
const fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Scales and biases: ordinary, negative, tiny, with ties, steep. 8-bit fixed point is exact for only some of them.
pub(super) const AFFINES: [(f32, f32); 9] = [
    (1.0 / 255.0, 0.0),
    (-1.7, 200.3),
    (0.5, 0.25),
    (0.5, 0.0),
    (255.0, 0.5),
    (1.0, -128.0),
    (77.77, -1e4),
    (1.1e-5, 3.5),
    (3e7, -1.5e7),
];

/// Scales of quantisations: ordinary, negative, a power of two, and the ends of the range, where the scale or its
/// reciprocal is subnormal.
pub(super) const SCALES: [f32; 7] = [0.1, -0.3, 0.007_812_5, 1.0 / 255.0, 1e-40, 3e-38, -3e38];

/// A mask of the dtype's width.
const fn mask(dtype: DType) -> u64 {
    u64::MAX >> (64 - dtype.bits())
}

/// The bits of a number as an element: rounded to a float, or truncated to an integer.
fn bits_of(dtype: DType, number: f64) -> u64 {
    match dtype {
        DType::F16 => half::f16::from_f64(number).to_bits().into(),
        DType::BF16 => half::bf16::from_f64(number).to_bits().into(),
        DType::F32 => (number as f32).to_bits().into(),
        DType::F64 => number.to_bits(),
        DType::U64 if number > 0.0 => number as u64,
        _ => (number as i64).cast_unsigned() & mask(dtype),
    }
}

/// Signed zeros, subnormals, infinities, NaNs with payloads, limits of the dtype, small numbers and powers of two; each
/// with its neighbours and both signs.
fn edges(dtype: DType) -> Vec<u64> {
    let (bits, mask) = (dtype.bits(), mask(dtype));
    let mut centers = vec![0, mask >> 1];
    let format = FloatFormat::of(dtype);
    if let Some(FloatFormat { infinity, mantissa_bits: m, .. }) = format {
        let one = (infinity >> 1) & !((1 << m) - 1);
        centers.extend([1 << m, infinity, infinity | 1 << (m - 1), one]);
        centers.extend([0.5, 2.0, 3.0, 6.0, 255.0, 256.0, 65504.0, 1e-5, 0.1].map(|x| bits_of(dtype, x)));
        // Payloads: signalling and quiet.
        centers.extend([infinity | 5, infinity | 1 << (m - 1) | 3]);
    } else {
        centers.extend((0..bits).map(|n| 1 << n));
        centers.extend([mask, 100, 10, 6]);
    }
    let sign = format.map_or(0, |format| format.sign);
    let mut edges: Vec<u64> = centers
        .iter()
        .flat_map(|&center: &u64| [center.wrapping_sub(1), center, center.wrapping_add(1)])
        .flat_map(|x| [x, x ^ sign, x.wrapping_neg()])
        .map(|x| x & mask)
        .collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Elements that are worth testing, as bits: every value of 8- and 16-bit dtypes; for wider dtypes limits, NaNs,
/// subnormals, ties, numbers near halves and near limits of other dtypes, and as many random patterns as `random` says. The
/// self-test takes them.
#[must_use]
pub fn elements(dtype: DType, random: usize) -> Vec<u64> {
    let mask = mask(dtype);
    if dtype.bits() <= 16 {
        return (0..=mask).collect();
    }
    let mut elements = edges(dtype);
    if !dtype.is_float() {
        // Ties of floats with significands of 8, 11 or 24 bits, and their neighbours.
        let ties =
            (24..dtype.bits()).flat_map(|top| [8, 11, 24].map(|digits| 1 << top | 1_u64 << (top - digits)));
        elements.extend(ties.flat_map(|tie| [tie - 1, tie, tie + 1, tie.wrapping_neg() & mask]));
    }
    if dtype.is_float() {
        let powers = (0..dtype.bits()).map(|bit| 1_u64 << bit);
        elements.extend(powers.flat_map(|power| [power - 1, power, power + 1, mask ^ power]));
        let halves = (0..=600).map(|n| f64::from(n) / 2.0 - 150.0);
        let limits =
            [65_504.0, 65_520.0, 65_535.5, 32_767.5, 32_768.5, 127.5, 255.5, 1e38, 1e-38, 1e-45, 6e-8];
        for number in halves.chain(limits) {
            let bits = bits_of(dtype, number);
            let sign = (mask >> 1) + 1;
            elements.extend([bits, bits ^ sign, bits.wrapping_add(1) & mask, bits.wrapping_sub(1) & mask]);
        }
    }
    let mut state = 0;
    elements.extend((0..random).map(|n| {
        let bits = splitmix64(&mut state) & mask;
        match (dtype, n % 2) {
            // Half of the patterns are small numbers, since the others mostly saturate.
            (DType::F32, 0) => u64::from((f32::from(bits as i16) / 64.0).to_bits()),
            (DType::I32 | DType::U32 | DType::I64 | DType::U64, 0) => bits & 0xfff,
            _ => bits,
        }
    }));
    elements
}
