//! A clamp of a tensor as plain data: the benchmark times it, the model predicts it, AMD's compiler counts it.

use std::rc::Rc;

use anyhow::{Context, Result, ensure};
use wgpu_clamp::verify::Buffers;
use wgpu_clamp::{
    Clamp, Clamps, DType, Layout, Limits, Number, Operands, Plan, Prepared, Scalar, View, wgpu,
};

use crate::bench::Bench;
use crate::clock::{Dispatch, Work, seconds};
use crate::data::{self, random_buffer};
use crate::device::Device;
use crate::kernels::Kind;
use crate::plain::{alike, plain};
use crate::row::{Goals, Row, Trial};

/// One clamp on given layouts.
#[derive(Clone)]
pub struct Case {
    pub section: String,
    pub name: String,
    /// The clamp, or one for each index of `axis`, with all numbers known to the host.
    pub clamps: Vec<Clamp>,
    /// The axis of the channels, if each has its own clamp.
    pub axis: Option<usize>,
    /// The clamp of the measured call, if its scale and bias lie on the GPU.
    pub slots: Option<Clamp>,
    pub src: Layout,
    pub dst: Layout,
    /// Whether source and destination are the same buffer.
    pub in_place: bool,
    /// Elements of src that have to be loaded, and of dst that have to be loaded or stored, if not those of the tensor:
    /// words also hold elements that take no part.
    pub moved: Option<[usize; 2]>,
    /// The kernels that the case is compared with, besides the plain one: copies of as many bytes in total, or fills of the output.
    /// With numbers on the GPU the rival is the same clamp with numbers of the host.
    pub packets: Kind,
    pub goals: Goals,
}

/// A case with one or more sets of buffers.
pub struct Set {
    /// Scale and bias of each channel, if they lie on the GPU.
    slots: Option<[wgpu::Buffer; 2]>,
    /// Pairs of source and destination; in place, both are the same buffer.
    pub(crate) buffers: Vec<[wgpu::Buffer; 2]>,
    /// The clamp prepared on each pair of buffers.
    prepared: Vec<Prepared>,
}

impl Case {
    /// A clamp from one buffer to another, compared with a copy.
    pub fn new(section: &str, name: impl Into<String>, clamp: Clamp, [src, dst]: [Layout; 2]) -> Self {
        Self {
            section: section.to_owned(),
            name: name.into(),
            clamps: vec![clamp],
            axis: None,
            slots: None,
            src,
            dst,
            in_place: false,
            moved: None,
            packets: Kind::Copy,
            goals: [None; 2],
        }
    }

    /// The clamp; with channels, the first channel's.
    pub fn clamp(&self) -> &Clamp {
        &self.clamps[0]
    }

