//! The shaders that the crate's test wrote into a directory, and the names of the files beside them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::options::Options;

/// A module, as `src/shader/export.rs` lists it.
#[derive(Deserialize)]
pub struct Module {
    number: usize,
    name: String,
    /// Whether naga writes it in SPIR-V alone, since it computes on `f64`.
    pub vulkan_only: bool,
    /// Whether slow compilers take it.
    sampled: bool,
    /// Pipelines, at least one for each entry point.
    pipelines: Vec<Pipeline>,
}

/// An entry point and values of its overridable constants.
#[derive(Deserialize)]
pub struct Pipeline {
    pub entry_point: String,
    pub constants: BTreeMap<String, f64>,
}

/// All modules.
pub struct List {
    /// The folder of their files.
    directory: PathBuf,
    /// The module `resolve`, then the kernels' modules.
    pub modules: Vec<Module>,
}

/// A pipeline with its module.
#[derive(Clone, Copy)]
pub struct Shader<'a> {
    directory: &'a Path,
    pub module: &'a Module,
    pub pipeline: &'a Pipeline,
}

impl List {
    /// Reads the list in a directory.
    pub fn read(directory: &Path) -> Result<Self> {
        let path = directory.join("list.json");
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Self { directory: directory.to_owned(), modules: serde_json::from_str(&text)? })
    }

    /// The file with a module's WGSL.
    pub fn wgsl(&self, module: &Module) -> PathBuf {
        self.directory.join(format!("{:05}.wgsl", module.number))
    }

    /// The pipelines of a module.
    pub fn of<'a>(&'a self, module: &'a Module) -> impl Iterator<Item = Shader<'a>> {
        module.pipelines.iter().map(move |pipeline| Shader { directory: &self.directory, module, pipeline })
    }

    /// All pipelines. naga writes each in SPIR-V.
    pub fn spirv(&self) -> Vec<Shader<'_>> {
        self.modules.iter().flat_map(|module| self.of(module)).collect()
    }

    /// The pipelines that naga writes in all languages.
    pub fn portable(&self) -> Vec<Shader<'_>> {
        self.spirv().into_iter().filter(|shader| !shader.module.vulkan_only).collect()
    }

    /// The pipelines for slow compilers.
    pub fn some(&self, options: &Options) -> Vec<Shader<'_>> {
        let modules = self.modules.iter().filter(|module| options.all || module.sampled);
        modules.flat_map(|module| self.of(module)).step_by(options.every).collect()
    }
}

impl Shader<'_> {
    /// The pipeline's file in a language.
    pub fn file(self, extension: &str) -> PathBuf {
        self.directory.join(format!("{:05}-{}.{extension}", self.module.number, self.pipeline.entry_point))
    }

    /// The pipeline's name in messages.
    pub fn name(self) -> String {
        let Self { module, pipeline, .. } = self;
        let constants = pipeline.constants.iter().map(|(name, value)| format!(" {name}={value}"));
        let constants: String = constants.collect();
        format!("{:05}, {}, {}{constants}", module.number, module.name, pipeline.entry_point)
    }
}
