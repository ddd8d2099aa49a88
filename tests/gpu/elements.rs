//! Every specialization on every value, or on edges and random ones: a million on a run, an eighth of them elsewhere.

use wgpu_clamp::{Clamp, DType, Layout, Number, Plan, Precision};

use crate::harness::{Gpu, Place, check, devices, exhaustive};
use crate::random::{Random, to_bytes};
use crate::values::{affine_pairs, elements, mask, plain_clamps, scalar_of, with_precisions};

/// Random patterns for the wider types: a million, or four with `cargo xtask test --exhaustive`.
fn random_patterns() -> usize {
    if exhaustive() { 4_000_000 } else { 1_000_000 }
}

/// How the elements lie, so that every kernel and every placement is met. The self-test has routes of its own: other shapes, and
/// three channels with a clamp each.
#[derive(Clone, Copy, Debug)]
enum Arrangement {
    Contiguous,
    ContiguousInPlace,
    /// The second half of a buffer from the first: one buffer, disjoint.
    ContiguousDisjoint,
    /// Every second element to reversed order, from an odd offset.
    Strided,
    StridedInPlace,
    /// Even elements to odd ones of one buffer: they share words.
    StridedDisjoint,
    /// Rows at any distance from a packet in src, at packets in dst.
    Rows,
    /// Rows with a pitch of whole packets.
    RowsInPlace,
    /// Some of the elements, each to a row of its own.
    Fill,
    /// A row to several rows, not a multiple of those that an invocation takes.
    Repeated,
    /// Columns to rows.
    Transposed,
    /// So many elements to each word, from groups without gaps between them, at any distance from a packet.
    Spread(usize),
    /// All but the first element of each word.
    SpreadInPlace,
}

const ARRANGEMENTS: [Arrangement; 11] = [
    Arrangement::Contiguous,
    Arrangement::ContiguousInPlace,
    Arrangement::ContiguousDisjoint,
    Arrangement::Strided,
    Arrangement::StridedInPlace,
    Arrangement::StridedDisjoint,
    Arrangement::Rows,
    Arrangement::RowsInPlace,
    Arrangement::Fill,
    Arrangement::Repeated,
    Arrangement::Transposed,
];

/// Those that only some dtypes can take: elements of a part of a word.
fn arrangements_for(dtype: DType) -> Vec<Arrangement> {
    let lanes = 32 / dtype.bits() as usize;
    (1..lanes).map(Arrangement::Spread).chain((lanes > 1).then_some(Arrangement::SpreadInPlace)).collect()
}

fn run(gpu: &Gpu, clamp: &Clamp, elements: &[u64], arrangement: Arrangement) {
    let dtype = clamp.dtype();
    let n = elements.len();
    let signed = n.cast_signed();
    let packed = Layout::packed(&[n]).unwrap();
    let line = |stride, offset| Layout::strided(&[n], &[stride], offset).unwrap();
    let sentinel = |count: usize| vec![0xa5; (count * dtype.size()).next_multiple_of(4)];
    // Elements at every second address, something else between them.
    let spread = |offset: usize| {
        let mut spread = vec![0x5a5a_5a5a_5a5a_5a5a & mask(dtype); 2 * n + 2];
        for (i, &bits) in elements.iter().enumerate() {
            spread[2 * i + offset] = bits;
        }
        to_bytes(dtype, &spread)
    };
    match arrangement {
        Arrangement::Contiguous => {
            let src = to_bytes(dtype, elements);
            check(gpu, clamp, (&packed, &src), (&packed, &sentinel(n)), Place::Apart);
        }
        Arrangement::ContiguousInPlace => {
            let src = to_bytes(dtype, elements);
            check(gpu, clamp, (&packed, &src), (&packed, &[]), Place::Same);
        }
        Arrangement::ContiguousDisjoint => {
            let mut src = to_bytes(dtype, elements);
            let back = src.len().next_multiple_of(16) / dtype.size();
            src.resize(2 * src.len().next_multiple_of(16), 0xa5);
            check(gpu, clamp, (&packed, &src), (&line(1, back), &[]), Place::Same);
        }
        Arrangement::Strided => {
            let src = spread(1);
            let dst = sentinel(n + 3);
            check(gpu, clamp, (&line(2, 1), &src), (&line(-1, n + 1), &dst), Place::Apart);
        }
        Arrangement::StridedInPlace => {
            check(gpu, clamp, (&line(2, 1), &spread(1)), (&line(2, 1), &[]), Place::Same);
        }
        Arrangement::StridedDisjoint => {
            let even = Layout::strided(&[n], &[2], 0).unwrap();
            let odd = Layout::strided(&[n], &[-2], (2 * signed - 1).unsigned_abs()).unwrap();
            check(gpu, clamp, (&even, &spread(0)), (&odd, &[]), Place::Same);
        }
        Arrangement::Rows
        | Arrangement::RowsInPlace
        | Arrangement::Fill
        | Arrangement::Repeated
        | Arrangement::Transposed
        | Arrangement::Spread(_)
        | Arrangement::SpreadInPlace => run_matrix(gpu, clamp, elements, arrangement),
    }
}

