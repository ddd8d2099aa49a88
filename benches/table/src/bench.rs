//! Measures in rounds: in each round, one sample is taken of the library's work and of each rival's.

use std::cell::Cell;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use wgpu_clamp::{DType, wgpu};

use crate::clock::{self, Clock, Work};
use crate::data::Content;
use crate::device::Device;
use crate::first;
use crate::kernels::{self, Kind, Launch};
use crate::options::Options;
use crate::row::{Outcome, Rival, Row, Trial};
use crate::stats::Stats;
use crate::table;

/// Bytes from which work no longer stays in a GPU's cache between repetitions.
const BEYOND_CACHES: u64 = 100_000_000;

/// Bytes of the copy that tells whether a GPU's clock is up.
pub(crate) const YARDSTICK: u64 = 128 << 20;

/// Time of copies before a GPU's row, at least.
pub(crate) const WARM: Duration = Duration::from_millis(20);

/// Time of copies before a GPU's row whose clock does not rise.
const WARM_AT_MOST: Duration = Duration::from_millis(200);

/// A device with a clock and the baseline kernels.
pub struct Bench {
    /// The device.
    pub device: Device,
    pub(crate) clock: Clock,
    pub(crate) options: Options,
    start: Instant,
    /// On a GPU, source and destination of the copy that tells whether the clock is up.
    yardstick: Option<[wgpu::Buffer; 2]>,
    /// The least seconds of that copy.
    best: Cell<f64>,
    /// Whether all timing is done.
    comparing: Cell<bool>,
}

impl Bench {
    /// Opens the device and compiles the kernels.
    pub fn open(options: Options) -> Result<Self> {
        let device = Device::open()?;
        let clock = Clock::new(&device)?;
        let yardstick = (!device.is_cpu()).then(|| random_pair(&device, YARDSTICK)).transpose()?;
        Ok(Self {
            device,
            clock,
            options,
            start: Instant::now(),
            yardstick,
            best: Cell::new(f64::INFINITY),
            comparing: Cell::new(false),
        })
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
        wanted.min(self.most() / 4 * 2)
    }

    /// The most bytes of a tensor: kernels of rivals bind whole buffers.
    pub(crate) fn most(&self) -> u64 {
        let limits = self.device.wgpu().limits();
        limits.max_storage_buffer_binding_size.min(limits.max_buffer_size)
    }

    /// Number of rounds.
    pub(crate) fn rounds(&self) -> usize {
        let Options { rounds, layouts, quick, .. } = self.options;
        let all = if self.device.is_cpu() { 15 } else { 11 };
        rounds.unwrap_or(if layouts || quick { 5 } else { all })
    }

    /// Number of buffer sets that work of `bytes` bytes cycles through, so that no data stays in a GPU's cache.
    pub fn sets(&self, bytes: u64) -> usize {
        if self.comparing.get() || self.device.is_cpu() || bytes >= BEYOND_CACHES {
            1
        } else {
            (BEYOND_CACHES.div_ceil(bytes.max(1)) as usize + 1).clamp(3, 64)
        }
    }

    /// The copies that a row of `bytes` bytes is compared with.
    pub(crate) fn copies(&self, bytes: u64) -> Result<Vec<Rival>> {
        let mut copies = self.rivals(Kind::Copy, [1, 2, 4], bytes)?;
        // On a CPU, wgpu's own copy is a `memcpy`.
        if !self.device.is_cpu() && !self.comparing.get() {
            let work = kernels::buffer_to_buffer(bytes, &self.pairs(bytes)?);
            copies.push(Rival { name: "copy_buffer_to_buffer".to_owned(), work });
        }
        Ok(copies)
    }

    /// The fills that a row of `bytes` bytes is compared with.
    pub(crate) fn fills(&self, bytes: u64) -> Result<Vec<Rival>> {
        self.rivals(Kind::Fill, [1, 4, 16], bytes)
    }

    fn rivals(&self, kind: Kind, packets: [u32; 3], bytes: u64) -> Result<Vec<Rival>> {
        if self.comparing.get() {
            return Ok(Vec::new());
        }
        ensure!(bytes <= self.most(), "a copy of {bytes} bytes exceeds the device's bindings");
        let pairs = self.pairs(bytes)?;
        let rival = |packets| Rival {
            name: format!("{kind:?} ×{packets}"),
            work: Launch::packets(kind, packets, bytes).work(&self.device, &pairs),
        };
        Ok(packets.map(rival).into())
    }

    /// Pairs of buffers of random bytes.
    fn pairs(&self, bytes: u64) -> Result<Vec<[wgpu::Buffer; 2]>> {
        (0..self.sets(bytes)).map(|_| random_pair(&self.device, bytes)).collect()
    }

    /// Whether the time since `start` is over.
    fn is_late(&self, start: Instant) -> bool {
        self.options.minutes.is_some_and(|minutes| start.elapsed().as_secs() >= 60 * minutes)
    }

