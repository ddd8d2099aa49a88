//! The kernels of a device against the CPU reference: every dtype and pair of dtypes, on every kernel.

use std::fmt;
use std::ops::Range;

use crate::kernel::PACKET;
use crate::verify::{self, Report};
use crate::{
    Clamp, Clamps, DType, Error, Host, Layout, Limits, NanRule, Number, Operands, Order, Plan, Precision,
    Rounding, Scalar, Tensor, View,
};

/// A comparison of a device's kernels with the CPU reference that has not run yet; from [`Host::self_test`].
///
/// A case is a dtype or a pair of dtypes, an affine step, a rounding, a kernel and how the operands are placed; one
/// clamp, or one for each of three channels, or one whose bounds lie on the GPU. Each takes every value of 8- and
/// 16-bit sources, and of wider ones edges and random patterns. Beside the elements of the output, each byte of the
/// destination around them is compared.
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
    /// Compares the kernels of this device with the CPU reference: every dtype and pair of dtypes on every kernel.
    /// Nothing happens before [`SelfTest::run`] or its blocking twin.
    pub const fn self_test(&self) -> SelfTest<'_> {
        SelfTest { host: self, exhaustive: false, range: 0..usize::MAX, progress: None }
    }
}

impl<'a> SelfTest<'a> {
    /// Takes all combinations, and a million random patterns of each wide source: hours on a CPU. Otherwise each
    /// dtype and pair of dtypes meets each kernel, with a step, a rounding and a placement in turn: minutes there,
    /// most of them compilation.
    pub const fn exhaustive(mut self) -> Self {
        self.exhaustive = true;
        self
    }

    /// Takes the cases of this range alone, counted from zero, as far as there are any: to go on with a run that
    /// was stopped, or to share one among machines. Their order changes only with the crate. None at all passes too.
    ///
    /// ```no_run
    /// # let host = wgpu_clamp::Host::open_blocking()?;
    /// let report = host.self_test().exhaustive().cases(2500..5000).run_blocking()?;
    /// assert!(report.passed() && !report.outcomes().is_empty(), "{report}");
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub const fn cases(mut self, range: Range<usize>) -> Self {
        self.range = range;
        self
    }

    /// Calls `progress` after each case with the number of those that are done, that of all, and what became of it.
    pub fn with_progress(mut self, progress: impl FnMut(usize, usize, &Outcome) + Send + 'a) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    /// Runs the cases one after the other.
    ///
    /// # Errors
    ///
    /// Those of [`Host::submit`] and [`Tensor::read`](crate::Tensor::read), with which a case could not be run. A wrong
    /// result is not an error, see [`SelfTestReport::passed`].
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
        Ok(SelfTestReport { adapter: host.adapter(), outcomes })
    }

    /// As [`run`](Self::run), for programs without async. Not on the web, where nothing may block.
    ///
    /// # Errors
    ///
    /// Those of [`run`](Self::run).
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

/// What [`SelfTest`] found. `Display` says it in a line, and each case that failed in another.
#[derive(Clone, Debug)]
#[must_use]
pub struct SelfTestReport {
    adapter: String,
    outcomes: Vec<Outcome>,
}

/// What became of one case.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// What was computed; where channels have a clamp each, that of the first.
    pub clamp: Clamp,
    /// How the elements lay, and how the operands were placed.
    pub route: &'static str,
    /// The plan, which names the kernels and the elements that each took.
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

    /// Case by case.
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

/// How elements lie, each for a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Route {
    /// One run on both sides, at one distance from a packet.
    Run,
    /// Rows with a pitch, at any distance from a packet.
    Rows,
    /// One element to each row.
    Fill,
    /// Every second element, to reversed order.
    Strided,
    /// Every third element to a run.
    Gathered,
    /// Columns to rows.
    Transposed,
    /// Elements without gaps, each to a word of its own, or two to each.
    Spread,
    /// Interleaved to planar, so many components, from pixels of so many; planes and pixels at packets or anywhere.
    Planes(usize, usize, bool),
    /// Planar to interleaved.
    Pixels(usize, usize, bool),
    /// As the former two off packets, of three components with a clamp for each.
    ClampedPlanes,
    ClampedPixels,
    /// Three planes, with a clamp for each.
    Planar,
    /// Pixels of three components, with a clamp for each.
    Interleaved,
    /// Pixels of six components, with a clamp for each, of which none begins at a packet.
    Around,
    /// A run, its bounds on the GPU.
    Slots,
    /// Each row to several.
    Repeated,
}

