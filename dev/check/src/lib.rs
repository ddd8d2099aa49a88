//! Checks a device that runs wgpu-clamp: the self-test one case at a time, the speed of a few clamps beside a copy's, and a
//! report of both.
//!
//! `examples/doctor.rs` checks every adapter of a machine, the page `web/page` the visitor's, `dev/proof` each implementation at
//! hand. `cargo xtask platforms` turns reports into rows of tables.

#![forbid(unsafe_code)]

#[cfg(feature = "device")]
mod check;
mod report;
mod row;
#[cfg(feature = "device")]
mod speed;

#[cfg(feature = "device")]
pub use check::{Check, Extent, limits, range};
pub use report::{Cell, FIGURES, Failure, Figure, KERNELS, Report, SelfTest, Speed};
pub use row::{Row, Table, insert};

/// The version of wgpu-clamp that this checks.
pub const VERSION: &str = env!("WGPU_CLAMP_VERSION");

/// The commit that this was built from, with `-dirty` if the files differed from it.
pub const COMMIT: &str = env!("WGPU_CLAMP_COMMIT");
