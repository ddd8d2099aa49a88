//! The self-test compares a device's kernels with the CPU reference: every dtype and pair of dtypes on every kernel.
//! [`Host::self_test`] begins it.
//!
//! The types keep to semantic versioning. Which cases there are, their names and their count may change in any release.

use std::fmt;
use std::ops::Range;

use crate::verify::{self, Report};
use crate::{
    Clamp, Clamps, DType, Error, Host, Layout, Limits, NanRule, Number, Operands, Order, Plan, Precision,
    Rounding, Scalar, Tensor, View,
};

use route::{Route, Sharing};
use slots::Slots;
#[doc(hidden)]
pub use values::elements;
use values::{AFFINES, SCALES};

/// A comparison of a device's kernels with the CPU reference, from [`Host::self_test`]. [`run`](Self::run) executes it.
///
/// A case combines a dtype or a pair of dtypes, an affine step, a rounding, a kernel and a placement of the operands.
/// It has one clamp, one clamp per channel, or numbers on the GPU. Each pair meets every affine step on a run in two
/// buffers; F64 meets it in hardware where the device has that. Sources of 8 and 16 bits take every value, but two
/// layouts that repeat elements take only some 16-bit values. Wider sources take edges and random patterns. The
/// comparison covers the elements of the output and each byte of the destination around them.
///
/// ```no_run
/// # use wgpu_clamp::Host;
/// let host = Host::open_blocking()?;
/// let report = host.self_test().with_progress(|done, total, _| eprint!("\r{done} of {total}")).run_blocking()?;
/// assert!(report.passed(), "{report}");
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
#[must_use = "nothing happens before `run` or `run_blocking`"]
pub struct SelfTest<'a> {
    host: &'a Host,
    exhaustive: bool,
    range: Range<usize>,
    progress: Option<Progress<'a>>,
}

type Progress<'a> = Box<dyn FnMut(usize, usize, &Outcome) + Send + 'a>;

impl Host {
    /// Prepares a comparison of this device's kernels with the CPU reference: every dtype and pair of dtypes on every
    /// kernel. [`SelfTest::run`] or its blocking twin runs it.
    pub const fn self_test(&self) -> SelfTest<'_> {
        SelfTest { host: self, exhaustive: false, range: 0..usize::MAX, progress: None }
    }
}

impl<'a> SelfTest<'a> {
    /// Runs all combinations, with a million random patterns of each wide source: hours on a CPU. An ordinary run lets
    /// each dtype and pair of dtypes meet each kernel, with varying steps, roundings and placements: minutes on a CPU,
    /// mostly for compilation.
    pub const fn with_all_combinations(mut self) -> Self {
        self.exhaustive = true;
        self
    }

    /// Takes only the cases of this range, counted from zero: to continue a stopped run, or to share a run among
    /// machines. The order of cases is fixed within a version of the crate. An empty range passes.
    ///
    /// ```no_run
    /// # let host = wgpu_clamp::Host::open_blocking()?;
    /// let report = host.self_test().with_all_combinations().with_cases(2500..5000).run_blocking()?;
    /// assert!(report.passed() && !report.outcomes().is_empty(), "{report}");
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub const fn with_cases(mut self, range: Range<usize>) -> Self {
        self.range = range;
        self
    }

    /// Calls `progress` after each case with the number of finished cases, the number of all, and the outcome.
    pub fn with_progress(mut self, progress: impl FnMut(usize, usize, &Outcome) + Send + 'a) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    /// Runs the cases one after the other.
    ///
    /// # Errors
    ///
    /// The errors of [`Host::submit`] and [`Tensor::read`](crate::Tensor::read), if a case cannot run. A wrong result
    /// is not an error, see [`SelfTestReport::passed`].
    pub async fn run(self) -> Result<SelfTestReport, Error> {
        let Self { host, exhaustive, range, mut progress } = self;
        let mut cases = cases(exhaustive);
        cases.truncate(range.end);
        cases.drain(..range.start.min(cases.len()));
        let mut outcomes = Vec::with_capacity(cases.len());
        for (n, case) in cases.iter().enumerate() {
            let outcome = case.run(host, exhaustive).await?;
            if let Some(progress) = &mut progress {
                progress(n + 1, cases.len(), &outcome);
            }
            outcomes.push(outcome);
        }
        Ok(SelfTestReport { adapter: host.description(), outcomes })
    }

    /// As [`run`](Self::run), for programs without async. Not on the web, where nothing may block.
    ///
    /// # Errors
    ///
    /// The errors of [`run`](Self::run).
    #[cfg(not(target_arch = "wasm32"))]
    pub fn run_blocking(self) -> Result<SelfTestReport, Error> {
        pollster::block_on(self.run())
    }
}

impl fmt::Debug for SelfTest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SelfTest").field("exhaustive", &self.exhaustive).finish_non_exhaustive()
    }
}

