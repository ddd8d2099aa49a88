//! A clamp of a tensor on the device, compared with a copy or a fill of as many bytes, or with a plain kernel.

use anyhow::{Context, Result};
use wgpu_clamp::verify::Buffers;
use wgpu_clamp::{Clamp, Clamps, DType, Layout, Number, Operands, Prepared, View, wgpu};

use crate::bench::Bench;
use crate::clock::{Dispatch, Work};
use crate::data::{self, Content};
use crate::device::Device;
use crate::plain;
use crate::row::{Goal, Rival, Row, Trial};
use crate::verify;

/// One clamp on given layouts.
#[derive(Clone, Copy)]
pub struct Case {
    /// The clamp; with channels, the first channel's.
    pub clamp: Clamp,
    /// The channels' axis and clamps, if each channel has its own.
    pub channels: Option<(usize, &'static [Clamp])>,
    /// The clamp of the measured call, if some of its numbers lie on the GPU.
    pub slots: Option<Clamp>,
    /// The source layout.
    pub src: Layout,
    /// The destination layout.
    pub dst: Layout,
    /// Source elements that have to be loaded, including unused ones in the same words.
    pub loaded: usize,
    /// Destination elements that have to be stored, plus destination elements loaded first to preserve some.
    pub stored: usize,
    /// Whether source and destination are the same buffer.
    pub in_place: bool,
    /// The work that the case is compared with.
    pub rival: Against,
}

/// Work that a case is compared with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Against {
    /// A copy that reads and writes as many bytes in total.
    Copy,
    /// A fill of the output's bytes.
    Fill,
    /// The same clamps with host numbers in place of numbers on the GPU.
    Values,
    /// A plain kernel, for a picture whose layouts have the shape `[channels, pixels]`.
    Plain,
    /// First the plain kernel for any layout, then copies.
    PlainAndCopy,
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
    pub fn new(clamp: Clamp, src: Layout, dst: Layout) -> Self {
        Self {
            clamp,
            channels: None,
            slots: None,
            src,
            dst,
            loaded: dst.len(),
            stored: dst.len(),
            in_place: false,
            rival: Against::Copy,
        }
    }

    /// As [`new`](Self::new), with a clamp for each index of an axis. The clamps are leaked: a program makes a few
    /// hundred.
    pub fn along(axis: usize, clamps: &[Clamp], src: Layout, dst: Layout) -> Self {
        Self { channels: Some((axis, Vec::leak(clamps.to_vec()))), ..Self::new(clamps[0], src, dst) }
    }

    /// As [`along`](Self::along), with scales and biases on the GPU. Compared with the same clamps with host numbers.
    pub(crate) fn in_slots(axis: usize, clamps: &[Clamp], src: Layout, dst: Layout) -> Result<Self> {
        let slots = clamps[0].with_scale_bias(Number::OnGpu, Number::OnGpu)?;
        Ok(Self { slots: Some(slots), rival: Against::Values, ..Self::along(axis, clamps, src, dst) })
    }

