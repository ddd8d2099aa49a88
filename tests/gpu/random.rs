//! Data for the tests, on any device: those of browsers take this file and `values.rs` too.

use wgpu_clamp::DType;

#[path = "splitmix64.rs"]
mod splitmix64;

pub use splitmix64::Random;

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    pub fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n.div_ceil(8)).flat_map(|_| self.bits().to_le_bytes()).take(n).collect()
    }
}

/// The elements' bits as a buffer holds them, whole words long.
pub fn to_bytes(dtype: DType, elements: &[u64]) -> Vec<u8> {
    let size = dtype.size();
    let mut bytes: Vec<u8> = elements.iter().flat_map(|bits| bits.to_le_bytes()[..size].to_vec()).collect();
    bytes.resize(bytes.len().next_multiple_of(4).max(4), 0);
    bytes
}
