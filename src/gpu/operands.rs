//! The operands of a call: buffers, and the places of elements in them.

use std::fmt;

use super::scope;
use crate::arithmetic::NUMBERS;
use crate::error::setter_of;
use crate::layout::overlap::{Overlap, views_overlap};
use crate::plan::{Range, SlotLayouts};
use crate::{Clamps, DType, Element, Error, Layout, Number};

/// A tensor in the program's buffer: the buffer, the dtype of its elements and their layout.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct View<'a> {
    buffer: &'a wgpu::Buffer,
    dtype: DType,
    layout: Layout,
}

impl<'a> View<'a> {
    /// Views the elements of a Rust type at `layout`. The buffer needs `wgpu::BufferUsages::STORAGE`, and `COPY_SRC` if
    /// the program copies results out of it.
    #[must_use]
    pub const fn of<T: Element>(buffer: &'a wgpu::Buffer, layout: Layout) -> Self {
        Self::new(buffer, T::DTYPE, layout)
    }

    /// Views the elements of `dtype` at `layout`, for a program that learns the dtype at run time. The buffer needs
    /// `wgpu::BufferUsages::STORAGE`.
    #[must_use]
    pub const fn new(buffer: &'a wgpu::Buffer, dtype: DType, layout: Layout) -> Self {
        Self { buffer, dtype, layout }
    }

    /// The buffer.
    #[must_use]
    pub const fn buffer(&self) -> &'a wgpu::Buffer {
        self.buffer
    }

    /// The dtype of the elements.
    #[must_use]
    pub const fn dtype(&self) -> DType {
        self.dtype
    }

    /// The layout of the elements in the buffer, in elements.
    pub const fn layout(&self) -> Layout {
        self.layout
    }

    /// The buffer's side of a copy between it and a texture, for wgpu's `copy_texture_to_buffer`, `copy_buffer_to_texture` and
    /// the like: the view's layout is one of [`Layout::texels`], of all components or some. Offset and bytes per row count
    /// bytes. The buffer needs `COPY_DST` or `COPY_SRC` too. Where the view leaves out rows or columns, the copy begins at its
    /// first texel: give wgpu the view's width and height as the size of the copy.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if the layout is not a texture's, or if its rows are not multiples of 256 bytes, as wgpu's
    /// copies need them.
    ///
    /// ```no_run
    /// # use wgpu_clamp::{DType, Error, Layout, View, wgpu};
    /// /// Copies an RGBA texture, and returns its three colours.
    /// fn copy<'a>(
    ///     encoder: &mut wgpu::CommandEncoder,
    ///     frame: &wgpu::Texture,
    ///     pixels: &'a wgpu::Buffer, // STORAGE and COPY_DST
    ///     bytes_per_row: u32,
    /// ) -> Result<View<'a>, Error> {
    ///     let rgba = Layout::texels([frame.width(), frame.height()], bytes_per_row, 4, DType::U8)?;
    ///     let rgb = View::of::<u8>(pixels, rgba.slice(0, 0..3)?);
    ///     encoder.copy_texture_to_buffer(frame.as_image_copy(), rgb.texel_copy()?, frame.size());
    ///     Ok(rgb)
    /// }
    /// ```
    pub fn texel_copy(&self) -> Result<wgpu::TexelCopyBufferInfo<'a>, Error> {
        let (offset, bytes_per_row) = self.layout.texel_rows(self.dtype)?;
        let bytes_per_row = Some(bytes_per_row);
        let layout = wgpu::TexelCopyBufferLayout { offset, bytes_per_row, rows_per_image: None };
        Ok(wgpu::TexelCopyBufferInfo { buffer: self.buffer, layout })
    }

    /// Refuses a buffer without `STORAGE` usage, or too small for the layout.
    fn check_buffer(&self, argument: &'static str) -> Result<(), Error> {
        let (needed, usage) = (wgpu::BufferUsages::STORAGE, self.buffer.usage());
        if !usage.contains(needed) {
            let value = format!("the buffer lacks {needed:?}; it was created with {usage:?}");
            return Err(Error::buffer(argument, value, "add the usage where the buffer is created"));
        }
        let (needed, size) = (self.layout.required_bytes(self.dtype), self.buffer.size());
        if needed > size {
            return Err(Error::too_small(argument, self.dtype, &self.layout, needed, size));
        }
        Ok(())
    }

    /// Whether wgpu refuses to bind the buffer.
    fn is_refused(&self, device: &wgpu::Device) -> bool {
        let probed = scope::catch(device, || {
            let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some("wgpu-clamp probe"),
                entries: &[wgpu::BindGroupLayoutEntry {
                    binding: 0,
                    visibility: wgpu::ShaderStages::COMPUTE,
                    ty: wgpu::BindingType::Buffer {
                        ty: wgpu::BufferBindingType::Storage { read_only: true },
                        has_dynamic_offset: false,
                        min_binding_size: None,
                    },
                    count: None,
                }],
            });
            // A word: the size of the buffer is not in question.
            let resource = bound(self.buffer, Range { offset: 0, size: 4 });
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("wgpu-clamp probe"),
                layout: &layout,
                entries: &[wgpu::BindGroupEntry { binding: 0, resource }],
            })
        });
        probed.is_err()
    }
}

