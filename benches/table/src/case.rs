//! A clamp of a tensor on the device, held against a copy or a fill of as many bytes.

use anyhow::Result;
use wgpu_clamp::{Clamp, Clamps, DType, Layout, Number, Operands, Prepared, View, wgpu};

use crate::bench::Bench;
use crate::clock::{Dispatch, Work, wait};
use crate::data;
use crate::device::Device;
use crate::row::{Goal, Rival, Row, Trial, Unit};
use crate::verify::{self, Side};

/// What an output holds before: no result of ours.
const POISON: u8 = 0xa5;

/// One clamp on given layouts.
#[derive(Clone, Copy)]
pub struct Case {
    /// What is computed; of channels, what the first computes.
    pub clamp: Clamp,
    /// The axis of the channels and a clamp for each, if there are any.
    pub channels: Option<(usize, &'static [Clamp])>,
    /// The clamp of all elements or channels, where scales and biases lie on the GPU.
    pub slots: Option<Clamp>,
    /// Where from.
    pub src: Layout,
    /// Where to.
    pub dst: Layout,
    /// Elements of src that have to be loaded: as many as the output has, or with what lies between them.
    pub loaded: usize,
    /// Elements of dst that have to be loaded, as their neighbours change, or stored.
    pub stored: usize,
    /// Whether both are the same buffer.
    pub in_place: bool,
    /// What it is held against.
    pub rival: Against,
}

/// What a case is held against.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Against {
    /// A copy that reads and writes as many bytes in all.
    Copy,
    /// A fill of the output's bytes.
    Fill,
    /// The same with the numbers of the program in place of slots.
    Values,
}

/// A case with its buffers, of which there may be several sets.
pub struct Set {
    src_bytes: Vec<u8>,
    /// What destinations hold at first.
    pub(crate) dst_bytes: Vec<u8>,
    /// Scales and biases, where they lie on the GPU.
    slots: Option<[wgpu::Buffer; 2]>,
    /// Source and destination; the same buffer in place.
    pub buffers: Vec<[wgpu::Buffer; 2]>,
    /// Ready to be recorded.
    pub prepared: Vec<Prepared>,
}

impl Case {
    /// One clamp from one buffer to another, held against a copy.
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

    /// As [`new`](Self::new), with a clamp for each index of an axis. They are never freed: a program makes some hundred.
    ///
    /// # Panics
    ///
    /// There is no clamp.
    #[must_use]
    pub fn along(axis: usize, clamps: &[Clamp], src: Layout, dst: Layout) -> Self {
        Self { channels: Some((axis, Vec::leak(clamps.to_vec()))), ..Self::new(clamps[0], src, dst) }
    }

    /// As [`along`](Self::along), with the scales and biases on the GPU, held against the same without that.
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

    /// What is computed.
    #[must_use]
    pub fn clamps(&self) -> Clamps<'_> {
        self.channels.map_or_else(|| (&self.clamp).into(), |(axis, clamps)| Clamps::along(axis, clamps))
    }

    /// What a call takes.
    #[must_use]
    pub fn asked(&self) -> Clamps<'_> {
        match (&self.slots, self.channels) {
            (Some(clamp), Some((axis, _))) => Clamps::slots_along(axis, clamp),
            (Some(clamp), None) => clamp.into(),
            (None, _) => self.clamps(),
        }
    }

    /// A row of the table. `goals` are those of a GPU and of a CPU.
    #[must_use]
    pub fn row(self, section: &'static str, name: impl Into<String>, goals: [Goal; 2]) -> Row {
        let dtype = Some(self.clamp.dtype());
        let prepare = Box::new(move |bench: &Bench| self.trial(bench));
        Row { section, name: name.into(), dtype, goals, unit: Unit::Seconds, case: Some(self), prepare }
    }

    /// The bytes of a copy that reads and writes as much.
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

    /// Random sources, poisoned destinations, and the clamp prepared on each pair.
    ///
    /// # Errors
    ///
    /// No memory, or the clamp is refused.
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

    /// What a call of [`asked`](Self::asked) takes, on the `n`-th pair of buffers.
    ///
    /// # Errors
    ///
    /// None: there are as many scales as clamps.
    pub fn operands<'a>(&self, set: &'a Set, n: usize) -> Result<Operands<'a>> {
        let [src, dst] = &set.buffers[n];
        let src = View::new(src, self.clamp.source(), self.src);
        let operands = Operands::new(src, View::new(dst, self.clamp.dtype(), self.dst));
        let Some([scale, bias]) = &set.slots else { return Ok(operands) };
        let line = Layout::packed(&[self.clamps().as_slice().len()])?;
        let [scale, bias] = [scale, bias].map(|buffer| View::of::<f32>(buffer, line));
        Ok(operands.with_scale(scale).with_bias(bias))
    }

    /// The scales and the biases, where they lie on the GPU.
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

    /// Holds what the buffers have come to hold against the reference. In place the clamp has run many times over;
    /// without scale and bias that changes nothing.
    ///
    /// # Errors
    ///
    /// They hold something else.
    pub fn check(&self, device: &Device, set: &Set) -> Result<()> {
        // Submissions take the sets from the first on, so the first has been written, and perhaps no other.
        let after = data::read(device, &set.buffers[0][1])?;
        let src = Side { layout: &self.src, bytes: &set.src_bytes };
        let dst = Side { layout: &self.dst, bytes: &set.dst_bytes };
        verify::check(self.clamps(), &src, &dst, &after[..set.dst_bytes.len()])
    }
}

impl Set {
    /// The sources with destinations of their own, for a kernel that is not ours.
    ///
    /// # Errors
    ///
    /// No memory.
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
