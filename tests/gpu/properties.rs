//! Random calls of every kind: the GPU agrees with the reference, and bytes that the call does not own stay as they
//! were. Failures shrink, and are kept in `proptest-regressions`.

use std::collections::HashSet;
use std::sync::OnceLock;

use clamp_testing::layouts::of_every_kind;
use proptest::prelude::*;
use proptest::sample::select;
use wgpu_clamp::{
    Clamp, Clamps, DType, Error, Layout, NanRule, Number, Operands, Order, Precision, Refusal, Rounding, View,
};

use crate::harness::{Gpu, Turns, buffer, compare, devices, exhaustive, gpus, strided, told};
use crate::random::Random;
use crate::values::{edges, mask, scalar};

fn finite() -> impl Strategy<Value = f32> {
    let any = any::<u32>().prop_map(f32::from_bits).prop_filter("finite", |x| x.is_finite());
    prop_oneof![
        3 => -300.0_f32..300.0,
        2 => any,
        1 => select(&[0.0, -0.0, 1.0, -1.0, 0.5, 256.0, f32::MAX, f32::MIN_POSITIVE, f32::EPSILON]),
    ]
}

fn bits(dtype: DType) -> impl Strategy<Value = u64> {
    prop_oneof![select(edges(dtype)), any::<u64>().prop_map(move |bits| bits & mask(dtype))]
}

fn value(dtype: DType) -> impl Strategy<Value = Number> {
    bits(dtype).prop_map(move |bits| scalar(dtype, bits).into())
}

/// A clamp from one dtype to another.
fn conversion() -> impl Strategy<Value = Clamp> {
    let one = || select(&DType::CONVERTIBLE);
    (one(), one().prop_flat_map(clamp_of)).prop_map(|(source, clamp)| clamp.with_source(source).unwrap())
}

fn clamp_of(dtype: DType) -> impl Strategy<Value = Clamp> {
    let bound = || prop_oneof![1 => Just(Number::Absent), 4 => value(dtype)];
    (
        (bound(), bound()),
        select(&[Order::MinWins, Order::MaxWins]),
        select(&[NanRule::Propagate, NanRule::ToMin, NanRule::ToMax]),
        prop::option::of((finite(), finite())),
        select(&[Precision::Fast, Precision::Exact]),
        select(&[Rounding::TowardZero, Rounding::NearestEven]),
    )
        .prop_map(move |((min, max), order, rule, affine, precision, rounding)| {
            let clamp = Clamp::unbounded(dtype).with_bounds(min, max).unwrap();
            let clamp = clamp.with_order(order).with_nan_rule(rule).with_precision(precision);
            let clamp = clamp.with_rounding(rounding);
            let (scale, bias) = affine.unwrap_or((1.0, 0.0));
            clamp.with_affine(scale, bias).unwrap()
        })
}

/// F64 with a scale and a bias of any size, for f64 arithmetic.
fn f64_step() -> impl Strategy<Value = Clamp> {
    let any = any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |x| x.is_finite());
    let number = prop_oneof![3 => finite().prop_map(f64::from), 2 => any].boxed();
    (clamp_of(DType::F64), number.clone(), number).prop_map(|(clamp, scale, bias)| {
        clamp.with_scale_bias(scale, bias).unwrap().with_precision(Precision::Fast)
    })
}

/// Random elements, half of them edge values.
fn data(dtype: DType, bytes: usize, rng: &mut Random) -> Vec<u8> {
    let mut data = rng.bytes(bytes.max(4));
    let edges = edges(dtype);
    for element in data.chunks_exact_mut(dtype.size()) {
        if rng.below(2) == 0 {
            element.copy_from_slice(&rng.pick(&edges).to_le_bytes()[..dtype.size()]);
        }
    }
    data
}

