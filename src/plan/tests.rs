//! Plans without a GPU: what they collapse to, and which elements their dispatches reach.

use proptest::prelude::*;

use super::geometry::{Geometry, grid};
use super::piece::Dim;
use super::*;
use crate::arithmetic::{ContiguousGeometry, WalkGeometry};
use crate::shader::{Constants, EntryPoint, Kernel, PACKETS_PER_INVOCATION, WORKGROUP_SIZE};
use crate::{DType, Precision};

fn plan(dtype: DType, src: &Layout, dst: &Layout) -> Plan {
    Plan::new(&Clamp::unbounded(dtype), src, dst, Limits::default()).unwrap()
}

fn packed(shape: &[usize]) -> Layout {
    Layout::packed(shape).unwrap()
}

fn kernels(plan: &Plan) -> Vec<Kernel> {
    plan.pieces.iter().map(|piece| piece.kernel).collect()
}

fn is_contiguous(plan: &Plan) -> bool {
    kernels(plan) == [Kernel::Contiguous]
}

/// Of each dimension: extent, stride of src, stride of dst.
fn dims(plan: &Plan) -> Vec<(usize, isize, isize)> {
    plan.pieces.iter().flat_map(Piece::dims).map(|dim: &Dim| (dim.extent, dim.src, dim.dst)).collect()
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
    let line = packed(&[64]);
    let front = line.slice(0, 0..32).unwrap();
    for (src, dst) in [
        (line, line.flip(0).unwrap()),
        (line.step(0, 2).unwrap(), front),
        (front, line.slice(0, 1..33).unwrap()), // another distance from a packet
        (packed(&[1]).broadcast_to(&[64]).unwrap(), line),
        (packed(&[8, 8]), packed(&[8, 8]).permute(&[1, 0]).unwrap()),
    ] {
        assert!(!is_contiguous(&plan(DType::U8, &src, &dst)), "{src:?} {dst:?}");
    }
    // The same distance, a packet apart.
    assert!(is_contiguous(&plan(DType::U8, &front, &line.slice(0, 16..48).unwrap())));
}

/// Eight dimensions, all with gaps: single elements at one place in their words, and no room for a ninth dimension.
#[test]
fn eight_dimensions_in_phase_are_words() {
    let gaps = (0..8).fold(packed(&[4; 8]), |layout, axis| layout.step(axis, 2).unwrap());
    let plan = plan(DType::F16, &gaps, &gaps);
    assert_eq!(kernels(&plan), [Kernel::Words]);
    let window = plan.windows().next().unwrap();
    assert_eq!(reached(&plan, &window, true).len(), 2 * 256);
}

