//! Buffers and where the elements lie in them: the operands of a call.

use crate::{DType, Error, Layout};

/// A tensor in a buffer of the caller.
///
/// The dtype is that of the [`Clamp`](crate::Clamp); a buffer has none.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The buffer. It needs `wgpu::BufferUsages::STORAGE`.
    pub buffer: &'a wgpu::Buffer,
    /// Where the elements lie in it, in elements.
    pub layout: Layout,
}

impl<'a> View<'a> {
    /// The elements of `buffer` at `layout`.
    #[must_use]
    pub const fn new(buffer: &'a wgpu::Buffer, layout: Layout) -> Self {
        Self { buffer, layout }
    }

    fn check(&self, argument: &'static str, dtype: DType) -> Result<(), Error> {
        let (needed, actual) = (wgpu::BufferUsages::STORAGE, self.buffer.usage());
        if !actual.contains(needed) {
            return Err(Error::MissingUsage { argument, needed, actual });
        }
        let (needed, actual) = (self.layout.required_bytes(dtype), self.buffer.size());
        if needed > actual {
            return Err(Error::BufferTooSmall { argument, needed, actual });
        }
        Ok(())
    }
}

/// The views that a clamp reads and writes.
///
/// A pair of views converts into it: `(src, dst).into()`. The two may lie in one buffer, if they are the
/// same (in place) or share no element.
#[derive(Clone, Copy, Debug)]
pub struct Operands<'a> {
    pub(crate) src: View<'a>,
    pub(crate) dst: View<'a>,
}

impl<'a> Operands<'a> {
    /// From `src` to `dst`.
    #[must_use]
    pub const fn new(src: View<'a>, dst: View<'a>) -> Self {
        Self { src, dst }
    }

    /// Each element of `view` is replaced by its result.
    #[must_use]
    pub const fn in_place(view: View<'a>) -> Self {
        Self { src: view, dst: view }
    }

    pub(crate) fn check(&self, dtype: DType) -> Result<(), Error> {
        self.src.check("src", dtype)?;
        self.dst.check("dst", dtype)
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
