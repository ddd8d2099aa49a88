//! The self-test's cases for execution without a device, and further plans, which drivers would take hours to compile.
//!
//! The further plans cover each pair of dtypes with each step and many scales and biases, on elements where results
//! change; numbers on the GPU; and the sample layouts of pieces.

use std::panic::{AssertUnwindSafe, catch_unwind};

use wgpu_clamp::self_test::{Case, elements};
use wgpu_clamp::{Clamp, Clamps, DType, Error, Layout, Limits, Number, Plan, Precision, Rounding, Scalar};

use super::trial::{self, Count, Execute, Trial, same_addresses};
use crate::layouts::of_users;
use crate::numbers::{AFFINES, MORE_AFFINES, beside_an_edge, limits, mix, number};
use crate::values::{
    AFFINE_ON_GPU, NAN_RULES, ORDERS, PRECISIONS, ROUNDINGS, bits_of, mask, pairs, quantization,
    quantized_pairs, scalar, scalar_of,
};

const STEPS: [Option<Precision>; 3] = [None, Some(Precision::Fast), Some(Precision::Exact)];

/// The message if a clamp of the samples is refused.
const VALID: &str = "the clamp is valid";

/// The elements of a plan that tests arithmetic.
const ELEMENTS: usize = 400;

/// The most elements of a layout.
const MOST: usize = 34_000;

/// The clamps, layouts and elements of a plan.
pub struct Sample {
    clamps: Vec<Clamp>,
    axis: Option<usize>,
    src: Layout,
    dst: Layout,
    one_buffer: bool,
    limits: Limits,
    /// The bits of the numbers on the GPU: one list, or one per index of the axis.
    slots: Vec<[u64; 4]>,
    /// Whether the clamp has slots along the axis.
    in_slots: bool,
    /// The bits of src's elements by address.
    values: Vec<u64>,
}

/// The number of elements of the `case`-th case; a route may take more. The sizes differ in how many elements remain
/// after the last whole unit or packet. Every seventh size is large, because only large sizes leave many elements beside
/// boxes.
pub const fn size(case: usize) -> usize {
    let size = if case.is_multiple_of(7) { 20_000 } else { 1_100 };
    size + case * 13 % 512
}

/// Whether the `case`-th case runs as on a CPU where it runs one way.
pub fn on_cpu(case: usize) -> bool {
    mix(case as u64) % 2 == 1
}

impl Sample {
    /// A clamp on elements where results of the step `affine` change.
    fn of_line(clamp: Clamp, affine: (f32, f32)) -> Self {
        let line = Layout::packed(&[ELEMENTS]).expect("a few elements");
        Self {
            clamps: vec![clamp],
            axis: None,
            src: line,
            dst: line,
            one_buffer: false,
            limits: Limits::default(),
            slots: vec![[0; 4]],
            in_slots: false,
            values: telling(&clamp, affine),
        }
    }

    /// The `n`-th case of the self-test, on some of the elements that a device takes; the choice depends on `n`.
    pub fn of_case(case: &Case, n: usize, cpu: bool) -> Self {
        let (asked, clamps) = (case.asked(), case.clamps());
        let list = clamps.as_slice();
        let (src, dst) = case.layouts(size(n)).expect("a layout of a few elements");
        let bits = |number: Number| number.value().map_or(0, Scalar::bits);
        let slots = |clamp: &Clamp| trial::numbers(clamp).map(bits);
        let in_slots = asked.as_slice()[0] != list[0];
        let source = list[0].source();
        let any = elements(source, 4_000);
        let seed = (n as u64) << 32;
        let addresses = src.required_bytes(source) / source.size() as u64;
        Self {
            clamps: asked.as_slice().to_vec(),
            axis: asked.axis(),
            src,
            dst,
            one_buffer: case.in_one_buffer(),
            limits: Limits::default().with(|limits| {
                limits.cpu = cpu;
                limits.f16_conversions = mix(n as u64) / 2 % 2 == 1;
            }),
            slots: if in_slots { list.iter().map(slots).collect() } else { vec![[0; 4]] },
            in_slots,
            values: (0..addresses).map(|address| any[mix(address ^ seed) as usize % any.len()]).collect(),
        }
    }

