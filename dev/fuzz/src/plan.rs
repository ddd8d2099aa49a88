//! Makes layouts and clamps from raw bytes; checks transformations, overlap decisions and plans. A plan must reach each
//! element once and change nothing else. An error must name a fault that exists.

use std::collections::HashSet;

use arbitrary::{Result, Unstructured};
use clamp_testing::executed::Run;
use clamp_testing::executed::checked::check_plan;
use wgpu_clamp::{
    Clamp, Clamps, DType, Lanes, Layout, Limits, MAX_RANK, NanRule, Number, Order, Plan, Precision, Rounding,
    Scalar, reference, verify,
};

use crate::accepted;
use crate::layouts::{address, check, indices, shuffle, transform};

/// Three in four shapes are cut down to at most this many elements.
const SMALL: usize = 6_000;

/// Runs one input of the target.
///
/// # Panics
///
/// The crate has a fault.
pub fn run(bytes: &[u8]) {
    for layouts in [any_layouts, padded] {
        // Beyond its end, the input reads as zeros, which select the first choice of each list, the plainest one.
        let u = &mut Unstructured::new(bytes);
        let done = layouts(u).and_then(|made| made.map_or(Ok(()), |(src, dst)| case(u, src, dst)));
        done.expect("every choice has something to choose from");
    }
}

/// Layouts of src and dst with one shape, seldom with two; `None` if one is refused.
fn any_layouts(u: &mut Unstructured) -> Result<Option<(Layout, Layout)>> {
    let shape = shape(u)?;
    let Some(dst) = layout(u, &shape)? else { return Ok(None) };
    let other = u.ratio(1, 16)?;
    let src_shape = if other { &shape[1.min(shape.len())..] } else { &shape };
    Ok(layout(u, src_shape)?.map(|src| (src, dst)))
}

/// Rows of dst that are padded to whole packets; few elements in a row and in the dimensions around it. src has the same
/// dimensions in any order, or indices that share elements.
fn padded(u: &mut Unstructured) -> Result<Option<(Layout, Layout)>> {
    let mut shape = Vec::new();
    for _ in 0..u.int_in_range(3..=5)? {
        shape.push(*u.choose(&[2, 2, 2, 2, 2, 3, 4, 33])?);
    }
    let packet = *u.choose(&[8, 4, 16, 8])?;
    shape.push(packet);
    let whole =
        Layout::packed_at(&shape, *u.choose(&[0, 0, 16, 1])?).expect("it has less than 2^31 elements");
    let row = packet - *u.choose(&[1, 1, 2, 3])?;
    let dst = whole.slice(shape.len() - 1, 0..row).expect("no packet is that short");
    let mut order: Vec<usize> = (0..shape.len()).collect();
    shuffle(u, &mut order)?;
    let (mut strides, mut step) = (vec![0; shape.len()], 1);
    for d in order {
        strides[d] = step;
        step *= dst.shape()[d].cast_signed();
        if u.ratio(1, 8)? {
            strides[d] = u.int_in_range(0..=3)?;
        }
    }
    Ok(accepted(Layout::strided(dst.shape(), &strides, 0)).map(|src| (src, dst)))
}

