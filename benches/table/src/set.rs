//! A case on a device: its buffers, its prepared clamps, and the check of its results.

use anyhow::{Context, Result, ensure};
use wgpu_clamp::verify::Buffers;
use wgpu_clamp::{Clamp, Clamps, DType, Number, Operands, Prepared, Scalar, View, wgpu};

use crate::case::Case;
use crate::clock::{Dispatch, seconds};
use crate::data::{self, random_buffer};
use crate::device::Device;
use crate::plain::alike;

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

    /// Compares boxes at the start, in the middle and at the end of a destination with the reference, and with the plain
    /// kernel's destination.
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
