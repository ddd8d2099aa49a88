//! The shaders of plans, executed without a device as each of the sanitizer's devices would, and compared with the reference.

mod cases;
mod plans;