const ROUTES: [Route; 24] = [
    Route::Run,
    Route::Planar,
    Route::Interleaved,
    Route::Rows,
    Route::Fill,
    Route::Strided,
    Route::Gathered,
    Route::Transposed,
    Route::Spread,
    Route::Planes(3, 3, false),
    Route::Planes(3, 3, true),
    Route::Planes(3, 4, false),
    Route::Planes(4, 4, true),
    Route::Planes(2, 2, false),
    Route::Pixels(3, 3, false),
    Route::Pixels(3, 3, true),
    Route::Pixels(3, 4, false),
    Route::Pixels(4, 4, true),
    Route::Pixels(2, 2, true),
    Route::ClampedPlanes,
    Route::ClampedPixels,
    Route::Slots,
    Route::Repeated,
    Route::Around,
];

impl Route {
    const fn is_picture(self) -> bool {
        matches!(self, Self::Planes(..) | Self::Pixels(..) | Self::ClampedPlanes | Self::ClampedPixels)
    }

    /// The axis whose indices have a clamp each, and how many these are.
    const fn channels(self) -> Option<(usize, usize)> {
        match self {
            Self::Planar | Self::Interleaved => Some((1, 3)),
            Self::Around => Some((1, 6)),
            Self::ClampedPlanes | Self::ClampedPixels => Some((0, 3)),
            _ => None,
        }
    }