fn case(u: &mut Unstructured, mut src: Layout, dst: Layout) -> Result<()> {
    check(&src);
    check(&dst);
    // Planning takes microseconds, executing a plan milliseconds: every dtype is planned, one is executed below.
    for dtype in DType::ALL {
        accepted(Plan::new(&Clamp::unbounded(dtype), &src, &dst, Limits::default()));
    }
    transform(u, &dst)?;

    let Some(clamp) = clamp(u)? else { return Ok(()) };
    let sizes = [clamp.source(), clamp.dtype()].map(DType::size);
    let one_buffer = match u.int_in_range(0..=4)? {
        0 | 1 => false,
        2 => {
            src = dst;
            true
        }
        3 => {
            let Some(behind) = behind(&src, &dst, sizes) else { return Ok(()) };
            src = behind;
            true
        }
        _ => true,
    };

    let list;
    let axis = if u.ratio(1, 3)? { Some(u.int_in_range(0..=MAX_RANK)?) } else { None };
    let clamps = match axis {
        None => Clamps::from(&clamp),
        Some(axis) => {
            let extent = dst.shape().get(axis).copied().filter(|extent| *extent <= 300);
            list = channels(u, clamp, extent.unwrap_or(3))?;
            Clamps::along(axis, &list)
        }
    };
    let limits = limits(u)?;
    check_plan(&Run::execute, clamps, (&src, &dst), one_buffer, limits);
    check_reference(clamps, (&src, &dst));
    if !u.is_empty() {
        let list = unrelated(u)?;
        let clamps = Clamps::along(u.int_in_range(0..=MAX_RANK)?, &list);
        check_plan(&Run::execute, clamps, (&src, &dst), one_buffer, limits);
        check_reference(clamps, (&src, &dst));
    }
    numbers_on_the_gpu(u, &clamp, (&src, &dst), one_buffer, limits)?;
    transform_often(u, dst)
}

/// Checks the clamp with scale or bias on the GPU, perhaps with slots along an axis. Reads the input without consuming
/// it, so that the seeds keep their meaning.
fn numbers_on_the_gpu(
    u: &Unstructured,
    clamp: &Clamp,
    (src, dst): (&Layout, &Layout),
    one_buffer: bool,
    limits: Limits,
) -> Result<()> {
    let mut u = Unstructured::new(u.peek_bytes(u.len().min(8)).unwrap_or_default());
    let mut of = |number| Ok(if u.arbitrary()? { Number::OnGpu } else { number });
    let (scale, bias) = (of(clamp.scale())?, of(clamp.bias())?);
    let found = accepted(clamp.with_scale_bias(scale, bias));
    let takes = [DType::F32, DType::F16, DType::BF16, DType::U8, DType::I8, DType::U16, DType::I16];
    let on_gpu = [scale, bias].contains(&Number::OnGpu);
    assert_eq!(found.is_some(), !on_gpu || takes.contains(&clamp.dtype()), "{clamp:?}");
    let Some(found) = found else { return Ok(()) };
    let axis = u.int_in_range(0..=MAX_RANK)?;
    // Slots lie along an axis only if it is short, or if the shape lacks it.
    let few = dst.shape().get(axis).is_none_or(|extent| *extent <= 300);
    let clamps = if few && u.arbitrary()? { Clamps::slots_along(axis, &found) } else { (&found).into() };
    check_plan(&Run::execute, clamps, (src, dst), one_buffer, limits);
    check_reference(clamps, (src, dst));
    Ok(())
}

/// Runs the reference on buffers of a few bytes. Checks that it refuses and writes nothing, or that its result passes
/// `verify`. Only if elements of dst overlap may the result fail.
fn check_reference(clamps: Clamps<'_>, (src, dst): (&Layout, &Layout)) {
    const BYTES: usize = 64;
    // A destination that overlaps itself may have more indices than can be visited.
    if dst.len() > 1 << 16 && dst.required_bytes(DType::U8) <= BYTES as u64 {
        return;
    }
    let bytes: [u8; BYTES] = std::array::from_fn(|n| (n * 37) as u8);
    let before = [7; BYTES];
    let mut after = before;
    if accepted(reference::apply(clamps, src, &bytes, dst, &mut after)).is_some() {
        let report = verify::check(
            clamps,
            verify::Buffers {
                src_layout: src,
                src: &bytes,
                dst_layout: dst,
                dst_before: &before,
                dst_after: &after,
            },
        )
        .expect("the reference took it");
        let mut seen = HashSet::new();
        let apart = dst.addresses().all(|address| seen.insert(address));
        assert!(report.passed() || !apart, "{report}");
    } else {
        assert_eq!(after, before, "refused, and written");
    }
    let _ = accepted(reference::apply_in_place(clamps, dst, &mut after));
}

