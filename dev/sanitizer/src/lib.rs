//! Executes WGSL compute shaders on the CPU, and reports the faults that occur on at least one of many devices.
//!
//! - A [`Module`] is WGSL text, parsed and validated by naga.
//! - A [`Program`] is one entry point with the values of its overridable constants, lowered once to flat code.
//! - [`everywhere`] executes a list of dispatches on [`Memory`], on every [`Device`] that makes a difference, in two or
//!   three orders of invocations; [`on_device`] executes it on one device.
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
//! [`Kind`] lists the kinds: accesses beyond a binding or an array, races, barriers that some invocations miss, endless
//! loops, shifts by too much, results that depend on the order of invocations, and *tainted* values that reach memory,
//! an address or a branch. A value is tainted if WGSL allows any value for some of its bits: after
//! float arithmetic on NaN or ∞, an integer division by zero, a conversion beyond the range of the type. Once a select
//! or a mask drops the tainted bits, the value is harmless.
//!
//! # What a device is
//!
//! Where WGSL allows a few results, a [`Device`] makes one choice: whether `x * y + z` is fused, how products and
//! sums are grouped, whether subnormals are flushed, and how integers that no f32 holds and f32s that no half (16-bit
//! float) holds are rounded. A comparison, `min` or `max` with a NaN has a tainted result on every device.
//!
//! # What is assumed
//!
//! - Float addition and multiplication round to nearest, ties to even, and overflow to infinities. If an expression of
//!   finite operands overflows, its result is tainted only if the result is a NaN.
//! - A zero has the sign that IEEE 754 gives it. A number that is flushed, moved, selected or bitcast keeps its sign.
//! - A device makes the same choice everywhere in a program. It fuses and reassociates within an expression and
//!   across `let`s, calls and variables of straight-line code, but not across a loop or an early return.
//! - Workgroup memory begins with any value, as wgpu leaves it if a program asks for that. Invocations of a workgroup run
//!   from barrier to barrier.
//! - Infinities compare as in IEEE 754.
//!
//! An expression of more than twelve floats is cut into two parts, which are not fused or reassociated with each other.
//! Two kinds of operations are removed without checks: a pure operation whose result is unused, and an unused load at
//! a constant address of a resource that the program never stores to.
//!
//! # What is not supported
//!
//! [`Error::Unsupported`] names features of a program that the crate does not execute. It executes what the programs
//! of this repository use: scalars, vectors, arrays and structs of `u32`, `i32`, `f32` and `bool`; `if`, `for`, `while`,
//! `loop` with `break`, calls; atomic loads, stores, additions and exclusive ors; workgroup memory and its barriers; and
//! the built-in functions in `lower/operation.rs`. Float functions for which WGSL bounds the error instead of giving the
//! result have no place in it.

mod code;
mod counts;
mod device;
mod everywhere;
mod execute;
mod finding;
mod float;
mod lower;
mod memory;
mod module;
mod profile;
mod scalar;
mod taint;

pub use counts::counts;
pub use device::{Association, Device, Fusion, HalfRounding, IntegerRounding, Subnormals};
pub use everywhere::{Outcome, everywhere, on_device};
pub use finding::{Finding, Kind, Source};
pub use memory::Memory;
pub use module::{Binding, Dispatch, Error, Module, Program};
pub use profile::{Access, Counts};
