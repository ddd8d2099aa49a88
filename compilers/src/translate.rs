//! Translates WGSL to the languages of drivers. The options are those of wgpu-hal 30 for the crate's pipeline layouts:
//! one bind group of buffers, no dynamic offset, no immediates.

use std::collections::BTreeMap;

use anyhow::{Context, Result, anyhow, ensure};
pub use naga::ResourceBinding;
use naga::back::{PipelineConstants, glsl, hlsl, msl, pipeline_constants, spv};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, ShaderStage, StorageAccess};

/// A module that naga has validated.
pub struct Module {
    module: naga::Module,
    info: ModuleInfo,
}

/// An entry point of a module, with its overridable constants replaced by values.
pub struct Pipeline {
    module: naga::Module,
    info: ModuleInfo,
    entry_point: String,
    /// The buffers of the bind group, whether or not the entry point uses them.
    buffers: BTreeMap<ResourceBinding, Buffer>,
}

/// The kind of a bound buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Buffer {
    Uniform,
    Read,
    ReadWrite,
}

impl Module {
    /// Reads WGSL.
    pub fn parse(wgsl: &str) -> Result<Self> {
        let module =
            naga::front::wgsl::parse_str(wgsl).map_err(|error| anyhow!("{}", error.emit_to_string(wgsl)))?;
        let info = Validator::new(ValidationFlags::all(), Capabilities::all())
            .validate(&module)
            .map_err(|error| anyhow!("{}", error.emit_to_string(wgsl)))?;
        Ok(Self { module, info })
    }

    /// Gives the overridable constants their values.
    pub fn pipeline<'a>(
        &self,
        entry_point: &str,
        constants: impl IntoIterator<Item = (&'a str, f64)>,
    ) -> Result<Pipeline> {
        let constants: PipelineConstants =
            constants.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let stage = Some((ShaderStage::Compute, entry_point));
        let (module, info) =
            pipeline_constants::process_overrides(&self.module, &self.info, stage, &constants)
                .map_err(|error| anyhow!("{error:?}"))?;
        let buffers = self.module.global_variables.iter().filter_map(|(_, variable)| {
            let buffer = match variable.space {
                AddressSpace::Uniform => Buffer::Uniform,
                AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => {
                    Buffer::ReadWrite
                }
                AddressSpace::Storage { .. } => Buffer::Read,
                _ => return None,
            };
            variable.binding.map(|binding| (binding, buffer))
        });
        Ok(Pipeline {
            buffers: buffers.collect(),
            entry_point: entry_point.to_owned(),
            module: module.into_owned(),
            info: info.into_owned(),
        })
    }
}

impl Pipeline {
    /// How many bindings the bind group has.
    pub fn bindings(&self) -> u32 {
        self.buffers.keys().map(|at| at.binding + 1).max().unwrap_or(0)
    }

    /// Invocations in a workgroup.
    pub fn workgroup_size(&self) -> Result<u32> {
        let named = self.module.entry_points.iter().find(|entry| entry.name == self.entry_point);
        Ok(named.context("no such entry point")?.workgroup_size.iter().product())
    }

