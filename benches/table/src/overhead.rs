//! Rows for the cost of a call apart from its bytes: many small clamps, one clamp, a plan.

use std::hint::black_box;
use std::rc::Rc;

use anyhow::Result;
use wgpu_clamp::{Clamp, DType, Error, Layout, Limits, Number, Operands, Plan, View, wgpu};

use crate::bench::Bench;
use crate::clock::{Work, seconds, wait};
use crate::data;
use crate::device::Device;
use crate::hand::Hand;
use crate::row::{Goal, Rival, Row, Trial, Unit};
use crate::verify::{self, Side};

/// Bytes of a small clamp.
const SMALL: u64 = 4096;

/// Small clamps in one pass.
const MANY: u64 = 1000;

/// Calls per sample, where one call is too short to be timed.
const CALLS: usize = 50;

/// All rows of this file.
#[must_use]
pub fn rows() -> Vec<Row> {
    let row = |name: &str, goal: Goal, prepare: fn(&Bench) -> Result<Trial>| Row {
        section: "overhead",
        name: name.to_owned(),
        dtype: Some(DType::F32),
        goals: [goal; 2],
        unit: Unit::Seconds,
        case: None,
        prepare: Box::new(prepare),
    };
    vec![
        row("1,000 clamps of 4 KiB in a pass, CPU time", Goal::Time(1.10), many),
        row("`encode` without `prepare`, CPU time", Goal::Time(1.10), unprepared),
        row("one clamp of 4 KiB, submission to completion", Goal::Time(1.05), one),
        row("one clamp of 4 KiB with its bounds on the GPU, submission to completion", Goal::Report, slots),
        plan("a plan of 8 dimensions", Unit::Seconds, 2e-6),
        plan("a plan of 8 dimensions", Unit::Allocations, 0.0),
    ]
}

/// A source, one destination for each side, and the source's bytes.
struct Small {
    device: Rc<Parts>,
    src: wgpu::Buffer,
    ours: wgpu::Buffer,
    theirs: wgpu::Buffer,
    src_bytes: Vec<u8>,
    hand: Hand,
    clamp: Clamp,
}

/// The parts of a device that the closures keep.
struct Parts {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Parts {
    fn of(device: &Device) -> Rc<Self> {
        Rc::new(Self { device: device.wgpu().clone(), queue: device.queue().clone() })
    }

    /// Seconds to record with `record` and to submit. Waits afterwards.
    fn record(&self, record: impl FnOnce(&mut wgpu::CommandEncoder) -> Result<()>) -> Result<f64> {
        let (time, result) = seconds(|| {
            let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            let result = record(&mut encoder);
            self.queue.submit([encoder.finish()]);
            result
        });
        self.wait()?;
        result.map(|()| time)
    }

    /// Seconds per submission, where each waits for the one before.
    fn round_trips(&self, record: impl Fn(&mut wgpu::ComputePass<'_>)) -> Result<f64> {
        let (time, result) = seconds(|| -> Result<()> {
            for _ in 0..CALLS {
                let mut encoder =
                    self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                record(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
                self.queue.submit([encoder.finish()]);
                self.wait()?;
            }
            Ok(())
        });
        result.map(|()| per_call(time))
    }

    fn wait(&self) -> Result<()> {
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "50")]
fn per_call(seconds: f64) -> f64 {
    seconds / CALLS as f64
}

impl Small {
    fn new(device: &Device, count: u64) -> Result<Rc<Self>> {
        let src_bytes = data::random(DType::F32, usize::try_from(SMALL * count)?, 5);
        let poison = vec![0xa5; src_bytes.len()];
        let small = Self {
            src: data::buffer(device, &src_bytes)?,
            ours: data::buffer(device, &poison)?,
            theirs: data::buffer(device, &poison)?,
            device: Parts::of(device),
            src_bytes,
            hand: Hand::new(device),
            clamp: data::bounds(DType::F32)?,
        };
        wait(device)?;
        Ok(Rc::new(small))
    }

    /// The operands of the `n`-th small clamp.
    fn operands(&self, n: u64) -> Result<Operands<'_>> {
        let elements = usize::try_from(SMALL / 4)?;
        let layout = Layout::strided(&[elements], &[1], elements * usize::try_from(n)?)?;
        Ok(Operands::new(
            View::new(&self.src, self.clamp.dtype(), layout),
            View::new(&self.ours, self.clamp.dtype(), layout),
        ))
    }

    /// The bind group of the `n`-th small clamp by hand.
    fn bind(&self, n: u64) -> Result<wgpu::BindGroup> {
        let part = |buffer| {
            let size = wgpu::BufferSize::new(SMALL);
            wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset: n * SMALL, size })
        };
        self.hand.bind(&self.device.device, part(&self.src), part(&self.theirs))
    }

    /// Checks both destinations: both sides must do the same work.
    fn check(&self, device: &Device) -> Result<()> {
        let layout = Layout::packed(&[self.src_bytes.len() / 4])?;
        let poison = vec![0xa5; self.src_bytes.len()];
        let (src, dst) =
            (Side { layout: &layout, bytes: &self.src_bytes }, Side { layout: &layout, bytes: &poison });
        verify::check(&self.clamp, &src, &dst, &data::read(device, &self.ours)?)?;
        verify::check(&self.clamp, &src, &dst, &data::read(device, &self.theirs)?)
    }

    fn trial(self: Rc<Self>, bytes: u64, rival: &str, ours: Measure, theirs: Measure) -> Trial {
        Trial {
            bytes,
            ours: Work::Measured(ours),
            rivals: vec![Rival { name: rival.to_owned(), work: Work::Measured(theirs) }],
            check: Box::new(move |bench| self.check(&bench.device)),
        }
    }
}

