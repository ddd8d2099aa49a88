//! The pipelines of one device, compiled once each.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::Error;
use crate::scope;
use crate::shader::{EntryPoint, Placement, ShaderKey};

/// A cache of pipelines. There is a fixed number of them, so it never needs to drop one.
pub(crate) struct Pipelines {
    one_buffer: Layouts,
    two_buffers: Layouts,
    modules: Mutex<HashMap<ShaderKey, Arc<Mutex<Module>>>>,
    compiled: AtomicUsize,
}

struct Layouts {
    bind_group: wgpu::BindGroupLayout,
    pipeline: wgpu::PipelineLayout,
}

#[derive(Default)]
struct Module {
    module: Option<wgpu::ShaderModule>,
    pipelines: HashMap<EntryPoint, wgpu::ComputePipeline>,
}

impl Pipelines {
    pub(crate) fn new(device: &wgpu::Device) -> Result<Self, Error> {
        Ok(Self {
            one_buffer: Layouts::new(device, Placement::OneBuffer)?,
            two_buffers: Layouts::new(device, Placement::TwoBuffers)?,
            modules: Mutex::default(),
            compiled: AtomicUsize::new(0),
        })
    }

    pub(crate) fn bind_group_layout(&self, placement: Placement) -> &wgpu::BindGroupLayout {
        &self.layouts(placement).bind_group
    }

    /// How many pipelines have been compiled so far.
    pub(crate) fn compiled(&self) -> usize {
        self.compiled.load(Ordering::Relaxed)
    }

    /// The pipeline of an entry point. Whoever asks first compiles it, and who asks for the same one meanwhile
    /// waits; other modules compile at the same time. A failure is not kept.
    pub(crate) fn get(
        &self,
        device: &wgpu::Device,
        key: ShaderKey,
        entry_point: EntryPoint,
    ) -> Result<wgpu::ComputePipeline, Error> {
        let entry =
            Arc::clone(self.modules.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default());
        let mut entry = entry.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = entry.pipelines.get(&entry_point) {
            return Ok(pipeline.clone());
        }
        let label =
            format!("wgpu-clamp {} {:?} {:?} {}", key.dtype, key.step, key.placement, entry_point.name());
        log::debug!("compiling the pipeline {label}");
        let (module, pipeline) = scope::catch(device, || {
            let module = entry.module.take().unwrap_or_else(|| {
                device.create_shader_module(wgpu::ShaderModuleDescriptor {
                    label: Some(&label),
                    source: wgpu::ShaderSource::Wgsl(key.source().into()),
                })
            });
            let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(&label),
                layout: Some(&self.layouts(key.placement).pipeline),
                module: &module,
                entry_point: Some(entry_point.name()),
                compilation_options: wgpu::PipelineCompilationOptions {
                    // No kernel has workgroup memory.
                    zero_initialize_workgroup_memory: false,
                    ..Default::default()
                },
                cache: None,
            });
            (module, pipeline)
        })?;
        entry.module = Some(module);
        entry.pipelines.insert(entry_point, pipeline.clone());
        self.compiled.fetch_add(1, Ordering::Relaxed);
        Ok(pipeline)
    }

    const fn layouts(&self, placement: Placement) -> &Layouts {
        match placement {
            Placement::OneBuffer => &self.one_buffer,
            Placement::TwoBuffers => &self.two_buffers,
        }
    }
}

impl Layouts {
    fn new(device: &wgpu::Device, placement: Placement) -> Result<Self, Error> {
        let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        };
        let params = entry(0, wgpu::BufferBindingType::Uniform);
        let read = |binding| entry(binding, wgpu::BufferBindingType::Storage { read_only: true });
        let write = |binding| entry(binding, wgpu::BufferBindingType::Storage { read_only: false });
        let entries = match placement {
            Placement::OneBuffer => vec![params, write(1)],
            Placement::TwoBuffers => vec![params, read(1), write(2)],
        };
        let label = format!("wgpu-clamp {placement:?}");
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
