//! Rows for what a call costs apart from its bytes: many small clamps, one clamp, a plan, and `clamp_slice`, each beside the
//! same on bare wgpu.

use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Result, ensure};
use wgpu_clamp::{DType, Host, Layout, Plan, wgpu};

use crate::bench::Bench;
use crate::case::{Case, Goals};
use crate::clock::{Dispatch, Work, seconds};
use crate::data;
use crate::kernels::{Kernels, by_hand};
use crate::ring::Ring;
use crate::row::{Row, Trial};
use crate::set::Set;

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
        Row { section, name, dtypes: "f32".to_owned(), goals, small: None, prepare: Box::new(prepare) }
    };
    // The least ratio of a call that may take `most` times as long as its rival.
    let within = |most: f64| Some(1.0 / most);
    vec![
        row("1,000 clamps of 4 KiB in a pass, CPU time", [within(1.10); 2], many),
        row("`encode` 50 times without `prepare`, CPU time", [within(1.10); 2], |bench| {
            in_a_loop(bench, Made::All)
        }),
        row("`encode` in a frame, CPU time", [within(1.10); 2], |bench| in_frames(bench, Made::All)),
        row("`rebind` 50 times, CPU time", [within(1.30); 2], |bench| in_a_loop(bench, Made::BindGroup)),
        row("`rebind` in a frame, CPU time", [within(1.30); 2], |bench| in_frames(bench, Made::BindGroup)),
        row("one clamp of 4 KiB, submission to completion", [within(1.05); 2], one),
        row("a plan of 8 dimensions", [Some(1.0); 2], plan),
        row("`clamp_slice`, host memory to host memory", [within(1.05), within(1.10)], slice),
    ]
}

/// Records commands.
type Record = Box<dyn Fn(&mut wgpu::CommandEncoder) -> Result<()>>;

fn in_pass(dispatches: Vec<Dispatch>) -> Record {
    Box::new(move |encoder| {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        for dispatch in &dispatches {
            dispatch(&mut pass);
        }
        Ok(())
    })
}

/// Records, submits and waits. Returns the seconds before it waits.
fn submit(host: &Host, record: &Record) -> Result<f64> {
    let device = host.clamper().device();
    let (time, result) = seconds(|| {
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        record(&mut encoder)?;
        host.queue().submit([encoder.finish()]);
        anyhow::Ok(())
    });
    device.poll(wgpu::PollType::wait_indefinitely())?;
    result.map(|()| time)
}

/// Measures a function.
fn timed(mut run: impl FnMut() -> Result<()> + 'static) -> Work {
    Work::Measured(Box::new(move || {
        let (time, result) = seconds(&mut run);
        result.map(|()| time)
    }))
}

/// Small clamps, each from a source to our destination and to the rival's.
struct Small {
    case: Case,
    set: Set,
    theirs: Vec<[wgpu::Buffer; 2]>,
}

impl Small {
    fn new(bench: &Bench, count: usize) -> Result<Self> {
        let (device, layout) = (&bench.device, Layout::packed(&[SMALL as usize / 4])?);
        let case = Case::new("", "", data::bounds(DType::F32), [layout; 2]);
        let set = case.set(device, count)?;
        let theirs = |[src, _]: &[wgpu::Buffer; 2]| {
            Ok([src.clone(), data::random_buffer(device, DType::U64, SMALL as usize)?])
        };
        let theirs = set.buffers.iter().map(theirs).collect::<Result<Vec<_>>>()?;
        device.wait()?;
        Ok(Self { case, set, theirs })
    }

    /// Prepared clamps in one pass, and the same by hand with bind groups that are ready.
    fn ready(&self, bench: &Bench) -> [Record; 2] {
        [self.set.dispatches(), by_hand(SMALL).dispatches(&bench.device, &self.theirs)].map(in_pass)
    }
}

/// Both sides must do the same work.
fn trial(small: Rc<Small>, [ours, work]: [Work; 2]) -> Trial {
    let check = move |bench: &Bench| {
        let results = [small.set.dst(), &small.theirs[0][1]];
        results.into_iter().try_for_each(|dst| small.case.check(&bench.device, dst, None))
    };
    let rivals = vec![("by hand".to_owned(), work)];
    Trial { bytes: SMALL, ours, packets: None, rivals, plain: None, check: Box::new(check) }
}

/// The CPU's time for commands.
fn on_cpu(bench: &Bench, record: Record) -> Work {
    let host = bench.device.host.clone();
    Work::Measured(Box::new(move || submit(&host, &record)))
}

fn many(bench: &Bench) -> Result<Trial> {
    let small = Small::new(bench, 1000)?;
    let works = small.ready(bench).map(|record| on_cpu(bench, record));
    Ok(trial(Rc::new(small), works))
}

