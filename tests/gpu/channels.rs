//! One clamp per index of an axis, on every kernel that takes several clamps.

use wgpu_clamp::{Clamp, Clamps, DType, Layout, NanRule, Number, Order, Plan, Precision, Rounding};

use crate::harness::{Gpu, Place, check, gpus, packed, strided};
use crate::random::Random;
use crate::values::{mask, scalar};

/// Clamps that differ in bounds and affine steps.
fn clamps(count: usize, (source, dtype): (DType, DType), random: &mut Random) -> Vec<Clamp> {
    let common = Clamp::unbounded(dtype)
        .with_source(source)
        .unwrap()
        .with_nan_rule(random.pick(&[NanRule::Propagate, NanRule::ToMin, NanRule::ToMax]))
        .with_order(random.pick(&[Order::MinWins, Order::MaxWins]))
        .with_precision(random.pick(&[Precision::Fast, Precision::Fast, Precision::Exact]))
        .with_rounding(random.pick(&[Rounding::TowardZero, Rounding::NearestEven]));
    // 0: no clamp has a step. 1: all clamps have one. 2: some clamps have one.
    let steps = random.pick(&[0, 1, 2]);
    let one = |random: &mut Random| {
        let mut bound = || match random.below(3) {
            0 => Number::Absent,
            _ => scalar(dtype, random.bits() & mask(dtype)).into(),
        };
        let clamp = common.with_bounds(bound(), bound()).unwrap();
        if steps == 0 || steps == 2 && random.below(2) == 0 {
            return clamp;
        }
        let scale = random.pick(&[0.5_f32, -1.75, 1.0 / 255.0, 3.0, 100.0]);
        clamp.with_affine(scale, random.pick(&[0.0, 0.25, -20.5, 127.0])).unwrap()
    };
    (0..count).map(|_| one(random)).collect()
}

/// Random elements; half of the F32 elements lie within ±512.
fn source(dtype: DType, bytes: u64, random: &mut Random) -> Vec<u8> {
    let mut data = random.bytes(usize::try_from(bytes).unwrap());
    if dtype == DType::F32 {
        for word in data.chunks_exact_mut(4).step_by(2) {
            let number = f32::from(i16::from_le_bytes([word[0], word[1]])) / 64.0;
            word.copy_from_slice(&number.to_le_bytes());
        }
    }
    data
}

fn run(
    gpu: &Gpu,
    axis: usize,
    list: &[Clamp],
    (src, dst): (&Layout, &Layout),
    place: Place,
    random: &mut Random,
) {
    let (from, to) = (list[0].source(), list[0].dtype());
    let src_bytes = source(from, src.required_bytes(from), random);
    let dst_bytes = vec![0xa5; usize::try_from(dst.required_bytes(to)).unwrap()];
    check(gpu, Clamps::along(axis, list), (src, &src_bytes), (dst, &dst_bytes), place);
}

/// The axis, src and dst of layouts with channels outermost, innermost and in between, packed and with gaps.
fn layouts(channels: usize) -> [(usize, Layout, Layout); 14] {
    let pitch = channels.cast_signed();
    let (rows, columns) = (packed(&[channels, 70]), packed(&[67, channels]));
    let columns_first = packed(&[64, channels]).permute(&[1, 0]).unwrap();
    [
        // NCHW.
        (1, packed(&[2, channels, 9, 33]), packed(&[2, channels, 9, 33])),
        (0, packed(&[channels, 64]), packed(&[channels, 80]).slice(1, 3..67).unwrap()),
        // NHWC.
        (2, packed(&[7, 33, channels]), packed(&[7, 33, channels])),
        (1, packed(&[40, channels + 1]).slice(1, 0..channels).unwrap(), packed(&[40, channels])),
        // NHWC to NCHW and back.
        (0, packed(&[8, 32, channels]).permute(&[2, 0, 1]).unwrap(), packed(&[channels, 8, 32])),
        (2, packed(&[channels, 8, 32]).permute(&[1, 2, 0]).unwrap(), packed(&[8, 32, channels])),
        // Channels in reverse on either side.
        (1, columns.flip(1).unwrap(), columns),
        (0, rows, rows.flip(0).unwrap()),
        (0, columns_first.flip(0).unwrap(), packed(&[channels, 64])),
        // One source for all channels.
        (0, packed(&[1, 150]).broadcast_to(&[channels, 150]).unwrap(), packed(&[channels, 150])),
        (1, packed(&[50, 1]).broadcast_to(&[50, channels]).unwrap(), packed(&[50, channels])),
        (2, packed(&[3, 1, channels, 5]), packed(&[3, 1, channels, 5])),
        (0, packed(&[channels]), packed(&[channels])),
        // src and dst begin at different places within a packet.
        (1, strided(&[60, channels], &[pitch, 1], 3), strided(&[60, channels], &[pitch, 1], 5)),
    ]
}

#[test]
fn channels_agree_with_the_reference_wherever_they_lie() {
    let same = DType::ALL.map(|dtype| (dtype, dtype)).into_iter();
    let pairs = DType::CONVERTIBLE.into_iter().flat_map(|a| DType::CONVERTIBLE.map(|b| (a, b)));
    let pairs: Vec<_> = same.chain(pairs.filter(|(source, dtype)| source != dtype)).collect();
    for gpu in gpus() {
        let mut random = Random(11);
        for (n, &pair) in pairs.iter().enumerate() {
            for turn in 0..3 {
                let channels = random.pick(&[2_usize, 3, 3, 4, 5, 8, 9, 17, 100, 101, 130]);
                let (axis, src, dst) = layouts(channels)[(n * 3 + turn) % 14];
                let list = clamps(channels, pair, &mut random);
                run(gpu, axis, &list, (&src, &dst), Place::Apart, &mut random);
                if pair.0.size() == pair.1.size() && src == dst {
                    run(gpu, axis, &list, (&dst, &dst), Place::Same, &mut random);
                }
            }
        }
    }
}

/// The block kernel moves runs of pixels packet by packet, whichever channel a packet begins with.
#[test]
fn channels_next_to_each_other_are_taken_by_packets() {
    for gpu in gpus() {
        let mut random = Random(12);
        for dtype in [DType::F32, DType::F16, DType::U8, DType::I16, DType::U32] {
            for (channels, offset) in
                [(2, 0), (3, 0), (3, 1), (4, 7), (5, 3), (7, 9), (12, 2), (31, 5), (300, 1)]
            {
                let layout = strided(&[700 / channels + 40, channels], &[channels.cast_signed(), 1], offset);
                let mut each = clamps(channels, (dtype, dtype), &mut random);
                for clamp in &mut each {
                    // Keeps only the bounds.
                    *clamp = Clamp::unbounded(dtype).with_bounds(clamp.min(), clamp.max()).unwrap();
                }
                let by_channel = Clamps::along(1, &each);
                let plan = Plan::new(by_channel, &layout, &layout, gpu.clamper().limits()).unwrap();
                assert!(plan.to_string().contains("block kernel"), "{plan}");
                for place in [Place::Apart, Place::Same] {
                    run(gpu, 1, &each, (&layout, &layout), place, &mut random);
                }
            }
        }
    }
}