/// The results of a [`SelfTest`]. `Display` gives a summary line, and a line per failed case.
#[derive(Clone, Debug)]
#[must_use]
pub struct SelfTestReport {
    adapter: String,
    outcomes: Vec<Outcome>,
}

/// The outcome of one case.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The clamp; with channels, the first channel's.
    pub clamp: Clamp,
    /// The layout of the elements, in words.
    pub route: &'static str,
    /// The plan in words: how the operands are bound, the kernels, and the elements that each took.
    pub plan: String,
    /// The specialization: dtypes, affine step and rounding, and the kernels.
    pub specialization: String,
    /// The comparison.
    pub report: Report,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { clamp, route, plan, report, .. } = self;
        write!(f, "{route}, {plan}: {report}\n  {clamp:?}")
    }
}

impl SelfTestReport {
    /// Whether all cases are right.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.outcomes.iter().all(|outcome| outcome.report.passed())
    }

    /// The outcome of each case.
    #[must_use]
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }
}

impl fmt::Display for SelfTestReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let elements: usize = self.outcomes.iter().map(|outcome| outcome.report.elements).sum();
        let failed = self.outcomes.iter().filter(|outcome| !outcome.report.passed());
        let count = failed.clone().count();
        let cases = self.outcomes.len();
        write!(
            f,
            "{}: {} of {cases} cases agree with the CPU reference, {elements} elements",
            self.adapter,
            cases - count
        )?;
        for outcome in failed {
            write!(f, "\n{outcome}")?;
        }
        Ok(())
    }
}

/// A case of the self-test: clamps and layouts. Public for the tools of this repository, without a promise.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// One clamp per channel. Without channels, the first clamp serves all elements.
    clamps: [Clamp; 6],
    /// The first clamp, with its bounds on the GPU, and with its affine step there if the dtype allows that.
    on_gpu: Clamp,
    route: Route,
    sharing: Sharing,
}

/// All pairs of source and destination, equal dtypes included.
fn pairs() -> impl Iterator<Item = (DType, DType)> {
    DType::ALL.iter().copied().flat_map(|dtype| {
        let sources = DType::ALL.iter().copied().filter(move |source| source.converts_to(dtype));
        sources.map(move |source| (source, dtype))
    })
}

const STEPS: [Option<Precision>; 3] = [None, Some(Precision::Fast), Some(Precision::Exact)];
const ROUNDINGS: [Rounding; 2] = [Rounding::TowardZero, Rounding::NearestEven];
const RULES: [NanRule; 3] = [NanRule::Propagate, NanRule::ToMin, NanRule::ToMax];
const ORDERS: [Order; 2] = [Order::MinWins, Order::MaxWins];

/// The message if a clamp of the cases is refused. None is: the bounds have the clamp's dtype, and scales and biases
/// are finite.
const VALID: &str = "the clamp is valid";

/// The `n`-th clamp for a pair of dtypes, with or without an affine step.
fn clamp(source: DType, dtype: DType, step: Option<Precision>, rounding: Rounding, n: usize) -> Clamp {
    let (low, high) = bounds(dtype);
    let [low, high] = [low, high].map(|bits| Number::from(Scalar::new(dtype, bits)));
    let (min, max) = match n % 4 {
        0 => (Number::Absent, Number::Absent),
        1 => (low, Number::Absent),
        2 => (Number::Absent, high),
        _ => (low, high),
    };
    let bounded = Clamp::unbounded(dtype).with_bounds(min, max).expect(VALID);
    let clamp = bounded.with_source(source).expect(VALID).with_rounding(rounding);
    let clamp = clamp.with_nan_rule(RULES[n % 3]).with_order(ORDERS[n % 2]);
    let Some(precision) = step else { return clamp };
    let (scale, bias) = AFFINES[n % AFFINES.len()];
    clamp.with_affine(scale, bias).expect(VALID).with_precision(precision)
}

