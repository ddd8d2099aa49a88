//! WGSL, and programs made of it.

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
    /// From the last on; those of a program with atomics one after the other.
    Backward,
    /// In large steps, so that those that run together are of several workgroups.
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

    /// One entry point. `constants`: the values of overridable constants by name, or by `@id` where they have one; the
    /// others have their defaults.
    ///
    /// # Errors
    ///
    /// [`Error::NoEntryPoint`], [`Error::Constants`], or [`Error::Unsupported`] if it has what is out of reach.
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
    /// Where in the WGSL a site of the code lies.
    pub(crate) fn source(&self, site: u32, grid: [u32; 3], invocation: u32) -> Source {
        self.code.source(&self.wgsl, site, grid, invocation)
    }

    /// Which choices of a device make a difference to it.
    #[must_use]
    pub const fn freedoms(&self) -> Freedoms {
        self.freedoms
    }

    /// Whether its invocations can act on each other, so that their order can make a difference without a race.
    #[must_use]
    pub fn has_atomics(&self) -> bool {
        self.code.has_atomics()
    }

    /// Runs a dispatch on `buffers`. What is wrong with it: a few findings at most, each line and kind once, whatever the
    /// call. And which choices of a device made a difference: one that differs in others does the same.
    ///
    /// # Panics
    ///
    /// A resource has no binding, or one of a buffer that is not there, or that reaches beyond its buffer, or is not of
    /// whole words; or there are 2^32 - 2 invocations or more.
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
