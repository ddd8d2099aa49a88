//! Random layouts of every rank, and the neighbours of every element.

use clamp_testing::layouts::{drawn, scattered};
use wgpu_clamp::{Clamp, DType, Layout, Limits, Plan, wgpu};

use crate::assert_error::assert_error;
use crate::harness::{Place, check, gpus};
use crate::random::Random;
use crate::values::{scalar_of, with_precisions};

/// A clamp that replaces some elements, with or without an affine step.
fn clamp(dtype: DType, rng: &mut Random) -> Clamp {
    let bound = |x| scalar_of(dtype, x);
    let clamp = Clamp::unbounded(dtype).with_bounds(bound(3.0), bound(90.0)).unwrap();
    if rng.below(3) == 0 { rng.pick(&with_precisions(clamp, (0.75, 2.5))) } else { clamp }
}

fn bytes_for(layout: &Layout, dtype: DType, rng: &mut Random) -> Vec<u8> {
    let size = layout.required_bytes(dtype) as usize + 4 * rng.below(6);
    rng.bytes(size.max(4))
}

#[test]
fn random_layouts_of_every_rank_agree_with_the_reference() {
    for gpu in gpus() {
        let mut rng = Random(11);
        let mut ranks = [0; 9];
        for (n, (src, dst)) in drawn(scattered(3000)).take(450).enumerate() {
            let dtype = DType::ALL[n % DType::ALL.len()];
            let clamp = clamp(dtype, &mut rng);
            let bytes = (bytes_for(&src, dtype, &mut rng), bytes_for(&dst, dtype, &mut rng));
            check(gpu, &clamp, (&src, &bytes.0), (&dst, &bytes.1), Place::Apart);
            check(gpu, &clamp, (&dst, &bytes.1), (&dst, &[]), Place::Same);
            ranks[dst.rank()] += usize::from(!dst.is_empty());
        }
        assert!(ranks.iter().all(|&count| count > 20), "{ranks:?}");
    }
}

/// Random pairs of views of one buffer: those that share an element are refused, the others computed.
#[test]
fn random_views_of_one_buffer_are_refused_or_right() {
    let mut outcomes = [0; 2];
    for gpu in gpus() {
        let mut rng = Random(23);
        let filled = drawn(scattered(200)).filter(|(src, _)| !src.is_empty());
        for (n, (src, dst)) in filled.take(600).enumerate() {
            let dtype = DType::ALL[n % DType::ALL.len()];
            let clamp = clamp(dtype, &mut rng);
            let shared: std::collections::HashSet<usize> = src.addresses().collect();
            let disjoint = dst.addresses().all(|address| !shared.contains(&address));
            let allowed = disjoint || src.addresses().eq(dst.addresses());
            match Plan::in_one_buffer(&clamp, &src, &dst, Limits::default()) {
                Ok(_) => {
                    assert!(allowed, "{src:?} {dst:?}");
                    let size = src.required_bytes(dtype).max(dst.required_bytes(dtype)) as usize;
                    check(gpu, &clamp, (&src, &rng.bytes(size)), (&dst, &[]), Place::Same);
                }
                Err(error) => {
                    let in_bytes = |layout: &Layout| {
                        let (low, high) = layout.span().unwrap();
                        let bytes = low * dtype.size()..(high + 1) * dtype.size();
                        format!("{dtype} elements of {layout} (bytes {}..{})", bytes.start, bytes.end)
                    };
                    assert_error!(
                        error,
                        Overlap,
                        format!(
                            "src, dst: the two views share bytes of one buffer but are not the same view; src has {}, \
                             dst has {}; use equal layouts (in place), disjoint layouts, or two buffers",
                            in_bytes(&src),
                            in_bytes(&dst)
                        )
                    );
                    assert!(!allowed, "{src:?} {dst:?}");
                }
            }
            outcomes[usize::from(disjoint)] += 1;
        }
    }
    assert!(outcomes.iter().all(|&n| n > 50), "one outcome is hardly tested: {outcomes:?}");
}

