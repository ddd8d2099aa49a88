//! Rows for the cost of a call apart from its bytes: many small clamps, one clamp, a plan.

use std::hint::black_box;
use std::rc::Rc;

use anyhow::Result;
use wgpu_clamp::{DType, Host, Layout, Limits, Number, Operands, Plan, Prepared, View, wgpu};

use crate::bench::Bench;
use crate::case::{Case, Set};
use crate::clock::{Work, seconds};
use crate::data::{self, Content};
use crate::device::Device;
use crate::hand::Hand;
use crate::kernels::part;
use crate::row::{Check, Goal, Rival, Row, Trial, Unit};

/// Bytes of a small clamp.
const SMALL: u64 = 4096;

/// Number of small clamps in one pass.
const MANY: u64 = 1000;

/// Calls per sample, where one call is too short to be timed.
const CALLS: u32 = 50;

/// All rows of this file.
pub fn rows() -> Vec<Row> {
    let row = |name: &str, goal: Goal, prepare: fn(&Bench) -> Result<Trial>| {
        Row::new("overhead", name, DType::F32, [goal; 2], prepare)
    };
    vec![
        row("1,000 clamps of 4 KiB in a pass, CPU time", Goal::Time(1.10), many),
        row("`encode` without `prepare`, CPU time", Goal::Time(1.10), unprepared),
        row("one clamp of 4 KiB, submission to completion", Goal::Time(1.05), one),
        row("one clamp of 4 KiB with its bounds on the GPU, submission to completion", Goal::Report, slots),
        plan(Unit::Seconds, 2e-6),
        plan(Unit::Allocations, 0.0),
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

/// Seconds per submission. Each submission waits for the previous one.
fn round_trips(host: &Host, record: impl Fn(&mut wgpu::ComputePass<'_>)) -> Result<f64> {
    let device = host.clamper().device();
    let (time, result) = seconds(|| -> Result<()> {
        for _ in 0..CALLS {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            record(&mut begin_pass(&mut encoder));
            host.queue().submit([encoder.finish()]);
            device.poll(wgpu::PollType::wait_indefinitely())?;
        }
        Ok(())
    });
    result.map(|()| time / f64::from(CALLS))
}

fn begin_pass(encoder: &mut wgpu::CommandEncoder) -> wgpu::ComputePass<'_> {
    encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default())
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
    fn new(device: &Device, count: u64) -> Result<Rc<Self>> {
        let layout = Layout::packed(&[usize::try_from(SMALL * count / 4)?])?;
        let case = Case::new(data::bounds(DType::F32), layout, layout);
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
        let [src, dst] = buffers.map(|buffer| part(buffer, n * SMALL, SMALL));
        self.hand.bind(self.host.clamper().device(), src, dst)
    }

    fn trial(
        self: Rc<Self>,
        bytes: u64,
        rival: &str,
        ours: impl Fn(&Self) -> Result<f64> + 'static,
        theirs: impl Fn(&Self) -> Result<f64> + 'static,
    ) -> Trial {
        let (us, they) = (Rc::clone(&self), Rc::clone(&self));
        let work = Work::Measured(Box::new(move || theirs(&they)));
        Trial {
            bytes,
            ours: Work::Measured(Box::new(move || ours(&us))),
            rivals: vec![Rival { name: rival.to_owned(), work }],
            // Both sides must do the same work.
            check: Box::new(move |bench| {
                self.case.check(&bench.device, &self.set)?;
                self.case.check_buffer(&bench.device, &self.theirs)
            }),
        }
    }
}

fn many(bench: &Bench) -> Result<Trial> {
    let small = Small::new(&bench.device, MANY)?;
    let prepare = |n| Ok(bench.device.host.clamper().prepare(&small.case.clamp, small.operands(n)?)?);
    let prepared = (0..MANY).map(prepare).collect::<Result<Vec<_>>>()?;
    let groups: Vec<_> = (0..MANY).map(|n| small.bind(n)).collect();
    let ours = move |small: &Small| {
        recorded(&small.host, |encoder| {
            let mut pass = begin_pass(encoder);
            for prepared in &prepared {
                prepared.record(&mut pass);
            }
            Ok(())
        })
    };
    let theirs = move |small: &Small| {
        recorded(&small.host, |encoder| {
            small.hand.record(&mut begin_pass(encoder), &groups, SMALL);
            Ok(())
        })
    };
    Ok(small.trial(SMALL * MANY, "by hand, bind groups ready", ours, theirs))
}

fn unprepared(bench: &Bench) -> Result<Trial> {
    let ours = |small: &Small| {
        let encode = |encoder: &mut _| {
            Ok(small.host.clamper().encode(encoder, &small.case.clamp, small.operands(0)?)?)
        };
        let time = recorded(&small.host, |encoder| (0..CALLS).try_for_each(|_| encode(encoder)))?;
        Ok(time / f64::from(CALLS))
    };
    let theirs = |small: &Small| {
        let time = recorded(&small.host, |encoder| {
            for _ in 0..CALLS {
                let group = small.bind(0);
                small.hand.record(&mut begin_pass(encoder), &[group], SMALL);
            }
            Ok(())
        })?;
        Ok(time / f64::from(CALLS))
    };
    Ok(Small::new(&bench.device, 1)?.trial(SMALL, "by hand, all made each time", ours, theirs))
}

fn one(bench: &Bench) -> Result<Trial> {
    let small = Small::new(&bench.device, 1)?;
    let prepared = bench.device.host.clamper().prepare(&small.case.clamp, small.operands(0)?)?;
    let group = [small.bind(0)];
    let ours = move |small: &Small| round_trips(&small.host, |pass| prepared.record(pass));
    let theirs = move |small: &Small| round_trips(&small.host, |pass| small.hand.record(pass, &group, SMALL));
    Ok(small.trial(SMALL, "by hand, bind group ready", ours, theirs))
}

/// A clamp with bounds on the GPU, compared with the same clamp with bounds by value.
fn slots(bench: &Bench) -> Result<Trial> {
    let layout = Layout::packed(&[usize::try_from(SMALL / 4)?])?;
    let values = Case::new(data::bounds(DType::F32), layout, layout);
    let on_gpu = values.clamp.with_bounds(Number::OnGpu, Number::OnGpu)?;
    let on_gpu = Case { slots: Some(on_gpu), ..values };
    let (us, they) = (on_gpu.set(&bench.device, 1)?, values.set(&bench.device, 1)?);
    let work = |prepared: &Prepared| {
        let (host, prepared) = (bench.device.host.clone(), prepared.clone());
        Work::Measured(Box::new(move || round_trips(&host, |pass| prepared.record(pass))))
    };
    let rivals = vec![Rival { name: "ours, bounds by value".to_owned(), work: work(&they.prepared[0]) }];
    let ours = work(&us.prepared[0]);
    let check: Check = Box::new(move |bench| {
        on_gpu.check(&bench.device, &us)?;
        values.check(&bench.device, &they)
    });
    Ok(Trial { bytes: SMALL, ours, rivals, check })
}

/// A plan for eight dimensions, none of which merge; measured in time or in allocations.
fn plan(unit: Unit, most: f64) -> Row {
    let prepare = move |bench: &Bench| {
        let shape = [3, 4, 5, 4, 3, 4, 5, 8];
        let strides = [170_100, 42_500, 8500, 2100, 700, 170, 33, 4];
        let (src, dst) = (Layout::packed(&shape)?, Layout::strided(&shape, &strides, 0)?);
        let limits: Limits = bench.device.host.clamper().limits();
        let clamp = data::bounds(DType::F32);
        let make = move || black_box(Plan::new(black_box(&clamp), black_box(&src), &dst, limits)).map(|_| ());
        make()?;
        let ours = Work::Measured(match unit {
            Unit::Seconds => Box::new(move || Ok(seconds(|| (0..1000).for_each(|_| _ = make())).0 / 1000.0)),
            Unit::Allocations => {
                Box::new(move || Ok(f64::from(allocation_counter::measure(|| _ = make()).count_total as u32)))
            }
        });
        Ok(Trial { bytes: 0, ours, rivals: Vec::new(), check: Box::new(|_| Ok(())) })
    };
    let goals = [Goal::Absolute(most); 2];
    let row = Row::new("overhead", "a plan of 8 dimensions", DType::F32, goals, prepare);
    Row { dtype: None, unit, ..row }
}
