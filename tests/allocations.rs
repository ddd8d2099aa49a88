//! How much the crate allocates where programs call it each frame.
//!
//! A test program of its own, because a program has one allocator. The allocator counts what Rust code allocates on
//! each thread; drivers have their own allocators.

use std::sync::{Mutex, MutexGuard, PoisonError};

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

/// A round of a program: an encoder, a pass, a submission, and a wait for its end. Returns the allocations within
/// the pass.
fn round(gpu: &Gpu, record: impl FnOnce(&mut wgpu::ComputePass<'_>)) -> (u64, u64) {
    let in_pass;
    let mut encoder = gpu.encoder();
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        in_pass = allocated(|| record(&mut pass));
    }
    gpu.host.queue().submit([encoder.finish()]);
    gpu.wait();
    in_pass
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

/// Within a pass, only wgpu's lists of commands and resources grow, so twice the commands take a few allocations more.
#[test]
fn recording_allocates_nothing() {
    let _turn = turn();
    for gpu in gpus() {
        let clamp = Tensors::new(gpu).prepare(gpu, &Clamp::new(1_u8, 2));
        assert_eq!(clamp.dispatches(), 2);
        let record = |times| round(gpu, |pass| (0..times).for_each(|_| clamp.record(pass)));
        let _warm = (record(2 * TIMES), record(2 * TIMES));
        let [once, twice] = [TIMES, 2 * TIMES].map(|times| record(times).0);
        println!("{TIMES} records, {}: {once} allocations, twice as many: {twice}", gpu.name);
        assert!(twice < once + 10 && once < 100, "{once}, {twice} on {}", gpu.name);
    }
}

/// Preparing a clamp whose pipelines are cached makes a few allocations: those of wgpu for a buffer and a bind group, and five
/// of the crate's, for bind group entries, pipelines and dispatches. Without a logger, it formats nothing.
#[test]
fn preparing_formats_nothing() {
    const MOST: u64 = 60;
    let _turn = turn();
    for gpu in gpus() {
        let tensors = Tensors::new(gpu);
        let once = || {
            gpu.host.queue().submit([]);
            gpu.wait();
            allocated(|| drop(tensors.prepare(gpu, &Clamp::new(1_u8, 2))))
        };
        // The least of a few rounds: wgpu's own tables grow in some.
        let least = (0..8).map(|_| once()).min().unwrap();
        println!("prepare, {}: {least:?}", gpu.name);
        assert!(least.0 <= MOST, "{least:?} on {}", gpu.name);
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
