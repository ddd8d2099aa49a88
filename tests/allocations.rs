//! Compares the crate's allocations with the allocations of the same wgpu calls written by hand.
//!
//! A test program of its own, because a program has one allocator. The allocator counts what Rust code allocates on
//! each thread; drivers have their own allocators.

use std::future::Future as _;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};

use allocation_counter::{AllocationInfo, measure};
use clamp_testing::harness::{Gpu, buffer, gpus, with_limits};
use wgpu_clamp::{Clamp, Clamps, Layout, Limits, Operands, Plan, Prepared, View, wgpu};

/// How often a clamp is recorded.
const TIMES: usize = 4000;

/// Elements of each tensor. In U8, they fill whole packets and a part of one, so a clamp takes two dispatches.
const LEN: usize = 1021;

/// wgpu's own tables grow while another thread works on an adapter, so the tests take turns.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number of allocations in a call, and their bytes in all.
fn allocated(call: impl FnOnce()) -> (u64, u64) {
    let AllocationInfo { count_total, bytes_total, .. } = measure(call);
    (count_total, bytes_total)
}

/// A program that uses wgpu without this crate, with the bindings of a clamp between two buffers.
struct ByHand {
    layout: wgpu::BindGroupLayout,
    pipelines: [wgpu::ComputePipeline; 2],
}

impl ByHand {
    fn new(gpu: &Gpu) -> Self {
        use wgpu::BufferBindingType::{Storage, Uniform};
        let entry = |(binding, ty)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        };
        let bindings = [(0, Uniform), (1, Storage { read_only: true }), (2, Storage { read_only: false })];
        let device = gpu.device();
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &bindings.map(entry),
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            bind_group_layouts: &[Some(&layout)],
            ..Default::default()
        });
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(
                "@group(0) @binding(0) var<uniform> params: vec4<u32>;
                @group(0) @binding(1) var<storage, read> src: array<u32>;
                @group(0) @binding(2) var<storage, read_write> dst: array<u32>;
                @compute @workgroup_size(1) fn one() { dst[0] = src[0] + params.x; }
                @compute @workgroup_size(1) fn two() { dst[1] = src[1] + params.x; }"
                    .into(),
            ),
        });
        let pipelines = ["one", "two"].map(|entry_point| {
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: None,
                layout: Some(&pipeline_layout),
                module: &module,
                entry_point: Some(entry_point),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        });
        Self { layout, pipelines }
    }

    fn bind(&self, gpu: &Gpu, params: &wgpu::Buffer, buffers: [&wgpu::Buffer; 2]) -> wgpu::BindGroup {
        let [src, dst] = buffers.map(wgpu::Buffer::as_entire_binding);
        let resources = [params.as_entire_binding(), src, dst].into_iter().zip(0..);
        let mut entries = [const { None }; 3];
        for (entry, (resource, binding)) in entries.iter_mut().zip(resources) {
            *entry = Some(wgpu::BindGroupEntry { binding, resource });
        }
        gpu.device().create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("wgpu-clamp"),
            layout: &self.layout,
            entries: &entries.map(Option::unwrap),
        })
    }
}

/// A uniform buffer as [`wgpu_clamp::Clamper::prepare`] makes one.
fn params(gpu: &Gpu, size: u64) -> wgpu::Buffer {
    let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: Some("wgpu-clamp params"),
        size,
        usage: wgpu::BufferUsages::UNIFORM,
        mapped_at_creation: true,
    });
    let bytes = &[0; 4096][..size as usize];
    buffer.get_mapped_range_mut(..).unwrap().slice(..bytes.len()).copy_from_slice(bytes);
    buffer.unmap();
    buffer
}

/// Runs `create` in three error scopes, as the crate does.
fn scoped<T>(gpu: &Gpu, create: impl FnOnce() -> T) -> T {
    use wgpu::ErrorFilter::{Internal, OutOfMemory, Validation};
    let scopes = [Internal, Validation, OutOfMemory].map(|filter| gpu.device().push_error_scope(filter));
    let created = create();
    for scope in scopes.into_iter().rev() {
        assert!(pin!(scope.pop()).poll(&mut Context::from_waker(Waker::noop())).is_ready());
    }
    created
}

