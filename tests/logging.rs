//! Messages that the crate logs.
//!
//! A program of its own, because a program has one logger.

use std::cell::RefCell;

use clamp_testing::harness::{Gpu, alone, buffer, devices, gpus, with_limits};
use log::{Level, LevelFilter, Log, Metadata, Record};
use wgpu_clamp::{
    Clamp, Clamper, Host, Lanes, Layout, Limits, Number, Operands, Precision, Tensor, View, wgpu,
};

thread_local! {
    static RECORDS: RefCell<Vec<(Level, String)>> = const { RefCell::new(Vec::new()) };
}

/// Keeps this crate's messages, separately for each thread.
struct Recorder;

impl Log for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let target = metadata.target();
        target == "wgpu_clamp" || target.starts_with("wgpu_clamp::")
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            RECORDS.with_borrow_mut(|records| records.push((record.level(), record.args().to_string())));
        }
    }

    fn flush(&self) {}
}

/// The result of `call` and its messages on this thread.
fn records<T>(call: impl FnOnce() -> T) -> (T, Vec<(Level, String)>) {
    // Only the first test sets the logger.
    let _ = log::set_logger(&Recorder);
    log::set_max_level(LevelFilter::Trace);
    RECORDS.take();
    (call(), RECORDS.take())
}

/// As [`records`], for messages that are all at debug level.
#[track_caller]
fn lines<T>(call: impl FnOnce() -> T) -> (T, Vec<String>) {
    let (result, records) = records(call);
    assert!(records.iter().all(|(level, _)| *level == Level::Debug), "{records:?}");
    (result, records.into_iter().map(|(_, text)| text).collect())
}

fn packed(shape: &[usize]) -> Layout {
    Layout::packed(shape).unwrap()
}

fn fresh(gpu: &Gpu) -> Clamper {
    Clamper::new(gpu.device()).unwrap()
}

/// The block of a row in words: `packets` where a device runs invocations in sequence, else one.
fn block_of_row(clamper: &Clamper, packets: usize, per_packet: usize) -> String {
    let packets = if clamper.limits().lanes == Lanes::InSequence { packets } else { 1 };
    format!("{} (1 to 1), by packets, in rows", packets * per_packet)
}

#[test]
fn a_clamper_names_its_adapter_and_limits() {
    for gpu in gpus() {
        let (clamper, lines) = lines(|| fresh(gpu));
        let limits = clamper.limits();
        let Limits { max_binding_size, binding_alignment, max_workgroups_per_dimension, .. } = limits;
        let info = gpu.adapter.get_info();
        let [line] = &lines[..] else { panic!("{lines:?}") };
        for part in [
            &info.name,
            &format!("{:?}", info.backend),
            &info.driver,
            &info.driver_info,
            &format!("bindings of {max_binding_size} bytes"),
            &format!("multiples of {binding_alignment}"),
            &format!("{max_workgroups_per_dimension} workgroups"),
        ] {
            assert!(line.contains(part.as_str()), "{part:?} is not in {line:?}");
        }
        assert!(!limits.f64_arithmetic && !line.contains("f64"), "{line}");
        let (_, kept) = line.split_once("; keeps up to ").unwrap();
        assert_eq!(kept, format!("{} pipelines", Clamper::MAX_PIPELINES));
    }
}

/// A clamper's line names f64 arithmetic; a pipeline's line names its affine step.
#[test]
fn optional_features_are_named_where_they_are_used() {
    for gpu in devices() {
        let (clamper, log) = lines(|| fresh(gpu));
        let Limits { f64_arithmetic, .. } = clamper.limits();
        let named = if f64_arithmetic { ", f64 arithmetic" } else { "" };
        assert!(log[0].contains(&format!("workgroups per dimension{named}; keeps")), "{log:?}");
        let step = Clamp::at_most(9.0_f64).with_scale_bias(1.1, 0.3).unwrap();
        for (clamp, fast) in [(step, f64_arithmetic), (step.with_precision(Precision::Exact), false)] {
            let data = buffer(gpu, &[0; 64]);
            let (_, log) = lines(|| {
                clamper.prepare(&clamp, Operands::in_place(View::of::<f64>(&data, packed(&[8])))).unwrap()
            });
            let step = if fast { "fast" } else { "exact" };
            // Without f64 arithmetic, the two precisions share a pipeline.
            let pipeline = format!("pipeline f64, {step} affine step, one buffer, ");
            assert!(log[1].starts_with(&pipeline), "{log:?}");
        }
    }
}

