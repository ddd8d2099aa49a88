//! Random layouts of every rank, and the neighbours of every element.

use std::collections::HashSet;

use clamp_testing::layouts::{drawn, scattered};
use wgpu_clamp::{Clamp, DType, Lanes, Layout, Limits, Plan};

use crate::harness::{Gpu, Place, check, gpus, packed, strided};
use crate::random::Random;
use crate::refused::{ONE_SIZE, assert_refused, shared_bytes};
use crate::values::{scalar_of, with_precisions};

/// A clamp that replaces some elements, with or without an affine step.
pub fn clamp(dtype: DType, rng: &mut Random) -> Clamp {
    let bound = |x| scalar_of(dtype, x);
    let clamp = Clamp::unbounded(dtype).with_bounds(bound(3.0), bound(90.0)).unwrap();
    if rng.below(3) == 0 { rng.pick(&with_precisions(clamp, (0.75, 2.5))) } else { clamp }
}

/// Random bytes for a layout, and up to five more words.
pub fn bytes_for(layout: &Layout, dtype: DType, rng: &mut Random) -> Vec<u8> {
    let size = layout.required_bytes(dtype) as usize + 4 * rng.below(6);
    rng.bytes(size.max(4))
}

/// Checks a random clamp between two buffers, and in place with the destination's layout.
pub fn check_both(gpu: &Gpu, dtype: DType, src: &Layout, dst: &Layout, rng: &mut Random) {
    let clamp = clamp(dtype, rng);
    let [src_bytes, dst_bytes] = [src, dst].map(|layout| bytes_for(layout, dtype, rng));
    check(gpu, &clamp, (src, &src_bytes), (dst, &dst_bytes), Place::Apart);
    check(gpu, &clamp, (dst, &dst_bytes), (dst, &[]), Place::Same);
}

#[test]
fn random_layouts_of_every_rank_agree_with_the_reference() {
    for gpu in gpus() {
        let mut rng = Random(11);
        let mut ranks = [0; 9];
        for (n, (src, dst)) in drawn(scattered(3000)).take(450).enumerate() {
            check_both(gpu, DType::ALL[n % DType::ALL.len()], &src, &dst, &mut rng);
            ranks[dst.rank()] += usize::from(!dst.is_empty());
        }
        assert!(ranks.iter().all(|&count| count > 20), "{ranks:?}");
    }
}

/// Random pairs of views of one buffer. Pairs that share an element are refused, others are computed.
#[test]
fn random_views_of_one_buffer_are_refused_or_right() {
    let mut outcomes = [0; 2];
    for gpu in gpus() {
        let mut rng = Random(23);
        let filled = drawn(scattered(200)).filter(|(src, _)| !src.is_empty());
        for (n, (src, dst)) in filled.take(600).enumerate() {
            let dtype = DType::ALL[n % DType::ALL.len()];
            let clamp = clamp(dtype, &mut rng);
            let shared: HashSet<usize> = src.addresses().collect();
            let disjoint = dst.addresses().all(|address| !shared.contains(&address));
            let allowed = disjoint || src.addresses().eq(dst.addresses());
            let plan = Plan::in_one_buffer(&clamp, &src, &dst, Limits::default());
            assert_eq!(plan.is_ok(), allowed, "{src:?} {dst:?}");
            if allowed {
                let size = src.required_bytes(dtype).max(dst.required_bytes(dtype)) as usize;
                check(gpu, &clamp, (&src, &rng.bytes(size)), (&dst, &[]), Place::Same);
            } else {
                let [src, dst] = [src, dst].map(|layout| {
                    let (low, high) = layout.span().unwrap();
                    let (start, end) = (low * dtype.size(), (high + 1) * dtype.size());
                    format!("{dtype} elements of {layout} (bytes {start}..{end})")
                });
                assert_refused(plan, "Overlap", shared_bytes(&src, &dst, ONE_SIZE));
            }
            outcomes[usize::from(disjoint)] += 1;
        }
    }
    assert!(outcomes.iter().all(|&n| n > 50), "one outcome is hardly tested: {outcomes:?}");
}

/// Runs of every length up to two packets and an element, at every offset within a packet of dst.
#[test]
fn every_short_length_and_offset_leaves_its_neighbours_alone() {
    for gpu in gpus() {
        let mut rng = Random(5);
        for dtype in [DType::U8, DType::F16, DType::I32, DType::F64] {
            let packet = 16 / dtype.size();
            for offset in 0..packet {
                for len in 0..=2 * packet + 1 {
                    // The same offset, one packet further, or any other offset.
                    let from = [offset, offset + packet, rng.below(packet)][rng.below(3)];
                    let at = |offset| strided(&[len], &[1], offset);
                    check_both(gpu, dtype, &at(from), &at(offset), &mut rng);
                }
            }
        }
    }
}

