//! How much the crate allocates where programs call it each frame.
//!
//! A test program of its own, because a program has one allocator. The allocator counts what Rust code allocates on
//! each thread; drivers have their own allocators.

use std::sync::{Mutex, MutexGuard, PoisonError};

use allocation_counter::{AllocationInfo, measure};
use clamp_testing::harness::{Gpu, buffer, gpus};
use wgpu_clamp::{Clamp, Layout, Operands, Prepared, View, wgpu};

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

/// A clamp between two buffers.
fn prepare(gpu: &Gpu, [src, dst]: &[wgpu::Buffer; 2]) -> Prepared {
    let [src, dst] = [src, dst].map(|buffer| View::of::<u8>(buffer, packed(&[LEN])));
    gpu.clamper().prepare(Clamp::new(1_u8, 2), Operands::new(src, dst)).unwrap()
}

fn packed(shape: &[usize]) -> Layout {
    Layout::packed(shape).unwrap()
}

/// Within a pass, only wgpu's lists of commands and resources grow, so twice the commands take a few allocations more.
#[test]
fn recording_allocates_nothing() {
    let _turn = turn();
    for gpu in gpus() {
        let clamp = prepare(gpu, &[(); 2].map(|()| buffer(gpu, &[0; 4 * LEN])));
        assert_eq!(clamp.dispatches(), 2);
        // In one pass, which is submitted.
        let record = |times| {
            let mut encoder = gpu.encoder();
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            let recorded = allocated(|| (0..times).for_each(|_| clamp.record(&mut pass)));
            drop(pass);
            gpu.host.queue().submit([encoder.finish()]);
            gpu.wait();
            recorded
        };
        let _warm = (record(2 * TIMES), record(2 * TIMES));
        let [once, twice] = [TIMES, 2 * TIMES].map(|times| record(times).0);
        println!("{TIMES} records, {}: {once} allocations, twice as many: {twice}", gpu.name);
        assert!(twice < once + 10 && once < 100, "{once}, {twice} on {}", gpu.name);
    }
}

/// Preparing a clamp whose pipelines are cached makes a few allocations: those of wgpu for a buffer and a bind group, and
/// nine of the crate's, for the plan, its window, bind group entries, pipelines and dispatches. Without a logger, it
/// formats nothing.
#[test]
fn preparing_formats_nothing() {
    // 60 on lavapipe and 59 on llvmpipe's GL, with wgpu 30.
    const MOST: u64 = 62;
    let _turn = turn();
    for gpu in gpus() {
        let buffers = [(); 2].map(|()| buffer(gpu, &[0; 4 * LEN]));
        let once = || {
            gpu.host.queue().submit([]);
            gpu.wait();
            allocated(|| drop(prepare(gpu, &buffers)))
        };
        // The least of a few rounds: wgpu's own tables grow in some.
        let least = (0..8).map(|_| once()).min().unwrap();
        println!("prepare, {}: {least:?}", gpu.name);
        assert!(least.0 <= MOST, "{least:?} on {}", gpu.name);
    }
}

/// The counting allocator is installed and counts.
#[test]
fn the_counter_counts() {
    assert_eq!(allocated(|| drop(std::hint::black_box(vec![0_u8; 100]))), (1, 100));
}
