//! Measures in rounds: in each round, one sample is taken of the library's work and of each rival's.

use std::cell::Cell;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use wgpu_clamp::{DType, wgpu};

use crate::clock::{self, Clock, Work};
use crate::data::random_buffer;
use crate::device::Device;
use crate::kernels::{Kernels, Kind};
use crate::options::Options;
use crate::stats::Stats;

/// Bytes from which work no longer stays in a GPU's cache between repetitions.
const BEYOND_CACHES: u64 = 100_000_000;

/// Bytes of the copy that tells whether a GPU's clock is up.
const YARDSTICK: u64 = 128 << 20;

/// Time of copies before a GPU's row.
const WARM: Duration = Duration::from_millis(50);

/// A device with a clock.
pub struct Bench {
    /// The device.
    pub device: Device,
    pub(crate) clock: Clock,
    pub(crate) options: Options,
    /// On a GPU, source and destination of the copy that tells whether the clock is up.
    yardstick: Option<[wgpu::Buffer; 2]>,
    /// The least seconds of that copy.
    best: Cell<f64>,
}

impl Bench {
    /// Opens the device.
    pub fn open(options: Options) -> Result<Self> {
        let device = Device::open()?;
        let clock = Clock::new(&device)?;
        let yardstick = (!device.is_cpu()).then(|| random_pair(&device, YARDSTICK)).transpose()?;
        Ok(Self { device, clock, options, yardstick, best: Cell::new(f64::INFINITY) })
    }

    /// Default size of an output, in bytes. Some rows choose another.
    pub fn bytes(&self) -> u64 {
        let wanted = match (self.options.bytes(), self.device.is_cpu(), self.options.quick) {
            (Some(bytes), ..) => bytes,
            (None, false, false) => 256 << 20,
            (None, false, true) | (None, true, false) => 64 << 20,
            (None, true, true) => 16 << 20,
        };
        // Half of a limit, because strided rows span up to 1.6 times their bytes.
        wanted.min(self.most() / 4 * 2)
    }

    /// The most bytes of a tensor: kernels of rivals bind whole buffers.
    pub(crate) fn most(&self) -> u64 {
        let limits = self.device.wgpu().limits();
        limits.max_storage_buffer_binding_size.min(limits.max_buffer_size)
    }

    /// Number of rounds.
    pub(crate) fn rounds(&self) -> usize {
        let all = if self.device.is_cpu() { 15 } else { 11 };
        self.options.rounds.map_or(if self.options.quick { 5 } else { all }, NonZeroUsize::get)
    }

    /// Number of buffer sets that work of `bytes` bytes cycles through, so that no data stays in a GPU's cache.
    pub fn sets(&self, bytes: u64) -> usize {
        if self.device.is_cpu() || bytes >= BEYOND_CACHES {
            1
        } else {
            (BEYOND_CACHES.div_ceil(bytes.max(1)) as usize + 1).clamp(3, 64)
        }
    }

    /// Copies or fills of `bytes` bytes, by kernels with one or more packets per invocation.
    pub(crate) fn packets(&self, kind: Kind, bytes: u64) -> Result<Vec<(String, Work)>> {
        ensure!(bytes <= self.most(), "a copy of {bytes} bytes exceeds the device's bindings");
        let pairs = (0..self.sets(bytes)).map(|_| random_pair(&self.device, bytes));
        let pairs = pairs.collect::<Result<Vec<_>>>()?;
        let rival = |packets| {
            let kernels = Kernels::packets(kind, packets, bytes);
            (format!("{kind:?} ×{packets}"), Work::Pass(kernels.dispatches(&self.device, &pairs)))
        };
        Ok(if kind == Kind::Copy { [1, 2, 4] } else { [1, 4, 16] }.map(rival).into())
    }

    /// Measures works in turns. On a GPU holds the clock, and also returns the share of its best speed that a copy beside them
    /// had.
    pub(crate) fn take_turns(&self, mut works: Vec<Work>) -> Result<(Option<f64>, Vec<Stats>)> {
        let Some(pair) = &self.yardstick else {
            return Ok((None, self.rounds_of(&mut works)?));
        };
        let copies = Kernels::packets(Kind::Copy, 1, YARDSTICK);
        let copy = || Work::Pass(copies.dispatches(&self.device, std::slice::from_ref(pair)));
        let mut warm = copy();
        works.push(copy());
        let (copy, stats) = clock::hold(&self.best, || {
            let start = Instant::now();
            while start.elapsed() < WARM {
                self.clock.sample(&self.device, &mut warm, 4)?;
            }
            let mut stats = self.rounds_of(&mut works)?;
            let copy = stats.pop().map_or(f64::INFINITY, |copy| copy.median);
            Ok((copy, stats))
        })?;
        Ok((Some(self.best.get() / copy), stats))
    }

    /// Takes one sample of each work per round. The order rotates from round to round.
    fn rounds_of(&self, works: &mut [Work]) -> Result<Vec<Stats>> {
        // Two samples are not counted: a software driver compiles at the first dispatch, and a GPU raises its clocks.
        let mut repeats = Vec::new();
        for work in &mut *works {
            self.clock.sample(&self.device, work, 1)?;
            repeats.push(self.repeats(self.clock.sample(&self.device, work, 1)?));
        }
        let mut samples = vec![Vec::new(); works.len()];
        for round in 0..self.rounds() {
            for turn in 0..works.len() {
                let i = (round + turn) % works.len();
                samples[i].push(self.clock.sample(&self.device, &mut works[i], repeats[i])?);
            }
        }
        Ok(samples.into_iter().map(Stats::of).collect())
    }

    /// Repetitions per submission for work that takes `once` seconds: enough for the clock's resolution.
    fn repeats(&self, once: f64) -> usize {
        let enough = if self.clock.has_timestamps() { 1e-3 } else { 10e-3 };
        ((enough / once.max(1e-9)).ceil() as usize).clamp(1, 64)
    }
}

/// A source and a destination of at least `bytes` random bytes.
pub(crate) fn random_pair(device: &Device, bytes: u64) -> Result<[wgpu::Buffer; 2]> {
    let buffer = || random_buffer(device, DType::U64, usize::try_from(bytes.max(16))?);
    Ok([buffer()?, buffer()?])
}
