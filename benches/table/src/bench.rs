//! Measures in rounds: in each round, ours and its rivals take one sample each.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use wgpu_clamp::{DType, wgpu};

use crate::clock::{Clock, Work};
use crate::data;
use crate::device::Device;
use crate::kernels::{self, COPIES, FILLS, Packets};
use crate::options::Options;
use crate::row::{Goal, Outcome, Rival, Row, Trial, Unit, Verdict};
use crate::stats::Stats;
use crate::table::figure;

/// Bytes from which work no longer stays in a GPU's cache between repetitions.
const BEYOND_CACHES: u64 = 100_000_000;

/// A device with a clock and the baseline kernels.
pub struct Bench {
    /// The device.
    pub device: Device,
    /// The clock.
    pub clock: Clock,
    /// The command line's options.
    pub options: Options,
    copies: [Packets; 3],
    fills: [Packets; 3],
    arena: RefCell<Option<Arena>>,
    start: Instant,
}

/// Buffers for copies and fills, kept from one row to the next.
#[derive(Clone)]
struct Arena {
    bytes: u64,
    pairs: Rc<Vec<[wgpu::Buffer; 2]>>,
}

impl Bench {
    /// Opens the device and compiles the kernels.
    ///
    /// # Errors
    ///
    /// There is no adapter, or the device is lost.
    pub fn open(options: Options) -> Result<Self> {
        let device = Device::open()?;
        let clock = Clock::new(&device)?;
        let [copies, fills] = [COPIES, FILLS].map(|kinds| kinds.map(|kind| Packets::new(&device, kind)));
        Ok(Self { device, clock, options, copies, fills, arena: RefCell::new(None), start: Instant::now() })
    }

    /// Default size of an output, in bytes. Some rows choose another.
    #[must_use]
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
    #[must_use]
    pub fn rounds(&self) -> usize {
        let Options { rounds, first, layouts, quick, .. } = &self.options;
        rounds.unwrap_or(match self.device.is_cpu() {
            // Only Linux has drivers whose shader caches can be turned off. Elsewhere only the first sample is a cold
            // start.
            _ if *first => {
                if cfg!(target_os = "linux") {
                    3
                } else {
                    1
                }
            }
            _ if *layouts || *quick => 5,
            true => 15,
            false => 11,
        })
    }

    /// Whether the time of `--minutes` is over, so that no further row may start.
    #[must_use]
    pub fn time_is_over(&self) -> bool {
        self.options.minutes.is_some_and(|minutes| self.start.elapsed().as_secs() >= 60 * minutes as u64)
    }

    /// Number of buffer sets that work of `bytes` bytes cycles through, so that a GPU's cache is not measured.
    #[must_use]
    pub fn sets(&self, bytes: u64) -> usize {
        if self.device.is_cpu() || bytes >= BEYOND_CACHES {
            1
        } else {
            (BEYOND_CACHES.div_ceil(bytes.max(1)) as usize + 1).clamp(3, 64)
        }
    }

    /// The copies that a row of `bytes` bytes is compared with.
    ///
    /// # Errors
    ///
    /// There is no memory.
    pub fn copies(&self, bytes: u64) -> Result<Vec<Rival>> {
        let pairs = self.pairs(bytes)?;
        let mut rivals = self.all_copies(bytes, &pairs);
        if self.device.is_cpu() {
            // On a CPU, wgpu's own copy is a `memcpy`.
            rivals.pop();
        }
        Ok(rivals)
    }

    /// Every copy kernel, then `copy_buffer_to_buffer`.
    fn all_copies(&self, bytes: u64, pairs: &[[wgpu::Buffer; 2]]) -> Vec<Rival> {
        let mut rivals: Vec<_> =
            self.copies.iter().map(|kernel| kernel.rival(&self.device, bytes, pairs)).collect();
        rivals.push(Rival {
            name: "copy_buffer_to_buffer".to_owned(),
            work: kernels::buffer_to_buffer(bytes / 16 * 16, pairs),
        });
        rivals
    }

    /// The fills that a row of `bytes` bytes is compared with.
    ///
    /// # Errors
    ///
    /// There is no memory.
    pub fn fill(&self, bytes: u64) -> Result<Vec<Rival>> {
        let pairs = self.pairs(bytes)?;
        Ok(self.fills.iter().map(|kernel| kernel.rival(&self.device, bytes, &pairs)).collect())
    }