/// The arrangements with more than one dimension, each held to the kernel it is for.
fn run_matrix(gpu: &Gpu, clamp: &Clamp, elements: &[u64], arrangement: Arrangement) {
    let dtype = clamp.dtype();
    let packed = |shape: &[usize]| Layout::packed(shape).unwrap();
    let matrix =
        |rows: usize, pitch: usize, columns: usize| packed(&[rows, pitch]).slice(1, 0..columns).unwrap();
    // The elements in a row-major matrix, filled up with the first.
    let in_matrix = |rows: usize, pitch: usize, columns: usize| {
        let mut bits = vec![elements[0]; rows * pitch];
        for (row, elements) in bits.chunks_mut(pitch).zip(elements.chunks(columns)) {
            row[..elements.len()].copy_from_slice(elements);
        }
        to_bytes(dtype, &bits)
    };
    let sentinel = |count: usize| vec![0xa5; (count * dtype.size()).next_multiple_of(4)];
    let n = elements.len();
    // As many as blocks take.
    let many: Vec<u64> = elements.iter().copied().cycle().take(n.max(1100)).collect();
    // Two rows at least.
    let columns = if n < 1000 { 131 } else { 301 };
    let rows = n.div_ceil(columns).max(2);
    let (src, dst, src_bytes, kernel) = match arrangement {
        Arrangement::Rows => {
            let src = packed(&[rows, columns]);
            (src, matrix(rows, 320, columns), in_matrix(rows, columns, columns), ", in rows")
        }
        Arrangement::RowsInPlace => {
            let layout = matrix(rows, 320, columns);
            (layout, layout, in_matrix(rows, 320, columns), ", in rows")
        }
        Arrangement::Fill => {
            // As many as a few megabytes hold.
            let every = n.div_ceil(5000);
            let some: Vec<u64> = elements.iter().copied().step_by(every).collect();
            let rows = some.len();
            let column = packed(&[rows, 1]).broadcast_to(&[rows, 163]).unwrap();
            (column, matrix(rows, 167, 163), to_bytes(dtype, &some), "(0 to 1)")
        }
        Arrangement::Repeated => {
            // As many as a few megabytes hold, filled up with the first.
            let every = n.div_ceil(50_000);
            let mut some: Vec<u64> = elements.iter().copied().step_by(every).collect();
            some.resize(some.len().next_multiple_of(32), elements[0]);
            let columns = some.len() / 2;
            // Each half to nine rows; a tenth stays as it is.
            let halves = packed(&[2, 1, columns]).broadcast_to(&[2, 9, columns]).unwrap();
            let rows = packed(&[2, 10, columns]).slice(1, 0..9).unwrap();
            (halves, rows, to_bytes(dtype, &some), ", in rows")
        }
        Arrangement::Spread(length) => {
            let groups = many.len().div_ceil(length);
            let mut bits = vec![elements[0]; 1];
            bits.extend(&many);
            bits.resize(1 + groups * length, elements[0]);
            let src = Layout::strided(&[groups, length], &[length.cast_signed(), 1], 1).unwrap();
            (src, matrix(groups, 4 / dtype.size(), length), to_bytes(dtype, &bits), "block kernel")
        }
        Arrangement::SpreadInPlace => {
            let lanes = 4 / dtype.size();
            let words = many.len().div_ceil(lanes - 1);
            let layout = packed(&[words, lanes]).slice(1, 1..lanes).unwrap();
            let mut bits = vec![0x5a5a & mask(dtype); words * lanes];
            let changing = (0..words * lanes).filter(|i| i % lanes != 0);
            for (i, &element) in changing.zip(&many) {
                bits[i] = element;
            }
            (layout, layout, to_bytes(dtype, &bits), "block kernel")
        }
        Arrangement::Transposed => {
            let columns = n.div_ceil(320).next_multiple_of(16).max(64);
            let src = packed(&[columns, 320]).permute(&[1, 0]).unwrap();
            (src, packed(&[320, columns]), in_matrix(columns, 320, 320), "block kernel")
        }
        Arrangement::Contiguous
        | Arrangement::ContiguousInPlace
        | Arrangement::ContiguousDisjoint
        | Arrangement::Strided
        | Arrangement::StridedInPlace
        | Arrangement::StridedDisjoint => unreachable!("{arrangement:?} is no matrix"),
    };
    let plan = Plan::new(clamp, &src, &dst, gpu.clamper().limits()).unwrap().to_string();
    assert!(plan.contains(kernel), "{plan}");
    assert!(!by_hardware(gpu, clamp) || plan.contains("fast affine step"), "{plan}");
    let place = if matches!(arrangement, Arrangement::RowsInPlace | Arrangement::SpreadInPlace) {
        Place::Same
    } else {
        Place::Apart
    };
    let dst_bytes = sentinel(dst.required_bytes(dtype) as usize / dtype.size());
    check(gpu, clamp, (&src, &src_bytes), (&dst, &dst_bytes), place);
}