    /// The clamps with host numbers, as the reference takes them.
    pub fn clamps(&self) -> Clamps<'_> {
        self.channels.map_or_else(|| (&self.clamp).into(), |(axis, clamps)| Clamps::along(axis, clamps))
    }

    /// The clamps of the measured call, with numbers on the GPU if the case has slots.
    pub fn asked(&self) -> Clamps<'_> {
        match (&self.slots, self.channels) {
            (Some(clamp), Some((axis, _))) => Clamps::slots_along(axis, clamp),
            (Some(clamp), None) => clamp.into(),
            (None, _) => self.clamps(),
        }
    }

    /// A row of the table. `goals` are for a GPU and for a CPU.
    pub fn row(self, section: &'static str, name: impl Into<String>, goals: [Goal; 2]) -> Row {
        let row = Row::new(section, name, self.clamp.dtype(), goals, move |bench| self.trial(bench));
        Row { case: Some(self), ..row }
    }

    /// Bytes of a copy with the same traffic: half of all bytes loaded and stored.
    pub fn bytes(&self) -> u64 {
        let stored = self.stored * self.clamp.dtype().size();
        usize::midpoint(self.loaded * self.clamp.source().size(), stored) as u64
    }

    /// Makes the buffers and records the work.
    pub(crate) fn trial(self, bench: &Bench) -> Result<Trial> {
        let (device, bytes, sets) = (&bench.device, self.bytes(), bench.sets(self.bytes()));
        // Made before the case's own buffers: this frees the buffers of the previous row's copies.
        let mut rivals = match self.rival {
            Against::Copy | Against::PlainAndCopy => bench.copies(bytes)?,
            Against::Fill => bench.fill(bytes)?,
            Against::Values => {
                let work = Self { slots: None, ..self }.set(device, sets)?.work();
                vec![Rival { name: "ours, scales of the program".to_owned(), work }]
            }
            Against::Plain => Vec::new(),
        };
        let set = self.set(device, sets)?;
        let ours = set.work();
        let mut theirs = None;
        if matches!(self.rival, Against::Plain | Against::PlainAndCopy) {
            // Each source with a new destination.
            let beside = |[src, _]: &[wgpu::Buffer; 2]| {
                Ok([src.clone(), self.before().buffer(device, self.sizes()?[1])?])
            };
            let pairs = set.buffers.iter().map(beside).collect::<Result<Vec<_>>>()?;
            let kernel = if self.rival == Against::Plain { plain::picture } else { plain::words };
            let work = kernel(&self)?.work(device, &pairs)?;
            rivals.insert(0, Rival { name: "plain kernel".to_owned(), work });
            theirs = pairs.into_iter().next().map(|[_, dst]| dst);
        }
        let check = move |bench: &Bench| {
            self.check(&bench.device, &set)?;
            theirs.map_or(Ok(()), |theirs| plain::alike(&self, &bench.device, &set, &theirs))
        };
        Ok(Trial { bytes, ours, rivals, check: Box::new(check) })
    }

    /// Creates random sources and poisoned destinations.
    pub(crate) fn buffers(&self, device: &Device, sets: usize) -> Result<Set> {
        let [src_size, dst_size] = self.sizes()?;
        let mut buffers = Vec::new();
        for _ in 0..sets {
            let src = Content::Random(self.clamp.source()).buffer(device, src_size)?;
            let dst = if self.in_place { src.clone() } else { self.before().buffer(device, dst_size)? };
            buffers.push([src, dst]);
        }
        Ok(Set { slots: self.slot_buffers(device)?, buffers, prepared: Vec::new() })
    }

    /// Bytes of source and destination.
    pub(crate) fn sizes(&self) -> Result<[usize; 2]> {
        let size = |layout: &Layout, dtype: DType| usize::try_from(layout.required_bytes(dtype));
        Ok([size(&self.src, self.clamp.source())?, size(&self.dst, self.clamp.dtype())?])
    }

    /// What the destination holds before the clamp.
    pub(crate) fn before(&self) -> Content {
        if self.in_place { Content::Random(self.clamp.source()) } else { Content::Poison }
    }

    /// As `buffers`, with the clamp prepared on each pair.
    pub fn set(&self, device: &Device, sets: usize) -> Result<Set> {
        let mut set = self.buffers(device, sets)?;
        let prepare = |n| self.prepare(device, &set, n);
        set.prepared = (0..sets).map(prepare).collect::<Result<_>>()?;
        device.wait()?;
        Ok(set)
    }

    /// Prepares the clamp on the `n`-th pair of buffers.
    pub(crate) fn prepare(&self, device: &Device, set: &Set, n: usize) -> Result<Prepared> {
        Ok(device.host.clamper().prepare(self.asked(), self.operands(set, n)?)?)
    }

    /// Operands for [`asked`](Self::asked) on the `n`-th pair of buffers.
    pub fn operands<'a>(&self, set: &'a Set, n: usize) -> Result<Operands<'a>> {
        let (src, dst) = (View::new(&set.buffers[n][0], self.clamp.source(), self.src), &set.buffers[n][1]);
        let operands = Operands::new(src, View::new(dst, self.clamp.dtype(), self.dst));
        let shape = [self.clamps().as_slice().len()];
        let slots = Layout::packed(if self.channels.is_some() { &shape } else { &[] })?;
        let view = |n: usize, dtype| set.slots[n].as_ref().map(|buffer| View::new(buffer, dtype, slots));
        let dtype = self.clamp.dtype();
        let operands = operands.with_min(view(0, dtype)).with_max(view(1, dtype));
        Ok(operands.with_scale(view(2, DType::F32)).with_bias(view(3, DType::F32)))
    }

    /// Uploads the numbers that lie on the GPU.
    fn slot_buffers(&self, device: &Device) -> Result<[Option<wgpu::Buffer>; 4]> {
        let numbers = |clamp: &Clamp| [clamp.min(), clamp.max(), clamp.scale(), clamp.bias()];
        let mut buffers = [const { None }; 4];
        for (n, buffer) in buffers.iter_mut().enumerate() {
            if self.slots.is_none_or(|slots| numbers(&slots)[n] != Number::OnGpu) {
                continue;
            }
            let mut bytes = Vec::new();
            for clamp in self.clamps().as_slice() {
                let value = numbers(clamp)[n].value().context("a slot without a value")?;
                bytes.extend_from_slice(&value.bits().to_le_bytes()[..value.dtype().size()]);
            }
            *buffer = Some(data::buffer(device, &bytes)?);
        }
        Ok(buffers)
    }

    /// Compares the first destination with the reference.
    pub fn check(&self, device: &Device, set: &Set) -> Result<()> {
        // Each submission starts with the first set and may not reach the others: only the first is sure to be written.
        self.check_buffer(device, &set.buffers[0][1])
    }

    /// Compares a destination with the reference.
    pub(crate) fn check_buffer(&self, device: &Device, dst: &wgpu::Buffer) -> Result<()> {
        let ([src_size, dst_size], after) = (self.sizes()?, data::read(device, dst)?);
        let buffers = Buffers {
            src_layout: &self.src,
            src: &data::random(self.clamp.source(), src_size),
            dst_layout: &self.dst,
            dst_before: &self.before().bytes(dst_size),
            dst_after: &after[..dst_size],
        };
        verify::check(self.clamps(), buffers)
    }
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
}