/// The parts of a case beside its clamp and layouts.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
struct Case {
    one_buffer: bool,
    in_place: bool,
    /// Whether the device is one of [`small`].
    small: bool,
    /// Which of Min, Max, scale and bias lie on the GPU, if they are present and the dtype takes them from there.
    on_gpu: [bool; 4],
    /// Whether each index of an axis has a clamp of its own; then no number is on the GPU.
    by_channel: bool,
    seed: u64,
}

fn case() -> impl Strategy<Value = Case> {
    let on_gpu = prop_oneof![3 => Just([false; 4]), 2 => any::<[bool; 4]>()];
    let small = prop::bool::weighted(0.3);
    (any::<[bool; 2]>(), small, on_gpu, prop::bool::weighted(0.3), any::<u64>()).prop_map(
        |([one_buffer, in_place], small, on_gpu, by_channel, seed)| Case {
            one_buffer,
            in_place,
            small,
            on_gpu,
            by_channel,
            seed,
        },
    )
}

/// Devices whose bindings and grids are so small that many tensors take several windows, and two rows of workgroups.
fn small() -> Turns {
    static GPUS: OnceLock<Vec<Gpu>> = OnceLock::new();
    let limited = |gpu: &Gpu| {
        gpu.limited(|limits| {
            // For the table of 200 channels.
            limits.max_storage_buffer_binding_size = 16 << 10;
            limits.max_compute_workgroups_per_dimension = 2;
        })
    };
    Turns::of(GPUS.get_or_init(|| gpus().map(limited).collect()))
}

fn run(gpu: &Gpu, clamp: &Clamp, layouts: &(Layout, Layout), case: Case) {
    let what = || format!("{clamp:?}\n{layouts:?}\n{case:?} on {}", gpu.name);
    told(what, || run_quietly(gpu, clamp, layouts, case));
}

fn run_quietly(gpu: &Gpu, clamp: &Clamp, &(src, dst): &(Layout, Layout), case: Case) {
    let (source, dtype) = (clamp.source(), clamp.dtype());
    let src = if case.one_buffer && case.in_place { dst } else { src };
    let mut rng = Random(case.seed);
    let size = src.required_bytes(source).max(dst.required_bytes(dtype)) as usize;
    let (from, to) = (data(source, size, &mut rng), data(dtype, size, &mut rng));
    let (src_buffer, other) = (buffer(gpu, &from), buffer(gpu, &to));
    let (to, dst_buffer) = if case.one_buffer { (&from, &src_buffer) } else { (&to, &other) };
    let operands = Operands::new(View::new(&src_buffer, source, src), View::new(dst_buffer, dtype, dst));

    if case.by_channel && dst.rank() > 0 {
        let axis = rng.below(dst.rank());
        let list: Vec<Clamp> = (0..dst.shape()[axis]).map(|_| channel(clamp, &mut rng)).collect();
        let clamps = Clamps::along(axis, &list);
        return submit(gpu, clamps, clamps, &operands, &from, to);
    }
    let by_value = [clamp.min(), clamp.max(), clamp.scale(), clamp.bias()];
    let steps_on_gpu = clamp.with_scale_bias(Number::OnGpu, Number::OnGpu).is_ok();
    let on_gpu = |n: usize| case.on_gpu[n] && (n < 2 || steps_on_gpu);
    let slots = [0, 1, 2, 3].map(|n| match by_value[n] {
        Number::Value(value) if on_gpu(n) => {
            Some((buffer(gpu, &[[0xee; 8], value.bits().to_le_bytes()].concat()), value.dtype()))
        }
        _ => None,
    });
    let asked = |n: usize| if slots[n].is_some() { Number::OnGpu } else { by_value[n] };
    let asked = clamp.with_bounds(asked(0), asked(1)).unwrap().with_scale_bias(asked(2), asked(3)).unwrap();
    // The slot lies 8 bytes into its buffer.
    let [min, max, scale, bias] = slots.each_ref().map(|slot| {
        let (buffer, dtype) = slot.as_ref()?;
        Some(View::new(buffer, *dtype, strided(&[], &[], 8 / dtype.size())))
    });
    let operands = operands.with_min(min).with_max(max).with_scale(scale).with_bias(bias);
    submit(gpu, (&asked).into(), clamp.into(), &operands, &from, to);
}

