//! The pipelines of one device.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::cache::Recent;
use super::scope;
use crate::Error;
use crate::kernel::{EntryPoint, Placement};
use crate::shader::{Module, ModuleKey};

/// The pipelines that were used last, compiled once each.
pub(super) struct Pipelines {
    one_buffer: Layouts,
    two_ranges: Layouts,
    two_buffers: Layouts,
    resolve: Layouts,
    /// Whether an invocation's packets lie next to each other.
    adjacent: bool,
    /// The driver's own cache, which a program may keep from run to run.
    cache: Option<wgpu::PipelineCache>,
    compiled: RwLock<Recent<Key, wgpu::ComputePipeline>>,
    modules: Mutex<HashMap<Module, Arc<Mutex<Option<wgpu::ShaderModule>>>>>,
}

struct Layouts {
    bind_group: wgpu::BindGroupLayout,
    pipeline: wgpu::PipelineLayout,
}

impl Pipelines {
    /// The most that are kept. Lavapipe needs 2.4 MiB for each that has run.
    pub(super) const CAPACITY: usize = 256;

    /// How many there could be on any one device.
    pub(super) fn possible() -> usize {
        1 + ModuleKey::all().map(|key| key.entry_points().len()).sum::<usize>()
    }

    pub(super) fn new(device: &wgpu::Device, cache: Option<wgpu::PipelineCache>) -> Result<Self, Error> {
        Ok(Self {
            one_buffer: Layouts::new(device, "one buffer", &[WRITE])?,
            two_ranges: Layouts::new(device, "two ranges", &[WRITE, WRITE])?,
            two_buffers: Layouts::new(device, "two buffers", &[READ, WRITE])?,
            resolve: Layouts::new(device, "resolve", &[READ, READ, WRITE])?,
            adjacent: adjacent(&device.adapter_info()),
            cache,
            compiled: RwLock::new(Recent::new(Self::CAPACITY)),
            modules: Mutex::default(),
        })
    }

    pub(super) const fn bind_group_layout(&self, placement: Placement) -> &wgpu::BindGroupLayout {
        &self.layouts(placement).bind_group
    }

    pub(super) const fn resolve_layout(&self) -> &wgpu::BindGroupLayout {
        &self.resolve.bind_group
    }

    /// How many pipelines are kept.
    pub(super) fn compiled(&self) -> usize {
        self.compiled.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn find(&self, key: Key) -> Option<wgpu::ComputePipeline> {
        let compiled = self.compiled.read().unwrap_or_else(PoisonError::into_inner);
        let pipeline = compiled.get(&key)?.clone();
        log::debug!("pipeline {key}: cached");
        Some(pipeline)
    }

    /// The pipeline of an entry point. Whoever asks first compiles it, and who asks for the same one meanwhile
    /// waits; other modules compile at the same time. A failure is not kept.
    pub(super) fn get(&self, device: &wgpu::Device, key: Key) -> Result<wgpu::ComputePipeline, Error> {
        let Key { module: name, entry_point } = key;
        if let Some(pipeline) = self.find(key) {
            return Ok(pipeline);
        }
        let entry =
            Arc::clone(self.modules.lock().unwrap_or_else(PoisonError::into_inner).entry(name).or_default());
        let mut entry = entry.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody may have compiled it meanwhile.
        if let Some(pipeline) = self.find(key) {
            return Ok(pipeline);
        }
        log::debug!("pipeline {key}: compiling");
        let label = format!("wgpu-clamp {key}");
        let layout = match name {
            Module::Clamp(key) => &self.layouts(key.placement).pipeline,
            Module::Resolve => &self.resolve.pipeline,
        };
        let values = key.constants(self.adjacent);
        let (module, pipeline) = scope::catch(device, || {
            let module = entry.take().unwrap_or_else(|| {
                device.create_shader_module(wgpu::ShaderModuleDescriptor {
                    label: Some(&label),
                    source: wgpu::ShaderSource::Wgsl(name.source().into()),
                })
            });
            let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(&label),
                layout: Some(layout),
                module: &module,
                entry_point: Some(entry_point.name()),
                compilation_options: wgpu::PipelineCompilationOptions {
                    // No kernel has workgroup memory.
                    zero_initialize_workgroup_memory: false,
                    constants: &values,
                },
                cache: self.cache.as_ref(),
            });
            (module, pipeline)
        })?;
        *entry = Some(module);
        self.keep(key, &pipeline);
        Ok(pipeline)
    }

    fn keep(&self, key: Key, pipeline: &wgpu::ComputePipeline) {
        let mut compiled = self.compiled.write().unwrap_or_else(PoisonError::into_inner);
        let Some(given_up) = compiled.insert(key, pipeline.clone()) else { return };
        log::debug!("pipeline {given_up}: given up, the least recently used");
        if compiled.keys().all(|key| key.module != given_up.module) {
            self.modules.lock().unwrap_or_else(PoisonError::into_inner).remove(&given_up.module);
        }
    }

    const fn layouts(&self, placement: Placement) -> &Layouts {
        match placement {
            Placement::OneBuffer => &self.one_buffer,
            Placement::TwoRanges => &self.two_ranges,
            Placement::TwoBuffers => &self.two_buffers,
        }
    }
}

/// A thread of the CPU runs the invocations of a workgroup one after the other. On GL the kind of device is a guess from
/// its name; the order of GPUs then, which the tests run on Mesa's llvmpipe.
fn adjacent(info: &wgpu::AdapterInfo) -> bool {
    info.device_type == wgpu::DeviceType::Cpu && info.backend != wgpu::Backend::Gl
}

/// Names one pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) module: Module,
    pub(super) entry_point: EntryPoint,
}

impl Key {
    /// The values of the overridable constants that the module knows.
    fn constants(&self, adjacent: bool) -> Vec<(&'static str, f64)> {
        let mut constants = self.entry_point.constants();
        if matches!(self.module, Module::Clamp(_)) {
            constants.push(("ADJACENT", f64::from(u8::from(adjacent))));
        }
        constants
    }
}

/// For labels and the log.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Module::Clamp(ModuleKey { dtype, step, placement, .. }) = self.module {
            write!(f, "{dtype}, {step}, {placement}, ")?;
        }
        f.write_str(self.entry_point.name())
    }
}

const READ: wgpu::BufferBindingType = wgpu::BufferBindingType::Storage { read_only: true };
const WRITE: wgpu::BufferBindingType = wgpu::BufferBindingType::Storage { read_only: false };

impl Layouts {
    /// A uniform block at binding 0, then `storage`.
    fn new(device: &wgpu::Device, name: &str, storage: &[wgpu::BufferBindingType]) -> Result<Self, Error> {
        let entries: Vec<_> = [&[wgpu::BufferBindingType::Uniform], storage]
            .concat()
            .into_iter()
            .zip(0..)
            .map(|(ty, binding)| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
                count: None,
            })
            .collect();
        let label = format!("wgpu-clamp {name}");
        scope::catch(device, || {
            let bind_group = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some(&label),
                entries: &entries,
            });
            let pipeline = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(&label),
                bind_group_layouts: &[Some(&bind_group)],
                ..Default::default()
            });
            Self { bind_group, pipeline }
        })
    }
}
