//! Buffers and where the elements lie in them: the operands of a call.

use crate::layout::overlap::{Overlap, views_overlap};
use crate::{Bound, Clamp, DType, Element, Error, Layout};

/// A tensor in a buffer of the caller.
///
/// A buffer has no dtype, so its elements are those of the [`Clamp`]: of its source in `src`, of its own dtype
/// elsewhere. Where the program knows better, [`with_dtype`](Self::with_dtype) has it checked.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The buffer. It needs `wgpu::BufferUsages::STORAGE`.
    pub buffer: &'a wgpu::Buffer,
    /// Where the elements lie in it, in elements.
    pub layout: Layout,
    /// The dtype of the elements, where it is known: that of the clamp (of its source in `src`), else an error.
    pub dtype: Option<DType>,
}

impl<'a> View<'a> {
    /// The elements of `buffer` at `layout`.
    #[must_use]
    pub const fn new(buffer: &'a wgpu::Buffer, layout: Layout) -> Self {
        Self { buffer, layout, dtype: None }
    }

    /// The elements of `buffer` at `layout`, which are of a Rust type: a clamp of another dtype is refused. As
    /// [`new`](Self::new) and [`with_dtype`](Self::with_dtype).
    #[must_use]
    pub const fn of<T: Element>(buffer: &'a wgpu::Buffer, layout: Layout) -> Self {
        Self::new(buffer, layout).with_dtype(T::DTYPE)
    }

    /// Says what the elements are, so that a clamp of another dtype is refused. Of a view that is `src` and `dst` in one,
    /// what they are before.
    #[must_use]
    pub const fn with_dtype(mut self, dtype: DType) -> Self {
        self.dtype = Some(dtype);
        self
    }

    fn check(&self, argument: &'static str, of: &'static str, dtype: DType) -> Result<(), Error> {
        if let Some(actual) = self.dtype
            && actual != dtype
        {
            return Err(Error::DTypeMismatch { argument, of, expected: dtype, actual });
        }
        self.check_buffer(argument, dtype)
    }

    fn check_buffer(&self, argument: &'static str, dtype: DType) -> Result<(), Error> {
        let (needed, actual) = (wgpu::BufferUsages::STORAGE, self.buffer.usage());
        if !actual.contains(needed) {
            return Err(Error::MissingUsage { argument, needed, actual });
        }
        let (needed, actual) = (self.layout.required_bytes(dtype), self.buffer.size());
        if needed > actual {
            let layout = Box::new(self.layout);
            return Err(Error::BufferTooSmall { argument, dtype, layout, needed, actual });
        }
        Ok(())
    }
}

/// The views that a clamp reads and writes, and the slots of bounds that lie on the GPU.
///
/// A pair of views converts into it: `(src, dst).into()`. The two may lie in one buffer, if they are the
/// same (in place) or share no byte.
#[derive(Clone, Copy, Debug)]
pub struct Operands<'a> {
    pub(crate) src: View<'a>,
    pub(crate) dst: View<'a>,
    pub(crate) min: Option<View<'a>>,
    pub(crate) max: Option<View<'a>>,
}

impl<'a> Operands<'a> {
    /// From `src` to `dst`.
    #[must_use]
    pub const fn new(src: View<'a>, dst: View<'a>) -> Self {
        Self { src, dst, min: None, max: None }
    }

    /// Each element of `view` is replaced by its result.
    #[must_use]
    pub const fn in_place(view: View<'a>) -> Self {
        Self::new(view, view)
    }

    /// The slot of a lower bound that is [`Bound::OnGpu`]: a view of one element, which may lie in the buffer
    /// of `src` or `dst` but not in the output. `None` where the bound is not on the GPU.
    #[must_use]
    pub fn with_min(mut self, slot: impl Into<Option<View<'a>>>) -> Self {
        self.min = slot.into();
        self
    }

    /// The slot of an upper bound that is [`Bound::OnGpu`]: a view of one element, which may lie in the buffer
    /// of `src` or `dst` but not in the output. `None` where the bound is not on the GPU.
    #[must_use]
    pub fn with_max(mut self, slot: impl Into<Option<View<'a>>>) -> Self {
        self.max = slot.into();
        self
    }

