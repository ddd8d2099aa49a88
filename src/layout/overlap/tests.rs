use std::collections::HashSet;
use std::ops::{Range, RangeInclusive};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::{Overlap, gcd_and_inverse, itself, multiply_modulo, overlaps_itself};
use crate::Layout;

/// A layout whose lowest address is `lowest`.
fn from_lowest(shape: &[usize], strides: &[isize], lowest: usize) -> Layout {
    let below =
        |(&extent, &stride): (&usize, &isize)| stride.min(0).unsigned_abs() * extent.saturating_sub(1);
    let offset = lowest + shape.iter().zip(strides).map(below).sum::<usize>();
    Layout::strided(shape, strides, offset).unwrap()
}

fn from(shape: &[usize], strides: &[isize]) -> Layout {
    from_lowest(shape, strides, 0)
}

fn yes_if(shared: bool) -> Overlap {
    if shared { Overlap::Yes } else { Overlap::No }
}

fn itself_by_force(layout: &Layout) -> Overlap {
    let mut seen = HashSet::new();
    yes_if(!layout.addresses().all(|address| seen.insert(address)))
}

/// Views whose elements have one size.
fn views_overlap(a: &Layout, b: &Layout) -> Overlap {
    super::views_overlap((a, 1), (b, 1))
}

fn views(a: &Layout, b: &Layout, budget: u32) -> Overlap {
    super::views((a, 1), (b, 1), budget)
}

fn views_by_force(a: &Layout, b: &Layout) -> Overlap {
    bytes_by_force((a, 1), (b, 1))
}

/// Views whose elements have any two sizes.
fn bytes_by_force((a, a_size): (&Layout, usize), (b, b_size): (&Layout, usize)) -> Overlap {
    let bytes = |address: usize, size: usize| address * size..(address + 1) * size;
    let seen: HashSet<_> = a.addresses().flat_map(|address| bytes(address, a_size)).collect();
    yes_if(b.addresses().flat_map(|address| bytes(address, b_size)).any(|byte| seen.contains(&byte)))
}

fn layouts(
    rank: RangeInclusive<usize>,
    extent: impl Strategy<Value = usize>,
    stride: impl Strategy<Value = isize>,
    lowest: Range<usize>,
) -> impl Strategy<Value = Layout> {
    (vec((extent, stride), rank), lowest).prop_map(|(dimensions, lowest)| {
        let (shape, strides): (Vec<_>, Vec<_>) = dimensions.into_iter().unzip();
        from_lowest(&shape, &strides, lowest)
    })
}

/// Small layouts, empty ones too.
fn small() -> impl Strategy<Value = Layout> {
    layouts(0..=5, prop_oneof![1 => Just(0_usize), 30 => 1..=4_usize], -12_isize..=12, 0..80)
}

/// Strides far apart and with common divisors, so that gaps and congruences decide.
fn sparse() -> impl Strategy<Value = Layout> {
    let stride = (-40_isize..=40, select(vec![1, 4, 6, 15])).prop_map(|(stride, factor)| stride * factor);
    layouts(1..=4, 1..=5_usize, stride, 0..900)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4096) })]

    #[test]
    fn small_layouts_agree_with_brute_force(a in small(), b in small()) {
        prop_assert_eq!(overlaps_itself(&a), itself_by_force(&a));
        prop_assert_eq!(views_overlap(&a, &b), views_by_force(&a, &b));
        prop_assert_eq!(views_overlap(&b, &a), views_by_force(&a, &b));
    }

    #[test]
    fn sparse_layouts_agree_with_brute_force(a in sparse(), b in sparse()) {
        prop_assert_eq!(overlaps_itself(&a), itself_by_force(&a));
        prop_assert_eq!(views_overlap(&a, &b), views_by_force(&a, &b));
    }

    #[test]
    fn elements_of_two_sizes_agree_with_brute_force(
        (a, b) in prop_oneof![(small(), small()), (sparse(), sparse())],
        (a_size, b_size) in (select(vec![1, 2, 4, 8]), select(vec![1, 2, 4, 8])),
    ) {
        let (a, b) = ((&a, a_size), (&b, b_size));
        prop_assert_eq!(super::views_overlap(a, b), bytes_by_force(a, b));
    }

    #[test]
    fn large_strides_agree_with_brute_force(
        strides in vec(1..1_isize << 40, 3),
        shape in vec(2..=5_usize, 4),
        weights in vec(-4..=4_isize, 3),
        nudge in 0..2_isize,
    ) {
        // The last stride is a weighted sum of the others, or 1 more.
        let sum: isize = strides.iter().zip(&weights).map(|(stride, weight)| stride * weight).sum();
        let strides = [strides, vec![sum + nudge]].concat();
        let a = from(&shape, &strides);
        prop_assert_eq!(overlaps_itself(&a), itself_by_force(&a));
        let (some, others) = (from(&shape[..2], &strides[..2]), from(&shape[2..], &strides[2..]));
        prop_assert_eq!(views_overlap(&some, &others), views_by_force(&some, &others));
        // The second view begins at an address that the first view has, or would have with larger extents.
        let lowest = strides.iter().zip(&weights[..2]).map(|(stride, weight)| (stride * weight).unsigned_abs());
        let far = from_lowest(&shape[2..], &strides[2..], lowest.sum());
        prop_assert_eq!(views_overlap(&some, &far), views_by_force(&some, &far));
    }

    #[test]
    fn a_small_budget_never_gives_a_wrong_answer(a in sparse(), b in sparse(), budget in 0..6_u32) {
        let found = itself(&a, budget);
        prop_assert!(found == Overlap::Undecided || found == itself_by_force(&a));
        let found = views(&a, &b, budget);
        prop_assert!(found == Overlap::Undecided || found == views_by_force(&a, &b));
    }

    #[test]
    fn the_inverse_inverts(a in 1..=isize::MAX.cast_unsigned(), b in 1..=isize::MAX.cast_unsigned()) {
        let (gcd, inverse) = gcd_and_inverse(a, b);
        prop_assert!(a.is_multiple_of(gcd) && b.is_multiple_of(gcd));
        prop_assert_eq!(multiply_modulo(a / gcd, inverse, b / gcd), 1 % (b / gcd));
    }
}

