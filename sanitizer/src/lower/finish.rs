//! Finishes lowered code: removes unused operations and shares registers.

use std::sync::Arc;

use crate::code::{Code, Float, Op, Reg, Use};

/// A test of registers.
type IsFixed<'a> = &'a dyn Fn(Reg) -> bool;

/// Removes pure operations whose results no operation takes. `arrays`: the indexed variables, as first register and
/// count.
pub(super) fn trim(code: &mut Code, arrays: &[(Reg, u32)], is_variable: IsFixed<'_>) {
    let mut needed = vec![false; code.registers as usize];
    for &(first, count) in arrays {
        needed[first as usize..(first + count) as usize].fill(true);
    }
    // In a loop, an operation may take a variable that a later one assigns.
    for op in &code.ops {
        each(*op, &code.floats, |reg, used| needed[reg as usize] |= used == Use::Taken && is_variable(reg));
    }
    // A load is kept for its checks, unless its address is constant and the program never stores to its resource.
    let stored = stored_resources(code);
    let is_pure = |op: &Op| match op {
        Op::Load { word, .. } => word.address.is_none() && !stored.contains(&word.resource),
        _ => op.is_pure(),
    };
    let mut kept = vec![true; code.ops.len()];
    for (op, kept) in code.ops.iter().zip(&mut kept).rev() {
        let mut gives = false;
        each(*op, &code.floats, |reg, used| gives |= used == Use::Given && needed[reg as usize]);
        *kept = gives || !is_pure(op);
        if *kept {
            each(*op, &code.floats, |reg, used| needed[reg as usize] |= used == Use::Taken);
        }
    }
    let mut moved = vec![0];
    for &kept in &kept {
        moved.push(moved[moved.len() - 1] + u32::from(kept));
    }
    let mut keeps = kept.iter();
    code.ops.retain(|_| keeps.next() == Some(&true));
    let mut keeps = kept.iter();
    code.origins.retain(|_| keeps.next() == Some(&true));
    for label in code.ops.iter_mut().filter_map(Op::target) {
        *label = moved[*label as usize];
    }
}

/// The resources that the code stores to.
fn stored_resources(code: &Code) -> Vec<u32> {
    let stores = |op: &Op| match op {
        Op::Store { word, .. } | Op::Atomic { word, .. } | Op::CompareExchange { word, .. } => {
            Some(word.resource)
        }
        _ => None,
    };
    code.ops.iter().filter_map(stores).collect()
}

/// Renumbers registers, so that the number of a dead register is used again. Constants, inputs and variables
/// (`is_fixed`) keep numbers of their own.
pub(super) fn share_registers(code: &mut Code, is_fixed: IsFixed<'_>) {
    let count = code.registers as usize;
    let loops = code.ops.iter().enumerate().filter_map(|(end, op)| match op {
        Op::Again { head, .. } => Some((*head as usize, end)),
        _ => None,
    });
    let loops: Vec<_> = loops.collect();
    let (mut given, mut last) = (vec![usize::MAX; count], vec![0; count]);
    for (at, op) in code.ops.iter().enumerate() {
        each(*op, &code.floats, |reg, used| {
            let reg = reg as usize;
            if used == Use::Given {
                given[reg] = given[reg].min(at);
            }
            // A value from before a loop is needed in each of its rounds.
            let around = |&&(head, end): &&(usize, usize)| given[reg] < head && (head..=end).contains(&at);
            let end = loops.iter().filter(around).map(|&(_, end)| end).max();
            last[reg] = last[reg].max(end.unwrap_or(at));
        });
    }
    let mut names = vec![Reg::MAX; count];
    let mut next = 0;
    let mut fresh = || {
        next += 1;
        next - 1
    };
    for reg in (0..code.registers).filter(|&reg| is_fixed(reg)) {
        names[reg as usize] = fresh();
    }
    let mut ending: Vec<Vec<Reg>> = vec![Vec::new(); code.ops.len()];
    let mut free = Vec::new();
    for at in 0..code.ops.len() {
        each(code.ops[at], &code.floats, |reg, used| {
            if used == Use::Given && names[reg as usize] == Reg::MAX {
                names[reg as usize] = free.pop().unwrap_or_else(&mut fresh);
                ending[last[reg as usize]].push(reg);
            }
        });
        // Free the numbers only now: an operation may write its result before it has read all operands.
        free.extend(ending[at].iter().map(|&reg| names[reg as usize]));
    }
    let name = |reg: Reg| names[reg as usize];
    code.ops.iter_mut().for_each(|op| op.registers(|reg, _| *reg = name(*reg)));
    code.floats.iter_mut().for_each(|float| {
        let mut is_used = true;
        float.leaves(&mut |reg| is_used &= name(reg) != Reg::MAX);
        // A float expression whose operation was trimmed may name registers without a number.
        if is_used {
            *float = float.renamed(&name);
        }
    });
    code.constants.iter_mut().for_each(|(reg, _)| *reg = name(*reg));
    code.inputs.iter_mut().for_each(|(reg, _)| *reg = name(*reg));
    code.registers = next;
}

/// Calls `f` with each register of an operation and its use, taken registers first.
fn each(mut op: Op, floats: &[Arc<Float>], mut f: impl FnMut(Reg, Use)) {
    if let Op::Float { expression, .. } = op {
        floats[expression as usize].leaves(&mut |reg| f(reg, Use::Taken));
    }
    op.registers(|reg, used| f(*reg, used));
}
