//! One dispatch, on the GPU and in the sanitizer.

use std::fmt;

use wgsl_sanitizer::{Binding, Device, Dispatch, Finding, Memory, Module, Order, Outcome, everywhere};

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
    pub space: Space,
    pub bytes: Vec<u8>,
}

/// How a variable is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// `var<uniform>`
    Uniform,
    /// `var<storage, read>`
    Read,
    /// `var<storage, read_write>`
    ReadWrite,
}

impl Resource {
    /// A resource in group 0.
    pub fn new(binding: u32, space: Space, bytes: Vec<u8>) -> Self {
        Self { group: 0, binding, space, bytes }
    }
}

impl Program {
    /// Runs the program on the GPU and on every device of the sanitizer; returns the bytes and the number of
    /// devices.
    ///
    /// # Panics
    ///
    /// If the sanitizer finds something, or a byte differs.
    pub fn agreed(&self) -> (Vec<Vec<u8>>, usize) {
        let module = Module::parse(&self.wgsl).unwrap_or_else(|error| panic!("{error}"));
        let program = module.program(self.entry_point, &self.constants).unwrap();
        let buffers: Vec<_> = self.resources.iter().map(|one| Memory::from_bytes(&one.bytes)).collect();
        let bindings = self.resources.iter().enumerate().map(|(buffer, one)| {
            let Resource { group, binding, .. } = *one;
            Binding { group, binding, buffer, offset: 0, size: buffers[buffer].size() }
        });
        let bindings: Vec<_> = bindings.collect();
        let expected = gpu::run(self);

        let dispatch = Dispatch { program: &program, grid: self.grid, bindings: bindings.clone() };
        for Outcome { device, buffers, findings } in everywhere(&[dispatch], &buffers) {
            self.check(device, &buffers, &findings, &expected);
        }
        // Also run the devices that an outcome stands for.
        let devices = program.freedoms().devices();
        for &device in &devices {
            let mut after = buffers.clone();
            let (findings, _) = program.run(device, Order::Forward, self.grid, &bindings, &mut after);
            self.check(device, &after, &findings, &expected);
        }
        (expected, devices.len())
    }

    fn check(&self, device: Device, after: &[Memory], findings: &[Finding], expected: &[Vec<u8>]) {
        let findings: Vec<_> = findings.iter().map(ToString::to_string).collect();
        assert!(findings.is_empty(), "{device}: {findings:#?}");
        for ((resource, got), expected) in self.resources.iter().zip(after).zip(expected) {
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
