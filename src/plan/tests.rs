//! Plans without a GPU: their regions, windows and tables. `tests/shaders/` executes plans.

use super::{Plan, Range};
use crate::arithmetic::kept_in;
use crate::kernel::{Placement, Region};
use crate::{Clamp, Clamps, DType, Error, Layout, Limits, Number, Precision, Rounding, Scalar};

fn plan(dtype: DType, src: &Layout, dst: &Layout) -> Plan {
    Plan::new(Clamp::unbounded(dtype), src, dst, Limits::default()).unwrap()
}

fn packed(shape: &[usize]) -> Layout {
    Layout::packed(shape).unwrap()
}

fn strided(shape: &[usize], strides: &[isize], offset: usize) -> Layout {
    Layout::strided(shape, strides, offset).unwrap()
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
        _ = Plan::new(Clamp::unbounded(DType::F16), &src, &dst, Limits::default());
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
    let clamp = Clamp::unbounded(DType::U8).with_affine(Number::OnGpu, Number::Absent).unwrap();
    for extent in [(1 << (usize::BITS - 3)) + 1, (1 << (usize::BITS - 4)) + 1, (1 << 20) + 1] {
        let layout = packed(&[3, extent]);
        let plan = Plan::new(Clamps::slots_along(1, clamp), &layout, &layout, Limits::default());
        assert!(plan.is_ok() == (extent == (1 << 20) + 1), "{plan:?}");
    }
}

