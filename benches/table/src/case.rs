//! A clamp of a tensor as plain data: the benchmark times it, the model predicts it, AMD's compiler counts it.

use std::rc::Rc;

use anyhow::{Context, Result};
use wgpu_clamp::{Clamp, Clamps, DType, Layout, Limits, Number, Operands, Plan, Prepared, View, wgpu};

use crate::bench::Bench;
use crate::clock::{Dispatch, Work};
use crate::data::{self, Content};
use crate::device::Device;
use crate::plain::plain;
use crate::row::{Goals, Rival, Row, Trial};
use crate::verify;

/// One clamp on given layouts.
#[derive(Clone)]
pub struct Case {
    /// The section of the table.
    pub section: String,
    /// The name of the row.
    pub name: String,
    /// The clamp, or one for each index of `axis`, with all numbers known to the host.
    pub clamps: Vec<Clamp>,
    /// The axis of the channels, if each has its own clamp.
    pub axis: Option<usize>,
    /// The clamp of the measured call, if some of its numbers lie on the GPU.
    pub slots: Option<Clamp>,
    /// The source layout.
    pub src: Layout,
    /// The destination layout.
    pub dst: Layout,
    /// Whether source and destination are the same buffer.
    pub in_place: bool,
    /// Elements of src that have to be loaded, and of dst that have to be loaded or stored, if not those of the tensor:
    /// words also hold elements that take no part.
    pub moved: Option<[usize; 2]>,
    /// The work that counts as one.
    pub against: Against,
    /// The least ratios.
    pub goals: Goals,
}

/// Work that a case is compared with, besides the plain kernel.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Against {
    /// A copy that reads and writes as many bytes in total.
    Copy,
    /// A fill of the output's bytes.
    Fill,
    /// The same clamps with numbers of the host in place of numbers on the GPU.
    Values,
}

