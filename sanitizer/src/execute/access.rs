//! Computes addresses, and accesses registers and words of resources.

use super::{Machine, lanes, mask};
use crate::code::{AtomicOp, BEYOND, Extent, LANES, Reg, Word};
use crate::finding::Kind;
use crate::memory::Access;
use crate::{Binding, scalar};

impl Machine<'_> {
    pub(super) fn read_register(&mut self, to: Reg, first: Reg, offset: Reg) {
        let refused = self.refuse(Kind::TaintedAddress, offset);
        self.values[to as usize] = [0; LANES];
        self.tainted[to as usize] = 0;
        for lane in lanes(self.active & !refused) {
            let offset = self.values[offset as usize][lane];
            if offset != BEYOND {
                self.copy(to, first + offset, lane);
            }
        }
    }

    pub(super) fn write_register(&mut self, first: Reg, offset: Reg, from: Reg) {
        let refused = self.refuse(Kind::TaintedAddress, offset);
        for lane in lanes(self.active & !refused) {
            let offset = self.values[offset as usize][lane];
            if offset != BEYOND {
                self.copy(first + offset, from, lane);
            }
        }
    }

    pub(super) fn length(&self, extent: Extent) -> u32 {
        match extent {
            Extent::Fixed(length) => length,
            Extent::Runtime { resource, from, stride } => {
                let size = self.resources[resource as usize].size;
                (size.saturating_sub(from.into()) / u64::from(stride)) as u32
            }
        }
    }

    pub(super) fn address(
        &mut self,
        to: Reg,
        base: Option<Reg>,
        index: Reg,
        (stride, extent): (u32, Extent),
    ) {
        let length = self.length(extent);
        let indices = self.values[index as usize];
        let before = base.map_or([0; LANES], |base| self.values[base as usize]);
        let beyond = mask(|lane| indices[lane] >= length);
        let refused = self.refuse(Kind::TaintedAddress, index);
        if let Some(lane) = lanes(beyond & self.active & !refused).next() {
            let kind = match extent {
                Extent::Fixed(_) => Kind::BeyondArray,
                Extent::Runtime { .. } => Kind::BeyondBinding,
            };
            self.report(kind, lane, |_| format!("element {} of {length}", indices[lane]));
        }
        let out = &mut self.values[to as usize];
        for lane in 0..LANES {
            let is_beyond = (beyond | refused) >> lane & 1 != 0 || before[lane] == BEYOND;
            out[lane] = if is_beyond { BEYOND } else { before[lane] + indices[lane] * stride };
        }
        self.tainted[to as usize] = 0;
    }

    /// Calls `f` with the buffer, the index of the word and the lane, for each active lane within the binding.
    fn each_word(&mut self, word: Word, access: Access, f: impl Fn(&mut Self, usize, u64, usize)) {
        for lane in lanes(self.active) {
            let address = word.address.map_or(0, |reg| self.values[reg as usize][lane]);
            if address == BEYOND {
                continue;
            }
            if let Some((buffer, at)) = self.touch(word, address, access, lane) {
                f(self, buffer, at, lane);
            }
        }
    }

    /// Notes an access to a word; returns the buffer and the word's index, or `None` beyond the binding.
    fn touch(&mut self, word: Word, address: u32, access: Access, lane: usize) -> Option<(usize, u64)> {
        let Binding { group, binding, buffer, offset, size } = self.resources[word.resource as usize];
        let byte = u64::from(address) + u64::from(word.plus);
        if byte + 4 > size {
            self.report(Kind::BeyondBinding, lane, |_| {
                format!("bytes {byte} to {} of {size}, group {group}, binding {binding}", byte + 3)
            });
            return None;
        }
        let at = (offset + byte) / 4;
        let who = (self.invocations[lane], self.code.origins[self.at - 1]);
        if let Some((kind, values)) = self.buffers[buffer].touch(at, who, access) {
            self.report(kind, lane, |_| format!("buffer {buffer}, {values}"));
        }
        Some((buffer, at))
    }

    pub(super) fn load(&mut self, to: Reg, word: Word, atomically: bool) {
        self.tainted[to as usize] = 0;
        let access = if atomically { Access::AtomicLoad } else { Access::Load };
        let read = |this: &mut Self, buffer: usize, at: u64, lane: usize| {
            this.values[to as usize][lane] = this.buffers[buffer].load(at);
        };
        if word.address.is_some() || atomically {
            self.values[to as usize] = [0; LANES];
            self.each_word(word, access, read);
            return;
        }
        // All lanes load the same word. Two are enough: they count as several readers.
        let mut active = lanes(self.active);
        let (first, second) = (active.next(), active.next());
        let mut value = 0;
        for lane in first.into_iter().chain(second) {
            if let Some((buffer, at)) = self.touch(word, 0, access, lane) {
                value = self.buffers[buffer].load(at);
            }
        }
        self.values[to as usize] = [value; LANES];
    }

    pub(super) fn store(&mut self, word: Word, from: Reg, atomically: bool) {
        self.refuse(Kind::TaintedStore, from);
        let access = if atomically { Access::AtomicStore } else { Access::Store };
        self.each_word(word, access, |this, buffer, at, lane| {
            let value = this.values[from as usize][lane];
            this.buffers[buffer].store(at, value);
        });
    }

    pub(super) fn atomic(&mut self, op: AtomicOp, to: Reg, word: Word, from: Reg) {
        self.refuse(Kind::TaintedStore, from);
        self.tainted[to as usize] = 0;
        self.each_word(word, Access::AtomicStore, |this, buffer, at, lane| {
            let old = this.buffers[buffer].load(at);
            let new = scalar::atomic(op, old, this.values[from as usize][lane]);
            this.buffers[buffer].store(at, new);
            this.values[to as usize][lane] = old;
        });
    }

    pub(super) fn compare_exchange(
        &mut self,
        [to, exchanged]: [Reg; 2],
        word: Word,
        compare: Reg,
        from: Reg,
    ) {
        self.refuse(Kind::TaintedStore, from);
        self.refuse(Kind::TaintedBranch, compare);
        for reg in [to, exchanged] {
            self.tainted[reg as usize] = 0;
        }
        self.each_word(word, Access::AtomicStore, |this, buffer, at, lane| {
            let old = this.buffers[buffer].load(at);
            let equal = old == this.values[compare as usize][lane];
            if equal {
                let new = this.values[from as usize][lane];
                this.buffers[buffer].store(at, new);
            }
            this.values[to as usize][lane] = old;
            this.values[exchanged as usize][lane] = equal.into();
        });
    }
}