/// Two pixels of 1 to 200 channels, with and without an affine step.
#[test]
fn tables_are_as_long_as_they_should_be() {
    for (dtype, step) in DType::ALL.iter().copied().flat_map(|dtype| [(dtype, false), (dtype, true)]) {
        for channels in 1..=200 {
            let mut list = clamps(channels, dtype, dtype);
            if step {
                for clamp in &mut list {
                    *clamp = clamp.with_affine(0.3, 7.0).unwrap().with_precision(Precision::Exact);
                }
            }
            let (rows, list) = (packed(&[2, channels]), Clamps::along(1, &list));
            let (mut numbers, limits) = (Vec::new(), Limits::default());
            let found = kept_in(&mut numbers);
            let plan = Plan::checked(list, &rows, &rows, Placement::TwoBuffers, limits, found).unwrap();
            let table = plan.parameters(list, &numbers).unwrap();
            let bytes = table.table().map_or(0, <[u8]>::len) as u64;
            assert_eq!(plan.table_bytes(), bytes, "{plan}");
            assert_eq!(bytes > 0, channels > 1, "{plan}");
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
        let clamps = if on_gpu { Clamps::slots_along(0, clamp) } else { Clamps::along(0, &list) };
        let plan = Plan::new(clamps, &layout, &layout, Limits { f64_arithmetic: true, ..Limits::default() });
        let bytes = plan.unwrap().table_bytes() / 101;
        let (least, most) = &mut each[usize::from(on_gpu) + usize::from(clamp.has_affine_on_gpu())];
        (*least, *most) = (bytes.min(*least), bytes.max(*most));
    };
    let pairs =
        DType::ALL.iter().copied().flat_map(|source| DType::ALL.iter().map(move |&dtype| (source, dtype)));
    for (source, dtype) in pairs.filter(|(source, dtype)| source.converts_to(*dtype)) {
        let plain = Clamp::unbounded(dtype).with_source(source).unwrap();
        let values = [(0.5, 0.25), (255.0, 0.5), (1e-6, 3.5), (-1.7, 200.3)]
            .map(|(scale, bias)| plain.with_affine(scale, bias).unwrap());
        let found = plain.with_affine(Number::OnGpu, Number::Absent);
        for clamp in values.into_iter().chain([plain]).chain(found.ok()) {
            for precision in [Precision::Fast, Precision::Exact] {
                let clamp = clamp.with_precision(precision);
                measure(clamp);
                measure(clamp.with_bounds(Number::OnGpu, Number::Absent).unwrap());
            }
        }
    }
    assert_eq!(each, [(16, 80), (16, 80), (16, 16)]);
}

#[test]
fn dimensions_collapse_where_both_sides_allow() {
    // Rows with a pitch on one side only.
    let rows = packed(&[2, 3, 10]).slice(2, 0..8).unwrap();
    let plan = plan(DType::F32, &packed(&[2, 3, 8]), &rows);
    assert_eq!(dims(&plan), [(6, 8, 10), (8, 1, 1)]);
}

#[test]
fn bindings_suit_the_device() {
    let limits = Limits { binding_alignment: 64, ..Limits::default() };
    let deep = strided(&[10], &[1], 1001);
    let plan = Plan::new(Clamp::unbounded(DType::I16), &deep, &deep, limits).unwrap();
    let window = plan.windows().next().unwrap();
    // Elements 1001 to 1010 are bytes 2002 to 2021.
    assert_eq!(window.bindings.src, Range { offset: 1984, size: 2024 - 1984 });

    // The largest binding of Vulkan and DX12, even if a device claims more.
    let limits = Limits { max_binding_size: u64::MAX, ..Limits::default() };
    let huge = packed(&[1 << 31]);
    let plan = Plan::new(Clamp::unbounded(DType::U8), &huge, &huge, limits).unwrap();
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
    let plan = Plan::new(Clamp::unbounded(DType::U8), &src, &dst, limits).unwrap();
    assert_eq!(kernels(&plan)[0], "boxes");
    assert!(plan.windows().all(|window| window.bindings.src.size <= limits.max_binding_size));

    // A stride near the limit of integers.
    let far = strided(&[2, 1280], &[1 << 62, 2], 0);
    let plan = Plan::new(Clamp::unbounded(DType::U16), &packed(&[2, 1280]), &far, Limits::default()).unwrap();
    assert_eq!((kernels(&plan), plan.window_count()), (vec!["boxes"], 2));
}

/// In place, an invocation loads only elements that it stores.
#[test]
fn rows_in_place_are_not_shifted() {
    let odd = packed(&[64, 81]).slice(1, 1..81).unwrap();
    let plan = Plan::in_one_buffer(Clamp::unbounded(DType::F32), &odd, &odd, Limits::default()).unwrap();
    let text = plan.to_string();
    assert!(text.contains("stream kernel") && text.contains("by packets"), "{text}");
}

#[test]
fn windows_are_few_and_whole() {
    // 1 GiB in bindings of 128 MiB, from the middle of a packet.
    let clamp = Clamp::unbounded(DType::F32);
    let line = strided(&[1 << 28], &[1], 3);
    let plan = Plan::new(clamp, &line, &line, Limits::default()).unwrap();
    assert_eq!(plan.window_count(), 9);
    // Only the first and the last window have edges, which take a second dispatch.
    assert_eq!(plan.dispatches(), 11);

    // A transpose: both sides are cut.
    let (rows, columns) =
        (packed(&[1 << 14, 1 << 14]), packed(&[1 << 14, 1 << 14]).permute(&[1, 0]).unwrap());
    let plan = Plan::new(clamp, &rows, &columns, Limits::default()).unwrap();
    assert!((64..=100).contains(&plan.window_count()), "{plan:?}");
}

/// A second dispatch takes 2 µs on an H200, as long as 7 MB in memory.
#[test]
fn a_second_dispatch_has_to_pay() {
    // Rows whose sources begin anywhere: to join packets of src leaves the last one to words.
    for (rows, pieces, dispatches) in [(512, "across words", 1), (1 << 16, "across packets", 2)] {
        let src = packed(&[rows, 519]).slice(1, 1..513).unwrap();
        let plan = plan(DType::U8, &src, &packed(&[rows, 512]));
        assert!(plan.dispatches() == dispatches && plan.to_string().contains(pieces), "{plan}");
    }
    // To load pixels by packets leaves the last ones.
    for (rows, pieces, dispatches) in [(512, "by words", 1), (1 << 13, "by packets", 2)] {
        let src = packed(&[rows, 512, 4]).slice(2, 0..3).unwrap();
        let plan = plan(DType::F32, &src, &packed(&[rows, 512, 3]));
        assert!(plan.dispatches() == dispatches && plan.to_string().contains(pieces), "{plan}");
    }
}

/// Boxes of a transpose fill packets along one dimension, and leave a remainder of the other to another kernel.
#[test]
fn odd_extents_keep_their_boxes() {
    let transposed = |rows, columns| packed(&[columns, rows]).permute(&[1, 0]).unwrap();
    for (dtype, rows, columns, pieces) in [
        (DType::U8, 4097, 4096, "16 (1 to far) × 16 (far to 1)"),
        (DType::F32, 2049, 2048, "4 (far to 1), by words, in squares"),
        (DType::F32, 2049, 2047, "2 (1 to far), by words, to words"),
    ] {
        let plan = plan(dtype, &transposed(rows, columns), &packed(&[rows, columns]));
        assert!(plan.dispatches() <= 3 && plan.to_string().contains(pieces), "{plan}");
    }
}

/// Boxes take the same channels of far pixels: of as many as divide a small tensor, with a remainder of a large one.
#[test]
fn odd_numbers_of_pixels_share_their_channels() {
    for (pixels, channels, pieces, dispatches) in [
        (1 << 12, 64, "16 (far to far) × 16 (1 to 1)", 1),
        (49 << 3, 64, "4 (far to far) × 16 (1 to 1)", 1),
        ((1 << 20) + 4, 64, "16 (far to far) × 16 (1 to 1)", 2),
        ((1 << 20) + 1, 64, "16 (far to far) × 16 (1 to 1)", 2),
        ((1 << 16) + 1, 1024, "16 (far to far) × 4 (1 to 1)", 2),
        (7, 64, "(16 (1 to 1)", 1),
    ] {
        let (pixels, list) = (packed(&[pixels, channels]), clamps(channels, DType::U8, DType::U8));
        let plan = Plan::new(Clamps::along(1, &list), &pixels, &pixels, Limits::default()).unwrap();
        assert!(plan.dispatches() == dispatches && plan.to_string().contains(pieces), "{plan}");
    }
    // Groups of pixels begin at a packet, and few pixels are left.
    for (pixels, channels) in [((1 << 20) + 1, 8), (1 << 20, 8), ((1 << 22) + 1, 4), (1 << 22, 4)] {
        let layout = Layout::packed_at(&[pixels, channels], 4).unwrap();
        let list = clamps(channels, DType::U8, DType::U8);
        let plan = Plan::new(Clamps::along(1, &list), &layout, &layout, Limits::default()).unwrap();
        let most = plan.strategy.assignments().map(|one| one.region.len()).max();
        assert!(most > Some(layout.len() - 4000) && plan.to_string().contains("(16 (far to far)"), "{plan}");
    }
}

#[test]
fn f64_is_fast_where_the_device_has_it() {
    let (src, dst) = (packed(&[64, 64]), packed(&[64, 64]).permute(&[1, 0]).unwrap());
    let step = Clamp::unbounded(DType::F64).with_affine(1.1, 0.3).unwrap();
    let [exact, fast] = ["exact", "fast"].map(|step| {
        format!(
            "f64, {step} affine step, two buffers, windows: 1, boxes kernel for 4096 elements \
             (2 (1 to 64) × 2 (64 to 1), by packets, in squares)"
        )
    });
    for (f64_arithmetic, precision, expected) in [
        (false, Precision::Fast, &exact),
        (true, Precision::Fast, &fast),
        (false, Precision::Exact, &exact),
        (true, Precision::Exact, &exact),
    ] {
        let limits = Limits { f64_arithmetic, ..Limits::default() };
        let plan = Plan::new(step.with_precision(precision), &src, &dst, limits).unwrap();
        assert_eq!(plan.to_string(), *expected);
    }
}

#[test]
fn channels_that_are_alike_are_one_clamp() {
    let clamp = Clamp::new(-1.0_f32, 1.0).with_affine(0.5, 0.25).unwrap();
    let layout = packed(&[4, 6, 10]);
    let limits = Limits::default();
    let one = Plan::new(clamp, &layout, &layout, limits).unwrap();
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
        assert_eq!(of((&clamp).into(), &line, &line, limits), "u8, no affine step, stream");
    }
    let halved = Clamp::unbounded(DType::F16).with_source(DType::U8).unwrap().with_affine(0.5, 0.0).unwrap();
    let (planes, pixels) = (packed(&[3, 4001]), packed(&[4001, 3]).permute(&[1, 0]).unwrap());
    assert_eq!(
        of((&halved).into(), &pixels, &planes, Limits::default()),
        "u8 to f16, fast affine step, stream"
    );
    let list = clamps(3, DType::U8, DType::U8);
    assert_eq!(
        of(Clamps::along(0, &list), &pixels, &planes, Limits::default()),
        "u8, no affine step, numbers in a table, stream"
    );
}

