//! Compares results with the reference, at a sample of elements, and what lies between the elements with what was there.

use anyhow::{Result, ensure};
use wgpu_clamp::verify::Buffers;
use wgpu_clamp::{Clamp, Clamps, Layout, reference, wgpu};

use crate::case::Case;
use crate::data::{self, Random};
use crate::device::Device;
use crate::plain::number_of;

/// Random elements that are compared, beside the first and the last ones.
const SAMPLE: usize = 1 << 18;

/// Fails if the reference does not allow an element, or if a byte outside the output has changed.
pub fn check<'a>(clamps: impl Into<Clamps<'a>>, buffers: Buffers<'_>) -> Result<()> {
    let clamps = clamps.into();
    let Buffers { src_layout, src, dst_layout, dst_before, dst_after } = buffers;
    for n in sample(dst_layout) {
        let clamp = of(clamps, dst_layout, n);
        let x = bits(src, src_layout, n, clamp.source().size());
        let got = bits(dst_after, dst_layout, n, clamp.dtype().size());
        let allowed = reference::allowed(clamp, x)?;
        ensure!(
            allowed.contains(got),
            "element {n}: input {x:#x}, allowed {:x?}, got {got:#x}",
            allowed.values()
        );
    }
    untouched(dst_layout, of(clamps, dst_layout, 0).dtype().size(), dst_before, dst_after)
}

/// Checks that the plain kernel's result is close to ours, so that both did the same work.
pub fn alike(case: &Case, device: &Device, buffers: [&wgpu::Buffer; 2]) -> Result<()> {
    let [ours, theirs] = [data::read(device, buffers[0])?, data::read(device, buffers[1])?];
    let dtype = case.clamp().dtype();
    for n in sample(&case.dst) {
        let [ours, theirs] =
            [&ours, &theirs].map(|bytes| number_of(dtype, self::bits(bytes, &case.dst, n, dtype.size())));
        // The plain kernel computes in f32, which keeps only the upper 24 bits of an i32.
        let far = if dtype.is_float() { ours.abs() / 500.0 + 1e-3 } else { (ours.abs() / 1e6).max(1.0) };
        let is_close = ours.to_bits() == theirs.to_bits() || (ours - theirs).abs() <= far;
        ensure!(is_close, "element {n}: {ours}, the plain kernel has {theirs}");
    }
    Ok(())
}

/// Elements to compare, in row-major order: the ends and random ones.
fn sample(layout: &Layout) -> impl Iterator<Item = u64> {
    let (len, mut random) = (layout.len() as u64, Random(7));
    let ends = (0..len.min(64)).chain(len - len.min(64)..len);
    ends.chain(std::iter::repeat_with(move || random.bits() % len).take(SAMPLE))
}

/// The clamp of the `n`-th element, in row-major order.
fn of<'a>(clamps: Clamps<'a>, layout: &Layout, n: u64) -> &'a Clamp {
    let channel = clamps.axis().map_or(0, |axis| {
        let inner: usize = layout.shape()[axis + 1..].iter().product();
        n as usize / inner % layout.shape()[axis]
    });
    &clamps.as_slice()[channel]
}

/// Bits of the `n`-th element in row-major order.
fn bits(bytes: &[u8], layout: &Layout, mut n: u64, size: usize) -> u64 {
    let mut at = layout.offset().cast_signed();
    for (&extent, &stride) in layout.shape().iter().zip(layout.strides()).rev() {
        at += (n % extent as u64) as isize * stride;
        n /= extent as u64;
    }
    bytes[at.cast_unsigned() * size..][..size].iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

/// Checks that the gaps of an output are unchanged.
fn untouched(layout: &Layout, size: usize, before: &[u8], after: &[u8]) -> Result<()> {
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

    #[test]
    fn of_a_large_tensor_wrong_elements_and_bytes_in_gaps_are_noticed() {
        // Rows with gaps, a clamp for each of two halves.
        let (rows, columns) = (1 << 10, 1 << 9);
        let layout = &Layout::strided(&[2, rows / 2, columns], &[513 * 512, 513, 1], 0).unwrap();
        let clamps = [Clamp::new(50_u8, 200), Clamp::new(60_u8, 190)];
        let src = &data::random(DType::U8, 513 * rows);
        let dst_before = &vec![0xa5; src.len()];
        let passes = |clamps: &[Clamp], change: &dyn Fn(&mut [u8])| {
            let mut after = dst_before.clone();
            reference::apply(Clamps::along(0, clamps), layout, src, layout, &mut after).unwrap();
            change(&mut after);
            let (src_layout, dst_layout, dst_after) = (layout, layout, &after[..]);
            let buffers = Buffers { src_layout, src, dst_layout, dst_before, dst_after };
            check(Clamps::along(0, &[clamps[0], Clamp::new(60_u8, 190)]), buffers).is_ok()
        };
        assert!(passes(&clamps, &|_| {}));
        assert!(!passes(&clamps, &|after| after[0] = 49));
        assert!(!passes(&clamps, &|after| after[512] = 0), "a byte of a gap");
        assert!(!passes(&clamps, &|after| after[..513 * 512].fill(0xa5)), "a half that nobody has written");
        assert!(!passes(&[clamps[0], clamps[0]], &|_| {}), "the other half's clamp");
    }
}
