//! Plans without a GPU: their regions, and the effects of their dispatches.

use std::collections::HashSet;

use proptest::prelude::*;

use super::check::{self, Count, Trial};
use super::{Plan, Range};
use crate::arithmetic::ParameterPlace;
use crate::fuzz::execute::execute;
use crate::kernel::{Placement, Region};
use crate::self_test::{AFFINES, splitmix64};
use crate::shader::{Module, ModuleName};
use crate::{
    Clamp, Clamps, DType, Error, Lanes, Layout, Limits, NanRule, Number, Order, Precision, Rounding, Scalar,
};

fn plan(dtype: DType, src: &Layout, dst: &Layout) -> Plan {
    Plan::new(&Clamp::unbounded(dtype), src, dst, Limits::default()).unwrap()
}

/// Executes a plan. Checks that each element of dst is allowed by its channel's clamp, and that all other bytes stay.
fn try_out<'a>(plan: &Plan, clamps: impl Into<Clamps<'a>>, src: &Layout, dst: &Layout) -> Count {
    let clamps = clamps.into();
    let Some(clamp) = clamps.as_slice().first() else { return Count::default() };
    let (value, slots) = (check::values(clamp), check::slots(clamps, dst.shape(), dst.len() as u64));
    let (value, slots) = (&value, &slots[..]);
    let trial = Trial { execute: &execute, plan, clamps, src, dst, value, slots };
    trial.all().unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn packed(shape: &[usize]) -> Layout {
    Layout::packed(shape).unwrap()
}

/// The default limits with each kind of lanes.
fn each_lanes() -> [Limits; 2] {
    Lanes::ALL.map(|lanes| Limits { lanes, ..Limits::default() })
}

fn strided(shape: &[usize], strides: &[isize], offset: usize) -> Layout {
    Layout::strided(shape, strides, offset).unwrap()
}

/// One clamp, or one per channel of an axis.
fn along(axis: Option<usize>, list: &[Clamp]) -> Clamps<'_> {
    axis.map_or_else(|| (&list[0]).into(), |axis| Clamps::along(axis, list))
}

fn kernels(plan: &Plan) -> Vec<&'static str> {
    plan.strategy.assignments().map(|assignment| assignment.kernel.name()).collect()
}

/// Whether one run of src goes to one run of dst, packet by packet, in a single region.
fn is_contiguous(plan: &Plan) -> bool {
    plan.to_string().contains("(1 to 1), by packets") && dims(plan).len() == 1
}

/// Extent, stride of src and stride of dst of each dimension.
fn dims(plan: &Plan) -> Vec<(usize, isize, isize)> {
    let dims = plan.strategy.assignments().flat_map(|assignment| assignment.region.dims());
    dims.map(|dim| (dim.extent, dim.src, dim.dst)).collect()
}

#[test]
fn layouts_that_run_alike_on_both_sides_are_contiguous() {
    let image = packed(&[4, 5, 6, 2]);
    let reversed = image.flip(0).unwrap().flip(1).unwrap().flip(2).unwrap().flip(3).unwrap();
    for layout in [
        image,
        reversed,
        image.permute(&[3, 1, 0, 2]).unwrap(),
        reversed.permute(&[2, 0, 3, 1]).unwrap(),
        image.slice(0, 1..3).unwrap(),
    ] {
        let plan = plan(DType::F16, &layout, &layout);
        assert!(is_contiguous(&plan), "{plan:?}");
        assert_eq!(dims(&plan), [(layout.len(), 1, 1)]);
    }
}

#[test]
fn what_does_not_run_alike_is_strided() {
    let line = packed(&[256]);
    let front = line.slice(0, 0..128).unwrap();
    for (src, dst) in [
        (line, line.flip(0).unwrap()),
        (line.step(0, 2).unwrap(), front),
        (front, line.slice(0, 1..129).unwrap()), // another phase
        (packed(&[1]).broadcast_to(&[256]).unwrap(), line),
        (packed(&[8, 8]), packed(&[8, 8]).permute(&[1, 0]).unwrap()),
    ] {
        assert!(!is_contiguous(&plan(DType::U8, &src, &dst)), "{src:?} {dst:?}");
    }
    // The same phase, a packet apart.
    assert!(is_contiguous(&plan(DType::U8, &front, &line.slice(0, 16..144).unwrap())));
}

/// Eight dimensions, the most that are allowed, with gaps: one element per word, at the same place on both sides.
#[test]
fn eight_dimensions_in_phase_are_words() {
    let gaps = (0..8).fold(packed(&[4; 8]), |layout, axis| layout.step(axis, 2).unwrap());
    let plan = plan(DType::F16, &gaps, &gaps);
    assert_eq!(kernels(&plan), ["gather"]);
    let count = try_out(&plan, &Clamp::unbounded(DType::F16), &gaps, &gaps);
    assert_eq!((count.elements, count.dispatches), (256, 1));
}

