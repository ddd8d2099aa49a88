//! Data for the tests, on any device: those of browsers take this file and `values.rs` too.

use wgpu_clamp::DType;

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

/// The elements' bits as a buffer holds them, whole words long.
pub fn to_bytes(dtype: DType, elements: &[u64]) -> Vec<u8> {
    let size = dtype.size();
    let mut bytes: Vec<u8> = elements.iter().flat_map(|bits| bits.to_le_bytes()[..size].to_vec()).collect();
    bytes.resize(bytes.len().next_multiple_of(4).max(4), 0);
    bytes
}