#[test]
fn too_many_windows_name_the_axis() {
    let clamp = Clamp::unbounded(DType::U8);
    let limits = Limits { max_binding_size: 1024, ..Limits::default() };
    let far = strided(&[3, 100_000, 2], &[1, 4096, 2], 0);
    let error = Plan::new(clamp, &far, &packed(&[3, 100_000, 2]), limits).unwrap_err();
    assert_eq!(
        error.to_string(),
        "dst: max_windows is 65536, but 300000 is needed; axis 1 is to blame, with this device's \
         max_storage_buffer_binding_size of 1024 and max_compute_workgroups_per_dimension of 65535: create the device \
         with its adapter's limits, split the tensor along the axis, or move neighbours along the axis closer"
    );

    let tiny = Limits { max_binding_size: 256, ..Limits::default() };
    let error = Plan::new(clamp, &packed(&[1000]), &packed(&[1000]), tiny).unwrap_err();
    assert!(matches!(error, Error::Limit { limit: 256, .. }), "{error:?}");
}

/// The documentation of [`Clamps`] names these numbers of channels.
#[test]
fn a_binding_holds_so_many_channels() {
    let limits = Limits { max_binding_size: 128 << 20, ..Limits::default() };
    let f32 = Clamp::unbounded(DType::F32).with_bounds(Number::OnGpu, Number::Absent).unwrap();
    let step = f32.with_affine(Number::OnGpu, Number::Absent).unwrap();
    for (clamp, most) in
        [(f32, 8_388_608), (step, 8_388_608), (step.with_precision(Precision::Exact), 8_388_608)]
    {
        let of = |channels| {
            let line = packed(&[channels]);
            Plan::new(Clamps::slots_along(0, clamp), &line, &line, limits).map(|_| ())
        };
        assert_eq!(of(most), Ok(()));
        assert!(matches!(of(most + 1), Err(Error::Limit { .. })), "{most}");
    }
}

