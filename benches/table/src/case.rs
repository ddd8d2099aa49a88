//! A clamp of a tensor on the device, compared with a copy or a fill of as many bytes.

use anyhow::Result;
use wgpu_clamp::{Clamp, Clamps, DType, Layout, Number, Operands, Prepared, View, wgpu};

use crate::bench::Bench;
use crate::clock::{Dispatch, Work, wait};
use crate::data;
use crate::device::Device;
use crate::row::{Goal, Rival, Row, Trial, Unit};
use crate::verify::{self, Side};

/// Initial byte of every output, so that unwritten elements are noticed.
const POISON: u8 = 0xa5;

/// One clamp on given layouts.
#[derive(Clone, Copy)]
pub struct Case {
    /// The clamp; with channels, the first channel's.
    pub clamp: Clamp,
    /// The channels' axis and clamps, if each channel has its own.
    pub channels: Option<(usize, &'static [Clamp])>,
    /// The clamp with scale and bias on the GPU, if they lie there.
    pub slots: Option<Clamp>,
    /// The source layout.
    pub src: Layout,
    /// The destination layout.
    pub dst: Layout,
    /// Source elements that have to be loaded, including unused ones in the same words.
    pub loaded: usize,
    /// Destination elements that have to be stored, plus those that are loaded first to keep some of them.
    pub stored: usize,
    /// Whether source and destination are the same buffer.
    pub in_place: bool,
    /// The work that the case is compared with.
    pub rival: Against,
}

/// Work that a case is compared with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Against {
    /// A copy whose bytes read and written have the same sum.
    Copy,
    /// A fill of the output's bytes.
    Fill,
    /// The same clamps with host numbers in place of numbers on the GPU.
    Values,
}

/// A case with one or more sets of buffers.
pub struct Set {
    src_bytes: Vec<u8>,
    /// Initial bytes of a destination.
    pub(crate) dst_bytes: Vec<u8>,
    /// Scales and biases, if they lie on the GPU.
    slots: Option<[wgpu::Buffer; 2]>,
    /// Pairs of source and destination; in place, both are the same buffer.
    pub buffers: Vec<[wgpu::Buffer; 2]>,
    /// The clamp prepared on each pair of buffers.
    pub prepared: Vec<Prepared>,
}

impl Case {
    /// A clamp from one buffer to another, compared with a copy.
    #[must_use]
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
    ///
    /// # Panics
    ///
    /// There is no clamp.
    #[must_use]
    pub fn along(axis: usize, clamps: &[Clamp], src: Layout, dst: Layout) -> Self {
        Self { channels: Some((axis, Vec::leak(clamps.to_vec()))), ..Self::new(clamps[0], src, dst) }
    }

    /// As [`along`](Self::along), with scales and biases on the GPU. Compared with the same clamps with host numbers.
    ///
    /// # Errors
    ///
    /// The dtype takes no scale on the GPU.
    ///
    /// # Panics
    ///
    /// There is no clamp.
    pub fn in_slots(axis: usize, clamps: &[Clamp], src: Layout, dst: Layout) -> Result<Self> {
        let slots = clamps[0].with_scale_bias(Number::OnGpu, Number::OnGpu)?;
        Ok(Self { slots: Some(slots), rival: Against::Values, ..Self::along(axis, clamps, src, dst) })
    }