/// A clamp that agrees with another in the properties that channels must share.
fn channel(clamp: &Clamp, rng: &mut Random) -> Clamp {
    let dtype = clamp.dtype();
    let mut bound = |bound| match rng.below(4) {
        0 => Number::Absent,
        1 => scalar(dtype, rng.bits() & mask(dtype)).into(),
        _ => bound,
    };
    let clamp = clamp.with_bounds(bound(clamp.min()), bound(clamp.max())).unwrap();
    match rng.below(3) {
        0 => clamp.with_affine(1.0, 0.0).unwrap(),
        1 => clamp.with_affine(0.75, 3.25).unwrap(),
        _ => clamp,
    }
}

/// Submits the call. Compares the result with `by_value`, or asserts that the call was rightly refused.
fn submit(
    gpu: &Gpu,
    asked: Clamps<'_>,
    by_value: Clamps<'_>,
    operands: &Operands<'_>,
    from: &[u8],
    to: &[u8],
) {
    let (src, dst) = (operands.src(), operands.dst());
    match gpu.host.submit(asked, *operands) {
        Ok(_) => compare(gpu, by_value, *operands, from, to),
        // The two views must share a byte. (If dst overlaps itself, the error names only dst.)
        Err(Error::Overlap(Refusal { argument: "src, dst", .. })) if src.buffer() == dst.buffer() => {
            let bytes = |view: View<'_>| {
                let size = view.dtype().size();
                let addresses = view.layout().addresses();
                addresses.flat_map(move |address| address * size..(address + 1) * size)
            };
            let read: HashSet<usize> = bytes(src).collect();
            assert!(bytes(dst).any(|byte| read.contains(&byte)));
        }
        Err(error) => panic!("{error} on {}", gpu.name),
    }
}

/// Regression cases, spelled out, because changed generators draw other cases for the same seed.
#[test]
fn cases_that_were_found() {
    let line = |len, stride, offset| strided(&[len], &[stride], offset);
    let apart = Case {
        one_buffer: false,
        in_place: false,
        small: false,
        on_gpu: [false; 4],
        by_channel: false,
        seed: 0,
    };
    let in_place = Case { one_buffer: true, in_place: true, ..apart };
    let gaps = (line(2, 1, 0), line(2, 2, 0));
    let f64_of_zero = Clamp::unbounded(DType::F64).with_affine(0.0, 0.0).unwrap();
    let widened = Clamp::unbounded(DType::U16).with_source(DType::U8).unwrap();
    for gpu in gpus() {
        run(gpu, &f64_of_zero, &gaps, apart);
        run(gpu, &Clamp::unbounded(DType::F32), &gaps, apart);
        run(gpu, &widened, &(line(1, 1, 0), line(1, 1, 1)), in_place);
    }
}

/// Cases differ in each run. Most of the time goes into pipelines that a driver has not seen; a proptest in
/// `tests/shaders/plans.rs` and the fuzz target `plan` make similar calls without a driver.
fn cases() -> ProptestConfig {
    ProptestConfig::with_cases(if exhaustive() { 3000 } else { 250 })
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn whatever_is_asked_for_agrees_with_the_reference(
        clamp in prop_oneof![2 => select(&DType::ALL).prop_flat_map(clamp_of), 3 => conversion(), 1 => f64_step()],
        layouts in of_every_kind(),
        case in case(),
    ) {
        if case.small {
            small().for_each(|gpu| run(gpu, &clamp, &layouts, case));
        } else {
            devices().filter(|gpu| gpu.dtypes().contains(&clamp.dtype())).for_each(|gpu| run(gpu, &clamp, &layouts, case));
        }
    }
}
