//! Measures in rounds: in each round, one sample is taken of the library's work and of each rival's.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use wgpu_clamp::{DType, wgpu};

use crate::clock::{Clock, Work};
use crate::data;
use crate::device::Device;
use crate::kernels::{self, Kind, Packets};
use crate::options::Options;
use crate::outcome::Measured;
use crate::row::{Rival, Trial};
use crate::stats::Stats;

/// Bytes from which work no longer stays in a GPU's cache between repetitions.
const BEYOND_CACHES: u64 = 100_000_000;

/// A device with a clock and the baseline kernels.
pub struct Bench {
    /// The device.
    pub device: Device,
    pub(crate) clock: Clock,
    pub(crate) options: Options,
    copies: [Packets; 3],
    fills: [Packets; 3],
    arena: RefCell<Option<Arena>>,
    start: Instant,
}

/// Buffers for copies and fills, kept from one row to the next.
struct Arena {
    bytes: u64,
    pairs: Rc<Vec<[wgpu::Buffer; 2]>>,
}

impl Bench {
    /// Opens the device and compiles the kernels.
    pub fn open(options: Options) -> Result<Self> {
        let device = Device::open()?;
        let clock = Clock::new(&device)?;
        let copies = [1, 2, 4].map(|packets| Packets::new(&device, Kind::Copy, packets));
        let fills = [1, 4, 16].map(|packets| Packets::new(&device, Kind::Fill, packets));
        Ok(Self { device, clock, options, copies, fills, arena: RefCell::new(None), start: Instant::now() })
    }

    /// Default size of an output, in bytes. Some rows choose another.
    pub fn bytes(&self) -> u64 {
        let wanted = match (self.options.size, self.device.is_cpu(), self.options.quick) {
            (Some(bytes), ..) => bytes,
            (None, false, false) => 256 << 20,
            (None, false, true) | (None, true, false) => 64 << 20,
            (None, true, true) => 16 << 20,
        };
        // Half of a limit, because strided rows span up to 1.6 times their bytes.
        let limits = self.device.wgpu().limits();
        wanted.min(limits.max_storage_buffer_binding_size / 4 * 2).min(limits.max_buffer_size / 4 * 2)
    }

    /// Number of rounds.
    pub(crate) fn rounds(&self) -> usize {
        let Options { rounds, first, layouts, quick, .. } = self.options;
        rounds.unwrap_or(match self.device.is_cpu() {
            // Only Linux has drivers whose shader caches can be turned off. Elsewhere only the first sample is a cold
            // start.
            _ if first && cfg!(target_os = "linux") => 3,
            _ if first => 1,
            _ if layouts || quick => 5,
            true => 15,
            false => 11,
        })
    }

    /// Measures one item after the other while there is time. Prints each line at once, so that an interrupted run
    /// leaves its results.
    pub(crate) fn each<T, R>(
        &self,
        items: Vec<T>,
        name: impl Fn(&T) -> String,
        mut measure: impl FnMut(T) -> Result<R>,
        line: impl Fn(&R) -> String,
    ) -> Result<Vec<R>> {
        let bar = progress(items.len());
        let mut all = Vec::new();
        for item in items {
            let spent = self.start.elapsed().as_secs();
            if self.options.minutes.is_some_and(|minutes| spent >= 60 * minutes as u64) {
                break;
            }
            bar.set_message(name(&item));
            let measured = measure(item)?;
            bar.suspend(|| println!("{}", line(&measured)));
            bar.inc(1);
            all.push(measured);
        }
        bar.finish_and_clear();
        Ok(all)
    }

    /// Number of buffer sets that work of `bytes` bytes cycles through, so that no data stays in a GPU's cache.
    pub fn sets(&self, bytes: u64) -> usize {
        if self.device.is_cpu() || bytes >= BEYOND_CACHES {
            1
        } else {
            (BEYOND_CACHES.div_ceil(bytes.max(1)) as usize + 1).clamp(3, 64)
        }
    }

    /// The copies that a row of `bytes` bytes is compared with.
    pub(crate) fn copies(&self, bytes: u64) -> Result<Vec<Rival>> {
        let mut rivals = self.all_copies(bytes)?;
        if self.device.is_cpu() {
            // On a CPU, wgpu's own copy is a `memcpy`.
            rivals.pop();
        }
        Ok(rivals)
    }

    /// Every copy kernel, then `copy_buffer_to_buffer`.
    pub(crate) fn all_copies(&self, bytes: u64) -> Result<Vec<Rival>> {
        let pairs = self.pairs(bytes)?;
        let kernels = self.copies.iter().map(|kernel| kernel.rival(&self.device, bytes, &pairs));
        let work = kernels::buffer_to_buffer(bytes / 16 * 16, &pairs);
        Ok(kernels.chain([Rival { name: "copy_buffer_to_buffer".to_owned(), work }]).collect())
    }

    /// The fills that a row of `bytes` bytes is compared with.
    pub(crate) fn fill(&self, bytes: u64) -> Result<Vec<Rival>> {
        let pairs = self.pairs(bytes)?;
        Ok(self.fills.iter().map(|kernel| kernel.rival(&self.device, bytes, &pairs)).collect())
    }

    /// Pairs of buffers of random bytes.
    fn pairs(&self, bytes: u64) -> Result<Rc<Vec<[wgpu::Buffer; 2]>>> {
        let mut arena = self.arena.borrow_mut();
        if let Some(arena) = arena.as_ref().filter(|arena| arena.bytes == bytes) {
            return Ok(Rc::clone(&arena.pairs));
        }
        *arena = None;
        let random = data::random(DType::U64, usize::try_from(bytes)?.max(16), 1);
        let pair = |_| -> Result<_> {
            Ok([data::buffer(&self.device, &random)?, data::buffer(&self.device, &random)?])
        };
        let pairs = Rc::new((0..self.sets(bytes)).map(pair).collect::<Result<Vec<_>>>()?);
        *arena = Some(Arena { bytes, pairs: Rc::clone(&pairs) });
        Ok(pairs)
    }

    /// Measures a trial, then compares its results with the reference.
    pub(crate) fn run(&self, trial: Trial) -> Result<Measured> {
        let Trial { bytes, ours, rivals, check } = trial;
        let (names, works): (Vec<_>, Vec<_>) =
            rivals.into_iter().map(|rival| (rival.name, rival.work)).unzip();
        let mut stats = self.take_turns([ours].into_iter().chain(works).collect())?;
        let ours = stats.remove(0);
        let error = check(self).err().map(|error| format!("{error:#}"));
        Ok(Measured { bytes, ours, rivals: names.into_iter().zip(stats).collect(), error })
    }

    /// Takes one sample of each work per round. The order rotates from round to round.
    pub(crate) fn take_turns(&self, mut works: Vec<Work>) -> Result<Vec<Stats>> {
        // Two samples are not counted: a software driver compiles at the first dispatch, and a GPU raises its clocks.
        let mut repeats = Vec::new();
        for work in &mut works {
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
        let enough = if self.device.is_cpu() { 10e-3 } else { 2e-3 };
        ((enough / once.max(1e-9)).ceil() as usize).clamp(1, 64)
    }
}

/// A progress bar on stderr.
pub(crate) fn progress(steps: usize) -> ProgressBar {
    let bar = ProgressBar::new(steps as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {wide_msg}") {
        bar.set_style(style);
    }
    bar
}
