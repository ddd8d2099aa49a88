//! Rows for what a call costs apart from its bytes: many small clamps, one clamp, a plan, and `clamp_slice`, each beside the
//! same on bare wgpu.

use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;

use anyhow::{Result, ensure};
use wgpu_clamp::{DType, Host, Layout, Operands, Plan, View, wgpu};

use crate::bench::Bench;
use crate::case::{Case, Set};
use crate::cases;
use crate::clock::{Work, seconds};
use crate::data::{self, Content};
use crate::hand::{Hand, Ring};
use crate::kernels::part;
use crate::row::{Goals, Rival, Row, Trial};

/// Bytes of a small clamp.
const SMALL: u64 = 4096;

/// Number of small clamps in one pass.
const MANY: u64 = 1000;

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

/// Seconds to record with `record` and to submit. Waits afterwards.
fn recorded(host: &Host, record: impl FnOnce(&mut wgpu::CommandEncoder) -> Result<()>) -> Result<f64> {
    let device = host.clamper().device();
    let (time, result) = seconds(|| {
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let result = record(&mut encoder);
        host.queue().submit([encoder.finish()]);
        result
    });
    device.poll(wgpu::PollType::wait_indefinitely())?;
    result.map(|()| time)
}

/// Seconds per submission of a pass. Each submission waits for the previous one.
fn round_trips(host: &Host, record: impl Fn(&mut wgpu::ComputePass<'_>)) -> Result<f64> {
    let all = || (0..CALLS).try_for_each(|_| recorded(host, in_pass(&record)).map(|_| ()));
    let (time, result) = seconds(all);
    result.map(|()| time / f64::from(CALLS))
}

/// Records in a pass of its own.
fn in_pass(
    record: impl FnOnce(&mut wgpu::ComputePass<'_>),
) -> impl FnOnce(&mut wgpu::CommandEncoder) -> Result<()> {
    |encoder| {
        record(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
        Ok(())
    }
}

/// Small clamps side by side in three buffers: the source, our destination and the rival's.
struct Small {
    host: Host,
    hand: Hand,
    /// One clamp of all the bytes, which has the same result.
    case: Case,
    set: Set,
    theirs: wgpu::Buffer,
}

impl Small {
    fn new(bench: &Bench, count: u64) -> Result<Rc<Self>> {
        let device = &bench.device;
        let layout = Layout::packed(&[usize::try_from(SMALL * count / 4)?])?;
        let case = Case::new("", "", data::bounds(DType::F32), [layout; 2]);
        let set = case.buffers(device, 1)?;
        let theirs = Content::Poison.buffer(device, case.sizes()?[1])?;
        device.wait()?;
        Ok(Rc::new(Self { host: device.host.clone(), hand: Hand::new(device), case, set, theirs }))
    }

    /// The operands of the `n`-th small clamp.
    fn operands(&self, n: u64) -> Result<Operands<'_>> {
        let elements = usize::try_from(SMALL / 4)?;
        let layout = Layout::packed_at(&[elements], elements * usize::try_from(n)?)?;
        let [src, dst] = self.set.buffers[0].each_ref().map(|buffer| View::of::<f32>(buffer, layout));
        Ok(Operands::new(src, dst))
    }

    /// The bind group of the `n`-th small clamp by hand.
    fn bind(&self, n: u64) -> wgpu::BindGroup {
        let buffers = [&self.set.buffers[0][0], &self.theirs];
        self.hand.bind(buffers.map(|buffer| part(buffer, n * SMALL, SMALL)))
    }

    fn trial(
        self: Rc<Self>,
        bytes: u64,
        ours: impl Fn(&Self) -> Result<f64> + 'static,
        theirs: impl Fn(&Self) -> Result<f64> + 'static,
    ) -> Trial {
        let (us, they) = (Rc::clone(&self), Rc::clone(&self));
        let work = Work::Measured(Box::new(move || theirs(&they)));
        Trial {
            bytes,
            ours: Work::Measured(Box::new(move || ours(&us))),
            rivals: vec![Rival { name: "by hand".to_owned(), work }],
            plain: None,
            // Both sides must do the same work.
            check: Box::new(move |bench| {
                self.case.check(&bench.device, self.set.dst())?;
                self.case.check(&bench.device, &self.theirs)
            }),
        }
    }
}

fn many(bench: &Bench) -> Result<Trial> {
    let small = Small::new(bench, MANY)?;
    let prepare = |n| Ok(bench.device.host.clamper().prepare(small.case.clamp(), small.operands(n)?)?);
    let prepared = (0..MANY).map(prepare).collect::<Result<Vec<_>>>()?;
    let groups: Vec<_> = (0..MANY).map(|n| small.bind(n)).collect();
    let ours = move |small: &Small| {
        recorded(&small.host, in_pass(|pass| prepared.iter().for_each(|one| one.record(pass))))
    };
    let theirs =
        move |small: &Small| recorded(&small.host, in_pass(|pass| small.hand.record(pass, &groups, SMALL)));
    Ok(small.trial(SMALL * MANY, ours, theirs))
}

fn unprepared(bench: &Bench) -> Result<Trial> {
    let ours = |small: &Small| {
        let encode = |encoder: &mut wgpu::CommandEncoder| {
            Ok(small.host.clamper().encode(encoder, small.case.clamp(), small.operands(0)?)?)
        };
        recorded(&small.host, |encoder| (0..CALLS).try_for_each(|_| encode(encoder)))
    };
    // Parameters and bind group are made each time.
    let theirs = |small: &Small| {
        let encode = |encoder: &mut wgpu::CommandEncoder| {
            in_pass(|pass| small.hand.record(pass, &[small.bind(0)], SMALL))(encoder)
        };
        recorded(&small.host, |encoder| (0..CALLS).try_for_each(|_| encode(encoder)))
    };
    Ok(Small::new(bench, 1)?.trial(SMALL, ours, theirs))
}

fn one(bench: &Bench) -> Result<Trial> {
    let small = Small::new(bench, 1)?;
    let prepared = bench.device.host.clamper().prepare(small.case.clamp(), small.operands(0)?)?;
    let group = [small.bind(0)];
    let ours = move |small: &Small| round_trips(&small.host, |pass| prepared.record(pass));
    let theirs = move |small: &Small| round_trips(&small.host, |pass| small.hand.record(pass, &group, SMALL));
    Ok(small.trial(SMALL, ours, theirs))
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
