//! WGSL modules and the programs made of their entry points.

use std::sync::Arc;

use naga::ShaderStage;
use naga::back::pipeline_constants::process_overrides;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use crate::code::Code;
use crate::lower::lower;

/// Why a program cannot be made.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text does not parse or is not valid WGSL.
    #[error("the WGSL is not valid: {0}")]
    Invalid(String),
    /// The module has no compute entry point of that name.
    #[error("no compute entry point `{0}`")]
    NoEntryPoint(String),
    /// The values do not suit the overridable constants.
    #[error("the constants do not fit: {0}")]
    Constants(String),
    /// The program uses a feature that is not supported.
    #[error("line {line}: {what} is not supported")]
    Unsupported {
        /// The feature.
        what: String,
        /// The line of the WGSL.
        line: u32,
    },
}

/// WGSL, parsed and validated.
#[derive(Debug)]
pub struct Module {
    wgsl: Arc<str>,
    naga: naga::Module,
    info: ModuleInfo,
}

/// An entry point of a module with the values of its overridable constants.
#[derive(Debug)]
pub struct Program {
    pub(crate) wgsl: Arc<str>,
    pub(crate) code: Code,
}

/// The part of a buffer that a resource is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Binding {
    /// Group of the variable.
    pub group: u32,
    /// Binding number of the variable.
    pub binding: u32,
    /// Index of the buffer.
    pub buffer: usize,
    /// Offset in bytes, a multiple of 4.
    pub offset: u64,
    /// Size in bytes, a multiple of 4.
    pub size: u64,
}

/// A program with its grid and bindings.
#[derive(Clone, Debug)]
pub struct Dispatch<'a> {
    /// The program to run.
    pub program: &'a Program,
    /// Workgroups along x, y and z.
    pub grid: [u32; 3],
    /// A binding for each resource that the program uses. Several may share a buffer.
    pub bindings: Vec<Binding>,
}

/// The order in which a dispatch's invocations run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// First to last.
    Forward,
    /// Last to first; one at a time if the program has atomics.
    Backward,
    /// In large steps, so that invocations of several workgroups run together.
    Scattered,
}

impl Module {
    /// Parses and validates WGSL.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`], with naga's message.
    pub fn parse(wgsl: &str) -> Result<Self, Error> {
        let naga =
            naga::front::wgsl::parse_str(wgsl).map_err(|error| Error::Invalid(error.emit_to_string(wgsl)))?;
        let info = Validator::new(ValidationFlags::all(), Capabilities::all())
            .validate(&naga)
            .map_err(|error| Error::Invalid(error.emit_to_string(wgsl)))?;
        Ok(Self { wgsl: wgsl.into(), naga, info })
    }

    /// Lowers an entry point. `constants` gives values to overridable constants, by name, or by `@id` if they have one;
    /// the other constants take their defaults.
    ///
    /// # Errors
    ///
    /// [`Error::NoEntryPoint`], [`Error::Constants`], or [`Error::Unsupported`] if the entry point uses a feature
    /// that is not supported.
    pub fn program(&self, entry_point: &str, constants: &[(&str, f64)]) -> Result<Program, Error> {
        let is_meant =
            |other: &naga::EntryPoint| other.name == entry_point && other.stage == ShaderStage::Compute;
        if !self.naga.entry_points.iter().any(is_meant) {
            return Err(Error::NoEntryPoint(entry_point.to_owned()));
        }
        let constants = constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let chosen = Some((ShaderStage::Compute, entry_point));
        let (module, info) = process_overrides(&self.naga, &self.info, chosen, &constants)
            .map_err(|error| Error::Constants(error.to_string()))?;
        Ok(Program { wgsl: self.wgsl.clone(), code: lower(&module, &info, &self.wgsl)? })
    }
}