    /// Times every copy kernel, then `copy_buffer_to_buffer`.
    ///
    /// # Errors
    ///
    /// There is no memory, or the device is lost.
    pub fn copy_medians(&self, bytes: u64) -> Result<Vec<(String, Stats)>> {
        let mut rivals = self.all_copies(bytes, &self.pairs(bytes)?);
        let stats =
            self.take_turns(&mut rivals.iter_mut().map(|rival| &mut rival.work).collect::<Vec<_>>())?;
        Ok(rivals.into_iter().map(|rival| rival.name).zip(stats).collect())
    }

    /// Pairs of buffers of random bytes.
    fn pairs(&self, bytes: u64) -> Result<Rc<Vec<[wgpu::Buffer; 2]>>> {
        let mut arena = self.arena.borrow_mut();
        if let Some(arena) = arena.as_ref().filter(|arena| arena.bytes == bytes) {
            return Ok(Rc::clone(&arena.pairs));
        }
        *arena = None;
        let bytes_usize = usize::try_from(bytes)?.max(16);
        let random = data::random(DType::U64, bytes_usize, 1);
        let pair = |_| -> Result<_> {
            Ok([data::buffer(&self.device, &random)?, data::buffer(&self.device, &random)?])
        };
        let pairs = Rc::new((0..self.sets(bytes)).map(pair).collect::<Result<Vec<_>>>()?);
        *arena = Some(Arena { bytes, pairs: Rc::clone(&pairs) });
        Ok(pairs)
    }

    /// Measures a row and compares its results with the reference.
    pub fn measure(&self, row: Row) -> Outcome {
        let goal = row.goals[usize::from(self.device.is_cpu())];
        let mut outcome = Outcome {
            section: row.section.to_owned(),
            name: row.name,
            dtype: row.dtype.map(|dtype| dtype.name().to_owned()),
            bytes: 0,
            unit: row.unit,
            ours: None,
            rivals: Vec::new(),
            ratio: None,
            goal: goal_text(goal, row.unit),
            target: None,
            time_over_time: false,
            verdict: Verdict::Report,
            error: None,
        };
        let result = (row.prepare)(self).and_then(|trial| self.run(trial, &mut outcome));
        outcome.error = result.err().map(|error| format!("{error:#}"));
        outcome.judge(goal);
        outcome
    }

    fn run(&self, mut trial: Trial, outcome: &mut Outcome) -> Result<()> {
        outcome.bytes = trial.bytes;
        let mut works = vec![&mut trial.ours];
        works.extend(trial.rivals.iter_mut().map(|rival| &mut rival.work));
        let mut stats = self.take_turns(&mut works)?.into_iter();
        outcome.ours = stats.next();
        outcome.rivals = trial.rivals.into_iter().map(|rival| rival.name).zip(stats).collect();
        (trial.check)(self)
    }

    /// Takes one sample of each work per round. The order rotates from round to round.
    ///
    /// # Errors
    ///
    /// The device is lost, or work fails.
    pub fn take_turns(&self, works: &mut [&mut Work]) -> Result<Vec<Stats>> {
        // Two samples that do not count: a software driver compiles at the first dispatch, and a GPU raises its
        // clocks.
        let mut repeats = Vec::new();
        for work in works.iter_mut() {
            self.clock.sample(&self.device, work, 1)?;
            repeats.push(self.repeats(self.clock.sample(&self.device, work, 1)?));
        }
        let mut samples = vec![Vec::new(); works.len()];
        for round in 0..self.rounds() {
            for turn in 0..works.len() {
                let i = (round + turn) % works.len();
                samples[i].push(self.clock.sample(&self.device, works[i], repeats[i])?);
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
#[must_use]
pub fn progress(steps: usize) -> ProgressBar {
    let bar = ProgressBar::new(steps as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {wide_msg}") {
        bar.set_style(style);
    }
    bar
}

fn goal_text(goal: Goal, unit: Unit) -> String {
    match goal {
        Goal::Speed(least) => format!("≥ {least:.2}"),
        Goal::Time(most) => format!("≤ {most:.2} in time"),
        Goal::Absolute(most) => format!("≤ {}", figure(most, unit)),
        Goal::Report => "–".to_owned(),
    }
}
