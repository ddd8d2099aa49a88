//! A buffer with the numbers of clamps, and slots in this buffer.

use crate::{Clamp, DType, Error, Host, Layout, Number, Operands, Tensor, View};

/// The stride between channels' numbers, in elements. Other bytes lie between the numbers.
const STRIDE: usize = 2;

/// The numbers of one clamp, or of one clamp per channel.
pub(super) struct Slots {
    tensor: Tensor,
    clamps: usize,
}

impl Slots {
    /// Uploads all four numbers of each clamp. The channels of a number run from the last to the first, with other
    /// bytes before and between them.
    pub(super) fn upload(host: &Host, clamps: &[Clamp]) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        for number in 0..4 {
            bytes.resize(bytes.len().next_multiple_of(8) + 8, 0x5a);
            for clamp in clamps.iter().rev() {
                let size = clamp.slot_dtypes()[number].size();
                let bits = clamp.numbers()[number].1.bits().unwrap_or(0);
                bytes.extend(&bits.to_le_bytes()[..size]);
                bytes.resize(bytes.len() + size * (STRIDE - 1), 0x5a);
            }
        }
        bytes.resize(bytes.len().next_multiple_of(4), 0x5a);
        let tensor = Tensor::upload_bytes(host, DType::U8, &[bytes.len()], &bytes)?;
        Ok(Self { tensor, clamps: clamps.len() })
    }

    /// Adds the slots of the numbers that `clamp` has on the GPU.
    pub(super) fn give<'a>(&'a self, clamp: &Clamp, operands: &Operands<'a>) -> Result<Operands<'a>, Error> {
        let (mut all, mut behind) = ([None; 4], 0_usize);
        for (number, slot) in all.iter_mut().enumerate() {
            let dtype = clamp.slot_dtypes()[number];
            let first = (behind.next_multiple_of(8) + 8) / dtype.size();
            behind = (first + self.clamps * STRIDE) * dtype.size();
            let stride = -STRIDE.cast_signed();
            let layout = match self.clamps {
                1 => Layout::packed_at(&[], first)?,
                count => Layout::strided(&[count], &[stride], first + (count - 1) * STRIDE)?,
            };
            let is_read = clamp.numbers()[number].1 == Number::OnGpu;
            *slot = is_read.then_some(View::new(self.tensor.buffer(), dtype, layout));
        }
        let [min, max, scale, bias] = all;
        Ok(operands.with_min(min).with_max(max).with_scale(scale).with_bias(bias))
    }
}
