//! Integer operations for one invocation. Where WGSL leaves a result open, the caller taints it.

use crate::code::{Binary, Unary};

/// Applies a unary operation; `None` if the result depends on the device.
pub(crate) const fn unary(op: Unary, a: u32) -> Option<u32> {
    Some(match op {
        Unary::Not => !a,
        Unary::Negate => a.wrapping_neg(),
        Unary::Abs => (a as i32).wrapping_abs() as u32,
        Unary::LeadingZeros => a.leading_zeros(),
        _ => return None,
    })
}

/// Whether WGSL leaves the result of an integer operation open.
pub(crate) const fn is_open(op: Binary, b: u32) -> bool {
    matches!(op, Binary::Divide | Binary::Remainder) && b == 0
}

/// Whether an operation shifts by the width of its operand or more.
pub(crate) const fn shifts_by_too_much(op: Binary, b: u32) -> bool {
    matches!(op, Binary::ShiftLeft | Binary::ShiftRightU | Binary::ShiftRightI) && b >= 32
}

/// Applies a binary operation; `None` if the result depends on the device. Shifts use the lowest five bits of `b`,
/// as in WGSL.
#[inline]
pub(crate) fn binary(op: Binary, a: u32, b: u32) -> Option<u32> {
    let (signed_a, signed_b) = (a as i32, b as i32);
    Some(match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Subtract => a.wrapping_sub(b),
        Binary::Multiply => a.wrapping_mul(b),
        Binary::Divide => a.checked_div(b).unwrap_or(a),
        Binary::Remainder => a.checked_rem(b).unwrap_or(0),
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::ShiftLeft => a.wrapping_shl(b),
        Binary::ShiftRightU => a.wrapping_shr(b),
        Binary::ShiftRightI => signed_a.wrapping_shr(b) as u32,
        Binary::Equal => u32::from(a == b),
        Binary::LessU => u32::from(a < b),
        Binary::LessI => u32::from(signed_a < signed_b),
        Binary::MinU => a.min(b),
        Binary::MaxU => a.max(b),
        Binary::MinI => signed_a.min(signed_b) as u32,
        Binary::MaxI => signed_a.max(signed_b) as u32,
        _ => return None,
    })
}

/// The offset of a bit field, and a mask of its width, not shifted. The field ends at bit 32 at the latest, as
/// `extractBits` and `insertBits` define.
fn bit_field(offset: u32, count: u32) -> (u32, u64) {
    let offset = offset.min(32);
    (offset, (1 << count.min(32 - offset)) - 1)
}

/// `extractBits`.
pub(crate) fn extract_bits(signed: bool, from: u32, offset: u32, count: u32) -> u32 {
    let (offset, mask) = bit_field(offset, count);
    let bits = (u64::from(from) >> offset & mask) as u32;
    // The number of bits above the field.
    let above = mask.leading_zeros() - 32;
    if signed && above < 32 { ((bits << above) as i32 >> above) as u32 } else { bits }
}

/// `insertBits`.
pub(crate) fn insert_bits(into: u32, bits: u32, offset: u32, count: u32) -> u32 {
    let (offset, mask) = bit_field(offset, count);
    let placed = (u64::from(bits) & mask) << offset;
    into & !((mask << offset) as u32) | placed as u32
}
