//! The pipelines of one device, compiled once each.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::Error;
use crate::scope;
use crate::shader::{Constants, EntryPoint, Module, Placement, ShaderKey};

/// A cache of pipelines. There is a fixed number of them, so it never needs to drop one.
pub(crate) struct Pipelines {
    one_buffer: Layouts,
    two_ranges: Layouts,
    two_buffers: Layouts,
    resolve: Layouts,
    /// Whether an invocation's packets lie next to each other.
    adjacent: bool,
    modules: Mutex<HashMap<Module, Arc<Mutex<Compiled>>>>,
    compiled: AtomicUsize,
}

struct Layouts {
    bind_group: wgpu::BindGroupLayout,
    pipeline: wgpu::PipelineLayout,
}

#[derive(Default)]
struct Compiled {
    module: Option<wgpu::ShaderModule>,
    pipelines: HashMap<(EntryPoint, Constants), wgpu::ComputePipeline>,
}

impl Pipelines {
    pub(crate) fn new(device: &wgpu::Device) -> Result<Self, Error> {
        Ok(Self {
            one_buffer: Layouts::new(device, "one buffer", &[WRITE])?,
            two_ranges: Layouts::new(device, "two ranges", &[WRITE, WRITE])?,
            two_buffers: Layouts::new(device, "two buffers", &[READ, WRITE])?,
            resolve: Layouts::new(device, "resolve", &[READ, READ, WRITE])?,
            // A thread of the CPU runs the invocations of a workgroup one after the other.
            adjacent: device.adapter_info().device_type == wgpu::DeviceType::Cpu,
            modules: Mutex::default(),
            compiled: AtomicUsize::new(0),
        })
    }

    pub(crate) fn bind_group_layout(&self, module: Module) -> &wgpu::BindGroupLayout {
        &self.layouts(module).bind_group
    }

    /// How many pipelines have been compiled so far.
    pub(crate) fn compiled(&self) -> usize {
        self.compiled.load(Ordering::Relaxed)
    }

    /// The pipeline of an entry point. Whoever asks first compiles it, and who asks for the same one meanwhile
    /// waits; other modules compile at the same time. A failure is not kept.
    pub(crate) fn get(&self, device: &wgpu::Device, key: Key) -> Result<wgpu::ComputePipeline, Error> {
        let Key { module, entry_point, constants } = key;
        let entry = Arc::clone(
            self.modules.lock().unwrap_or_else(PoisonError::into_inner).entry(module).or_default(),
        );
        let mut entry = entry.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = entry.pipelines.get(&(entry_point, constants)) {
            log::debug!("pipeline {key}: cached");
            return Ok(pipeline.clone());
        }
        log::debug!("pipeline {key}: compiling");
        let label = format!("wgpu-clamp {key}");
        let layout = &self.layouts(module).pipeline;
        let constants_of = key.constants(self.adjacent);
        let (module, pipeline) = scope::catch(device, || {
            let module = entry.module.take().unwrap_or_else(|| {
                device.create_shader_module(wgpu::ShaderModuleDescriptor {
                    label: Some(&label),
                    source: wgpu::ShaderSource::Wgsl(module.source().into()),
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
                    constants: &constants_of,
                },
                cache: None,
            });
            (module, pipeline)
        })?;
        entry.module = Some(module);
        entry.pipelines.insert((entry_point, constants), pipeline.clone());
        self.compiled.fetch_add(1, Ordering::Relaxed);
        Ok(pipeline)
    }

    const fn layouts(&self, module: Module) -> &Layouts {
        match module {
            Module::Clamp(ShaderKey { placement: Placement::OneBuffer, .. }) => &self.one_buffer,
            Module::Clamp(ShaderKey { placement: Placement::TwoRanges, .. }) => &self.two_ranges,
            Module::Clamp(ShaderKey { placement: Placement::TwoBuffers, .. }) => &self.two_buffers,
            Module::Resolve => &self.resolve,
        }
    }
}

/// Names one pipeline.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) module: Module,
    pub(crate) entry_point: EntryPoint,
    pub(crate) constants: Constants,
}

impl Key {
    /// The values of the overridable constants that the entry point knows.
    fn constants(&self, adjacent: bool) -> Vec<(&'static str, f64)> {
        match self.module {
            Module::Clamp(ShaderKey { dtype, .. }) => {
                self.constants.of(self.entry_point, dtype.bits(), adjacent)
            }
            Module::Resolve => vec![],
        }
    }
}

/// For labels and the log.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Module::Clamp(ShaderKey { dtype, step, placement, .. }) = self.module {
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
