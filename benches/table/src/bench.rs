//! Measures in rounds: in each round, one sample is taken of the library's work and of each rival's.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use wgpu_clamp::{DType, wgpu};

use crate::clock::{self, Clock, Method, Work};
use crate::data::Content;
use crate::device::Device;
use crate::kernels::{self, Kind, Packets};
use crate::options::Options;
use crate::outcome::Measured;
use crate::row::{Prepare, Rival, Trial};
use crate::stats::Stats;
use crate::text::wrong;

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
    copies: [Packets; 3],
    fills: [Packets; 3],
    arena: RefCell<Option<Arena>>,
    start: Instant,
    /// On a GPU, source and destination of the copy that tells whether the clock is up.
    yardstick: Option<[wgpu::Buffer; 2]>,
    /// The least seconds of that copy.
    best: Cell<f64>,
    /// Rows whose results are not yet compared, in the order of measurement.
    measured: RefCell<Vec<Later>>,
    /// Whether all timing is done.
    comparing: Cell<bool>,
}

/// A measured row whose results will be compared.
struct Later {
    name: String,
    prepare: Prepare,
    /// Seconds of the copy that tells whether the clock was up.
    yardstick: Option<f64>,
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
        let yardstick = || {
            let buffer = || Content::Random(DType::U64).buffer(&device, usize::try_from(YARDSTICK)?);
            anyhow::Ok([buffer()?, buffer()?])
        };
        let yardstick = (!device.is_cpu()).then(yardstick).transpose()?;
        Ok(Self {
            device,
            clock,
            options,
            copies,
            fills,
            arena: RefCell::new(None),
            start: Instant::now(),
            yardstick,
            best: Cell::new(f64::INFINITY),
            measured: RefCell::default(),
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
            if self.is_late(self.start) {
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

    /// Whether the time since `start` is over.
    fn is_late(&self, start: Instant) -> bool {
        self.options.minutes.is_some_and(|minutes| start.elapsed().as_secs() >= 60 * minutes as u64)
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
        if self.comparing.get() {
            return Ok(Vec::new());
        }
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
        if self.comparing.get() {
            return Ok(Vec::new());
        }
        let pairs = self.pairs(bytes)?;
        Ok(self.fills.iter().map(|kernel| kernel.rival(&self.device, bytes, &pairs)).collect())
    }

    /// Pairs of buffers of at least `bytes` random bytes.
    fn pairs(&self, bytes: u64) -> Result<Rc<Vec<[wgpu::Buffer; 2]>>> {
        let mut arena = self.arena.borrow_mut();
        let sets = self.sets(bytes);
        let fits = |arena: &&Arena| arena.bytes >= bytes && arena.pairs.len() == sets;
        if let Some(arena) = arena.as_ref().filter(fits) {
            return Ok(Rc::clone(&arena.pairs));
        }
        *arena = None;
        let size = usize::try_from(bytes)?.max(16);
        let buffer = || Content::Random(DType::U64).buffer(&self.device, size);
        let pairs = Rc::new((0..sets).map(|_| Ok([buffer()?, buffer()?])).collect::<Result<Vec<_>>>()?);
        *arena = Some(Arena { bytes, pairs: Rc::clone(&pairs) });
        Ok(pairs)
    }

    /// Measures a row. Its results are compared later, see [`compare`](Self::compare).
    pub(crate) fn run(&self, name: String, prepare: Prepare) -> Result<Measured> {
        let trial = prepare(self);
        let later = Later { name, prepare, yardstick: None };
        self.measured.borrow_mut().push(later);
        let Trial { bytes, ours, rivals, .. } = trial?;
        let (names, mut works): (Vec<_>, Vec<_>) =
            rivals.into_iter().map(|rival| (rival.name, rival.work)).unzip();
        works.insert(0, ours);
        let (yardstick, mut stats) = self.take_turns(works)?;
        if let Some(last) = self.measured.borrow_mut().last_mut() {
            last.yardstick = yardstick;
        }
        let ours = stats.remove(0);
        let clock = yardstick.map(|copy| self.best.get() / copy);
        Ok(Measured { bytes, ours, rivals: names.into_iter().zip(stats).collect(), clock })
    }

    /// The share of its best speed that the copy beside each measured row had, in the order of measurement.
    pub(crate) fn clocks(&self) -> Vec<Option<f64>> {
        let measured = self.measured.borrow();
        measured.iter().map(|row| row.yardstick.map(|copy| self.best.get() / copy)).collect()
    }

    /// Runs each measured row once more, on new buffers, and compares its results with the reference. Takes as much
    /// time as the measurements may take. `errors` has a place for each row, in the order of measurement; a row that has
    /// an error is left out. Returns how many rows were compared.
    pub(crate) fn compare<'a>(&self, errors: impl Iterator<Item = &'a mut Option<String>>) -> usize {
        self.comparing.set(true);
        *self.arena.borrow_mut() = None;
        let (start, rows) = (Instant::now(), self.measured.take());
        let bar = progress(rows.len());
        let mut compared = 0;
        for (Later { name, prepare, .. }, error) in rows.iter().zip(errors) {
            if self.is_late(start) {
                break;
            }
            bar.set_message(name.clone());
            if error.is_none() {
                *error = self.check(prepare).err().map(|error| format!("{error:#}"));
                if let Some(error) = error {
                    bar.suspend(|| println!("{name}{}", wrong(Some(error))));
                }
            }
            bar.inc(1);
            compared += 1;
        }
        bar.finish_and_clear();
        compared
    }

    fn check(&self, prepare: &Prepare) -> Result<()> {
        let Trial { ours, rivals, check, .. } = prepare(self)?;
        for mut work in [ours].into_iter().chain(rivals.into_iter().map(|rival| rival.work)) {
            self.clock.sample(&self.device, &mut work, 1)?;
        }
        check(self)
    }

    /// Measures works in turns. On a GPU holds the clock, and also returns the seconds of the copy beside them.
    pub(crate) fn take_turns(&self, mut works: Vec<Work>) -> Result<(Option<f64>, Vec<Stats>)> {
        let Some(pair) = &self.yardstick else {
            return Ok((None, self.rounds_of(&mut works)?));
        };
        let copy = || self.copies[0].work(&self.device, YARDSTICK, std::slice::from_ref(pair));
        works.push(copy());
        let (copy, stats) = clock::hold(&self.best, || {
            self.warm_up(&copy())?;
            let mut stats = self.rounds_of(&mut works)?;
            let copy = stats.pop().map_or(f64::INFINITY, |copy| copy.median);
            Ok((copy, stats))
        })?;
        Ok((Some(copy), stats))
    }

    /// Copies until a GPU's clock is up.
    fn warm_up(&self, copy: &Work) -> Result<()> {
        let (start, best) = (Instant::now(), self.best.get());
        loop {
            let share = best / self.clock.with(self.clock.method, &self.device, copy, 4)?;
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
        let enough = if self.clock.method == Method::Wall { 10e-3 } else { 1e-3 };
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