/// No binding is long enough for this alignment.
#[test]
fn an_alignment_that_no_binding_suits_is_to_blame() {
    let clamp = Clamp::unbounded(DType::U8);
    let line = packed(&[129]);
    let limits = Limits { max_binding_size: u64::MAX, binding_alignment: 1 << 47, ..Limits::default() };
    assert_eq!(Plan::new(clamp, &line, &line, limits).unwrap().window_count(), 1);
    let far = strided(&[129], &[1], (1 << 47) - 64);
    let error = Plan::new(clamp, &far, &far, limits).unwrap_err();
    let expected = "device: min_storage_buffer_offset_alignment is 140737488355328, but 256 is needed; \
                    `wgpu::Limits::downlevel_defaults()` suffices";
    assert_eq!(error.to_string(), expected);
}

/// Clamps from one dtype to another, with up to 128 different Mins.
fn clamps(count: usize, source: DType, dtype: DType) -> Vec<Clamp> {
    let of = |bits| {
        Clamp::unbounded(dtype).with_bounds(Scalar::from_bits(dtype, bits).unwrap(), Number::Absent).unwrap()
    };
    (0..count as u64).map(|i| of(i % 128).with_source(source).unwrap()).collect()
}

/// Tiles make up their regions, and regions the tensor. A dispatch's entry point is that of its kernel.
#[test]
fn windows_cover_each_element_once() {
    let mut windows = 0;
    for (n, (src, dst, axis)) in clamp_testing::layouts::of_users().into_iter().enumerate() {
        let [src, dst] = [src, dst].map(|one| strided(one.shape(), one.strides(), one.offset()));
        let list = clamps(src.shape()[axis], DType::U8, DType::F32);
        let small =
            Limits { max_binding_size: 1 << 15, max_workgroups_per_dimension: 3, ..Limits::default() };
        for limits in [Limits::default(), Limits { cpu: n % 2 == 1, ..small }] {
            // A small binding holds no table of many channels.
            let Ok(plan) = Plan::new(Clamps::along(axis, &list), &src, &dst, limits) else { continue };
            let regions = plan.strategy.assignments().map(|one| one.region.len());
            assert_eq!(regions.sum::<usize>(), dst.len(), "{plan:?}");
            for one in plan.strategy.assignments() {
                let tiles = (0..one.windows()).map(|n| one.nth_tile(n).extents.iter().product::<usize>());
                assert_eq!(tiles.sum::<usize>(), one.region.len(), "{plan:?}");
            }
            for window in plan.windows() {
                for dispatch in &window.launch.dispatches {
                    assert_eq!(dispatch.kernel.name(), dispatch.entry_point.name, "{plan}");
                }
                windows += 1;
            }
        }
    }
    assert!(windows > 1_000, "{windows}");
}

