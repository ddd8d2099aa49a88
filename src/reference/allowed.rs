//! A small set of results.

use std::fmt;

/// The most results for one element. `fast` gives one f32 at most seven: the fused and the unfused step, with operands
/// kept and with operands flushed, the bias, and the two zeros.
///
/// An integer of 32 bits counts as either f32 next to it, which gives twice seven results.
const CAPACITY: usize = 14;

/// The results that a [`Clamp`](crate::Clamp) allows for one element: at least one, each once.
///
/// Returned by [`allowed`](super::allowed); needs no allocation. Each result is the bits of an element, zero-extended
/// to 64.
#[derive(Clone, Copy)]
pub struct Allowed {
    len: usize,
    values: [u64; CAPACITY],
}

impl Allowed {
    pub(super) fn one(bits: u64) -> Self {
        let mut values = [0; CAPACITY];
        values[0] = bits;
        Self { len: 1, values }
    }

    /// Adds a result, if it is new.
    pub(super) fn insert(&mut self, bits: u64) {
        if !self.contains(bits) {
            self.values[self.len] = bits;
            self.len += 1;
        }
    }

    /// Maps `f` over the set, keeping its order.
    pub(super) fn map(self, f: impl Fn(u64) -> u64) -> Self {
        let mut mapped = Self::one(f(self.first()));
        for &bits in &self.values()[1..] {
            mapped.insert(f(bits));
        }
        mapped
    }

    /// Whether `bits` is one of the results.
    ///
    /// ```
    /// use wgpu_clamp::{Clamp, reference};
    ///
    /// let allowed = reference::allowed(&Clamp::new(0_u8, 9), 12)?;
    /// assert!(allowed.contains(9) && !allowed.contains(12));
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    #[must_use]
    pub fn contains(&self, bits: u64) -> bool {
        self.values().contains(&bits)
    }

    /// All results. The first one is the result that [`apply`](super::apply) writes.
    ///
    /// ```
    /// use wgpu_clamp::{Clamp, reference};
    ///
    /// assert_eq!(reference::allowed(&Clamp::new(0_u8, 9), 12)?.values(), [9]);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    #[must_use]
    pub fn values(&self) -> &[u64] {
        &self.values[..self.len]
    }

    /// The result that [`apply`](super::apply) writes.
    ///
    /// ```
    /// use wgpu_clamp::{Clamp, reference};
    ///
    /// assert_eq!(reference::allowed(&Clamp::new(0_u8, 9), 12)?.first(), 9);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    #[must_use]
    pub fn first(&self) -> u64 {
        self.values[0]
    }
}

impl fmt::Debug for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.values()).finish()
    }
}