    /// The clamps with host numbers, as the reference takes them.
    #[must_use]
    pub fn clamps(&self) -> Clamps<'_> {
        self.channels.map_or_else(|| (&self.clamp).into(), |(axis, clamps)| Clamps::along(axis, clamps))
    }

    /// The clamps of the measured call, with numbers on the GPU if the case has slots.
    #[must_use]
    pub fn asked(&self) -> Clamps<'_> {
        match (&self.slots, self.channels) {
            (Some(clamp), Some((axis, _))) => Clamps::slots_along(axis, clamp),
            (Some(clamp), None) => clamp.into(),
            (None, _) => self.clamps(),
        }
    }

    /// A row of the table. `goals` are for a GPU and for a CPU.
    #[must_use]
    pub fn row(self, section: &'static str, name: impl Into<String>, goals: [Goal; 2]) -> Row {
        let dtype = Some(self.clamp.dtype());
        let prepare = Box::new(move |bench: &Bench| self.trial(bench));
        Row { section, name: name.into(), dtype, goals, unit: Unit::Seconds, case: Some(self), prepare }
    }

    /// Bytes of a copy with the same traffic: half of all bytes loaded and stored.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let stored = self.stored * self.clamp.dtype().size();
        usize::midpoint(self.loaded * self.clamp.source().size(), stored) as u64
    }

    fn trial(self, bench: &Bench) -> Result<Trial> {
        let bytes = self.bytes();
        let rivals = match self.rival {
            Against::Copy => bench.copies(bytes)?,
            Against::Fill => bench.fill(bytes)?,
            Against::Values => {
                let they = Self { slots: None, ..self }.set(&bench.device, bench.sets(bytes))?;
                vec![Rival { name: "ours, scales of the program".to_owned(), work: they.work() }]
            }
        };
        let set = self.set(&bench.device, bench.sets(bytes))?;
        let ours = set.work();
        Ok(Trial { bytes, ours, rivals, check: Box::new(move |bench| self.check(&bench.device, &set)) })
    }

    /// Creates random sources and poisoned destinations, and prepares the clamp on each pair.
    ///
    /// # Errors
    ///
    /// There is no memory, or the clamp is refused.
    pub fn set(&self, device: &Device, sets: usize) -> Result<Set> {
        let size = |layout: &Layout, dtype: DType| usize::try_from(layout.required_bytes(dtype));
        let src_bytes = data::random(self.clamp.source(), size(&self.src, self.clamp.source())?, 42);
        let dst_size = size(&self.dst, self.clamp.dtype())?;
        let dst_bytes = if self.in_place { src_bytes.clone() } else { vec![POISON; dst_size] };
        let slots = self.slot_buffers(device)?;
        let mut set = Set { src_bytes, dst_bytes, slots, buffers: Vec::new(), prepared: Vec::new() };
        for n in 0..sets {
            let src = data::buffer(device, &set.src_bytes)?;
            let dst = if self.in_place { src.clone() } else { data::buffer(device, &set.dst_bytes)? };
            set.buffers.push([src, dst]);
            let prepared = device.host.clamper().prepare(self.asked(), self.operands(&set, n)?)?;
            set.prepared.push(prepared);
        }
        wait(device)?;
        Ok(set)
    }

    /// Operands for [`asked`](Self::asked) on the `n`-th pair of buffers.
    ///
    /// # Errors
    ///
    /// None: there are as many scales and biases as clamps.
    pub fn operands<'a>(&self, set: &'a Set, n: usize) -> Result<Operands<'a>> {
        let [src, dst] = &set.buffers[n];
        let src = View::new(src, self.clamp.source(), self.src);
        let operands = Operands::new(src, View::new(dst, self.clamp.dtype(), self.dst));
        let Some([scale, bias]) = &set.slots else { return Ok(operands) };
        let line = Layout::packed(&[self.clamps().as_slice().len()])?;
        let [scale, bias] = [scale, bias].map(|buffer| View::of::<f32>(buffer, line));
        Ok(operands.with_scale(scale).with_bias(bias))
    }

    /// Uploads the scales and the biases, if they lie on the GPU.
    fn slot_buffers(&self, device: &Device) -> Result<Option<[wgpu::Buffer; 2]>> {
        if self.slots.is_none() {
            return Ok(None);
        }
        let bits = |number: Number| number.value().map_or(0, |scalar| scalar.bits() as u32).to_le_bytes();
        let clamps = self.clamps().as_slice().iter();
        let scales: Vec<u8> = clamps.clone().flat_map(|clamp| bits(clamp.scale())).collect();
        let biases: Vec<u8> = clamps.flat_map(|clamp| bits(clamp.bias())).collect();
        Ok(Some([data::buffer(device, &scales)?, data::buffer(device, &biases)?]))
    }

    /// Compares the first destination with the reference. In place the clamp has run many times; without scale and
    /// bias that changes nothing.
    ///
    /// # Errors
    ///
    /// The destination holds something else, or the device is lost.
    pub fn check(&self, device: &Device, set: &Set) -> Result<()> {
        // Submissions cycle through the sets from the first on: only the first is sure to be written.
        let after = data::read(device, &set.buffers[0][1])?;
        let src = Side { layout: &self.src, bytes: &set.src_bytes };
        let dst = Side { layout: &self.dst, bytes: &set.dst_bytes };
        verify::check(self.clamps(), &src, &dst, &after[..set.dst_bytes.len()])
    }
}

impl Set {
    /// Pairs each source with a new destination, for a kernel that is not ours.
    ///
    /// # Errors
    ///
    /// There is no memory.
    pub fn beside(&self, device: &Device) -> Result<Vec<[wgpu::Buffer; 2]>> {
        self.buffers
            .iter()
            .map(|[src, _]| Ok([src.clone(), data::buffer(device, &self.dst_bytes)?]))
            .collect()
    }

    /// The dispatches on each pair of buffers.
    #[must_use]
    pub fn work(&self) -> Work {
        let record = |prepared: &Prepared| {
            let prepared = prepared.clone();
            Box::new(move |pass: &mut wgpu::ComputePass<'_>| prepared.record(pass)) as Dispatch
        };
        Work::Pass(self.prepared.iter().map(record).collect())
    }
}
