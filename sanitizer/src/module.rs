//! WGSL modules and the programs made of their entry points.

use std::sync::Arc;

use naga::ShaderStage;
use naga::back::pipeline_constants::process_overrides;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use crate::code::{Binary, Code, Op, Unary};
use crate::execute::execute;
use crate::lower::lower;
use crate::{Device, Finding, Freedoms, Memory, Source, float};

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
    #[error("line {line}: {what} is out of reach")]
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
    wgsl: Arc<str>,
    code: Code,
    freedoms: Freedoms,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
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
        let module =
            naga::front::wgsl::parse_str(wgsl).map_err(|error| Error::Invalid(error.emit_to_string(wgsl)))?;
        let info = Validator::new(ValidationFlags::all(), Capabilities::all())
            .validate(&module)
            .map_err(|error| Error::Invalid(error.emit_to_string(wgsl)))?;
        Ok(Self { wgsl: wgsl.into(), naga: module, info })
    }

    /// Lowers an entry point. `constants` gives overridable constants by name, or by `@id` where they have one; the
    /// others take their defaults.
    ///
    /// # Errors
    ///
    /// [`Error::NoEntryPoint`], [`Error::Constants`], or [`Error::Unsupported`] if it uses a feature that is not
    /// supported.
    pub fn program(&self, entry_point: &str, constants: &[(&str, f64)]) -> Result<Program, Error> {
        let is_meant =
            |other: &&naga::EntryPoint| other.name == entry_point && other.stage == ShaderStage::Compute;
        if !self.naga.entry_points.iter().any(|other| is_meant(&other)) {
            return Err(Error::NoEntryPoint(entry_point.to_owned()));
        }
        let constants = constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let chosen = Some((ShaderStage::Compute, entry_point));
        let (module, info) = process_overrides(&self.naga, &self.info, chosen, &constants)
            .map_err(|error| Error::Constants(error.to_string()))?;
        let code = lower(&module, &info, &self.wgsl)?;
        Ok(Program { wgsl: self.wgsl.clone(), freedoms: freedoms(&code), code })
    }
}

impl Program {
    /// Returns the WGSL line of a site, its calls, and the global id of `invocation`.
    pub(crate) fn source(&self, site: u32, grid: [u32; 3], invocation: u32) -> Source {
        self.code.source(&self.wgsl, site, grid, invocation)
    }

    /// Choices of a device that can make a difference to the program.
    #[must_use]
    pub const fn freedoms(&self) -> Freedoms {
        self.freedoms
    }

    /// Whether the program has atomics: the order of its invocations can then matter without a race.
    #[must_use]
    pub fn has_atomics(&self) -> bool {
        self.code.has_atomics()
    }

    /// Runs a dispatch on `buffers`. Returns the findings and the device choices that made a difference. A line has
    /// each kind of finding once at most, whichever call led there, and there are a few findings at most. A device
    /// that differs only in other choices does the same.
    ///
    /// # Panics
    ///
    /// If a resource has no binding; if a binding names a buffer that does not exist, reaches beyond its buffer or
    /// is not of whole words; or if there are 2^32 - 2 invocations or more.
    pub fn run(
        &self,
        device: Device,
        order: Order,
        grid: [u32; 3],
        bindings: &[Binding],
        buffers: &mut [Memory],
    ) -> (Vec<Finding>, Freedoms) {
        execute((&self.code, &self.wgsl), device, order, grid, bindings, buffers)
    }
}

fn freedoms(code: &Code) -> Freedoms {
    let none = Freedoms::default();
    let of = |op: &Op| match op {
        Op::Float { expression, .. } => {
            float::freedoms(&code.floats[*expression as usize]).or(Freedoms { subnormals: true, ..none })
        }
        Op::Unary(Unary::FloatFromU | Unary::FloatFromI, ..) => Freedoms { integers: true, ..none },
        Op::Unary(Unary::Half | Unary::FromHalf, ..) => Freedoms { halves: true, subnormals: true, ..none },
        Op::Unary(
            Unary::AbsF | Unary::SignF | Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::Round,
            ..,
        ) => Freedoms { subnormals: true, ..none },
        Op::Binary(Binary::EqualF | Binary::LessF | Binary::LessEqualF | Binary::MinF | Binary::MaxF, ..) => {
            Freedoms { subnormals: true, ..none }
        }
        _ => none,
    };
    code.ops.iter().fold(none, |all, op| all.or(of(op)))
}
