//! Integer operations for one invocation. Where WGSL leaves a result open, the caller taints it.

use crate::code::{AtomicOp, Binary, Unary};

/// Applies a unary operation; `None` if the result depends on the device.
pub(crate) const fn unary(op: Unary, a: u32) -> Option<u32> {
    Some(match op {
        Unary::Not => !a,
        Unary::Negate => a.wrapping_neg(),
        Unary::Abs => (a as i32).wrapping_abs() as u32,
        Unary::Sign => (a as i32).signum() as u32,
        Unary::CountOnes => a.count_ones(),
        Unary::LeadingZeros => a.leading_zeros(),
        Unary::TrailingZeros => a.trailing_zeros(),
        Unary::Reverse => a.reverse_bits(),
        Unary::FirstLeadingU => 31_u32.wrapping_sub(a.leading_zeros()),
        Unary::FirstLeadingI => {
            let a = if (a as i32) < 0 { !a } else { a };
            31_u32.wrapping_sub(a.leading_zeros())
        }
        Unary::FirstTrailing => {
            if a == 0 {
                u32::MAX
            } else {
                a.trailing_zeros()
            }
        }
        _ => return None,
    })
}

/// Whether WGSL leaves the result of an integer operation open.
pub(crate) const fn is_open(op: Binary, a: u32, b: u32) -> bool {
    match op {
        Binary::DivideU | Binary::RemainderU => b == 0,
        Binary::DivideI | Binary::RemainderI => b == 0 || (a == 1 << 31 && b == u32::MAX),
        _ => false,
    }
}

/// Whether an operation shifts by the width of its operand or more.
pub(crate) const fn shifts_by_too_much(op: Binary, b: u32) -> bool {
    matches!(op, Binary::ShiftLeft | Binary::ShiftRightU | Binary::ShiftRightI) && b >= 32
}

/// Applies a binary operation; `None` if the result depends on the device. Shifts use the lowest five bits of `b`,
/// as in WGSL.
#[inline]
pub(crate) const fn binary(op: Binary, a: u32, b: u32) -> Option<u32> {
    let (signed_a, signed_b) = (a as i32, b as i32);
    Some(match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Subtract => a.wrapping_sub(b),
        Binary::Multiply => a.wrapping_mul(b),
        Binary::DivideU => match a.checked_div(b) {
            Some(quotient) => quotient,
            None => a,
        },
        Binary::RemainderU => match a.checked_rem(b) {
            Some(remainder) => remainder,
            None => 0,
        },
        Binary::DivideI => match signed_a.checked_div(signed_b) {
            Some(quotient) => quotient as u32,
            None => a,
        },
        Binary::RemainderI => match signed_a.checked_rem(signed_b) {
            Some(remainder) => remainder as u32,
            None => 0,
        },
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::ShiftLeft => a.wrapping_shl(b),
        Binary::ShiftRightU => a.wrapping_shr(b),
        Binary::ShiftRightI => signed_a.wrapping_shr(b) as u32,
        Binary::Equal => (a == b) as u32,
        Binary::LessU => (a < b) as u32,
        Binary::LessI => (signed_a < signed_b) as u32,
        Binary::MinU => {
            if b < a {
                b
            } else {
                a
            }
        }
        Binary::MaxU => {
            if b > a {
                b
            } else {
                a
            }
        }
        Binary::MinI => {
            if signed_b < signed_a {
                b
            } else {
                a
            }
        }
        Binary::MaxI => {
            if signed_b > signed_a {
                b
            } else {
                a
            }
        }
        _ => return None,
    })
}

/// The value of a word after an atomic operation.
pub(crate) const fn atomic(op: AtomicOp, old: u32, value: u32) -> u32 {
    let op = match op {
        AtomicOp::Add => Binary::Add,
        AtomicOp::Subtract => Binary::Subtract,
        AtomicOp::And => Binary::And,
        AtomicOp::Or => Binary::Or,
        AtomicOp::Xor => Binary::Xor,
        AtomicOp::MinU => Binary::MinU,
        AtomicOp::MaxU => Binary::MaxU,
        AtomicOp::MinI => Binary::MinI,
        AtomicOp::MaxI => Binary::MaxI,
        AtomicOp::Exchange => return value,
    };
    match binary(op, old, value) {
        Some(new) => new,
        None => value,
    }
}

/// The offset of a bit field and a mask of its width, not shifted. Both end at 32 bits, as `extractBits` and
/// `insertBits` define.
pub(crate) const fn bit_field(offset: u32, count: u32) -> (u32, u32) {
    let offset = if offset > 32 { 32 } else { offset };
    let count = if count > 32 - offset { 32 - offset } else { count };
    let mask = ((1_u64 << count) - 1) as u32;
    (offset, mask)
}

/// `extractBits`.
pub(crate) const fn extract_bits(signed: bool, from: u32, offset: u32, count: u32) -> u32 {
    let (offset, mask) = bit_field(offset, count);
    if mask == 0 {
        return 0;
    }
    let bits = (from as u64 >> offset) as u32 & mask;
    let above = mask.leading_zeros();
    if signed { ((bits << above) as i32 >> above) as u32 } else { bits }
}

/// `insertBits`.
pub(crate) const fn insert_bits(into: u32, bits: u32, offset: u32, count: u32) -> u32 {
    let (offset, mask) = bit_field(offset, count);
    let placed = ((bits & mask) as u64) << offset;
    let mask = (mask as u64) << offset;
    (into & !(mask as u32)) | placed as u32
}