    /// SPIR-V for a driver of Vulkan 1.3 that checks buffers itself (`robustBufferAccess2`).
    pub fn spirv(&self) -> Result<Vec<u32>> {
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
            shader_stage: ShaderStage::Compute,
            entry_point: self.entry_point.clone(),
        };
        Ok(spv::write_vec(&self.module, &self.info, &options, Some(&pipeline))?)
    }

    /// GLSL ES 3.10, the oldest version that has compute shaders.
    pub fn glsl(&self) -> Result<String> {
        let storage = |buffer| usize::from(buffer != Buffer::Uniform);
        let slots = self.slots(storage).map(|(at, _, slot)| (at, slot as u8));
        let options = glsl::Options {
            version: glsl::Version::new_gles(310),
            writer_flags: glsl::WriterFlags::ADJUST_COORDINATE_SPACE | glsl::WriterFlags::FORCE_POINT_SIZE,
            binding_map: slots.collect(),
            zero_initialize_workgroup_memory: false,
        };
        let pipeline = glsl::PipelineOptions {
            shader_stage: ShaderStage::Compute,
            entry_point: self.entry_point.clone(),
            multiview: None,
        };
        let mut text = String::new();
        let policies = BoundsCheckPolicies::default();
        glsl::Writer::new(&mut text, &self.module, &self.info, &options, &pipeline, policies)?.write()?;
        Ok(text)
    }

    /// The registers of the HLSL with their bindings. wgpu's own constants, which no shader of the crate reads, are in
    /// bind group 1.
    pub fn registers(&self) -> Vec<(String, ResourceBinding)> {
        let slots = self.slots(|buffer| buffer as usize);
        let own = (format!("b{}", self.uniforms()), ResourceBinding { group: 1, binding: 0 });
        slots
            .map(|(at, buffer, slot)| (format!("{}{slot}", ["b", "t", "u"][buffer as usize]), at))
            .chain([own])
            .collect()
    }

    fn uniforms(&self) -> u32 {
        self.buffers.values().filter(|buffer| **buffer == Buffer::Uniform).count() as u32
    }

    /// HLSL for shader model 6.0, the oldest that DXC takes.
    pub fn hlsl(&self) -> Result<String> {
        let slots = self.slots(|buffer| buffer as usize);
        let target = |register| hlsl::BindTarget { register, ..Default::default() };
        let options = hlsl::Options {
            shader_model: hlsl::ShaderModel::V6_0,
            binding_map: slots.map(|(at, _, slot)| (at, target(slot))).collect(),
            fake_missing_bindings: false,
            special_constants_binding: Some(target(self.uniforms())),
            zero_initialize_workgroup_memory: false,
            restrict_indexing: true,
            force_loop_bounding: true,
            ..hlsl::Options::default()
        };
        let entry_point = Some((ShaderStage::Compute, self.entry_point.clone()));
        let pipeline = hlsl::PipelineOptions { entry_point };
        let mut text = String::new();
        let written =
            hlsl::Writer::new(&mut text, &options, &pipeline).write(&self.module, &self.info, None)?;
        let mut names = written.entry_point_names.into_iter();
        let name = names.next().context("no entry point")?.map_err(|error| anyhow!("{error}"))?;
        ensure!(name == self.entry_point, "`{}` became `{name}`", self.entry_point);
        Ok(text)
    }

    /// MSL 2.4, of macOS 12.
    pub fn msl(&self) -> Result<String> {
        let slots = self.slots(|_| 0).map(|(at, buffer, slot)| {
            let mutable = buffer == Buffer::ReadWrite;
            (at, msl::BindTarget { buffer: Some(slot as u8), mutable, ..Default::default() })
        });
        let resources = msl::EntryPointResources {
            resources: slots.collect(),
            // The buffers' lengths come behind the buffers.
            sizes_buffer: Some(self.buffers.len() as u8),
            ..Default::default()
        };
        let options = msl::Options {
            lang_version: (2, 4),
            per_entry_point_map: [(self.entry_point.clone(), resources)].into(),
            fake_missing_bindings: false,
            spirv_cross_compatibility: false,
            bounds_check_policies: BoundsCheckPolicies {
                index: BoundsCheckPolicy::Restrict,
                buffer: BoundsCheckPolicy::Restrict,
                image_load: BoundsCheckPolicy::Restrict,
                binding_array: BoundsCheckPolicy::Unchecked,
            },
            zero_initialize_workgroup_memory: false,
            force_loop_bounding: true,
            ..msl::Options::default()
        };
        let entry_point = Some((ShaderStage::Compute, self.entry_point.clone()));
        let pipeline =
            msl::PipelineOptions { entry_point, vertex_pulling_transform: true, ..Default::default() };
        Ok(msl::write_string(&self.module, &self.info, &options, &pipeline)?.0)
    }

    /// The bindings in order. Each class of buffers numbers its bindings from 0.
    fn slots(&self, class: impl Fn(Buffer) -> usize) -> impl Iterator<Item = (ResourceBinding, Buffer, u32)> {
        let mut next = [0; 3];
        self.buffers.iter().map(move |(at, buffer)| {
            let next = &mut next[class(*buffer)];
            *next += 1;
            (*at, *buffer, *next - 1)
        })
    }
}
