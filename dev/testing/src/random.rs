//! The random generator of all tests and benchmarks, with the same numbers at each run; elements as bytes.

use wgpu_clamp::DType;

/// Steele and Vigna's splitmix64, from any seed.
pub struct Random(pub u64);

impl Random {
    /// 64 random bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// A random item of `from`.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// `n` random bytes.
    pub fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n.div_ceil(8)).flat_map(|_| self.bits().to_le_bytes()).take(n).collect()
    }

    /// A number in −8..8 with random digits.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    pub fn number(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 49) as f64 - 8.0
    }
}

/// The elements' bits as a buffer holds them, padded to whole words.
pub fn to_bytes(dtype: DType, elements: &[u64]) -> Vec<u8> {
    let size = dtype.size();
    let mut bytes: Vec<u8> = elements.iter().flat_map(|bits| bits.to_le_bytes()[..size].to_vec()).collect();
    bytes.resize(bytes.len().next_multiple_of(4).max(4), 0);
    bytes
}
