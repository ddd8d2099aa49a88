//! One clamp per index of an axis.

use arbitrary::Unstructured;
use clamp_testing::drawn;
use clamp_testing::layouts::scattered;
use clamp_testing::random::Random;
use clamp_testing::slots::Slots;
use wgpu_clamp::{Clamp, Clamps, DType, Layout, Precision, reference};

use crate::verify::check;

fn bytes_of(random: &mut Random, layout: &Layout, dtype: DType) -> Vec<u8> {
    let len = layout.required_bytes(dtype) as usize + random.below(20);
    random.bytes(len)
}

/// One call with all channels equals a call per slice with its clamp, and in place equals out of place. The layouts are
/// small, and some have no elements.
#[test]
fn each_slice_is_what_its_clamp_makes() {
    let mut random = Random(1400);
    let mut in_place = 0;
    for _ in 0..6000 {
        let bytes = random.bytes(300);
        let u = &mut Unstructured::new(&bytes);
        let (source, destination) = scattered(u, 256).unwrap();
        let shape = destination.shape();
        if shape.is_empty() {
            continue;
        }
        let axis = random.below(shape.len());
        // Numbers of zero stand for those on the GPU.
        let clamp = Slots::new(&drawn::clamp(u).unwrap(), [0; 4]).clamp().unwrap();
        let pair = (clamp.source(), clamp.dtype());
        let channels = drawn::channels(u, clamp, shape[axis]).unwrap();
        let clamps = Clamps::along(axis, &channels);
        let src = bytes_of(&mut random, &source, pair.0);
        let before = bytes_of(&mut random, &destination, pair.1);
        let (mut got, mut expected) = (before.clone(), before.clone());
        reference::apply(clamps, &source, &src, &destination, &mut got).unwrap();
        for (c, clamp) in channels.iter().enumerate() {
            let [from, to] = [&source, &destination].map(|layout| layout.slice(axis, c..c + 1).unwrap());
            reference::apply(clamp, &from, &src, &to, &mut expected).unwrap();
        }
        assert_eq!(got, expected, "{shape:?}, axis {axis}: {channels:?}");
        let report = check(clamps, &source, &src, &destination, &before, &got).unwrap();
        assert!(report.passed() && report.matching == destination.len(), "{report}");

        if pair.0.size() == pair.1.size() {
            in_place += 1;
            let (mut got, mut expected) = (before.clone(), before.clone());
            reference::apply_in_place(clamps, &destination, &mut got).unwrap();
            reference::apply(clamps, &destination, &before, &destination, &mut expected).unwrap();
            assert_eq!(got, expected, "{shape:?}, axis {axis}: {channels:?}");
            assert!(check(clamps, &destination, &before, &destination, &before, &got).unwrap().passed());
        }
    }
    assert!(in_place > 2000, "{in_place}");
}

#[test]
fn a_report_holds_each_element_to_its_channel() {
    let to_floats = Clamp::at_least(0.0_f32).with_source(DType::U8).unwrap();
    let channels = [to_floats, to_floats.with_affine(0.5, 0.0).unwrap()];
    let (clamps, layout) = (Clamps::along(1, &channels), Layout::packed(&[2, 2]).unwrap());
    let (src, before) = ([3, 4, 5, 6], [0; 16]);
    let mut after = before;
    reference::apply(clamps, &layout, &src, &layout, &mut after).unwrap();
    let claim = |clamps: Clamps| check(clamps, &layout, &src, &layout, &before, &after).unwrap().to_string();
    // One channel with a set of results is enough for this claim. It need not be the first channel.
    assert_eq!(claim(clamps), "within the allowed set of Precision::Fast: 4 of 4 elements");
    let exact = channels.map(|clamp| clamp.with_precision(Precision::Exact));
    assert_eq!(claim(Clamps::along(1, &exact)), "bit-exact with the CPU reference: 4 of 4 elements");
    // With swapped clamps, the input is printed in the source's width, the results in the destination's.
    let [first, second] = channels;
    assert_eq!(
        claim(Clamps::along(1, &[second, first])),
        "differs from the CPU reference: 0 of 4 elements match; first at index [0, 0] (element 0 of the buffer): \
         input 0x03, expected 0x3fc00000, got 0x40400000"
    );
    assert_eq!(
        claim(Clamps::along(0, &channels)).split(" (").next().unwrap(),
        "differs from the CPU reference: 2 of 4 elements match; first at index [0, 1]"
    );
}
