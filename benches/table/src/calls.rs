//! Rows for what a call costs apart from its bytes: many small clamps, one clamp, a plan, and `clamp_slice`, each beside the
//! same on bare wgpu.

use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;

use anyhow::{Result, ensure};
use wgpu_clamp::{DType, Host, Layout, Plan, wgpu};

use crate::bench::Bench;
use crate::case::{Case, Set};
use crate::cases;
use crate::clock::{Work, seconds};
use crate::data::{self, Content};
use crate::hand::{Hand, Ring};
use crate::row::{Goals, Rival, Row, Trial};

/// Bytes of a small clamp.
const SMALL: u64 = 4096;

/// Calls per sample, where one call is too short to be timed.
const CALLS: u32 = 50;

/// Most seconds of a plan.
const PLAN: f64 = 2e-6;

/// All rows of this file.
pub fn rows() -> Vec<Row> {
    let row = |name: &str, goals: Goals, prepare: fn(&Bench) -> Result<Trial>| {
        let (section, name) = ("overhead".to_owned(), name.to_owned());
        Row { section, name, dtypes: "f32".to_owned(), goals, case: None, prepare: Box::new(prepare) }
    };
    // The least ratio of a call that may take `most` times as long as its rival.
    let within = |most: f64| Some(1.0 / most);
    vec![
        row("1,000 clamps of 4 KiB in a pass, CPU time", [within(1.10); 2], many),
        row("`encode` 50 times without `prepare`, CPU time", [within(1.10); 2], unprepared),
        row("one clamp of 4 KiB, submission to completion", [within(1.05); 2], one),
        row("a plan of 8 dimensions", [Some(1.0); 2], plan),
        row("8192 scales on the GPU, of one element each", [None, within(0.05)], resolve),
        row("`clamp_slice`, host memory to host memory", [within(1.05), within(1.10)], slice),
    ]
}

/// Records commands of a small clamp.
type Record = Box<dyn Fn(&Small, &mut wgpu::CommandEncoder) -> Result<()>>;

