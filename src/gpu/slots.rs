//! Bounds that lie on the GPU: where their slots are, and what the dispatch that reads them is told.

use super::{Operands, View};
use crate::arithmetic::Slot;
use crate::kernel::WORD;
use crate::plan::Range;
use crate::{Clamp, DType, Error, Limits};

/// The slot of one bound in its binding.
#[derive(Clone, Copy)]
pub(super) struct SlotBinding<'a> {
    buffer: &'a wgpu::Buffer,
    range: Range,
    slot: Slot,
}

/// The slots of a clamp, at least one of them.
#[derive(Clone, Copy)]
pub(super) enum Slots<'a> {
    Min(SlotBinding<'a>),
    Max(SlotBinding<'a>),
    Both(SlotBinding<'a>, SlotBinding<'a>),
}

impl<'a> Slots<'a> {
    /// Those that the operands name; `None` if there is none.
    pub(super) fn of(clamp: &Clamp, operands: &Operands<'a>, limits: &Limits) -> Result<Option<Self>, Error> {
        let bind = |view: Option<View<'a>>| {
            view.map(|view| SlotBinding::new(view, clamp.dtype(), limits)).transpose()
        };
        Ok(match (bind(operands.min)?, bind(operands.max)?) {
            (None, None) => None,
            (Some(min), None) => Some(Self::Min(min)),
            (None, Some(max)) => Some(Self::Max(max)),
            (Some(min), Some(max)) => Some(Self::Both(min, max)),
        })
    }

    /// Of Min and of Max.
    pub(super) const fn slots(&self) -> [Option<Slot>; 2] {
        match self {
            Self::Min(min) => [Some(min.slot), None],
            Self::Max(max) => [None, Some(max.slot)],
            Self::Both(min, max) => [Some(min.slot), Some(max.slot)],
        }
    }

    /// The bindings of Min and of Max. A bound that is not on the GPU is not read; its binding takes the other one's
    /// slot.
    pub(super) fn bindings(&self) -> [(&'a wgpu::Buffer, Range); 2] {
        let (min, max) = match self {
            Self::Min(slot) | Self::Max(slot) => (slot, slot),
            Self::Both(min, max) => (min, max),
        };
        [min, max].map(|SlotBinding { buffer, range, .. }| (*buffer, *range))
    }
}

impl<'a> SlotBinding<'a> {
    /// Of a view of one element.
    fn new(view: View<'a>, dtype: DType, limits: &Limits) -> Result<Self, Error> {
        let address = view.layout().offset();
        let (range, slot) = Range::of_slot(address, dtype, limits).ok_or_else(|| {
            let size = dtype.size() as u64;
            let first_byte = address as u64 * size;
            let needed = (first_byte % limits.binding_start() + size).next_multiple_of(WORD as u64);
            Error::device_limit("max_storage_buffer_binding_size", needed, limits.max_binding_size)
        })?;
        Ok(Self { buffer: view.buffer(), range, slot })
    }
}