/// Long contiguous runs that start and end inside packets and words.
#[test]
fn long_runs_with_ragged_ends_agree_with_the_reference() {
    for gpu in gpus() {
        let mut rng = Random(77);
        for dtype in DType::ALL {
            for (offset, len) in [(0, 70_000), (1, 70_001), (3, 8191), (5, 8192), (7, 100_003)] {
                let layout = strided(&[len], &[1], offset);
                check_both(gpu, dtype, &layout, &layout, &mut rng);
            }
        }
    }
}

/// Three bytes of every four, every second u16, columns of bytes: many invocations change bits of one word.
#[test]
fn invocations_that_race_for_words_change_only_their_own_bits() {
    for gpu in gpus() {
        let mut rng = Random(99);
        for dtype in [DType::U8, DType::I8, DType::F16, DType::BF16, DType::I16, DType::U16] {
            for layout in [
                strided(&[60_000, 3], &[4, 1], 0),
                strided(&[90_000], &[2], 0),
                strided(&[7, 9001], &[1, 7], 0),
                strided(&[251, 509], &[1, 253], 0),
                strided(&[100_001], &[-1], 100_000),
                strided(&[3, 50, 400], &[1, 1203, 3], 0),
                // Every second element of each dimension, at the highest rank.
                strided(&[2; 8], &[7, 6, 5, 4, 3, 2, 1, 0].map(|k| 2 * 4_isize.pow(k)), 0),
            ] {
                check_both(gpu, dtype, &packed(layout.shape()), &layout, &mut rng);
            }
        }
    }
}

/// More workgroups than one row of the grid holds, on a device that allows few.
#[test]
fn small_grids_are_folded() {
    for gpu in gpus() {
        let few = gpu.limited(|limits| limits.max_compute_workgroups_per_dimension = 5);
        let mut rng = Random(4);
        let folded = |clamp: &Clamp, src: &Layout, dst: &Layout| {
            // Each kernel has one window, with more than one row of workgroups.
            let plan = Plan::new(clamp, src, dst, few.clamper().limits()).unwrap().to_string();
            let kernels = plan.matches(" kernel for ").count();
            assert!(plan.contains(&format!("windows: {kernels},")), "{plan}");
        };
        let clamp = Clamp::new(9_u32, 1 << 30);
        // An invocation takes 8 packets or 1, so a workgroup takes 2048 or 256; 25 workgroups at most.
        let workgroup = match few.clamper().limits().lanes {
            Lanes::InSequence => 2048 * 4,
            Lanes::InStep => 256 * 4,
        };
        let whole = 25 * workgroup;
        for len in [whole, whole - 1, whole / 5, whole / 5 + 4, 7 * workgroup + 3] {
            let line = packed(&[len]);
            folded(&clamp, &line, &line);
            check(&few, &clamp, (&line, &bytes_for(&line, DType::U32, &mut rng)), (&line, &[]), Place::Same);
        }
        // Whole blocks, and the elements that blocks leave over.
        for len in [25 * 256, 6 * 1024 - 1, 5 * 1024 + 1] {
            let (line, back) = (packed(&[len]), packed(&[len]).flip(0).unwrap());
            folded(&clamp, &line, &back);
            // An invocation takes more elements of U8 than of U32.
            for clamp in [clamp, Clamp::new(9_u8, 99)] {
                let src = bytes_for(&line, clamp.dtype(), &mut rng);
                check(&few, &clamp, (&line, &src), (&back, &src), Place::Apart);
            }
        }
        // Rows of packets, their edges, and transposed squares.
        for (rows, columns) in [(67, 400), (400, 67), (96, 384)] {
            let matrix = packed(&[rows, columns]);
            let padded = packed(&[rows, columns + 3]).slice(1, 2..columns + 2).unwrap();
            let columns_first = packed(&[columns, rows]).permute(&[1, 0]).unwrap();
            for dtype in [DType::U8, DType::F16, DType::F32, DType::I64] {
                for (src, dst) in [(matrix, padded), (padded, matrix), (columns_first, matrix)] {
                    check_both(&few, dtype, &src, &dst, &mut rng);
                }
            }
        }
    }
}

/// Bindings start at multiples of the device's alignment, elements anywhere.
#[test]
fn views_deep_in_a_buffer_are_reached() {
    for gpu in gpus() {
        let mut rng = Random(8);
        for dtype in DType::ALL {
            for offset in [31, 64, 255, 256, 1000, 4099] {
                let near = strided(&[40, 5], &[5, 1], offset);
                let far = strided(&[40, 5], &[1, 40], offset + 777);
                check_both(gpu, dtype, &near, &far, &mut rng);
                let bytes = bytes_for(&far, dtype, &mut rng);
                check(gpu, &clamp(dtype, &mut rng), (&far, &bytes), (&near, &[]), Place::Same);
            }
        }
    }
}
