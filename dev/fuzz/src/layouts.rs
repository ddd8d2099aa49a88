//! Checks transformations of layouts, and properties that every layout has.

use arbitrary::{Result, Unstructured};
use clamp_testing::drawn::accepted;
use clamp_testing::layouts::shuffle;
use wgpu_clamp::{DType, Error, Layout, MAX_RANK};

pub fn address(layout: &Layout, index: &[usize]) -> i128 {
    let steps = index.iter().zip(layout.strides()).map(|(&i, &stride)| i as i128 * stride as i128);
    layout.offset() as i128 + steps.sum::<i128>()
}

/// All indices, in row-major order.
pub fn indices(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let count = if shape.contains(&0) { 0 } else { shape.iter().product() };
    (0..count).map(move |mut n| {
        let mut index = vec![0; shape.len()];
        for (i, extent) in index.iter_mut().zip(shape).rev() {
            *i = n % extent;
            n /= extent;
        }
        index
    })
}

/// The index with its place along an axis mapped by `to`.
fn moved(index: &[usize], axis: usize, to: impl Fn(usize) -> usize) -> Vec<usize> {
    let mut index = index.to_vec();
    index[axis] = to(index[axis]);
    index
}

/// Applies one transformation with any arguments. Checks whether the transformation is rightly accepted or refused, and
/// checks the addresses of the result's corners. Returns the new layout, or `None` if the transformation is refused.
pub fn transform(u: &mut Unstructured, layout: &Layout) -> Result<Option<Layout>> {
    let axis = u.int_in_range(0..=MAX_RANK)?;
    let rank = layout.rank();
    let extent = layout.shape().get(axis).copied();
    let argument = |u: &mut Unstructured| -> Result<usize> {
        if u.arbitrary()? { u.arbitrary() } else { Ok(usize::from(u.arbitrary::<u8>()?)) }
    };
    Ok(match u.int_in_range(0..=4)? {
        0 => {
            let made = layout.flip(axis);
            assert_eq!(made.is_ok(), extent.is_some());
            corners(made, layout, |index| moved(index, axis, |i| layout.shape()[axis] - 1 - i))
        }
        1 => {
            let step = argument(u)?;
            let made = layout.step(axis, step);
            assert_eq!(made.is_ok(), extent.is_some() && step > 0);
            corners(made, layout, |index| moved(index, axis, |i| i * step))
        }
        2 => {
            let (start, end) = (argument(u)?, argument(u)?);
            let made = layout.slice(axis, start..end);
            assert_eq!(made.is_ok(), start <= end && extent.is_some_and(|extent| end <= extent));
            corners(made, layout, |index| moved(index, axis, |i| i + start))
        }
        3 => {
            let mut order: Vec<usize> = (0..rank).collect();
            shuffle(u, &mut order)?;
            let good = !u.ratio(1, 8)?;
            if !good {
                order.push(argument(u)?);
            }
            let made = layout.permute(&order);
            assert_eq!(made.is_ok(), good);
            corners(made, layout, |index| {
                let mut old = vec![0; rank];
                for (&axis, &i) in order.iter().zip(index) {
                    old[axis] = i;
                }
                old
            })
        }
        _ => {
            let mut shape = layout.shape().to_vec();
            for extent in &mut shape {
                if *extent == 1 {
                    *extent = argument(u)?;
                }
            }
            for _ in 0..u.int_in_range(0..=2)? {
                shape.insert(0, argument(u)?);
            }
            let made = layout.broadcast_to(&shape);
            assert!(
                made.is_ok()
                    || shape.len() > MAX_RANK
                    || matches!(&made, Err(Error::Argument(refusal)) if refusal.argument == "shape")
            );
            corners(made, layout, |index| {
                let inner = &index[index.len() - rank..];
                inner.iter().zip(layout.shape()).map(|(&i, &extent)| i.min(extent - 1)).collect()
            })
        }
    })
}

/// Checks the properties that every layout has.
///
/// # Panics
///
/// A property does not hold.
pub fn check(layout: &Layout) {
    let _ = corners(Ok(*layout), layout, <[usize]>::to_vec);
}

fn sound(layout: &Layout) {
    assert!(!layout.to_string().is_empty() && !format!("{layout:?}").is_empty());
    let [least, most] = [DType::U8, DType::F64].map(|dtype| layout.required_bytes(dtype));
    assert!(least <= most, "{layout}");
    let count = layout.shape().iter().fold(1_u128, |count, &extent| count.saturating_mul(extent as u128));
    assert_eq!((layout.len() as u128, layout.is_empty()), (count, count == 0), "{layout}");
    match layout.span() {
        None => assert!(layout.is_empty() && most == 0, "{layout}"),
        Some((lowest, highest)) => {
            assert!(isize::try_from(highest).is_ok(), "{layout}");
            let mut some = layout.addresses().take(100);
            assert!(some.all(|address| (lowest..=highest).contains(&address)), "{layout}");
        }
    }
}

/// Checks a new layout: each corner has the address that `of` gives the index from `stands_for`, and the corners
/// include the lowest and the highest address.
fn corners(
    made: std::result::Result<Layout, Error>,
    of: &Layout,
    stands_for: impl Fn(&[usize]) -> Vec<usize>,
) -> Option<Layout> {
    let made = accepted(made)?;
    sound(&made);
    if made.is_empty() {
        return Some(made);
    }
    let (mut lowest, mut highest) = (i128::MAX, i128::MIN);
    for corner in indices(&vec![2; made.rank()]) {
        let index: Vec<usize> = corner.iter().zip(made.shape()).map(|(&end, &n)| end * (n - 1)).collect();
        let at = address(&made, &index);
        assert_eq!(at, address(of, &stands_for(&index)), "{made} of {of}");
        (lowest, highest) = (lowest.min(at), highest.max(at));
    }
    assert_eq!(made.span().map(|(low, high)| (low as i128, high as i128)), Some((lowest, highest)), "{made}");
    Some(made)
}
