//! The check of one device.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use web_time::Instant;
use wgpu_clamp::self_test::Case;
use wgpu_clamp::self_test::Outcome;
use wgpu_clamp::{Clamper, Error, F16Conversions, Host, Limits, Plan, verify, wgpu};

use crate::report::{Cell, Failure, KERNELS, Report, SelfTest, Speed};
use crate::{COMMIT, VERSION, speed};

/// Which cases of the self-test a check runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Each pair of dtypes with each step, and each kernel and layout, once.
    Quick,
    /// Each pair of dtypes on each kernel.
    Whole,
    /// All combinations.
    Exhaustive,
}

impl Extent {
    const fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Whole => "whole",
            Self::Exhaustive => "exhaustive",
        }
    }

    /// The numbers of its cases on a device with these limits.
    fn cases(self, limits: Limits) -> Vec<usize> {
        let cases = Case::all(self == Self::Exhaustive);
        let mut met = HashSet::new();
        let mut is_new =
            |case: &Case| features(case, limits).into_iter().fold(false, |any, one| met.insert(one) | any);
        (0..cases.len()).filter(|n| self != Self::Quick || is_new(&cases[*n])).collect()
    }
}

/// What a quick run has to meet once: a pair of dtypes with a step or a quantisation, a layout, kernels.
fn features(case: &Case, limits: Limits) -> Vec<String> {
    let clamps = case.clamps();
    let clamp = &clamps.as_slice()[0];
    let step = clamp.scale().value().map(|_| (clamp.precision(), clamp.zero_point().is_some()));
    let mut features =
        vec![format!("{} to {}, {step:?}", clamp.source(), clamp.dtype()), case.route().to_owned()];
    let new = if case.in_one_buffer() { Plan::in_one_buffer } else { Plan::new };
    let plan = case.layouts(4_000).and_then(|(src, dst)| new(case.asked(), &src, &dst, limits));
    let plan = plan.map(|plan| plan.to_string()).unwrap_or_default();
    features
        .extend(KERNELS.iter().filter(|(_, words)| plan.contains(words)).map(|(name, _)| (*name).to_owned()));
    features
}