/// Which kernel takes what.
#[test]
fn kernels_suit_their_layouts() {
    use Kernel::{Fill, Rows, Spread, Strided, Transposed, Words};
    let matrix = packed(&[64, 80]);
    let padded = |pitch| packed(&[64, pitch]).slice(1, 0..80).unwrap();
    let column = packed(&[64, 1]).broadcast_to(&[64, 80]).unwrap();
    let row = packed(&[1, 80]).broadcast_to(&[64, 80]).unwrap();
    let transposed = |rows, columns| packed(&[rows, columns]).permute(&[1, 0]).unwrap();
    let pixels =
        |range: std::ops::Range<usize>| packed(&[100, 4]).slice(0, range).unwrap().slice(1, 1..4).unwrap();
    let shifted = |rows| Layout::strided(&[rows, 3], &[3, 1], 1).unwrap();
    let first = |pitch| packed(&[64, pitch]).slice(1, 0..3).unwrap();
    for (dtype, src, dst, expected) in [
        (DType::F32, matrix, padded(96), vec![Rows]),
        (DType::F32, padded(81), padded(83), vec![Rows]),
        // Too short for edges.
        (DType::U8, padded(81), padded(83), vec![Words]),
        (DType::U8, matrix, padded(96), vec![Rows]),
        (DType::U16, column, matrix, vec![Fill]),
        (DType::U16, row, matrix, vec![Rows]),
        (DType::U8, transposed(80, 64), matrix, vec![Transposed]),
        (DType::F64, transposed(80, 64), matrix, vec![Transposed]),
        (DType::F32, transposed(83, 64), packed(&[64, 83]), vec![Strided]),
        (DType::F16, transposed(83, 64), packed(&[64, 83]), vec![Words]),
        (DType::U8, first(4), first(4), vec![Spread]),
        (DType::U8, packed(&[64, 3]), pixels(0..64), vec![Spread]),
        (DType::U8, packed(&[70, 3]), pixels(0..70), vec![Spread, Words]),
        // Six lines behind them are what the last packet of src is filled up with.
        (DType::U8, shifted(70), pixels(0..70), vec![Spread, Words]),
        (DType::U8, shifted(69), pixels(0..69), vec![Words]),
        (DType::U8, shifted(90), pixels(3..93), vec![Spread, Words, Words]),
        (DType::U8, packed(&[64]).step(0, 3).unwrap(), packed(&[64]).step(0, 3).unwrap(), vec![Strided]),
        (DType::U16, packed(&[256]).step(0, 2).unwrap(), packed(&[256]).step(0, 2).unwrap(), vec![Spread]),
        (DType::U16, packed(&[128]), packed(&[256]).step(0, 2).unwrap(), vec![Spread]),
        (DType::U16, packed(&[64]).flip(0).unwrap(), packed(&[128]).step(0, 2).unwrap(), vec![Words]),
    ] {
        assert_eq!(kernels(&plan(dtype, &src, &dst)), expected, "{dtype} {src:?} {dst:?}");
    }
    // Squares, what is left of the rows, and what is left of the columns.
    let odd = packed(&[96, 64]).slice(0, 0..83).unwrap().slice(1, 0..61).unwrap();
    let (src, dst) = (odd.permute(&[1, 0]).unwrap(), packed(&[64, 96]).slice(0, 0..61).unwrap());
    let dst = dst.slice(1, 0..83).unwrap();
    assert_eq!(kernels(&plan(DType::F32, &src, &dst)), [Transposed, Strided, Strided]);
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
fn grids_hold_every_workgroup_and_hardly_more() {
    let limits = Limits { max_workgroups_per_dimension: 100, ..Limits::default() };
    for workgroups in 1..=10_000_u64 {
        let [x, y] = grid(workgroups, limits).map(u64::from);
        assert!(x <= 100 && y <= 100, "{workgroups}: {x} x {y}");
        assert!(x * y >= workgroups && x * y < workgroups + x, "{workgroups}: {x} x {y}");
        assert!(y == 1 || x.abs_diff(y) <= 2 || x == 100 || y == 100, "{workgroups}: {x} x {y}");
    }
    assert_eq!(grid(0, limits)[0], 0);
}

#[test]
fn bindings_suit_the_device() {
    let limits = Limits { binding_alignment: 64, ..Limits::default() };
    let deep = Layout::strided(&[10], &[1], 1001).unwrap();
    let plan = Plan::new(&Clamp::unbounded(DType::I16), &deep, &deep, limits).unwrap();
    let window = plan.windows().next().unwrap();
    // Elements 1001 to 1010 are bytes 2002 to 2021.
    assert_eq!(window.src, Range { offset: 1984, size: 2024 - 1984 });

    // What Vulkan and DX12 can bind, even if a device claims more.
    let limits = Limits { max_binding_size: u64::MAX, ..Limits::default() };
    let huge = packed(&[1 << 31]);
    let plan = Plan::new(&Clamp::unbounded(DType::U8), &huge, &huge, limits).unwrap();
    assert_eq!(plan.window_count(), 2);
    assert!(plan.windows().all(|window| window.src.size.max(window.dst.size) <= 0x7fff_fffc));
}

#[test]
fn packets_of_lines_fit_into_their_bindings() {
    // The lines end within a binding, the last packet of src does not.
    let limits = Limits { max_binding_size: 4104, binding_alignment: 16, ..Limits::default() };
    let src = Layout::strided(&[2, 80, 3], &[3908, 3, 1], 0).unwrap();
    let dst = Layout::strided(&[2, 80, 3], &[320, 4, 1], 0).unwrap();
    let plan = Plan::new(&Clamp::unbounded(DType::U8), &src, &dst, limits).unwrap();
    assert_eq!(kernels(&plan)[0], Kernel::Spread);
    assert!(plan.windows().all(|window| window.src.size <= limits.max_binding_size));

    // Strides near the end of the integers.
    let far = Layout::strided(&[2, 128], &[1 << 62, 2], 0).unwrap();
    let plan = Plan::new(&Clamp::unbounded(DType::U16), &packed(&[2, 128]), &far, Limits::default()).unwrap();
    assert_eq!((kernels(&plan), plan.window_count()), (vec![Kernel::Spread], 2));
}

/// What is loaded in place is what the invocation stores.
#[test]
fn rows_in_place_are_not_shifted() {
    let odd = packed(&[64, 81]).slice(1, 1..81).unwrap();
    let plan = Plan::in_one_buffer(&Clamp::unbounded(DType::F32), &odd, &odd, Limits::default()).unwrap();
    assert_eq!(kernels(&plan), [Kernel::Rows]);
    let mut dispatches = plan.windows().flat_map(|window| window.dispatches().collect::<Vec<_>>());
    assert!(dispatches.all(|dispatch| !dispatch.constants.shifted));
}

#[test]
fn windows_are_few_and_whole() {
    // 1 GiB in bindings of 128 MiB, from the middle of a packet.
    let clamp = Clamp::unbounded(DType::F32);
    let line = Layout::strided(&[1 << 28], &[1], 3).unwrap();
    let plan = Plan::new(&clamp, &line, &line, Limits::default()).unwrap();
    assert_eq!(plan.window_count(), 9);
    // All but the ends are whole packets.
    assert_eq!(plan.dispatches(), 11);

    // A transpose: both sides are cut.
    let (rows, columns) =
        (packed(&[1 << 14, 1 << 14]), packed(&[1 << 14, 1 << 14]).permute(&[1, 0]).unwrap());
    let plan = Plan::new(&clamp, &rows, &columns, Limits::default()).unwrap();
    assert!((64..=100).contains(&plan.window_count()), "{plan:?}");
}

#[test]
fn f64_is_fast_where_the_device_has_it() {
    let (src, dst) = (packed(&[64, 64]), packed(&[64, 64]).permute(&[1, 0]).unwrap());
    let step = Clamp::unbounded(DType::F64).with_affine_f64(1.1, 0.3).unwrap();
    let exact = "f64, exact affine step, strided kernel, two buffers, windows: 1";
    let fast = "f64, fast affine step, transposed kernel, two buffers, windows: 1";
    for (f64_arithmetic, precision, expected) in [
        (false, Precision::Fast, exact),
        (true, Precision::Fast, fast),
        (false, Precision::Exact, exact),
        (true, Precision::Exact, exact),
    ] {
        let limits = Limits { f64_arithmetic, ..Limits::default() };
        let plan = Plan::new(&step.with_precision(precision), &src, &dst, limits).unwrap();
        assert_eq!(plan.to_string(), expected);
    }
}

#[test]
fn too_many_windows_name_the_axis() {
    let clamp = Clamp::unbounded(DType::U8);
    let limits = Limits { max_binding_size: 1024, ..Limits::default() };
    let far = Layout::strided(&[3, 100_000, 2], &[1, 4096, 2], 0).unwrap();
    let error = Plan::new(&clamp, &far, &packed(&[3, 100_000, 2]), limits).unwrap_err();
    assert_eq!(error, Error::TooManyWindows { axis: 1, windows: 300_000, limit: 65_536 });
    assert!(error.to_string().contains("axis 1"));

    let tiny = Limits { max_binding_size: 256, ..Limits::default() };
    let error = Plan::new(&clamp, &packed(&[1000]), &packed(&[1000]), tiny).unwrap_err();
    assert!(matches!(error, Error::DeviceLimit { limit: 256, .. }), "{error:?}");
}

/// The addresses that a window's dispatches read and write, in bytes of the whole buffers, one pair per byte.
fn reached(plan: &Plan, window: &Window, adjacent: bool) -> Vec<(u64, u64)> {
    let size = plan.clamp.dtype().size() as u64;
    let element =
        |src: u32, dst: u32| (0..size).map(move |i| (u64::from(src) * size + i, u64::from(dst) * size + i));
    let mut bytes = Vec::new();
    for dispatch in window.dispatches() {
        let workgroups = u64::from(dispatch.grid[0]) * u64::from(dispatch.grid[1]);
        match (&window.geometry, dispatch.entry_point) {
            (Geometry::Contiguous(g), EntryPoint::Body) => {
                assert_eq!(g.row, dispatch.grid[0]);
                assert!(
                    u64::from(g.count) <= workgroups * u64::from(WORKGROUP_SIZE * PACKETS_PER_INVOCATION)
                );
                bytes.extend(body(g));
            }
            (Geometry::Contiguous(g), _) => {
                let body = g.first * 16..(g.first + g.count) * 16;
                for byte in (g.begin..g.end).filter(|byte| !body.contains(byte)) {
                    // An edge invocation takes the packet of the first byte or that of the end.
                    assert!(byte / 16 == g.begin / 16 || byte / 16 == g.end / 16);
                    let from = u64::from((byte / 16).wrapping_add(g.src_shift)) * 16;
                    bytes.push((from + u64::from(byte % 16), byte.into()));
                }
            }
            (Geometry::Walk(g), EntryPoint::Transposed) => {
                assert_eq!(g.row, dispatch.grid[0]);
                assert!(u64::from(g.count) <= workgroups);
                let squares = dispatch.constants.squares.into();
                transposed(g, PACKET as u64 / size, squares, &mut |src, dst| bytes.extend(element(src, dst)));
            }
            (Geometry::Walk(g), EntryPoint::Spread) => {
                assert_eq!(g.row, dispatch.grid[0]);
                assert!(u64::from(g.count) <= workgroups * u64::from(WORKGROUP_SIZE));
                let line_bytes = dispatch.constants.line_bytes.into();
                bytes.extend(
                    (0..g.count).flat_map(|n| spread(g, n, size as u32, line_bytes, window.src.size)),
                );
            }
            (Geometry::Walk(g), EntryPoint::RowLast) => {
                assert_eq!(dispatch.grid, [1, 1]);
                let at = At { step: 0, second: 0, src: g.last_src, dst: g.last_dst };
                let (_, last, left_out) = whole(g, &at, size);
                let lanes = 16 / size as u32;
                let row = units(g, &at, last - u32::from(left_out), last, lanes);
                let src = |dst: u32| at.src.wrapping_add((dst - at.dst).wrapping_mul(g.src_step));
                bytes.extend(row.flat_map(|dst| element(src(dst), dst)));
            }
            (Geometry::Walk(g), entry_point) => {
                let edges = entry_point == EntryPoint::RowEdges;
                let (row, count) =
                    if edges { (g.edge_row, g.rows << g.edge_shift) } else { (g.row, g.count) };
                assert_eq!(row, dispatch.grid[0]);
                assert!(u64::from(count) <= workgroups * u64::from(WORKGROUP_SIZE));
                let constants = dispatch.constants;
                assert!(g.dims[constants.rank.into()..].iter().all(|dim| dim[0] == 1));
                // The row that each word of several elements was reached from.
                let mut owners = std::collections::HashMap::new();
                let edge = 1_u32 << g.edge_shift;
                let places = (0..count).flat_map(|number| {
                    let (starts, i): (Vec<_>, u32) = if edges {
                        (
                            row_start(g, constants, number / edge, adjacent).into_iter().collect(),
                            number % edge,
                        )
                    } else {
                        (places(g, constants, number, adjacent), 0)
                    };
                    let starts = starts.into_iter().flat_map(|at| repeats(g, constants, at, size));
                    starts.map(move |at| (at, i)).collect::<Vec<_>>()
                });
                for (at, i) in places {
                    let ranges = match entry_point {
                        EntryPoint::Strided => vec![std::ops::Range { start: at.dst, end: at.dst + 1 }],
                        EntryPoint::Words if constants.in_steps => vec![word(g, &at, at.step, size)],
                        EntryPoint::Words => {
                            (0..constants.packets.into()).map(|i| word(g, &at, i, size)).collect()
                        }
                        EntryPoint::RowEdges => vec![edge_unit(g, &at, i, size, constants.with_last)],
                        _ => packets(g, &at, size, constants, adjacent),
                    };
                    if entry_point == EntryPoint::Rows && !constants.shifted {
                        assert_eq!((at.src * size as u32) % 16, (at.dst * size as u32) % 16);
                    }
                    for dst in ranges.into_iter().flatten() {
                        if matches!(entry_point, EntryPoint::Words | EntryPoint::RowEdges) {
                            assert!(!constants.src_in_rows || g.src_step == 1);
                            let owner = *owners.entry(u64::from(dst) * size / 4).or_insert(at.dst);
                            assert!(!constants.owned || owner == at.dst, "a word of two rows");
                        }
                        let i = dst.wrapping_sub(at.dst);
                        let step = if entry_point == EntryPoint::Strided { 0 } else { g.src_step };
                        bytes.extend(element(at.src.wrapping_add(i.wrapping_mul(step)), dst));
                    }
                }
            }
        }
    }
    for (src, dst) in &mut bytes {
        assert!(*src < window.src.size && *dst < window.dst.size, "outside the binding");
        *src += window.src.offset;
        *dst += window.dst.offset;
    }
    bytes
}

/// The whole packets of the contiguous kernel, byte by byte.
fn body(g: &ContiguousGeometry) -> impl Iterator<Item = (u64, u64)> {
    let packet = PACKET as u64;
    (g.first..g.first + g.count).flat_map(move |at| {
        let from = u64::from(at.wrapping_add(g.src_shift)) * packet;
        (0..packet).map(move |i| (from + i, u64::from(at) * packet + i))
    })
}

/// As in `kernel/walk.wgsl`, from the dimension `first` on.
#[derive(Clone, Copy)]
struct At {
    /// The indices in the first dimension and in the second.
    step: u32,
    second: u32,
    src: u32,
    dst: u32,
}

fn place(g: &WalkGeometry, first: usize, number: u32) -> At {
    let mut at = At { step: 0, second: 0, src: g.src_start, dst: g.dst_start };
    let mut rest = number;
    for d in first..8 {
        let [extent, src, dst, factor] = g.dims[d];
        let quotient = ((u64::from(rest << 1) * u64::from(factor)) >> 32) as u32 >> g.shifts[d];
        assert_eq!(quotient, rest / extent);
        let i = rest - quotient * extent;
        rest = quotient;
        at.src = at.src.wrapping_add(i.wrapping_mul(src));
        at.dst = at.dst.wrapping_add(i.wrapping_mul(dst));
        match d {
            0 => at.step = i,
            1 => at.second = i,
            _ => {}
        }
    }
    assert_eq!(rest, 0);
    at
}

/// The lines of an invocation, or its place in a row.
fn places(g: &WalkGeometry, constants: Constants, number: u32, adjacent: bool) -> Vec<At> {
    if constants.in_steps {
        return vec![place(g, 0, number)];
    }
    (0..constants.lines.into()).filter_map(|j| line(g, constants, number, j, adjacent)).collect()
}

fn line(g: &WalkGeometry, constants: Constants, number: u32, j: u32, adjacent: bool) -> Option<At> {
    let at = place(g, 0, number);
    let index = if adjacent { at.step * u32::from(constants.lines) + j } else { at.step + j * g.dims[0][0] };
    let ahead = index - at.step;
    let [_, src, dst, _] = g.dims[0];
    let src = at.src.wrapping_add(ahead.wrapping_mul(src));
    let dst = at.dst.wrapping_add(ahead.wrapping_mul(dst));
    (index < g.lines).then_some(At { step: 0, second: 0, src, dst })
}

/// The rows of dst that come from one in src.
fn repeats(g: &WalkGeometry, constants: Constants, at: At, size: u64) -> Vec<At> {
    if !constants.repeated {
        return vec![at];
    }
    assert!(constants.in_steps && constants.packets == 4 && (1..=8).contains(&g.repeats));
    let count = g.repeats.min(g.repeated_rows - at.second * g.repeats);
    let pitch = g.repeat_pitch * (16 / size as u32);
    (0..count).map(|i| At { dst: at.dst + i * pitch, ..at }).collect()
}

fn row_start(g: &WalkGeometry, constants: Constants, row: u32, adjacent: bool) -> Option<At> {
    let lines = u32::from(constants.lines);
    if constants.in_steps {
        Some(place(g, 1, row))
    } else {
        line(g, constants, row / lines, row % lines, adjacent)
    }
}

/// The whole packets of a row, as in `kernel/row_edges.wgsl`.
fn whole(g: &WalkGeometry, at: &At, size: u64) -> (u32, u32, bool) {
    let size = size as u32;
    let begin = at.dst * size;
    let first = begin.div_ceil(16);
    let last = first.max((begin + g.length * size) / 16);
    let src_end = (at.src * size).wrapping_add(last * 16).wrapping_sub(begin);
    (first, last, last > first && src_end.div_ceil(16) > g.src_packets)
}

/// The elements of a row that lie in the units from `unit` to `end`.
fn units(g: &WalkGeometry, at: &At, unit: u32, end: u32, lanes: u32) -> std::ops::Range<u32> {
    (unit * lanes).max(at.dst)..(end * lanes).min(at.dst + g.length)
}

fn packets(
    g: &WalkGeometry,
    at: &At,
    size: u64,
    constants: Constants,
    adjacent: bool,
) -> Vec<std::ops::Range<u32>> {
    let (first, last, left_out) = whole(g, at, size);
    let last = last - u32::from(left_out);
    let count = u32::from(constants.packets);
    let adjacent = adjacent || !constants.in_steps;
    let (first, stride) =
        if adjacent { (first + at.step * count, 1) } else { (first + at.step, g.dims[0][0]) };
    (0..count)
        .map(|i| first + i * stride)
        .filter(|&packet| packet < last)
        .map(|packet| units(g, at, packet, packet + 1, 16 / size as u32))
        .collect()
}

fn edge_unit(g: &WalkGeometry, at: &At, i: u32, size: u64, with_last: bool) -> std::ops::Range<u32> {
    let lanes = 4_u32.div_ceil(size as u32);
    let per_packet = 16 / size.max(4) as u32;
    let (first, last, left_out) = whole(g, at, size);
    let last = last - u32::from(left_out && with_last);
    let end = (at.dst + g.length).div_ceil(lanes);
    let (unit, end) = if i < 4 {
        (at.dst / lanes + i, end.min(first * per_packet))
    } else {
        (last * per_packet + i - 4, end)
    };
    if unit < end { units(g, at, unit, unit + 1, lanes) } else { 0..0 }
}

fn word(g: &WalkGeometry, at: &At, i: u32, size: u64) -> std::ops::Range<u32> {
    let lanes = 4 / size as u32;
    let unit = at.dst / lanes + i;
    if unit * lanes < at.dst + g.length { units(g, at, unit, unit + 1, lanes) } else { 0..0 }
}

/// As in `kernel/spread.wgsl`: four packets of dst, byte by byte.
fn spread(g: &WalkGeometry, number: u32, size: u32, line_bytes: u32, src_size: u64) -> Vec<(u64, u64)> {
    let at = place(g, 0, number);
    let (src, dst) = (at.src * size, at.dst * size / 16 * 16);
    let last_packet = (src + 15 * line_bytes + g.length * size - 1) / 16;
    // Whole packets are loaded.
    assert!(u64::from(last_packet + 1) * 16 <= src_size);
    let bytes = (0..16_u32).flat_map(|line| (0..4_u32).map(move |byte| (line, byte)));
    bytes
        .filter(|(_, byte)| g.word_mask >> (8 * byte) & 0xff != 0)
        .map(|(line, byte)| {
            let from = src + line * line_bytes + byte - g.word_shift / 8;
            assert!(from / 16 <= last_packet);
            (from.into(), (dst + 4 * line + byte).into())
        })
        .collect()
}

/// As in `kernel/transposed.wgsl`; `side` is that of a square, in elements.
fn transposed(g: &WalkGeometry, side: u64, wide: u32, reach: &mut dyn FnMut(u32, u32)) {
    let side = side as u32;
    for number in 0..g.count {
        let (tile_x, tile_y) = (number % g.dims[0][0], number / g.dims[0][0] % g.dims[1][0]);
        let at = place(g, 0, number);
        for (x, y) in (0..256 / wide).flat_map(|y| (0..wide).map(move |x| (x, y))) {
            if tile_x * wide + x >= g.squares_along_src || tile_y * (256 / wide) + y >= g.squares_along_dst {
                continue;
            }
            let src = at.src.wrapping_add(x).wrapping_add((y * side).wrapping_mul(g.src_pitch));
            let dst = at.dst + x * side * g.dst_pitch + y;
            for (i, j) in (0..side).flat_map(|i| (0..side).map(move |j| (i, j))) {
                // Row i of the square in src is column i in dst.
                let row = src.wrapping_add(i.wrapping_mul(g.src_pitch));
                reach(row * side + j, (dst + j * g.dst_pitch) * side + i);
            }
        }
    }
}

fn any_layouts() -> impl Strategy<Value = (Layout, Layout)> {
    let extent = prop_oneof![4 => 1_usize..5, 1 => prop::sample::select(&[8, 16, 31, 32, 64, 68, 129])];
    let gap = prop_oneof![4 => 0_usize..3, 1 => Just(16)];
    // Often at a packet.
    let offset = |most| prop_oneof![1 => Just(0), 1 => Just(32), 2 => 0_usize..most];
    prop::collection::vec((extent, gap, any::<bool>(), any::<bool>(), any::<u16>()), 0..=8)
        .prop_flat_map(move |dims| {
            (Just(dims), offset(40), offset(300), prop::sample::select(&[1_usize, 1, 1, 2, 4]))
        })
        .prop_map(|(dims, src_offset, dst_offset, first)| {
            let mut shape: Vec<_> = dims.iter().map(|dim| dim.0).collect();
            // Up to some thousand elements.
            while shape.iter().product::<usize>() > 20_000 {
                *shape.iter_mut().max().unwrap() = 1;
            }
            let strided =
                |gap: bool, first: usize, flip: fn(&(usize, usize, bool, bool, u16)) -> bool, offset| {
                    let mut order: Vec<usize> = (0..shape.len()).collect();
                    order.sort_by_key(|&d| if gap { dims[d].4 } else { u16::MAX - d as u16 });
                    let mut strides = vec![0; shape.len()];
                    let mut step = first;
                    for d in order {
                        strides[d] = isize::try_from(step).unwrap();
                        step = step * shape[d] + if gap { dims[d].1 } else { 0 };
                    }
                    let mut layout = Layout::strided(&shape, &strides, offset).unwrap();
                    for axis in (0..shape.len()).filter(|&d| flip(&dims[d])) {
                        layout = layout.flip(axis).unwrap();
                    }
                    layout
                };
            (
                strided(true, 1, |dim| dim.2, src_offset),
                strided(dims.len() % 2 == 0, first, |dim| dim.3, dst_offset),
            )
        })
}

/// Lines of a word or less, packed or with gaps in src, in words in dst.
fn any_lines() -> impl Strategy<Value = (Layout, Layout)> {
    let phase = || prop::sample::select(&[0_usize, 0, 1, 2, 3]);
    let extent = prop::sample::select(&[64_usize, 70, 96, 131]);
    (1_usize..3, extent, 1_usize..4, [phase(), phase(), phase(), phase()], any::<[bool; 4]>()).prop_map(
        |(rows, count, length, [a, b, offset, skip], [packed, u16s, odd, flip])| {
            let lanes = if u16s { 2 } else { 4 };
            let length = if u16s { 1 } else { length };
            let in_words = |lane: usize, pad: usize, offset: usize| {
                let pitch = ((count + pad) * lanes).next_multiple_of(16) + usize::from(odd && offset > 0);
                let strides = [pitch, lanes, 1].map(usize::cast_signed);
                Layout::strided(&[rows, count, length], &strides, lane.min(lanes - length) + offset).unwrap()
            };
            let dst = in_words(a, b, 4 * skip);
            let dst =
                Layout::strided(dst.shape(), &[dst.strides()[0] & !15, dst.strides()[1], 1], dst.offset());
            let src = if packed {
                let pitch = count * length + b;
                let strides = [pitch, length, 1].map(usize::cast_signed);
                Layout::strided(&[rows, count, length], &strides, offset).unwrap()
            } else {
                in_words(b, a, offset)
            };
            (if flip { src.flip(0).unwrap() } else { src }, dst.unwrap())
        },
    )
}

/// Rows, broadcasts and transposes, often on packets.
fn any_matrices() -> impl Strategy<Value = (Layout, Layout)> {
    let extent = || prop::sample::select(&[3_usize, 16, 64, 65, 80, 129]);
    let pads = prop_oneof![
        prop::array::uniform5(prop::sample::select(&[0_usize, 16, 32])),
        prop::array::uniform5(prop::sample::select(&[0_usize, 16, 1, 3]))
    ];
    (1_usize..3, extent(), extent(), pads, 0..9, any::<bool>()).prop_map(
        |(batch, rows, columns, pads, kind, flip)| {
            let ([a, b, offset], dst_pad) = ([pads[0], pads[1], pads[2]], [pads[3], pads[4]]);
            let padded = |rows, columns, pad: [usize; 2], offset| {
                let outer = Layout::packed(&[batch, rows + pad[0], columns + pad[1]]).unwrap();
                let inner = outer.slice(1, 0..rows).unwrap().slice(2, pad[1]..pad[1] + columns).unwrap();
                Layout::strided(inner.shape(), inner.strides(), inner.offset() + offset).unwrap()
            };
            let src = match kind {
                0 => padded(rows, columns, [a, b], offset),
                1 => padded(rows, 1, [a, b], offset).broadcast_to(&[batch, rows, columns]).unwrap(),
                // A row to all rows.
                2 => padded(1, columns, [a, b], offset).broadcast_to(&[batch, rows, columns]).unwrap(),
                // A window that slides: rows share elements.
                3 => {
                    let strides = [(rows + columns).cast_signed(), 1, 1];
                    Layout::strided(&[batch, rows, columns], &strides, offset).unwrap()
                }
                _ => padded(columns, rows, [a, b], offset).permute(&[0, 2, 1]).unwrap(),
            };
            let src = if flip { src.flip(1).unwrap() } else { src };
            (src, padded(rows, columns, dst_pad, 0))
        },
    )
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
    prop_oneof![Just(Limits::default()), small]
}

proptest! {
    /// Each output element once, from the source element with the same index, and nothing else.
    #[test]
    fn a_plan_reaches_each_element_once(
        (src, dst) in prop_oneof![any_layouts(), any_matrices(), any_lines()],
        dtype in prop::sample::select(&DType::ALL),
        place in 0..3,
        limits in any_limits(),
        adjacent in any::<bool>(),
    ) {
        let size = dtype.size() as u64;
        let (src, placement) = match place {
            0 => (src, Placement::TwoBuffers),
            1 => (dst, Placement::OneBuffer),
            _ => {
                // Behind the destination in the same buffer.
                let behind = dst.span().map_or(0, |(_, highest)| highest + 1);
                let moved = src.span().map_or(0, |_| src.offset() + behind);
                (Layout::strided(src.shape(), src.strides(), moved).unwrap(), Placement::OneBuffer)
            }
        };
        let clamp = Clamp::unbounded(dtype);
        let plan = Plan::with_placement(&clamp, &src, &dst, placement, limits).unwrap();
        let mut reached: Vec<_> = plan.windows().flat_map(|window| reached(&plan, &window, adjacent)).collect();
        let mut expected: Vec<_> = src
            .addresses()
            .zip(dst.addresses())
            .flat_map(|(from, to)| (0..size).map(move |i| (from as u64 * size + i, to as u64 * size + i)))
            .collect();
        reached.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(reached, expected, "{:?}", plan);

        for window in plan.windows() {
            let (a, b) = (window.src, window.dst);
            prop_assert!(a.size.max(b.size) <= limits.max_binding_size);
            prop_assert!(a.offset % limits.binding_alignment == 0 && a.size % 4 == 0);
            prop_assert!(b.offset % limits.binding_alignment == 0 && b.size % 4 == 0);
            match window.placement {
                Placement::TwoBuffers => prop_assert_eq!(placement, Placement::TwoBuffers),
                Placement::OneBuffer => prop_assert_eq!(a, b),
                Placement::TwoRanges => {
                    prop_assert!(a.offset + a.size <= b.offset || b.offset + b.size <= a.offset);
                }
            }
            for dispatch in window.dispatches() {
                prop_assert!(dispatch.grid.iter().all(|&n| n >= 1 && n <= limits.max_workgroups_per_dimension));
            }
        }
    }
}
