//! A clamp of a tensor on the device, held against a copy or a fill of as many bytes.

use anyhow::Result;
use wgpu_clamp::{Clamp, Clamps, DType, Layout, Operands, Prepared, View, wgpu};

use crate::bench::Bench;
use crate::clock::{Dispatch, Work, wait};
use crate::data;
use crate::device::Device;
use crate::row::{Goal, Row, Trial, Unit};
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
}

/// A case with its buffers, of which there may be several sets.
pub struct Set {
    src_bytes: Vec<u8>,
    /// What destinations hold at first.
    pub(crate) dst_bytes: Vec<u8>,
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

    /// What a call takes.
    #[must_use]
    pub fn clamps(&self) -> Clamps<'_> {
        self.channels.map_or_else(|| (&self.clamp).into(), |(axis, clamps)| Clamps::along(axis, clamps))
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
        let mut set = Set { src_bytes, dst_bytes, buffers: Vec::new(), prepared: Vec::new() };
        for _ in 0..sets {
            let src = data::buffer(device, &set.src_bytes)?;
            let dst = if self.in_place { src.clone() } else { data::buffer(device, &set.dst_bytes)? };
            let operands = Operands::new(
                View::new(&src, self.clamp.source(), self.src),
                View::new(&dst, self.clamp.dtype(), self.dst),
            );
            set.prepared.push(device.host.clamper().prepare(self.clamps(), operands)?);
            set.buffers.push([src, dst]);
        }
        wait(device)?;
        Ok(set)
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
