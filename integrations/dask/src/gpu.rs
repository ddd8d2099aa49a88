//! The one device of this process, opened when it is first needed.

use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::PyResult;
use pyo3::exceptions::PyRuntimeError;
use wgpu_clamp::{Error, Host};

use crate::to_python;

static HOST: Mutex<Option<Host>> = Mutex::new(None);

/// The id of the process that opened it, or is about to. No process has the id 0.
static OPENER: AtomicU32 = AtomicU32::new(0);

/// Calls with the device of this process. After its loss the next call opens another.
///
/// # Errors
///
/// A `RuntimeError` in a fork of the process that opened the device, and the errors of the call and of opening.
pub fn call<T>(call: impl FnOnce(&Host) -> Result<T, Error>) -> PyResult<T> {
    let host = host()?;
    call(&host).map_err(|error| {
        if is_loss(&error) {
            *HOST.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        to_python(error)
    })
}

fn host() -> PyResult<Host> {
    // Before the mutex: a fork has the locks as they were, the driver's among them, and none of the threads that would
    // open them.
    let (opener, own) = (opener(), process::id());
    if opener != own {
        return Err(PyRuntimeError::new_err(format!(
            "this process, {own}, was forked from process {opener}, which had begun to open the GPU; a fork cannot use it. \
             Start workers by spawn or forkserver, or use the GPU only in the forks"
        )));
    }
    let mut host = HOST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(host) = &*host {
        return Ok(host.clone());
    }
    Ok(host.insert(Host::open_blocking().map_err(to_python)?).clone())
}

/// The process that opens the device: this one, if none has.
fn opener() -> u32 {
    let own = process::id();
    match OPENER.compare_exchange(0, own, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => own,
        Err(opener) => opener,
    }
}

fn is_loss(error: &Error) -> bool {
    match error {
        Error::DeviceLost { .. } => true,
        Error::PartlyWritten { source, .. } => is_loss(source),
        _ => false,
    }
}
