//! The crate's errors, sorted by what a caller does about them.

use std::fmt;
use std::ops::Range;

use crate::standards::Standard;
use crate::{DType, Layout};

/// The reason why a call was refused or failed.
///
/// Each variant calls for one reaction of the program. An error found before submission means that nothing was
/// recorded and nothing written. Variants with a `reason` alone keep that shape: a program that opens devices itself makes
/// some of them too.
///
/// Errors are `Clone`, `Eq`, `Send` and `Sync` on every platform. wgpu's are not, so `reason` keeps their words, causes
/// included, and only [`PartlyWritten`](Self::PartlyWritten) has a [`source`](std::error::Error::source).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument is malformed, or does not fit another one: correct the call.
    #[error("{0}")]
    Argument(Refusal),
    /// A dtype is not the one needed, or does not convert: give the elements' own dtype, or convert them elsewhere.
    #[error("{0}")]
    DType(Refusal),
    /// The destination shares, or may share, elements with itself or bytes with another operand: use disjoint layouts,
    /// or one more buffer.
    #[error("{0}")]
    Overlap(Refusal),
    /// A buffer is too small, or lacks a usage: create the buffer anew.
    #[error("{0}")]
    Buffer(Refusal),
    /// A standard has no such operator: reject the model, or make the clamp with [`Clamp::new`](crate::Clamp::new).
    #[error("{refusal}")]
    #[non_exhaustive]
    Standard {
        /// The standard and its version.
        standard: Standard,
        /// The argument that the standard refuses.
        refusal: Refusal,
    },
    /// The tensor or its clamps exceed a limit: create the device with its adapter's limits, or split the tensor.
    #[error("{argument}: {limit_name} is {limit}, but {needed} is needed; {remedy}")]
    #[non_exhaustive]
    Limit {
        /// The argument that exceeds the limit; `"device"` where `wgpu::Limits::downlevel_defaults()` would suffice.
        argument: &'static str,
        /// The amount needed: bytes if the limit is a size, else windows, workgroups or whatever wgpu counts.
        needed: u64,
        /// The name in `wgpu::Limits`, `"max_windows"` for a plan, or `"usize::MAX"`, the most bytes of host memory.
        limit_name: &'static str,
        /// The limit.
        limit: u64,
        /// The change that helps.
        remedy: String,
    },
    /// There is no adapter, or the adapter gives no device: use the CPU [`reference`](mod@crate::reference).
    #[error("no device: {reason}")]
    NoDevice {
        /// The adapter or device asked for, and wgpu's answer.
        reason: String,
    },
    /// The device is lost or destroyed: open another one.
    #[error("the device was lost: {reason}")]
    DeviceLost {
        /// The likely cause, or the sign of the loss.
        reason: String,
    },
    /// The device has no memory for an object of the crate: free buffers, or use smaller tensors.
    #[error("out of memory: {reason}")]
    OutOfMemory {
        /// wgpu's message.
        reason: String,
    },
    /// wgpu refused a call or failed in it. Usually a buffer is destroyed, mapped or of another device, or the system
    /// has no thread for a read. Otherwise the crate or the driver has a bug.
    #[error("wgpu: {reason}")]
    Wgpu {
        /// The message, usually wgpu's.
        reason: String,
    },
    /// The progress function of the program ended the run.
    #[error("stopped by the progress function")]
    Stopped,
    /// A stream of host data failed after a part of the slice was written: go on after that part, or repeat all.
    #[error("only elements {}..{} were written", valid.start, valid.end)]
    #[non_exhaustive]
    PartlyWritten {
        /// The elements of the slice that are results. The others are unchanged.
        valid: Range<usize>,
        /// The error that ended the stream.
        source: Box<Error>,
    },
}

/// A refused argument: its name, its value, and the correction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// The argument's name; two names, as `"src, dst"`, if two arguments do not fit each other. A view that is both
    /// source and destination is `"src and dst"`; host memory that is both is `"bytes"` or `"slice"`.
    pub argument: &'static str,
    /// The value that was given, and its fault.
    pub value: String,
    /// The correction, or the rule that the value breaks.
    pub remedy: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { argument, value, remedy } = self;
        write!(f, "{argument}: {value}; {remedy}")
    }
}

fn refusal(argument: &'static str, value: impl Into<String>, remedy: impl Into<String>) -> Refusal {
    Refusal { argument, value: value.into(), remedy: remedy.into() }
}

impl Error {
    pub(crate) fn argument(name: &'static str, value: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Argument(refusal(name, value, remedy))
    }

    /// Refuses a number that a dtype does not have.
    pub(crate) fn number(dtype: DType, value: &str) -> Self {
        let remedy = if dtype.is_float() {
            format!("a number within the finite range of {dtype} is needed, or an infinity or NaN")
        } else {
            let (lowest, highest) = dtype.integer_range();
            format!("an integer from {lowest} to {highest} is needed")
        };
        Self::argument("value", format!("{value} is no number of {dtype}"), remedy)
    }

    pub(crate) fn dtype(name: &'static str, value: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::DType(refusal(name, value, remedy))
    }

    pub(crate) fn overlap(name: &'static str, value: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Overlap(refusal(name, value, remedy))
    }