/// Records in a pass of its own.
fn in_pass(record: impl Fn(&Small, &mut wgpu::ComputePass<'_>) + 'static) -> Record {
    Box::new(move |small, encoder| {
        record(small, &mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
        Ok(())
    })
}

/// Records `CALLS` times.
fn often(record: Record) -> Record {
    Box::new(move |small, encoder| (0..CALLS).try_for_each(|_| record(small, encoder)))
}

/// Seconds to record and to submit. Waits afterwards.
fn cpu_time(small: &Small, record: &Record) -> Result<f64> {
    let device = small.host.clamper().device();
    let (time, result) = seconds(|| {
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let result = record(small, &mut encoder);
        small.host.queue().submit([encoder.finish()]);
        result
    });
    device.poll(wgpu::PollType::wait_indefinitely())?;
    result.map(|()| time)
}

/// Seconds per submission. Each submission waits for the previous one.
fn round_trip(small: &Small, record: &Record) -> Result<f64> {
    let (time, result) = seconds(|| (0..CALLS).try_for_each(|_| cpu_time(small, record).map(|_| ())));
    result.map(|()| time / f64::from(CALLS))
}

/// Small clamps, each from a source to our destination and to the rival's.
struct Small {
    host: Host,
    hand: Hand,
    case: Case,
    set: Set,
    theirs: Vec<wgpu::Buffer>,
}

impl Small {
    fn new(bench: &Bench, count: usize) -> Result<Self> {
        let device = &bench.device;
        let layout = Layout::packed(&[SMALL as usize / 4])?;
        let case = Case::new("", "", data::bounds(DType::F32), [layout; 2]);
        let set = case.set(device, count)?;
        let theirs =
            (0..count).map(|_| Content::Poison.buffer(device, SMALL as usize)).collect::<Result<_>>()?;
        device.wait()?;
        Ok(Self { host: device.host.clone(), hand: Hand::new(device), case, set, theirs })
    }

    /// The bind group of the `n`-th clamp by hand.
    fn bind(&self, n: usize) -> wgpu::BindGroup {
        self.hand.bind([&self.set.buffers[n][0], &self.theirs[n]].map(wgpu::Buffer::as_entire_binding))
    }

    fn trial(self, measure: fn(&Self, &Record) -> Result<f64>, [ours, theirs]: [Record; 2]) -> Trial {
        let (small, bytes) = (Rc::new(self), SMALL);
        let work = |record| {
            let small = Rc::clone(&small);
            Work::Measured(Box::new(move || measure(&small, &record)))
        };
        let rivals = vec![Rival { name: "by hand".to_owned(), work: work(theirs) }];
        let ours = work(ours);
        // Both sides must do the same work.
        let check = move |bench: &Bench| {
            let results = [small.set.dst(), &small.theirs[0]];
            results.into_iter().try_for_each(|dst| small.case.check(&bench.device, dst))
        };
        Trial { bytes, ours, rivals, plain: None, check: Box::new(check) }
    }
}

/// Prepared clamps and bind groups by hand, recorded in one pass.
fn ready(small: &Small) -> [Record; 2] {
    let groups: Vec<_> = (0..small.theirs.len()).map(|n| small.bind(n)).collect();
    [
        in_pass(|small, pass| small.set.prepared.iter().for_each(|one| one.record(pass))),
        in_pass(move |small, pass| small.hand.record(pass, &groups, SMALL)),
    ]
}

fn many(bench: &Bench) -> Result<Trial> {
    let small = Small::new(bench, 1000)?;
    let records = ready(&small);
    Ok(small.trial(cpu_time, records))
}

fn one(bench: &Bench) -> Result<Trial> {
    let small = Small::new(bench, 1)?;
    let records = ready(&small);
    Ok(small.trial(round_trip, records))
}

/// By hand, too, parameters and bind group are made each time.
fn unprepared(bench: &Bench) -> Result<Trial> {
    let encode: Record = Box::new(|small, encoder| {
        let operands = small.case.operands(&small.set, 0)?;
        Ok(small.host.clamper().encode(encoder, small.case.clamp(), operands)?)
    });
    let by_hand = in_pass(|small, pass| small.hand.record(pass, &[small.bind(0)], SMALL));
    Ok(Small::new(bench, 1)?.trial(cpu_time, [often(encode), often(by_hand)]))
}

/// A plan for eight dimensions, none of which merge.
fn plan(bench: &Bench) -> Result<Trial> {
    let shape = [3, 4, 5, 4, 3, 4, 5, 8];
    let strides = [170_100, 42_500, 8500, 2100, 700, 170, 33, 4];
    let (src, dst) = (Layout::packed(&shape)?, Layout::strided(&shape, &strides, 0)?);
    let (clamp, limits) = (data::bounds(DType::F32), bench.device.host.clamper().limits());
    let make = move || black_box(Plan::new(black_box(&clamp), black_box(&src), &dst, limits)).map(|_| ());
    make()?;
    let ours =
        Work::Measured(Box::new(move || Ok(seconds(|| (0..1000).for_each(|_| _ = make())).0 / 1000.0)));
    let rivals = vec![Rival { name: "the goal".to_owned(), work: Work::Measured(Box::new(|| Ok(PLAN))) }];
    Ok(Trial { bytes: 0, ours, rivals, plain: None, check: Box::new(|_| Ok(())) })
}

/// A clamp with so few elements that reading the scales takes most of the time. Compared with a clamp of as many rows with
/// scales of the host.
fn resolve(bench: &Bench) -> Result<Trial> {
    let case = |columns: usize| {
        let layout = Layout::packed(&[8192, columns])?;
        let clamp = |n| cases::clamp("quantise", [DType::F32, DType::I8], n);
        Case::new("", "", clamp(0)?, [layout; 2]).along(0, clamp)
    };
    let (few, many) = (case(1)?.on_gpu()?, case(1024)?);
    let (set, they) = (few.set(&bench.device, 1)?, many.set(&bench.device, bench.sets(many.bytes()))?);
    let rivals = vec![Rival { name: "ours, 8192 rows of 1024".to_owned(), work: they.work() }];
    let (bytes, ours) = (few.bytes(), set.work());
    let check = Box::new(move |bench: &Bench| few.check(&bench.device, set.dst()));
    Ok(Trial { bytes, ours, rivals, plain: None, check })
}

/// `clamp_slice`, compared with uploads, clamps and downloads by hand that overlap.
fn slice(bench: &Bench) -> Result<Trial> {
    let bytes: u64 = if bench.options.quick { 128 << 20 } else { 1 << 30 };
    let len = usize::try_from(bytes)?;
    let src: Rc<Vec<f32>> = Rc::new(bytemuck::pod_collect_to_vec(&data::random(DType::F32, len)));
    let poisoned =
        || Rc::new(RefCell::new(bytemuck::pod_collect_to_vec::<u8, f32>(&Content::Poison.bytes(len))));
    let (ours, theirs) = (poisoned(), poisoned());
    let (host, clamp) = (bench.device.host.clone(), data::bounds(DType::F32));
    let (from, to) = (Rc::clone(&src), Rc::clone(&ours));
    let our_work =
        Work::timed(move || Ok(host.clamp_slice(&clamp, &from, &mut to.borrow_mut()).run_blocking()?));
    let (mut ring, to) = (Ring::new(&bench.device), Rc::clone(&theirs));
    let work = Work::timed(move || {
        ring.run(bytemuck::cast_slice(&src), bytemuck::cast_slice_mut(&mut to.borrow_mut()))
    });
    let rivals = vec![Rival { name: "by hand".to_owned(), work }];
    let check = move |_: &Bench| {
        let layout = Layout::packed(&[len / 4])?;
        let (src, ours, theirs) = (data::random(DType::F32, len), ours.borrow(), theirs.borrow());
        let ours = bytemuck::cast_slice(&ours);
        ensure!(ours == bytemuck::cast_slice::<f32, u8>(&theirs), "the result by hand differs");
        // A packed destination has no gaps, so its previous bytes are not compared.
        let (src_layout, dst_layout) = (&layout, &layout);
        let buffers = wgpu_clamp::verify::Buffers {
            src_layout,
            src: &src,
            dst_layout,
            dst_before: &src,
            dst_after: ours,
        };
        crate::verify::check(&clamp, buffers)
    };
    Ok(Trial { bytes, ours: our_work, rivals, plain: None, check: Box::new(check) })
}