    /// The clamps with numbers of the host, as the reference takes them.
    pub fn clamps(&self) -> Clamps<'_> {
        self.axis.map_or_else(|| self.clamp().into(), |axis| Clamps::along(axis, &self.clamps))
    }

    /// The clamps of the measured call.
    pub fn asked(&self) -> Clamps<'_> {
        match (&self.slots, self.axis) {
            (Some(clamp), Some(axis)) => Clamps::slots_along(axis, clamp),
            (Some(clamp), None) => clamp.into(),
            (None, _) => self.clamps(),
        }
    }

    /// The plan of the measured call.
    pub fn plan(&self, limits: Limits) -> Result<Plan> {
        Ok(if self.in_place {
            Plan::in_one_buffer(self.asked(), &self.src, &self.dst, limits)?
        } else {
            Plan::new(self.asked(), &self.src, &self.dst, limits)?
        })
    }

    /// The dtype, or those of source and destination.
    pub fn dtypes(&self) -> String {
        let [source, dtype] = [self.clamp().source(), self.clamp().dtype()];
        if source == dtype { dtype.to_string() } else { format!("{source} → {dtype}") }
    }

    /// Section, name and dtypes: a key, and what `--only` searches.
    pub fn title(&self) -> String {
        format!("{}: {}, {}", self.section, self.name, self.dtypes())
    }

    /// Bytes of a copy with the same traffic: half of all bytes loaded and stored.
    pub fn bytes(&self) -> u64 {
        let [loaded, stored] = self.moved.unwrap_or([self.dst.len(); 2]);
        usize::midpoint(loaded * self.clamp().source().size(), stored * self.clamp().dtype().size()) as u64
    }

    /// Bytes of source and destination.
    pub fn sizes(&self) -> Result<[usize; 2]> {
        let size = |layout: &Layout, dtype: DType| usize::try_from(layout.required_bytes(dtype));
        Ok([size(&self.src, self.clamp().source())?, size(&self.dst, self.clamp().dtype())?])
    }

    /// The layout of the numbers on the GPU.
    pub(crate) fn slot(&self) -> Result<Layout> {
        let channels = [self.clamps.len()];
        Ok(Layout::packed(if self.axis.is_some() { &channels } else { &[] })?)
    }

    /// The row that times the case, and the first result of `small`.
    pub fn row(self, small: Self) -> Row {
        let (section, name, dtypes, goals) =
            (self.section.clone(), self.name.clone(), self.dtypes(), self.goals);
        let case = Rc::new(self);
        let prepare = Box::new(move |bench: &Bench| Self::trial(&case, bench));
        Row { section, name, dtypes, goals, small: Some(small), prepare }
    }

    /// Makes the buffers and records the work: ours, a copy, the plain kernel.
    fn trial(this: &Rc<Self>, bench: &Bench) -> Result<Trial> {
        let (device, bytes, sets) = (&bench.device, this.bytes(), bench.sets(this.bytes()));
        let set = this.set(device, sets)?;
        let (mut packets, mut rivals) = (Some(this.packets), Vec::new());
        if this.slots.is_some() {
            let values = Self { slots: None, ..Self::clone(this) }.set(device, sets)?.dispatches();
            rivals.push(("ours, numbers of the host".to_owned(), Work::Pass(values)));
            packets = None;
        }
        let (mut beside, mut theirs) = (None, None);
        if let Some(kernels) = plain(this) {
            // Each source with a destination of its own.
            let pair = |[src, _]: &[wgpu::Buffer; 2]| {
                Ok([src.clone(), random_buffer(device, DType::U64, this.sizes()?[1])?])
            };
            let pairs = set.buffers.iter().map(pair).collect::<Result<Vec<_>>>()?;
            beside = Some(Work::Pass(kernels.dispatches(device, &pairs)));
            theirs = pairs.into_iter().next().map(|[_, dst]| dst);
        }
        let (ours, case) = (Work::Pass(set.dispatches()), Rc::clone(this));
        let check = move |bench: &Bench| case.check(&bench.device, set.dst(), theirs.as_ref());
        Ok(Trial { bytes, ours, packets, rivals, plain: beside, check: Box::new(check) })
    }

    /// Creates the buffers, and prepares the clamp on each pair.
    pub fn set(&self, device: &Device, sets: usize) -> Result<Set> {
        let mut set = self.buffers(device, sets)?;
        for n in 0..sets {
            set.prepared.push(device.host.clamper().prepare(self.asked(), self.operands(&set, n)?)?);
        }
        device.wait()?;
        Ok(set)
    }

    fn buffers(&self, device: &Device, sets: usize) -> Result<Set> {
        let [src_size, dst_size] = self.sizes()?;
        let pair = |_| {
            let src = random_buffer(device, self.clamp().source(), src_size)?;
            if self.in_place {
                return Ok([src.clone(), src]);
            }
            Ok([src, random_buffer(device, DType::U64, dst_size)?])
        };
        let buffers = (0..sets).map(pair).collect::<Result<_>>()?;
        let numbers = |of: fn(&Clamp) -> Number| -> Result<wgpu::Buffer> {
            let numbers = self.clamps.iter().map(|clamp| of(clamp).value().and_then(Scalar::get::<f32>));
            let numbers: Vec<f32> = numbers.collect::<Option<_>>().context("no number for the GPU")?;
            Ok(data::buffer(device.wgpu(), bytemuck::cast_slice(&numbers)))
        };
        let slots = self.slots.map(|_| anyhow::Ok([numbers(Clamp::scale)?, numbers(Clamp::bias)?]));
        Ok(Set { slots: slots.transpose()?, buffers, prepared: Vec::new() })
    }

    /// Operands for [`asked`](Self::asked) on the `n`-th pair of buffers.
    pub fn operands<'a>(&self, set: &'a Set, n: usize) -> Result<Operands<'a>> {
        let ([src, dst], [source, dtype]) = (&set.buffers[n], [self.clamp().source(), self.clamp().dtype()]);
        let operands = Operands::new(View::new(src, source, self.src), View::new(dst, dtype, self.dst));
        let Some([scale, bias]) = &set.slots else { return Ok(operands) };
        let slot = self.slot()?;
        Ok(operands.with_scale(View::of::<f32>(scale, slot)).with_bias(View::of::<f32>(bias, slot)))
    }

    /// Seconds of `prepare` and the first dispatch, by a host that has compiled nothing. The driver may have.
    pub fn first(&self, device: &Device) -> Result<f64> {
        let (host, set) = (device.fresh()?, self.buffers(device, 1)?);
        let operands = self.operands(&set, 0)?;
        device.wait()?;
        let (time, result) = seconds(|| {
            host.submit(self.asked(), operands)?;
            device.wait()
        });
        result.map(|()| time)
    }

    /// Compares boxes at the start, in the middle and at the end of a destination with the reference, and with the plain kernel's
    /// destination.
    pub fn check(&self, device: &Device, dst: &wgpu::Buffer, plain: Option<&wgpu::Buffer>) -> Result<()> {
        let (src, after) = (data::random(self.clamp().source(), self.sizes()?[0]), data::read(device, dst)?);
        let plain = plain.map(|plain| data::read(device, plain)).transpose()?;
        // The longest side of a box of at most 2^18 elements.
        let side = 1 << (18 / self.dst.rank().max(1));
        for part in 0..3 {
            let (mut from, mut to, mut clamps) = (self.src, self.dst, &self.clamps[..]);
            for (axis, extent) in self.dst.shape().iter().enumerate() {
                let start = extent.saturating_sub(side) * part / 2;
                let range = start..start + side.min(*extent);
                (from, to) = (from.slice(axis, range.clone())?, to.slice(axis, range.clone())?);
                if self.axis == Some(axis) {
                    clamps = &self.clamps[range];
                }
            }
            let clamps = self.axis.map_or_else(|| self.clamps(), |axis| Clamps::along(axis, clamps));
            let (src_layout, dst_layout) = (&from, &to);
            // What lies outside a box is not compared here.
            let (dst_before, dst_after) = (&after[..], &after[..]);
            let buffers = Buffers { src_layout, src: &src, dst_layout, dst_before, dst_after };
            let report = wgpu_clamp::verify::check(clamps, buffers)?;
            ensure!(report.passed(), "{report}");
            if let Some(plain) = &plain {
                alike(self.clamp().dtype(), &to, [&after, plain])?;
            }
        }
        Ok(())
    }
}

impl Set {
    /// The dispatches on each pair of buffers.
    pub fn dispatches(&self) -> Vec<Dispatch> {
        let record = |prepared: &Prepared| -> Dispatch {
            let prepared = prepared.clone();
            Box::new(move |pass| prepared.record(pass))
        };
        self.prepared.iter().map(record).collect()
    }

    /// The first destination: each submission begins with it, and may not reach the others.
    pub fn dst(&self) -> &wgpu::Buffer {
        &self.buffers[0][1]
    }
}