/// Whether the clamp's affine step takes features that not every device has.
fn by_hardware(gpu: &Gpu, clamp: &Clamp) -> bool {
    let fast = clamp.scale() != Number::Absent && clamp.precision() == Precision::Fast;
    fast && clamp.dtype() == DType::F64 && gpu.has_f64()
}

/// One clamp per step, with bounds that some elements meet and others do not.
fn main_clamps(dtype: DType) -> Vec<Clamp> {
    let (min, max) = if dtype.is_float() {
        (-3.25, 1000.0)
    } else if dtype.is_signed_integer() {
        (-100.0, 120.0)
    } else {
        (7.0, 240.0)
    };
    let bound = |x| scalar_of(dtype, x);
    let plain = Clamp::unbounded(dtype).with_bounds(bound(min), bound(max)).unwrap();
    // Without bounds, so that nothing hides what the affine step gives.
    let free = Clamp::unbounded(dtype);
    let affine = if dtype.is_float() { (1.1, -0.37) } else { (0.73, 5.6) };
    let mut clamps = [vec![plain], with_precisions(free, affine)].concat();
    if dtype.is_float() {
        // Nothing that the host could spare the shader: a zero is replaced, and an infinity changes its sign.
        let positive = Clamp::unbounded(dtype).with_bounds(bound(1.5), bound(1000.0)).unwrap();
        clamps.push(positive.with_affine(-0.73, 5.6).unwrap());
    }
    clamps
}

/// The devices on which the dtype is worth a test.
fn devices_for(dtype: DType) -> impl Iterator<Item = &'static Gpu> {
    devices().filter(move |gpu| gpu.dtypes().contains(&dtype))
}

fn every_arrangement(dtype: DType) {
    for gpu in devices_for(dtype) {
        for (n, clamp) in main_clamps(dtype).iter().enumerate() {
            let elements = elements(clamp, random_patterns(), 7 + n as u64);
            // The arithmetic is that of the run: what differs is where elements lie. The random ones come last.
            let left_out = if dtype.bits() <= 16 || exhaustive() { 0 } else { random_patterns() / 8 * 7 };
            for arrangement in ARRANGEMENTS.into_iter().chain(arrangements_for(dtype)) {
                let is_run = matches!(arrangement, Arrangement::Contiguous);
                let count = elements.len() - if is_run { 0 } else { left_out };
                run(gpu, clamp, &elements[..count], arrangement);
            }
        }
    }
}

/// Where f64 itself is hard: subnormal scales, biases, products and results, zeros of either sign, overflows.
const F64_PAIRS: [(f64, f64); 12] = [
    (1.5, 1e-310),
    (-0.75, -3e-320),
    (0.5, 0.0),
    (-0.5, -0.0),
    (f64::MIN_POSITIVE, 5e-324),
    (1e-310, -1e-308),
    (5e-324, -5e-324),
    (-1e-200, 2e-308),
    (0.0, -1e-310),
    (f64::MAX, -f64::MAX),
    (2.0, f64::MIN),
    (-1e308, 1e-320),
];

