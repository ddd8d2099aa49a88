//! `wgpu_clamp._native` clamps flat arrays of bytes. `python/wgpu_clamp/arguments.py` checks what callers pass, and
//! names arguments in errors.

#![allow(
    clippy::needless_pass_by_value,
    reason = "what Python passes to a function is converted into values"
)]

mod gpu;
mod operation;

use numpy::{PyArray1, PyArrayMethods};
use operation::Operation;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use wgpu_clamp::{Error, Layout, reference};

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{adapter, clamp};
}

type Bytes<'py> = Bound<'py, PyArray1<u8>>;

/// Clamps `src`, a packed tensor of this shape, into `dst`, on the GPU or by the crate's reference. Without `src`, clamps `dst`
/// in place.
#[pyfunction]
fn clamp(
    py: Python<'_>,
    on_gpu: bool,
    operation: Operation,
    shape: Vec<usize>,
    src: Option<&Bytes<'_>>,
    dst: &Bytes<'_>,
) -> PyResult<()> {
    let clamps = operation.clamps()?;
    let clamps = operation.along(&clamps);
    let layout = Layout::packed(&shape).map_err(to_python)?;
    on_bytes(py, src, dst, |src, dst| {
        let done = match (on_gpu, src) {
            (true, Some(src)) => {
                gpu::call(|host| host.clamp_bytes(clamps, src, dst).with_shape(&shape).run_blocking())
            }
            (true, None) => {
                gpu::call(|host| host.clamp_bytes_in_place(clamps, dst).with_shape(&shape).run_blocking())
            }
            (false, Some(src)) => reference::apply(clamps, &layout, src, &layout, dst),
            (false, None) => reference::apply_in_place(clamps, &layout, dst),
        };
        done.map_err(to_python)
    })
}

/// Makes a call without the GIL. Meanwhile no other call of this module can write `src`, or read or write `dst`.
fn on_bytes(
    py: Python<'_>,
    src: Option<&Bytes<'_>>,
    dst: &Bytes<'_>,
    call: impl FnOnce(Option<&[u8]>, &mut [u8]) -> PyResult<()> + Send,
) -> PyResult<()> {
    let in_use = |error| PyValueError::new_err(format!("array, out: {error}, by a call of another thread"));
    let src = src.map(PyArrayMethods::try_readonly).transpose().map_err(in_use)?;
    let src = src.as_ref().map(|src| src.as_slice()).transpose()?;
    let mut dst = dst.try_readwrite().map_err(in_use)?;
    let dst = dst.as_slice_mut()?;
    py.detach(|| call(src, dst))
}

/// The adapter of this process, in words.
#[pyfunction]
fn adapter(py: Python<'_>) -> PyResult<String> {
    py.detach(|| gpu::call(|host| Ok(host.description())).map_err(to_python))
}

/// The exception for an error: `RuntimeError` if the machine is at fault, `ValueError` if the caller is.
fn to_python(error: Error) -> PyErr {
    match error {
        Error::NoDevice { .. }
        | Error::Limit { .. }
        | Error::DeviceLost { .. }
        | Error::OutOfMemory { .. }
        | Error::Wgpu { .. } => PyRuntimeError::new_err(error.to_string()),
        Error::PartlyWritten { valid, source, .. } => PyRuntimeError::new_err(format!(
            "out: elements {}..{} in C order are written, the others are not: {source}",
            valid.start, valid.end
        )),
        error => PyValueError::new_err(error.to_string()),
    }
}
