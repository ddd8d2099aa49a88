//! Asserts the errors of refused calls, and makes the messages that several tests expect.

use wgpu_clamp::{DType, Error};

/// Asserts the variant and the whole message of an error.
#[track_caller]
pub fn assert_refused<T>(result: Result<T, Error>, variant: &str, message: impl AsRef<str>) {
    let Err(error) = result else { panic!("not refused: {}", message.as_ref()) };
    assert_eq!(error.to_string(), message.as_ref());
    // `Debug` begins with the variant.
    assert!(format!("{error:?}").starts_with(variant), "{error:?}");
}

/// The message for an argument that does not have the clamp's dtype.
pub fn of_clamp(argument: &str, given: DType, dtype: DType) -> String {
    format!(
        "{argument}: {given} is not the dtype of the clamp, {dtype}; a clamp has the dtype of its bounds (literals without a suffix are f64 and i32), \
         `Clamp::with_source` converts from another"
    )
}

/// The message for elements, described as "u8 elements of shape …, strides …, offset …", that a buffer does not hold.
pub fn too_small(argument: &str, elements: &str, needed: u64, given: u64) -> String {
    format!(
        "{argument}: {elements} need a buffer of {needed} bytes, this one has {given}; \
         shape, strides and offset count elements"
    )
}

/// The message for a buffer created with `usages`.
pub fn no_storage(argument: &str, usages: &str) -> String {
    format!(
        "{argument}: the buffer lacks BufferUsages(STORAGE); it was created with BufferUsages({usages}); \
         add the usage where the buffer is created"
    )
}

/// The message for two views of one buffer, described as "u8 elements of shape …, strides …, offset … (bytes …)".
pub fn shared_bytes(src: &str, dst: &str, remedy: &str) -> String {
    format!(
        "src, dst: the two views share bytes of one buffer but are not the same view; src has {src}, dst has {dst}; \
         use {remedy}"
    )
}

/// The remedy of [`shared_bytes`] where source and destination have elements of one size.
pub const ONE_SIZE: &str = "equal layouts (in place), disjoint layouts, or two buffers";

/// The remedy of [`shared_bytes`] where the sizes differ.
pub const TWO_SIZES: &str = "disjoint layouts, or two buffers";

/// The message for U8 elements that would become F32 elements in place.
pub fn wider_in_place(argument: &str) -> String {
    format!(
        "{argument}: u8 to f32 in place; source and destination elements of one size are needed, else views that \
         share no byte, or two buffers"
    )
}

/// The message for a scale or bias, described as "0.1 has dtype f64", that a clamp of `dtype` does not take.
pub fn no_f32(argument: &str, given: &str, dtype: DType) -> String {
    format!(
        "{argument}: {given}, and a clamp of dtype {dtype} takes no such {argument}; give an f32, as in `0.1_f32`; \
         a clamp of dtype f64 also takes an f64"
    )
}

/// The message for a number on the GPU in a call that takes no slots.
pub fn no_slots(argument: &str) -> String {
    let setter = if matches!(argument, "min" | "max") { "with_bounds" } else { "with_scale_bias" };
    format!(
        "{argument}: the number is `Number::OnGpu`, and this call takes no slot; give its value with \
         `Clamp::{setter}`, or clamp a tensor on the GPU with `Operands::with_{argument}`"
    )
}

/// The message for a limit of the device below the default.
pub fn device_limit(name: &str, limit: u64, needed: u64) -> String {
    format!(
        "device: {name} is {limit}, but {needed} is needed; `wgpu::Limits::downlevel_defaults()` suffices"
    )
}

/// The message for 9 dimensions.
pub const RANK_9: &str =
    "shape: rank 9 is not supported; at most 8 dimensions are (a packed tensor is also one of one dimension)";

/// The message for axis 2 of two dimensions.
pub const AXIS_2: &str = "axis: 2 is out of range for a layout of rank 2; axes count from 0";
