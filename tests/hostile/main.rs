//! Numbers that no honest program passes: extents, strides, offsets, axes, limits and clamps from the ends of their
//! types. What is pure answers with a result that is right or with an error, and never panics (overflow does, in this
//! profile).

use proptest::prelude::*;
use proptest::sample::select;
use wgpu_clamp::{
    Bound, Clamp, Clamps, DType, Error, Layout, Limits, NanRule, Order, Plan, Precision, Rounding, reference,
    verify,
};

fn extent() -> impl Strategy<Value = usize> {
    let huge = [1 << 31, 1 << 32, 1 << 61, 1 << 62, isize::MAX as usize, 1 << 63, usize::MAX];
    prop_oneof![8 => 1_usize..6, 2 => 6_usize..300, 1 => Just(0), 2 => select(huge.to_vec())]
}

fn stride() -> impl Strategy<Value = isize> {
    let huge =
        [isize::MIN, isize::MIN + 1, -(1 << 62), -(1 << 31), 1 << 31, 1 << 32, 1 << 61, 1 << 62, isize::MAX];
    prop_oneof![8 => -5_isize..6, 2 => -300_isize..300, 2 => select(huge.to_vec())]
}

fn offset() -> impl Strategy<Value = usize> {
    let huge = [1 << 31, 1 << 61, 1 << 62, isize::MAX as usize, 1 << 63, usize::MAX];
    prop_oneof![4 => 0_usize..10, 2 => 10_usize..5000, 2 => select(huge.to_vec())]
}

fn shape() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(extent(), 0..=9)
}

/// Layouts of one shape; also of shapes that are of no use.
fn layout(shape: Vec<usize>) -> impl Strategy<Value = Option<Layout>> {
    let rank = shape.len();
    let axes = Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
    let strides = prop::collection::vec(stride(), rank);
    (axes, strides, offset(), 0..3).prop_map(move |(axes, strides, offset, kind)| match kind {
        0 => Layout::strided(&shape, &strides, offset).ok(),
        1 => Layout::packed(&shape).ok(),
        // Of some order in memory: a destination that can be.
        _ => {
            let mut inverse = vec![0; rank];
            axes.iter().enumerate().for_each(|(d, &axis)| inverse[axis] = d);
            let shuffled: Vec<usize> = axes.iter().map(|&axis| shape[axis]).collect();
            Layout::packed(&shuffled).and_then(|layout| layout.permute(&inverse)).ok()
        }
    })
}

fn layouts() -> impl Strategy<Value = (Option<Layout>, Option<Layout>)> {
    let same = shape().prop_flat_map(|shape| (layout(shape.clone()), layout(shape)));
    prop_oneof![9 => same, 1 => (shape().prop_flat_map(layout), shape().prop_flat_map(layout))]
}

/// A way from one layout to another.
#[derive(Clone, Debug)]
enum Step {
    Permute(Vec<usize>),
    Slice(usize, std::ops::Range<usize>),
    Every(usize, usize),
    Flip(usize),
    Broadcast(Vec<usize>),
}

fn step() -> impl Strategy<Value = Step> {
    let axis = || prop_oneof![8 => 0_usize..4, 1 => extent()];
    prop_oneof![
        prop::collection::vec(axis(), 0..=9).prop_map(Step::Permute),
        (0_usize..=4).prop_flat_map(|rank| Just((0..rank).collect()).prop_shuffle()).prop_map(Step::Permute),
        (axis(), extent(), extent()).prop_map(|(axis, start, end)| Step::Slice(axis, start..end)),
        (axis(), extent()).prop_map(|(axis, step)| Step::Every(axis, step)),
        axis().prop_map(Step::Flip),
        shape().prop_map(Step::Broadcast),
    ]
}

impl Step {
    fn take(&self, layout: &Layout) -> Result<Layout, Error> {
        match self {
            Self::Permute(axes) => layout.permute(axes),
            Self::Slice(axis, range) => layout.slice(*axis, range.clone()),
            Self::Every(axis, step) => layout.step(*axis, *step),
            Self::Flip(axis) => layout.flip(*axis),
            Self::Broadcast(shape) => layout.broadcast_to(shape),
        }
    }

