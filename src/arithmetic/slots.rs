//! Slots (the places of numbers on the GPU), and the uniform block of the dispatch that reads them: the host's half of
//! `shaders/resolve.wgsl`.

use super::bounds::{integer_key, integer_key_range, key_base};
use super::low_first;
use super::parameters::Entries;
use super::step::{AffineStep, Arithmetic, step_dtype};
use crate::fragment::mirrors;
use crate::operator::format::FloatFormat;
use crate::{Clamp, NanRule, Number, Order};

/// The place of a number, or of one number per channel: its byte offset in the binding for the dispatch's first
/// channel, and the stride between channels in bytes. Both are modulo 2^32.
pub(crate) type Slot = [u32; 2];

/// The count of a clamp's numbers that may lie on the GPU: Min, Max, scale and bias.
pub(crate) const NUMBERS: usize = 4;

/// The most slots that one dispatch reads. With the output they make four storage buffers, which every device allows.
pub(crate) const MAX_SLOTS: usize = 3;

/// The overridable constants of `resolve.wgsl`: the numbers that a dispatch reads, and whether the affine step is
/// exact. Slots are bound in the order Min, Max, scale, bias.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SlotReads {
    numbers: [bool; NUMBERS],
    is_exact: bool,
}

impl SlotReads {
    /// The constants of a dispatch that reads `slots`.
    pub(crate) fn of(arithmetic: Arithmetic, slots: &[Option<Slot>; NUMBERS]) -> Self {
        let numbers = slots.map(|slot| slot.is_some());
        let is_affine = numbers[2] || numbers[3];
        Self { numbers, is_exact: is_affine && arithmetic.step == AffineStep::Exact }
    }

    /// Names and values of the constants.
    pub(crate) fn constants(self) -> Vec<(&'static str, u32)> {
        let numbers = ["READS_MIN", "READS_MAX", "READS_SCALE", "READS_BIAS"].into_iter().zip(self.numbers);
        let flags = numbers.chain([("IS_EXACT", self.is_exact)]);
        flags.map(|(name, flag)| (name, flag.into())).collect()
    }
}

/// The place of the parameters that a dispatch writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    /// The layout of channels' parameters.
    pub(crate) entries: Entries,
    pub(crate) first: usize,
    pub(crate) channels: usize,
    /// The number of uniform blocks, or 1 for the storage buffer; each has the parameters of all channels.
    pub(crate) blocks: usize,
    /// Bytes between the starts of two blocks.
    pub(crate) pitch: u64,
}

mirrors! {
    /// Mirrors `ResolveParams` in `resolve.wgsl`.
    struct ResolveParams {
        min_slot: Slot,
        max_slot: Slot,
        scale_slot: Slot,
        bias_slot: Slot,
        min_key: [u32; 2],
        min_bits: [u32; 2],
        max_key: [u32; 2],
        max_bits: [u32; 2],
        lowest: [u32; 2],
        highest: [u32; 2],
        key_flip: [u32; 2],
        sign: [u32; 2],
        infinity: [u32; 2],
        max_wins: u32,
        is_float: u32,
        bits: u32,
        is_signed: u32,
        nan_becomes: u32,
        scale: u32,
        bias: u32,
        step_sign: u32,
        step_infinity: u32,
        step_exponent_bias: i32,
        step_shift: u32,
        first_word: u32,
        affine_word: u32,
        channel_words: u32,
        number_words: u32,
        block_words: u32,
        channels: u32,
        block_count: u32,
        grid_width: u32,
        padding: [u32; 3],
    }
}

impl ResolveParams {
    /// The numbers of a dispatch that reads `slots` and writes `target`. One invocation serves each channel; the grid
    /// is `grid_width` workgroups wide.
    pub(crate) fn new(
        clamp: &Clamp,
        arithmetic: Arithmetic,
        slots: [Option<Slot>; NUMBERS],
        target: &Target,
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
        let words = |bytes: u64| (bytes / 4) as u32;
        let [min_slot, max_slot, scale_slot, bias_slot] = slots.map(Option::unwrap_or_default);
        // An integer dtype here means that neither scale nor bias is on the GPU. The shader then reads no `step_*`.
        let step = FloatFormat::of(step_dtype(arithmetic)).unwrap_or(FloatFormat::F32);
        let step_bits = 64 - step.sign.leading_zeros();
        let single = |number: Number, absent: f32| number.bits().map_or(absent.to_bits(), |bits| bits as u32);
        let Target { entries, first, channels, blocks, pitch } = *target;
        Self {
            min_slot,
            max_slot,
            scale_slot,
            bias_slot,
            min_key: low_first(min_key),
            min_bits: wide(min_bits),
            max_key: low_first(max_key),
            max_bits: wide(max_bits),
            lowest: low_first(lowest),
            highest: low_first(highest),
            key_flip: low_first(if dtype.is_float() { 0 } else { key_base(dtype) }),
            sign: wide(format.as_ref().map_or(0, |format| format.sign)),
            infinity: wide(format.as_ref().map_or(0, |format| format.infinity)),
            max_wins: (clamp.order() == Order::MaxWins).into(),
            is_float: dtype.is_float().into(),
            bits: dtype.bits(),
            is_signed: dtype.is_signed_integer().into(),
            nan_becomes: match clamp.nan_rule() {
                NanRule::Propagate => 0,
                NanRule::ToMin => 1,
                NanRule::ToMax => 2,
            },
            scale: single(clamp.scale(), 1.0),
            bias: single(clamp.bias(), -0.0),
            step_sign: step.sign as u32,
            step_infinity: step.infinity as u32,
            step_exponent_bias: step.exponent_bias,
            step_shift: 32_u32.saturating_sub(step_bits),
            first_word: words(first as u64 * entries.of_channel),
            affine_word: words(entries.affine) * words(entries.of_word),
            channel_words: words(entries.of_channel),
            number_words: words(entries.of_word),
            block_words: words(pitch),
            channels: channels as u32,
            block_count: blocks as u32,
            grid_width,
            padding: [0; 3],
        }
    }
}
