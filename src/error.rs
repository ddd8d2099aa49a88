//! Everything that can go wrong, as one enum.

use std::ops::{Range, RangeInclusive};

use crate::standards::Standard;
use crate::standards::directml::FeatureLevel;
use crate::{DType, Layout};

/// Why a call was refused or failed.
///
/// Each message names the argument, its value and what would be right. An error found before submission
/// means that nothing was recorded and nothing written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A shape has more than 8 dimensions.
    #[error(
        "shape: rank {rank} is not supported; at most {} dimensions are (a packed tensor is also one of one dimension)",
        crate::layout::MAX_RANK
    )]
    Rank {
        /// The rank that was asked for.
        rank: usize,
    },
    /// Shape and strides differ in length.
    #[error("strides: {strides} given for a shape of rank {shape}; one stride per dimension is needed")]
    StrideRank {
        /// The rank of the shape.
        shape: usize,
        /// The number of strides.
        strides: usize,
    },
    /// A shape has more elements than `usize` counts.
    #[error("shape: {shape:?} has more elements than this platform can count")]
    ElementCount {
        /// The shape, in elements.
        shape: Vec<usize>,
    },
    /// A layout reaches an element before the start of its buffer, or beyond what `isize` counts.
    #[error(
        "layout: its elements lie at {lowest} to {highest}; they must lie between 0 and isize::MAX \
         ({} the offset, which counts elements, or shrink the strides)",
        if *lowest < 0 { "raise" } else { "lower" }
    )]
    AddressRange {
        /// The lowest element address, in elements.
        lowest: i128,
        /// The highest element address, in elements.
        highest: i128,
    },
    /// An axis that the layout does not have.
    #[error("axis: {axis} is out of range for a layout of rank {rank}")]
    Axis {
        /// The axis that was asked for.
        axis: usize,
        /// The layout's rank.
        rank: usize,
    },
    /// `permute` was given something other than each axis once.
    #[error("axes: {axes:?} is not a permutation of 0..{rank}; each axis must appear exactly once")]
    Permutation {
        /// The axes that were given.
        axes: Vec<usize>,
        /// The layout's rank.
        rank: usize,
    },
    /// A slice goes beyond its dimension or runs backwards.
    #[error(
        "range: {start}..{end} does not fit axis {axis} of extent {extent}; 0 <= start <= end <= extent is needed"
    )]
    SliceRange {
        /// The axis that was sliced.
        axis: usize,
        /// The start of the range, in elements.
        start: usize,
        /// The end of the range, exclusive, in elements.
        end: usize,
        /// The extent of the axis, in elements.
        extent: usize,
    },
    /// A slice with a step of zero.
    #[error("step: 0 on axis {axis}; a step is at least 1 (use `flip` to run backwards)")]
    SliceStep {
        /// The axis that was sliced.
        axis: usize,
    },
    /// `broadcast_to` was asked for a shape that the layout does not broadcast to.
    #[error(
        "shape: {from:?} does not broadcast to {to:?}; aligned at the last dimension, each extent must be 1 or equal"
    )]
    Broadcast {
        /// The layout's shape.
        from: Vec<usize>,
        /// The shape that was asked for.
        to: Vec<usize>,
    },
    /// An array's view is not of the memory that was given with it.
    #[error(
        "memory: its {len} elements do not hold the view of shape {shape:?} with strides {strides:?}, whose first element \
         lies {first} bytes from their start; give the memory of the array that the view is of"
    )]
    ViewOutside {
        /// The shape of the view, in elements.
        shape: Vec<usize>,
        /// The strides of the view, in elements.
        strides: Vec<isize>,
        /// From the start of the memory to the element with index 0 everywhere, in bytes.
        first: i128,
        /// The number of elements of the memory.
        len: usize,
    },
    /// A bound has bits beyond the width of its dtype.
    #[error(
        "{argument}: {bits:#x} has bits beyond the {} of {dtype}; give the element's bits, zero-extended \
         (`Bound::value` does, of a number of that type: a literal without a suffix is f64 or i32)",
        dtype.bits()
    )]
    BoundBits {
        /// `"min"` or `"max"`.
        argument: &'static str,
        /// The bits that were given.
        bits: u64,
        /// The clamp's dtype.
        dtype: DType,
    },
    /// Scale or bias is NaN or infinite.
    #[error("{argument}: {value} is not finite; the affine step takes finite numbers")]
    NonFinite {
        /// `"scale"` or `"bias"`.
        argument: &'static str,
        /// The value that was given.
        value: f64,
    },
    /// An f64 scale and bias for a dtype other than F64.
    #[error("scale, bias: {dtype} takes f32 numbers; use `with_affine`, or a clamp of dtype f64")]
    AffineDType {
        /// The clamp's dtype.
        dtype: DType,
    },
    /// A text is no name of a dtype.
    #[error(
        "dtype: {name:?} is unknown; give f32, f16, bf16, f64, i8, i16, i32, i64, u8, u16, u32 or u64, or a name like \
         float32"
    )]
    UnknownDType {
        /// The text.
        name: String,
    },
    /// A clamp was asked to convert between dtypes of which one does not.
    #[error(
        "source: {source_dtype} does not convert to {dtype}; any two of {} do{}",
        names(&DType::CONVERTIBLE), unchosen(*dtype, None)
    )]
    Conversion {
        /// The dtype of the source that was asked for.
        source_dtype: DType,
        /// The clamp's own dtype.
        dtype: DType,
    },
    /// There are not as many clamps as the axis of the channels is long.
    #[error("clamps: {clamps} given for axis {axis} of extent {extent}; one for each index is needed")]
    ChannelCount {
        /// The axis of the channels.
        axis: usize,
        /// How long it is.
        extent: usize,
        /// The number of clamps that were given.
        clamps: usize,
    },
    /// The clamp of a channel differs from that of channel 0 in what all have in common.
    #[error(
        "clamps: channel {channel} has {property} {actual}, channel 0 has {expected}; all channels agree in source and \
         destination dtype, order, NaN rule, precision and rounding"
    )]
    ChannelsDiffer {
        /// The first channel that differs.
        channel: usize,
        /// In what.
        property: &'static str,
        /// What channel 0 has.
        expected: String,
        /// What this one has.
        actual: String,
    },
    /// The clamp of a channel has a bound on the GPU.
    #[error(
        "clamps: {argument} of channel {channel} is `Bound::OnGpu`; bounds of channels are absent or values"
    )]
    ChannelBoundOnGpu {
        /// The channel.
        channel: usize,
        /// `"min"` or `"max"`.
        argument: &'static str,
    },
    /// The clamps of the channels take more room than a binding of the device has.
    #[error(
        "clamps: {channels} along axis {axis} take a table of {needed} bytes, but the device's {limit_name} allows {limit}; \
         split the tensor along that axis, or create the device with its adapter's limits"
    )]
    ChannelTable {
        /// The axis whose indices are the channels.
        axis: usize,
        /// How many there are.
        channels: usize,
        /// The size of the table in bytes.
        needed: u64,
        /// The name of the limit in `wgpu::Limits`.
        limit_name: &'static str,
        /// What the device allows, in bytes.
        limit: u64,
    },
    /// In place between elements of different sizes.
    #[error(
        "src, dst: {source_dtype} to {dtype} in place; source and destination elements of one size are needed, \
         else views that share no byte, or two buffers"
    )]
    InPlaceSizes {
        /// The dtype of the source.
        source_dtype: DType,
        /// The dtype of the destination.
        dtype: DType,
    },
    /// A standard, in the version asked for, has no clamp of that dtype.
    #[error("dtype: {dtype} is not in {standard}; it takes {}{}", names(allowed), standard.since(*dtype))]
    DTypeNotInStandard {
        /// The standard and its version.
        standard: Standard,
        /// The dtype that was asked for.
        dtype: DType,
        /// The dtypes that it has.
        allowed: &'static [DType],
    },
    /// A standard, in the version asked for, has no clamp of tensors of that rank.
    #[error("sizes: {rank} dimensions are not in {standard}; it takes {}", span(allowed))]
    RankNotInStandard {
        /// The standard and its version.
        standard: Standard,
        /// The number of dimensions of the tensor.
        rank: usize,
        /// The numbers of dimensions that it has.
        allowed: RangeInclusive<usize>,
    },
    /// A `DirectML` operator is newer than the feature level asked for.
    #[error("level: {operator} is not in DirectML feature level {level}; it is since {since}")]
    OperatorNotInLevel {
        /// `DirectML`'s name of the operator.
        operator: &'static str,
        /// The level that was asked for.
        level: FeatureLevel,
        /// The level that introduced it.
        since: FeatureLevel,
    },
    /// A bound is NaN where a standard's text or its implementation requires a number.
    #[error("{argument}: NaN is no bound of {standard}; give a number, or ±infinity for none")]
    NanBound {
        /// The standard and its version.
        standard: Standard,
        /// `"min"` or `"max"`.
        argument: &'static str,
    },
    /// `min > max` where a standard's text forbids it, or its implementation refuses it.
    #[error("min, max: {min} is more than {max}; {standard} requires min <= max{}", standard.not_in_text())]
    CrossedBounds {
        /// The standard and its version.
        standard: Standard,
        /// The lower bound that was given.
        min: f64,
        /// The upper bound that was given.
        max: f64,
    },
    /// ONNX Clip was given inputs where its version has attributes, or the reverse.
    #[error("bounds: {standard} takes no {given}; opsets 1 to 10 take attributes, 11 and later take inputs")]
    BoundsKind {
        /// The standard and its version.
        standard: Standard,
        /// `"attributes"` or `"inputs"`.
        given: &'static str,
    },
    /// A version of the ONNX operator set that does not exist.
    #[error("opset: {opset} is no version of the ONNX operator set; they begin at 1")]
    Opset {
        /// The version that was asked for.
        opset: u32,
    },
    /// Source and destination differ in shape.
    #[error(
        "dst: its shape {dst:?} differs from that of src, {src:?}; they must be equal (see `permute`, `broadcast_to`)"
    )]
    ShapeMismatch {
        /// The shape of the source, in elements.
        src: Vec<usize>,
        /// The shape of the destination, in elements.
        dst: Vec<usize>,
    },
    /// An argument is of another dtype than the clamp, or than the tensor that it belongs to.
    #[error(
        "{argument}: {actual} is not the dtype of {of}, {expected}; they must be equal{}",
        if *of == "the clamp" { dtype_remedy(argument, *expected, *actual) } else { String::new() }
    )]
    DTypeMismatch {
        /// Which argument: `"src and dst"` for a view that is both.
        argument: &'static str,
        /// Whose dtype is needed: `"the clamp"`, `"the clamp's source"`, `"the tensor"` or another argument.
        of: &'static str,
        /// The dtype needed.
        expected: DType,
        /// The dtype of the argument.
        actual: DType,
    },
    /// The length of a slice does not match the shape, or the other slice.
    #[error("{argument}: {actual} {unit} given, {expected} needed")]
    Length {
        /// Which argument.
        argument: &'static str,
        /// What the lengths count: `"elements"` or `"bytes"`.
        unit: &'static str,
        /// The length needed.
        expected: usize,
        /// The length given.
        actual: usize,
    },
    /// Two indices of an output layout share an element.
    #[error(
        "dst: two indices of shape {shape:?} with strides {strides:?} share an element; an output must not overlap itself \
         (broadcasts and sliding windows are for src)"
    )]
    OutputOverlap {
        /// The shape of the output, in elements.
        shape: Vec<usize>,
        /// The strides of the output, in elements.
        strides: Vec<isize>,
    },
    /// The search for two indices on one element ended without an answer.
    #[error(
        "dst: could not decide whether two indices of shape {shape:?} with strides {strides:?} share an element; \
         nested strides (each at least the span of the smaller ones) are decided at once"
    )]
    OverlapUndecided {
        /// The shape of the output, in elements.
        shape: Vec<usize>,
        /// The strides of the output, in elements.
        strides: Vec<isize>,
    },
    /// Source and destination share bytes of one buffer without being the same view.
    #[error(
        "src, dst: the two views share bytes of one buffer but are not the same view; \
         src has {}, dst has {}; use {}disjoint layouts, or two buffers",
        in_bytes(src, *source_dtype), in_bytes(dst, *dtype),
        if source_dtype.size() == dtype.size() { "equal layouts (in place), " } else { "" }
    )]
    PartialAlias {
        /// The layout of the source.
        src: Box<Layout>,
        /// The dtype of the source.
        source_dtype: DType,
        /// The layout of the destination.
        dst: Box<Layout>,
        /// The dtype of the destination.
        dtype: DType,
    },
    /// The search for a byte shared by the destination and another view ended without an answer.
    #[error(
        "{argument}, dst: could not decide whether the two views of one buffer share bytes; \
         {argument} has {view}, dst has {dst}; use separate ranges, or two buffers"
    )]
    AliasUndecided {
        /// The other view: `"src"`, `"min"` or `"max"`.
        argument: &'static str,
        /// The layout of the other view.
        view: Box<Layout>,
        /// The layout of the destination.
        dst: Box<Layout>,
    },
    /// A bound is on the GPU, but the operands name no slot for it.
    #[error(
        "{argument}: the clamp's bound is `Bound::OnGpu`; give its slot with `Operands::with_{argument}`"
    )]
    MissingSlot {
        /// `"min"` or `"max"`.
        argument: &'static str,
    },
    /// The operands name a slot for a bound that is not on the GPU.
    #[error(
        "{argument}: a slot is given, but the clamp's bound is not `Bound::OnGpu`; make it so with `Clamp::with_bounds`, \
         or give no slot"
    )]
    UnexpectedSlot {
        /// `"min"` or `"max"`.
        argument: &'static str,
    },
    /// A call that takes no slots was given a clamp with a bound on the GPU: one of the CPU reference, or of host memory.
    #[error(
        "{argument}: the bound lies on the GPU, and this call takes no slot for it; give its value with \
         `Clamp::with_bounds`, or clamp a tensor on the GPU with `Operands::with_{argument}`"
    )]
    BoundOnGpu {
        /// `"min"` or `"max"`.
        argument: &'static str,
    },
    /// The slot of a bound is not one element.
    #[error("{argument}: the slot of a bound is 1 element, this view has {actual}")]
    SlotLength {
        /// `"min"` or `"max"`.
        argument: &'static str,
        /// The number of elements in the view.
        actual: usize,
    },
    /// The slot of a bound is an element of the output.
    #[error("{argument}: the slot of the bound is an element of dst; it must lie outside the output")]
    SlotInOutput {
        /// `"min"` or `"max"`.
        argument: &'static str,
    },
    /// A layout reaches beyond its buffer.
    #[error(
        "{argument}: {dtype} elements of {layout} need a buffer of {needed} bytes, this one has {actual} ({}){}",
        if bytes_of(layout, *dtype).end <= (*actual).into() { "storage buffers are whole 4-byte words" }
        else { "shape, strides and offset count elements" },
        unchosen(*dtype, None)
    )]
    BufferTooSmall {
        /// `"src"`, `"dst"`, `"src and dst"` for a view that is both, `"min"` or `"max"`; `"bytes"` where
        /// [`reference::apply_in_place`](crate::reference::apply_in_place) takes them.
        argument: &'static str,
        /// The dtype of the buffer's elements: the clamp's source for `"src"`, else the clamp's.
        dtype: DType,
        /// Where the elements would lie.
        layout: Box<Layout>,
        /// The bytes needed; on the GPU a multiple of 4.
        needed: u64,
        /// The size of the buffer in bytes.
        actual: u64,
    },
    /// A buffer was created without a usage that is needed.
    #[error("{argument}: the buffer lacks {needed:?}; it was created with {actual:?}")]
    MissingUsage {
        /// `"src"`, `"dst"`, `"src and dst"` for a view that is both, `"min"` or `"max"`.
        argument: &'static str,
        /// The usage needed.
        needed: wgpu::BufferUsages,
        /// The usages that the buffer was created with.
        actual: wgpu::BufferUsages,
    },
    /// A tensor is larger than a buffer of the device can be, or than host memory.
    #[error(
        "{argument}: {needed} {unit} needed, but the device's {limit_name} allows {limit}; use several tensors"
    )]
    TooLarge {
        /// Which argument.
        argument: &'static str,
        /// What would be needed.
        needed: u64,
        /// `"bytes"` or another unit.
        unit: &'static str,
        /// The name of the limit in `wgpu::Limits`.
        limit_name: &'static str,
        /// What the device allows.
        limit: u64,
    },
    /// A tensor takes more windows than a plan may have, since the device's bindings or grids are too small for it.
    #[error(
        "dst: its layouts need {windows} windows, {limit} are allowed; axis {axis} is to blame, with this device's \
         max_storage_buffer_binding_size of {max_binding_size} and max_compute_workgroups_per_dimension of \
         {max_workgroups_per_dimension}: create the device with its adapter's limits, split the tensor along it, or lay it out so that neighbours along it \
         are closer"
    )]
    TooManyWindows {
        /// The axis along which the tensor takes the most windows.
        axis: usize,
        /// The windows needed.
        windows: usize,
        /// The windows allowed.
        limit: usize,
        /// The largest storage buffer binding of the device, in bytes.
        max_binding_size: u64,
        /// The most workgroups along x or y.
        max_workgroups_per_dimension: u32,
    },
    /// The device lacks a limit that every kernel needs.
    #[error(
        "device: its {limit_name} is {limit}, but {needed} is needed; `wgpu::Limits::downlevel_defaults()` suffices"
    )]
    DeviceLimit {
        /// The name of the limit in `wgpu::Limits`.
        limit_name: &'static str,
        /// What is needed.
        needed: u64,
        /// What the device allows.
        limit: u64,
    },
    /// The caller's progress function ended the run.
    #[error("stopped by the progress function")]
    Stopped,
    /// No adapter was found, or none that the environment variables allow.
    #[error("no adapter: {reason}")]
    NoAdapter {
        /// What was asked for and what there was.
        reason: String,
    },
    /// The adapter gave no device.
    #[error("no device: {reason}")]
    NoDevice {
        /// What wgpu said.
        reason: String,
    },
    /// The device was lost or destroyed.
    #[error("the device was lost: {reason}")]
    DeviceLost {
        /// How it showed.
        reason: String,
    },
    /// The device had no memory for one of the crate's own objects.
    #[error("out of memory: {reason}")]
    OutOfMemory {
        /// What wgpu said.
        reason: String,
    },
    /// Results could not be copied back to the host.
    #[error("readback failed: {reason}")]
    Readback {
        /// What wgpu said or did.
        reason: String,
    },
    /// A stream of host data failed after a part of it was written.
    #[error("only elements {}..{} were written: {source}", valid.start, valid.end)]
    PartlyWritten {
        /// The elements of the slice that are results. The others are as they were.
        valid: Range<usize>,
        /// What failed.
        source: Box<Error>,
    },
    /// wgpu refused what the crate asked of it: because a buffer is destroyed, mapped or of another device, because the
    /// device is lost, or because of a bug of the crate or of a driver.
    #[error("wgpu refused: {reason}")]
    Internal {
        /// What wgpu said.
        reason: String,
    },
}