/// The `n`-th clamp of a case with numbers on the GPU; its numbers go to the slots. Every second clamp has `Min > Max`,
/// which only the device can see. The [`Order`] of these clamps alternates.
fn in_slots(source: DType, dtype: DType, step: Option<Precision>, rounding: Rounding, n: usize) -> Clamp {
    const BOTH: usize = 3;
    let clamp = clamp(source, dtype, step, rounding, 4 * n + BOTH).with_order(ORDERS[n / 2 % 2]);
    let crossed = n.is_multiple_of(2);
    if crossed { clamp.with_bounds(clamp.max(), clamp.min()).expect(VALID) } else { clamp }
}

/// The bits of a small number and of a greater one.
const fn bounds(dtype: DType) -> (u64, u64) {
    match dtype {
        DType::F32 => (0xbf80_0000, 0x4060_0000),
        DType::F16 => (0xbc00, 0x4300),
        DType::BF16 => (0xbf80, 0x4060),
        DType::F64 => (0xbff0_0000_0000_0000, 0x400c_0000_0000_0000),
        DType::I8 => (0xf6, 100),
        DType::I16 => (0xff00, 1000),
        DType::I32 => (0xffff_0000, 70_000),
        DType::I64 => (u64::MAX - 1_000_000, 5_000_000_000),
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => (10, 200),
    }
}

fn cases(exhaustive: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    for (p, (source, dtype)) in pairs().enumerate() {
        // A run in two buffers is what users clamp most, so each pair meets every step on it. These clamps have both
        // bounds, which replace no zero and no NaN: floats take their shortcut.
        cases.extend(STEPS.map(|step| {
            let usual = clamp(source, dtype, step, ROUNDINGS[p % 2], 12 * p + 3);
            Case::new(&[usual; 6], Route::Run, Sharing::Apart)
        }));
        for (r, route) in Route::ALL.iter().copied().filter(|route| route.suits(dtype)).enumerate() {
            let sharings = route.sharings(source, dtype);
            let count = STEPS.len() * ROUNDINGS.len() * sharings.len();
            // Each pair meets some of the many shapes of pictures.
            let in_turn = !route.is_picture() || (p + r).is_multiple_of(3);
            for n in 0..count {
                let step = STEPS[n / sharings.len() / ROUNDINGS.len()];
                let rounding = ROUNDINGS[n / sharings.len() % ROUNDINGS.len()];
                let sharing = sharings[n % sharings.len()];
                let rounds = rounding == Rounding::TowardZero || !dtype.is_float();
                // The combinations rotate, so that over all pairs each route meets each combination.
                let wanted =
                    if exhaustive { rounds } else { in_turn && n == (p * 5 + r * 7 + p / 6) % count };
                if !wanted {
                    continue;
                }
                let clamp = |channel| match route {
                    Route::Slots => in_slots(source, dtype, step, rounding, n + p),
                    Route::SlotsAlong => in_slots(source, dtype, step, rounding, n + p + channel),
                    _ => clamp(source, dtype, step, rounding, n + p + r + channel),
                };
                let first = clamp(0);
                // All channels have the same order and NaN rule.
                let alike = |channel| {
                    let clamp = clamp(channel).with_order(first.order()).with_nan_rule(first.nan_rule());
                    // A scale and a bias that cannot be on the GPU are the same for all channels.
                    let same = route == Route::SlotsAlong && !dtype.takes_affine_on_gpu();
                    let (scale, bias) = (first.scale(), first.bias());
                    if same { clamp.with_affine(scale, bias).unwrap_or(clamp) } else { clamp }
                };
                cases.push(Case::new(&std::array::from_fn(alike), route, sharing));
            }
        }
    }
    quantized(&mut cases, exhaustive);
    cases
}

