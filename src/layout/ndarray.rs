//! Arrays of `ndarray`: a view becomes a layout, and a layout becomes a view.

use ndarray::{ArrayRef, ArrayViewD, Axis, Dimension, IxDyn, ShapeBuilder};

use super::uncountable;
use crate::{Element, Error, Layout};

/// With the feature `ndarray`.
impl Layout {
    /// The layout of a view within its array's memory: the view's shape and strides, and the offset of its first
    /// element from the start of `memory`.
    ///
    /// `memory` is the result of [`ArrayRef::as_slice_memory_order`] for the view's array, whose axes may be in any
    /// order. The view may be that array or any part of it: transposed, reversed, sliced with gaps, broadcast. So the
    /// memory goes to the GPU in one piece, without a host copy to standard layout.
    ///
    /// If only the view is at hand, its own `as_slice_memory_order` gives the memory, in any order of the axes, as long
    /// as the view has no gaps and no repeated elements. Otherwise safe code cannot reach the memory: give the array's
    /// memory, or copy by [`ArrayRef::as_standard_layout`].
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] above rank 8, or if an element of the view is not in `memory`.
    ///
    /// ```
    /// use wgpu_clamp::{Clamp, Layout, ndarray, reference};
    ///
    /// let mut pixels = ndarray::array![[[1_u8, 20, 3], [4, 50, 6]], [[7, 80, 9], [10, 110, 12]]];
    /// // The second channel, from right to left. As a borrow of the array, the view ends here.
    /// let view = pixels.slice(ndarray::s![.., ..;-1, 1]);
    /// let memory = pixels.as_slice_memory_order().expect("an array's memory is in one piece");
    /// let channel = Layout::of_view(memory, &view)?;
    /// assert_eq!((channel.shape(), channel.strides(), channel.offset()), (&[2, 2][..], &[6, -3][..], 4));
    ///
    /// let memory = pixels.as_slice_memory_order_mut().expect("an array's memory is in one piece");
    /// reference::apply_in_place(&Clamp::at_most(60_u8), &channel, memory)?;
    /// assert_eq!(pixels, ndarray::array![[[1, 20, 3], [4, 50, 6]], [[7, 60, 9], [10, 60, 12]]]);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn of_view<A: Element, D: Dimension>(memory: &[A], view: &ArrayRef<A, D>) -> Result<Self, Error> {
        let (shape, strides) = (view.shape(), view.strides());
        if view.is_empty() {
            return Self::strided(shape, strides, 0);
        }
        let first = view.as_ptr().addr() as i128 - memory.as_ptr().addr() as i128;
        let outside = || {
            let value = format!(
                "its {} elements do not hold the view of shape {shape:?} with strides {strides:?}, whose first element \
                 lies {first} bytes from their start",
                memory.len()
            );
            Error::argument("memory", value, "give the memory of the view's array")
        };
        let size = size_of::<A>() as i128;
        if first % size != 0 {
            return Err(outside());
        }
        let offset = usize::try_from(first / size).map_err(|_| outside())?;
        let layout = Self::counted(shape, strides, offset)?.addressable().map_err(|_| outside())?;
        let inside = layout.span().is_some_and(|(_, highest)| highest < memory.len());
        if inside { Ok(layout) } else { Err(outside()) }
    }

    /// A view of this layout's elements in `memory`, for example in data that was read back from the GPU.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if the layout reaches beyond `memory`, or if the product of the nonzero extents exceeds
    /// `isize::MAX`, ndarray's limit.
    ///
    /// ```
    /// use wgpu_clamp::{Layout, ndarray};
    ///
    /// let read = [1_u8, 2, 3, 4, 5, 6];
    /// let columns = Layout::packed(&[2, 3])?.permute(&[1, 0])?.flip(0)?;
    /// assert_eq!(columns.array_view(&read)?, ndarray::array![[3, 6], [2, 5], [1, 4]].into_dyn());
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn array_view<'a, A: Element>(&self, memory: &'a [A]) -> Result<ArrayViewD<'a, A>, Error> {
        let (lowest, end) = self.span().map_or((0, 0), |(lowest, highest)| (lowest, highest + 1));
        if memory.len() < end {
            return Err(Error::length("memory", "element", end, memory.len()));
        }
        // A stride that no two elements use may have any value in a layout, but ndarray checks it, so it becomes 0.
        let leads = |extent| extent > 1 && !self.is_empty();
        let dimensions = || self.shape().iter().zip(self.strides());
        let strides: Vec<_> = dimensions()
            .map(|(&extent, stride)| if leads(extent) { stride.unsigned_abs() } else { 0 })
            .collect();
        let upwards = IxDyn(self.shape()).strides(IxDyn(&strides));
        let mut view =
            ArrayViewD::from_shape(upwards, &memory[lowest..]).map_err(|_| uncountable(self.shape()))?;
        for (axis, (&extent, &stride)) in dimensions().enumerate() {
            if leads(extent) && stride < 0 {
                view.invert_axis(Axis(axis));
            }
        }
        Ok(view)
    }
}
