//! The one device of this process, opened when it is first needed.

use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use wgpu_clamp::{Error, Host};

/// How many hosts were opened, and the last of them unless its device was lost.
static HOST: Mutex<(u64, Option<Host>)> = Mutex::new((0, None));

/// The id of the process that has opened the host, or is opening it. 0, which no process has, before that.
static OPENER: AtomicU32 = AtomicU32::new(0);

/// Makes a call with the device of this process. After a loss of the device, the next call opens another.
///
/// # Errors
///
/// The call fails, or opening the device. [`Error::NoDevice`] in a fork of the process that opened the device.
pub fn call<T>(call: impl FnOnce(&Host) -> Result<T, Error>) -> Result<T, Error> {
    let (number, host) = host()?;
    call(&host).inspect_err(|error| {
        let mut shared = shared();
        // Another thread may have opened the next host by now.
        if is_loss(error) && shared.0 == number {
            shared.1 = None;
        }
    })
}

/// The number of the host, and the host.
fn host() -> Result<(u64, Host), Error> {
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
    let (number, host) = &mut *shared();
    if host.is_none() {
        *host = Some(Host::open_blocking()?);
        *number += 1;
    }
    let host = host.clone().expect("it was opened above");
    Ok((*number, host))
}

fn shared() -> MutexGuard<'static, (u64, Option<Host>)> {
    HOST.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_loss(error: &Error) -> bool {
    match error {
        Error::DeviceLost { .. } => true,
        Error::PartlyWritten { source, .. } => is_loss(source),
        _ => false,
    }
}