/// Adds the cases of quantisations: a run with each precision, and other routes in turn.
fn quantized(cases: &mut Vec<Case>, exhaustive: bool) {
    let new = |source: DType, dtype, scale, zero_point| {
        let new = if source.is_float() { Clamp::quantize_linear } else { Clamp::dequantize_linear };
        new(source, dtype, scale, zero_point)
    };
    let all = pairs().filter(|(source, dtype)| new(*source, *dtype, 1.0, 0).is_ok());
    for (p, (source, dtype)) in all.enumerate() {
        let (lowest, highest) = if source.is_float() { dtype } else { source }.integer_range();
        let zero_points = if source == DType::I32 { [0; 4] } else { [0, lowest, highest, 7] };
        let routes = Route::ALL.iter().copied().filter(|route| route.suits(dtype) && !route.has_slots());
        for (r, route) in routes.enumerate() {
            let sharings = route.sharings(source, dtype);
            for n in 0..2 * sharings.len() {
                let is_usual = route == Route::Run && n < 2;
                if !exhaustive && !is_usual && (r + 5 * p + 11 * n) % 23 != 0 {
                    continue;
                }
                let first = clamp(source, dtype, None, Rounding::NearestEven, n + p + r);
                let of_channel = |channel: usize| {
                    let scale = SCALES[(n + p + r + channel) % SCALES.len()];
                    let zero_point = zero_points[(p + r + channel) % zero_points.len()] as i32;
                    let made = new(source, dtype, scale, zero_point).expect(VALID);
                    let made = made.with_bounds(first.min(), first.max()).expect(VALID);
                    let made = made.with_nan_rule(first.nan_rule()).with_order(first.order());
                    made.with_precision([Precision::Fast, Precision::Exact][n % 2])
                };
                cases.push(Case::new(&std::array::from_fn(of_channel), route, sharings[n / 2]));
            }
        }
    }
}

impl Case {
    fn new(clamps: &[Clamp; 6], route: Route, sharing: Sharing) -> Self {
        let [clamp, ..] = *clamps;
        if clamp.zero_point().is_some() {
            return Self { clamps: *clamps, on_gpu: clamp, route, sharing };
        }
        let mut on_gpu = clamp.with_bounds(Number::OnGpu, Number::OnGpu).expect(VALID);
        if clamp.has_affine() && clamp.dtype().takes_affine_on_gpu() {
            on_gpu = on_gpu.with_affine(Number::OnGpu, Number::OnGpu).expect(VALID);
        }
        Self { clamps: *clamps, on_gpu, route, sharing }
    }

    /// All cases in the order of [`SelfTest::with_cases`], of an ordinary or an
    /// [exhaustive](SelfTest::with_all_combinations) run.
    #[must_use]
    pub fn all(exhaustive: bool) -> Vec<Self> {
        cases(exhaustive)
    }

    /// The clamp of the call, or one clamp per channel. Some numbers may be [`Number::OnGpu`].
    #[must_use]
    pub fn asked(&self) -> Clamps<'_> {
        match self.route.channels() {
            Some((axis, _)) if self.has_slots() => Clamps::slots_along(axis, self.on_gpu),
            None if self.has_slots() => (&self.on_gpu).into(),
            _ => self.clamps(),
        }
    }

    /// The clamps that are [asked](Self::asked) for, with values in place of the numbers on the GPU.
    #[must_use]
    pub fn clamps(&self) -> Clamps<'_> {
        match self.route.channels() {
            Some((axis, count)) => Clamps::along(axis, &self.clamps[..count]),
            None => (&self.clamps[0]).into(),
        }
    }

    /// The layout of the elements in words, as in [`Outcome::route`].
    #[must_use]
    pub const fn route(&self) -> &'static str {
        self.route.name()
    }

    /// The layouts of src and dst for about `elements` elements; some cases take more.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if `elements` is above 2^24.
    pub fn layouts(&self, elements: usize) -> Result<(Layout, Layout), Error> {
        const MOST: usize = 1 << 24;
        if elements > MOST {
            return Err(Error::argument(
                "elements",
                elements.to_string(),
                format!("at most {MOST} are needed"),
            ));
        }
        let [clamp, ..] = self.clamps;
        self.route.placed(elements, self.sharing, [clamp.source(), clamp.dtype()])
    }

    /// Whether src and dst lie in one buffer.
    #[must_use]
    pub fn in_one_buffer(&self) -> bool {
        self.sharing != Sharing::Apart
    }

    const fn has_slots(&self) -> bool {
        self.route.has_slots()
    }

    fn plan(&self, clamps: Clamps<'_>, src: &Layout, dst: &Layout, limits: Limits) -> Result<Plan, Error> {
        match self.sharing {
            Sharing::Apart => Plan::new(clamps, src, dst, limits),
            Sharing::Behind | Sharing::Same => Plan::in_one_buffer(clamps, src, dst, limits),
        }
    }

    async fn run(&self, host: &Host, exhaustive: bool) -> Result<Outcome, Error> {
        let Self { clamps: [clamp, ..], route, .. } = *self;
        let elements = elements(clamp.source(), if exhaustive { 1_000_000 } else { 4_000 });
        let (src, dst) = self.layouts(elements.len())?;
        let bytes = |layout: &Layout, dtype| layout.required_bytes(dtype) as usize;
        let mut src_bytes = Route::source(&src, clamp.source(), &elements);
        let one = self.in_one_buffer();
        if one {
            src_bytes.resize(src_bytes.len().max(bytes(&dst, clamp.dtype())), 0xa5);
        }
        let dst_bytes = if one { src_bytes.clone() } else { vec![0xa5; bytes(&dst, clamp.dtype())] };
        let upload = |bytes: &[u8]| Tensor::upload_bytes(host, DType::U8, &[bytes.len()], bytes);
        let src_tensor = upload(&src_bytes)?;
        let dst_tensor = if one { src_tensor.clone() } else { upload(&dst_bytes)? };
        let operands = Operands::new(
            View::new(src_tensor.buffer(), clamp.source(), src),
            View::new(dst_tensor.buffer(), clamp.dtype(), dst),
        );
        let limits = host.clamper().limits();
        if self.has_slots() {
            let slots = Slots::upload(host, self.clamps().as_slice())?;
            host.submit(self.asked(), slots.give(&self.on_gpu, &operands)?)?;
        } else {
            host.submit(self.asked(), operands)?;
        }
        let plan = self.plan(self.asked(), &src, &dst, limits)?;
        let after = dst_tensor.read_bytes().await?;
        let report = verify::check(
            self.clamps(),
            verify::Buffers {
                src_layout: &src,
                src: &src_bytes,
                dst_layout: &dst,
                dst_before: &dst_bytes,
                dst_after: &after,
            },
        )?;
        let gathers = if self.has_slots() { " + gather" } else { "" };
        let specialization = plan.specialization() + gathers;
        Ok(Outcome { clamp, route: route.name(), plan: plan.to_string(), specialization, report })
    }
}

