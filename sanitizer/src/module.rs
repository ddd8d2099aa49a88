//! WGSL, and programs made of it.

use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use crate::{Device, Finding, Freedoms, Memory};

/// Why a program cannot be made.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The WGSL is none, or not valid.
    #[error("the WGSL is not valid: {0}")]
    Invalid(String),
    /// The module has no compute entry point of that name.
    #[error("no compute entry point `{0}`")]
    NoEntryPoint(String),
    /// The overridable constants take no such values.
    #[error("the constants do not fit: {0}")]
    Constants(String),
    /// The program has what is out of reach.
    #[error("line {line}: {what} is out of reach")]
    Unsupported {
        /// What.
        what: String,
        /// Where.
        line: u32,
    },
}

/// WGSL, parsed and validated.
#[derive(Debug)]
pub struct Module {
    pub(crate) wgsl: String,
    pub(crate) module: naga::Module,
    pub(crate) info: ModuleInfo,
}

/// An entry point of a module with the values of its overridable constants.
#[derive(Debug)]
pub struct Program {}

/// A part of a buffer, where a program finds a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Binding {
    /// Of the variable.
    pub group: u32,
    /// Of the variable.
    pub binding: u32,
    /// Which of the buffers.
    pub buffer: usize,
    /// In bytes, a multiple of 4.
    pub offset: u64,
    /// In bytes, a multiple of 4.
    pub size: u64,
}

/// A program with what it works on.
#[derive(Clone, Debug)]
pub struct Dispatch<'a> {
    /// What is run.
    pub program: &'a Program,
    /// Workgroups along x, y and z.
    pub grid: [u32; 3],
    /// A binding for each resource that the program uses. Several may be of one buffer.
    pub bindings: Vec<Binding>,
}

/// In which order a dispatch's invocations are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// From the first on.
    Forward,
    /// From the last on.
    Backward,
}

impl Module {
    /// Parses and validates WGSL.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`], with naga's message.
    pub fn parse(wgsl: &str) -> Result<Self, Error> {
        let module =
            naga::front::wgsl::parse_str(wgsl).map_err(|error| Error::Invalid(error.emit_to_string(wgsl)))?;
        let info = Validator::new(ValidationFlags::all(), Capabilities::all())
            .validate(&module)
            .map_err(|error| Error::Invalid(error.emit_to_string(wgsl)))?;
        Ok(Self { wgsl: wgsl.to_owned(), module, info })
    }

    /// One entry point. `constants`: the values of overridable constants by name; the others have their defaults.
    ///
    /// # Errors
    ///
    /// [`Error::NoEntryPoint`], [`Error::Constants`], or [`Error::Unsupported`] if it has what is out of reach.
    pub fn program(&self, entry_point: &str, constants: &[(&str, f64)]) -> Result<Program, Error> {
        let _ = (entry_point, constants, &self.wgsl, &self.module, &self.info);
        unimplemented!()
    }
}

impl Program {
    /// Which choices of a device make a difference to it.
    #[must_use]
    pub const fn freedoms(&self) -> Freedoms {
        unimplemented!()
    }

    /// Runs a dispatch on `buffers`, and says what is wrong: a few findings at most, each line and kind once.
    ///
    /// # Panics
    ///
    /// A resource has no binding, or a binding reaches beyond its buffer.
    pub fn run(
        &self,
        device: &Device,
        order: Order,
        grid: [u32; 3],
        bindings: &[Binding],
        buffers: &mut [Memory],
    ) -> Vec<Finding> {
        let _ = (device, order, grid, bindings, buffers);
        unimplemented!()
    }
}
