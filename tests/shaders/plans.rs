//! Layouts for which a kernel is chosen with care, without a device, executed. The fuzz target `plan` has random ones.

use clamp_testing::executed::trial::{self, slots, values};
use clamp_testing::executed::{Count, Run, Trial};
use clamp_testing::harness::{packed, strided};
use wgpu_clamp::{Clamp, Clamps, DType, Layout, Limits, Number, Plan, Precision, Scalar};

/// Executes the plan of a clamp. Checks that each element of dst is allowed by its channel's clamp, and that all other
/// bytes stay.
fn try_out<'a>(
    clamps: impl Into<Clamps<'a>>,
    src: &Layout,
    dst: &Layout,
    one_buffer: bool,
    limits: Limits,
) -> Count {
    let clamps = clamps.into();
    let (value, slots) = (values(&clamps.as_slice()[0]), slots(clamps, dst.shape(), dst.len() as u64));
    let trial = Trial { clamps, src, dst, one_buffer, limits, value: &value, slots: &slots };
    trial.run(&Run::execute).unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn plan(dtype: DType, src: &Layout, dst: &Layout) -> Plan {
    Plan::new(Clamp::unbounded(dtype), src, dst, Limits::default()).unwrap()
}

/// The default limits, of a GPU and of a CPU.
fn gpu_and_cpu() -> [Limits; 2] {
    [false, true].map(|cpu| Limits::default().with(|limits| limits.cpu = cpu))
}

/// One clamp, or one per channel of an axis.
fn along(axis: Option<usize>, list: &[Clamp]) -> Clamps<'_> {
    axis.map_or_else(|| (&list[0]).into(), |axis| Clamps::along(axis, list))
}

