//! The one device of this process, opened when it is first needed.

use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use wgpu_clamp::{Error, Host};

/// The host, if it is open.
static HOST: Mutex<Option<Host>> = Mutex::new(None);

/// The id of the process that has opened the host, or is opening it. 0, which no process has, before that.
static OPENER: AtomicU32 = AtomicU32::new(0);

/// Makes a call with the device of this process. After a loss of the device, the next call opens another.
///
/// # Errors
///
/// The call fails, or opening the device. [`Error::NoDevice`] in a fork of the process that opened the device.
pub fn call<T>(call: impl FnOnce(&Host) -> Result<T, Error>) -> Result<T, Error> {
    let host = host()?;
    call(&host).inspect_err(|error| {
        if is_loss(error) {
            *shared() = None;
        }
    })
}

fn host() -> Result<Host, Error> {
    // Checked before locking: a fork inherits locks that are held, the driver's among them, but not the threads that
    // would release them.
    let own = process::id();
    let opener = match OPENER.compare_exchange(0, own, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => own,
        Err(opener) => opener,
    };
    if opener != own {
        let reason = format!(
            "this process, {own}, was forked from process {opener}, which had begun to open the GPU; a fork cannot use it. \
             Start workers by spawn or forkserver, or use the GPU only in the forks"
        );
        return Err(Error::NoDevice { reason });
    }
    let mut host = shared();
    if let Some(host) = &*host {
        return Ok(host.clone());
    }
    Ok(host.insert(Host::open_blocking()?).clone())
}

fn shared() -> MutexGuard<'static, Option<Host>> {
    HOST.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_loss(error: &Error) -> bool {
    match error {
        Error::DeviceLost { .. } => true,
        Error::PartlyWritten { source, .. } => is_loss(source),
        _ => false,
    }
}