mod route;
mod slots;
mod values;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// A refused case would end the self-test of every device.
    #[test]
    fn no_case_is_refused() {
        for case in cases(true) {
            let (src, dst) = case.layouts(300).unwrap();
            let plan = case.plan(case.asked(), &src, &dst, Limits::default());
            assert!(plan.is_ok(), "{plan:?}: {case:?}");
        }
    }

    /// In an ordinary run, each pair meets each route that suits it, except for pictures. Each picture meets each size of
    /// elements on each side, and all nine dtypes that convert.
    #[test]
    fn every_pair_meets_every_route() {
        let (mut pairs_met, mut sides_met) = (HashSet::new(), HashSet::new());
        for case in cases(false).iter().filter(|case| case.clamps[0].zero_point().is_none()) {
            let (route, [clamp, ..]) = (format!("{:?}", case.route), case.clamps);
            pairs_met.insert((route.clone(), clamp.source(), clamp.dtype()));
            for (side, dtype) in [clamp.source(), clamp.dtype()].into_iter().enumerate() {
                let name = if DType::CONVERTIBLE.contains(&dtype) { dtype.name() } else { "64 bits" };
                sides_met.insert((route.clone(), side, name));
            }
        }
        for &route in Route::ALL {
            let name = format!("{route:?}");
            if route.is_picture() {
                let dtypes = DType::CONVERTIBLE.iter().map(|dtype| dtype.name()).chain(["64 bits"]);
                for (dtype, side) in dtypes.flat_map(|dtype| [(dtype, 0), (dtype, 1)]) {
                    let met = sides_met.contains(&(name.clone(), side, dtype));
                    assert!(met, "{route:?}, side {side}, {dtype}");
                }
                continue;
            }
            for (source, dtype) in pairs().filter(|(_, dtype)| route.suits(*dtype)) {
                assert!(pairs_met.contains(&(name.clone(), source, dtype)), "{source} to {dtype}: {route:?}");
            }
        }
    }

    /// In an ordinary run, each quantisation meets a run in two buffers with each precision, and at least two other cases.
    #[test]
    fn every_quantisation_meets_runs_and_other_routes() {
        let (mut runs, mut others) = (HashSet::new(), HashSet::new());
        for case in cases(false).iter().filter(|case| case.clamps[0].zero_point().is_some()) {
            let [clamp, ..] = case.clamps;
            let pair = (clamp.source(), clamp.dtype());
            if (case.route, case.sharing) == (Route::Run, Sharing::Apart) {
                runs.insert((pair, clamp.precision()));
            } else {
                others.insert((pair, format!("{:?}", case.route)));
            }
        }
        for pair @ (source, dtype) in pairs() {
            let is_quantised = Clamp::quantize_linear(source, dtype, 1.0, 0).is_ok()
                || Clamp::dequantize_linear(source, dtype, 1.0, 0).is_ok();
            if !is_quantised {
                continue;
            }
            for precision in [Precision::Fast, Precision::Exact] {
                assert!(runs.contains(&(pair, precision)), "{source} to {dtype}, {precision:?}");
            }
            let count = others.iter().filter(|(other, _)| *other == pair).count();
            assert!(count >= 2, "{source} to {dtype}: {count} routes");
        }
    }

    /// A driver's compiler once failed on one step of one dtype, in the text for long runs in two buffers alone, and only
    /// where floats took their shortcut.
    #[test]
    fn every_pair_meets_every_step_on_a_run_in_two_buffers() {
        let cases = cases(false);
        for (source, dtype) in pairs() {
            for step in STEPS {
                let is_it = |case: &&Case| {
                    let [clamp, ..] = case.clamps;
                    (case.route, case.sharing) == (Route::Run, Sharing::Apart)
                        && (clamp.source(), clamp.dtype()) == (source, dtype)
                        && clamp.affine().map(|_| clamp.precision()) == step
                        && clamp.nan_rule() == NanRule::Propagate
                        && [clamp.min(), clamp.max()].iter().all(|bound| bound.value().is_some())
                };
                let case = cases.iter().find(is_it);
                let case = case.unwrap_or_else(|| panic!("{source} to {dtype}, {step:?}"));
                let (src, dst) = case.layouts(elements(source, 4_000).len()).unwrap();
                assert!(src.len() >= 4_000 || source.size() == 1);
                let limits = Limits { f64_arithmetic: true, ..Limits::default() };
                let plan = case.plan(case.clamps(), &src, &dst, limits).unwrap().to_string();
                assert_eq!(
                    plan.contains("fast affine step"),
                    step == Some(Precision::Fast) && case.clamps[0].meets_a_float(),
                    "{plan}"
                );
            }
        }
    }

    /// Whether dtypes of these sizes can meet a plan's words.
    type Suits = fn(usize, usize) -> bool;

    /// In an ordinary run, too, each pair meets every kernel, and each pair of sizes every order of invocations and every
    /// way to load and store that suits it.
    #[test]
    fn every_pair_meets_every_kernel() {
        let (mut by_dtypes, mut by_sizes) = (HashSet::new(), HashSet::new());
        let kernels = ["stream kernel", "boxes kernel", "words kernel"];
        let ways: [(&str, Suits); 6] = [
            ("(any to", |_, _| true),
            ("across packets", |src, dst| src == dst),
            ("in squares", |_, _| true),
            // From words to bytes, most invocations store words.
            ("exchanged", |src, dst| src != 4 || dst != 1),
            ("by packets", |_, _| true),
            ("to words", |src, dst| src == 4 && dst == 1),
        ];
        for case in cases(false) {
            let [source, dtype] = [case.clamps[0].source(), case.clamps[0].dtype()];
            let (src, dst) = case.layouts(elements(source, 4_000).len()).unwrap();
            let plan = case.plan(case.clamps(), &src, &dst, Limits::default()).unwrap().to_string();
            by_dtypes.extend(
                kernels.iter().filter(|kernel| plan.contains(**kernel)).map(|one| (source, dtype, *one)),
            );
            let ways = ways.iter().filter(|(words, _)| plan.contains(words));
            by_sizes.extend(ways.map(|(words, _)| (source.size(), dtype.size(), *words)));
        }
        let mut missed = Vec::new();
        for (source, dtype) in pairs() {
            let all = kernels.map(|kernel| (source, dtype, kernel));
            missed.extend(all.iter().filter(|one| !by_dtypes.contains(*one)).map(|one| format!("{one:?}")));
            let [src, dst] = [source.size(), dtype.size()];
            let all = ways.iter().filter(|(_, suits)| suits(src, dst)).map(|(words, _)| (src, dst, *words));
            missed.extend(all.filter(|one| !by_sizes.contains(one)).map(|one| format!("{one:?}")));
        }
        missed.sort_unstable();
        missed.dedup();
        assert_eq!(missed, [""; 0]);
    }
}