/// Each submission waits for the previous one.
fn one(bench: &Bench) -> Result<Trial> {
    let small = Small::new(bench, 1)?;
    let works = small.ready(bench).map(|record| {
        let host = bench.device.host.clone();
        Work::Measured(Box::new(move || {
            let (time, result) = seconds(|| (0..CALLS).try_for_each(|_| submit(&host, &record).map(drop)));
            result.map(|()| time / f64::from(CALLS))
        }))
    });
    Ok(trial(Rc::new(small), works))
}

/// What a call makes, apart from its commands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    /// `encode`, and by hand parameters and bind group.
    All,
    /// `rebind`, and by hand the bind group.
    BindGroup,
}

/// A call that makes objects each time, and the same by hand.
fn making(bench: &Bench, made: Made) -> Result<(Rc<Small>, [Record; 2])> {
    let (small, clamper) = (Rc::new(Small::new(bench, 1)?), bench.device.host.clamper().clone());
    let ours = Rc::clone(&small);
    let prepared = clamper.prepare(ours.case.clamp(), ours.case.operands(&ours.set, 0)?)?;
    let call = move |encoder: &mut wgpu::CommandEncoder| {
        let operands = ours.case.operands(&ours.set, 0)?;
        if made == Made::All {
            return Ok(clamper.encode(encoder, ours.case.clamp(), operands)?);
        }
        let rebound = prepared.rebind(operands)?;
        rebound.record(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
        Ok(())
    };
    let (device, pair) = (bench.device.wgpu().clone(), small.theirs[0].clone());
    let Kernels { launches, own } = by_hand(SMALL);
    let pipeline = launches[0].pipeline(&bench.device);
    let layout = pipeline.get_bind_group_layout(0);
    let kept = data::buffer(&device, &own[0]);
    let by_hand = move |encoder: &mut wgpu::CommandEncoder| {
        let params = if made == Made::All { data::buffer(&device, &own[0]) } else { kept.clone() };
        let group = launches[0].bind(&device, &layout, &pair, &[params]);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(launches[0].grid[0], 1, 1);
        Ok(())
    };
    Ok((small, [Box::new(call), Box::new(by_hand)]))
}

/// Calls in a loop, then one submission.
fn in_a_loop(bench: &Bench, made: Made) -> Result<Trial> {
    let (small, calls) = making(bench, made)?;
    let works =
        calls.map(|call| -> Record { Box::new(move |encoder| (0..CALLS).try_for_each(|_| call(encoder))) });
    Ok(trial(small, works.map(|record| on_cpu(bench, record))))
}

/// The time between two frames, in which a program does something else.
const PAUSE: Duration = Duration::from_millis(2);

/// A call in each of some frames, each of which is submitted and awaited. The time of a call.
fn in_frames(bench: &Bench, made: Made) -> Result<Trial> {
    let (small, calls) = making(bench, made)?;
    let works = calls.map(|call| {
        let host = bench.device.host.clone();
        Work::Measured(Box::new(move || {
            let device = host.clamper().device();
            let mut total = 0.0;
            for _ in 0..CALLS {
                let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                let (time, result) = seconds(|| call(&mut encoder));
                result?;
                total += time;
                host.queue().submit([encoder.finish()]);
                device.poll(wgpu::PollType::wait_indefinitely())?;
                std::thread::sleep(PAUSE);
            }
            Ok(total / f64::from(CALLS))
        }))
    });
    Ok(trial(small, works))
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
    let rivals = vec![("the goal".to_owned(), Work::Measured(Box::new(|| Ok(PLAN))))];
    Ok(Trial { bytes: 0, ours, packets: None, rivals, plain: None, check: Box::new(|_| Ok(())) })
}

/// `clamp_slice`, compared with uploads, clamps and downloads by hand that overlap.
fn slice(bench: &Bench) -> Result<Trial> {
    let bytes: u64 = if bench.options.quick { 128 << 20 } else { 1 << 30 };
    let len = usize::try_from(bytes)?;
    let src = Rc::new(data::random(DType::F32, len));
    // Unwritten elements differ.
    let [ours, theirs] = [1, 2].map(|byte| Rc::new(RefCell::new(vec![byte; len])));
    let (host, clamp) = (bench.device.host.clone(), data::bounds(DType::F32));
    let (from, to) = (Rc::clone(&src), Rc::clone(&ours));
    let our_work = timed(move || Ok(host.clamp_bytes(clamp, &from, &mut to.borrow_mut()).run_blocking()?));
    let (mut ring, from, to) = (Ring::new(&bench.device), src, Rc::clone(&theirs));
    let work = timed(move || ring.run(&from, &mut to.borrow_mut()));
    let check = move |_: &Bench| {
        ensure!(*ours.borrow() == *theirs.borrow(), "the result by hand differs");
        Ok(())
    };
    let rivals = vec![("by hand".to_owned(), work)];
    Ok(Trial { bytes, ours: our_work, packets: None, rivals, plain: None, check: Box::new(check) })
}