    /// How its operands can be placed for its kernel.
    const fn places(self, source: DType, dtype: DType) -> &'static [Place] {
        match self {
            // What stays in dst, and an element for a row, are for two buffers.
            Self::Fill | Self::Pixels(3, 4, _) => &[Place::Apart],
            Self::Planes(..)
            | Self::Pixels(..)
            | Self::ClampedPlanes
            | Self::ClampedPixels
            | Self::Transposed
            | Self::Repeated => &[Place::Apart, Place::Behind],
            _ if source.size() == dtype.size() => &[Place::Apart, Place::Behind, Place::Same],
            _ => &[Place::Apart, Place::Behind],
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Run => "a run",
            Self::Rows => "rows",
            Self::Fill => "one element to each row",
            Self::Strided => "every second element, reversed",
            Self::Gathered => "every third element to a run",
            Self::Transposed => "columns to rows",
            Self::Spread => "groups to words",
            Self::Planes(_, _, false) => "pixels to planes",
            Self::Planes(_, _, true) => "pixels to planes, off packets",
            Self::Pixels(_, _, false) => "planes to pixels",
            Self::Pixels(_, _, true) => "planes to pixels, off packets",
            Self::ClampedPlanes => "pixels to planes, off packets, of a clamp each",
            Self::ClampedPixels => "planes to pixels, off packets, of a clamp each",
            Self::Planar => "planes of a clamp each",
            Self::Interleaved => "pixels of a clamp for each component",
            Self::Around => "pixels of a clamp for each component, off packets",
            Self::Slots => "a run, bounds on the GPU",
            Self::Repeated => "each row to several",
        }
    }

    /// Layouts of src and dst for at least `n` elements. They repeat what there is too little of.
    fn layouts(self, n: usize, dtype: DType) -> Result<(Layout, Layout), Error> {
        let packed = |shape: &[usize]| Layout::packed(shape);
        let rows = n.div_ceil(141).max(2);
        let line = |count: usize, stride: isize, offset: usize| Layout::strided(&[count], &[stride], offset);
        // Pixels of `of` elements, and `count` of these in planes.
        let picture = |count: usize, of: usize, off: bool| {
            let width = n.div_ceil(count).next_multiple_of(64) / 2 + if off { 37 } else { 64 };
            let pad = if off { 3 } else { 0 };
            let (pixel_row, plane_row) = (width * of + pad, width + pad);
            let strides = |strides: [usize; 3]| strides.map(usize::cast_signed);
            let pixels = Layout::strided(&[count, 2, width], &strides([1, pixel_row, of]), usize::from(off))?;
            let planes = strides([2 * plane_row + pad, plane_row, 1]);
            Ok((pixels, Layout::strided(&[count, 2, width], &planes, if off { 5 } else { 0 })?))
        };
        Ok(match self {
            Self::Run | Self::Slots => (packed(&[n])?, packed(&[n])?),
            Self::Rows => (packed(&[rows, 143])?.slice(1, 0..141)?, packed(&[rows, 144])?.slice(1, 0..141)?),
            Self::Fill => {
                let rows = n.min(2000);
                (packed(&[rows, 1])?.broadcast_to(&[rows, 163])?, packed(&[rows, 167])?.slice(1, 0..163)?)
            }
            Self::Repeated => {
                // Rows of whole packets, each to ten: the eight that an invocation stores, and two more. Not every value,
                // as dst is ten times as large.
                let rows = n.min(16_384).div_ceil(192);
                (packed(&[rows, 1, 192])?.broadcast_to(&[rows, 10, 192])?, packed(&[rows, 10, 192])?)
            }
            Self::Strided => (line(n, 2, 1)?, line(n, -2, 2 * n)?),
            Self::Gathered => (line(n, 3, 1)?, line(n, 1, 3)?),
            Self::Transposed => {
                let columns = n.div_ceil(192).next_multiple_of(16).max(64);
                (packed(&[columns, 192])?.permute(&[1, 0])?, packed(&[192, columns])?)
            }
            Self::Spread => {
                let lanes = (4 / dtype.size()).max(2);
                let taken = lanes - 1;
                let groups = n.div_ceil(taken);
                (packed(&[groups, taken])?, packed(&[groups, lanes])?.slice(1, 0..taken)?)
            }
            Self::Planes(count, of, off) => picture(count, of, off)?,
            Self::ClampedPlanes => picture(3, 3, true)?,
            Self::ClampedPixels => {
                let (pixels, planes) = picture(3, 3, true)?;
                (planes, pixels)
            }
            Self::Pixels(count, of, off) => {
                let (pixels, planes) = picture(count, of, off)?;
                (planes, pixels)
            }
            Self::Planar => {
                let layout = packed(&[2, 3, n.div_ceil(2)])?;
                (layout, layout)
            }
            Self::Interleaved => {
                // From an odd element on, with all packets of an invocation; each element meets each clamp.
                let pixels = n.next_multiple_of(16).max(3 * 1024) + 1;
                let layout = Layout::strided(&[pixels, 3], &[3, 1], 5)?;
                (layout, layout)
            }
            Self::Around => {
                // Each element meets half of the clamps.
                let layout = Layout::strided(&[n.div_ceil(2) + 1, 6], &[6, 1], 5)?;
                (layout, layout)
            }
        })
    }
}

/// How the operands are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Apart,
    /// In one buffer, one behind the other.
    Behind,
    /// In place.
    Same,
}

#[derive(Clone, Copy)]
struct Case {
    /// One for each channel; without channels the first is for all.
    clamps: [Clamp; 6],
    route: Route,
    place: Place,
}

/// Numbers of affine steps: ordinary, negative, tiny, with ties, steep; products that 8-bit fixed point has, and
/// others.
pub(crate) const AFFINES: [(f32, f32); 9] = [
    (1.0 / 255.0, 0.0),
    (-1.7, 200.3),
    (0.5, 0.25),
    (0.5, 0.0),
    (255.0, 0.5),
    (1.0, -128.0),
    (77.77, -1e4),
    (1e-6, 3.5),
    (3e7, -1.5e7),
];

/// Pairs of dtypes, and dtypes alone.
fn pairs() -> impl Iterator<Item = (DType, DType)> {
    DType::ALL.into_iter().flat_map(|dtype| {
        let sources = DType::ALL.into_iter().filter(move |source| source.converts_to(dtype));
        sources.map(move |source| (source, dtype))
    })
}