    /// Calls `work` with the sample as a trial.
    fn with_trial<T>(&self, work: impl FnOnce(&Trial<'_>) -> T) -> T {
        let Self { clamps: list, axis, src, dst, one_buffer, limits, slots, in_slots, values } = self;
        let clamps = match *axis {
            None => (&list[0]).into(),
            Some(axis) if *in_slots => Clamps::slots_along(axis, list[0]),
            Some(axis) => Clamps::along(axis, list),
        };
        let value = |address: u64| values[address as usize];
        let (one_buffer, limits) = (*one_buffer, *limits);
        work(&Trial { clamps, src, dst, one_buffer, limits, value: &value, slots })
    }

    /// The sample's plan.
    pub fn plan(&self) -> Result<Plan, Error> {
        self.with_trial(|&Trial { clamps, src, dst, one_buffer, limits, .. }| {
            trial::plan(clamps, (src, dst), one_buffer, limits)
        })
    }

    /// Executes the plan, as [`Trial::run`] does.
    pub fn execute(&self, execute: Execute<'_>) -> Result<Count, String> {
        self.with_trial(|trial| {
            let count = catch_unwind(AssertUnwindSafe(|| trial.run(execute)));
            count.unwrap_or_else(|_| Err(format!("panicked: {trial}")))
        })
    }
}

/// The `n`-th clamp of a pair without an affine step. Bounds, NaN rule and order rotate.
fn clamp(source: DType, dtype: DType, rounding: Rounding, n: usize) -> Clamp {
    let (low, high) = match dtype {
        DType::F32 | DType::F16 | DType::BF16 | DType::F64 => (-1.0, 3.5),
        DType::I8 => (-10.0, 100.0),
        DType::I16 => (-256.0, 1000.0),
        DType::I32 => (-65_536.0, 70_000.0),
        DType::I64 => (-1_000_001.0, 5e9),
        _ => (10.0, 200.0),
    };
    let of = |bound| Number::from(scalar_of(dtype, bound));
    let (low, high) = (of(low), of(high));
    let (min, max) = match n % 4 {
        0 => (Number::Absent, Number::Absent),
        1 => (low, Number::Absent),
        2 => (Number::Absent, high),
        _ => (low, high),
    };
    let bounded = Clamp::unbounded(dtype).with_bounds(min, max).expect(VALID);
    let clamp = bounded.with_source(source).expect(VALID).with_rounding(rounding);
    clamp.with_nan_rule(NAN_RULES[n % 3]).with_order(ORDERS[n % 2])
}

/// All samples. The list is always the same.
pub fn samples() -> Vec<Sample> {
    numbers()
        .chain(zeros())
        .chain(hard_steps())
        .chain(ties())
        .chain(slots())
        .chain(affine_slots())
        .chain(places())
        .chain(quantized())
        .collect()
}

/// Pairs of dtypes with each step, scale and bias.
fn numbers() -> impl Iterator<Item = Sample> {
    let affines = AFFINES.into_iter().chain(MORE_AFFINES);
    let steps: Vec<_> = affines.flat_map(|affine| PRECISIONS.map(|precision| (affine, precision))).collect();
    pairs().enumerate().flat_map(move |(p, (source, dtype))| {
        let plain = (0..12).map(|_| None);
        let all: Vec<_> = plain.chain(steps.iter().copied().map(Some)).collect();
        all.into_iter().enumerate().map(move |(n, step)| {
            let rounding = ROUNDINGS[(n / 2 + p / 2) % 2];
            let plain = clamp(source, dtype, rounding, n + p);
            // The bounds of the cases are round numbers; the bounds here are not.
            let [min, max] = [plain.min(), plain.max()].map(|bound| match bound {
                Number::Value(value) => {
                    let more = if dtype.bits() == 64 { 0x8765_4321 } else { 1 };
                    scalar(dtype, value.bits().wrapping_add(more)).into()
                }
                other => other,
            });
            let plain = plain.with_bounds(min, max).expect(VALID);
            let clamp = step.map_or(plain, |((scale, bias), precision)| {
                plain.with_affine(scale, bias).expect(VALID).with_precision(precision)
            });
            let affine = step.map_or((1.0, 0.0), |(affine, _)| affine);
            Sample { limits: usual_limits(n), ..Sample::of_line(clamp, affine) }
        })
    })
}

/// Floats with bounds of +0 or −0. Zeros are equal, so neither replaces the other.
fn zeros() -> impl Iterator<Item = Sample> {
    let floats = DType::ALL.iter().copied().filter(|dtype| dtype.is_float());
    let bounds = [0.0, -0.0].into_iter().flat_map(|zero| [(zero, 6.0), (-6.0, zero), (zero, zero)]);
    floats.flat_map(move |dtype| {
        bounds.clone().map(move |(min, max)| {
            let [min, max] = [min, max].map(|bound| scalar_of(dtype, bound));
            let clamp = Clamp::unbounded(dtype).with_bounds(min, max).expect(VALID);
            Sample::of_line(clamp, (1.0, 0.0))
        })
    })
}

/// Products of which a bias leaves the last bits, and a product just above half an ulp of the bias: its last bits alone decide
/// that the sum is no tie.
fn hard_steps() -> impl Iterator<Item = Sample> {
    // (2^31 + 259) * (2^24 - 2) = 2^55 + 50331130; an f32 holds the remainder, 50331130, without its last two bits.
    let cancelled = (f32::from_bits(0x4b7f_fffe) * 2.0_f32.powi(-40), -2.0_f32.powi(15));
    // The f32 with the bits 0x19001001, times the scale, is 2^-120 + 2^-166.
    let near_tie = (16_769_026.0 * 2.0_f32.powi(-67), 2.0_f32.powi(-96));
    let steps = [
        (DType::U32, DType::F32, cancelled, (1 << 31) + 259),
        (DType::U32, DType::F16, cancelled, (1 << 31) + 259),
        (DType::F32, DType::F32, near_tie, 0x1900_1001),
    ];
    steps.into_iter().map(|(source, dtype, affine, center)| {
        exact_step(Clamp::unbounded(dtype).with_source(source).expect(VALID), affine, center)
    })
}

/// Halves of integers of both signs, per channel: nothing but the bit that is shifted out decides between down and up. In step,
/// the numbers of so many channels lie in a table.
fn ties() -> impl Iterator<Item = Sample> {
    let rows = Layout::packed(&[20, ELEMENTS / 20]).expect("a few elements");
    [DType::I64, DType::U64, DType::I32, DType::U32].into_iter().flat_map(move |dtype| {
        ROUNDINGS.map(|rounding| {
            let clamp = Clamp::unbounded(dtype).with_rounding(rounding);
            // Elements from half of their number below 0 on.
            let sample = exact_step(clamp, (0.5, 0.0), 0);
            let clamps = vec![sample.clamps[0]; 20];
            Sample { clamps, axis: Some(0), src: rows, dst: rows, ..sample }
        })
    })
}

/// The clamp with an exact step, on elements whose bits are near `center`.
fn exact_step(clamp: Clamp, (scale, bias): (f32, f32), center: u64) -> Sample {
    let clamp = clamp.with_affine(scale, bias).expect(VALID).with_precision(Precision::Exact);
    let first = center.wrapping_sub(ELEMENTS as u64 / 2);
    let values = (0..ELEMENTS as u64).map(|n| first.wrapping_add(n) & mask(clamp.source())).collect();
    Sample { values, ..Sample::of_line(clamp, (scale, bias)) }
}

/// The default limits of a GPU and of a CPU in turn, with and without conversions of F16 by the device.
fn usual_limits(n: usize) -> Limits {
    let f16_conversions = (n / 2 + n / 32).is_multiple_of(2);
    Limits::default().with(|limits| {
        limits.cpu = (n + n / 8) % 2 == 1;
        limits.f16_conversions = f16_conversions;
    })
}

/// Small bindings and grids for every eighth plan, else the usual limits.
fn some_limits(n: usize) -> Limits {
    let usual = usual_limits(n);
    let small = usual.with(|limits| {
        limits.max_binding_size = 1 << 10;
        limits.max_workgroups_per_dimension = 3;
    });
    if n.is_multiple_of(8) { small } else { usual }
}

/// Clamps with one or both bounds on the GPU. Some plans have small bindings and many windows.
fn slots() -> impl Iterator<Item = Sample> {
    DType::ALL.iter().copied().flat_map(move |dtype| {
        let mask = mask(dtype);
        let bounds = if dtype.is_float() {
            let numbers = [-1.0, 3.5, 0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
            numbers.map(|number| bits_of(dtype, number))
        } else {
            [0, 1, 100, mask / 2, mask / 2 + 1, mask - 1, mask]
        };
        (0..72).map(move |n| {
            let chance = mix(n as u64) as usize;
            let slots = [bounds[chance % 7], bounds[chance / 7 % 7]];
            let on_gpu = [Number::OnGpu; 2];
            let host = slots.map(|bits| scalar(dtype, bits).into());
            let [min, max] = [on_gpu, on_gpu, [on_gpu[0], host[1]], [host[0], on_gpu[1]]][n % 4];
            let rule = NAN_RULES[n / 4 % 3];
            let order = ORDERS[n / 12 % 2];
            let ruled = |[min, max]: [Number; 2]| {
                let clamp = Clamp::unbounded(dtype).with_bounds(min, max).expect(VALID);
                clamp.with_nan_rule(rule).with_order(order)
            };
            Sample {
                clamps: vec![ruled([min, max])],
                limits: some_limits(n),
                slots: vec![[slots[0], slots[1], 0, 0]],
                ..Sample::of_line(ruled(host), (1.0, 0.0))
            }
        })
    })
}

/// Clamps with scale or bias on the GPU, for all elements or per row. Some have bounds on the GPU too. Some scales and
/// biases are not finite.
fn affine_slots() -> impl Iterator<Item = Sample> {
    let wanted = |(_, dtype): &(DType, DType)| AFFINE_ON_GPU.contains(dtype);
    let odd = [
        (f32::NAN, 1.0),
        (2.0, f32::INFINITY),
        (-f32::INFINITY, f32::NAN),
        (1.0, f32::NAN),
        (1.0, f32::INFINITY),
        (0.0, -f32::INFINITY),
        (1.0, 0.0),
        (1.0, -0.0),
        (-0.0, 1.0),
    ];
    let affines: Vec<_> = AFFINES.into_iter().chain(MORE_AFFINES).chain(odd).collect();
    pairs().filter(wanted).enumerate().flat_map(move |(p, (source, dtype))| {
        let affines = affines.clone();
        (0..2 * affines.len()).map(move |n| {
            let (scale, bias) = affines[n / 2];
            let precision = PRECISIONS[n % 2];
            let rounding = ROUNDINGS[(n / 2 + p) % 2];
            let plain = clamp(source, dtype, rounding, n + p);
            let [low, high] = [plain.min(), plain.max()].map(|bound| bound.value().map_or(0, Scalar::bits));
            let found = [low, high, scale.to_bits().into(), bias.to_bits().into()];
            // Whether Min, Max, scale and bias are on the GPU. Scale, bias or both always are.
            let on_gpu = [n % 3 == 0, n % 6 == 0, n % 5 != 1, n % 5 != 2];
            let of = |on_gpu: bool, number: Number| if on_gpu { Number::OnGpu } else { number };
            let bounded = plain.with_bounds(of(on_gpu[0], plain.min()), of(on_gpu[1], plain.max()));
            let host = |x: f32| if x.is_finite() { x.into() } else { Number::Absent };
            let (scale_of, bias_of) = (of(on_gpu[2], host(scale)), of(on_gpu[3], host(bias)));
            let clamp = bounded.and_then(|clamp| clamp.with_affine(scale_of, bias_of));
            let clamp = clamp.expect(VALID).with_precision(precision);
            let finite = if scale.is_finite() && bias.is_finite() { (scale, bias) } else { (1.0, 0.0) };
            let sample = Sample {
                clamps: vec![clamp],
                limits: some_limits(n),
                slots: vec![found],
                ..Sample::of_line(clamp, finite)
            };
            // Each row has its own numbers. The numbers of 200 rows do not fit into a uniform block.
            let rows = [1, 4, 20, 200][(n / 3) % 4];
            if rows == 1 {
                return sample;
            }
            let matrix = Layout::packed(&[rows, ELEMENTS / rows]).expect("a few elements");
            let of_row = |row: usize| {
                let (scale, bias) = affines[(n / 2 + row) % affines.len()];
                let more = if dtype.is_float() { 0 } else { row as u64 % 4 };
                [low + more, high, scale.to_bits().into(), bias.to_bits().into()]
            };
            let flipped = if n % 7 < 3 { matrix.flip(0).expect("it has two axes") } else { matrix };
            Sample {
                axis: Some(0),
                src: matrix,
                dst: flipped,
                slots: (0..rows).map(of_row).collect(),
                in_slots: true,
                ..sample
            }
        })
    })
}

/// Elements whose results lie near 0, a bound or a limit of a dtype; some special elements, and random ones.
fn telling(clamp: &Clamp, (scale, bias): (f32, f32)) -> Vec<u64> {
    let (source, dtype) = (clamp.source(), clamp.dtype());
    let mask = mask(source);
    let limits = [127.0, 255.0, 32_767.0, 65_504.0, 65_535.0, 1e-45, 1e-38, 3e38];
    let of_bound = |bound: Number| bound.value().map_or(1.0, |bound| number(dtype, bound.bits()));
    let ends = [0.0, -0.5, of_bound(clamp.min()), of_bound(clamp.max())].into_iter().chain(limits);
    let starts = ends.map(|end| (end - f64::from(bias)) / f64::from(scale));
    let starts = starts.chain((0..40).step_by(10).map(f64::from)).chain([
        -0.0,
        1.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ]);
    let starts = starts.map(|number| bits_of(source, number)).chain([mask / 2]);
    let around = |bits: u64| (0..7_u64).map(move |by| bits.wrapping_add(by).wrapping_sub(3) & mask);
    let mut all: Vec<_> = starts.flat_map(around).collect();
    let any = elements(source, 1_000);
    let more = (all.len()..ELEMENTS).map(|n| any[mix(n as u64) as usize % any.len()]);
    all.extend(more.collect::<Vec<_>>());
    all
}

/// Quantisations with scales of every size, for all elements or per row, on halves, on their neighbours, and on elements whose
/// quotients lie beside a midpoint of f32s.
fn quantized() -> impl Iterator<Item = Sample> {
    let scales = [0.1, -0.3, 1.0 / 255.0, 0.007_812_5, 2.0, 1e-40, 1e-38, -3e38, f32::from_bits(1), 1e30];
    let scales = scales.map(|scale| [f32::NAN, scale]).into_iter();
    let edges = (0..24).flat_map(|n| [false, true].map(|above| beside_an_edge(n * n * n * 5, above)));
    let scales: Vec<_> = scales.chain(edges.flatten()).collect();
    quantized_pairs().enumerate().flat_map(move |(p, (source, dtype))| {
        let integer = if source.is_float() { dtype } else { source };
        let [lowest, highest] = limits(integer).map(|limit| limit as i32);
        let scales = scales.clone();
        (0..40).map(move |n| {
            let of_row = |row: usize| {
                let [x, scale] = scales[(n / 2 + row * 7) % scales.len()];
                let zero_point = [0, lowest, highest, 3.clamp(lowest, highest)][(n / 4 + row + p) % 4];
                let zero_point = if integer == DType::I32 { 0 } else { zero_point };
                let plain = clamp(source, dtype, Rounding::NearestEven, n + p);
                let made = quantization(source, dtype, scale, zero_point).expect(VALID);
                let made = made.with_bounds(plain.min(), plain.max()).expect(VALID);
                let made = made.with_nan_rule(plain.nan_rule()).with_order(plain.order());
                (made.with_precision(PRECISIONS[n % 2]), x, f64::from(scale))
            };
            let any = elements(source, 100);
            let value = |place: usize, rows: usize| {
                let (_, x, scale) = of_row(place * rows / ELEMENTS);
                let chance = mix(place as u64) as usize;
                let half = [0.5, 1.5, 2.5, 3.5, 126.5, 127.5, 254.5, 255.5, 32_767.5, 65_534.5, 65_535.5]
                    [chance % 11];
                let sign = if (chance / 16).is_multiple_of(2) { 1.0 } else { -1.0 };
                let near = bits_of(source, sign * half * scale);
                match place % 4 {
                    0 => any[chance % any.len()],
                    1 if source == DType::F32 && !x.is_nan() => x.to_bits().into(),
                    _ if !source.is_float() => any[chance / 32 % any.len()],
                    // Up to two ulps beside the half.
                    _ => (near + chance as u64 / 32 % 5).wrapping_sub(2) & mask(source),
                }
            };
            let rows = [1, 4, 1, 20, 1, 200, 1, 1, 1, 1][n / 4];
            let matrix = Layout::packed(&[rows, ELEMENTS / rows]).expect("a few elements");
            Sample {
                values: (0..ELEMENTS).map(|place| value(place, rows)).collect(),
                clamps: (0..rows).map(|row| of_row(row).0).collect(),
                axis: (rows > 1).then_some(0),
                src: matrix,
                dst: matrix,
                limits: some_limits(n),
                ..Sample::of_line(of_row(0).0, (1.0, 0.0))
            }
        })
    })
}

/// Layouts besides the sample layouts of pieces, each with its axis of channels: rows that begin anywhere and are
/// longer than what one invocation takes in its turns; matrices and mirrored planes, repeated so that they
/// meet all limits of [`places`]; layouts with the most dimensions.
fn more_layouts() -> Result<Vec<(Layout, Layout, usize)>, Error> {
    let mut all = Vec::new();
    for c in [1, 3] {
        let rows = Layout::packed(&[2, 3331, c])?;
        let planes = Layout::packed(&[c, 2, 3331])?.permute(&[1, 2, 0])?;
        all.extend([[(rows.flip(1)?, rows, 2), (rows, planes, 2), (planes, rows, 2)]; 6].concat());
    }
    // In some of these rows the last turn has no whole packet.
    for columns in [144, 136, 68, 34] {
        let rows = |pitch| Layout::packed(&[7, pitch])?.slice(1, 0..columns);
        all.extend([(rows(columns)?, rows(columns + 3)?, 0); 16]);
        all.extend([(rows(columns + 3)?, rows(columns + 3)?, 0); 16]);
    }
    let rows = Layout::packed(&[3, 131, 64])?;
    let planes = Layout::packed(&[64, 3, 131])?.permute(&[1, 2, 0])?;
    all.extend([[(rows, planes, 2), (planes, rows, 2)]; 4].concat());
    let turned = Layout::packed(&[5, 64, 96])?.permute(&[0, 2, 1])?;
    all.extend([(turned, Layout::packed(turned.shape())?, 0); 6]);
    let narrow = Layout::packed(&[5, 8, 96])?.permute(&[0, 2, 1])?;
    all.extend([(narrow, Layout::packed(narrow.shape())?, 0); 6]);
    for image in [Layout::packed(&[16, 32, 64])?, Layout::packed(&[16, 5, 331])?] {
        all.extend([(image.flip(2)?, image, 0); 3]);
    }
    for c in [3, 5, 8] {
        let wide = Layout::packed(&[3, 4, 3, 4, 3, 4, 3, c + 1])?;
        let mut extents = [2, 3, 2, 3, 2, 3, 2, c].into_iter().enumerate();
        let cut = extents.try_fold(wide, |layout, (d, extent)| layout.slice(d, 0..extent))?;
        let turned = Layout::packed(&[c, 2, 3, 2, 3, 2, 3, 2])?.permute(&[1, 2, 3, 4, 5, 6, 7, 0])?;
        let pairs = [(cut, Layout::packed(cut.shape())?, 1), (cut, turned, 7), (turned, cut, 7)];
        all.extend(pairs.into_iter().cycle().take(24));
    }
    // Runs of four and of eight dimensions, in which units lie across the end of any dimension.
    for shape in [&[5, 3, 7, 9][..], &[3; 8]] {
        let runs = Layout::packed(shape)?;
        let order: Vec<_> = (0..shape.len()).rev().collect();
        let shape: Vec<_> = shape.iter().rev().copied().collect();
        let turned = Layout::packed(&shape)?.permute(&order)?.flip(1)?;
        let of_axes = (0..shape.len()).map(|axis| (turned, runs, axis));
        all.extend(of_axes.cycle().take(16));
        all.extend([(turned, runs, 0); 6]);
    }
    // Eight dimensions of which no two are adjacent, nor elements of any. The extents of the last two differ.
    let wide = Layout::packed(&[6, 3, 3, 3, 3, 3, 3, 3])?;
    let apart = (0..8).try_fold(wide, |layout, axis| layout.step(axis, 2))?;
    all.extend((0..8).map(|axis| (apart, apart, axis)));
    Ok(all)
}

/// The sample layouts of pieces and [`more_layouts`], on devices with large and with small limits.
fn places() -> impl Iterator<Item = Sample> {
    let pairs: Vec<_> = pairs().collect();
    let fits = |(src, _, _): &(Layout, Layout, usize)| src.len() <= MOST;
    let all = of_users().into_iter().filter(fits).chain(more_layouts().expect("a few elements"));
    let all = all.flat_map(|layouts| [(layouts, false), (layouts, true)]);
    // Small bindings give many windows, and some windows do not begin with the first channel. Few workgroups per
    // dimension give grids larger than the work.
    let usual = Limits::default();
    let limits = [
        usual,
        usual.with(|limits| limits.max_binding_size = 1 << 14),
        usual.with(|limits| limits.max_workgroups_per_dimension = 3),
    ];
    all.enumerate().map(move |(n, ((src, dst, axis), several))| {
        let chance = mix(n as u64) as usize;
        let (source, dtype) = pairs[chance % pairs.len()];
        let step = STEPS[chance / 64 % 3];
        let rounding = ROUNDINGS[chance / 256 % 2];
        // Most results stay distinct. Each channel has its own Min, and the second channel has no step.
        let of_channel = |channel: usize| {
            let least = scalar(dtype, channel as u64 % 128);
            let least = Clamp::unbounded(dtype).with_bounds(least, Number::Absent);
            let least = least.and_then(|clamp| clamp.with_source(source)).expect(VALID);
            let plain = least.with_rounding(rounding).with_precision(step.unwrap_or(Precision::Exact));
            match step.filter(|_| channel != 1) {
                Some(_) => plain.with_affine(0.5, 2.25).expect(VALID),
                None => plain,
            }
        };
        let channels = if several { src.shape()[axis] } else { 1 };
        let one_buffer = (chance / 1024).is_multiple_of(3);
        // Whole numbers of 8 bits, so that neighbours differ in narrow dtypes too; in floats, some special values.
        let specials = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0];
        let value = |address: u64| {
            let chance = mix(address);
            let special = source.is_float() && chance.is_multiple_of(16);
            bits_of(
                source,
                if special { specials[(chance >> 4) as usize % 4] } else { f64::from(chance as u8) },
            )
        };
        let addresses = src.required_bytes(source) / source.size() as u64;
        let behind = src.required_bytes(source).next_multiple_of(16) as usize / dtype.size();
        let moved =
            || Layout::strided(dst.shape(), dst.strides(), dst.offset() + behind).expect("a few elements");
        let in_place = same_addresses(&src, &dst) && source.size() == dtype.size();
        Sample {
            clamps: if several { (0..channels).map(of_channel).collect() } else { vec![of_channel(2)] },
            axis: several.then_some(axis),
            src,
            dst: if one_buffer && !in_place { moved() } else { dst },
            one_buffer,
            limits: limits[n / 2 % 3].with(|limits| {
                limits.cpu = chance / 4096 % 2 == 1;
                limits.f16_conversions = (chance / 8192).is_multiple_of(2);
            }),
            slots: vec![[0; 4]],
            in_slots: false,
            values: (0..addresses).map(value).collect(),
        }
    })
}
