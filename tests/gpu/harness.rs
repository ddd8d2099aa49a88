//! Random numbers, and the one check that every test ends in.

use wgpu_clamp::{Clamp, Layout, Operands, View, verify};

pub use crate::device::{Gpu, buffer, gpus, read, to_bytes, with_limits};

/// Steele and Vigna's splitmix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    pub fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n.div_ceil(8)).flat_map(|_| self.next().to_le_bytes()).take(n).collect()
    }
}

/// Where the destination is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a buffer of its own.
    Apart,
    /// In the source's buffer.
    Same,
}

/// Clamps from `src_layout` to `dst_layout` on the GPU and holds the whole buffers against the reference. In one
/// buffer, `dst` is ignored.
#[track_caller]
pub fn check(
    gpu: &Gpu,
    clamp: &Clamp,
    (src_layout, src): (&Layout, &[u8]),
    (dst_layout, dst): (&Layout, &[u8]),
    place: Place,
) {
    let src_buffer = buffer(gpu, src);
    let (dst, dst_buffer) = match place {
        Place::Apart => (dst, buffer(gpu, dst)),
        Place::Same => (src, src_buffer.clone()),
    };
    let operands = Operands::new(View::new(&src_buffer, *src_layout), View::new(&dst_buffer, *dst_layout));
    let case = || format!("{clamp:?}\n{src_layout:?}\n{dst_layout:?}\n{place:?} on {}", gpu.name);
    if let Err(error) = gpu.host.submit(clamp, operands) {
        panic!("{error}\n{}", case());
    }
    let after = read(gpu, &dst_buffer);
    let report = verify::check(clamp, src_layout, src, dst_layout, dst, &after).unwrap();
    assert!(report.passed(), "{report}\n{}", case());
    if place == Place::Apart {
        assert!(read(gpu, &src_buffer) == src, "the source changed\n{}", case());
    }
}