/// The `n`-th clamp of a pair, with a step or without.
fn clamp(
    source: DType,
    dtype: DType,
    step: Option<Precision>,
    rounding: Rounding,
    n: usize,
) -> Result<Clamp, Error> {
    let (low, high) = bounds(dtype);
    let [low, high] = [low, high].map(|bits| Number::from(Scalar::new(dtype, bits)));
    let (min, max) = match n % 4 {
        0 => (Number::Absent, Number::Absent),
        1 => (low, Number::Absent),
        2 => (Number::Absent, high),
        _ => (low, high),
    };
    let rule = [NanRule::Propagate, NanRule::ToMin, NanRule::ToMax][n % 3];
    let order = [Order::MinWins, Order::MaxWins][n % 2];
    let clamp = Clamp::unbounded(dtype).with_bounds(min, max)?.with_source(source)?.with_rounding(rounding);
    let clamp = clamp.with_nan_rule(rule).with_order(order);
    let (scale, bias) = AFFINES[n % AFFINES.len()];
    match step {
        None => Ok(clamp),
        Some(precision) => Ok(clamp.with_affine(scale, bias)?.with_precision(precision)),
    }
}

/// The `n`-th clamp whose bounds lie on the GPU: both, every second time the wrong way round, which only the device can
/// see, in either order.
fn in_slots(
    source: DType,
    dtype: DType,
    step: Option<Precision>,
    rounding: Rounding,
    n: usize,
) -> Result<Clamp, Error> {
    const BOTH: usize = 3;
    let clamp = clamp(source, dtype, step, rounding, 4 * n + BOTH)?;
    let order = [Order::MinWins, Order::MaxWins][n / 2 % 2];
    let crossed = n.is_multiple_of(2);
    let (min, max) = if crossed { (clamp.max(), clamp.min()) } else { (clamp.min(), clamp.max()) };
    Ok(clamp.with_bounds(min, max)?.with_order(order))
}

/// A small number and a greater one, as bits.
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
    let steps = [None, Some(Precision::Fast), Some(Precision::Exact)];
    let roundings = [Rounding::TowardZero, Rounding::NearestEven];
    let mut cases = Vec::new();
    for (p, (source, dtype)) in pairs().enumerate() {
        for (r, route) in ROUTES.into_iter().enumerate() {
            let places = route.places(source, dtype);
            let product = steps.into_iter().flat_map(|step| {
                roundings
                    .into_iter()
                    .flat_map(move |rounding| places.iter().map(move |&place| (step, rounding, place)))
            });
            let count = 6 * places.len();
            // Pictures are of many shapes, of which each pair meets some.
            let in_turn = !route.is_picture() || (p + r).is_multiple_of(3);
            for (n, (step, rounding, place)) in product.enumerate() {
                let rounds = rounding == Rounding::TowardZero || !dtype.is_float();
                // In turn, so that over all pairs each route meets each combination.
                let wanted =
                    if exhaustive { rounds } else { in_turn && n == (p * 5 + r * 7 + p / 6) % count };
                if wanted {
                    let clamp = |channel| match route {
                        Route::Slots => in_slots(source, dtype, step, rounding, n + p),
                        _ => clamp(source, dtype, step, rounding, n + p + r + channel),
                    };
                    // A test counts them, so that none is refused unseen.
                    let of_channels: Result<Vec<_>, _> = (0..6).map(clamp).collect();
                    if let Some(clamps) = of_channels.ok().and_then(|all| <[Clamp; 6]>::try_from(all).ok()) {
                        // Channels have one order and one rule for NaN.
                        let [first, ..] = clamps;
                        let alike =
                            |clamp: Clamp| clamp.with_order(first.order()).with_nan_rule(first.nan_rule());
                        cases.push(Case { clamps: clamps.map(alike), route, place });
                    }
                }
            }
        }
    }
    cases
}