#[test]
fn a_host_says_which_adapter_it_opens() {
    if !alone("a_host_says_which_adapter_it_opens") {
        return;
    }
    let (host, lines) = lines(|| Host::open_blocking().unwrap());
    let [opening, clamper, f16] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!(*opening, format!("opening a device on {}", host.adapter()));
    assert!(clamper.starts_with(&format!("clamper on {}: ", host.adapter())), "{clamper}");
    let right = if host.clamper().limits().f16_conversions { "right" } else { "not right" };
    assert_eq!(*f16, format!("conversions of F16 by the device: {right}"));
}

#[test]
fn a_clamp_says_what_is_dispatched_and_what_was_cached() {
    for gpu in gpus() {
        let clamper = fresh(gpu);
        let (a, b) = (buffer(gpu, &[0; 256]), buffer(gpu, &[0; 256]));
        let prepare = |clamp: &Clamp, operands: Operands<'_>| {
            lines(|| clamper.prepare(clamp, operands).unwrap().dispatches())
        };

        let none = Operands::new(View::of::<u8>(&a, packed(&[0])), View::of::<u8>(&b, packed(&[0])));
        let (count, lines) = prepare(&Clamp::new(1_u8, 9), none);
        assert!(count == 0 && lines[0].ends_with("windows: 0; dispatches: 0"), "{lines:?}");

        // 231 bytes: 14 whole packets and a part of one.
        let clamp = Clamp::new(1_u8, 9);
        let operands =
            Operands::new(View::of::<u8>(&a, packed(&[3, 77])), View::of::<u8>(&b, packed(&[3, 77])));
        let rows = "shape [3, 77], strides [77, 1], offset 0";
        let block = block_of_row(&clamper, 4, 16);
        let plan = |clamp: &str| {
            format!(
                "prepare u8: {clamp}; src of {rows}, dst of {rows}; u8, no affine step, two buffers, windows: 1, block kernel \
                 for 231 elements ({block}); dispatches: 2"
            )
        };
        let body = format!("pipeline u8, no affine step, two buffers, {block}, block kernel, block");
        let edges = format!("{body}_edges");
        let with =
            |plan: String, state: &str| vec![plan, format!("{body}: {state}"), format!("{edges}: {state}")];
        assert_eq!(prepare(&clamp, operands), (2, with(plan("max(min(x, 9), 1)"), "compiling")));
        assert_eq!(prepare(&Clamp::at_most(3_u8), operands), (2, with(plan("min(x, 3)"), "cached")));

        let columns = Layout::strided(&[4, 4], &[1, 4], 16).unwrap();
        let columns = Operands::new(View::of::<f32>(&a, packed(&[4, 4])), View::of::<f32>(&a, columns));
        let clamp = Clamp::new(1.0_f32, 9.0).with_affine(2.0, 1.0).unwrap();
        let block = "4 (1 to 4) × 4 (4 to 1), by packets";
        let plan = format!(
            "prepare f32: max(min(x * 2.0 + 1.0, 9.0), 1.0), fast; src of shape [4, 4], strides [4, 1], offset 0, \
             dst of shape [4, 4], strides [1, 4], offset 16; f32, fast affine step, one buffer, windows: 1, block kernel \
             for 16 elements ({block}); dispatches: 1"
        );
        let pipeline =
            format!("pipeline f32, fast affine step, one buffer, {block}, block kernel, block: compiling");
        assert_eq!(prepare(&clamp, columns), (1, vec![plan, pipeline]));

        // A bound on the GPU takes one more dispatch.
        let clamp = Clamp::at_least(1_i64).with_affine(2.0, 1.0).unwrap();
        let clamp = clamp.with_bounds(Number::Absent, Number::OnGpu).unwrap();
        let operands =
            Operands::in_place(View::of::<i64>(&a, packed(&[2]))).with_max(View::of::<i64>(&b, packed(&[])));
        let step = "i64, exact affine step, one buffer";
        let block = "2 (1 to 1), by packets";
        let plan = format!(
            "prepare i64: min(x * 2.0 + 1.0, slot); src and dst of shape [2], strides [1], offset 0, max of shape [], \
             strides [], offset 0; {step}, windows: 1, block kernel for 2 elements ({block}); dispatches: 1, after those \
             that read the slots"
        );
        let resolve = "pipeline resolve: compiling".to_owned();
        let pipeline = format!("pipeline {step}, {block}, block kernel, block: compiling");
        assert_eq!(prepare(&clamp, operands), (2, vec![plan, resolve, pipeline]));
    }
}

