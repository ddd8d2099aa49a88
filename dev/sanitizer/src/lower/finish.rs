//! Finishes lowered code: removes unused operations and shares registers.

use crate::code::{Code, NONE, Op, Opcode, Reg};

/// A test of registers.
type IsFixed<'a> = &'a dyn Fn(Reg) -> bool;

/// Removes pure operations whose results no operation takes, and such results of loads. `arrays`: the indexed
/// variables, as first register and count.
pub(super) fn trim(code: &mut Code, arrays: &[(Reg, u32)], is_variable: IsFixed<'_>) {
    let mut needed = vec![false; code.registers as usize];
    for &(first, count) in arrays {
        needed[first as usize..(first + count) as usize].fill(true);
    }
    // In a loop, an operation may take a variable that a later operation assigns.
    for op in &code.ops {
        op.operands(&code.floats, &mut |reg| needed[reg as usize] |= is_variable(reg));
    }
    // A load is kept for its checks, unless its address is constant and the program never stores to its resource.
    let resources: Vec<_> = code.ops.iter().filter_map(Op::stored).collect();
    let is_pure = |op: &Op| match op.code {
        Opcode::Load(word) => op.from[0] == NONE && !resources.contains(&word.resource),
        _ => op.is_pure(),
    };
    let mut kept = vec![true; code.ops.len()];
    for (op, kept) in code.ops.iter().zip(&mut kept).rev() {
        *kept = !is_pure(op) || needed[op.to as usize];
        if *kept {
            op.operands(&code.floats, &mut |reg| needed[reg as usize] = true);
        }
    }
    // What is loaded for its checks alone has no result. The words of a vector stay together.
    let of_one = |a: &Op, b: &Op| {
        let both = matches!((a.code, b.code), (Opcode::Load(_), Opcode::Load(_)));
        both && a.from[0] == b.from[0] && a.from[0] != NONE
    };
    for words in code.ops.chunk_by_mut(of_one).filter(|ops| matches!(ops[0].code, Opcode::Load(_))) {
        if words.iter().all(|word| !needed[word.to as usize]) {
            for word in words {
                word.to = NONE;
            }
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

/// Renumbers registers, so that the number of a dead register is used again. Constants, inputs and variables
/// (`is_fixed`) keep numbers of their own.
pub(super) fn share_registers(code: &mut Code, is_fixed: IsFixed<'_>) {
    let count = code.registers as usize;
    let loops = code.ops.iter().enumerate().filter_map(|(end, op)| match op.code {
        Opcode::Again { head, .. } => Some((head as usize, end)),
        _ => None,
    });
    let loops: Vec<_> = loops.collect();
    // The positions at which a register first gets a value and is last used.
    let (mut given, mut last) = (vec![usize::MAX; count], vec![0; count]);
    for (at, op) in code.ops.iter().enumerate() {
        let mut used = |reg: Reg, given: usize| {
            // A value from before a loop is needed in every round, so it counts as used until the loop ends.
            let around = |&&(head, end): &&(usize, usize)| given < head && (head..=end).contains(&at);
            let end = loops.iter().filter(around).map(|&(_, end)| end).max();
            last[reg as usize] = last[reg as usize].max(end.unwrap_or(at));
        };
        op.operands(&code.floats, &mut |reg| used(reg, given[reg as usize]));
        if op.to != NONE {
            let first = given[op.to as usize].min(at);
            given[op.to as usize] = first;
            used(op.to, first);
        }
    }
    let mut names = vec![NONE; count];
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
    for (at, op) in code.ops.iter().enumerate() {
        if op.to != NONE && names[op.to as usize] == NONE {
            names[op.to as usize] = free.pop().unwrap_or_else(&mut fresh);
            ending[last[op.to as usize]].push(op.to);
        }
        // Free the numbers only now: an operation may write its result before it has read all operands.
        free.extend(ending[at].iter().map(|&reg| names[reg as usize]));
    }
    let name = |reg: Reg| if reg == NONE { NONE } else { names[reg as usize] };
    for op in &mut code.ops {
        op.to = name(op.to);
        op.from = op.from.map(name);
    }
    // A float expression whose operation was trimmed may name registers without a number.
    code.floats.iter_mut().for_each(|float| *float = float.renamed(&name));
    code.constants.iter_mut().for_each(|(reg, _)| *reg = name(*reg));
    code.inputs.iter_mut().for_each(|(reg, _)| *reg = name(*reg));
    code.registers = next;
}