/// The binding of a range of a buffer.
pub(super) fn bound(buffer: &wgpu::Buffer, range: Range) -> wgpu::BindingResource<'_> {
    wgpu::BindingResource::Buffer(wgpu::BufferBinding {
        buffer,
        offset: range.offset,
        size: wgpu::BufferSize::new(range.size),
    })
}

/// Dtype, layout and the buffer's size in bytes.
impl fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View")
            .field("dtype", &self.dtype)
            .field("layout", &self.layout)
            .field("bytes", &self.buffer.size())
            .finish_non_exhaustive()
    }
}

/// The dtypes and layouts of operands, without their buffers.
pub(super) struct Places {
    /// In the order of [`Operands::all`].
    views: [Option<(DType, Layout)>; 2 + NUMBERS],
    /// Whether src and dst lie in one buffer.
    in_one_buffer: bool,
    /// A view may be moved by multiples of this many bytes: the alignment of bindings.
    step: u64,
}

/// By how many bytes each view lies behind its place, in the order of [`Operands::all`].
pub(super) type Moves = [i64; 2 + NUMBERS];

impl fmt::Debug for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.views.iter().flatten()).finish()
    }
}

/// The views that a clamp reads and writes, and the slots of numbers that lie on the GPU.
///
/// Source and destination may lie in one buffer if they are the same view (in place) or share no byte.
///
/// A slot is a view of one element, or with [`Clamps::slots_along`] of one element per index of the axis: shape
/// `[extent]`, or a shape that broadcasts to the output's, as `[1, extent, 1, 1]`; any stride. It may lie in the buffer of `src` or `dst`, but not in the output.
///
/// `Operands` is plain data and `Copy`, so that one serves several calls. Its six layouts take nearly a kilobyte; passing it takes
/// about 50 ns of the 12 µs of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operands<'a> {
    pub(crate) src: View<'a>,
    pub(crate) dst: View<'a>,
    /// The slots in the order of `Clamp::numbers`.
    slots: [Option<View<'a>>; NUMBERS],
    label: Option<&'a str>,
}

impl<'a> Operands<'a> {
    /// Reads `src` and writes `dst`. The same view twice is [`in_place`](Self::in_place).
    #[must_use]
    pub const fn new(src: View<'a>, dst: View<'a>) -> Self {
        Self { src, dst, slots: [None; NUMBERS], label: None }
    }

    /// Replaces each element of `view` by its result. If the clamp converts, the view has the source's dtype.
    #[must_use]
    pub const fn in_place(view: View<'a>) -> Self {
        Self::new(view, view)
    }

    /// Sets the slot of a lower bound that is [`Number::OnGpu`], in the clamp's dtype. `None` for any other lower
    /// bound.
    #[must_use]
    pub fn with_min(mut self, slot: impl Into<Option<View<'a>>>) -> Self {
        self.slots[0] = slot.into();
        self
    }