/// The limits of devices that every implementation gives, and their names. WebGPU promises the first everywhere.
#[must_use]
pub fn limits() -> [(&'static str, wgpu::Limits); 2] {
    [("default limits", wgpu::Limits::default()), ("downlevel limits", wgpu::Limits::downlevel_defaults())]
}

/// Parses a range of cases, such as `0..20`.
///
/// # Errors
///
/// The text is no range.
pub fn range(text: &str) -> Result<Range<usize>, String> {
    let ends = text.split_once("..").and_then(|(start, end)| Some(start.parse().ok()?..end.parse().ok()?));
    ends.ok_or_else(|| format!("{text:?} is not a range such as 0..20"))
}

/// Elements that differ. A changed byte beside the output counts as one more.
pub(crate) fn differing(report: &verify::Report) -> usize {
    report.elements - report.matching + usize::from(report.stray.is_some())
}

/// A check of a device, one case at a time: between two cases a program may show how far it is, or stop.
#[derive(Debug)]
pub struct Check {
    host: Host,
    extent: Extent,
    /// The numbers of the cases.
    cases: Vec<usize>,
    f16_conversions: F16Conversions,
    found: SelfTest,
    speed: Option<Speed>,
    /// Why the device is lost, once it is.
    lost: Arc<Mutex<Option<String>>>,
}

impl Check {
    /// Opens a device with the adapter's limits, the optional features that the crate uses, and timestamps if it has them.
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] if the adapter gives no device; those of [`Clamper::new`] and [`Host::check_f16`].
    pub async fn open(adapter: &wgpu::Adapter, extent: Extent) -> Result<Self, Error> {
        let timestamps = adapter.features() & wgpu::Features::TIMESTAMP_QUERY;
        let descriptor = wgpu::DeviceDescriptor {
            required_features: Clamper::optional_features(adapter) | timestamps,
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let device = adapter.request_device(&descriptor).await;
        let (device, queue) = device.map_err(|error| Error::NoDevice { reason: error.to_string() })?;
        let lost = Arc::new(Mutex::new(None));
        let told = Arc::clone(&lost);
        device.set_device_lost_callback(move |reason, message| {
            *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(format!("{reason:?}: {message}"));
        });
        let clamper = Clamper::new(&device)?;
        let f16_conversions = Host::new(&clamper, &queue).check_f16().await?;
        let host = Host::new(&clamper.with_f16_conversions(f16_conversions), &queue);
        let cases = extent.cases(host.clamper().limits());
        let found = SelfTest { extent: extent.name().to_owned(), of: cases.len(), ..SelfTest::default() };
        Ok(Self { host, extent, cases, f16_conversions, found, speed: None, lost })
    }

    /// Keeps only the cases with these numbers.
    #[must_use]
    pub fn with_cases(mut self, range: &Range<usize>) -> Self {
        self.cases.retain(|case| range.contains(case));
        if self.cases.len() < self.found.of {
            self.found.extent = format!("{}, cases {range:?}", self.found.extent);
            self.found.of = self.cases.len();
        }
        self
    }

    /// What the self-test has found so far.
    #[must_use]
    pub const fn found(&self) -> &SelfTest {
        &self.found
    }

    /// Runs the next case of the self-test. `None` if all have run.
    ///
    /// # Errors
    ///
    /// The case could not be run; the next call runs it again. A wrong result is not an error.
    pub async fn next(&mut self) -> Result<Option<Outcome>, Error> {
        let Some(&case) = self.cases.get(self.found.cases) else { return Ok(None) };
        let started = Instant::now();
        let test = self.host.self_test().with_cases(case..case + 1);
        let test = if self.extent == Extent::Exhaustive { test.with_all_combinations() } else { test };
        let report = test.run().await?;
        self.found.seconds += started.elapsed().as_secs_f64();
        let outcome = report.outcomes().first().cloned();
        if let Some(outcome) = &outcome {
            self.count(case, outcome);
        }
        Ok(outcome)
    }

    fn count(&mut self, case: usize, outcome: &Outcome) {
        let found = &mut self.found;
        let wrong = differing(&outcome.report);
        found.cases += 1;
        found.elements += outcome.report.elements;
        found.differing += wrong;
        let pair = format!("{} to {}", outcome.clamp.source(), outcome.clamp.dtype());
        for (kernel, words) in KERNELS {
            if !outcome.plan.contains(words) && !outcome.specialization.contains(words) {
                continue;
            }
            let n = found.cells.iter().position(|cell| cell.pair == pair && cell.kernel == kernel);
            let n = n.unwrap_or_else(|| {
                found.cells.push(Cell { pair: pair.clone(), kernel: kernel.to_owned(), ..Cell::default() });
                found.cells.len() - 1
            });
            let cell = &mut found.cells[n];
            cell.cases += 1;
            if wrong > 0 {
                cell.failed += 1;
                cell.first.get_or_insert(case);
            }
        }
        if wrong > 0 && found.failures.len() < SelfTest::MOST_FAILURES {
            found.failures.push(Failure { case, text: outcome.to_string() });
        }
    }

    /// Measures the speed of a copy and of a few clamps: some seconds.
    ///
    /// # Errors
    ///
    /// The device has no memory, or is lost.
    pub async fn measure(&mut self) -> Result<&Speed, Error> {
        Ok(self.speed.insert(speed::measure(&self.host).await?))
    }

    /// The report: `date` is year, month and day, `system` an operating system or a browser, `ended` why the check ended
    /// early. If the device is lost, the report says that instead.
    #[must_use]
    pub fn report(&self, date: &str, system: &str, ended: Option<String>) -> Report {
        let device = self.host.clamper().device();
        let (info, limits) = (device.adapter_info(), device.limits());
        let limits = [
            ("max_buffer_size", limits.max_buffer_size),
            ("max_compute_workgroups_per_dimension", limits.max_compute_workgroups_per_dimension.into()),
            ("max_storage_buffer_binding_size", limits.max_storage_buffer_binding_size),
            ("max_uniform_buffer_binding_size", limits.max_uniform_buffer_binding_size),
            ("min_storage_buffer_offset_alignment", limits.min_storage_buffer_offset_alignment.into()),
        ];
        let lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let lost = lost.map(|reason| format!("the device is lost ({reason})"));
        Report {
            version: VERSION.to_owned(),
            commit: COMMIT.to_owned(),
            date: date.to_owned(),
            system: system.to_owned(),
            backend: format!("{:?}", info.backend),
            adapter: self.host.description(),
            is_cpu: info.device_type == wgpu::DeviceType::Cpu,
            f16_conversions: self.f16_conversions.to_string(),
            limits: limits.map(|(name, value)| (name.to_owned(), value)).into(),
            features: device.features().iter_names().map(|(name, _)| name.to_owned()).collect(),
            self_test: self.found.clone(),
            speed: self.speed.clone(),
            ended: ended.map(|reason| lost.unwrap_or(reason)),
        }
    }
}

impl Drop for Check {
    /// Frees the device's memory at once. A browser sees only small handles, so it might collect them late.
    fn drop(&mut self) {
        self.host.clamper().device().destroy();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wgpu_clamp::{Clamp, Layout};

    #[test]
    fn a_quick_run_meets_each_pair_with_each_step_each_layout_and_each_kernel() {
        let all = Case::all(false);
        let mut kernels = HashSet::new();
        for cpu in [false, true] {
            let limits = Limits::default().with(|limits| limits.cpu = cpu);
            let met = |extent: Extent| -> HashSet<String> {
                extent.cases(limits).into_iter().flat_map(|n| features(&all[n], limits)).collect()
            };
            assert_eq!(met(Extent::Quick), met(Extent::Whole));
            assert!(Extent::Quick.cases(limits).len() < 400, "{} in all", all.len());
            kernels.extend(met(Extent::Quick));
        }
        // The last is a layout of its own, and no word of a plan.
        let missed = KERNELS[..KERNELS.len() - 1].iter().find(|(kernel, _)| !kernels.contains(*kernel));
        assert_eq!(missed, None);
    }

    #[test]
    fn a_wrong_element_and_a_changed_byte_beside_the_output_count() {
        let layout = Layout::packed(&[2]).unwrap();
        let wrong = |dst_after: &[u8]| {
            let buffers = verify::Buffers {
                src_layout: &layout,
                src: &[0, 5],
                dst_layout: &layout,
                dst_before: &[0; 4],
                dst_after,
            };
            differing(&verify::check(Clamp::new(1_u8, 9), buffers).unwrap())
        };
        assert_eq!([wrong(&[1, 5, 0, 0]), wrong(&[1, 4, 0, 0]), wrong(&[1, 4, 0, 7])], [0, 1, 2]);
    }

    #[test]
    fn cases_are_a_range() {
        assert_eq!(range("3..7"), Ok(3..7));
        assert!(range("3").is_err() && range("..").is_err());
    }
}
