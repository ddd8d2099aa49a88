//! Messages that the crate logs.
//!
//! A program of its own, because a program has one logger.

use std::cell::RefCell;

use clamp_testing::harness::{alone, buffer, devices, gpus, with_limits};
use log::{Level, LevelFilter, Log, Metadata, Record};
use wgpu_clamp::{Clamp, Clamper, Host, Layout, Number, Operands, Tensor, View, wgpu};

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

/// The result of `call` and its messages on this thread, which are all at debug level.
#[track_caller]
fn lines<T>(call: impl FnOnce() -> T) -> (T, Vec<String>) {
    // Only the first test sets the logger.
    let _ = log::set_logger(&Recorder);
    log::set_max_level(LevelFilter::Trace);
    RECORDS.take();
    let (result, records) = (call(), RECORDS.take());
    assert!(records.iter().all(|(level, _)| *level == Level::Debug), "{records:?}");
    (result, records.into_iter().map(|(_, text)| text).collect())
}

fn packed(shape: &[usize]) -> Layout {
    Layout::packed(shape).unwrap()
}

#[test]
fn a_clamper_names_its_adapter_and_limits() {
    for gpu in devices() {
        let (clamper, lines) = lines(|| Clamper::new(gpu.device()).unwrap());
        let limits = clamper.limits();
        let info = gpu.adapter.get_info();
        let [line] = &lines[..] else { panic!("{lines:?}") };
        for part in [
            &info.name,
            &format!("{:?}", info.backend),
            &info.driver_info,
            &format!("bindings of {} bytes", limits.max_binding_size),
            &format!("multiples of {}", limits.binding_alignment),
            &format!("{} workgroups", limits.max_workgroups_per_dimension),
            &format!("; keeps up to {} pipelines", Clamper::MAX_PIPELINES),
        ] {
            assert!(line.contains(part.as_str()), "{part:?} is not in {line:?}");
        }
        assert_eq!(line.contains(", f64 arithmetic"), limits.f64_arithmetic, "{line}");
    }
}

#[test]
fn a_host_says_which_adapter_it_opens() {
    if !alone("a_host_says_which_adapter_it_opens") {
        return;
    }
    let (host, lines) = lines(|| Host::open_blocking().unwrap());
    let [opening, clamper, f16] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!(*opening, format!("opening a device on {}", host.description()));
    assert!(clamper.starts_with(&format!("clamper on {}: ", host.description())), "{clamper}");
    let found = f16.strip_prefix("conversions of F16 by the device: ").unwrap_or_else(|| panic!("{f16}"));
    assert_eq!(found == "right", host.clamper().limits().f16_conversions, "{found}");
}

/// A line for the clamp, with its plan, and one for each pipeline, however many windows there are.
#[test]
fn a_clamp_says_what_is_dispatched_and_what_was_cached() {
    for gpu in gpus() {
        let limits =
            wgpu::Limits { max_storage_buffer_binding_size: 2048, ..wgpu::Limits::downlevel_defaults() };
        let gpu = with_limits(&gpu.adapter, limits);
        let (a, b) = (buffer(&gpu, &vec![0; 100_000]), buffer(&gpu, &[0; 256]));
        let prepare = |clamp: &Clamp, operands: Operands<'_>| {
            let (prepared, lines) = lines(|| gpu.clamper().prepare(clamp, operands).unwrap());
            (prepared.dispatches(), lines)
        };
        let bytes = |layout| View::of::<u8>(&a, layout);
        let (count, lines) = prepare(&Clamp::new(1_u8, 9), Operands::in_place(bytes(packed(&[0]))));
        assert!(count == 0 && lines[0].ends_with("windows: 0; dispatches: 0"), "{lines:?}");

        for (clamp, state) in [(Clamp::new(1_u8, 9), "compiling"), (Clamp::new(2_u8, 3), "cached")] {
            let (count, lines) = prepare(&clamp, Operands::in_place(bytes(packed(&[100_000]))));
            let [plan, pipeline] = &lines[..] else { panic!("{lines:?}") };
            let start = format!(
                "prepare {clamp}; src and dst of shape [100000], strides [1], offset 0; u8, no affine step, one buffer, \
                 windows: {count}, stream kernel for 100000 elements ("
            );
            assert!(plan.starts_with(&start) && plan.ends_with(&format!("; dispatches: {count}")), "{plan}");
            assert!(count > 40, "{plan}");
            assert!(pipeline.starts_with("pipeline u8, no affine step, one buffer, "), "{pipeline}");
            assert!(pipeline.ends_with(&format!(" stream kernel, stream: {state}")), "{pipeline}");
        }

        // A bound on the GPU takes one more dispatch.
        let clamp = Clamp::at_least(1_i64).with_affine(2.0, 1.0).unwrap();
        let clamp = clamp.with_bounds(Number::Absent, Number::OnGpu).unwrap();
        let operands =
            Operands::in_place(View::of::<i64>(&a, packed(&[2]))).with_max(View::of::<i64>(&b, packed(&[])));
        let step = "i64, exact affine step, one buffer";
        let piece = "2 (1 to 1), by packets";
        let plan = format!(
            "prepare i64: min(x * 2.0 + 1.0, slot); src and dst of shape [2], strides [1], offset 0, max of shape [], \
             strides [], offset 0; {step}, windows: 1, boxes kernel for 2 elements ({piece}); dispatches: 1, after those \
             that read the slots"
        );
        let gather = "pipeline gather: compiling".to_owned();
        let cpu = if gpu.clamper().limits().cpu { "on a CPU, " } else { "" };
        let pipeline = format!(
            "pipeline i64, exact affine step, numbers in a table, one buffer, {cpu}{piece}, boxes kernel, boxes: compiling"
        );
        assert_eq!(prepare(&clamp, operands), (2, vec![plan, gather, pipeline]));
    }
}

/// No call logs at info or above. Errors are returned, not logged.
#[test]
fn the_rest_is_silent() {
    for gpu in gpus() {
        let ((), lines) = lines(|| {
            let host = Host::new(gpu.clamper(), gpu.host.queue());
            let tensor = Tensor::upload(&host, &[4], &[1_u16, 2, 3, 4]).unwrap();
            let (clamp, in_place) = (Clamp::at_most(2_u16), Operands::in_place(tensor.view()));
            host.submit(clamp, in_place).unwrap();
            assert_eq!(tensor.read_blocking::<u16>().unwrap(), [1, 2, 2, 2]);
            host.clamp_slice_in_place(Clamp::at_most(2_u32), &mut [1_u32, 2, 3]).run_blocking().unwrap();
            host.submit(Clamp::at_most(2_u32), in_place).unwrap_err();
            tensor.buffer().destroy();
            gpu.clamper().encode(&mut gpu.encoder(), clamp, in_place).unwrap_err();
        });
        let expected = |text: &String| text.starts_with("prepare ") || text.starts_with("pipeline ");
        assert!(lines.iter().all(expected), "{lines:?}");
    }
}