/// A round of a program: an encoder, a pass, a submission, and a wait for its end. Returns the allocations within
/// the pass and in the whole round.
fn round(gpu: &Gpu, record: impl FnOnce(&mut wgpu::ComputePass<'_>)) -> [(u64, u64); 2] {
    let mut in_pass = (0, 0);
    let whole = allocated(|| {
        let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            in_pass = allocated(|| record(&mut pass));
        }
        gpu.host.queue().submit([encoder.finish()]);
        gpu.device().poll(wgpu::PollType::wait_indefinitely()).unwrap();
    });
    [in_pass, whole]
}

/// Two buffers, and clamps between them.
struct Tensors {
    buffers: [wgpu::Buffer; 2],
}

impl Tensors {
    fn new(gpu: &Gpu) -> Self {
        Self { buffers: [buffer(gpu, &[0; 4 * LEN]), buffer(gpu, &[0; 4 * LEN])] }
    }

    fn prepare(&self, gpu: &Gpu, clamp: &Clamp) -> Prepared {
        let [src, dst] = self.buffers.each_ref().map(|buffer| View::of::<u8>(buffer, packed(&[LEN])));
        gpu.clamper().prepare(clamp, Operands::new(src, dst)).unwrap()
    }
}

fn packed(shape: &[usize]) -> Layout {
    Layout::packed(shape).unwrap()
}

/// [`Prepared::record`] allocates only what its calls of wgpu allocate.
#[test]
fn recording_allocates_what_wgpu_does() {
    let _turn = turn();
    for gpu in gpus() {
        let (by_hand, tensors) = (ByHand::new(gpu), Tensors::new(gpu));
        let [src, dst] = &tensors.buffers;
        let group = by_hand.bind(gpu, &params(gpu, 384), [src, dst]);
        let clamp = tensors.prepare(gpu, &Clamp::new(1_u8, 2));
        assert_eq!(clamp.dispatches(), 2);

        let ours = || {
            round(gpu, |pass| {
                for _ in 0..TIMES {
                    clamp.record(pass);
                }
            })
        };
        let theirs = || {
            round(gpu, |pass| {
                for _ in 0..TIMES {
                    pass.set_pipeline(&by_hand.pipelines[0]);
                    pass.set_bind_group(0, &group, &[]);
                    pass.dispatch_workgroups(1, 1, 1);
                    pass.set_pipeline(&by_hand.pipelines[1]);
                    pass.dispatch_workgroups(1, 1, 1);
                }
            })
        };
        // The first rounds grow wgpu's own tables.
        let _warm = (ours(), theirs(), ours(), theirs());
        let (ours, theirs) = (ours(), theirs());
        println!("record, {TIMES} times, {}: {ours:?}, by hand {theirs:?}", gpu.name);
        assert_eq!(ours, theirs, "{}", gpu.name);
    }
}

/// Preparing a clamp whose pipelines are cached makes at most five allocations beside those of wgpu, for example for
/// bind group entries, pipelines, dispatches, and the shared slice of dispatches. Without a logger, it formats nothing.
#[test]
fn preparing_formats_and_keeps_nothing_else() {
    let _turn = turn();
    for gpu in gpus() {
        let (by_hand, tensors) = (ByHand::new(gpu), Tensors::new(gpu));
        let [src, dst] = &tensors.buffers;
        let clamp = Clamp::new(1_u8, 2);
        // Bytes of the uniform block: 16 for integer bounds, 16 for no affine step, 256 for a block's geometry.
        let theirs = || allocated(|| drop(scoped(gpu, || by_hand.bind(gpu, &params(gpu, 288), [src, dst]))));
        let ours = || allocated(|| drop(tensors.prepare(gpu, &clamp)));
        let settle = || {
            gpu.host.queue().submit([]);
            gpu.device().poll(wgpu::PollType::wait_indefinitely()).unwrap();
        };
        for _ in 0..4 {
            let _warm = (ours(), theirs());
            settle();
        }
        // The least of a few rounds: on Vulkan, one allocation of 1,792 bytes is wgpu's and depends on what ran before.
        let least = |one: &dyn Fn() -> (u64, u64)| {
            let rounds = (0..5).map(|_| {
                settle();
                one()
            });
            rounds.min().unwrap()
        };
        let (ours, theirs) = (least(&ours), least(&theirs));
        println!("prepare, {}: {ours:?}, by hand {theirs:?}", gpu.name);
        // Five of ours, and that one of wgpu's.
        assert!((theirs.0..=theirs.0 + 6).contains(&ours.0), "{ours:?}, {theirs:?} on {}", gpu.name);
    }
}

