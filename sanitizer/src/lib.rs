//! Executes WGSL compute shaders on the CPU, and finds what is wrong with them on any of the devices below.
//!
//! A [`Module`] is WGSL, parsed and validated by naga. A [`Program`] is one of its entry points with the values of its
//! overridable constants, lowered once to flat code. [`Program::run`] executes a dispatch on [`Memory`] as one [`Device`]
//! would, in one [`Order`] of invocations. [`everywhere`] executes a list of dispatches on every device that makes a difference
//! to them, in two orders or three.
//!
//! ```
//! use wgsl_sanitizer::{Binding, Dispatch, Memory, Module, everywhere};
//!
//! let module = Module::parse(
//!     "@group(0) @binding(0) var<storage, read_write> words: array<u32>;
//!      @compute @workgroup_size(64)
//!      fn double(@builtin(global_invocation_id) id: vec3<u32>) {
//!          words[id.x] *= 2u;
//!      }",
//! )?;
//! let program = module.program("double", &[])?;
//! let bindings = vec![Binding { group: 0, binding: 0, buffer: 0, offset: 0, size: 252 }];
//! let dispatch = Dispatch { program: &program, grid: [1, 1, 1], bindings };
//! let outcomes = everywhere(&[dispatch], &[Memory::new(256, 0)]);
//! // The last of 64 invocations reaches beyond the 63 words of the binding.
//! let source = outcomes[0].findings[0].source.as_ref().expect("it has a line");
//! assert_eq!((source.line, source.invocation), (4, [63, 0, 0]));
//! # Ok::<(), wgsl_sanitizer::Error>(())
//! ```
//!
//! # What a finding is
//!
//! [`Kind`] lists them: accesses beyond a binding or an array, races, words that are touched atomically and plainly, loops
//! without end, shifts by too much, results that depend on the order of invocations, and *tainted* values that reach
//! memory, an address or a branch. A value is tainted, bit by bit, where WGSL leaves it open altogether: after float
//! arithmetic on NaN or ∞, a division of integers by zero, a conversion beyond the range of its type. A select or a mask
//! that drops the tainted bits makes the rest harmless.
//!
//! # What a device is
//!
//! Where WGSL leaves the choice between a few results, a [`Device`] makes one choice: whether `x * y + z` is fused, how
//! products and sums are associated, what becomes of subnormals, of integers that no float holds, and of floats that no
//! half holds. Comparisons, `min` and `max` with a NaN are left open altogether.
//!
//! # What is assumed
//!
//! - Float addition and multiplication round to nearest, ties to even, and overflow to infinities; an infinity that an
//!   expression's own arithmetic overflowed to is no reason for taint within this expression.
//! - A zero has the sign that IEEE 754 gives it, a flushed number keeps its own, and what moves bits, `select` and `bitcast`
//!   too, keeps them.
//! - A device makes the same choice everywhere in a program, and fuses and associates what one expression, `let`s, calls and
//!   variables in straight code join, not what a loop or an early return lies between.
//! - Infinities compare as in IEEE 754, and `atomicCompareExchangeWeak` fails only where the values differ.
//!
//! An expression of more than twelve floats is cut in two, which are not joined. What nobody takes is not looked at: an
//! operation whose result is not used, a load at a constant place that is not used of what nothing is stored to.
//!
//! # What is out of reach
//!
//! `f16`, `f64` and 64-bit integers, workgroup memory and barriers, subgroups, textures, matrices, division, `clamp` and the
//! functions of floats whose error WGSL bounds instead of telling the result: [`Error::Unsupported`] names what a program
//! has of these.
//!
//! # Why not another tool
//!
//! naga-rust translates naga's IR to Rust that has to be compiled, without storage buffers and atomics. The evaluators of
//! wesl and `wgsl_reflect` walk the syntax tree, and know one way to do arithmetic. None of them has devices or taint.

mod code;
mod device;
mod everywhere;
mod execute;
mod finding;
mod float;
mod lower;
mod memory;
mod module;
mod scalar;
mod taint;

pub use device::{Association, Device, Freedoms, HalfRounding, IntegerRounding, Subnormals};
pub use everywhere::{Outcome, everywhere};
pub use finding::{Finding, Kind, Source};
pub use memory::Memory;
pub use module::{Binding, Dispatch, Error, Module, Order, Program};
