//! One clamp per index of an axis: results and refusals.

use clamp_testing::layouts::{drawn, scattered};
use clamp_testing::random::Random;
use half::f16;
use wgpu_clamp::{
    Clamp, Clamps, DType, Error, Layout, NanRule, Number, Order, Precision, Rounding, Scalar, reference,
};

use crate::exact::{NAN_RULES, ROUNDINGS};
use crate::inputs::{all_pairs, converting, element};
use crate::verify::check;

/// Clamps that agree only in the properties that channels must share.
fn random_channels(random: &mut Random, (source, dtype): (DType, DType), count: usize) -> Vec<Clamp> {
    let order = random.pick(&[Order::MinWins, Order::MaxWins]);
    let nan_rule = random.pick(&NAN_RULES);
    let precision = random.pick(&[Precision::Fast, Precision::Exact]);
    let rounding = random.pick(&ROUNDINGS);
    let bound = |random: &mut Random| match random.below(3) {
        0 => Number::Absent,
        _ => Scalar::from_bits(dtype, element(random, dtype)).unwrap().into(),
    };
    let mut clamp = |_| {
        let (min, max) = (bound(random), bound(random));
        let clamp = converting(source, dtype).with_bounds(min, max).unwrap();
        let clamp = clamp.with_order(order).with_nan_rule(nan_rule).with_precision(precision);
        let (scale, bias) = random.pick(&[(1.0, 0.0), (0.75, -3.0), (-2.5, 0.5), (0.0, 7.0)]);
        clamp.with_rounding(rounding).with_affine(scale, bias).unwrap()
    };
    (0..count).map(&mut clamp).collect()
}

fn bytes_of(random: &mut Random, layout: &Layout, dtype: DType) -> Vec<u8> {
    let len = layout.required_bytes(dtype) as usize + random.below(20);
    random.bytes(len)
}