/// A case with one or more sets of buffers.
pub struct Set {
    /// Min, Max, scale and bias of each channel, if they lie on the GPU.
    slots: [Option<wgpu::Buffer>; 4],
    /// Pairs of source and destination; in place, both are the same buffer.
    pub(crate) buffers: Vec<[wgpu::Buffer; 2]>,
    /// The clamp prepared on each pair of buffers.
    pub(crate) prepared: Vec<Prepared>,
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
            against: Against::Copy,
            goals: [None; 2],
        }
    }

    /// The case with a clamp for each index of an axis.
    pub fn along(self, axis: usize, clamp: impl Fn(usize) -> Result<Clamp>) -> Result<Self> {
        let clamps = (0..self.dst.shape()[axis]).map(clamp).collect::<Result<_>>()?;
        Ok(Self { axis: Some(axis), clamps, ..self })
    }

    /// The case with scale and bias on the GPU, compared with the same numbers on the host.
    pub fn on_gpu(self) -> Result<Self> {
        let slots = self.clamp().with_scale_bias(Number::OnGpu, Number::OnGpu)?;
        Ok(Self { slots: Some(slots), against: Against::Values, ..self })
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

    /// What the destination holds before the clamp.
    pub(crate) fn before(&self) -> Content {
        if self.in_place { Content::Random(self.clamp().source()) } else { Content::Poison }
    }

    /// The row that times the case.
    pub fn row(self) -> Row {
        let (section, name, dtypes, goals) =
            (self.section.clone(), self.name.clone(), self.dtypes(), self.goals);
        let case = Rc::new(self);
        let prepare = Box::new(move |bench: &Bench| Self::trial(&case, bench));
        Row { section, name, dtypes, goals, case: None, prepare }
    }

    /// Makes the buffers and records the work: ours, a copy, the plain kernel.
    fn trial(this: &Rc<Self>, bench: &Bench) -> Result<Trial> {
        let (device, bytes, sets) = (&bench.device, this.bytes(), bench.sets(this.bytes()));
        let set = this.set(device, sets)?;
        let rivals = match this.against {
            Against::Copy => bench.copies(bytes)?,
            Against::Fill => bench.fills(bytes)?,
            Against::Values => {
                let values = Self { slots: None, ..Self::clone(this) };
                vec![Rival {
                    name: "ours, numbers of the host".to_owned(),
                    work: values.set(device, sets)?.work(),
                }]
            }
        };
        let (mut beside, mut theirs) = (None, None);
        if let Some(launch) = plain(this) {
            // Each source with a destination of its own.
            let pair = |[src, _]: &[wgpu::Buffer; 2]| {
                Ok([src.clone(), this.before().buffer(device, this.sizes()?[1])?])
            };
            let pairs = set.buffers.iter().map(pair).collect::<Result<Vec<_>>>()?;
            beside = Some(launch.work(device, &pairs));
            theirs = pairs.into_iter().next().map(|[_, dst]| dst);
        }
        let (ours, case) = (set.work(), Rc::clone(this));
        let check = move |bench: &Bench| {
            case.check(&bench.device, set.dst())?;
            let theirs = theirs.as_ref();
            theirs.map_or(Ok(()), |theirs| verify::alike(&case, &bench.device, [set.dst(), theirs]))
        };
        Ok(Trial { bytes, ours, rivals, plain: beside, check: Box::new(check) })
    }

    /// Creates random sources and poisoned destinations.
    pub(crate) fn buffers(&self, device: &Device, sets: usize) -> Result<Set> {
        let [src_size, dst_size] = self.sizes()?;
        let pair = |_| {
            let src = Content::Random(self.clamp().source()).buffer(device, src_size)?;
            let dst = if self.in_place { src.clone() } else { self.before().buffer(device, dst_size)? };
            Ok([src, dst])
        };
        let buffers = (0..sets).map(pair).collect::<Result<_>>()?;
        Ok(Set { slots: self.slot_buffers(device)?, buffers, prepared: Vec::new() })
    }

    /// As `buffers`, with the clamp prepared on each pair.
    pub fn set(&self, device: &Device, sets: usize) -> Result<Set> {
        let mut set = self.buffers(device, sets)?;
        self.prepare(device, &mut set)?;
        device.wait()?;
        Ok(set)
    }

    /// Prepares the clamp on each pair of buffers.
    pub(crate) fn prepare(&self, device: &Device, set: &mut Set) -> Result<()> {
        let prepare = |n| Ok(device.host.clamper().prepare(self.asked(), self.operands(set, n)?)?);
        set.prepared = (0..set.buffers.len()).map(prepare).collect::<Result<_>>()?;
        Ok(())
    }

    /// Operands for [`asked`](Self::asked) on the `n`-th pair of buffers.
    pub fn operands<'a>(&self, set: &'a Set, n: usize) -> Result<Operands<'a>> {
        let ([src, dst], dtype) = (&set.buffers[n], self.clamp().dtype());
        let operands =
            Operands::new(View::new(src, self.clamp().source(), self.src), View::new(dst, dtype, self.dst));
        let shape = [self.clamps.len()];
        let slots = Layout::packed(if self.axis.is_some() { &shape } else { &[] })?;
        let view = |n: usize, dtype| set.slots[n].as_ref().map(|buffer| View::new(buffer, dtype, slots));
        let operands = operands.with_min(view(0, dtype)).with_max(view(1, dtype));
        Ok(operands.with_scale(view(2, DType::F32)).with_bias(view(3, DType::F32)))
    }

    /// Uploads the numbers that lie on the GPU.
    fn slot_buffers(&self, device: &Device) -> Result<[Option<wgpu::Buffer>; 4]> {
        let mut buffers = [const { None }; 4];
        for (n, buffer) in buffers.iter_mut().enumerate() {
            if self.slots.is_none_or(|slots| numbers(&slots)[n] != Number::OnGpu) {
                continue;
            }
            let mut bytes = Vec::new();
            for clamp in &self.clamps {
                let value = numbers(clamp)[n].value().context("a slot without a value")?;
                bytes.extend_from_slice(&value.bits().to_le_bytes()[..value.dtype().size()]);
            }
            *buffer = Some(data::buffer(device, &bytes));
        }
        Ok(buffers)
    }

    /// Compares a destination with the reference.
    pub fn check(&self, device: &Device, dst: &wgpu::Buffer) -> Result<()> {
        let ([src_size, dst_size], after) = (self.sizes()?, data::read(device, dst)?);
        let src = data::random(self.clamp().source(), src_size);
        verify::check(
            self.clamps(),
            wgpu_clamp::verify::Buffers {
                src_layout: &self.src,
                src: &src,
                dst_layout: &self.dst,
                dst_before: &self.before().bytes(dst_size),
                dst_after: &after[..dst_size],
            },
        )
    }
}

/// The four numbers of a clamp.
pub(crate) fn numbers(clamp: &Clamp) -> [Number; 4] {
    [clamp.min(), clamp.max(), clamp.scale(), clamp.bias()]
}

impl Set {
    /// The dispatches on each pair of buffers.
    pub fn work(&self) -> Work {
        let record = |prepared: &Prepared| -> Dispatch {
            let prepared = prepared.clone();
            Box::new(move |pass| prepared.record(pass))
        };
        Work::Pass(self.prepared.iter().map(record).collect())
    }

    /// The first destination: each submission begins with it, and may not reach the others.
    pub fn dst(&self) -> &wgpu::Buffer {
        &self.buffers[0][1]
    }
}