fn every_clamp(dtype: DType) {
    let free = Clamp::unbounded(dtype);
    let bound = |x| scalar_of(dtype, x);
    let bounded = Clamp::unbounded(dtype).with_bounds(bound(1.0), bound(100.0)).unwrap();
    let mut clamps = plain_clamps(dtype);
    for pair in affine_pairs(dtype) {
        clamps.extend(with_precisions(free, pair));
    }
    // Infinities and NaNs that the affine step makes or lets through meet the bounds and the NaN rule.
    for (n, clamp) in plain_clamps(dtype).into_iter().enumerate() {
        let pairs = [(-1.5, 1.0), (0.0, 2.0), (3e38, 0.5)];
        clamps.extend(with_precisions(clamp, pairs[n % pairs.len()]));
    }
    let mut rng = Random(u64::from(dtype.bits()));
    if dtype == DType::F64 {
        // With all 53 bits, and any exponents; the elements around the root cancel.
        let finite = |rng: &mut Random| loop {
            let x = f64::from_bits(rng.bits());
            if x.is_finite() {
                break x;
            }
        };
        let random = (0..80).map(|n| {
            let scale = finite(&mut rng);
            let near = f64::from_bits((rng.bits() & !(0x7ff << 52)) | 1023 << 52);
            (scale, if n % 2 == 0 { -scale * near } else { finite(&mut rng) })
        });
        for (scale, bias) in random.chain(F64_PAIRS) {
            let clamp = free.with_affine_f64(scale, bias).unwrap();
            clamps.extend([clamp, clamp.with_precision(Precision::Exact)]);
        }
    }
    for _ in 0..60 {
        // Any finite f32, and any that lies near what the dtype holds.
        let mut number = |spread: u64| loop {
            let exponent = 127 - spread / 2 + rng.bits() % spread;
            let bits = (rng.bits() as u32 & 0x807f_ffff) | (exponent as u32) << 23;
            let mantissa = [u32::MAX, 0xff80_0000, 0xfff0_0000][rng.below(3)];
            let x = f32::from_bits(bits & mantissa);
            if x.is_finite() {
                break x;
            }
        };
        let spread = [2, 30, 100, 254][(number(2).to_bits() & 3) as usize];
        let clamp = if number(2) > 0.0 { free } else { bounded };
        clamps.extend(with_precisions(clamp, (number(spread), number(spread))));
    }
    for gpu in devices_for(dtype) {
        for (n, clamp) in clamps.iter().enumerate() {
            let elements = elements(clamp, 2000, n as u64);
            run(
                gpu,
                clamp,
                &elements,
                if n % 8 == 0 { Arrangement::Strided } else { Arrangement::Contiguous },
            );
        }
    }
}

/// Sums of which all but the last bits of a product decide: the product is a power of two and a little more or less,
/// and half of a bias's last bit; or bias and product cancel but for the product's last bits.
#[test]
fn products_decide_ties_and_survive_cancellation() {
    let free = Clamp::unbounded(DType::F32).with_precision(Precision::Exact);
    let mut rng = Random(11);
    let mut clamps = Vec::new();
    while clamps.len() < 400 {
        // scale * x is 2 and as little as 24 bits times 24 bits allow.
        let scale = (1 << 23) | (rng.bits() as u32 >> 9);
        let x = (1_u64 << 47).div_ceil(u64::from(scale)) as u32;
        let above = u64::from(x) * u64::from(scale) - (1 << 47);
        if x >= 1 << 24 || above == 0 || above >= 1 << 18 {
            continue;
        }
        let value = |significand: u32| f32::from_bits(0x3f80_0000 | (significand & 0x007f_ffff));
        let elements: Vec<u64> = [x - 1, x, x + 1]
            .into_iter()
            .flat_map(|x| [value(x), -value(x)])
            .map(|x| u64::from(x.to_bits()))
            .collect();
        // The last bit of these biases is 4; -2 cancels.
        for bias in [33_554_432.0, 33_554_436.0, 33_554_440.0, -33_554_436.0, -2.0, 2.0] {
            clamps.push((free.with_affine(value(scale), bias).unwrap(), elements.clone()));
        }
    }
    for gpu in devices_for(DType::F32) {
        for (clamp, elements) in &clamps {
            run(gpu, clamp, elements, Arrangement::Contiguous);
        }
    }
}

macro_rules! per_dtype {
    ($($name:ident $dtype:ident)*) => {
        #[test]
        fn every_dtype_is_here() {
            assert_eq!([$(DType::$dtype),*], DType::ALL);
        }

        $(
        mod $name {
            #[test]
            fn every_specialization_agrees_with_the_reference() {
                super::every_arrangement(wgpu_clamp::DType::$dtype);
            }

            #[test]
            fn every_kind_of_clamp_agrees_with_the_reference() {
                super::every_clamp(wgpu_clamp::DType::$dtype);
            }
        })*
    };
}

per_dtype! {
    f32 F32
    f16 F16
    bf16 BF16
    f64 F64
    i8 I8
    i16 I16
    i32 I32
    i64 I64
    u8 U8
    u16 U16
    u32 U32
    u64 U64
}
