//! The compiler's figures of each kernel.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, anyhow};
use indicatif::{ProgressBar, ProgressIterator as _};
use naga::back::{pipeline_constants, spv};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};

use crate::aco::Compiler;
use crate::rows::{Kernel, Row};

/// The figures of one kernel.
pub struct Figures {
    /// Instructions of one wave's program. A loop's body counts once.
    pub instructions: u64,
    pub vgprs: u64,
    /// Registers that did not fit.
    pub spills: u64,
    /// Waves that a SIMD unit can hold at a time.
    pub waves: u64,
    /// The compiler's estimate of cycles per wave when many run.
    pub cycles: u64,
    /// Invocations in a workgroup. The module says this, not the compiler.
    pub workgroup_size: u64,
    /// The driver's time in milliseconds, which varies from run to run.
    pub compile_ms: f64,
}

/// Figures by [`Kernel::name`].
pub type All = BTreeMap<String, Figures>;

/// Compiles the kernels of rows. Fails if naga or the driver refuses one.
pub fn figures(compiler: &Compiler, rows: &[Row]) -> Result<All> {
    let kernels: BTreeMap<_, _> =
        rows.iter().flat_map(|row| &row.kernels).map(|kernel| (kernel.name.clone(), kernel)).collect();
    let bar = ProgressBar::new(kernels.len() as u64);
    let of = |(name, kernel): (String, &Kernel)| {
        let figures = compiled(compiler, kernel).with_context(|| name.clone())?;
        Ok((name, figures))
    };
    kernels.into_iter().progress_with(bar).map(of).collect()
}

fn compiled(compiler: &Compiler, kernel: &Kernel) -> Result<Figures> {
    let (spirv, workgroup_size) = spirv(kernel)?;
    let made = compiler.compile(&spirv, kernel.entry_point)?;
    let get = |name: &str| {
        made.statistics.get(name).copied().with_context(|| format!("the driver does not tell `{name}`"))
    };
    Ok(Figures {
        instructions: get("Instructions")?,
        vgprs: get("VGPRs")?,
        spills: get("Spilled SGPRs")? + get("Spilled VGPRs")?,
        waves: get("Subgroups per SIMD")?,
        cycles: get("Inverse Throughput")?,
        workgroup_size,
        compile_ms: made.ms,
    })
}

/// The SPIR-V of a pipeline, with the options of wgpu-hal 30 for a driver of Vulkan 1.3 that checks buffers itself
/// (`robustBufferAccess2`), and the invocations of a workgroup.
fn spirv(kernel: &Kernel) -> Result<(Vec<u32>, u64)> {
    let Kernel { wgsl, entry_point, constants, .. } = kernel;
    let module =
        naga::front::wgsl::parse_str(wgsl).map_err(|error| anyhow!("{}", error.emit_to_string(wgsl)))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|error| anyhow!("{}", error.emit_to_string(wgsl)))?;
    let constants = constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let stage = Some((naga::ShaderStage::Compute, *entry_point));
    let (module, info) = pipeline_constants::process_overrides(&module, &info, stage, &constants)
        .map_err(|error| anyhow!("{error:?}"))?;
    let options = spv::Options {
        lang_version: (1, 6),
        flags: spv::WriterFlags::empty(),
        bounds_check_policies: BoundsCheckPolicies {
            index: BoundsCheckPolicy::Restrict,
            ..BoundsCheckPolicies::default()
        },
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        ..spv::Options::default()
    };
    let pipeline = spv::PipelineOptions {
        shader_stage: naga::ShaderStage::Compute,
        entry_point: (*entry_point).to_owned(),
    };
    let entry = module.entry_points.iter().find(|entry| entry.name == *entry_point);
    let size = entry.context("no such entry point")?.workgroup_size.iter().product::<u32>();
    Ok((spv::write_vec(&module, &info, &options, Some(&pipeline))?, size.into()))
}