/// Applies up to eight transformations in sequence, chosen by the rest of the input.
fn transform_often(u: &mut Unstructured, mut layout: Layout) -> Result<()> {
    for _ in 0..8 {
        if u.is_empty() {
            break;
        }
        layout = transform(u, &layout)?.unwrap_or(layout);
    }
    Ok(())
}

fn shape(u: &mut Unstructured) -> Result<Vec<usize>> {
    let mut shape = Vec::new();
    for _ in 0..u.int_in_range(0..=MAX_RANK)? {
        shape.push(match u.int_in_range(0..=11)? {
            0..=5 => u.int_in_range(1..=4)?,
            6..=9 => *u.choose(&[8, 16, 31, 32, 64, 65, 68, 70, 80, 96, 128, 129, 200, 256])?,
            10 => *u.choose(&[
                0,
                1 << 12,
                (1 << 16) + 1,
                1 << 31,
                1 << 32,
                isize::MAX.cast_unsigned(),
                usize::MAX,
            ])?,
            _ => u.arbitrary()?,
        });
    }
    if u.ratio(3, 4)? {
        let count = |shape: &[usize]| shape.iter().fold(1_usize, |n, extent| n.saturating_mul(*extent));
        while count(&shape) > SMALL {
            *shape.iter_mut().max().expect("one is long") = 1;
        }
    }
    Ok(shape)
}

fn layout(u: &mut Unstructured, shape: &[usize]) -> Result<Option<Layout>> {
    let rank = shape.len();
    let strides = match u.int_in_range(0..=7)? {
        0 => return Ok(accepted(Layout::packed(shape))),
        1..=5 => nested(u, shape)?,
        6 => (0..rank).map(|_| Ok(isize::from(u.arbitrary::<i8>()?))).collect::<Result<_>>()?,
        _ => (0..rank).map(|_| any_stride(u)).collect::<Result<_>>()?,
    };
    // The input gives the lowest address, the highest address or the offset.
    let spans = || shape.iter().zip(&strides).map(|(&n, &stride)| (n as i128 - 1).max(0) * stride as i128);
    let below = spans().fold(0_i128, |sum, span| sum.saturating_add(span.min(0)));
    let above = spans().fold(0_i128, |sum, span| sum.saturating_add(span.max(0)));
    let offset = match u.int_in_range(0..=7)? {
        0 | 1 => below.saturating_neg(),
        2 | 3 => i128::from(16 * u32::from(u.arbitrary::<u8>()?)).saturating_sub(below),
        4 => i128::from(u.arbitrary::<u16>()?).saturating_sub(below),
        5 => (isize::MAX as i128 - i128::from(u.arbitrary::<u8>()?)).saturating_sub(above),
        6 => usize::MAX as i128 - i128::from(u.arbitrary::<u8>()?),
        _ => u.arbitrary::<usize>()? as i128,
    };
    let offset = usize::try_from(offset.max(0)).unwrap_or(usize::MAX);
    let made = Layout::strided(shape, &strides, offset);
    if !shape.contains(&0) && rank <= MAX_RANK {
        let (lowest, highest) = [below, above].map(|span| span.saturating_add(offset as i128)).into();
        let counted = shape.iter().try_fold(1_usize, |n, &extent| n.checked_mul(extent)).is_some();
        let right = counted && lowest >= 0 && highest <= isize::MAX as i128;
        assert_eq!(made.is_ok(), right, "{shape:?} {strides:?} {offset}: {made:?}");
    }
    let Some(layout) = accepted(made) else { return Ok(None) };
    if layout.len() <= 300 {
        let by_index = indices(layout.shape()).map(|index| address(&layout, &index));
        assert!(by_index.eq(layout.addresses().map(|address| address as i128)), "{layout}");
    }
    Ok(Some(layout))
}