    /// The index in the layout before that the one after has at `index`.
    fn back(&self, before: &Layout, index: &[usize]) -> Vec<usize> {
        let mut back = index.to_vec();
        match self {
            Self::Permute(axes) => axes.iter().zip(index).for_each(|(&axis, &i)| back[axis] = i),
            Self::Slice(axis, range) => back[*axis] += range.start,
            Self::Every(axis, step) if index[*axis] > 0 => back[*axis] *= step,
            Self::Every(..) => {}
            Self::Flip(axis) => back[*axis] = before.shape()[*axis] - 1 - index[*axis],
            Self::Broadcast(_) => {
                back = index[index.len() - before.rank()..].to_vec();
                let repeated = back.iter_mut().zip(before.shape()).filter(|(_, extent)| **extent == 1);
                repeated.for_each(|(i, _)| *i = 0);
            }
        }
        back
    }
}

fn address(layout: &Layout, index: &[usize]) -> i128 {
    let steps = index.iter().zip(layout.strides()).map(|(&i, &stride)| i as i128 * stride as i128);
    layout.offset() as i128 + steps.sum::<i128>()
}

/// What holds for every layout that there is.
fn is_sound(layout: &Layout) {
    let [dtype, wide] = [DType::U8, DType::F64];
    let _ = (layout.to_string(), format!("{layout:?}"));
    assert!(layout.required_bytes(dtype) <= layout.required_bytes(wide));
    let count = layout.shape().iter().fold(1_u128, |count, &extent| count.saturating_mul(extent as u128));
    assert_eq!((layout.len() as u128, layout.is_empty()), (count, count == 0));
    let Some((lowest, highest)) = layout.span() else {
        assert!(layout.is_empty() && layout.required_bytes(wide) == 0);
        return;
    };
    // The corner with the lowest address, and that with the highest.
    let corner = |up: bool| {
        let dims = layout.shape().iter().zip(layout.strides());
        dims.map(|(&extent, &stride)| if (stride > 0) == up { extent - 1 } else { 0 }).collect::<Vec<_>>()
    };
    assert_eq!(address(layout, &corner(false)), lowest as i128);
    assert_eq!(address(layout, &corner(true)), highest as i128);
    assert!(isize::try_from(highest).is_ok());
    assert!(layout.addresses().take(100).all(|address| (lowest..=highest).contains(&address)));
}

fn clamp() -> impl Strategy<Value = Option<Clamp>> {
    let dtype = || select(&DType::ALL);
    let bound = || prop_oneof![Just(Bound::Absent), Just(Bound::OnGpu), any::<u64>().prop_map(Bound::Value)];
    let number = || any::<u32>().prop_map(f32::from_bits);
    (
        (dtype(), dtype(), bound(), bound()),
        prop::option::of((number(), number())),
        (select(&[Order::MinWins, Order::MaxWins]), select(&[NanRule::Propagate, NanRule::ToMin])),
        (
            select(&[Precision::Fast, Precision::Exact]),
            select(&[Rounding::TowardZero, Rounding::NearestEven]),
        ),
    )
        .prop_map(|((dtype, source, min, max), affine, (order, rule), (precision, rounding))| {
            let whole = |bound| match bound {
                // Any 64 bits are too many for most.
                Bound::Value(bits) if bits & 1 == 0 => Bound::Value(bits & (u64::MAX >> (64 - dtype.bits()))),
                bound => bound,
            };
            let mut clamp = Clamp::from_bits(dtype, whole(min), whole(max)).ok()?;
            clamp = clamp.with_source(source).unwrap_or(clamp);
            if let Some((scale, bias)) = affine {
                let finite = scale.is_finite() && bias.is_finite();
                let with = clamp.with_affine(scale, bias);
                assert_eq!(with.is_ok(), finite);
                clamp = with.unwrap_or(clamp);
            }
            Some(
                clamp.with_order(order).with_nan_rule(rule).with_precision(precision).with_rounding(rounding),
            )
        })
}

