//! Anything that a caller may ask for, at random: the GPU agrees with the reference, and what the call does not own
//! stays as it was. Failures shrink, and are kept in `proptest-regressions`.

use proptest::prelude::*;
use proptest::sample::select;
use wgpu_clamp::standards::directml::{FeatureLevel, ScaleBias};
use wgpu_clamp::standards::onnx::Bounds;
use wgpu_clamp::{Bound, Clamp, DType, Error, Layout, NanRule, Operands, Order, Precision, View, verify};

use crate::harness::{Gpu, Random, buffer, devices, gpus, read};
use crate::values::{edges, mask};

/// One dimension of a random layout.
#[derive(Clone, Copy, Debug)]
struct Dim {
    extent: usize,
    /// Elements between the end of this dimension and the next step of the one around it.
    gap: usize,
    /// Dimensions lie in memory by rising `place`.
    place: u8,
    flip: bool,
    /// In a source: repeat one element.
    repeat: bool,
}

fn dim() -> impl Strategy<Value = Dim> {
    let extent = prop_oneof![8 => 1_usize..6, 1 => 6_usize..70, 1 => Just(0)];
    (extent, 0_usize..4, any::<u8>(), any::<bool>(), prop::bool::weighted(0.2))
        .prop_map(|(extent, gap, place, flip, repeat)| Dim { extent, gap, place, flip, repeat })
}

/// No two indices share an element, unless a dimension repeats.
fn layout(dims: &[Dim], first_gap: usize, offset: usize, repeats: bool) -> Layout {
    let shape: Vec<usize> = dims.iter().map(|dim| dim.extent).collect();
    let mut order: Vec<usize> = (0..dims.len()).collect();
    order.sort_by_key(|&d| dims[d].place);
    let mut strides = vec![0; dims.len()];
    let mut step = 1 + first_gap;
    for d in order {
        if !(repeats && dims[d].repeat) {
            strides[d] = isize::try_from(step).unwrap();
            step = step * dims[d].extent.max(1) + dims[d].gap;
        }
    }
    let mut layout = Layout::strided(&shape, &strides, offset).unwrap();
    for axis in (0..dims.len()).filter(|&d| dims[d].flip) {
        layout = layout.flip(axis).unwrap();
    }
    layout
}

/// Shapes of up to a few thousand elements, and the two layouts of each.
fn layouts() -> impl Strategy<Value = (Layout, Layout)> {
    let pair = (dim(), dim()).prop_map(|(src, dst)| (Dim { extent: dst.extent, ..src }, dst));
    let dims = prop::collection::vec(pair, 0..=8).prop_filter("too many elements", |dims| {
        dims.iter().map(|(_, dst)| dst.extent).product::<usize>() <= 5000
    });
    (dims, 0_usize..3, 0_usize..3, 0_usize..50, 0_usize..50).prop_map(|(dims, a, b, from, to)| {
        let (src, dst): (Vec<Dim>, Vec<Dim>) = dims.into_iter().unzip();
        (layout(&src, a, from, true), layout(&dst, b, to, false))
    })
}

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

fn clamp() -> impl Strategy<Value = Clamp> {
    select(&DType::ALL).prop_flat_map(clamp_of)
}

fn clamp_of(dtype: DType) -> impl Strategy<Value = Clamp> {
    let bound = || prop_oneof![1 => Just(Bound::Absent), 4 => bits(dtype).prop_map(Bound::Value)];
    (
        (bound(), bound()),
        select(&[Order::MinWins, Order::MaxWins]),
        select(&[NanRule::Propagate, NanRule::ToMin, NanRule::ToMax]),
        prop::option::of((finite(), finite())),
        select(&[Precision::Fast, Precision::Exact]),
    )
        .prop_map(move |((min, max), order, rule, affine, precision)| {
            let clamp = Clamp::from_bits(dtype, min, max).unwrap();
            let clamp = clamp.with_order(order).with_nan_rule(rule).with_precision(precision);
            let (scale, bias) = affine.unwrap_or((1.0, 0.0));
            clamp.with_affine(scale, bias).unwrap()
        })
}

/// F64 with a scale and a bias of any size, for f64 arithmetic.
fn f64_step() -> impl Strategy<Value = Clamp> {
    let any = any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |x| x.is_finite());
    let number = prop_oneof![3 => finite().prop_map(f64::from), 2 => any].boxed();
    (clamp_of(DType::F64), number.clone(), number).prop_map(|(clamp, scale, bias)| {
        clamp.with_affine_f64(scale, bias).unwrap().with_precision(Precision::Fast)
    })
}