#[test]
fn a_recording_refuses_numbers_that_are_not_the_plans() {
    let layout = packed(&[3, 40]);
    let clamp = Clamp::new(1_u8, 200);
    let list = [clamp, Clamp::at_most(7_u8), Clamp::at_most(9_u8)];
    let plan = Plan::new(Clamps::along(0, &list), &layout, &layout, Limits::default()).unwrap();
    let told = |clamps: Clamps<'_>, plan: &Plan, slots| match plan.recording(clamps, slots) {
        Ok(recording) => format!("{} dispatches", recording.dispatches.len()),
        Err(error) => error.to_string(),
    };
    assert_eq!(told(Clamps::along(0, &list), &plan, [None; 4]), "1 dispatches");
    let halved = clamp.with_affine(0.5, 0.0).unwrap();
    let rounded = Clamp::at_most(7_u8).with_rounding(Rounding::NearestEven);
    for wrong in [&list[..1], &list[..2], &[clamp; 2], &[clamp, halved, clamp], &[clamp, rounded, clamp]] {
        let error = told(Clamps::along(0, wrong), &plan, [None; 4]);
        assert!(error.starts_with("clamps: "), "{error}");
    }
    let max = Number::from(Scalar::new(DType::U8, 200));
    let on_gpu = Clamp::unbounded(DType::U8).with_bounds(Number::OnGpu, max).unwrap();
    let plan = Plan::new(Clamps::slots_along(0, on_gpu), &layout, &layout, Limits::default()).unwrap();
    let (one, three, two) = (Some(packed(&[])), Some(packed(&[3])), Some(packed(&[2])));
    let far = Some(Layout::packed_at(&[], isize::MAX.cast_unsigned()).unwrap());
    for (slots, expected) in [
        ([three, None, None, None], "2 dispatches"),
        ([one, None, None, None], "2 dispatches"),
        (
            [None; 4],
            "min: the number is `Number::OnGpu`, and there is no slot; 1 element is needed, or [3] of them",
        ),
        ([two, None, None, None], "min: the slot has shape [2]; 1 element is needed, or [3] of them"),
        (
            [three, one, None, None],
            "max: there is a slot, but the number is not `Number::OnGpu`; 1 element is needed, or [3] of them",
        ),
    ] {
        assert_eq!(told(Clamps::slots_along(0, on_gpu), &plan, slots), expected);
    }
    // A slot may have any shape that broadcasts to the axis.
    let [column, line] = [strided(&[1, 3, 1], &[7, 5, 9], 0), strided(&[3], &[5], 0)]
        .map(|slot| plan.recording(Clamps::slots_along(0, on_gpu), [Some(slot), None, None, None]).unwrap());
    assert_eq!(column, line);
    // The last element of a layout ends within 2^63 bytes, and no binding reaches it from within an alignment.
    _ = plan.recording(Clamps::slots_along(0, on_gpu), [far, None, None, None]);
    // No buffer holds it, or a dispatch reads each of two.
    let scaled = Clamp::unbounded(DType::F32).with_affine(Number::OnGpu, Number::Absent).unwrap();
    let layout = packed(&[2, 40]);
    let plan = Plan::new(Clamps::slots_along(0, scaled), &layout, &layout, Limits::default()).unwrap();
    let told = |slot| told(Clamps::slots_along(0, scaled), &plan, [None, None, slot, None]);
    let error = told(far);
    assert!(
        error.starts_with("scale: f32 elements of shape [], ") && error.contains("2^64 bytes"),
        "{error}"
    );
    assert_eq!(told(Some(strided(&[2], &[1 << 61], 0))), "3 dispatches");
}