#[test]
fn nested_strides_need_no_search() {
    let packed = Layout::packed(&[3, 4, 5, 6, 7, 8, 9, 10]).unwrap();
    let padded = from(&[3, 4, 5, 6, 7, 8, 9, 3], &[-1_000_000, 200_000, 30_000, -4_800, 640, 80, -7, 2]);
    for layout in [packed, packed.permute(&[3, 1, 0, 2, 7, 6, 5, 4]).unwrap().flip(2).unwrap(), padded] {
        assert_eq!(itself(&layout, 0), Overlap::No);
    }
    // Dense views need no search either, once their spans meet.
    assert_eq!(views(&packed, &packed.flip(3).unwrap(), 0), Overlap::Yes);
    assert_eq!(views(&packed, &Layout::strided(&[], &[], 1_000_003).unwrap(), 0), Overlap::Yes);
}

#[test]
fn two_long_coprime_strides_are_decided_by_one_node() {
    // The first common multiple of both is their product.
    let (p, q) = (1_000_003_isize, 999_983_isize);
    let shape = [p.cast_unsigned(), q.cast_unsigned()];
    assert_eq!(itself(&from(&shape, &[q, p]), 1), Overlap::No);
    assert_eq!(itself(&from(&[shape[0] + 1, shape[1] + 1], &[q, p]), 1), Overlap::Yes);
}

#[test]
fn extents_of_two_are_always_decided() {
    // In base 3, one view has the digits 0 and 1, the other 0 and 2: they share only 0.
    let power = |k: u32| 3_isize.pow(k) * 1000;
    let single: Vec<_> = (0..8).map(power).collect();
    let double: Vec<_> = (0..8).map(|k| 2 * power(k)).collect();
    let (a, b) = (from(&[2; 8], &single), from(&[2; 8], &double));
    assert_eq!((overlaps_itself(&a), overlaps_itself(&b)), (Overlap::No, Overlap::No));
    assert_eq!(views_overlap(&a, &b), Overlap::Yes);
    assert_eq!(views_overlap(&from_lowest(&[2; 8], &single, 1), &b), Overlap::No);
    let irregular: Vec<_> = (0..8).map(|k| 1_000_000_007 + 98_765_431 * k * k + k).collect();
    let shifted: Vec<_> = irregular.iter().map(|stride| stride + 54_321).collect();
    let decided = views_overlap(&from_lowest(&[2; 8], &irregular, 1), &from(&[2; 8], &shifted));
    assert_ne!(decided, Overlap::Undecided);
}

#[test]
fn the_largest_addresses_do_not_overflow() {
    let top = isize::MAX.cast_unsigned();
    let ends = Layout::strided(&[2], &[isize::MAX], 0).unwrap();
    let all = Layout::packed(&[top]).unwrap();
    assert_eq!(overlaps_itself(&all), Overlap::No);
    assert_eq!(views_overlap(&all, &all.flip(0).unwrap()), Overlap::Yes);
    assert_eq!(views_overlap(&ends, &ends.flip(0).unwrap()), Overlap::Yes);
    assert_eq!(views_overlap(&ends, &Layout::strided(&[top / 2], &[1], 1).unwrap()), Overlap::No);
    let wide = Layout::strided(&[2, 3, 5], &[isize::MAX / 2, isize::MAX / 8, isize::MAX / 16], 0).unwrap();
    assert_eq!(overlaps_itself(&wide), Overlap::No);
}
