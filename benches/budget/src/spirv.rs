//! From WGSL to SPIR-V as wgpu makes it for a driver with robust buffers.

use anyhow::{Context, Result, anyhow};
use naga::back::{PipelineConstants, pipeline_constants, spv};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// One entry point.
pub struct Compiled {
    /// The module.
    pub words: Vec<u32>,
    /// Bindings of its group.
    pub bindings: u32,
    /// Invocations in a workgroup.
    pub workgroup_size: u32,
}

/// Compiles one entry point, its overridable constants folded.
///
/// # Errors
///
/// naga refuses it.
pub fn compile(wgsl: &str, entry_point: &str, constants: &[(&str, f64)]) -> Result<Compiled> {
    let module =
        naga::front::wgsl::parse_str(wgsl).map_err(|error| anyhow!("{}", error.emit_to_string(wgsl)))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|error| anyhow!("{}", error.emit_to_string(wgsl)))?;
    let stage = naga::ShaderStage::Compute;
    let values: PipelineConstants = constants.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    let (ready, info) =
        pipeline_constants::process_overrides(&module, &info, Some((stage, entry_point)), &values)
            .map_err(|error| anyhow!("{error:?}"))?;
    let bound = ready.global_variables.iter().filter_map(|(_, variable)| variable.binding.as_ref());
    let bindings = bound.map(|bound| bound.binding + 1).max().unwrap_or(0);
    let named = ready.entry_points.iter().find(|entry| entry.name == entry_point);
    let [x, y, z] = named.context("no such entry point")?.workgroup_size;
    let options = spv::Options {
        lang_version: (1, 6),
        flags: spv::WriterFlags::empty(),
        // The driver checks buffers.
        bounds_check_policies: BoundsCheckPolicies {
            index: BoundsCheckPolicy::Restrict,
            ..BoundsCheckPolicies::default()
        },
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        ..spv::Options::default()
    };
    let pipeline = spv::PipelineOptions { shader_stage: stage, entry_point: entry_point.to_owned() };
    let words = spv::write_vec(&ready, &info, &options, Some(&pipeline))?;
    Ok(Compiled { words, bindings, workgroup_size: x * y * z })
}
