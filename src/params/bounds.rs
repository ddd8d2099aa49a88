//! The bounds of a clamp in the form that the shaders compare with.

use bytemuck::{Pod, Zeroable};

use super::words;
use crate::{Bound, Clamp, DType, NanRule, Order};

/// Of `element/integer.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct IntegerBounds {
    pub(crate) min: i32,
    pub(crate) max: i32,
}

/// Of `element/integer64.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct IntegerBounds64 {
    pub(crate) min: [u32; 2],
    pub(crate) max: [u32; 2],
}

/// Of `element/float.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct FloatBounds {
    pub(crate) min_key: i32,
    pub(crate) max_key: i32,
    pub(crate) min_bits: u32,
    pub(crate) max_bits: u32,
    pub(crate) nan_mask: u32,
    pub(crate) nan_bits: u32,
}

/// Of `element/float64.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct FloatBounds64 {
    pub(crate) min_key: [u32; 2],
    pub(crate) max_key: [u32; 2],
    pub(crate) min_bits: [u32; 2],
    pub(crate) max_bits: [u32; 2],
    pub(crate) nan_mask: [u32; 2],
    pub(crate) nan_bits: [u32; 2],
}

impl IntegerBounds {
    pub(crate) fn new(clamp: &Clamp) -> Self {
        let (min, max) = integer_keys(clamp);
        Self { min: min as i32, max: max as i32 }
    }
}

impl IntegerBounds64 {
    pub(crate) fn new(clamp: &Clamp) -> Self {
        let (min, max) = integer_keys(clamp);
        Self { min: words(min), max: words(max) }
    }
}

impl FloatBounds {
    pub(crate) fn new(clamp: &Clamp) -> Self {
        let b = FloatKeys::new(clamp);
        Self {
            min_key: b.min_key as i32,
            max_key: b.max_key as i32,
            min_bits: b.min_bits as u32,
            max_bits: b.max_bits as u32,
            nan_mask: b.nan_mask as u32,
            nan_bits: b.nan_bits as u32,
        }
    }
}

impl FloatBounds64 {
    pub(crate) fn new(clamp: &Clamp) -> Self {
        let b = FloatKeys::new(clamp);
        Self {
            min_key: words(b.min_key),
            max_key: words(b.max_key),
            min_bits: words(b.min_bits.into()),
            max_bits: words(b.max_bits.into()),
            nan_mask: words(b.nan_mask.into()),
            nan_bits: words(b.nan_bits.into()),
        }
    }
}

/// What an integer is more than its key: 2^31 for U32 and 2^63 for U64, whose keys are signed.
pub(super) const fn key_base(dtype: DType) -> i128 {
    match dtype {
        DType::U32 => 1 << 31,
        DType::U64 => 1 << 63,
        _ => 0,
    }
}

/// The smallest and the greatest number of an integer dtype.
pub(super) const fn integer_range(dtype: DType) -> (i128, i128) {
    let bits = dtype.bits();
    if dtype.is_signed_integer() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// The key of an integer dtype's element.
pub(super) const fn integer_key(dtype: DType, bits: u64) -> i128 {
    let unused = 64 - dtype.bits();
    if dtype.is_signed_integer() {
        ((bits << unused).cast_signed() >> unused) as i128
    } else {
        bits as i128 - key_base(dtype)
    }
}

/// The lowest and the highest key of an integer dtype.
pub(super) const fn integer_key_range(dtype: DType) -> (i128, i128) {
    let (lowest, highest) = integer_range(dtype);
    (lowest - key_base(dtype), highest - key_base(dtype))
}

fn integer_keys(clamp: &Clamp) -> (i128, i128) {
    let (lowest, highest) = integer_key_range(clamp.dtype());
    let key = |bound, absent| match bound {
        Bound::Value(bits) => integer_key(clamp.dtype(), bits),
        Bound::Absent | Bound::OnGpu => absent,
    };
    let (min, max) = (key(clamp.min(), lowest), key(clamp.max(), highest));
    match clamp.order() {
        _ if min <= max => (min, max),
        Order::MinWins => (min, min),
        Order::MaxWins => (max, max),
    }
}

/// The ends of the integer type that holds a float dtype's keys. No number has such a key, so a bound there never
/// replaces anything, or, the other way about, everything.
pub(super) const fn float_key_range(dtype: DType) -> (i128, i128) {
    match dtype {
        DType::F64 => (i64::MIN as i128, i64::MAX as i128),
        _ => (i32::MIN as i128, i32::MAX as i128),
    }
}

struct FloatKeys {
    min_key: i128,
    max_key: i128,
    min_bits: u64,
    max_bits: u64,
    nan_mask: u64,
    nan_bits: u64,
}

impl FloatKeys {
    fn new(clamp: &Clamp) -> Self {
        let format = FloatFormat::of(clamp.dtype());
        let (lowest, highest) = float_key_range(clamp.dtype());
        let value = |bound| match bound {
            Bound::Value(bits) if !format.is_nan(bits) => Some(bits),
            _ => None,
        };
        let (min, max) = (value(clamp.min()), value(clamp.max()));
        let mut keys = Self {
            min_key: min.map_or(lowest, |bits| format.key(bits)),
            max_key: max.map_or(highest, |bits| format.key(bits)),
            min_bits: min.unwrap_or(0),
            max_bits: max.unwrap_or(0),
            nan_mask: u64::MAX,
            nan_bits: 0,
        };
        if keys.min_key > keys.max_key {
            // Not `(min, min)`: an element −0 with Min = +0 becomes +0 here.
            keys.max_bits = if clamp.order() == Order::MinWins { keys.min_bits } else { keys.max_bits };
            (keys.min_key, keys.max_key) = (lowest, lowest);
        }
        let Some(infinity) = format.nan_becomes(clamp.nan_rule()) else { return keys };
        keys.nan_mask = 0;
        keys.nan_bits = match format.key(infinity) {
            key if key > keys.max_key => keys.max_bits,
            key if key < keys.min_key => keys.min_bits,
            _ => infinity,
        };
        keys
    }
}

/// The bit patterns of a float format, zero-extended.
pub(super) struct FloatFormat {
    pub(super) sign: u64,
    pub(super) infinity: u64,
    pub(super) quiet_nan: u64,
    pub(super) exponent_bias: i32,
}

impl FloatFormat {
    pub(super) const fn of(dtype: DType) -> Self {
        let mantissa_bits = match dtype {
            DType::F16 => 10,
            DType::BF16 => 7,
            DType::F32 => 23,
            _ => 52,
        };
        let sign = 1 << (dtype.bits() - 1);
        let infinity = sign - (1 << mantissa_bits);
        Self {
            sign,
            infinity,
            quiet_nan: infinity | 1 << (mantissa_bits - 1),
            exponent_bias: (infinity >> mantissa_bits >> 1) as i32,
        }
    }

    /// The infinity that a NaN is treated as; `None` if it stays.
    pub(super) const fn nan_becomes(&self, rule: NanRule) -> Option<u64> {
        match rule {
            NanRule::Propagate => None,
            NanRule::ToMin => Some(self.sign | self.infinity),
            NanRule::ToMax => Some(self.infinity),
        }
    }

    pub(super) const fn is_nan(&self, bits: u64) -> bool {
        bits & (self.sign - 1) > self.infinity
    }

    pub(super) fn key(&self, bits: u64) -> i128 {
        let magnitude = i128::from(bits & (self.sign - 1));
        if bits & self.sign == 0 { magnitude } else { -magnitude }
    }
}
