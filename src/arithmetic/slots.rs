//! Bounds on the GPU: the uniform block of the dispatch that reads them, twin of `shaders/resolve.wgsl`.

use bytemuck::{Pod, Zeroable};

use super::bounds::{integer_key, integer_key_range, key_base};
use super::low_first;
use crate::operator::format::FloatFormat;
use crate::{Clamp, NanRule, Number, Order};

/// Where the slot of a bound lies in its binding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    word: u32,
    shift: u32,
}

impl Slot {
    /// `byte` is the element's first byte, from the start of the binding.
    pub(crate) const fn new(byte: u64) -> Self {
        Self { word: (byte / 4) as u32, shift: (byte % 4 * 8) as u32 }
    }
}

/// Mirrors `ResolveParams` in `resolve.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ResolveParams {
    pub(crate) min_key: [u32; 2],
    pub(crate) min_bits: [u32; 2],
    pub(crate) max_key: [u32; 2],
    pub(crate) max_bits: [u32; 2],
    pub(crate) lowest: [u32; 2],
    pub(crate) highest: [u32; 2],
    pub(crate) min_word: u32,
    pub(crate) min_shift: u32,
    pub(crate) max_word: u32,
    pub(crate) max_shift: u32,
    pub(crate) min_on_gpu: u32,
    pub(crate) max_on_gpu: u32,
    pub(crate) max_wins: u32,
    pub(crate) is_float: u32,
    pub(crate) bits: u32,
    pub(crate) is_signed: u32,
    pub(crate) block_words: u32,
    pub(crate) nan_becomes: u32,
    pub(crate) key_flip: [u32; 2],
    pub(crate) sign: [u32; 2],
    pub(crate) infinity: [u32; 2],
    pub(crate) blocks: u32,
    pub(crate) grid_width: u32,
}

impl ResolveParams {
    /// For `blocks` uniform blocks that begin `block_size` bytes apart, one workgroup each in a grid of that width.
    pub(crate) fn new(
        clamp: &Clamp,
        [min, max]: [Option<Slot>; 2],
        (blocks, block_size): (usize, usize),
        grid_width: u32,
    ) -> Self {
        let dtype = clamp.dtype();
        let format = FloatFormat::of(dtype);
        let (lowest, highest) =
            format.as_ref().map_or_else(|| integer_key_range(dtype), FloatFormat::key_range);
        let integer = |bound: Number, absent| match bound.bits() {
            Some(bits) => (integer_key(dtype, bits), bits),
            None => (absent, 0),
        };
        let ((min_key, min_bits), (max_key, max_bits)) = match &format {
            Some(format) => {
                let (min, max) = (format.number(clamp.min()), format.number(clamp.max()));
                let bits = (format.min_bits(min), format.max_bits(max));
                ((format.min_key(min), bits.0), (format.max_key(max), bits.1))
            }
            None => (integer(clamp.min(), lowest), integer(clamp.max(), highest)),
        };
        let wide = |bits: u64| low_first(bits.into());
        Self {
            min_key: low_first(min_key),
            min_bits: wide(min_bits),
            max_key: low_first(max_key),
            max_bits: wide(max_bits),
            lowest: low_first(lowest),
            highest: low_first(highest),
            min_word: min.map_or(0, |slot| slot.word),
            min_shift: min.map_or(0, |slot| slot.shift),
            max_word: max.map_or(0, |slot| slot.word),
            max_shift: max.map_or(0, |slot| slot.shift),
            min_on_gpu: min.is_some().into(),
            max_on_gpu: max.is_some().into(),
            max_wins: (clamp.order() == Order::MaxWins).into(),
            is_float: dtype.is_float().into(),
            bits: dtype.bits(),
            is_signed: dtype.is_signed_integer().into(),
            block_words: (block_size / 4) as u32,
            nan_becomes: match clamp.nan_rule() {
                NanRule::Propagate => 0,
                NanRule::ToMin => 1,
                NanRule::ToMax => 2,
            },
            key_flip: low_first(if dtype.is_float() { 0 } else { key_base(dtype) }),
            sign: wide(format.as_ref().map_or(0, |format| format.sign)),
            infinity: wide(format.as_ref().map_or(0, |format| format.infinity)),
            blocks: blocks as u32,
            grid_width,
        }
    }
}