fn limits() -> impl Strategy<Value = Limits> {
    let sizes = [0, 1, 3, 4, 15, 16, 255, 4096, 128 << 20, (1 << 31) - 4, 1 << 31, 1 << 63, u64::MAX];
    let alignments = [0, 1, 3, 4, 16, 256, 1 << 31, 1 << 63, u64::MAX];
    let grids = [0, 1, 2, 255, 65_535, u32::MAX];
    let made_up = (select(sizes.to_vec()), select(alignments.to_vec()), select(grids.to_vec()));
    (made_up, any::<bool>(), any::<bool>()).prop_map(
        |((max_binding_size, binding_alignment, max_workgroups_per_dimension), f64, f16)| Limits {
            max_binding_size,
            binding_alignment,
            max_workgroups_per_dimension,
            f64_arithmetic: f64,
            f16_conversion: f16,
        },
    )
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn layouts_are_sound_or_refused(
        shape in shape(),
        strides in prop::collection::vec(stride(), 0..=9),
        offset in offset(),
        steps in prop::collection::vec(step(), 0..8),
        index in prop::collection::vec(any::<usize>(), 9),
    ) {
        for layout in [Layout::strided(&shape, &strides, offset), Layout::packed(&shape)] {
            let Ok(mut layout) = layout else { continue };
            is_sound(&layout);
            for step in &steps {
                let Ok(after) = step.take(&layout) else { continue };
                is_sound(&after);
                if !after.is_empty() {
                    let within = after.shape().iter().zip(&index).map(|(&extent, &i)| i % extent);
                    let index: Vec<usize> = within.collect();
                    let before = step.back(&layout, &index);
                    prop_assert_eq!(address(&after, &index), address(&layout, &before), "{:?}", step);
                }
                layout = after;
            }
        }
    }

    #[test]
    fn plans_are_made_or_refused(
        (src, dst) in layouts(),
        clamps in prop::collection::vec(clamp(), 0..4),
        (along, axis, alike) in (any::<bool>(), prop_oneof![0_usize..3, extent()], any::<bool>()),
        limits in limits(),
    ) {
        let (Some(src), Some(dst)) = (src, dst) else { return Ok(()) };
        let mut clamps: Vec<Clamp> = clamps.into_iter().flatten().collect();
        if let (true, Some(&first)) = (alike, clamps.first()) {
            let channels = dst.shape().get(axis).copied().unwrap_or(0).min(8);
            clamps = vec![first; if along { channels } else { 1 }];
        }
        let clamps = match clamps.first() {
            Some(clamp) if !along => clamp.into(),
            _ => Clamps::along(axis, &clamps),
        };
        for plan in [Plan::new(clamps, &src, &dst, limits), Plan::in_one_buffer(clamps, &src, &dst, limits)] {
            match plan {
                Ok(plan) => {
                    let _ = (plan.to_string(), format!("{plan:?}"));
                    prop_assert!(plan.dispatches() <= 65_536);
                    prop_assert_eq!(plan.dispatches() == 0, dst.is_empty() || clamps.as_slice().is_empty());
                }
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
        // The reference takes each index of a destination that overlaps itself, however many there are.
        if dst.len() > 1 << 16 && dst.required_bytes(DType::U8) <= 64 {
            return Ok(());
        }
        let (bytes, mut out) = ([0_u8; 64], [7_u8; 64]);
        if reference::apply(clamps, &src, &bytes, &dst, &mut out).is_ok() {
            let report = verify::check(clamps, &src, &bytes, &dst, &[7; 64], &out).unwrap();
            prop_assert!(report.passed(), "{}", report);
        } else {
            prop_assert_eq!(out, [7; 64]);
        }
        let _ = reference::apply_in_place(clamps, &dst, &mut out);
    }
}

/// More cases than usual, unless the environment says how many.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { 8192 };
    ProptestConfig { cases, ..default }
}