#[test]
fn kernels_suit_their_layouts() {
    let matrix = packed(&[64, 80]);
    let padded = |pitch| packed(&[64, pitch]).slice(1, 0..80).unwrap();
    let column = packed(&[64, 1]).broadcast_to(&[64, 80]).unwrap();
    let row = packed(&[1, 80]).broadcast_to(&[64, 80]).unwrap();
    let transposed = |rows, columns| packed(&[rows, columns]).permute(&[1, 0]).unwrap();
    let pixels =
        |range: std::ops::Range<usize>| packed(&[1000, 4]).slice(0, range).unwrap().slice(1, 1..4).unwrap();
    let shifted = |rows| strided(&[rows, 3], &[3, 1], 1);
    let from = |offset| strided(&[650, 3], &[3, 1], offset);
    let group = |lane| packed(&[700, 4]).slice(1, lane..lane + 2).unwrap();
    let first = |pitch| packed(&[640, pitch]).slice(1, 0..3).unwrap();
    for (dtype, src, dst, expected) in [
        (DType::F32, matrix, padded(96), vec!["block"]),
        (DType::F32, padded(81), padded(83), vec!["block"]),
        // Rows too short for blocks with edges.
        (DType::U8, padded(81), padded(83), vec!["gather"]),
        (DType::U8, matrix, padded(96), vec!["block"]),
        (DType::U16, column, matrix, vec!["block"]),
        (DType::U16, row, matrix, vec!["block"]),
        (DType::U8, transposed(80, 64), matrix, vec!["block"]),
        (DType::F64, transposed(80, 64), matrix, vec!["block"]),
        // Squares in a single row, and in a single column.
        (DType::F32, transposed(20, 80), packed(&[80, 20]), vec!["block"]),
        (DType::F32, transposed(80, 20), packed(&[20, 80]), vec!["block"]),
        (DType::U16, transposed(80, 64), packed(&[64, 80]), vec!["block"]),
        // Rows of no whole packets: words take them, but for elements of two bytes.
        (DType::F32, transposed(83, 64), packed(&[64, 83]), vec!["block"]),
        (DType::F16, transposed(83, 64), packed(&[64, 83]), vec!["gather"]),
        (DType::U8, transposed(4096, 3), packed(&[3, 4096]), vec!["block"]),
        (DType::U8, packed(&[3, 4096]), transposed(4096, 3), vec!["block"]),
        (DType::U8, first(4), first(4), vec!["block"]),
        (DType::U8, packed(&[640, 3]), pixels(0..640), vec!["block"]),
        (DType::U8, packed(&[700, 3]), pixels(0..700), vec!["block"]),
        (DType::U8, shifted(700), pixels(0..700), vec!["block"]),
        (DType::U8, shifted(699), pixels(0..699), vec!["block", "gather"]),
        (DType::U8, shifted(900), pixels(3..903), vec!["block", "gather", "gather"]),
        // Pairs of bytes within words, at different places on both sides.
        (DType::U8, group(1), group(0), vec!["block"]),
        // Packets of dst begin at its second pixel. Packets of src begin at its second pixel, or at its first.
        (DType::U8, from(13), pixels(3..653), vec!["block", "gather", "gather"]),
        (DType::U8, from(16), pixels(3..653), vec!["block", "gather", "gather"]),
        (DType::U8, packed(&[64]).step(0, 3).unwrap(), packed(&[64]).step(0, 3).unwrap(), vec!["gather"]),
        (DType::U16, packed(&[2560]).step(0, 2).unwrap(), packed(&[2560]).step(0, 2).unwrap(), vec!["block"]),
        (DType::U16, packed(&[1280]), packed(&[2560]).step(0, 2).unwrap(), vec!["block"]),
        (DType::U16, packed(&[64]).flip(0).unwrap(), packed(&[128]).step(0, 2).unwrap(), vec!["block"]),
    ] {
        let plan = plan(dtype, &src, &dst);
        assert_eq!(kernels(&plan), expected, "{dtype} {src:?} {dst:?}");
        try_out(&plan, &Clamp::unbounded(dtype), &src, &dst);
    }
    // Squares would leave rows and columns: for so few elements, another dispatch costs more than they save.
    let odd = packed(&[96, 64]).slice(0, 0..83).unwrap().slice(1, 0..61).unwrap();
    let (src, dst) = (odd.permute(&[1, 0]).unwrap(), packed(&[64, 96]).slice(0, 0..61).unwrap());
    let dst = dst.slice(1, 0..83).unwrap();
    for limits in each_lanes() {
        let plan = Plan::new(&Clamp::unbounded(DType::F32), &src, &dst, limits).unwrap();
        assert_eq!(kernels(&plan), ["block", "gather"]);
    }
}

/// If a kind of block does not suit a layout, or leaves a part of it, another kind may take it.
#[test]
fn blocks_take_what_others_leave() {
    // Repeated rows that exceed a binding. Then 15 repeated rows: a block takes 8 rows at once, so 7 are left over.
    let wide = packed(&[1, 17 << 18]).broadcast_to(&[8, 17 << 18]).unwrap();
    assert_eq!(kernels(&plan(DType::F32, &wide, &packed(&[8, 17 << 18]))), ["block"]);
    let (src, dst) = (strided(&[9, 15, 4096], &[0, 0, 1], 0), strided(&[9, 15, 4096], &[70_000, 4112, 1], 0));
    let in_sequence = Limits { lanes: Lanes::InSequence, ..Limits::default() };
    let repeated = Plan::new(&Clamp::unbounded(DType::F32), &src, &dst, in_sequence).unwrap();
    assert_eq!(kernels(&repeated), ["block", "block"]);
    // On a GPU, another dispatch costs more than repeated rows save.
    assert_eq!(kernels(&plan(DType::F32, &src, &dst)), ["block"]);
    // Each packet has elements of only one channel.
    let apart = strided(&[118, 2810, 2], &[8, 944, 4], 3);
    let list = clamps(118, DType::U16, DType::U16);
    let of_channels = Plan::new(Clamps::along(0, &list), &apart, &apart, Limits::default()).unwrap();
    assert!(kernels(&of_channels).iter().all(|kernel| *kernel == "block"), "{of_channels}");
    // Few elements: they are not worth a second dispatch.
    let (src, dst) = (strided(&[281, 2], &[25, 4], 0), strided(&[281, 2], &[4, 2], 7));
    let few = Plan::new(&Clamp::unbounded(DType::I64), &src, &dst, in_sequence).unwrap();
    assert_eq!(kernels(&few), ["block"]);
    // On a GPU, a packet that keeps half of its bytes is not worth a block.
    assert_eq!(kernels(&plan(DType::I64, &src, &dst)), ["gather"]);
}

/// A channel of its own lengthens no block beyond what divides a plane: one dispatch does.
#[test]
fn planes_with_a_clamp_each_take_one_dispatch() {
    for (source, dtype, lanes, shape, expected) in [
        (
            DType::F32,
            DType::U8,
            Lanes::InStep,
            [3, 14, 14],
            "4 (1 to 1), by packets, to words, a channel each",
        ),
        (
            DType::F32,
            DType::U8,
            Lanes::InStep,
            [256, 14, 14],
            "4 (1 to 1), by packets, to words, a channel each",
        ),
        (
            DType::U8,
            DType::F16,
            Lanes::InStep,
            [256, 14, 16],
            "16 (1 to 1), by packets, exchanged, a channel each",
        ),
        (DType::U8, DType::F32, Lanes::InSequence, [3, 14, 14], "4 (1 to 1), across words, a channel each"),
        (DType::U8, DType::F32, Lanes::InSequence, [64, 20, 1], "20 (1 to 1), across words, a channel each"),
    ] {
        let clamp = Clamp::unbounded(dtype).with_source(source).unwrap();
        let list: Vec<_> =
            (0..shape[0] as u16).map(|n| clamp.with_affine(0.5, f32::from(n)).unwrap()).collect();
        let planes = packed(&shape);
        let clamps = Clamps::along(0, &list);
        let plan = Plan::new(clamps, &planes, &planes, Limits { lanes, ..Limits::default() }).unwrap();
        assert!(plan.to_string().contains(expected), "{plan}");
        assert_eq!(plan.dispatches(), 1, "{plan}");
        try_out(&plan, clamps, &planes, &planes);
    }
}