impl Case {
    fn clamps(&self) -> Clamps<'_> {
        match self.route.channels() {
            Some((axis, count)) => Clamps::along(axis, &self.clamps[..count]),
            None => (&self.clamps[0]).into(),
        }
    }

    /// The layouts for `n` elements where the operands are placed.
    fn placed(&self, n: usize) -> Result<(Layout, Layout), Error> {
        let (src, dst) = self.route.layouts(n, self.clamps[0].dtype())?;
        Ok(match self.place {
            Place::Apart => (src, dst),
            // Src with a pitch of its own may repeat elements, dst may not.
            Place::Same => (dst, dst),
            Place::Behind => {
                let [clamp, ..] = self.clamps;
                // At the same distance from a packet.
                let bytes = src.required_bytes(clamp.source()).next_multiple_of(PACKET as u64);
                let behind = bytes as usize / clamp.dtype().size();
                (src, Layout::strided(dst.shape(), dst.strides(), dst.offset() + behind)?)
            }
        })
    }

    fn plan(&self, clamps: Clamps<'_>, src: &Layout, dst: &Layout, limits: Limits) -> Result<Plan, Error> {
        match self.place {
            Place::Apart => Plan::new(clamps, src, dst, limits),
            Place::Behind | Place::Same => Plan::in_one_buffer(clamps, src, dst, limits),
        }
    }

    async fn run(&self, host: &Host, exhaustive: bool) -> Result<Outcome, Error> {
        let Self { clamps: [clamp, ..], route, place } = *self;
        let elements = elements(clamp.source(), if exhaustive { 1_000_000 } else { 4_000 });
        let (src, dst) = self.placed(elements.len())?;
        let src_size = clamp.source().size();
        let bytes = |layout: &Layout, dtype| layout.required_bytes(dtype) as usize;
        let mut src_bytes = vec![0x5a; bytes(&src, clamp.source())];
        // Everything holds elements, in the order of the buffer.
        for (bytes, bits) in src_bytes.chunks_exact_mut(src_size).zip(elements.iter().cycle()) {
            bytes.copy_from_slice(&bits.to_le_bytes()[..src_size]);
        }
        let one = place != Place::Apart;
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
        let plan = if route == Route::Slots {
            let slots = slots(host, &clamp)?;
            let view =
                |n| Ok::<_, Error>(View::new(slots.buffer(), clamp.dtype(), Layout::strided(&[], &[], n)?));
            let operands = operands.with_min(view(MIN_SLOT)?).with_max(view(MAX_SLOT)?);
            let on_gpu = clamp.with_bounds(Number::OnGpu, Number::OnGpu)?;
            host.submit(&on_gpu, operands)?;
            self.plan((&on_gpu).into(), &src, &dst, limits)?
        } else {
            host.submit(self.clamps(), operands)?;
            self.plan(self.clamps(), &src, &dst, limits)?
        };
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
        let resolved = if route == Route::Slots { " + resolve" } else { "" };
        let specialization = plan.specialization() + resolved;
        Ok(Outcome { clamp, route: route.name(), plan: plan.to_string(), specialization, report })
    }
}

/// Where [`slots`] has the bounds, in elements: not where a buffer begins.
const MIN_SLOT: usize = 3;
const MAX_SLOT: usize = 1;