/// Every length and every pair of offsets around the packets of a run.
#[test]
fn every_short_length_and_offset_leaves_its_neighbours_alone() {
    for gpu in gpus() {
        let mut rng = Random(5);
        for dtype in [DType::U8, DType::F16, DType::I32, DType::F64] {
            let packet = 16 / dtype.size();
            let clamp = clamp(dtype, &mut rng);
            for offset in 0..packet {
                for len in 0..=2 * packet + 1 {
                    // The same offset, one packet further, or any other offset.
                    let from = [offset, offset + packet, rng.below(packet)][rng.below(3)];
                    let at = |offset| Layout::strided(&[len], &[1], offset).unwrap();
                    let bytes = (rng.bytes(80), rng.bytes(80));
                    check(gpu, &clamp, (&at(from), &bytes.0), (&at(offset), &bytes.1), Place::Apart);
                    check(gpu, &clamp, (&at(offset), &bytes.1), (&at(offset), &[]), Place::Same);
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
                let clamp = clamp(dtype, &mut rng);
                let layout = Layout::strided(&[len], &[1], offset).unwrap();
                let (src, dst) = (bytes_for(&layout, dtype, &mut rng), bytes_for(&layout, dtype, &mut rng));
                check(gpu, &clamp, (&layout, &src), (&layout, &dst), Place::Apart);
                check(gpu, &clamp, (&layout, &src), (&layout, &[]), Place::Same);
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
            for (shape, strides) in [
                (vec![60_000, 3], vec![4, 1]),
                (vec![90_000], vec![2]),
                (vec![7, 9001], vec![1, 7]),
                (vec![251, 509], vec![1, 253]),
                (vec![100_001], vec![-1]),
                (vec![3, 50, 400], vec![1, 1203, 3]),
                // Every second element of each dimension, at the highest rank.
                (vec![2; 8], (0..8).rev().map(|k| 2 * 4_isize.pow(k)).collect()),
            ] {
                let layout = Layout::strided(&shape, &strides, 0)
                    .or_else(|_| Layout::strided(&shape, &strides, 100_000))
                    .unwrap();
                let clamp = clamp(dtype, &mut rng);
                let packed = Layout::packed(&shape).unwrap();
                let (src, dst) = (bytes_for(&packed, dtype, &mut rng), bytes_for(&layout, dtype, &mut rng));
                check(gpu, &clamp, (&packed, &src), (&layout, &dst), Place::Apart);
                check(gpu, &clamp, (&layout, &dst), (&layout, &[]), Place::Same);
            }
        }
    }
}

/// More workgroups than one row of the grid holds, on a device that allows few.
#[test]
fn small_grids_are_folded() {
    for gpu in gpus() {
        let few = crate::harness::with_limits(
            &gpu.adapter,
            wgpu::Limits { max_compute_workgroups_per_dimension: 5, ..wgpu::Limits::downlevel_defaults() },
        );
        let mut rng = Random(4);
        let folded = |clamp: &Clamp, src: &Layout, dst: &Layout| {
            // Each kernel has one window, with more than one row of workgroups.
            let plan = Plan::new(clamp, src, dst, few.clamper().limits()).unwrap().to_string();
            let kernels = plan.matches(" kernel for ").count();
            assert!(plan.contains(&format!("windows: {kernels},")), "{plan}");
        };
        // 2048 packets to a workgroup, 25 workgroups at most.
        let whole = 25 * 2048 * 4;
        for len in [whole, whole - 1, whole / 5, whole / 5 + 4, 7 * 2048 * 4 + 3] {
            let packed = Layout::packed(&[len]).unwrap();
            let src = bytes_for(&packed, DType::U32, &mut rng);
            let clamp = Clamp::new(9_u32, 1 << 30);
            folded(&clamp, &packed, &packed);
            check(&few, &clamp, (&packed, &src), (&packed, &[]), Place::Same);
        }
        // Blocks, and the elements that they leave.
        for len in [25 * 256, 6 * 1024 - 1, 5 * 1024 + 1] {
            let (packed, back) =
                (Layout::packed(&[len]).unwrap(), Layout::packed(&[len]).unwrap().flip(0).unwrap());
            let src = bytes_for(&packed, DType::U32, &mut rng);
            let clamp = Clamp::new(9_u32, 1 << 30);
            folded(&clamp, &packed, &back);
            check(&few, &clamp, (&packed, &src), (&back, &src), Place::Apart);
            // Each invocation takes a word of 4 elements.
            let src = bytes_for(&packed, DType::U8, &mut rng);
            check(&few, &Clamp::new(9_u8, 99), (&packed, &src), (&back, &src), Place::Apart);
        }
        // Rows of packets, their edges, and transposed squares.
        for (rows, columns) in [(67, 400), (400, 67), (96, 384)] {
            let packed = |shape: &[usize]| Layout::packed(shape).unwrap();
            let matrix = packed(&[rows, columns]);
            let padded = packed(&[rows, columns + 3]).slice(1, 2..columns + 2).unwrap();
            let columns_first = packed(&[columns, rows]).permute(&[1, 0]).unwrap();
            for dtype in [DType::U8, DType::F16, DType::F32, DType::I64] {
                let clamp = clamp(dtype, &mut rng);
                for (src, dst) in [(matrix, padded), (padded, matrix), (columns_first, matrix)] {
                    let bytes = (bytes_for(&src, dtype, &mut rng), bytes_for(&dst, dtype, &mut rng));
                    check(&few, &clamp, (&src, &bytes.0), (&dst, &bytes.1), Place::Apart);
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
            let clamp = clamp(dtype, &mut rng);
            for offset in [31, 64, 255, 256, 1000, 4099] {
                let near = Layout::strided(&[40, 5], &[5, 1], offset).unwrap();
                let far = Layout::strided(&[40, 5], &[1, 40], offset + 777).unwrap();
                let (src, dst) = (bytes_for(&near, dtype, &mut rng), bytes_for(&far, dtype, &mut rng));
                check(gpu, &clamp, (&near, &src), (&far, &dst), Place::Apart);
                check(gpu, &clamp, (&far, &dst), (&near, &[]), Place::Same);
            }
        }
    }
}
