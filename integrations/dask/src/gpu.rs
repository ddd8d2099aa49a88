//! The one device of this process, opened when it is first needed.

use std::fmt;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wgpu_clamp::{Error, Host};

/// The host, if it is open. Devices of different `wgpu::Instance`s may compare equal, so hosts are compared by address.
static HOST: Mutex<Option<Arc<Host>>> = Mutex::new(None);

/// The id of the process that has opened the host, or is opening it. 0, which no process has, before that.
static OPENER: AtomicU32 = AtomicU32::new(0);

/// Why a call has no result.
#[derive(Debug)]
pub enum Failure {
    /// This process is a fork of the one that opened the device.
    Forked {
        /// The id of this process.
        own: u32,
        /// The id of the process that opened the device.
        opener: u32,
    },
    /// The call failed, or opening the device.
    Failed(Error),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forked { own, opener } => write!(
                f,
                "this process, {own}, was forked from process {opener}, which had begun to open the GPU; a fork cannot use \
                 it. Start workers by spawn or forkserver, or use the GPU only in the forks"
            ),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

/// Makes a call with the device of this process. After a loss of the device, the next call opens another.
///
/// # Errors
///
/// See [`Failure`].
pub fn call<T>(call: impl FnOnce(&Host) -> Result<T, Error>) -> Result<T, Failure> {
    let host = host()?;
    call(&host).map_err(|error| {
        if is_loss(&error) {
            forget(&host);
        }
        Failure::Failed(error)
    })
}

fn host() -> Result<Arc<Host>, Failure> {
    // Checked before locking: a fork inherits locks that are held, the driver's among them, but not the threads that
    // would release them.
    let (opener, own) = (opener(), process::id());
    if opener != own {
        return Err(Failure::Forked { own, opener });
    }
    let mut host = shared();
    if let Some(host) = &*host {
        return Ok(Arc::clone(host));
    }
    let next = Host::open_blocking().map_err(Failure::Failed)?;
    Ok(Arc::clone(host.insert(Arc::new(next))))
}

/// Forgets a lost device, unless another has replaced it: several calls on it may fail, one after the other.
fn forget(lost: &Arc<Host>) {
    let mut host = shared();
    if host.as_ref().is_some_and(|host| Arc::ptr_eq(host, lost)) {
        *host = None;
    }
}

fn shared() -> MutexGuard<'static, Option<Arc<Host>>> {
    HOST.lock().unwrap_or_else(PoisonError::into_inner)
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
