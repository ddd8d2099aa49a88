//! Makes layouts and clamps from raw bytes; checks transformations, overlap decisions and plans. A plan must reach each
//! element once and change nothing else. An error must name a fault that exists.

use std::collections::HashSet;

use arbitrary::{Result, Unstructured};
use clamp_testing::drawn::{accepted, channels, clamp, limits, steps_on_gpu};
use clamp_testing::executed::Execute;
use clamp_testing::executed::checked::check_plan;
use clamp_testing::layouts::{nested, of_every_kind};
use wgpu_clamp::{Clamp, Clamps, DType, Layout, Limits, MAX_RANK, NanRule, Plan, reference, verify};

use crate::layouts::{address, check, indices, transform};

/// Three in four shapes are cut down to at most this many elements.
const SMALL: usize = 6_000;

/// Runs one input of the target. Without `execute`, plans are made, which takes microseconds, and not executed.
///
/// # Panics
///
/// The crate has a fault.
pub fn run(bytes: &[u8], execute: Option<Execute<'_>>) {
    for layouts in [any_layouts, |u: &mut Unstructured| of_every_kind(u).map(Some)] {
        // Beyond its end, the input reads as zeros, which select the first choice of each list, the plainest one.
        let u = &mut Unstructured::new(bytes);
        let done = layouts(u).and_then(|made| made.map_or(Ok(()), |(src, dst)| case(u, src, dst, execute)));
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

fn case(u: &mut Unstructured, mut src: Layout, dst: Layout, execute: Option<Execute<'_>>) -> Result<()> {
    check(&src);
    check(&dst);
    for &dtype in DType::ALL {
        accepted(Plan::new(Clamp::unbounded(dtype), &src, &dst, Limits::default()));
    }
    transform(u, &dst)?;

    let clamp = clamp(u)?;
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
    // In the shape, or just beyond it.
    let any_axis = |u: &mut Unstructured| Ok(u.int_in_range(0..=MAX_RANK)? % (dst.rank() + 1));
    let axis = if u.ratio(1, 3)? { Some(any_axis(u)?) } else { None };
    let clamps = match axis {
        None => Clamps::from(&clamp),
        Some(axis) => {
            let extent = dst.shape().get(axis).copied().filter(|extent| *extent <= 300);
            let made = channels(u, clamp, extent.unwrap_or(3))?;
            list = spoiled(u, made)?;
            Clamps::along(axis, &list)
        }
    };
    let limits = limits(u)?;
    let hold = |clamps: Clamps<'_>| {
        check_plan(execute, clamps, (&src, &dst), one_buffer, limits);
        check_reference(clamps, (&src, &dst));
    };
    hold(clamps);
    if !u.is_empty() {
        let list = unrelated(u)?;
        hold(Clamps::along(any_axis(u)?, &list));
    }
    // Scale or bias on the GPU, perhaps with slots along an axis. The input is read without being consumed.
    let more = &mut Unstructured::new(u.peek_bytes(u.len().min(8)).unwrap_or_default());
    if let Some(found) = steps_on_gpu(more, &clamp)? {
        let axis = any_axis(more)?;
        // Slots lie along an axis only if it is short, or if the shape lacks it.
        let few = dst.shape().get(axis).is_none_or(|extent| *extent <= 300);
        hold(if few && more.arbitrary()? { Clamps::slots_along(axis, found) } else { (&found).into() });
    }
    transform_often(u, dst)
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
        1..=5 => nested(u, shape, true, gap)?,
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

/// Elements between the end of a dimension and the next step of the dimension around it.
fn gap(u: &mut Unstructured) -> Result<isize> {
    Ok(match u.int_in_range(0..=7)? {
        0..=4 => 0,
        5 => isize::from(u.arbitrary::<u8>()?),
        6 => *u.choose(&[1, 2, 3, 4, 16, 256, 1 << 20])?,
        _ => any_stride(u)?.saturating_abs(),
    })
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

/// In some lists, a clamp is missing, or the last clamp has a rule of its own.
fn spoiled(u: &mut Unstructured, mut list: Vec<Clamp>) -> Result<Vec<Clamp>> {
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
    (0..u.int_in_range(0..=4)?).map(|_| clamp(u)).collect()
}
