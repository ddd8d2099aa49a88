//! Computes addresses, and accesses registers and words of resources.

use super::{Machine, lanes, mask};
use crate::code::{BEYOND, Binary, Extent, LANES, NONE, Reg, Word};
use crate::finding::Kind;
use crate::memory::Access;
use crate::{Binding, scalar};

impl Machine<'_> {
    pub(super) fn read_register(&mut self, to: Reg, first: Reg, offset: Reg) {
        let refused = self.refuse(Kind::TaintedAddress, offset);
        self.batch.values[to as usize] = [0; LANES];
        self.batch.tainted[to as usize] = 0;
        for lane in lanes(self.batch.active & !refused) {
            let offset = self.batch.values[offset as usize][lane];
            if offset != BEYOND {
                self.copy(to, first + offset, lane);
            }
        }
    }

    pub(super) fn write_register(&mut self, first: Reg, offset: Reg, from: Reg) {
        let refused = self.refuse(Kind::TaintedAddress, offset);
        for lane in lanes(self.batch.active & !refused) {
            let offset = self.batch.values[offset as usize][lane];
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

    pub(super) fn address(&mut self, to: Reg, base: Reg, index: Reg, (stride, extent): (u32, Extent)) {
        let length = self.length(extent);
        let indices = self.batch.values[index as usize];
        let before = if base == NONE { [0; LANES] } else { self.batch.values[base as usize] };
        let beyond = mask(|lane| indices[lane] >= length);
        let refused = self.refuse(Kind::TaintedAddress, index);
        if let Some(lane) = lanes(beyond & self.batch.active & !refused).next() {
            let kind = match extent {
                Extent::Fixed(_) => Kind::BeyondArray,
                Extent::Runtime { .. } => Kind::BeyondBinding,
            };
            self.report(kind, lane, |_| format!("element {} of {length}", indices[lane]));
        }
        let out = &mut self.batch.values[to as usize];
        for lane in 0..LANES {
            let is_beyond = (beyond | refused) >> lane & 1 != 0 || before[lane] == BEYOND;
            out[lane] = if is_beyond { BEYOND } else { before[lane] + indices[lane] * stride };
        }
        self.batch.tainted[to as usize] = 0;
    }

    /// Calls `f` with the word at an address and the lane, for each active lane whose address is within the binding.
    /// Stores the word that `f` returns.
    fn each_word(
        &mut self,
        word: Word,
        address: Reg,
        access: Access,
        f: impl Fn(&mut Self, u32, usize) -> Option<u32>,
    ) {
        // A device leaves out loads whose results nobody takes.
        if self.code.ops[self.batch.at - 1].to != NONE || access != Access::Load {
            self.profile(word, address, matches!(access, Access::Store | Access::AtomicStore));
        }
        for lane in lanes(self.batch.active) {
            let address = if address == NONE { 0 } else { self.batch.values[address as usize][lane] };
            if address != BEYOND
                && let Some((buffer, at, old)) = self.touch(word, address, access, lane)
                && let Some(new) = f(self, old, lane)
            {
                self.memory(buffer).store(at, new);
            }
        }
    }

    /// Counts an access of the active lanes, if a profile is taken.
    fn profile(&mut self, word: Word, address: Reg, is_store: bool) {
        let Some(profiler) = &mut self.profiler else { return };
        let Binding { group, binding, offset, .. } = self.resources[word.resource as usize];
        let values = (address != NONE).then(|| &self.batch.values[address as usize]);
        let of_lane = |lane: usize| {
            let from = values.map_or(0, |values| values[lane]);
            let is_active = self.batch.active >> lane & 1 != 0 && from != BEYOND;
            is_active.then(|| offset + u64::from(from) + u64::from(word.plus))
        };
        let site = (self.code.origins[self.batch.at - 1], address);
        profiler.access((group, binding), is_store, site, &std::array::from_fn(of_lane));
    }

    /// Notes an access to a word; returns the buffer, the word's index and its value, or `None` beyond the binding.
    fn touch(&mut self, word: Word, address: u32, access: Access, lane: usize) -> Option<(usize, u64, u32)> {
        let Binding { group, binding, buffer, offset, size } = self.resources[word.resource as usize];
        let byte = u64::from(address) + u64::from(word.plus);
        if byte + 4 > size {
            self.report(Kind::BeyondBinding, lane, |_| {
                format!("bytes {byte} to {} of {size}, group {group}, binding {binding}", byte + 3)
            });
            return None;
        }
        let at = (offset + byte) / 4;
        let who = (self.batch.invocations[lane], self.code.origins[self.batch.at - 1]);
        let (value, race) = self.memory(buffer).touch(at, who, access);
        if let Some(values) = race {
            self.report(Kind::Race, lane, |_| format!("buffer {buffer}, {values}"));
        }
        Some((buffer, at, value))
    }

    pub(super) fn load(&mut self, to: Reg, word: Word, address: Reg) {
        let access = if word.is_atomic { Access::AtomicLoad } else { Access::Load };
        if to == NONE {
            self.each_word(word, address, access, |_, _, _| None);
            return;
        }
        self.batch.tainted[to as usize] = 0;
        let unwritten = self.unwritten(word, address);
        if address != NONE || word.is_atomic {
            self.batch.values[to as usize] = [0; LANES];
            self.each_word(word, address, access, |this, value, lane| {
                this.batch.values[to as usize][lane] = value;
                None
            });
            self.taint(to, unwritten);
            return;
        }
        // All lanes load the same word. Two are enough: they count as several readers.
        let mut value = 0;
        for lane in lanes(self.batch.active).take(2) {
            value = self.touch(word, 0, access, lane).map_or(value, |(.., value)| value);
        }
        self.batch.values[to as usize] = [value; LANES];
        self.taint(to, unwritten);
    }

    /// The lanes whose address is a word of workgroup memory that no invocation has stored. It may hold any value.
    fn unwritten(&self, word: Word, address: Reg) -> u64 {
        let Binding { buffer, size, .. } = self.resources[word.resource as usize];
        let Some(memory) = buffer.checked_sub(self.buffers.len()).map(|n| &self.shared[n]) else { return 0 };
        mask(|lane| {
            let from = if address == NONE { 0 } else { self.batch.values[address as usize][lane] };
            let byte = u64::from(from) + u64::from(word.plus);
            from != BEYOND && byte + 4 <= size && memory.stored(byte / 4).is_none()
        })
    }

    pub(super) fn store(&mut self, word: Word, address: Reg, from: Reg) {
        self.refuse(Kind::TaintedStore, from);
        let access = if word.is_atomic { Access::AtomicStore } else { Access::Store };
        self.each_word(word, address, access, |this, _, lane| Some(this.batch.values[from as usize][lane]));
    }

    pub(super) fn atomic(&mut self, op: Binary, to: Reg, word: Word, [address, from]: [Reg; 2]) {
        self.refuse(Kind::TaintedStore, from);
        self.batch.tainted[to as usize] = 0;
        self.each_word(word, address, Access::AtomicStore, |this, old, lane| {
            let value = this.batch.values[from as usize][lane];
            this.batch.values[to as usize][lane] = old;
            scalar::binary(op, old, value)
        });
    }
}
