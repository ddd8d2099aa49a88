//! The pipelines of one device, compiled once each.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::scope;
use crate::Error;
use crate::shader::{Constants, EntryPoint, Module, Placement, ShaderKey};

/// A cache of pipelines. There is a fixed number of them, so it never needs to drop one.
pub(crate) struct Pipelines {
    one_buffer: Layouts,
    two_ranges: Layouts,
    two_buffers: Layouts,
    resolve: Layouts,
    /// Whether an invocation's packets lie next to each other.
    adjacent: bool,
    /// The driver's own cache, which a program may keep from run to run.
    cache: Option<wgpu::PipelineCache>,
    /// Those that are compiled, by [`Key::code`].
    compiled: RwLock<HashMap<u64, wgpu::ComputePipeline>>,
    modules: Mutex<HashMap<Module, Arc<Mutex<Option<wgpu::ShaderModule>>>>>,
}

struct Layouts {
    bind_group: wgpu::BindGroupLayout,
    pipeline: wgpu::PipelineLayout,
}

impl Pipelines {
    pub(crate) fn new(device: &wgpu::Device, cache: Option<wgpu::PipelineCache>) -> Result<Self, Error> {
        Ok(Self {
            one_buffer: Layouts::new(device, "one buffer", &[WRITE])?,
            two_ranges: Layouts::new(device, "two ranges", &[WRITE, WRITE])?,
            two_buffers: Layouts::new(device, "two buffers", &[READ, WRITE])?,
            resolve: Layouts::new(device, "resolve", &[READ, READ, WRITE])?,
            adjacent: adjacent(&device.adapter_info()),
            cache,
            compiled: RwLock::default(),
            modules: Mutex::default(),
        })
    }

    pub(crate) fn bind_group_layout(&self, module: Module) -> &wgpu::BindGroupLayout {
        &self.layouts(module).bind_group
    }

    /// How many pipelines have been compiled so far.
    pub(crate) fn compiled(&self) -> usize {
        self.compiled.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn find(&self, key: Key) -> Option<wgpu::ComputePipeline> {
        let compiled = self.compiled.read().unwrap_or_else(PoisonError::into_inner);
        let pipeline = compiled.get(&key.code())?.clone();
        log::debug!("pipeline {key}: cached");
        Some(pipeline)
    }

    /// The pipeline of an entry point. Whoever asks first compiles it, and who asks for the same one meanwhile
    /// waits; other modules compile at the same time. A failure is not kept.
    pub(crate) fn get(&self, device: &wgpu::Device, key: Key) -> Result<wgpu::ComputePipeline, Error> {
        let Key { module, entry_point, .. } = key;
        if let Some(pipeline) = self.find(key) {
            return Ok(pipeline);
        }
        let entry = Arc::clone(
            self.modules.lock().unwrap_or_else(PoisonError::into_inner).entry(module).or_default(),
        );
        let mut entry = entry.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody may have compiled it meanwhile.
        if let Some(pipeline) = self.find(key) {
            return Ok(pipeline);
        }
        log::debug!("pipeline {key}: compiling");
        let label = format!("wgpu-clamp {key}");
        let layout = &self.layouts(module).pipeline;
        let values = key.constants(self.adjacent);
        let (module, pipeline) = scope::catch(device, || {
            let module = entry.take().unwrap_or_else(|| {
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
                    constants: &values,
                },
                cache: self.cache.as_ref(),
            });
            (module, pipeline)
        })?;
        *entry = Some(module);
        self.compiled.write().unwrap_or_else(PoisonError::into_inner).insert(key.code(), pipeline.clone());
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

/// A thread of the CPU runs the invocations of a workgroup one after the other. On GL the kind of device is a guess from
/// its name; the order of GPUs then, which the tests run on Mesa's llvmpipe.
fn adjacent(info: &wgpu::AdapterInfo) -> bool {
    info.device_type == wgpu::DeviceType::Cpu && info.backend != wgpu::Backend::Gl
}

/// Names one pipeline.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) module: Module,
    pub(crate) entry_point: EntryPoint,
    pub(crate) constants: Constants,
}

impl Key {
    /// A number that no other pipeline has.
    fn code(self) -> u64 {
        let (module, constants) = (self.module, self.constants);
        let mut code = 0_u64;
        // Each field in as many bits as its largest value has.
        let mut push = |value: u64, bits: u32| code = (code << bits) | value;
        if let Module::Clamp(ShaderKey { dtype, step, kernel, placement }) = module {
            push(1, 1);
            push(dtype as u64, 4);
            push(step as u64, 2);
            push(kernel as u64, 3);
            push(placement as u64, 2);
        }
        push(self.entry_point as u64, 4);
        let Constants {
            rank,
            in_steps,
            lines,
            packets,
            squares,
            line_bytes,
            shifted,
            repeated,
            with_last,
            src_in_rows,
            owned,
        } = constants;
        push(rank.into(), 4);
        push(lines.into(), 4);
        push(packets.into(), 5);
        push(squares.into(), 9);
        push(line_bytes.into(), 3);
        for flag in [in_steps, shifted, repeated, with_last, src_in_rows, owned] {
            push(flag.into(), 1);
        }
        code
    }

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
