//! From a clamp and its layouts to dispatches: validated, collapsed, cut. Pure; no GPU is needed.

mod geometry;
mod piece;
mod window;

use std::fmt;

use crate::arithmetic::Fixed;
use crate::layout::overlap::{Overlap, overlaps_itself, views_overlap};
use crate::shader::{AffineStep, Module, Placement, ShaderKey};
use crate::{Clamp, Error, Layout};

use piece::{Piece, Pieces};
pub(crate) use window::{Range, WORD, Window, range};

/// Bytes in a packet, what the kernels read and write at once where they can.
const PACKET: usize = 16;

/// What a device can bind and dispatch at once, and compute; from `wgpu::Limits` and `wgpu::Features`, or made up to
/// look at a [`Plan`].
///
/// ```
/// # use wgpu_clamp::Limits;
/// let limits = Limits { max_workgroups_per_dimension: 16, ..Limits::default() };
/// # let _ = limits;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// The largest storage buffer binding, in bytes.
    pub max_binding_size: u64,
    /// What the offset of a binding must be a multiple of, in bytes. A power of two.
    pub binding_alignment: u64,
    /// The most workgroups along x or y.
    pub max_workgroups_per_dimension: u32,
    /// Whether [`Precision::Fast`](crate::Precision::Fast) of F64 is hardware arithmetic: on Vulkan, of devices that
    /// were created with `SHADER_F64` and `SHADER_INT64`.
    pub f64_arithmetic: bool,
}

impl Default for Limits {
    /// Those of `wgpu::Limits::downlevel_defaults()`, and no feature.
    fn default() -> Self {
        Self {
            max_binding_size: 128 << 20,
            binding_alignment: 256,
            max_workgroups_per_dimension: 65_535,
            f64_arithmetic: false,
        }
    }
}

/// The dispatches of one clamp on given layouts, found without a GPU.
///
/// [`Clamper`](crate::Clamper) makes one per call. A program needs it only to look at: in words as
/// [`Display`](fmt::Display), with the collapsed dimensions as [`Debug`](fmt::Debug). Making one allocates nothing.
///
/// ```
/// use wgpu_clamp::{Clamp, Layout, Limits, Plan};
///
/// let relu = Clamp::at_least(0.0_f32);
/// let image = Layout::packed(&[3, 480, 640])?;
/// let plan = Plan::new(&relu, &image, &image, Limits::default())?;
/// assert_eq!(plan.dispatches(), 1);
/// assert_eq!(plan.to_string(), "f32, no affine step, contiguous kernel, two buffers, windows: 1");
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Plan {
    clamp: Clamp,
    placement: Placement,
    limits: Limits,
    /// The affine step of 8-bit integers, where it is a product and a shift.
    fixed: Option<Fixed>,
    pieces: Pieces,
}

impl Plan {
    /// The plan of a clamp from one buffer to another.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`], [`Error::OutputOverlap`] and [`Error::OverlapUndecided`] for `dst`,
    /// [`Error::TooLarge`] if no buffer could hold a layout, [`Error::TooManyWindows`] if `limits` are too small for the tensor, [`Error::DeviceLimit`] if they are
    /// too small for any.
    pub fn new(clamp: &Clamp, src: &Layout, dst: &Layout, limits: Limits) -> Result<Self, Error> {
        Self::with_placement(clamp, src, dst, Placement::TwoBuffers, limits)
    }