/// On a GPU alone: words of bytes, words of planes that begin anywhere, packets of pixels whose channels have a clamp each,
/// lanes along dst.
#[test]
fn blocks_for_lanes_in_step_are_right() {
    let (hwc, chw) = (packed(&[40, 64, 4]), packed(&[4, 40, 64]).permute(&[1, 2, 0]).unwrap());
    let every_second = packed(&[40, 128, 4]).step(1, 2).unwrap();
    let odd = strided(&[40, 64, 4], &[67, 1, 2705], 3);
    for (source, dtype, src, dst, axis, expected) in [
        (DType::F32, DType::U8, every_second, hwc, None, "4 (1 to 1), by packets, to words"),
        (DType::F32, DType::F32, hwc, odd, None, "4 (1 to far), by packets, to words"),
        (
            DType::U8,
            DType::F32,
            hwc,
            odd,
            Some(2),
            "4 (1 to far) × 4 (4 to 1), by packets, to words, of several channels",
        ),
        (DType::F32, DType::F32, chw, hwc, Some(2), "4 (far to 1), by words, of several channels"),
        (DType::U8, DType::F16, chw, hwc, Some(2), "of several channels"),
    ] {
        let clamp = Clamp::unbounded(dtype).with_source(source).unwrap().with_affine(0.5, 3.0).unwrap();
        let list: Vec<_> = (0..4_u8).map(|n| clamp.with_affine(0.5, f32::from(n)).unwrap()).collect();
        let clamps = axis.map_or((&clamp).into(), |axis| Clamps::along(axis, &list));
        let plan = Plan::new(clamps, &src, &dst, Limits::default()).unwrap();
        assert!(plan.to_string().contains(expected), "{plan}");
        try_out(&plan, clamps, &src, &dst);
    }
}

#[test]
fn addresses_near_the_ends_are_no_panic() {
    let list = clamps(2, DType::I16, DType::I16);
    let at = |offset| Layout::strided(&[1, 2, 2], &[-20, 1, 2], offset);
    if let (Ok(src), Ok(dst)) = (at((1 << 63) - 6), at((1 << 63) - 14)) {
        _ = Plan::new(Clamps::along(1, &list), &src, &dst, Limits::default());
    }
    let shape = [9, 7, 2, 9, 1, 2_251_799_813_685_265];
    let strides = [
        283_726_776_524_344_084,
        -40_532_396_646_334_844,
        20_266_198_323_167_421,
        0,
        2_251_799_813_685_267,
        -1,
    ];
    let src = Layout::strided(&shape, &strides, 245_446_179_691_694_328);
    let dst = Layout::strided(&shape, &[9, 82, 1_339_820_889_142_732_677, 1, 578, 595], 21);
    if let (Ok(src), Ok(dst)) = (src, dst) {
        _ = Plan::new(&Clamp::unbounded(DType::F16), &src, &dst, Limits::default());
    }
}

#[test]
fn a_part_of_a_region_begins_at_its_channel() {
    let (rows, columns) = (packed(&[30, 40]), packed(&[40, 30]).permute(&[1, 0]).unwrap());
    // The dimension with the largest stride of dst is outermost.
    for (axis, first) in [(0, 0), (1, 7)] {
        let part = Region::collapsed(&rows, &columns, Some(axis)).slice(0, 5, 20).slice(0, 2, 3);
        assert_eq!((part.first_channel, part.starts), (first, [7, 7 * 30]));
    }
}

/// Slots along an axis need no list of clamps, so the axis may have any extent that a layout can have.
#[test]
fn slots_along_an_axis_of_any_extent_are_planned_or_refused() {
    let clamp = Clamp::unbounded(DType::U8).with_scale_bias(Number::OnGpu, Number::Absent).unwrap();
    for extent in [(1 << (usize::BITS - 3)) + 1, (1 << (usize::BITS - 4)) + 1, (1 << 20) + 1] {
        let layout = packed(&[3, extent]);
        let plan = Plan::new(Clamps::slots_along(1, &clamp), &layout, &layout, Limits::default());
        assert!(plan.is_ok() == (extent == (1 << 20) + 1), "{plan:?}");
    }
}

/// Two pixels of 1 to 200 channels, with and without an affine step.
#[test]
fn tables_are_as_long_as_they_should_be() {
    for (dtype, step) in DType::ALL.into_iter().flat_map(|dtype| [(dtype, false), (dtype, true)]) {
        for channels in 1..=200 {
            let mut list = clamps(channels, dtype, dtype);
            if step {
                for clamp in &mut list {
                    *clamp = clamp.with_affine(0.3, 7.0).unwrap().with_precision(Precision::Exact);
                }
            }
            let (rows, list) = (packed(&[2, channels]), Clamps::along(1, &list));
            for (lanes, in_block) in [(Lanes::InStep, 8), (Lanes::InSequence, 100)] {
                let plan = Plan::new(list, &rows, &rows, Limits { lanes, ..Limits::default() }).unwrap();
                let table = plan.parameters(list).unwrap();
                let stored = table.stored().map_or(0, <[u8]>::len) as u64;
                assert_eq!(plan.stored_parameters(), stored, "{plan}");
                assert_eq!(stored > 0, channels > in_block, "{plan}");
            }
        }
    }
}