/// A clamp by one of the four standards' constructors, from random attributes that it accepts.
fn standard() -> impl Strategy<Value = Clamp> {
    let number = || prop_oneof![finite(), select(&[f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 0.2, 0.8])];
    let level = select(&[FeatureLevel::V1_0, FeatureLevel::V2_1, FeatureLevel::V5_0]);
    let dtype = select(&DType::ALL);
    (
        0..5,
        dtype,
        number(),
        number(),
        level,
        prop::option::of((finite(), finite())),
        1_u32..20,
        bits(DType::U64),
    )
        .prop_filter_map(
            "refused by the standard",
            |(kind, dtype, min, max, level, affine, opset, bits)| {
                let scale_bias = affine.map(|(scale, bias)| ScaleBias { scale, bias });
                let input = |bits: u64| Bound::Value(bits & mask(dtype));
                match kind {
                    0 => Clamp::directml(dtype, min, max, scale_bias, level),
                    1 => Clamp::onnx(opset, dtype, Bounds::Attributes { min: Some(min), max: None }),
                    2 => {
                        let (min, max) = (input(bits), input(bits.rotate_left(17)));
                        Clamp::onnx(opset, dtype, Bounds::Inputs { min, max })
                    }
                    3 => Clamp::openvino(dtype, min.into(), f64::from(max) * 1.1),
                    _ => Clamp::onednn(dtype, min, max),
                }
                .ok()
            },
        )
}

/// Random elements, half of them worth a look.
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

/// What a case asks for beside its clamp and layouts.
#[derive(Clone, Copy, Debug)]
struct Case {
    one_buffer: bool,
    in_place: bool,
    /// Which bounds lie on the GPU, if they are there at all.
    on_gpu: (bool, bool),
    seed: u64,
}

fn case() -> impl Strategy<Value = Case> {
    let on_gpu = prop_oneof![3 => Just((false, false)), 2 => any::<(bool, bool)>()];
    (any::<bool>(), any::<bool>(), on_gpu, any::<u64>())
        .prop_map(|(one_buffer, in_place, on_gpu, seed)| Case { one_buffer, in_place, on_gpu, seed })
}

fn run(gpu: &Gpu, clamp: &Clamp, (src, dst): (Layout, Layout), case: Case) -> Result<(), TestCaseError> {
    let dtype = clamp.dtype();
    let src = if case.one_buffer && case.in_place { dst } else { src };
    let mut rng = Random(case.seed);
    let size = src.required_bytes(dtype).max(dst.required_bytes(dtype)) as usize;
    let (from, to) = (data(dtype, size, &mut rng), data(dtype, size, &mut rng));
    let src_buffer = buffer(gpu, &from);
    let (to, dst_buffer) =
        if case.one_buffer { (from.clone(), src_buffer.clone()) } else { (to.clone(), buffer(gpu, &to)) };

    let slot = |bound, on_gpu| match bound {
        Bound::Value(bits) if on_gpu => Some(buffer(gpu, &[[0xee; 8], bits.to_le_bytes()].concat())),
        _ => None,
    };
    let slots = (slot(clamp.min(), case.on_gpu.0), slot(clamp.max(), case.on_gpu.1));
    // Eight bytes in.
    let one = Layout::strided(&[], &[], 8 / dtype.size()).unwrap();
    let mut operands = Operands::new(View::new(&src_buffer, src), View::new(&dst_buffer, dst));
    let (mut min, mut max) = (clamp.min(), clamp.max());
    if let Some(buffer) = &slots.0 {
        (operands, min) = (operands.with_min(View::new(buffer, one)), Bound::OnGpu);
    }
    if let Some(buffer) = &slots.1 {
        (operands, max) = (operands.with_max(View::new(buffer, one)), Bound::OnGpu);
    }

    match gpu.host.submit(&clamp.with_bounds(min, max).unwrap(), operands) {
        Err(Error::PartialAlias { .. }) if case.one_buffer => {
            let read: std::collections::HashSet<usize> = src.addresses().collect();
            prop_assert!(dst.addresses().any(|address| read.contains(&address)));
            return Ok(());
        }
        Err(error) => return Err(TestCaseError::fail(format!("{error} on {}", gpu.name))),
        Ok(_) => {}
    }
    let report = verify::check(clamp, &src, &from, &dst, &to, &read(gpu, &dst_buffer)).unwrap();
    prop_assert!(report.passed(), "{report}\non {}", gpu.name);
    if !case.one_buffer {
        prop_assert!(read(gpu, &src_buffer) == from, "the source changed on {}", gpu.name);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2500))]

    #[test]
    fn whatever_is_asked_for_agrees_with_the_reference(
        clamp in prop_oneof![2 => clamp(), 1 => standard()],
        layouts in layouts(),
        case in case(),
    ) {
        for gpu in gpus() {
            run(gpu, &clamp, layouts, case)?;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn f64_arithmetic_agrees_with_the_reference_on_any_layout(
        clamp in f64_step(),
        layouts in layouts(),
        case in case(),
    ) {
        for gpu in devices() {
            run(gpu, &clamp, layouts, case)?;
        }
    }
}
