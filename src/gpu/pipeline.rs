//! The pipelines of one device.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::cache::Recent;
use super::scope;
use crate::Error;
use crate::kernel::Placement;
use crate::shader::{Module, PipelineName, binding};

/// The pipelines used last, each compiled once.
pub(super) struct Pipelines {
    /// The layouts of the clamps' kernels: by placement, then without and with a binding for the table of numbers.
    layouts: [[Layouts; 2]; 3],
    gather: Layouts,
    compiled: Mutex<Compiled>,
}

struct Compiled {
    pipelines: Recent<PipelineName, wgpu::ComputePipeline>,
    /// The modules of the kept pipelines. A module is `None` until its first pipeline is compiled.
    modules: HashMap<Module, Arc<Mutex<Option<wgpu::ShaderModule>>>>,
}

struct Layouts {
    bind_group: wgpu::BindGroupLayout,
    pipeline: wgpu::PipelineLayout,
}

impl Pipelines {
    /// The most pipelines that are kept. lavapipe needs 2.4 MiB per pipeline that has run.
    pub(super) const CAPACITY: usize = 256;

    pub(super) fn new(device: &wgpu::Device) -> Result<Self, Error> {
        let slots = binding::gather::SLOTS.map(|binding| (binding, READ));
        let gather = [&slots[..], &[(binding::gather::TABLE, WRITE)]].concat();
        let compiled = Compiled { pipelines: Recent::new(Self::CAPACITY), modules: HashMap::new() };
        scope::catch(device, || Self {
            layouts: Placement::ALL
                .map(|placement| [false, true].map(|has_table| Layouts::of(device, placement, has_table))),
            gather: Layouts::new(device, "gather", &gather),
            compiled: Mutex::new(compiled),
        })
    }

    /// The bind group layout of a placement. `has_table`: with a binding for the table of numbers.
    pub(super) const fn bind_group_layout(
        &self,
        placement: Placement,
        has_table: bool,
    ) -> &wgpu::BindGroupLayout {
        &self.layouts[placement as usize][has_table as usize].bind_group
    }

    pub(super) const fn gather_layout(&self) -> &wgpu::BindGroupLayout {
        &self.gather.bind_group
    }

    pub(super) fn kept(&self) -> usize {
        self.compiled().pipelines.len()
    }

    /// Returns the pipeline of an entry point. The first thread that asks compiles it. Threads that ask for pipelines
    /// of the same module wait; other modules compile concurrently. A failure is not kept (native only: the web reports
    /// later).
    pub(super) fn get(
        &self,
        device: &wgpu::Device,
        name: PipelineName,
        driver_cache: Option<&wgpu::PipelineCache>,
    ) -> Result<wgpu::ComputePipeline, Error> {
        if let Some(pipeline) = self.find(name) {
            return Ok(pipeline);
        }
        let entry = Arc::clone(self.compiled().modules.entry(name.module).or_default());
        let mut module = entry.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have compiled the pipeline meanwhile.
        if let Some(pipeline) = self.find(name) {
            return Ok(pipeline);
        }
        log::debug!("pipeline {name}: compiling");
        let compiled = self.compile(device, name, module.take(), driver_cache);
        if let Ok((compiled, pipeline)) = &compiled {
            *module = Some(compiled.clone());
            let given_up = self.compiled().pipelines.insert(name, pipeline.clone());
            if let Some(given_up) = given_up {
                log::debug!("pipeline {given_up}: given up, the least recently used");
                self.compiled().forget_unused(given_up.module);
            }
        }
        drop(module);
        drop(entry);
        self.compiled().forget_unused(name.module);
        compiled.map(|(_, pipeline)| pipeline)
    }

    fn find(&self, name: PipelineName) -> Option<wgpu::ComputePipeline> {
        let pipeline = self.compiled().pipelines.get(&name)?.clone();
        log::debug!("pipeline {name}: cached");
        Some(pipeline)
    }

    fn compiled(&self) -> MutexGuard<'_, Compiled> {
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn compile(
        &self,
        device: &wgpu::Device,
        name: PipelineName,
        module: Option<wgpu::ShaderModule>,
        driver_cache: Option<&wgpu::PipelineCache>,
    ) -> Result<(wgpu::ShaderModule, wgpu::ComputePipeline), Error> {
        let label = format!("wgpu-clamp {name}");
        let layout = match name.module {
            Module::Clamp(module) => &self.layouts[module.placement as usize][module.parameters as usize],
            Module::Gather => &self.gather,
            Module::Probe => unreachable!("`Host::check_f16` compiles the probe itself"),
        };
        let constants = name.constants();
        scope::catch(device, || {
            let module = module.unwrap_or_else(|| {
                device.create_shader_module(wgpu::ShaderModuleDescriptor {
                    label: Some(&label),
                    source: wgpu::ShaderSource::Wgsl(name.module.source().into()),
                })
            });
            let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(&label),
                layout: Some(&layout.pipeline),
                module: &module,
                entry_point: Some(name.entry_point.name),
                compilation_options: wgpu::PipelineCompilationOptions {
                    // Kernels store workgroup memory before they load it.
                    zero_initialize_workgroup_memory: false,
                    constants: &constants,
                },
                cache: driver_cache,
            });
            (module, pipeline)
        })
    }
}

impl Compiled {
    /// Drops a module without kept pipelines, unless a thread is about to compile one.
    fn forget_unused(&mut self, module: Module) {
        let idle = |entry: &Arc<Mutex<_>>| Arc::strong_count(entry) == 1;
        if self.modules.get(&module).is_some_and(idle)
            && self.pipelines.keys().all(|name| name.module != module)
        {
            self.modules.remove(&module);
        }
    }
}

const READ: wgpu::BufferBindingType = wgpu::BufferBindingType::Storage { read_only: true };
const WRITE: wgpu::BufferBindingType = wgpu::BufferBindingType::Storage { read_only: false };

impl Layouts {
    /// The layouts of a clamp's kernels. `has_table`: with a binding for the table of numbers.
    fn of(device: &wgpu::Device, placement: Placement, has_table: bool) -> Self {
        let mut storage = match placement {
            Placement::OneBuffer => vec![(binding::SRC, WRITE)],
            Placement::TwoRanges => vec![(binding::SRC, WRITE), (binding::DST, WRITE)],
            Placement::TwoBuffers => vec![(binding::SRC, READ), (binding::DST, WRITE)],
        };
        if has_table {
            storage.push((binding::TABLE, READ));
        }
        Self::new(device, &placement.to_string(), &storage)
    }

    /// The layouts with a uniform block and the `storage` bindings. Call it within an error scope.
    fn new(device: &wgpu::Device, name: &str, storage: &[(u32, wgpu::BufferBindingType)]) -> Self {
        let label = format!("wgpu-clamp {name}");
        let entries: Vec<_> = [&[(binding::PARAMS, wgpu::BufferBindingType::Uniform)], storage]
            .concat()
            .into_iter()
            .map(|(binding, ty)| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
                count: None,
            })
            .collect();
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
    }
}