/// Nested strides in any order, some negative or 0, with gaps.
fn nested(u: &mut Unstructured, shape: &[usize]) -> Result<Vec<isize>> {
    let mut order: Vec<usize> = (0..shape.len()).rev().collect();
    shuffle(u, &mut order)?;
    let mut step = *u.choose(&[1_isize, 1, 1, 1, 2, 3, 4, 16])?;
    let mut strides = vec![0; shape.len()];
    for d in order {
        let repeated = u.ratio(1, 12)?;
        strides[d] = match u.arbitrary()? {
            _ if repeated => 0,
            true => -step,
            false => step,
        };
        let gap = match u.int_in_range(0..=7)? {
            0..=4 => 0,
            5 => isize::from(u.arbitrary::<u8>()?),
            6 => *u.choose(&[1, 2, 3, 4, 16, 256, 1 << 20])?,
            _ => any_stride(u)?.saturating_abs(),
        };
        if !repeated {
            step = step.saturating_mul(shape[d].try_into().unwrap_or(isize::MAX)).saturating_add(gap);
        }
        // Rounds the next stride up to words or packets of some dtype.
        let pitch = *u.choose(&[1_isize, 1, 1, 2, 4, 16])?;
        step = step.saturating_add(pitch - 1) & -pitch;
    }
    Ok(strides)
}

fn any_stride(u: &mut Unstructured) -> Result<isize> {
    Ok(match u.int_in_range(0..=3)? {
        0 => {
            *u.choose(&[0, 1, -1, 4, isize::MAX, isize::MIN, isize::MIN + 1, isize::MAX / 2, isize::MAX / 8])?
        }
        1 => isize::from(u.arbitrary::<i16>()?),
        2 => u.arbitrary::<i32>()? as isize,
        _ => u.arbitrary()?,
    })
}

/// `src` moved behind `dst`, if that is possible.
fn behind(src: &Layout, dst: &Layout, [from, to]: [usize; 2]) -> Option<Layout> {
    let (Some((lowest, _)), Some((_, highest))) = (src.span(), dst.span()) else { return Some(*src) };
    let first = ((highest as u128 + 1) * to as u128).div_ceil(from as u128);
    let offset = first + (src.offset() - lowest) as u128;
    accepted(Layout::strided(src.shape(), src.strides(), usize::try_from(offset).ok()?))
}

fn clamp(u: &mut Unstructured) -> Result<Option<Clamp>> {
    let dtype = *u.choose(&DType::ALL)?;
    let bound = |u: &mut Unstructured| {
        Ok(match u.int_in_range(0..=9)? {
            0..=2 => Number::Absent,
            3 => Number::OnGpu,
            4 => accepted(Scalar::from_bits(dtype, u.arbitrary()?)).map_or(Number::Absent, Number::from),
            _ => {
                let bits = u.arbitrary::<u64>()? & (u64::MAX >> (64 - dtype.bits()));
                Scalar::from_bits(dtype, bits).expect("the bits are masked").into()
            }
        })
    };
    let bounded = Clamp::unbounded(dtype).with_bounds(bound(u)?, bound(u)?);
    let mut clamp = bounded.expect("bounds of the dtype");
    if u.arbitrary()? {
        let source = *u.choose(&DType::ALL)?;
        let converted = accepted(clamp.with_source(source));
        let both = [source, dtype].iter().all(|dtype| DType::CONVERTIBLE.contains(dtype));
        assert_eq!(converted.is_some(), source == dtype || both, "{source} to {dtype}");
        clamp = converted.unwrap_or(clamp);
    }
    clamp = clamp
        .with_order(*u.choose(&[Order::MinWins, Order::MaxWins])?)
        .with_nan_rule(*u.choose(&[NanRule::Propagate, NanRule::ToMin, NanRule::ToMax])?)
        .with_precision(*u.choose(&[Precision::Fast, Precision::Exact])?)
        .with_rounding(*u.choose(&[Rounding::TowardZero, Rounding::NearestEven])?);
    affine(u, clamp).map(Some)
}