    /// The source.
    #[must_use]
    pub const fn src(&self) -> View<'a> {
        self.src
    }

    /// The destination.
    #[must_use]
    pub const fn dst(&self) -> View<'a> {
        self.dst
    }

    /// For a clamp, or for none where there is no channel: then dtypes are not known, and there is no element.
    pub(crate) fn check(&self, clamp: Option<&Clamp>) -> Result<(), Error> {
        let Some(clamp) = clamp else {
            for (argument, view) in self.views() {
                view.check(argument, "the clamp", view.dtype.unwrap_or(DType::U8))?;
            }
            return match self.slots().next() {
                Some((argument, _)) => Err(Error::UnexpectedSlot { argument }),
                None => Ok(()),
            };
        };
        for (argument, view) in self.views() {
            // One view that is both holds the source before.
            let source = (clamp.source_name(), clamp.source());
            let (of, dtype) = if argument == "dst" { ("the clamp", clamp.dtype()) } else { source };
            view.check(argument, of, dtype)?;
        }
        if self.is_one_view() && clamp.converts() {
            self.dst.check_buffer("src and dst", clamp.dtype())?;
        }
        self.check_slot("min", clamp.min(), self.min, clamp.dtype())?;
        self.check_slot("max", clamp.max(), self.max, clamp.dtype())
    }

    fn check_slot(
        &self,
        argument: &'static str,
        bound: Bound,
        slot: Option<View<'_>>,
        dtype: DType,
    ) -> Result<(), Error> {
        let slot = match (bound, slot) {
            (Bound::OnGpu, Some(slot)) => slot,
            (Bound::OnGpu, None) => return Err(Error::MissingSlot { argument }),
            (_, Some(_)) => return Err(Error::UnexpectedSlot { argument }),
            (_, None) => return Ok(()),
        };
        if slot.layout.len() != 1 {
            return Err(Error::SlotLength { argument, actual: slot.layout.len() });
        }
        slot.check(argument, "the clamp", dtype)?;
        if slot.buffer == self.dst.buffer {
            match views_overlap((&slot.layout, dtype.size()), (&self.dst.layout, dtype.size())) {
                Overlap::No => {}
                Overlap::Yes => return Err(Error::SlotInOutput { argument }),
                Overlap::Undecided => {
                    let (view, dst) = (slot.layout.into(), self.dst.layout.into());
                    return Err(Error::AliasUndecided { argument, view, dst });
                }
            }
        }
        Ok(())
    }

    /// The source and the destination by the names that errors give them; one where they are the same.
    pub(super) fn views(&self) -> impl Iterator<Item = (&'static str, View<'a>)> {
        let Self { src, dst, .. } = *self;
        let one = self.is_one_view();
        let both = [(if one { "src and dst" } else { "src" }, Some(src)), ("dst", (!one).then_some(dst))];
        both.into_iter().filter_map(|(argument, view)| Some((argument, view?)))
    }

    /// The slots that there are.
    pub(super) fn slots(&self) -> impl Iterator<Item = (&'static str, View<'a>)> {
        let both = [("min", self.min), ("max", self.max)];
        both.into_iter().filter_map(|(argument, slot)| Some((argument, slot?)))
    }

    /// For the log.
    pub(super) fn in_words(&self) -> String {
        let all = self.views().chain(self.slots()).map(|(name, view)| format!("{name} of {}", view.layout));
        all.collect::<Vec<_>>().join(", ")
    }

    fn is_one_view(&self) -> bool {
        let Self { src, dst, .. } = self;
        self.share_a_buffer() && src.layout == dst.layout && src.dtype == dst.dtype
    }

    pub(crate) fn share_a_buffer(&self) -> bool {
        self.src.buffer == self.dst.buffer
    }
}

impl<'a> From<(View<'a>, View<'a>)> for Operands<'a> {
    fn from((src, dst): (View<'a>, View<'a>)) -> Self {
        Self::new(src, dst)
    }
}