/// A call logs one line, and one per pipeline, however many windows there are.
#[test]
fn windows_are_counted_and_not_listed() {
    if !alone("windows_are_counted_and_not_listed") {
        return;
    }
    for gpu in gpus() {
        let limits =
            wgpu::Limits { max_storage_buffer_binding_size: 2048, ..wgpu::Limits::downlevel_defaults() };
        let small = with_limits(&gpu.adapter, limits);
        let data = buffer(&small, &vec![0; 100_000]);
        let operands = Operands::in_place(View::of::<u8>(&data, packed(&[100_000])));
        let (prepared, lines) = lines(|| small.clamper().prepare(&Clamp::at_least(1_u8), operands).unwrap());
        let windows = prepared.dispatches();
        assert!(windows > 50);
        let mut block = block_of_row(small.clamper(), 8, 16);
        if small.clamper().limits().lanes == Lanes::InStep {
            block = block.replace(", in rows", "");
        }
        assert_eq!(
            lines,
            [
                format!(
                    "prepare u8: max(x, 1); src and dst of {}; u8, no affine step, one buffer, windows: {windows}, \
                     block kernel for 100000 elements ({block}); dispatches: {windows}",
                    packed(&[100_000])
                ),
                format!("pipeline u8, no affine step, one buffer, {block}, block kernel, block: compiling"),
            ]
        );
    }
}

/// No call logs at info or above. Errors are returned, not logged.
#[test]
fn the_rest_is_silent() {
    for gpu in gpus() {
        let ((), records) = records(|| {
            let host = Host::new(gpu.clamper(), gpu.host.queue());
            let tensor = Tensor::upload(&host, &[4], &[1_u16, 2, 3, 4]).unwrap();
            host.submit(&Clamp::at_most(2_u16), Operands::in_place(tensor.view())).unwrap();
            assert_eq!(tensor.read_blocking::<u16>().unwrap(), [1, 2, 2, 2]);
            let mut data = [1_u32, 2, 3];
            host.clamp_slice_in_place(&Clamp::at_most(2_u32), &mut data).run_blocking().unwrap();
            let mismatch = Operands::in_place(tensor.view());
            host.submit(&Clamp::at_most(2_u32), mismatch).unwrap_err();
            let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            tensor.buffer().destroy();
            gpu.clamper()
                .encode(&mut encoder, &Clamp::at_most(2_u16), Operands::in_place(tensor.view()))
                .unwrap_err();
        });
        let expected = |text: &str| text.starts_with("prepare ") || text.starts_with("pipeline ");
        for (level, text) in records {
            assert!(level == Level::Debug && expected(&text), "{level}: {text}");
        }
    }
}
