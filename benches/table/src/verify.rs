//! Compares results with the reference: all elements of a small tensor, a sample of a large one.

use anyhow::{Result, ensure};
use wgpu_clamp::verify::{self, Buffers};
use wgpu_clamp::{Clamp, Clamps, Layout, reference};

use crate::data::Random;

/// A tensor of up to so many elements is compared as a whole. Of a larger tensor, so many random elements are compared.
const SAMPLE: usize = 1 << 18;

/// Fails if the reference does not allow an element, or if a byte outside the output has changed.
pub fn check<'a>(clamps: impl Into<Clamps<'a>>, buffers: Buffers<'_>) -> Result<()> {
    let clamps = clamps.into();
    let Buffers { src_layout, src, dst_layout, dst_before, dst_after } = buffers;
    if dst_layout.len() <= SAMPLE {
        let report = verify::check(clamps, buffers)?;
        ensure!(report.passed(), "{report}");
        return Ok(());
    }
    let mut random = Random(7);
    let len = dst_layout.len() as u64;
    let ends = (0..64).chain(len - 64..len);
    let sample = std::iter::repeat_with(|| random.bits() % len).take(SAMPLE);
    for n in ends.chain(sample) {
        let clamp = of(clamps, dst_layout, n);
        let x = bits(src, address(src_layout, n), clamp.source().size());
        let got = bits(dst_after, address(dst_layout, n), clamp.dtype().size());
        let allowed = reference::allowed(clamp, x)?;
        ensure!(
            allowed.contains(got),
            "element {n}: input {x:#x}, allowed {:x?}, got {got:#x}",
            allowed.values()
        );
    }
    untouched(dst_layout, of(clamps, dst_layout, 0).dtype().size(), dst_before, dst_after)
}

/// The clamp of the `n`-th element, in row-major order.
fn of<'a>(clamps: Clamps<'a>, layout: &Layout, n: u64) -> &'a Clamp {
    let channel = clamps.axis().map_or(0, |axis| {
        let inner: usize = layout.shape()[axis + 1..].iter().product();
        n as usize / inner % layout.shape()[axis]
    });
    &clamps.as_slice()[channel]
}

/// Address of the `n`-th element in row-major order, in elements.
pub fn address(layout: &Layout, mut n: u64) -> usize {
    let mut at = layout.offset().cast_signed();
    for (&extent, &stride) in layout.shape().iter().zip(layout.strides()).rev() {
        at += (n % extent as u64) as isize * stride;
        n /= extent as u64;
    }
    at.cast_unsigned()
}

pub fn bits(bytes: &[u8], element: usize, size: usize) -> u64 {
    bytes[element * size..][..size].iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

/// Checks that the gaps of an output are unchanged.
pub fn untouched(layout: &Layout, size: usize, before: &[u8], after: &[u8]) -> Result<()> {
    if layout.len() * size == before.len() {
        return Ok(());
    }
    let mut expected = before.to_vec();
    for address in layout.addresses() {
        let element = address * size..(address + 1) * size;
        expected[element.clone()].copy_from_slice(&after[element]);
    }
    let stray = expected.iter().zip(after).position(|(expected, after)| expected != after);
    ensure!(stray.is_none(), "byte {} outside the output has changed", stray.unwrap_or(0));
    Ok(())
}

#[cfg(test)]
mod tests {
    use wgpu_clamp::DType;

    use super::*;

    /// Whether a right result still passes after `change`. It has rows with gaps, and too many elements to compare all.
    fn passes(change: impl FnOnce(&mut [u8])) -> bool {
        let clamp = Clamp::new(50_u8, 200);
        let layout = &Layout::strided(&[1 << 10, 1 << 9], &[513, 1], 0).unwrap();
        let src = &crate::data::random(clamp.dtype(), 513 << 10);
        let dst_before = &vec![0xa5; src.len()];
        let mut after = dst_before.clone();
        for at in layout.addresses() {
            after[at] = src[at].clamp(50, 200);
        }
        change(&mut after);
        let (src_layout, dst_layout) = (layout, layout);
        check(&clamp, Buffers { src_layout, src, dst_layout, dst_before, dst_after: &after }).is_ok()
    }

    #[test]
    fn a_right_result_passes_and_a_wrong_one_does_not() {
        assert!(passes(|_| {}));
        assert!(!passes(|after| after[0] = 49));
        assert!(!passes(|after| after[512] = 0), "a byte of a gap");
        let half_wrong = |after: &mut [u8]| after[..257 << 10].fill(0xa5);
        assert!(!passes(half_wrong), "a half that nobody has written");
    }
    #[test]
    fn of_a_large_tensor_each_channel_is_held_to_its_own_clamp() {
        let to_floats = |min, max| Clamp::new(min, max).with_source(DType::U8).unwrap();
        let clamps = [to_floats(0.0_f32, 99.0), to_floats(50.0, 255.0), to_floats(7.0, 200.0)];
        let pixels = 1 << 18;
        let src_layout = &Layout::packed(&[pixels, 3]).unwrap();
        let dst_layout = &Layout::packed(&[3, pixels]).unwrap().permute(&[1, 0]).unwrap();
        let src = &crate::data::random(DType::U8, 3 * pixels);
        let dst_before = &vec![0xa5; 12 * pixels];
        let mut after = dst_before.clone();
        reference::apply(Clamps::along(1, &clamps), src_layout, src, dst_layout, &mut after).unwrap();
        let buffers = Buffers { src_layout, src, dst_layout, dst_before, dst_after: &after };
        let passes = |clamps: &[Clamp]| check(Clamps::along(1, clamps), buffers).is_ok();
        assert!(passes(&clamps));
        assert!(!passes(&[clamps[1], clamps[0], clamps[2]]));
        assert!(check(&clamps[0], buffers).is_err());
    }
}