/// After a warm-up, rounds of preparing, recording and submitting do not raise the number of live allocations or bytes.
#[test]
fn rounds_leak_nothing() {
    const ROUNDS: usize = 200;
    let _turn = turn();
    for gpu in gpus() {
        let tensors = Tensors::new(gpu);
        let kept = tensors.prepare(gpu, &Clamp::new(1_u8, 2));
        let once = |n: usize| {
            let fresh = tensors.prepare(gpu, &Clamp::new(n as u8, 200));
            let again = kept.clone();
            round(gpu, |pass| {
                for _ in 0..10 {
                    kept.record(pass);
                    fresh.record(pass);
                    again.record(pass);
                }
            });
        };
        (0..50).for_each(once);
        let mut level = (0, 0);
        let mut levels = Vec::new();
        for n in 0..ROUNDS {
            let AllocationInfo { count_current, bytes_current, .. } = measure(|| once(n));
            level = (level.0 + count_current, level.1 + bytes_current);
            levels.push(level);
        }
        // wgpu recycles some of its objects by the dozen, so the level goes up and down within a few rounds.
        let (count, bytes) = levels.split_off(ROUNDS / 2).into_iter().min().unwrap();
        println!("{ROUNDS} rounds, {}: {count} allocations, {bytes} bytes more", gpu.name);
        assert!(count <= 0 && bytes <= 0, "{count} allocations, {bytes} bytes more on {}", gpu.name);
    }
}

/// More channels than the device can bind are refused before their table is made.
#[test]
fn channels_without_room_allocate_an_error() {
    const CHANNELS: u16 = 20_000;
    let _turn = turn();
    for gpu in gpus() {
        let limits =
            wgpu::Limits { max_storage_buffer_binding_size: 1 << 17, ..wgpu::Limits::downlevel_defaults() };
        let gpu = with_limits(&gpu.adapter, limits);
        let clamps: Vec<_> = (0..CHANNELS).map(|n| Clamp::at_most(f32::from(n))).collect();
        let data = buffer(&gpu, &vec![0; 4 * clamps.len()]);
        let operands = || Operands::in_place(View::of::<f32>(&data, packed(&[clamps.len(), 1])));
        let (_, bytes) = allocated(|| {
            gpu.clamper().prepare(Clamps::along(0, &clamps), operands()).unwrap_err();
        });
        assert!(bytes < 1000, "{bytes} bytes on {}", gpu.name);
    }
}

#[test]
fn a_plan_allocates_nothing() {
    let shape = [2, 3, 2, 3, 2, 3, 2, 3];
    let src = packed(&shape).permute(&[7, 5, 3, 1, 6, 4, 2, 0]).unwrap();
    let dst = packed(src.shape()).flip(2).unwrap();
    let behind = Layout::strided(dst.shape(), dst.strides(), dst.offset() + dst.len()).unwrap();
    let small = Limits { max_binding_size: 1024, ..Limits::default() };
    let clamp = Clamp::new(1_u16, 2).with_affine(1.5, 0.5).unwrap();
    for limits in [Limits::default(), small] {
        let mut plans = [None; 3];
        let count = allocated(|| {
            plans[0] = Plan::new(&clamp, &src, &dst, limits).ok();
            plans[1] = Plan::in_one_buffer(&clamp, &src, &behind, limits).ok();
            plans[2] = Plan::in_one_buffer(&clamp, &dst, &dst, limits).ok();
        });
        assert_eq!(count, (0, 0));
        assert!(plans.iter().all(Option::is_some));
    }
}

/// The counting allocator is installed and counts.
#[test]
fn the_counter_counts() {
    assert_eq!(allocated(|| drop(std::hint::black_box(vec![0_u8; 100]))), (1, 100));
}