    /// Sets the slot of an upper bound that is [`Number::OnGpu`], in the clamp's dtype. `None` for any other upper
    /// bound.
    #[must_use]
    pub fn with_max(mut self, slot: impl Into<Option<View<'a>>>) -> Self {
        self.slots[1] = slot.into();
        self
    }

    /// Sets the F32 slot of a scale that is [`Number::OnGpu`]. `None` for any other scale.
    #[must_use]
    pub fn with_scale(mut self, slot: impl Into<Option<View<'a>>>) -> Self {
        self.slots[2] = slot.into();
        self
    }

    /// Sets the F32 slot of a bias that is [`Number::OnGpu`]. `None` for any other bias.
    #[must_use]
    pub fn with_bias(mut self, slot: impl Into<Option<View<'a>>>) -> Self {
        self.slots[3] = slot.into();
        self
    }

    /// Names the call for debuggers and profilers: its compute pass ([`Clamper::encode`](crate::Clamper::encode)), a debug
    /// group in the caller's pass ([`Prepared::record`](crate::Prepared::record)), and its bind groups in wgpu's messages.
    #[must_use]
    pub const fn with_label(mut self, label: &'a str) -> Self {
        self.label = Some(label);
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

    /// Refuses buffers, dtypes and slots that do not suit the clamp. If the list of clamps is empty, there is no
    /// element.
    pub(crate) fn check(&self, clamps: Clamps<'_>) -> Result<(), Error> {
        let clamp = clamps.as_slice().first();
        if let Some(clamp) = clamp {
            if self.is_one_view() {
                // The view has the source's dtype, the bounds the destination's.
                clamp.check_dtypes(["src and dst"; 2], [self.src.dtype, clamp.dtype()])?;
                if clamp.source().size() != clamp.dtype().size() && !self.dst.layout.is_empty() {
                    return Err(Error::in_place_sizes("src and dst", clamp.source(), clamp.dtype()));
                }
            } else {
                clamp.check_dtypes(["src", "dst"], [self.src.dtype, self.dst.dtype])?;
            }
        }
        for (argument, view) in self.views() {
            view.check_buffer(argument)?;
        }
        let Some(clamp) = clamp else {
            return self.slots().next().map_or(Ok(()), |(argument, _)| Err(unexpected_slot(argument)));
        };
        let shape = self.dst.layout.shape();
        let axis = clamps.axis().filter(|axis| clamps.has_slots_along() && *axis < shape.len());
        let along = axis.map(|axis| (axis, shape[axis]));
        for ((argument, number), slot) in clamp.numbers().into_iter().zip(self.slots) {
            match (number, slot) {
                (Number::OnGpu, Some(slot)) => self.check_slot(argument, &slot, clamp.dtype(), along)?,
                (Number::OnGpu, None) => {
                    let value = "the number is `Number::OnGpu`, and there is no slot";
                    let remedy = format!("give the slot with `Operands::with_{argument}`");
                    return Err(Error::argument(argument, value, remedy));
                }
                (_, Some(_)) => return Err(unexpected_slot(argument)),
                (_, None) => {}
            }
        }
        Ok(())
    }

    /// Refuses a slot with a wrong shape, dtype or buffer, or that shares a byte with the output. `along`: the axis of
    /// the slots, and its extent.
    fn check_slot(
        &self,
        argument: &'static str,
        slot: &View<'_>,
        dtype: DType,
        along: Option<(usize, usize)>,
    ) -> Result<(), Error> {
        let shape = slot.layout.shape();
        if slot.layout.len() != 1 && !along.is_some_and(|(axis, _)| self.lies_along(axis, shape)) {
            let needed = match along {
                Some((axis, extent)) => {
                    let mut whole = vec![1; self.dst.layout.rank()];
                    whole[axis] = extent;
                    let whole = if whole.len() > 1 { format!(" or {whole:?}") } else { String::new() };
                    format!(", or [{extent}]{whole}, one for each index of axis {axis}")
                }
                None => "; `Clamps::slots_along` takes one for each index of an axis".to_owned(),
            };
            let remedy = format!("1 element is needed{needed}");
            return Err(Error::argument(argument, format!("the slot has shape {shape:?}"), remedy));
        }
        if matches!(argument, "scale" | "bias") && slot.dtype != DType::F32 {
            let value = format!("its slot is a view of {}", slot.dtype);
            return Err(Error::dtype(argument, value, "a scale or bias on the GPU is f32"));
        }
        if matches!(argument, "min" | "max") && slot.dtype != dtype {
            return Err(Error::dtype_of_clamp(
                argument,
                dtype,
                slot.dtype,
                &format!("view its slot as {dtype}"),
            ));
        }
        slot.check_buffer(argument)?;
        self.check_outside(argument, slot, dtype)
    }

    /// Whether a slot of this shape has one element for each index of an axis: the axis alone, or a shape that broadcasts
    /// to that of the output.
    fn lies_along(&self, axis: usize, slot: &[usize]) -> bool {
        let shape = self.dst.layout.shape();
        // NumPy aligns shapes at the last dimension.
        let missing = shape.len().checked_sub(slot.len());
        let broadcasts = missing.is_some_and(|missing| {
            let needed = |n| if n == axis { shape[axis] } else { 1 };
            missing <= axis && slot.iter().zip(missing..).all(|(extent, n)| *extent == needed(n))
        });
        *slot == [shape[axis]] || broadcasts
    }

    /// Refuses a slot that shares a byte with the output, whose elements are of `dtype`.
    fn check_outside(&self, argument: &'static str, slot: &View<'_>, dtype: DType) -> Result<(), Error> {
        if slot.buffer == self.dst.buffer {
            match views_overlap((&slot.layout, slot.dtype.size()), (&self.dst.layout, dtype.size())) {
                Overlap::No => {}
                Overlap::Yes => {
                    let remedy = "a slot must lie outside the output";
                    return Err(Error::overlap(argument, "the slot shares a byte with dst", remedy));
                }
                Overlap::Undecided => {
                    return Err(Error::alias_undecided(argument, argument, &slot.layout, &self.dst.layout));
                }
            }
        }
        Ok(())
    }

    /// The source and the destination with their names in errors; a single entry if they are the same view.
    pub(super) fn views(&self) -> impl Iterator<Item = (&'static str, View<'a>)> {
        let Self { src, dst, .. } = *self;
        let one = self.is_one_view();
        let both = [(if one { "src and dst" } else { "src" }, Some(src)), ("dst", (!one).then_some(dst))];
        both.into_iter().filter_map(|(argument, view)| Some((argument, view?)))
    }

    pub(super) fn slots(&self) -> impl Iterator<Item = (&'static str, View<'a>)> {
        self.all().into_iter().skip(2).filter_map(|(argument, slot)| Some((argument, slot?)))
    }

    /// All views with their names: `src`, `dst`, and the slots in the order of `Clamp::numbers`.
    fn all(&self) -> [(&'static str, Option<View<'a>>); 2 + NUMBERS] {
        let [min, max, scale, bias] = self.slots;
        [
            ("src", Some(self.src)),
            ("dst", Some(self.dst)),
            ("min", min),
            ("max", max),
            ("scale", scale),
            ("bias", bias),
        ]
    }

    /// The buffer of the view with this index in [`all`](Self::all).
    pub(super) fn buffer(&self, index: usize) -> &'a wgpu::Buffer {
        // A plan binds no other slot than those that are there.
        self.all()[index].1.unwrap_or(self.src).buffer
    }