/// The kernels of a plan in order: a stream that "steps" from element to element and boxes in "squares" go by these names.
fn kernels(plan: &Plan) -> Vec<&'static str> {
    let text = plan.to_string();
    let mut parts: Vec<&str> = text.split(" kernel for ").collect();
    let descriptions = parts.split_off(1);
    let names = parts.into_iter().chain(descriptions.iter().copied());
    let name = |(before, description): (&str, &&str)| {
        let own = description.rsplit_once(" + ").map_or(*description, |(own, _)| own);
        ["stream", "boxes", "words"].into_iter().find(|name| before.ends_with(name)).map(|name| match name {
            "stream" if own.contains("(any to") => "steps",
            "boxes" if own.contains("in squares") => "squares",
            name => name,
        })
    };
    names.zip(&descriptions).filter_map(name).collect()
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
    // Eight dimensions, the most that are allowed: one element per word, at the same place on both sides.
    let gaps = (0..8).fold(packed(&[4; 8]), |layout, axis| layout.step(axis, 2).unwrap());
    let interleaved = |pitch| strided(&[2, 80], &[pitch, 3], 0);
    let mut wrong = Vec::new();
    for (dtype, src, dst, expected) in [
        (DType::F16, gaps, gaps, vec!["words"]),
        (DType::F32, matrix, padded(96), vec!["stream"]),
        (DType::F32, padded(81), padded(83), vec!["stream"]),
        (DType::U8, padded(81), padded(83), vec!["stream"]),
        (DType::U8, matrix, padded(96), vec!["stream"]),
        (DType::U16, column, matrix, vec!["stream"]),
        (DType::U16, row, matrix, vec!["stream"]),
        (DType::U8, transposed(80, 64), matrix, vec!["squares"]),
        (DType::F64, transposed(80, 64), matrix, vec!["squares"]),
        // Squares in a single row, and in a single column.
        (DType::F32, transposed(20, 80), packed(&[80, 20]), vec!["squares"]),
        (DType::F32, transposed(80, 20), packed(&[20, 80]), vec!["squares"]),
        (DType::U16, transposed(80, 64), packed(&[64, 80]), vec!["squares"]),
        // Rows of no whole packets.
        (DType::F32, transposed(83, 64), packed(&[64, 83]), vec!["boxes"]),
        (DType::F16, transposed(83, 64), packed(&[64, 83]), vec!["steps"]),
        (DType::U8, transposed(4096, 3), packed(&[3, 4096]), vec!["boxes"]),
        (DType::U8, packed(&[3, 4096]), transposed(4096, 3), vec!["boxes"]),
        (DType::U8, first(4), first(4), vec!["boxes"]),
        (DType::U8, packed(&[640, 3]), pixels(0..640), vec!["boxes"]),
        (DType::U8, packed(&[700, 3]), pixels(0..700), vec!["boxes"]),
        (DType::U8, shifted(700), pixels(0..700), vec!["boxes"]),
        (DType::U8, shifted(699), pixels(0..699), vec!["boxes", "words"]),
        (DType::U8, shifted(900), pixels(3..903), vec!["boxes", "words", "words"]),
        // Pairs of bytes within words, at different places on both sides.
        (DType::U8, group(1), group(0), vec!["boxes"]),
        // Packets of dst begin at its second pixel. Packets of src begin at its second pixel, or at its first.
        (DType::U8, from(13), pixels(3..653), vec!["boxes", "words", "words"]),
        (DType::U8, from(16), pixels(3..653), vec!["boxes", "words", "words"]),
        (DType::U8, packed(&[64]).step(0, 3).unwrap(), packed(&[64]).step(0, 3).unwrap(), vec!["words"]),
        (DType::U16, packed(&[2560]).step(0, 2).unwrap(), packed(&[2560]).step(0, 2).unwrap(), vec!["boxes"]),
        (DType::U16, packed(&[1280]), packed(&[2560]).step(0, 2).unwrap(), vec!["boxes"]),
        (DType::U16, packed(&[64]).flip(0).unwrap(), packed(&[128]).step(0, 2).unwrap(), vec!["boxes"]),
        // Destination rows that share packets with bytes to preserve, so no packet is stored whole.
        (DType::U8, packed(&[2, 80]), interleaved(16), vec!["words"]),
        (DType::F32, packed(&[2, 80]), interleaved(4), vec!["words"]),
    ] {
        let plan = plan(dtype, &src, &dst);
        if kernels(&plan) != expected {
            wrong.push(format!("{plan}, not {expected:?}"));
        }
        for limits in gpu_and_cpu() {
            try_out(Clamp::unbounded(dtype), &src, &dst, false, limits);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// If a kernel does not suit a layout, or leaves a part of it, another one may take it.
#[test]
fn kernels_take_what_others_leave() {
    // Repeated rows that exceed a binding.
    let wide = packed(&[1, 17 << 18]).broadcast_to(&[8, 17 << 18]).unwrap();
    assert_eq!(kernels(&plan(DType::F32, &wide, &packed(&[8, 17 << 18]))), ["stream"]);
    // Each packet has elements of only one channel.
    let apart = strided(&[118, 2810, 2], &[8, 944, 4], 3);
    let list = clamps(118, DType::U16, DType::U16);
    let of_channels = Plan::new(Clamps::along(0, &list), &apart, &apart, Limits::default()).unwrap();
    assert!(kernels(&of_channels).iter().all(|kernel| *kernel == "boxes"), "{of_channels}");
    // Few elements: they are not worth a second dispatch.
    let (src, dst) = (strided(&[281, 2], &[25, 4], 0), strided(&[281, 2], &[4, 2], 7));
    assert_eq!(kernels(&plan(DType::I64, &src, &dst)).len(), 1);
}

/// Runs of eight dimensions with extents of 1, 2 and 3: elements that lie anywhere, in runs that begin anywhere in a packet
/// and end anywhere; with a clamp for each index of one dimension or one for all; in two buffers and in one.
#[test]
fn streams_step_through_eight_dimensions() {
    use DType::{F16, F32, I64, U8};
    let mut stepped = 0;
    for n in 0_usize..96 {
        let digit = |d: usize| ((n * 2_654_435_761) >> (2 * d)) % 4;
        let shape: [usize; 8] = std::array::from_fn(|d| 1 + (digit(d) + d + n) % 3);
        // src has the same dimensions in another order, some of them backwards, one of them repeated.
        let mut order: [usize; 8] = std::array::from_fn(|d| (3 * d + n) % 8);
        order.swap(n % 8, n / 8 % 8);
        let turned = packed(&order.map(|d| shape[d]));
        let mut back = [0; 8];
        order.iter().enumerate().for_each(|(place, d)| back[*d] = place);
        let mut src = turned.permute(&back).unwrap();
        for axis in (0..8).filter(|axis| digit(*axis) == 1) {
            src = src.flip(axis).unwrap();
        }
        let (source, dtype) =
            [(F32, F32), (U8, U8), (F16, F16), (U8, F32), (F32, U8), (I64, I64), (F32, F16)][n % 7];
        let axis = (n % 3 > 0).then_some(n % 8);
        let list: Vec<_> = clamps(axis.map_or(1, |axis| shape[axis]), source, dtype)
            .into_iter()
            .map(
                |clamp| if n % 5 == 0 && dtype != I64 { clamp.with_affine(0.5, 3.0).unwrap() } else { clamp },
            )
            .collect();
        for one_buffer in [false, true] {
            let behind = if one_buffer { src.len() * source.size() / dtype.size() + 16 } else { 0 };
            // Half of the runs have a gap after the fourth dimension.
            let mut outer = shape;
            outer[3] += n / 2 % 2;
            let dst = Layout::packed_at(&outer, behind + n % 16).unwrap().slice(3, 0..shape[3]).unwrap();
            for limits in gpu_and_cpu() {
                let plan = trial::plan(along(axis, &list), (&src, &dst), one_buffer, limits).unwrap();
                stepped += usize::from(plan.to_string().contains("(any to"));
                try_out(along(axis, &list), &src, &dst, one_buffer, limits);
            }
        }
    }
    assert!(stepped > 150, "{stepped}");
}

/// 65 and 129 boxes that pass through workgroup memory, the last of them alone in a workgroup or a part of it.
#[test]
fn the_last_exchanged_box_stores_its_own_packets() {
    for pixels in [1040, 2064, 16 * 257] {
        let rows = packed(&[pixels, 3]);
        let plan = plan(DType::U8, &rows.flip(0).unwrap(), &rows);
        assert!(plan.to_string().contains("exchanged"), "{plan}");
        try_out(Clamp::unbounded(DType::U8), &rows.flip(0).unwrap(), &rows, false, Limits::default());
    }
}

/// One run of pixels on both sides, with a clamp for each channel, any number of channels and any phase: in two buffers, in
/// one, in place, and cut into tiles.
#[test]
fn pixels_have_any_number_of_channels() {
    let mut met = [0; 3];
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
                let cut = Limits::default().with(|limits| {
                    limits.max_binding_size = 4 << 10;
                    limits.binding_alignment = 16;
                });
                for (src, one_buffer, limits) in [
                    (from, false, Limits::default()),
                    (from + behind.next_multiple_of(16), true, Limits::default()),
                    (to, true, Limits::default()),
                    (from, false, cut),
                ] {
                    let (src, dst) = (run(src).unwrap(), run(to).unwrap());
                    if src == dst && source.size() != dtype.size() {
                        continue;
                    }
                    let limits = limits.with(|limits| limits.cpu = (n + phase) % 2 == 1);
                    let plan = trial::plan(clamps, (&src, &dst), one_buffer, limits);
                    // A binding that holds no table of 128 channels cuts nothing.
                    let Ok(plan) = plan else { continue };
                    let kinds = ["a channel for each element", "far", "exchanged"];
                    for (count, words) in met.iter_mut().zip(kinds) {
                        *count += usize::from(plan.to_string().contains(words));
                    }
                    try_out(clamps, &src, &dst, one_buffer, limits);
                }
            }
        }
    }
    assert!(met.iter().all(|count| *count > 5), "{met:?}");
}