/// The documentation of `Clamps` has these figures.
#[test]
fn a_channel_takes_as_many_bytes_as_documented() {
    let layout = packed(&[101]);
    // The fewest and the most bytes of a channel: with values, with bounds on the GPU, with a scale on the GPU.
    let mut each = [(u64::MAX, 0); 3];
    let mut measure = |clamp: Clamp| {
        let different = clamp.with_bounds(Scalar::new(clamp.dtype(), 1), Number::Absent).unwrap();
        let list: Vec<_> = (0..101).map(|n| if n == 0 { different } else { clamp }).collect();
        let on_gpu = clamp.number_on_gpu().is_some();
        let clamps = if on_gpu { Clamps::slots_along(0, &clamp) } else { Clamps::along(0, &list) };
        let plan = Plan::new(clamps, &layout, &layout, Limits { f64_arithmetic: true, ..Limits::default() });
        let bytes = plan.unwrap().stored_parameters() / 101;
        let (least, most) = &mut each[usize::from(on_gpu) + usize::from(clamp.has_affine_on_gpu())];
        (*least, *most) = (bytes.min(*least), bytes.max(*most));
    };
    let pairs = DType::ALL.into_iter().flat_map(|source| DType::ALL.map(|dtype| (source, dtype)));
    for (source, dtype) in pairs.filter(|(source, dtype)| source.converts_to(*dtype)) {
        let plain = Clamp::unbounded(dtype).with_source(source).unwrap();
        let values = AFFINES.map(|(scale, bias)| plain.with_affine(scale, bias).unwrap());
        let found = plain.with_scale_bias(Number::OnGpu, Number::Absent);
        for clamp in values.into_iter().chain([plain]).chain(found.ok()) {
            for precision in [Precision::Fast, Precision::Exact] {
                let clamp = clamp.with_precision(precision);
                measure(clamp);
                measure(clamp.with_bounds(Number::OnGpu, Number::Absent).unwrap());
            }
        }
    }
    assert_eq!(each, [(16, 128), (16, 128), (32, 60)]);
}

/// A plan refuses a table that no binding holds.
#[test]
fn channels_have_a_table_that_a_binding_holds() {
    let of = |clamps: Clamps<'_>, channels: usize| {
        let layout = packed(&[channels, 4]);
        let limits = Limits { max_binding_size: 1 << 16, ..Limits::default() };
        Plan::new(clamps, &layout, &layout, limits)
            .map(|plan| plan.dispatches())
            .map_err(|error| error.to_string())
    };
    let refused = |argument: &str, channels: usize, each: usize| {
        Err(format!(
            "{argument}: max_storage_buffer_binding_size is 65536, but {} is needed; each of the {channels} channels \
             takes {each} bytes of a table: split the tensor along their axis, or create the device with its \
             adapter's limits",
            channels * each
        ))
    };
    let list: Vec<_> = (0..1366_u16).map(|n| Clamp::at_most(f32::from(n))).collect();
    assert_eq!(of(Clamps::along(0, &list[..1365]), 1365), Ok(1));
    assert_eq!(of(Clamps::along(0, &list), 1366), refused("clamps", 1366, 48));
    // There is one clamp here.
    let found = Clamp::unbounded(DType::F32).with_scale_bias(Number::OnGpu, Number::Absent).unwrap();
    assert_eq!(of(Clamps::slots_along(0, &found), 1489), Ok(1));
    assert_eq!(of(Clamps::slots_along(0, &found), 1490), refused("axis", 1490, 44));
    // Slots of one element need no table.
    assert_eq!(of((&found).into(), 1490), Ok(1));
}

/// Every parameter place for channels, and every placement.
#[test]
fn channels_are_right_in_every_form_and_placement() {
    let mut met = HashSet::new();
    for (channels, behind, limit) in [
        (3, false, 128 << 20),
        (9, true, 128 << 20),
        (65, false, 128 << 20),
        (130, true, 128 << 20),
        (300, false, 128 << 20),
        (9, true, 1 << 10),
        (130, true, 4 << 10),
    ] {
        let limits = Limits { max_binding_size: limit, binding_alignment: 16, ..Limits::default() };
        for (axis, shape) in [(1, [40, channels]), (0, [channels, 40])] {
            let dst = packed(&shape);
            let far = if behind { dst.len() + 4096 } else { 0 };
            let src = strided(&shape, dst.strides(), far);
            let placement = Placement::of(behind);
            let list = clamps(channels, DType::F32, DType::F32);
            let clamps = Clamps::along(axis, &list);
            let limits = Limits { lanes: Lanes::ALL[axis], ..limits };
            let plan = Plan::with_placement(clamps, &src, &dst, placement, limits).unwrap();
            try_out(&plan, clamps, &src, &dst);
            for window in plan.windows() {
                let dispatch = window.dispatches().next().unwrap();
                let name = plan.pipeline(&window, dispatch.entry_point).unwrap();
                let Module::Clamp(ModuleName { parameters, placement, .. }) = name.module else {
                    panic!("{name} is no clamp's")
                };
                met.extend([format!("{parameters:?}"), format!("{placement:?}")]);
            }
        }
    }
    let forms = ParameterPlace::ALL
        .iter()
        .filter(|form| **form != ParameterPlace::One)
        .map(|form| format!("{form:?}"));
    let placements = Placement::ALL.iter().map(|placement| format!("{placement:?}"));
    let all: HashSet<_> = forms.chain(placements).collect();
    assert_eq!(met, all);
}

