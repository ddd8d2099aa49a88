//! One dispatch, on the GPU and in the sanitizer.

use std::sync::OnceLock;

use clamp_testing::harness::{Gpu, buffer, gpus, read, with_limits};
use clamp_testing::random::Random;
use wgsl_sanitizer::{Binding, Dispatch, Memory, Module, Outcome, everywhere};

/// WGSL with an entry point `main`.
pub struct Program {
    pub wgsl: String,
    /// Workgroups.
    pub grid: [u32; 3],
    /// The bytes of the storage buffers at bindings 0, 1 and so on of group 0.
    pub buffers: Vec<Vec<u8>>,
}

/// The bytes of random words, often of edge cases such as 0 or a power of two.
pub fn words(random: &mut Random, count: usize) -> Vec<u8> {
    let mut word = || {
        let bits = random.bits();
        let word = bits as u32;
        match bits >> 32 & 7 {
            0 => word % 8,
            1 => (word % 8).wrapping_neg(),
            2 => 0x7fff_ffff + word % 3,
            3 => 1 << (word % 32),
            4 => word % 65536,
            _ => word,
        }
    };
    (0..count).flat_map(|_| word().to_le_bytes()).collect()
}

/// The device of all tests.
fn gpu() -> &'static Gpu {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    GPU.get_or_init(|| {
        let gpu = gpus().find(|gpu| gpu.adapter.get_info().backend == wgpu::Backend::Vulkan);
        let adapter =
            &gpu.expect("no Vulkan; `cargo xtask drivers` installs a software driver where it can").adapter;
        with_limits(adapter, adapter.limits())
    })
}

impl Program {
    /// Runs the program on the GPU and on every device of the sanitizer.
    ///
    /// # Panics
    ///
    /// If the sanitizer finds something, or a byte differs.
    pub fn check(&self) {
        let Self { wgsl, grid, buffers } = self;
        let module = Module::parse(wgsl).unwrap_or_else(|error| panic!("{wgsl}\n{error}"));
        let program = module.program("main", &[]).unwrap_or_else(|error| panic!("{wgsl}\n{error}"));
        let before: Vec<_> = buffers.iter().map(|bytes| Memory::from_bytes(bytes)).collect();
        let bind = |(buffer, bytes): (usize, &Vec<u8>)| {
            let size = bytes.len() as u64;
            Binding { group: 0, binding: buffer as u32, buffer, offset: 0, size }
        };
        let bindings = buffers.iter().enumerate().map(bind).collect();
        let expected = self.on_gpu();
        for outcome in everywhere(&[Dispatch { program: &program, grid: *grid, bindings }], &before) {
            let Outcome { device, buffers, findings } = outcome;
            let findings: Vec<_> = findings.iter().map(ToString::to_string).collect();
            assert!(findings.is_empty(), "{wgsl}\n{device}: {findings:#?}");
            for (n, (got, expected)) in buffers.iter().zip(&expected).enumerate() {
                let differing = Memory::from_bytes(expected).first_difference(got).map(|byte| byte / 4);
                assert_eq!(
                    differing, None,
                    "{wgsl}\na word of buffer {n} differs on the GPU and on {device}"
                );
            }
        }
    }

    /// The bytes of all buffers after the dispatch.
    fn on_gpu(&self) -> Vec<Vec<u8>> {
        let gpu = gpu();
        let module = gpu.device().create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(self.wgsl.as_str().into()),
        });
        let pipeline = gpu.device().create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let buffers: Vec<_> = self.buffers.iter().map(|bytes| buffer(gpu, bytes)).collect();
        let entries = buffers
            .iter()
            .zip(0..)
            .map(|(buffer, binding)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() });
        let bind_group = gpu.device().create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries.collect::<Vec<_>>(),
        });
        let mut encoder = gpu.encoder();
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bind_group, &[]);
        let [x, y, z] = self.grid;
        pass.dispatch_workgroups(x, y, z);
        drop(pass);
        gpu.host.queue().submit([encoder.finish()]);
        buffers.iter().map(|buffer| read(gpu, buffer)).collect()
    }
}