type Measure = Box<dyn FnMut() -> Result<f64>>;

fn many(bench: &Bench) -> Result<Trial> {
    let small = Small::new(&bench.device, MANY)?;
    let clamper = bench.device.host.clamper();
    let prepared: Result<Vec<_>> =
        (0..MANY).map(|n| Ok(clamper.prepare(&small.clamp, small.operands(n)?)?)).collect();
    let prepared = prepared?;
    let groups = (0..MANY).map(|n| small.bind(n)).collect::<Result<Vec<_>>>()?;
    let (us, they) = (Rc::clone(&small), Rc::clone(&small));
    let ours = move || {
        us.device.record(|encoder| {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            for prepared in &prepared {
                prepared.record(&mut pass);
            }
            Ok(())
        })
    };
    let theirs = move || {
        they.device.record(|encoder| {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            they.hand.record(&mut pass, &groups, SMALL);
            Ok(())
        })
    };
    Ok(small.trial(SMALL * MANY, "by hand, bind groups ready", Box::new(ours), Box::new(theirs)))
}

fn unprepared(bench: &Bench) -> Result<Trial> {
    let small = Small::new(&bench.device, 1)?;
    let clamper = bench.device.host.clamper().clone();
    let (us, they) = (Rc::clone(&small), Rc::clone(&small));
    let ours = move || {
        let time = us.device.record(|encoder| {
            (0..CALLS).try_for_each(|_| Ok(clamper.encode(encoder, &us.clamp, us.operands(0)?)?))
        });
        time.map(per_call)
    };
    let theirs = move || {
        let time = they.device.record(|encoder| {
            (0..CALLS).try_for_each(|_| {
                let group = they.bind(0)?;
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                they.hand.record(&mut pass, &[group], SMALL);
                Ok(())
            })
        });
        time.map(per_call)
    };
    Ok(small.trial(SMALL, "by hand, all made each time", Box::new(ours), Box::new(theirs)))
}

fn one(bench: &Bench) -> Result<Trial> {
    let small = Small::new(&bench.device, 1)?;
    let prepared = bench.device.host.clamper().prepare(&small.clamp, small.operands(0)?)?;
    let group = [small.bind(0)?];
    let (us, they) = (Rc::clone(&small), Rc::clone(&small));
    let ours = move || us.device.round_trips(|pass| prepared.record(pass));
    let theirs = move || they.device.round_trips(|pass| they.hand.record(pass, &group, SMALL));
    Ok(small.trial(SMALL, "by hand, bind group ready", Box::new(ours), Box::new(theirs)))
}

/// A clamp with bounds on the GPU, compared with the same clamp with bounds by value.
fn slots(bench: &Bench) -> Result<Trial> {
    let small = Small::new(&bench.device, 1)?;
    let values: Vec<u8> = [small.clamp.min(), small.clamp.max()]
        .into_iter()
        .flat_map(|bound| bound.value().map_or([0xff; 4], |scalar| (scalar.bits() as u32).to_le_bytes()))
        .collect();
    let slots = data::buffer(&bench.device, &values)?;
    let slot = |n| Ok::<_, Error>(View::new(&slots, DType::F32, Layout::packed_at(&[], n)?));
    let on_gpu = small.clamp.with_bounds(Number::OnGpu, Number::OnGpu)?;
    let operands = small.operands(0)?;
    let clamper = bench.device.host.clamper();
    let ours = clamper.prepare(&on_gpu, operands.with_min(slot(0)?).with_max(slot(1)?))?;
    let theirs = Operands::new(operands.src(), View::new(&small.theirs, DType::F32, operands.dst().layout()));
    let theirs = clamper.prepare(&small.clamp, theirs)?;
    let (us, they) = (Rc::clone(&small), Rc::clone(&small));
    let ours = move || us.device.round_trips(|pass| ours.record(pass));
    let theirs = move || they.device.round_trips(|pass| theirs.record(pass));
    Ok(small.trial(SMALL, "ours, bounds by value", Box::new(ours), Box::new(theirs)))
}

/// A plan for eight dimensions, none of which merge; measured in time or in allocations.
fn plan(name: &str, unit: Unit, most: f64) -> Row {
    let prepare = move |bench: &Bench| {
        let shape = [3, 4, 5, 4, 3, 4, 5, 8];
        let strides = [170_100, 42_500, 8500, 2100, 700, 170, 33, 4];
        let (src, dst) = (Layout::packed(&shape)?, Layout::strided(&shape, &strides, 0)?);
        let limits: Limits = bench.device.host.clamper().limits();
        let clamp = data::bounds(DType::F32)?;
        let make = move || black_box(Plan::new(black_box(&clamp), black_box(&src), &dst, limits)).map(|_| ());
        make()?;
        let time: Measure = Box::new(move || Ok(seconds(|| (0..1000).for_each(|_| _ = make())).0 / 1000.0));
        let count: Measure =
            Box::new(move || Ok(f64::from(allocation_counter::measure(|| _ = make()).count_total as u32)));
        let ours = Work::Measured(if unit == Unit::Seconds { time } else { count });
        Ok(Trial { bytes: 0, ours, rivals: Vec::new(), check: Box::new(|_| Ok(())) })
    };
    Row {
        section: "overhead",
        name: name.to_owned(),
        dtype: None,
        goals: [Goal::Absolute(most); 2],
        unit,
        case: None,
        prepare: Box::new(prepare),
    }
}
