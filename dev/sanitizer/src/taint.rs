//! Propagates taint: computes the tainted bits of a result, those that may have any value, from the operands' taint.

use crate::code::{Binary, Unary};

/// A value, and a mask of its tainted bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tainted {
    pub(crate) bits: u32,
    pub(crate) taint: u32,
}

const ALL: u32 = u32::MAX;

/// All bits if any bit is tainted.
const fn whole(taint: u32) -> u32 {
    if taint == 0 { 0 } else { ALL }
}

/// All bits from the lowest tainted one upwards, because additions and products carry upwards.
const fn upwards(taint: u32) -> u32 {
    taint | taint.wrapping_neg()
}

pub(crate) const fn unary(op: Unary, a: Tainted) -> u32 {
    match op {
        Unary::Not => a.taint,
        Unary::Negate => upwards(a.taint),
        _ => whole(a.taint),
    }
}

pub(crate) const fn binary(op: Binary, a: Tainted, b: Tainted) -> u32 {
    let either = a.taint | b.taint;
    match op {
        Binary::Add | Binary::Subtract | Binary::Multiply => upwards(either),
        Binary::And => either & (a.bits | a.taint) & (b.bits | b.taint),
        Binary::Or => either & (!a.bits | a.taint) & (!b.bits | b.taint),
        Binary::Xor => either,
        Binary::ShiftLeft | Binary::ShiftRightU | Binary::ShiftRightI if b.taint != 0 => ALL,
        Binary::ShiftLeft => a.taint.wrapping_shl(b.bits),
        Binary::ShiftRightU => a.taint.wrapping_shr(b.bits),
        Binary::ShiftRightI => (a.taint as i32).wrapping_shr(b.bits) as u32,
        Binary::Equal => {
            let differ = (a.bits ^ b.bits) & !either != 0;
            (either != 0 && !differ) as u32
        }
        Binary::LessU | Binary::LessI | Binary::EqualF | Binary::LessF => (either != 0) as u32,
        _ => whole(either),
    }
}

/// The taint of a select by a boolean.
pub(crate) const fn select(condition: Tainted, accept: Tainted, reject: Tainted) -> u32 {
    if condition.taint != 0 {
        (accept.bits ^ reject.bits) | accept.taint | reject.taint
    } else if condition.bits != 0 {
        accept.taint
    } else {
        reject.taint
    }
}
