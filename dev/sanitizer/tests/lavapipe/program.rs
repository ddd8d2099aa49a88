//! One dispatch, on the GPU and in the sanitizer.

use std::fmt;

use wgsl_sanitizer::{Binding, Device, Dispatch, Memory, Module, Outcome, everywhere, on_device};

use crate::gpu;

/// A dispatch and its resources.
pub struct Program {
    pub wgsl: String,
    pub entry_point: &'static str,
    /// Values of overridable constants.
    pub constants: Vec<(&'static str, f64)>,
    /// Workgroups.
    pub grid: [u32; 3],
    pub resources: Vec<Resource>,
}

/// A variable of the program, and its bytes.
pub struct Resource {
    pub group: u32,
    pub binding: u32,
    pub bytes: Vec<u8>,
}

impl Resource {
    /// A resource in group 0.
    pub fn new(binding: u32, bytes: Vec<u8>) -> Self {
        Self { group: 0, binding, bytes }
    }
}

impl Program {
    /// Runs the program on the GPU and on every device of the sanitizer; returns the bytes and the number of
    /// outcomes.
    ///
    /// # Panics
    ///
    /// If the sanitizer finds something, or a byte differs.
    pub fn agreed(&self) -> (Vec<Vec<u8>>, usize) {
        let module = Module::parse(&self.wgsl).unwrap_or_else(|error| panic!("{error}"));
        let program = &module.program(self.entry_point, &self.constants).unwrap();
        let buffers: Vec<_> = self.resources.iter().map(|one| Memory::from_bytes(&one.bytes)).collect();
        let bindings = self.resources.iter().enumerate().map(|(buffer, one)| {
            let Resource { group, binding, .. } = *one;
            Binding { group, binding, buffer, offset: 0, size: buffers[buffer].size() }
        });
        let dispatches = [Dispatch { program, grid: self.grid, bindings: bindings.collect() }];
        let expected = gpu::run(self);
        let outcomes = everywhere(&dispatches, &buffers);
        let count = outcomes.len();
        // Also run some of the devices that an outcome stands for.
        let more = Device::all().skip(1).step_by(71).map(|device| on_device(device, &dispatches, &buffers));
        for outcome in outcomes.into_iter().chain(more.take(if count > 1 { usize::MAX } else { 1 })) {
            self.check(&outcome, &expected);
        }
        (expected, count)
    }

    fn check(&self, Outcome { device, buffers, findings }: &Outcome, expected: &[Vec<u8>]) {
        let findings: Vec<_> = findings.iter().map(ToString::to_string).collect();
        assert!(findings.is_empty(), "{device}: {findings:#?}");
        for ((resource, got), expected) in self.resources.iter().zip(buffers).zip(expected) {
            let got = got.to_bytes();
            if let Some(at) = (0..got.len()).find(|&at| got[at] != expected[at]) {
                let word = at / 4 * 4..at / 4 * 4 + 4;
                panic!(
                    "binding {}, byte {at}: {:02x?} here ({device}), {:02x?} on the GPU",
                    resource.binding,
                    &got[word.clone()],
                    &expected[word]
                );
            }
        }
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { wgsl, entry_point, constants, grid, resources } = self;
        writeln!(f, "\n{wgsl}\n`{entry_point}` with {constants:?} on {grid:?} workgroups")?;
        for Resource { group, binding, bytes, .. } in resources {
            writeln!(f, "group {group}, binding {binding}: {} bytes", bytes.len())?;
        }
        Ok(())
    }
}