/// One run of pixels on both sides, with packets that begin at any channel and any phase: in two buffers, in one, in
/// place, and cut into tiles.
#[test]
fn runs_of_pixels_are_taken_by_packets_from_any_channel_on() {
    let mut around = 0;
    for (n, (source, dtype)) in [
        (DType::F32, DType::F32),
        (DType::U8, DType::U8),
        (DType::F32, DType::I8),
        (DType::U8, DType::F16),
        (DType::F64, DType::F64),
        (DType::I64, DType::I64),
        (DType::I32, DType::I32),
    ]
    .into_iter()
    .enumerate()
    {
        for (channels, pixels) in [(2, 301), (6, 190), (17, 41), (97, 9), (128, 5), (300, 3), (17, 1), (3, 2)]
        {
            let list: Vec<_> = clamps(channels, source, dtype)
                .into_iter()
                .map(|clamp| if channels == 97 { clamp.with_affine(3.0, 2.0).unwrap() } else { clamp })
                .collect();
            let clamps = Clamps::along(1, &list);
            let run =
                |start: usize| Layout::strided(&[pixels, channels], &[channels.cast_signed(), 1], start);
            for (phase, (from, to)) in [(0, 0), (5, 5), (1, 3)].into_iter().enumerate() {
                let behind = (to + channels * pixels + 16) * dtype.size() / source.size();
                let cut = Limits { max_binding_size: 4 << 10, binding_alignment: 16, ..Limits::default() };
                for (src, placement, limits) in [
                    (from, Placement::TwoBuffers, Limits::default()),
                    (from + behind.next_multiple_of(16), Placement::OneBuffer, Limits::default()),
                    (to, Placement::OneBuffer, Limits::default()),
                    (from, Placement::TwoBuffers, cut),
                ] {
                    let (src, dst) = (run(src).unwrap(), run(to).unwrap());
                    if src.same_addresses(&dst) && source.size() != dtype.size() {
                        continue;
                    }
                    let limits = Limits { lanes: Lanes::ALL[(n + phase) % 2], ..limits };
                    let plan = Plan::with_placement(clamps, &src, &dst, placement, limits).unwrap();
                    around += usize::from(plan.to_string().contains("from any channel on"));
                    try_out(&plan, clamps, &src, &dst);
                }
            }
        }
    }
    assert!(around > 350, "{around}");
}

/// Destination rows that share packets. Packets with bytes to preserve are not stored whole.
#[test]
fn interleaved_rows_of_which_something_stays_are_no_pixels() {
    for (dtype, pitch) in [(DType::U8, 16), (DType::F32, 4)] {
        let dst = strided(&[2, 80], &[pitch, 3], 0);
        let plan = plan(dtype, &packed(&[2, 80]), &dst);
        assert!(!kernels(&plan).contains(&"block"), "{plan}");
        try_out(&plan, &Clamp::unbounded(dtype), &packed(&[2, 80]), &dst);
    }
}