    pub(crate) fn buffer(name: &'static str, value: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Buffer(refusal(name, value, remedy))
    }

    pub(crate) fn standard(
        standard: Standard,
        argument: &'static str,
        value: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self::Standard { standard, refusal: refusal(argument, value, remedy) }
    }

    pub(crate) fn length(argument: &'static str, unit: &str, needed: usize, given: usize) -> Self {
        Self::count(argument, unit, given, format!("{needed} needed"))
    }

    /// Refuses a wrong count. `unit` is in the singular.
    pub(crate) fn count(argument: &'static str, unit: &str, given: usize, remedy: String) -> Self {
        let plural = if given == 1 { "" } else { "s" };
        Self::argument(argument, format!("{given} {unit}{plural} given"), remedy)
    }

    pub(crate) fn dtype_of_clamp(argument: &'static str, needed: DType, given: DType, remedy: &str) -> Self {
        Self::dtype(argument, format!("{given} is not the dtype of the clamp, {needed}"), remedy)
    }

    pub(crate) fn dtype_of_source(argument: &'static str, needed: DType, given: DType, remedy: &str) -> Self {
        Self::dtype(argument, format!("{given} is not the dtype of the clamp's source, {needed}"), remedy)
    }

    pub(crate) fn axis(axis: usize, rank: usize) -> Self {
        let value = format!("{axis} is out of range for a layout of rank {rank}");
        Self::argument("axis", value, "axes count from 0")
    }

    pub(crate) fn shapes(src: &[usize], dst: &[usize]) -> Self {
        let value = format!("its shape {dst:?} differs from that of src, {src:?}");
        Self::argument("dst", value, "they must be equal (see `permute`, `broadcast_to`)")
    }

    pub(crate) fn in_place_sizes(argument: &'static str, source: DType, dtype: DType) -> Self {
        let remedy = "source and destination elements of one size are needed, else views that share no byte, \
                      or two buffers";
        Self::overlap(argument, format!("{source} to {dtype} in place"), remedy)
    }

    /// Refuses a buffer, or a slice in its place, that ends before the last element of a layout.
    pub(crate) fn too_small(
        argument: &'static str,
        dtype: DType,
        layout: &Layout,
        needed: u64,
        given: u64,
    ) -> Self {
        let value =
            format!("{dtype} elements of {layout} need a buffer of {needed} bytes, this one has {given}");
        let words = bytes_of(layout, dtype).end <= given.into();
        let remedy = if words {
            "storage buffers are whole 4-byte words"
        } else {
            "shape, strides and offset count elements"
        };
        Self::buffer(argument, value, remedy)
    }

    /// Refuses two views of one buffer: the search for a shared byte ended without an answer.
    pub(crate) fn alias_undecided(argument: &'static str, name: &str, view: &Layout, dst: &Layout) -> Self {
        let value = format!(
            "could not decide whether {name} and dst share bytes of their buffer; {name} has {view}, dst has {dst}"
        );
        Self::overlap(argument, value, "use separate ranges, or two buffers")
    }

    /// Refuses a number on the GPU in a call that takes no slots: of the reference, or on host memory.
    pub(crate) fn number_on_gpu(argument: &'static str) -> Self {
        let setter = setter_of(argument);
        let remedy = format!(
            "give its value with `Clamp::{setter}`, or clamp a tensor on the GPU with `Operands::with_{argument}`"
        );
        Self::argument(argument, "the number is `Number::OnGpu`, and this call takes no slot", remedy)
    }

    pub(crate) fn affine_on_gpu(argument: &'static str, source: DType, dtype: DType) -> Self {
        let those: Vec<_> = DType::ALL.iter().copied().filter(|dtype| dtype.takes_affine_on_gpu()).collect();
        let remedy = format!("give its value, or clamp to one of {}", names(&those));
        Self::dtype(
            argument,
            format!("it is `Number::OnGpu`, which a clamp from {source} to {dtype} does not take"),
            remedy,
        )
    }

    /// Refuses a device whose limits are too small for calls in general.
    pub(crate) fn device_limit(limit_name: &'static str, needed: u64, limit: u64) -> Self {
        let remedy = "`wgpu::Limits::downlevel_defaults()` suffices".to_owned();
        Self::Limit { argument: "device", needed, limit_name, limit, remedy }
    }
}

pub(crate) fn setter_of(number: &str) -> &'static str {
    if matches!(number, "min" | "max") { "with_bounds" } else { "with_affine" }
}

/// The bytes from the first element of a layout to the last.
fn bytes_of(layout: &Layout, dtype: DType) -> Range<u128> {
    let size = dtype.size() as u128;
    layout.span().map_or(0..0, |(low, high)| low as u128 * size..(high as u128 + 1) * size)
}

/// For messages: a layout, and the bytes that its elements span.
pub(crate) fn in_bytes(layout: &Layout, dtype: DType) -> String {
    let bytes = bytes_of(layout, dtype);
    format!("{dtype} elements of {layout} (bytes {}..{})", bytes.start, bytes.end)
}

pub(crate) fn names(dtypes: &[DType]) -> String {
    dtypes.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().join(", ")
}
