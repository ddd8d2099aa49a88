//! Plans and shaders without a device: the sanitizer executes them on devices that differ where WGSL leaves choices, and
//! the reference says what is right.

pub mod checked;
pub mod located;
pub mod run;
pub mod samples;
pub mod trial;

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

pub use run::{Run, Verdict, converts_f16, probe_accepts};
pub use trial::{Count, Execute, Trial};

/// Calls `work` with each number below `count`, in one thread per processor.
pub fn in_parallel(count: usize, work: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(|| {
                while let Some(n) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|n| *n < count) {
                    work(n);
                }
            });
        }
    });
}
