//! Control flow: tracks which invocations are active.

use super::{Machine, lanes, mask};
use crate::code::{NOBODY, Op, Reg, Slot};
use crate::finding::Kind;

/// The most rounds of a loop; a loop that takes more counts as endless.
const MOST_ROUNDS: u32 = 1 << 16;

impl Machine<'_> {
    pub(super) fn control(&mut self, op: &Op) {
        let jump = |this: &mut Self, to: u32| {
            if this.active == 0 {
                this.at = to as usize;
            }
        };
        match *op {
            Op::Enter { all, returned } => {
                self.keep(all);
                self.masks[returned as usize] = 0;
            }
            Op::If { condition, all, otherwise } => {
                self.keep(all);
                self.refuse(Kind::TaintedBranch, condition);
                self.active &= self.condition(condition);
                jump(self, otherwise);
            }
            Op::Else { condition, all, end } => {
                self.active = self.masks[all as usize] & !self.condition(condition);
                jump(self, end);
            }
            Op::Join { all, gone } => self.active = self.masks[all as usize] & !self.gone(&gone),
            Op::Go { to } => {
                self.masks[to as usize] |= self.active;
                self.active = 0;
            }
            Op::SkipIfNone { to } => jump(self, to),
            Op::Loop { all, broken, counter } => {
                self.keep(all);
                self.masks[broken as usize] = 0;
                self.counters[counter as usize] = 0;
            }
            Op::Round { round, continued } => {
                self.keep(round);
                self.masks[continued as usize] = 0;
            }
            Op::Continuing { round, continued, gone } => {
                self.active = self.masks[round as usize] & !self.gone(&gone);
                self.masks[continued as usize] = 0;
            }
            Op::BreakIf { condition, broken } => {
                self.refuse(Kind::TaintedBranch, condition);
                let leaves = self.active & self.condition(condition);
                self.masks[broken as usize] |= leaves;
                self.active &= !leaves;
            }
            Op::Again { head, counter } => {
                let Some(lane) = lanes(self.active).next() else { return };
                self.counters[counter as usize] += 1;
                if self.counters[counter as usize] > MOST_ROUNDS {
                    self.report(Kind::Endless, lane, |_| format!("round {}", MOST_ROUNDS + 1));
                    // Stop here: an outer loop or other invocations could take as long each time.
                    self.is_endless = true;
                    self.at = self.code.ops.len();
                } else {
                    self.at = head as usize;
                }
            }
            _ => unreachable!("{op:?} is no control"),
        }
    }

    fn keep(&mut self, slot: Slot) {
        debug_assert_ne!(slot, NOBODY);
        self.masks[slot as usize] = self.active;
    }

    fn gone(&self, slots: &[Slot]) -> u64 {
        slots.iter().fold(0, |gone, &slot| gone | self.masks[slot as usize])
    }

    fn condition(&self, reg: Reg) -> u64 {
        let values = &self.values[reg as usize];
        mask(|lane| values[lane] != 0)
    }
}
