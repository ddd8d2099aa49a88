//! Comparison of a result with the CPU reference.
