//! Limits of a device, as far as plans depend on them.

use super::{PACKET, WORKGROUP_SIZE};

/// Limits of a device on bindings and dispatches, its arithmetic, and whether it is a CPU.
/// [`Clamper`](crate::Clamper) reads them from the device. A program may choose any limits to look at a
/// [`Plan`](crate::Plan).
///
/// ```
/// # use wgpu_clamp::Limits;
/// let limits = Limits::default().with(|limits| limits.max_workgroups_per_dimension = 16);
/// assert_eq!(limits.max_workgroups_per_dimension, 16);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Limits {
    /// The largest storage buffer binding, in bytes.
    pub max_binding_size: u64,
    /// The alignment of a binding's offset, in bytes. Any number is rounded up to a power of two.
    pub binding_alignment: u64,
    /// The most workgroups of a dispatch along x or y.
    pub max_workgroups_per_dimension: u32,
    /// The most bytes of memory that the invocations of a workgroup share.
    pub max_workgroup_memory: u32,
    /// Whether [`Precision::Fast`](crate::Precision::Fast) of F64 uses hardware arithmetic. That needs Vulkan, and a
    /// device created with `SHADER_F64` and `SHADER_INT64`.
    pub f64_arithmetic: bool,
    /// Whether F16 is converted to f32 and back by the device's own instructions, instead of by integer operations, which
    /// are faster on a [`cpu`](Self::cpu) and always serve there. The results are the same where
    /// [`Host::check_f16`](crate::Host::check_f16) has found these instructions right; elsewhere they may be wrong.
    /// [`Clamper::with_f16_conversions`](crate::Clamper::with_f16_conversions) sets it.
    pub f16_conversions: bool,
    /// Whether a CPU runs the shaders, as software drivers do. There, an invocation takes several pieces of a tensor in
    /// turn, so that it finds its place once for many elements. The results do not depend on it.
    pub cpu: bool,
}

impl Default for Limits {
    /// A GPU with the limits of `wgpu::Limits::downlevel_defaults()`, without features.
    fn default() -> Self {
        Self {
            max_binding_size: 128 << 20,
            binding_alignment: 256,
            max_workgroups_per_dimension: 65_535,
            max_workgroup_memory: 16_352,
            f64_arithmetic: false,
            f16_conversions: false,
            cpu: false,
        }
    }
}

/// The largest binding on Vulkan and DX12, in bytes, even if a device reports more.
const MAX_BINDING: u64 = (1 << 31) - 4;

/// `packet_of` in `binding/packets32.wgsl` needs fewer packets.
const _: () = assert!(MAX_BINDING / (PACKET as u64) < 1 << 27);

impl Limits {
    /// These limits with a change.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// The device's largest binding, in bytes, but no larger than every API allows.
    pub(crate) fn binding_size(&self) -> u64 {
        self.max_binding_size.min(MAX_BINDING)
    }

    /// The alignment of bindings, in bytes: the device's, and at least a packet.
    pub(crate) fn binding_start(&self) -> u64 {
        self.binding_alignment.max(PACKET as u64).checked_next_power_of_two().unwrap_or(1 << 63)
    }

    /// Workgroups in the largest grid.
    pub(crate) fn workgroups(&self) -> u64 {
        u64::from(self.max_workgroups_per_dimension).pow(2)
    }

    /// Invocations in the largest grid.
    pub(crate) fn invocations(&self) -> u64 {
        self.workgroups().saturating_mul(WORKGROUP_SIZE.into())
    }

    /// A grid of at least `workgroups`: of height 1 if they fit into one row, else nearly square.
    pub(crate) fn grid(&self, workgroups: u64) -> [u32; 2] {
        let most = u64::from(self.max_workgroups_per_dimension.max(1));
        let height = if workgroups <= most { 1 } else { workgroups.isqrt().max(workgroups.div_ceil(most)) };
        let width = workgroups.div_ceil(height);
        [width as u32, workgroups.div_ceil(width.max(1)) as u32]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_hold_every_workgroup_and_hardly_more() {
        let limits = Limits { max_workgroups_per_dimension: 100, ..Limits::default() };
        for workgroups in 1..=10_000_u64 {
            let [x, y] = limits.grid(workgroups).map(u64::from);
            assert!(x <= 100 && y <= 100, "{workgroups}: {x} x {y}");
            assert!(x * y >= workgroups && x * y < workgroups + x, "{workgroups}: {x} x {y}");
            assert!(y == 1 || x.abs_diff(y) <= 2 || x == 100 || y == 100, "{workgroups}: {x} x {y}");
        }
        assert_eq!(limits.grid(0)[0], 0);
    }
}