/// Leftover regions along two dimensions, gaps in dst, and channels with exact steps.
#[test]
fn blocks_leave_parts_and_keep_channels_apart() {
    type Side = (&'static [isize], usize);
    type Case = (DType, &'static [usize], Side, Side, Option<usize>);
    let cases: [Case; 11] = [
        // An offset in dst, and five components.
        (DType::U8, &[1024, 5], (&[5, 1], 0), (&[1, 1024], 13), None),
        (DType::F32, &[1001, 6], (&[6, 1], 0), (&[1, 1004], 1), Some(1)),
        (DType::U64, &[31, 64], (&[1, 52], 1990), (&[64, 1], 5), None),
        // Four candidate dimensions of a block.
        (DType::F16, &[64, 2, 24, 4], (&[3, 1, 0, 392], 0), (&[448, 224, 8, 1], 0), None),
        (DType::U8, &[3, 5, 16, 7], (&[1, -8, 0, 48], 33), (&[1296, 256, -16, 1], 245), None),
        // The channels differ in their number of packets.
        (DType::F32, &[100, 5, 4], (&[20, 4, 1], 0), (&[32, 6, 1], 0), Some(1)),
        (DType::F64, &[200, 7, 2], (&[14, 2, 1], 0), (&[22, 3, 1], 0), Some(1)),
        (DType::I64, &[200, 7, 2], (&[14, 2, 1], 0), (&[22, 3, 1], 0), Some(1)),
        (DType::F16, &[65, 31], (&[1, 73], 13), (&[52, 1], 0), Some(0)),
        // Whole packets with gaps of whole packets between them.
        (DType::F32, &[1000, 48], (&[48, 1], 0), (&[64, 1], 0), None),
        (DType::U8, &[1000, 64, 16], (&[1024, 1, 64], 0), (&[2048, 32, 1], 0), None),
    ];
    for (dtype, shape, src, dst, axis) in cases {
        let [src, dst] = [src, dst].map(|(strides, offset)| strided(shape, strides, offset));
        let step = |clamp: Clamp| match dtype {
            DType::F64 => clamp.with_scale_bias(0.75, 3.0).unwrap(),
            _ => clamp.with_affine(0.75, 3.0).unwrap(),
        };
        let list: Vec<_> = clamps(axis.map_or(1, |axis| shape[axis]), dtype, dtype)
            .into_iter()
            .map(|clamp| step(clamp).with_precision(Precision::Exact))
            .collect();
        let clamps = along(axis, &list);
        for placement in [Placement::TwoBuffers, Placement::OneBuffer] {
            let behind = if placement == Placement::OneBuffer { 1 << 22 } else { 0 };
            let dst = strided(shape, dst.strides(), dst.offset() + behind);
            let limits = Limits { lanes: Lanes::ALL[usize::from(axis.is_some())], ..Limits::default() };
            let plan = Plan::with_placement(clamps, &src, &dst, placement, limits).unwrap();
            try_out(&plan, clamps, &src, &dst);
        }
    }
}

/// Rows of pixels alternate with rows of planes, which begin at any byte. Words and packets have bytes of pixels and of
/// planes.
#[test]
fn src_and_dst_share_packets_in_one_buffer() {
    for (source, dtype) in [
        (DType::U8, DType::U8),
        (DType::U8, DType::F16),
        (DType::U8, DType::F32),
        (DType::F16, DType::U8),
        (DType::F32, DType::U8),
        (DType::U16, DType::F32),
    ] {
        for (of, count, gap) in [(3_usize, 3_usize, 0_usize), (4, 3, 4), (4, 4, 8), (1, 1, 12), (2, 2, 4)] {
            let (rows, width) = (12, 320);
            // In bytes: a row of pixels, then a row of each plane.
            let [from, to] = [source.size(), dtype.size()];
            let pitch = (width * of * from + count * width * to + gap).next_multiple_of(4);
            let pixels = [1, pitch / from, of].map(usize::cast_signed);
            let planes = [width, pitch / to, 1].map(usize::cast_signed);
            let shape = [count, rows, width];
            let pixels = strided(&shape, &pixels, 0);
            let behind = (width * of * from).div_ceil(to);
            let planes = strided(&shape, &planes, behind);
            let clamp = Clamp::unbounded(dtype).with_source(source).unwrap();
            for limits in each_lanes() {
                let plan = Plan::in_one_buffer(&clamp, &pixels, &planes, limits).unwrap();
                assert!(of == 1 && from == to || kernels(&plan)[0] == "block", "{plan}");
                try_out(&plan, &clamp, &pixels, &planes);
            }
        }
    }
}

/// Each word holds a group (two bytes) of src and a group of dst. The group of src goes to another word.
#[test]
fn src_and_dst_share_words_in_one_buffer() {
    let words = packed(&[81, 4]);
    let groups =
        |row: usize, lane: usize| words.slice(0, row..row + 80).unwrap().slice(1, lane..lane + 2).unwrap();
    for (src, dst) in [(groups(1, 0), groups(0, 2)), (groups(0, 2), groups(1, 0))] {
        let clamp = Clamp::unbounded(DType::U8);
        for limits in each_lanes() {
            try_out(&Plan::in_one_buffer(&clamp, &src, &dst, limits).unwrap(), &clamp, &src, &dst);
        }
    }
}

#[test]
fn dimensions_collapse_where_both_sides_allow() {
    // Rows with a pitch on one side only.
    let rows = packed(&[2, 3, 10]).slice(2, 0..8).unwrap();
    let plan = plan(DType::F32, &packed(&[2, 3, 8]), &rows);
    assert_eq!(dims(&plan), [(6, 8, 10), (8, 1, 1)]);
}

#[test]
fn nothing_to_do_is_a_plan_without_dispatches() {
    let empty = packed(&[3, 0, 2]);
    assert_eq!(plan(DType::U8, &empty, &empty).dispatches(), 0);
    let scalar = packed(&[]);
    assert_eq!(plan(DType::F64, &scalar, &scalar).dispatches(), 1);
}

#[test]
fn bindings_suit_the_device() {
    let limits = Limits { binding_alignment: 64, ..Limits::default() };
    let deep = strided(&[10], &[1], 1001);
    let plan = Plan::new(&Clamp::unbounded(DType::I16), &deep, &deep, limits).unwrap();
    let window = plan.windows().next().unwrap();
    // Elements 1001 to 1010 are bytes 2002 to 2021.
    assert_eq!(window.bindings.src, Range { offset: 1984, size: 2024 - 1984 });

    // The largest binding of Vulkan and DX12, even if a device claims more.
    let limits = Limits { max_binding_size: u64::MAX, ..Limits::default() };
    let huge = packed(&[1 << 31]);
    let plan = Plan::new(&Clamp::unbounded(DType::U8), &huge, &huge, limits).unwrap();
    assert_eq!(plan.window_count(), 2);
    assert!(
        plan.windows().all(|window| window.bindings.src.size.max(window.bindings.dst.size) <= 0x7fff_fffc)
    );
}

#[test]
fn packets_of_groups_fit_into_their_bindings() {
    // The groups end within the largest binding; the last packet of src does not.
    let limits = Limits { max_binding_size: 4104, binding_alignment: 16, ..Limits::default() };
    let src = strided(&[2, 400, 3], &[2904, 3, 1], 0);
    let dst = strided(&[2, 400, 3], &[1600, 4, 1], 0);
    let plan = Plan::new(&Clamp::unbounded(DType::U8), &src, &dst, limits).unwrap();
    assert_eq!(kernels(&plan)[0], "block");
    assert!(plan.windows().all(|window| window.bindings.src.size <= limits.max_binding_size));

    // A stride near the limit of integers.
    let far = strided(&[2, 1280], &[1 << 62, 2], 0);
    let plan =
        Plan::new(&Clamp::unbounded(DType::U16), &packed(&[2, 1280]), &far, Limits::default()).unwrap();
    assert_eq!((kernels(&plan), plan.window_count()), (vec!["block"], 2));
}

/// In place, an invocation loads only elements that it stores.
#[test]
fn rows_in_place_are_not_shifted() {
    let odd = packed(&[64, 81]).slice(1, 1..81).unwrap();
    let plan = Plan::in_one_buffer(&Clamp::unbounded(DType::F32), &odd, &odd, Limits::default()).unwrap();
    let text = plan.to_string();
    assert!(text.contains("by packets, in rows"), "{text}");
}

#[test]
fn windows_are_few_and_whole() {
    // 1 GiB in bindings of 128 MiB, from the middle of a packet.
    let clamp = Clamp::unbounded(DType::F32);
    let line = strided(&[1 << 28], &[1], 3);
    let plan = Plan::new(&clamp, &line, &line, Limits::default()).unwrap();
    assert_eq!(plan.window_count(), 9);
    // Only the first and the last window have edges, which take a second dispatch.
    assert_eq!(plan.dispatches(), 11);

    // A transpose: both sides are cut.
    let (rows, columns) =
        (packed(&[1 << 14, 1 << 14]), packed(&[1 << 14, 1 << 14]).permute(&[1, 0]).unwrap());
    let plan = Plan::new(&clamp, &rows, &columns, Limits::default()).unwrap();
    assert!((64..=100).contains(&plan.window_count()), "{plan:?}");
}

/// Includes lines where only the head (the elements before the first whole packet) would need another window.
#[test]
fn windows_reach_the_last_element_from_within_a_packet() {
    let clamp = Clamp::unbounded(DType::F32);
    let limits = Limits { max_binding_size: 512, binding_alignment: 16, ..Limits::default() };
    let mut windows = 0;
    for (start, len) in (1..4).flat_map(|start| (1..=400).map(move |len| (start, len))) {
        let line = strided(&[len], &[1], start);
        let plan = Plan::new(&clamp, &line, &line, limits).unwrap();
        assert_eq!(kernels(&plan).len(), 1, "{plan:?}");
        try_out(&plan, &clamp, &line, &line);
        windows = windows.max(plan.window_count());
    }
    assert!(windows > 3, "{windows}");
}

#[test]
fn f64_is_fast_where_the_device_has_it() {
    let (src, dst) = (packed(&[64, 64]), packed(&[64, 64]).permute(&[1, 0]).unwrap());
    let step = Clamp::unbounded(DType::F64).with_scale_bias(1.1, 0.3).unwrap();
    let [exact, fast] = ["exact", "fast"].map(|step| {
        format!(
            "f64, {step} affine step, two buffers, windows: 1, block kernel for 4096 elements \
             (2 (1 to 64) × 2 (64 to 1), by packets)"
        )
    });
    for (f64_arithmetic, precision, expected) in [
        (false, Precision::Fast, &exact),
        (true, Precision::Fast, &fast),
        (false, Precision::Exact, &exact),
        (true, Precision::Exact, &exact),
    ] {
        let limits = Limits { f64_arithmetic, ..Limits::default() };
        let plan = Plan::new(&step.with_precision(precision), &src, &dst, limits).unwrap();
        assert_eq!(plan.to_string(), *expected);
    }
}

#[test]
fn channels_that_are_alike_are_one_clamp() {
    let clamp = Clamp::new(-1.0_f32, 1.0).with_affine(0.5, 0.25).unwrap();
    let layout = packed(&[4, 6, 10]);
    let limits = Limits::default();
    let one = Plan::new(&clamp, &layout, &layout, limits).unwrap();
    let list = [clamp; 6];
    let alike = Plan::new(Clamps::along(1, &list), &layout, &layout, limits).unwrap();
    assert_eq!(one.to_string(), alike.to_string());
    // One clamp that differs, if only in a bound, in the step or in a zero's sign, keeps all six.
    let zero = clamp.with_affine(0.5, 0.0).unwrap();
    for (clamp, fifth) in [
        (clamp, Clamp::new(-1.0_f32, 2.0).with_affine(0.5, 0.25).unwrap()),
        (clamp, clamp.with_affine(0.75, 0.25).unwrap()),
        (clamp, clamp.with_affine(0.5, 0.5).unwrap()),
        (zero, clamp.with_affine(0.5, -0.0).unwrap()),
    ] {
        let list = [clamp, clamp, clamp, clamp, fifth, clamp];
        let differ = Plan::new(Clamps::along(1, &list), &layout, &layout, limits).unwrap();
        assert!(differ.to_string().contains("6 channels"), "{differ}");
    }
    // Without channels there is nothing to do.
    let empty = packed(&[4, 0, 10]);
    assert_eq!(Plan::new(Clamps::along(1, &[]), &empty, &empty, limits).unwrap().dispatches(), 0);
}

/// The keys of the self-test's results contain neither sizes nor windows.
#[test]
fn a_specialization_is_dtypes_step_and_kernels() {
    let small = Limits { max_binding_size: 2048, ..Limits::default() };
    let of = |clamps: Clamps<'_>, src: &Layout, dst: &Layout, limits| {
        Plan::new(clamps, src, dst, limits).unwrap().specialization()
    };
    let clamp = Clamp::unbounded(DType::U8);
    for (elements, limits) in [(1000, Limits::default()), (100_000, Limits::default()), (100_000, small)] {
        let line = packed(&[elements]);
        assert_eq!(of((&clamp).into(), &line, &line, limits), "u8, no affine step, block");
    }
    let halved = Clamp::unbounded(DType::F16).with_source(DType::U8).unwrap().with_affine(0.5, 0.0).unwrap();
    let (planes, pixels) = (packed(&[3, 4001]), packed(&[4001, 3]).permute(&[1, 0]).unwrap());
    assert_eq!(
        of((&halved).into(), &pixels, &planes, Limits::default()),
        "u8 to f16, fast affine step, block + gather"
    );
    let list = clamps(3, DType::U8, DType::U8);
    assert_eq!(
        of(Clamps::along(0, &list), &pixels, &planes, Limits::default()),
        "u8, no affine step, several channels, block + gather"
    );
}

#[test]
fn too_many_windows_name_the_axis() {
    let clamp = Clamp::unbounded(DType::U8);
    let limits = Limits { max_binding_size: 1024, ..Limits::default() };
    let far = strided(&[3, 100_000, 2], &[1, 4096, 2], 0);
    let error = Plan::new(&clamp, &far, &packed(&[3, 100_000, 2]), limits).unwrap_err();
    assert_eq!(
        error.to_string(),
        "dst: max_windows is 65536, but 300000 is needed; axis 1 is to blame, with this device's \
         max_storage_buffer_binding_size of 1024 and max_compute_workgroups_per_dimension of 65535: create the device \
         with its adapter's limits, split the tensor along the axis, or move neighbours along the axis closer"
    );

    let tiny = Limits { max_binding_size: 256, ..Limits::default() };
    let error = Plan::new(&clamp, &packed(&[1000]), &packed(&[1000]), tiny).unwrap_err();
    assert!(matches!(error, Error::Limit { limit: 256, .. }), "{error:?}");
}

/// No binding is long enough for this alignment.
#[test]
fn an_alignment_that_no_binding_suits_is_to_blame() {
    let clamp = Clamp::unbounded(DType::U8);
    let line = packed(&[129]);
    let limits = Limits { max_binding_size: u64::MAX, binding_alignment: 1 << 47, ..Limits::default() };
    assert_eq!(Plan::new(&clamp, &line, &line, limits).unwrap().window_count(), 1);
    let far = strided(&[129], &[1], (1 << 47) - 64);
    let error = Plan::new(&clamp, &far, &far, limits).unwrap_err();
    let expected = "device: min_storage_buffer_offset_alignment is 140737488355328, but 256 is needed; \
                    `wgpu::Limits::downlevel_defaults()` suffices";
    assert_eq!(error.to_string(), expected);
}

/// Layouts that random tests found, kept here because their generators may change.
#[test]
fn layouts_that_were_found() {
    let tight = Limits {
        max_binding_size: 1680,
        binding_alignment: 256,
        max_workgroups_per_dimension: 1,
        ..Limits::default()
    };
    for (dtype, shape, [src, dst], limits) in [
        (DType::U8, &[1, 2][..], [(&[1, 1][..], 0), (&[1, -1][..], 3)], tight),
        (DType::F16, &[1, 70, 1], [(&[144, 2, 1], 1), (&[144, 2, 1], 0)], Limits::default()),
        (DType::F64, &[1, 131, 3], [(&[528, 4, 1], 0), (&[528, 4, 1], 0)], Limits::default()),
        (DType::F16, &[2, 2, 2, 7], [(&[1, 2, 4, 8], 0), (&[32, 16, 8, 1], 0)], Limits::default()),
    ] {
        let [src, dst] = [src, dst].map(|(strides, offset)| strided(shape, strides, offset));
        let clamp = Clamp::unbounded(dtype);
        try_out(&Plan::new(&clamp, &src, &dst, limits).unwrap(), &clamp, &src, &dst);
        try_out(&Plan::in_one_buffer(&clamp, &dst, &dst, limits).unwrap(), &clamp, &dst, &dst);
    }
}

/// Random layouts. `clamp_testing` links another build of the crate, so its layouts are made anew.
fn any_layouts() -> impl Strategy<Value = (Layout, Layout)> {
    clamp_testing::layouts::of_every_kind().prop_map(|(src, dst)| {
        (strided(src.shape(), src.strides(), src.offset()), strided(dst.shape(), dst.strides(), dst.offset()))
    })
}

fn any_limits() -> impl Strategy<Value = Limits> {
    let small = (1_u64..40, prop::sample::select(&[16_u64, 32, 256]), 1_u32..4).prop_map(
        |(binding, binding_alignment, max_workgroups_per_dimension)| Limits {
            max_binding_size: 4 * (binding_alignment + 4) + 56 * binding,
            binding_alignment,
            max_workgroups_per_dimension,
            ..Limits::default()
        },
    );
    let limits = prop_oneof![Just(Limits::default()), small];
    (limits, prop::sample::select(&Lanes::ALL)).prop_map(|(limits, lanes)| Limits { lanes, ..limits })
}

/// Clamps from one dtype to another, with up to 128 different Mins.
fn clamps(count: usize, source: DType, dtype: DType) -> Vec<Clamp> {
    let of = |bits| {
        Clamp::unbounded(dtype).with_bounds(Scalar::from_bits(dtype, bits).unwrap(), Number::Absent).unwrap()
    };
    (0..count as u64).map(|i| of(i % 128).with_source(source).unwrap()).collect()
}

/// A source and a destination: one dtype, or two that convert.
fn any_pair() -> impl Strategy<Value = (DType, DType)> {
    let one = |dtypes: &'static [DType]| prop::sample::select(dtypes);
    prop_oneof![
        one(&DType::ALL).prop_map(|dtype| (dtype, dtype)),
        (one(&DType::CONVERTIBLE), one(&DType::CONVERTIBLE)),
    ]
}

/// A clamp of any kind from a seed, or one per channel. Each channel has its own bounds, never on the GPU. Every fourth
/// channel has no affine step.
fn any_clamps(mut seed: u64, channels: Option<usize>, source: DType, dtype: DType) -> Vec<Clamp> {
    let mut draw = |count: usize| splitmix64(&mut seed) as usize % count;
    let precision = [Precision::Fast, Precision::Exact][draw(2)];
    let rounding = [Rounding::TowardZero, Rounding::NearestEven][draw(2)];
    let rule = [NanRule::Propagate, NanRule::ToMin, NanRule::ToMax][draw(3)];
    let order = [Order::MinWins, Order::MaxWins][draw(2)];
    let (has_affine, affine) = (draw(2) == 0, draw(AFFINES.len()));
    let kinds = [draw(3), draw(3)];
    let value = check::values(&Clamp::unbounded(dtype));
    let one = |channel: usize| {
        let mut bound = |kind: usize| match (kind, channels) {
            (0, _) => Number::Absent,
            (1, None) => Number::OnGpu,
            _ => Scalar::from_bits(dtype, value(draw(usize::MAX) as u64)).unwrap().into(),
        };
        let clamp = Clamp::unbounded(dtype).with_bounds(bound(kinds[0]), bound(kinds[1])).unwrap();
        let clamp = clamp.with_source(source).unwrap().with_precision(precision).with_rounding(rounding);
        let clamp = clamp.with_nan_rule(rule).with_order(order);
        if !has_affine || channel % 4 == 3 {
            return clamp;
        }
        let (scale, bias) = AFFINES[(affine + channel) % AFFINES.len()];
        clamp.with_affine(scale, bias).unwrap()
    };
    (0..channels.unwrap_or(1)).map(one).collect()
}

/// The arguments of a plan.
#[derive(Debug)]
struct Case {
    src: Layout,
    dst: Layout,
    list: Vec<Clamp>,
    axis: Option<usize>,
    placement: Placement,
    limits: Limits,
}

impl Case {
    fn plan(&self, clamps: Clamps<'_>) -> Plan {
        Plan::with_placement(clamps, &self.src, &self.dst, self.placement, self.limits).unwrap()
    }
}

fn any_case() -> impl Strategy<Value = Case> {
    let axis = prop::option::of(any::<prop::sample::Index>());
    (any_layouts(), any_pair(), any::<u64>(), axis, 0..3, any_limits()).prop_map(
        |((src, dst), (source, dtype), seed, axis, place, limits)| {
            let (src, placement) = match place {
                0 => (src, Placement::TwoBuffers),
                1 if source.size() == dtype.size() => (dst, Placement::OneBuffer),
                _ => {
                    // src lies behind dst in the same buffer.
                    let behind = dst.span().map_or(0, |(_, highest)| highest + 1);
                    let behind = (behind * dtype.size()).div_ceil(source.size());
                    let moved = src.span().map_or(0, |_| src.offset() + behind);
                    (strided(src.shape(), src.strides(), moved), Placement::OneBuffer)
                }
            };
            let axis = axis.filter(|_| dst.rank() > 0).map(|axis| axis.index(dst.rank()));
            let list = any_clamps(seed, axis.map(|axis| dst.shape()[axis]), source, dtype);
            Case { src, dst, list, axis, placement, limits }
        },
    )
}

proptest! {
    /// Any plan writes each output element once, from the source element with the same index, and nothing else.
    #[test]
    fn a_plan_reaches_each_element_once(case in any_case()) {
        let clamps = along(case.axis, &case.list);
        let telling = check::telling(clamps);
        for clamps in [clamps, check::clamps_like(clamps, &telling)] {
            let plan = case.plan(clamps);
            try_out(&plan, clamps, &case.src, &case.dst);
            plan.windows().for_each(|window| check::window(&plan, &window));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    /// Planning takes microseconds, so far more cases are planned than executed.
    #[test]
    fn any_layouts_have_a_plan(case in any_case()) {
        let plan = case.plan(along(case.axis, &case.list));
        plan.windows().take(10).for_each(|window| check::window(&plan, &window));
    }
}