/// Adds an affine step to the clamp, or none.
fn affine(u: &mut Unstructured, clamp: Clamp) -> Result<Clamp> {
    let (scale, bias) = match u.int_in_range(0..=5)? {
        0 | 1 => return Ok(clamp),
        2 => (f64::from(*u.choose(&[1.0 / 255.0_f32, 255.0, 0.5, 2.0, -1.0])?), 0.0),
        3 => (f64::from(u.arbitrary::<i16>()?) / 256.0, f64::from(u.arbitrary::<i8>()?)),
        4 => (f64::from(u.arbitrary::<f32>()?), f64::from(u.arbitrary::<f32>()?)),
        _ => (u.arbitrary()?, u.arbitrary()?),
    };
    let single = (scale as f32, bias as f32);
    let finite = single.0.is_finite() && single.1.is_finite();
    let with = accepted(clamp.with_affine(single.0, single.1));
    assert_eq!(with.is_some(), finite, "{single:?}");
    let double = accepted(clamp.with_scale_bias(scale, bias));
    assert_eq!(double.is_some(), clamp.dtype() == DType::F64 && scale.is_finite() && bias.is_finite());
    Ok(double.or(with).unwrap_or(clamp))
}

/// A list of `count` clamps, or one fewer. In most lists, the clamps agree in the properties that channels must share.
fn channels(u: &mut Unstructured, clamp: Clamp, count: usize) -> Result<Vec<Clamp>> {
    let several = u.ratio(7, 8)?;
    let mut list = Vec::with_capacity(count);
    for i in 0..count {
        let min = if several {
            Scalar::from_bits(clamp.dtype(), i as u64 % 128).expect("every dtype has 7 bits").into()
        } else {
            clamp.min()
        };
        let one = clamp.with_bounds(min, clamp.max()).expect("every dtype has 7 bits");
        list.push(if several && i < 4 { affine(u, one)? } else { one });
    }
    if u.ratio(1, 16)? {
        list.pop();
    }
    if u.ratio(1, 16)?
        && let Some(last) = list.last_mut()
    {
        *last = last.with_nan_rule(NanRule::ToMax);
    }
    Ok(list)
}

/// A few clamps that need not agree.
fn unrelated(u: &mut Unstructured) -> Result<Vec<Clamp>> {
    let mut list = Vec::new();
    for _ in 0..u.int_in_range(0..=4)? {
        list.extend(clamp(u)?);
    }
    Ok(list)
}

fn limits(u: &mut Unstructured) -> Result<Limits> {
    let lanes = |in_step| if in_step { Lanes::InStep } else { Lanes::InSequence };
    let usual = Limits {
        f64_arithmetic: u.arbitrary()?,
        f16_conversions: u.arbitrary()?,
        lanes: lanes(u.arbitrary()?),
        max_workgroup_memory: *u.choose(&[0, 10_000, Limits::default().max_workgroup_memory])?,
        ..Limits::default()
    };
    Ok(match u.int_in_range(0..=4)? {
        0 => usual,
        1 => Limits { max_binding_size: u64::MAX, binding_alignment: 16, ..usual },
        2 | 3 => {
            let binding_alignment = *u.choose(&[16, 32, 256])?;
            Limits {
                max_binding_size: 4 * (binding_alignment + 4) + 8 * u64::from(u.arbitrary::<u8>()?),
                binding_alignment,
                max_workgroups_per_dimension: u.int_in_range(1..=4)?,
                ..usual
            }
        }
        _ => Limits {
            max_binding_size: u.arbitrary()?,
            binding_alignment: u.arbitrary()?,
            max_workgroups_per_dimension: u.arbitrary()?,
            ..usual
        },
    })
}
