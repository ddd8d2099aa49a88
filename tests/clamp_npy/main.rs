//! The example `clamp_npy`, run as its users run it, on files that `NumPy` wrote.

mod example;
mod files;
mod refusals;
mod results;