    pub(super) const fn label(&self) -> Option<&'a str> {
        self.label
    }

    /// The places of the views on a device whose bindings begin at multiples of `step` bytes.
    pub(super) fn places(&self, step: u64) -> Places {
        let views = self.all().map(|(_, view)| view.map(|view| (view.dtype, view.layout)));
        Places { views, in_one_buffer: self.share_a_buffer(), step }
    }

    /// By how many bytes the views are moved from `places`.
    ///
    /// # Errors
    ///
    /// Those of [`Prepared::rebind`](crate::Prepared::rebind) for operands that a moved binding cannot take.
    pub(super) fn moves_from(&self, places: &Places) -> Result<Moves, Error> {
        const REMEDY: &str = "prepare the clamp anew for these operands";
        let one = self.is_one_view();
        let (step, mut moves) = (places.step, Moves::default());
        for (n, ((argument, view), place)) in self.all().into_iter().zip(&places.views).enumerate() {
            let argument = if one && n < 2 { "src and dst" } else { argument };
            match (view, place) {
                (None, None) => {}
                (Some(view), Some((dtype, layout))) => {
                    if view.dtype != *dtype {
                        let value = format!("{} is not the dtype that was prepared, {dtype}", view.dtype);
                        return Err(Error::dtype(argument, value, REMEDY));
                    }
                    let Some(distance) = view.layout.distance_from(layout) else {
                        let value = format!("{} is not the layout that was prepared, {layout}", view.layout);
                        return Err(Error::argument(argument, value, REMEDY));
                    };
                    let by = distance.saturating_mul(dtype.size() as i64);
                    if !by.unsigned_abs().is_multiple_of(step) {
                        let value = format!("it lies {by} bytes from the place that was prepared");
                        let remedy = format!("a multiple of {step} bytes is needed; or {REMEDY}");
                        return Err(Error::argument(argument, value, remedy));
                    }
                    moves[n] = by;
                    view.check_buffer(argument)?;
                }
                (Some(_), None) => {
                    return Err(Error::argument(argument, "there is a slot where none was prepared", REMEDY));
                }
                (None, Some(_)) => {
                    return Err(Error::argument(argument, "there is no slot where one was prepared", REMEDY));
                }
            }
        }
        if self.share_a_buffer() != places.in_one_buffer {
            let [now, before] =
                if places.in_one_buffer { ["two buffers", "one"] } else { ["one buffer", "two"] };
            let value = format!("they lie in {now}, but lay in {before} when the clamp was prepared");
            return Err(Error::argument("src, dst", value, REMEDY));
        }
        if places.in_one_buffer && moves[0] != moves[1] {
            let value = format!("in one buffer, src is moved by {} bytes and dst by {}", moves[0], moves[1]);
            return Err(Error::argument("src, dst", value, REMEDY));
        }
        // In a view that is both, the output's elements have the size of the source's.
        self.slots().try_for_each(|(argument, slot)| self.check_outside(argument, &slot, self.dst.dtype))?;
        Ok(moves)
    }

    /// Adds the operand's name to an error of wgpu. Binds each operand alone to find the one that wgpu refuses.
    pub(super) fn name_refused(&self, error: Error, device: &wgpu::Device) -> Error {
        let Error::Wgpu { reason } = &error else { return error };
        match self.views().chain(self.slots()).find(|(_, view)| view.is_refused(device)) {
            Some((argument, _)) => Error::Wgpu { reason: format!("{argument}: {reason}") },
            None => error,
        }
    }

    /// The layouts of the slots; `None` without any slot.
    pub(super) fn slot_layouts(&self) -> Option<SlotLayouts> {
        let any = self.slots.iter().any(Option::is_some);
        any.then(|| self.slots.map(|slot| slot.map(|view| view.layout.squeezed())))
    }

    /// Drops the axis of the clamps' slots if each slot has a single element.
    pub(super) fn without_slot_axis<'c>(&self, clamps: Clamps<'c>) -> Clamps<'c> {
        match clamps.as_slice() {
            [clamp] if clamps.has_slots_along() && self.slots().all(|(_, view)| view.layout.len() == 1) => {
                (*clamp).into()
            }
            _ => clamps,
        }
    }

    /// The operands' layouts, for the log.
    pub(super) fn described(&self) -> String {
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

/// The error of a slot for a number that is not on the GPU.
fn unexpected_slot(argument: &'static str) -> Error {
    Error::argument(
        argument,
        "there is a slot, but the number is not `Number::OnGpu`",
        format!("set the number to `Number::OnGpu` with `Clamp::{}`, or give no slot", setter_of(argument)),
    )
}