/// Leftover regions along two dimensions, gaps in dst, and channels with exact steps. Random plans found some of these.
#[test]
fn boxes_leave_parts_and_keep_channels_apart() {
    type Side = (&'static [isize], usize);
    type Case = (DType, &'static [usize], Side, Side, Option<usize>);
    let cases: [Case; 15] = [
        // An offset in dst, and five components.
        (DType::U8, &[1024, 5], (&[5, 1], 0), (&[1, 1024], 13), None),
        (DType::F32, &[1001, 6], (&[6, 1], 0), (&[1, 1004], 1), Some(1)),
        (DType::U64, &[31, 64], (&[1, 52], 1990), (&[64, 1], 5), None),
        // Four dimensions along which a box could grow.
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
        (DType::U8, &[1, 2], (&[1, 1], 0), (&[1, -1], 3), None),
        (DType::F16, &[1, 70, 1], (&[144, 2, 1], 1), (&[144, 2, 1], 0), None),
        (DType::F64, &[1, 131, 3], (&[528, 4, 1], 0), (&[528, 4, 1], 0), None),
        (DType::F16, &[2, 2, 2, 7], (&[1, 2, 4, 8], 0), (&[32, 16, 8, 1], 0), None),
    ];
    for (dtype, shape, src, dst, axis) in cases {
        let [src, dst] = [src, dst].map(|(strides, offset)| strided(shape, strides, offset));
        let step = |clamp: Clamp| clamp.with_affine(0.75, 3.0).unwrap();
        let list: Vec<_> = clamps(axis.map_or(1, |axis| shape[axis]), dtype, dtype)
            .into_iter()
            .map(|clamp| step(clamp).with_precision(Precision::Exact))
            .collect();
        let clamps = along(axis, &list);
        for one_buffer in [false, true] {
            let behind = if one_buffer { 1 << 22 } else { 0 };
            let dst = strided(shape, dst.strides(), dst.offset() + behind);
            let limits = Limits::default().with(|limits| limits.cpu = axis.is_some());
            try_out(clamps, &src, &dst, one_buffer, limits);
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
            for limits in gpu_and_cpu() {
                let plan = Plan::in_one_buffer(clamp, &pixels, &planes, limits).unwrap();
                assert!(kernels(&plan)[0] != "words", "{plan}");
                try_out(clamp, &pixels, &planes, true, limits);
            }
        }
    }
}

/// Includes lines where only the head (the elements before the first whole packet) would need another window.
#[test]
fn windows_reach_the_last_element_from_within_a_packet() {
    let clamp = Clamp::unbounded(DType::F32);
    let limits = Limits::default().with(|limits| {
        limits.max_binding_size = 512;
        limits.binding_alignment = 16;
    });
    let mut windows = 0;
    for (start, len) in (1..4).flat_map(|start| (1..=400).map(move |len| (start, len))) {
        let line = strided(&[len], &[1], start);
        let plan = Plan::new(clamp, &line, &line, limits).unwrap();
        assert_eq!(kernels(&plan).len(), 1, "{plan:?}");
        try_out(clamp, &line, &line, false, limits);
        windows = windows.max(plan.dispatches());
    }
    assert!(windows > 3, "{windows}");
}

/// Clamps from one dtype to another, with up to 128 different Mins.
fn clamps(count: usize, source: DType, dtype: DType) -> Vec<Clamp> {
    let of = |bits| {
        Clamp::unbounded(dtype).with_bounds(Scalar::from_bits(dtype, bits).unwrap(), Number::Absent).unwrap()
    };
    (0..count as u64).map(|i| of(i % 128).with_source(source).unwrap()).collect()
}