    /// The plan of a clamp within one buffer: in place if the layouts are the same, otherwise disjoint.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new), and [`Error::PartialAlias`] or [`Error::AliasUndecided`] unless the two
    /// layouts are the same or share no element.
    ///
    /// ```
    /// # use wgpu_clamp::{Clamp, Error, Layout, Limits, Plan};
    /// let line = Layout::packed(&[8])?;
    /// let (front, back) = (line.slice(0, 0..5)?, line.slice(0, 3..8)?);
    /// let plan = Plan::in_one_buffer(&Clamp::new(0_u8, 9), &front, &back, Limits::default());
    /// assert_eq!(plan.unwrap_err(), Error::PartialAlias);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn in_one_buffer(clamp: &Clamp, src: &Layout, dst: &Layout, limits: Limits) -> Result<Self, Error> {
        Self::with_placement(clamp, src, dst, Placement::OneBuffer, limits)
    }

    pub(crate) fn with_placement(
        clamp: &Clamp,
        src: &Layout,
        dst: &Layout,
        placement: Placement,
        limits: Limits,
    ) -> Result<Self, Error> {
        validate(src, dst, placement)?;
        for (argument, layout) in [("src", src), ("dst", dst)] {
            if layout.required_bytes(clamp.dtype()) == u64::MAX {
                return Err(Error::TooLarge {
                    argument,
                    needed: u64::MAX,
                    unit: "bytes or more",
                    limit_name: "max_buffer_size",
                    limit: u64::MAX,
                });
            }
        }
        let fixed = clamp.affine().and_then(|affine| Fixed::find(clamp.dtype(), affine));
        let mut plan = Self { clamp: *clamp, placement, limits, fixed, pieces: Pieces::default() };
        if !dst.is_empty() {
            let whole = Piece::collapsed(src, dst);
            let in_place = src.same_addresses(dst);
            let pieces = plan.transposed(&whole).or_else(|| plan.spread(&whole));
            plan.pieces = match pieces.map(|pieces| plan.cut_all(pieces, in_place)) {
                Some(Ok(pieces)) => pieces,
                // Too large for the windows to end at packets.
                Some(Err(_)) | None => plan.cut_all(plan.whole(&whole), in_place)?,
            };
        }
        Ok(plan)
    }

    /// The number of `dispatch_workgroups` calls; 0 if there is no element. A bound on the GPU takes one more per
    /// window, which is not counted here.
    #[must_use]
    pub fn dispatches(&self) -> usize {
        self.windows().map(|window| window.dispatches().count()).sum()
    }

    fn step(&self) -> AffineStep {
        AffineStep::of(&self.clamp, self.fixed.is_some(), self.limits.f64_arithmetic)
    }

    /// The module that `window` takes.
    pub(crate) fn module(&self, window: &Window) -> Module {
        Module::Clamp(ShaderKey {
            dtype: self.clamp.dtype(),
            step: self.step(),
            kernel: window.kernel,
            placement: window.placement,
        })
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("clamp", &self.clamp)
            .field("placement", &self.placement)
            .field("pieces", &self.pieces)
            .field("windows", &self.window_count())
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { clamp, placement, .. } = self;
        write!(f, "{}, {}, ", clamp.dtype(), self.step())?;
        for (n, piece) in self.pieces.iter().enumerate() {
            write!(f, "{}{}", if n == 0 { "" } else { " + " }, piece.kernel)?;
        }
        if self.pieces.iter().next().is_none() {
            write!(f, "no")?;
        }
        write!(f, " kernel, {placement}, windows: {}", self.window_count())
    }
}

fn validate(src: &Layout, dst: &Layout, placement: Placement) -> Result<(), Error> {
    if src.shape() != dst.shape() {
        return Err(Error::ShapeMismatch { src: src.shape().to_vec(), dst: dst.shape().to_vec() });
    }
    let (shape, strides) = (|| dst.shape().to_vec(), || dst.strides().to_vec());
    match overlaps_itself(dst) {
        Overlap::No => {}
        Overlap::Yes => return Err(Error::OutputOverlap { shape: shape(), strides: strides() }),
        Overlap::Undecided => {
            return Err(Error::OverlapUndecided { shape: shape(), strides: strides() });
        }
    }
    if placement == Placement::OneBuffer && !src.same_addresses(dst) {
        match views_overlap(src, dst) {
            Overlap::No => {}
            Overlap::Yes => return Err(Error::PartialAlias),
            Overlap::Undecided => return Err(Error::AliasUndecided),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