/// The bounds of a clamp, on the GPU.
fn slots(host: &Host, clamp: &Clamp) -> Result<Tensor, Error> {
    let size = clamp.dtype().size();
    let mut bytes = vec![0x5a; 4 * size];
    for (slot, bound) in [(MIN_SLOT, clamp.min()), (MAX_SLOT, clamp.max())] {
        if let Some(bits) = bound.bits() {
            bytes[slot * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
        }
    }
    Tensor::upload_bytes(host, DType::U8, &[bytes.len()], &bytes)
}

/// Every value of 8 and 16 bits; of wider dtypes edges and `random` patterns.
pub(crate) fn elements(dtype: DType, random: usize) -> Vec<u64> {
    let mask = u64::MAX >> (64 - dtype.bits());
    if dtype.bits() <= 16 {
        return (0..=mask).collect();
    }
    let mut elements = vec![0, mask, mask >> 1, (mask >> 1) + 1];
    for bit in 0..dtype.bits() {
        let power = 1_u64 << bit;
        elements.extend([power, power - 1, power + 1, mask ^ power]);
    }
    if dtype.is_float() {
        // Around powers of two, halves between small integers, infinities and NaNs.
        let numbers = (0..=600).map(|n| f64::from(n) / 2.0 - 150.0);
        let limits =
            [65_504.0, 65_520.0, 65_535.5, 32_767.5, 32_768.5, 127.5, 255.5, 1e38, 1e-38, 1e-45, 6e-8];
        for number in numbers.chain(limits) {
            let bits = match dtype {
                DType::F64 => number.to_bits(),
                _ => u64::from((number as f32).to_bits()),
            };
            let sign = (mask >> 1) + 1;
            elements.extend([bits, bits ^ sign, bits.wrapping_add(1) & mask, bits.wrapping_sub(1) & mask]);
        }
        let exponent = if dtype == DType::F64 { 0x7ff << 52 } else { 0xff << 23 };
        elements.extend([0, 1, 5].map(|low| exponent | low));
        elements.push(exponent | exponent >> 1);
    }
    // Weyl's sequence, its upper bits mixed into the lower ones.
    let mut state = 0_u64;
    elements.extend((0..random).map(|n| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let bits = (state ^ (state >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let bits = (bits ^ (bits >> 32)) & mask;
        match (dtype, n % 2) {
            // Half of them small numbers: the others mostly saturate.
            (DType::F32, 0) => u64::from((f32::from(bits as i16) / 64.0).to_bits()),
            (DType::I32 | DType::U32 | DType::I64 | DType::U64, 0) => bits & 0xfff,
            _ => bits,
        }
    }));
    elements
}

#[cfg(test)]
mod mutants;
#[cfg(test)]
mod planted;
#[cfg(test)]
mod sampled;
#[cfg(test)]
mod sanitized;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_case_is_refused() {
        // 54 pairs and dtypes on each of 12 routes, 18 of them on each of 12 more for pictures.
        assert_eq!(cases(false).len(), 54 * 12 + 18 * 12);
    }

    /// An invocation stores to several rows where a row of src is repeated: every dtype meets that, and a last invocation
    /// that stores to fewer.
    #[test]
    fn every_dtype_meets_repeated_rows() {
        let mut met = HashSet::new();
        for case in cases(false).iter().filter(|case| case.route == Route::Repeated) {
            let (src, dst) = case.placed(20_000).unwrap();
            let plan = case.plan(case.clamps(), &src, &dst, Limits::default()).unwrap();
            if plan.to_string().contains("(0 to far)") {
                met.insert(case.clamps[0].dtype());
            }
        }
        let missed: Vec<_> = DType::ALL.into_iter().filter(|dtype| !met.contains(dtype)).collect();
        assert_eq!(missed, []);
    }

    /// Each pair meets the kernels that take its sizes, in an ordinary run too.
    #[test]
    fn every_pair_meets_every_kernel() {
        // Of the plan's words: blocks of other shapes, too.
        let (rows, fill) = (", in rows", "(0 to 1)");
        let mut met = HashSet::new();
        for case in cases(false) {
            let (src, dst) = case.placed(elements(case.clamps[0].source(), 4_000).len()).unwrap();
            let plan = case.plan(case.clamps(), &src, &dst, Limits::default()).unwrap().to_string();
            let kernels = ["block kernel", "gather kernel", rows, fill];
            for kernel in kernels.into_iter().filter(|kernel| plan.contains(kernel)) {
                met.insert((case.clamps[0].source(), case.clamps[0].dtype(), kernel));
            }
        }
        for (source, dtype) in pairs() {
            let mut expected = vec![fill, "block kernel", "gather kernel"];
            expected.extend((source.size() == dtype.size()).then_some(rows));
            for kernel in expected {
                assert!(met.contains(&(source, dtype, kernel)), "{source} to {dtype}: {kernel}");
            }
        }
    }
}