    /// Measures one item after the other while there is time. Prints each line at once, so that an interrupted run
    /// leaves its results.
    pub(crate) fn each<T, R>(
        &self,
        items: &[T],
        title: impl Fn(&T) -> String,
        measure: impl Fn(&T) -> Result<R>,
        line: impl Fn(&R) -> String,
    ) -> Result<Vec<R>> {
        let bar = progress(items.len());
        let mut all = Vec::new();
        for item in items {
            if self.is_late(self.start) {
                break;
            }
            bar.set_message(title(item));
            let measured = measure(item)?;
            bar.suspend(|| println!("{}", line(&measured)));
            bar.inc(1);
            all.push(measured);
        }
        bar.finish_and_clear();
        Ok(all)
    }

    /// Measures rows. Their results are compared later, see [`compare`](Self::compare).
    pub(crate) fn measure(&self, rows: &[Row]) -> Result<Vec<Outcome>> {
        let measure = |row: &Row| {
            let mut outcome = Outcome {
                section: row.section.clone(),
                name: row.name.clone(),
                dtypes: row.dtypes.clone(),
                goal: row.goals[usize::from(self.device.is_cpu())],
                ..Outcome::default()
            };
            outcome.error = self.time(row, &mut outcome).err().map(|error| format!("{error:#}"));
            Ok(outcome)
        };
        let mut outcomes = self.each(rows, Row::title, measure, table::line)?;
        for outcome in &mut outcomes {
            // The best of the run is known only now.
            outcome.clock = outcome.yardstick.map(|copy| self.best.get() / copy);
        }
        Ok(outcomes)
    }

    fn time(&self, row: &Row, outcome: &mut Outcome) -> Result<()> {
        let Trial { bytes, ours, rivals, plain, .. } = (row.prepare)(self)?;
        outcome.bytes = bytes;
        let (names, works): (Vec<_>, Vec<_>) =
            rivals.into_iter().map(|rival| (rival.name, rival.work)).unzip();
        let has_plain = plain.is_some();
        let works = std::iter::once(ours).chain(works).chain(plain).collect();
        let (yardstick, mut stats) = self.take_turns(works)?;
        outcome.plain = stats.pop_if(|_| has_plain);
        outcome.ours = Some(stats.remove(0));
        outcome.rivals = names.into_iter().zip(stats).collect();
        outcome.yardstick = yardstick;
        outcome.clock = yardstick.map(|copy| self.best.get() / copy);
        if self.options.first {
            outcome.first = row.case.map(|case| first::time(&self.options, case)).transpose()?;
        }
        Ok(())
    }

    /// Runs each measured row once more, on new buffers, and compares its results with the reference. Takes as much
    /// time as the measurements may take. Returns how many rows were compared.
    pub(crate) fn compare(&self, rows: &[Row], outcomes: &mut [Outcome]) -> usize {
        self.comparing.set(true);
        let start = Instant::now();
        let bar = progress(outcomes.len());
        let mut compared = 0;
        for (row, outcome) in rows.iter().zip(outcomes) {
            if self.is_late(start) {
                break;
            }
            bar.set_message(row.title());
            if outcome.error.is_none() {
                outcome.error = self.check(row).err().map(|error| format!("{error:#}"));
                if outcome.error.is_some() {
                    bar.suspend(|| println!("{}", table::line(outcome)));
                }
            }
            bar.inc(1);
            compared += 1;
        }
        bar.finish_and_clear();
        compared
    }

    fn check(&self, row: &Row) -> Result<()> {
        let Trial { ours, rivals, plain, check, .. } = (row.prepare)(self)?;
        let rivals = rivals.into_iter().map(|rival| rival.work);
        for mut work in std::iter::once(ours).chain(rivals).chain(plain) {
            self.clock.sample(&self.device, &mut work, 1)?;
        }
        check(self)
    }

    /// Measures works in turns. On a GPU holds the clock, and also returns the seconds of the copy beside them.
    pub(crate) fn take_turns(&self, mut works: Vec<Work>) -> Result<(Option<f64>, Vec<Stats>)> {
        let Some(pair) = &self.yardstick else {
            return Ok((None, self.rounds_of(&mut works)?));
        };
        let copy =
            || Launch::packets(Kind::Copy, 1, YARDSTICK).work(&self.device, std::slice::from_ref(pair));
        works.push(copy());
        let (copy, stats) = clock::hold(&self.best, || {
            self.warm_up(&mut copy())?;
            let mut stats = self.rounds_of(&mut works)?;
            let copy = stats.pop().map_or(f64::INFINITY, |copy| copy.median);
            Ok((copy, stats))
        })?;
        Ok((Some(copy), stats))
    }

    /// Copies until a GPU's clock is up.
    fn warm_up(&self, copy: &mut Work) -> Result<()> {
        let (start, best) = (Instant::now(), self.best.get());
        loop {
            let share = best / self.clock.sample(&self.device, copy, 4)?;
            let up = best.is_finite() && clock::is_up(share) && start.elapsed() >= WARM;
            if up || start.elapsed() >= WARM_AT_MOST {
                return Ok(());
            }
        }
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
    let buffer = || Content::Random(DType::U64).buffer(device, usize::try_from(bytes.max(16))?);
    Ok([buffer()?, buffer()?])
}

/// A progress bar on stderr.
pub(crate) fn progress(steps: usize) -> ProgressBar {
    let bar = ProgressBar::new(steps as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {wide_msg}") {
        bar.set_style(style);
    }
    bar
}
