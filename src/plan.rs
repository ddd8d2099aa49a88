//! From a clamp and its layouts to dispatches: validated, collapsed, given a strategy, cut. Pure; no GPU is needed.

#[cfg(test)]
mod interpreter;
mod strategy;
mod tiling;
mod window;

use std::fmt;

use crate::arithmetic::{AffineStep, Fixed, OperatorBlock};
use crate::kernel::{Placement, Region, Task};
use crate::layout::overlap::{Overlap, overlaps_itself, views_overlap};
use crate::shader::{Module, ModuleName};
use crate::{Clamp, Error, Layout, Limits};

use strategy::Strategy;
pub(crate) use window::{Bindings, Range, Window};

/// The dispatches of one clamp on given layouts, found without a GPU.
///
/// [`Clamper`](crate::Clamper) makes one per call. A program needs it only to look at: which kernel
/// takes what and why as [`Display`](fmt::Display), with the collapsed dimensions as [`Debug`](fmt::Debug). Making one allocates nothing.
///
/// ```
/// use wgpu_clamp::{Clamp, Layout, Limits, Plan};
///
/// let relu = Clamp::at_least(0.0_f32);
/// let image = Layout::packed(&[3, 480, 640])?;
/// let plan = Plan::new(&relu, &image, &image, Limits::default())?;
/// assert_eq!(plan.dispatches(), 1);
/// assert_eq!(
///     plan.to_string(),
///     "f32, no affine step, two buffers, windows: 1, contiguous kernel for 921600 elements \
///      (one run on both sides, at one distance from 16 bytes)"
/// );
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Plan {
    clamp: Clamp,
    placement: Placement,
    limits: Limits,
    /// The affine step of 8-bit integers, where it is a product and a shift.
    fixed: Option<Fixed>,
    strategy: Strategy,
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
    /// assert_eq!(plan.unwrap_err(), Error::PartialAlias { src: front.into(), dst: back.into() });
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
        let mut plan = Self { clamp: *clamp, placement, limits, fixed, strategy: Strategy::default() };
        if !dst.is_empty() {
            plan.strategy = Strategy::new(&plan.task(), &Region::collapsed(src, dst))?;
        }
        Ok(plan)
    }

    /// The number of `dispatch_workgroups` calls; 0 if there is no element. Bounds on the GPU take one more, which is not
    /// counted here.
    #[must_use]
    pub fn dispatches(&self) -> usize {
        self.windows().map(|window| window.dispatches().count()).sum()
    }

    fn step(&self) -> AffineStep {
        AffineStep::of(&self.clamp, self.fixed.is_some(), self.limits.f64_arithmetic)
    }

    fn task(&self) -> Task {
        let Self { clamp, placement, limits, .. } = *self;
        Task { dtype: clamp.dtype(), step: self.step(), placement, limits }
    }

    /// The operator's part of the uniform block of every window.
    pub(crate) fn operator(&self) -> OperatorBlock {
        OperatorBlock::new(&self.clamp, self.step(), self.fixed.as_ref())
    }

    /// The module that `window` takes.
    pub(crate) fn module(&self, window: &Window) -> Module {
        Module::Clamp(ModuleName {
            dtype: self.clamp.dtype(),
            step: self.step(),
            kernel: window.kernel,
            placement: window.bindings.placement,
        })
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("clamp", &self.clamp)
            .field("placement", &self.placement)
            .field("strategy", &self.strategy)
            .field("windows", &self.window_count())
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { clamp, placement, .. } = self;
        write!(f, "{}, {}, {placement}, windows: {}", clamp.dtype(), self.step(), self.window_count())?;
        for (n, assignment) in self.strategy.assignments().enumerate() {
            write!(f, "{}{assignment}", if n == 0 { ", " } else { " + " })?;
        }
        Ok(())
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
            Overlap::Yes => return Err(Error::PartialAlias { src: (*src).into(), dst: (*dst).into() }),
            Overlap::Undecided => {
                let (view, dst) = ((*src).into(), (*dst).into());
                return Err(Error::AliasUndecided { argument: "src", view, dst });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
