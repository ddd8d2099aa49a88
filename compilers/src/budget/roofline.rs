//! The roofline: how many instructions a GPU can issue while its memory moves a byte. A kernel with more instructions
//! per byte waits for arithmetic.

/// A GPU.
pub struct Gpu {
    /// The name of the product.
    pub name: &'static str,
    /// Integer instructions that its lanes together can issue while its memory moves a byte.
    pub budget: f64,
}

/// Budgets are lanes × clock ÷ memory bandwidth, from the makers' figures or, where known, a measured bandwidth.
/// NVIDIA's GPUs run integers at half rate.
pub const GPUS: [Gpu; 5] = [
    gpu("H200", 132.0 * 128.0 / 2.0, 1.75, 4400.0),
    gpu("RX 6800 XT", 72.0 * 64.0, 2.25, 512.0),
    gpu("RTX 4090", 128.0 * 128.0 / 2.0, 2.5, 950.0),
    gpu("M2 Max", 38.0 * 128.0, 1.4, 400.0),
    gpu("Xe, 96 units", 96.0 * 8.0, 1.3, 68.0),
];

/// `clock` in GHz, `memory` in GB/s.
const fn gpu(name: &'static str, lanes: f64, clock: f64, memory: f64) -> Gpu {
    Gpu { name, budget: lanes * clock / memory }
}

impl Gpu {
    /// The expected ratio to a copy, for a number of instructions per byte: 1 while memory is the limit.
    pub fn ratio(&self, instructions: f64) -> f64 {
        (self.budget / instructions).min(1.0)
    }
}