/// What to do about a view of another dtype than the clamp's.
fn dtype_remedy(argument: &str, dtype: DType, actual: DType) -> String {
    let literals = unchosen(dtype, Some(actual));
    let converts = [dtype, actual].iter().all(|dtype| DType::CONVERTIBLE.contains(dtype));
    if literals.is_empty() && ["src", "dst"].contains(&argument) && converts {
        return ", or the clamp converts: its dtype is that of dst, `Clamp::with_source` takes that of src"
            .to_owned();
    }
    literals
}

/// The bytes from the first element of a layout to the last.
fn bytes_of(layout: &Layout, dtype: DType) -> Range<u128> {
    let size = dtype.size() as u128;
    layout.span().map_or(0..0, |(low, high)| low as u128 * size..(high as u128 + 1) * size)
}

/// Where the elements of a layout lie.
fn in_bytes(layout: &Layout, dtype: DType) -> String {
    let bytes = bytes_of(layout, dtype);
    format!("{dtype} elements of {layout} (bytes {}..{})", bytes.start, bytes.end)
}

/// What to say where a clamp's dtype does not fit and may be one that nobody chose: a clamp has the type of its bounds,
/// and literals have one without saying so. `actual` is the dtype that it should have been, where that is known.
fn unchosen(dtype: DType, actual: Option<DType>) -> String {
    if !matches!(dtype, DType::F64 | DType::I32) {
        return String::new();
    }
    let default = if dtype == DType::F64 { DType::F32 } else { DType::U8 };
    let wanted = actual.unwrap_or(default);
    let bounds = match wanted {
        DType::F16 | DType::BF16 => format!("{wanted}::from_f32(0.0), {wanted}::from_f32(6.0)"),
        DType::F32 | DType::F64 => format!("0.0_{wanted}, 6.0"),
        _ => format!("0_{wanted}, 6"),
    };
    format!(
        "; was {dtype} meant? Bounds without a suffix make a clamp of it: `Clamp::new({bounds})` is one of {wanted}"
    )
}

fn names(dtypes: &[DType]) -> String {
    dtypes.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().join(", ")
}

fn span(ranks: &RangeInclusive<usize>) -> String {
    let (least, most) = (ranks.start(), ranks.end());
    if least == most { most.to_string() } else { format!("{least} to {most}") }
}