/// One call with all channels equals a call per slice with its clamp, and in place equals out of place. The layouts are
/// small, and some have no elements.
#[test]
fn each_slice_is_what_its_clamp_makes() {
    let mut random = Random(1400);
    let pairs: Vec<_> = all_pairs().collect();
    let mut in_place = 0;
    for (source, destination) in drawn(scattered(256)).filter(|(_, dst)| dst.rank() > 0).take(6000) {
        let shape = destination.shape();
        let axis = random.below(shape.len());
        let pair = random.pick(&pairs);
        let channels = random_channels(&mut random, pair, shape[axis]);
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

/// A stride of 0 along the axis: all channels read the same elements.
#[test]
fn one_source_for_all_channels() {
    let channels = [(1.0, 0.0), (2.0, 1.0), (-1.0, 0.0)]
        .map(|(scale, bias)| converting(DType::U8, DType::I16).with_affine(scale, bias).unwrap());
    let source = Layout::strided(&[3, 2], &[0, 1], 0).unwrap();
    let destination = Layout::packed(&[3, 2]).unwrap();
    let mut dst = [0; 12];
    reference::apply(Clamps::along(0, &channels), &source, &[200, 7], &destination, &mut dst).unwrap();
    let numbers: Vec<i16> = dst.chunks(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect();
    assert_eq!(numbers, [200, 7, 401, 15, -200, -7]);
}

#[test]
fn a_channel_without_an_affine_step_keeps_every_bit() {
    let plain = Clamp::unbounded(DType::F32);
    let channels = [plain, plain.with_affine(0.5, 1.0).unwrap()];
    let layout = Layout::packed(&[3, 2]).unwrap();
    let values = [0xffa0_0001_u32, 0x4000_0000, 0x8000_0000, 0x4000_0000, 0x8000_0001, 0x4000_0000];
    let mut bytes: Vec<u8> = values.iter().flat_map(|bits| bits.to_le_bytes()).collect();
    let before = bytes.clone();
    reference::apply_in_place(Clamps::along(1, &channels), &layout, &mut bytes).unwrap();
    for (n, (old, new)) in before.chunks(4).zip(bytes.chunks(4)).enumerate() {
        if n % 2 == 0 { assert_eq!(old, new) } else { assert_eq!(new, 2.0_f32.to_le_bytes()) }
    }
}

#[test]
fn without_channels_or_elements_there_is_nothing_to_do() {
    let before = [1_u8, 2, 3];
    let three = [Clamp::at_least(9_u8); 3];
    let cases: [(&[usize], usize, &[Clamp]); 4] =
        [(&[2, 0, 3], 1, &[]), (&[0], 0, &[]), (&[0, 3], 1, &three), (&[3, 0, usize::MAX, 5], 0, &three)];
    for (shape, axis, list) in cases {
        let (clamps, layout) = (Clamps::along(axis, list), Layout::packed(shape).unwrap());
        let mut dst = before;
        reference::apply(clamps, &layout, &[], &layout, &mut dst).unwrap();
        reference::apply_in_place(clamps, &layout, &mut dst).unwrap();
        assert_eq!(dst, before);
        let report = check(clamps, &layout, &[], &layout, &before, &before).unwrap();
        assert_eq!(report.to_string(), "bit-exact with the CPU reference: 0 of 0 elements");
        assert!(!check(clamps, &layout, &[], &layout, &before, &[1, 2, 4]).unwrap().passed());
    }
}

/// The error of `apply`, `apply_in_place` and `check` for clamps along an axis of a 2 by 3 tensor. Nothing is
/// written.
fn refused(axis: usize, list: &[Clamp]) -> Error {
    let (clamps, layout) = (Clamps::along(axis, list), Layout::packed(&[2, 3]).unwrap());
    let mut dst = [0xee; 24];
    let error = reference::apply(clamps, &layout, &[0; 24], &layout, &mut dst).unwrap_err();
    assert_eq!(reference::apply_in_place(clamps, &layout, &mut dst), Err(error.clone()));
    assert_eq!(check(clamps, &layout, &[0; 24], &layout, &dst, &dst).unwrap_err(), error);
    assert_eq!(dst, [0xee; 24]);
    error
}

#[test]
fn lists_that_do_not_suit_the_shape() {
    let clamp = Clamp::at_least(f16::ONE);
    let range = |axis| format!("axis: {axis} is out of range for a layout of rank 2; axes count from 0");
    let count = |clamps, axis, extent| {
        format!("clamps: {clamps} given for axis {axis} of extent {extent}; one for each index is needed")
    };
    for (axis, clamps, said) in [
        (2, 3, range(2)),
        (usize::MAX, 0, range(usize::MAX)),
        (1, 2, count(2, 1, 3)),
        (0, 3, count(3, 0, 2)),
        (0, 0, count(0, 0, 2)),
    ] {
        assert_eq!(refused(axis, &vec![clamp; clamps]).to_string(), said);
    }
    let empty = Layout::packed(&[0]).unwrap();
    let error = reference::apply_in_place(Clamps::along(0, &[clamp]), &empty, &mut []);
    assert_eq!(error.unwrap_err().to_string(), count(1, 0, 0));
}

#[test]
fn clamps_that_differ_in_what_channels_have_in_common() {
    let first = Clamp::at_least(1.0_f32).with_source(DType::F16).unwrap();
    let others = [
        ("source dtype", first.with_source(DType::F32).unwrap()),
        ("dtype", Clamp::at_least(1_u8).with_source(DType::F16).unwrap()),
        ("order", first.with_order(Order::MaxWins)),
        ("NaN rule", first.with_nan_rule(NanRule::ToMin)),
        ("precision", first.with_precision(Precision::Exact)),
        ("rounding", first.with_rounding(Rounding::NearestEven)),
    ];
    for (name, other) in others {
        let said = refused(1, &[first, first, other]).to_string();
        assert!(said.starts_with(&format!("clamps: channel 2 has {name} ")), "{name}: {said}");
    }
    for (argument, min, max) in
        [("min", Number::OnGpu, Number::Absent), ("max", Number::Absent, Number::OnGpu)]
    {
        let other = first.with_bounds(min, max).unwrap();
        let error = refused(0, &[first, other]);
        let said = format!(
            "clamps: {argument} of channel 1 is `Number::OnGpu`; give one clamp with `Clamps::slots_along`"
        );
        assert_eq!(error.to_string(), said);
        // Alone the clamp is refused too, and the error names the argument.
        let layout = Layout::packed(&[1]).unwrap();
        let alone = reference::apply(&other, &layout, &[0; 4], &layout, &mut [0; 4]);
        let said = alone.unwrap_err().to_string();
        assert!(said.starts_with(&format!("{argument}: the number is `Number::OnGpu`")), "{said}");
    }
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
