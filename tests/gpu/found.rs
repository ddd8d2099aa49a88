//! Results of clamps whose scale, bias and bounds lie in slots on the GPU: one number per slot, or one per index of an
//! axis. Also results of all pairs of dtypes, with numbers by value and in slots.

use clamp_testing::found::Found;
use wgpu_clamp::{
    Clamp, Clamps, DType, Layout, NanRule, Number, Operands, Order, Precision, Rounding, View, wgpu,
};

use crate::harness::{Gpu, buffer, exhaustive, gpus, packed, read, strided};
use crate::random::{Random, to_bytes};
use crate::slots::with_slots;
use crate::values::{bits_of, edges, elements, mask, scalar};

/// The destination dtypes for which a scale may lie on the GPU.
const TO: [DType; 7] = [DType::F32, DType::F16, DType::BF16, DType::U8, DType::I8, DType::U16, DType::I16];

/// The numbers of a channel as bits: Min, Max, scale and bias.
type Numbers = [u64; 4];

/// A clamp with numbers on the GPU, and its layouts.
struct Case<'a> {
    clamp: Clamp,
    /// The axis along which each index has its own line of `numbers`; without an axis, the first line serves all.
    axis: Option<usize>,
    numbers: &'a [Numbers],
    src: Layout,
    dst: Layout,
}

impl Case<'_> {
    /// A buffer with the slot of number `n`, and the slot's dtype and layout, if the number is on the GPU. The slots of
    /// Min and Max run backwards, and two elements lie between two biases.
    fn slot(&self, gpu: &Gpu, n: usize) -> Option<(wgpu::Buffer, DType, Layout)> {
        let Self { clamp, axis, numbers, .. } = self;
        if [clamp.min(), clamp.max(), clamp.scale(), clamp.bias()][n] != Number::OnGpu {
            return None;
        }
        let dtype = if n < 2 { clamp.dtype() } else { DType::F32 };
        let stride = [-1_isize, -1, 1, 3][n];
        let last = 1 + axis.map_or(0, |_| (numbers.len() - 1) * stride.unsigned_abs());
        let layout = match axis {
            Some(_) => strided(&[numbers.len()], &[stride], if stride < 0 { last } else { 1 }),
            None => strided(&[], &[], 1),
        };
        let mut data = vec![0x3c3c_3c3c_3c3c_3c3c & mask(dtype); last + 3];
        for (address, numbers) in layout.addresses().zip(*numbers) {
            data[address] = numbers[n] & mask(dtype);
        }
        Some((buffer(gpu, &to_bytes(dtype, &data)), dtype, layout))
    }

    /// Runs the case from one buffer to another; checks each element, and that no byte around them changes.
    fn check(&self, gpu: &Gpu, values: &[u64]) {
        let Self { clamp, axis, numbers, src, dst } = self;
        let (source, dtype) = (clamp.source(), clamp.dtype());
        let count = src.span().map_or(0, |(_, last)| last + 1);
        let data: Vec<_> = values.iter().copied().cycle().take(count).collect();
        let before = vec![0xa5; dst.required_bytes(dtype) as usize];
        let (from, to) = (buffer(gpu, &to_bytes(source, &data)), buffer(gpu, &before));
        let slots = [0, 1, 2, 3].map(|n| self.slot(gpu, n));
        let views = slots
            .each_ref()
            .map(|slot| slot.as_ref().map(|(buffer, dtype, layout)| View::new(buffer, *dtype, *layout)));
        let operands = Operands::new(View::new(&from, source, *src), View::new(&to, dtype, *dst));
        let clamps = axis.map_or_else(|| clamp.into(), |axis| Clamps::slots_along(axis, clamp));
        gpu.host.submit(clamps, with_slots(&operands, &views)).unwrap();
        let after = read(gpu, &to);
        let found: Vec<_> = numbers.iter().map(|numbers| Found::new(clamp, *numbers)).collect();
        let size = dtype.size();
        let mut expected = before;
        let step: usize = axis.map_or(1, |axis| src.shape()[axis + 1..].iter().product());
        for (n, (from, to)) in src.addresses().zip(dst.addresses()).enumerate() {
            let found = &found[if axis.is_some() { n / step % found.len() } else { 0 }];
            let got = &after[to * size..][..size];
            let bits = got.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
            let allowed = found.allowed(data[from]);
            assert!(
                allowed.contains(bits),
                "{:#x} became {bits:#x}, not one of {:x?}: {clamp:?}\n{found:?}\n{} along {axis:?}, {src} to {dst}, on {}",
                data[from],
                allowed.values(),
                numbers.len(),
                gpu.name
            );
            expected[to * size..][..size].copy_from_slice(got);
        }
        assert_eq!(after, expected, "a byte outside changed, on {}", gpu.name);
    }
}

/// A scale and a bias. Ordinary numbers, the identity, zeros, and NaN or ∞ all come often.
fn factors(rng: &mut Random) -> [u64; 2] {
    let ordinary = [1.0 / 255.0, -1.7, 0.5, 77.0, 3e-5, -1e-4, 1e30, f32::from_bits(3)];
    let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::from_bits(0x7f80_0001)];
    let scale = match rng.below(8) {
        0 => rng.pick(&odd),
        1 => rng.pick(&[0.0, -0.0]),
        2 | 3 => 1.0,
        _ => rng.pick(&ordinary),
    };
    let bias = match rng.below(8) {
        0 => rng.pick(&odd),
        1..4 => rng.pick(&[0.0, -0.0]),
        _ => rng.pick(&[0.5, -1.25, 128.0, -3e4, 1e-40, -1e38]),
    };
    [scale, bias].map(|number| number.to_bits().into())
}

fn numbers(rng: &mut Random, dtype: DType) -> Numbers {
    let bounds = edges(dtype);
    let [scale, bias] = factors(rng);
    let ordinary = [bits_of(dtype, 3.0), bits_of(dtype, 100.0)];
    let bound = |rng: &mut Random, n: usize| if rng.below(2) == 0 { ordinary[n] } else { rng.pick(&bounds) };
    [bound(rng, 0), bound(rng, 1), scale, bias]
}

#[test]
fn every_pair_takes_scale_and_bias_from_slots() {
    for gpu in gpus() {
        let mut rng = Random(28);
        for (n, (source, dtype)) in
            DType::CONVERTIBLE.into_iter().flat_map(|source| TO.map(|dtype| (source, dtype))).enumerate()
        {
            let values = elements(&Clamp::unbounded(source), 200, n as u64);
            // For 16 bits, only some of the values.
            let values: Vec<_> =
                values.into_iter().step_by(if source.bits() == 16 { 64 } else { 1 }).collect();
            for m in 0..4 {
                let [min, max] = match rng.below(3) {
                    0 => [Number::Absent; 2],
                    1 => [Number::OnGpu; 2],
                    _ => [Number::from(scalar(dtype, bits_of(dtype, 2.0))), Number::OnGpu],
                };
                let [scale, bias] = match rng.below(4) {
                    0 => [Number::OnGpu, Number::Absent],
                    1 => [Number::Absent, Number::OnGpu],
                    2 => [Number::OnGpu, 0.5_f32.into()],
                    _ => [Number::OnGpu; 2],
                };
                let clamp =
                    Clamp::unbounded(dtype).with_source(source).unwrap().with_bounds(min, max).unwrap();
                let clamp = clamp
                    .with_scale_bias(scale, bias)
                    .unwrap()
                    .with_precision([Precision::Fast, Precision::Exact][m % 2])
                    .with_rounding([Rounding::TowardZero, Rounding::NearestEven][m / 2])
                    .with_order(rng.pick(&[Order::MinWins, Order::MaxWins]))
                    .with_nan_rule(rng.pick(&[NanRule::Propagate, NanRule::ToMin, NanRule::ToMax]));
                let line = packed(&[values.len()]);
                for _ in 0..12 {
                    let numbers = [numbers(&mut rng, dtype)];
                    Case { clamp, axis: None, numbers: &numbers, src: line, dst: line }.check(gpu, &values);
                }
                // Channels as rows, columns or planes, in some order: few, many, and more than fit into a uniform
                // block.
                let channels = [3, 40, 300][(n + m) % 3];
                let each = values.len().max(2 * channels) / channels;
                let (rows, columns) = (packed(&[channels, each]), packed(&[each, channels]));
                let planes = packed(&[2, channels, each]).permute(&[0, 2, 1]).unwrap();
                let (axis, src, dst) = [
                    (0, rows, rows),
                    (1, columns, columns),
                    (1, columns, columns.flip(1).unwrap()),
                    (2, planes, packed(&[2, each, channels])),
                ][(n / 3 + m) % 4];
                let all: Vec<_> = (0..channels).map(|_| numbers(&mut rng, dtype)).collect();
                Case { clamp, axis: Some(axis), numbers: &all, src, dst }.check(gpu, &values);
            }
        }
    }
}

/// All pairs of the nine dtypes, by value and from slots: every value of 8 and 16 bits; for wider sources edges and
/// random patterns, a million with `cargo xtask test --exhaustive`.
#[test]
fn every_pair_on_every_value() {
    let random = if exhaustive() { 1_000_000 } else { 3_000 };
    let pairs = DType::CONVERTIBLE.into_iter().flat_map(|a| DType::CONVERTIBLE.map(|b| (a, b)));
    let pairs: Vec<_> = pairs.collect();
    for gpu in gpus() {
        for (n, &(source, dtype)) in pairs.iter().enumerate() {
            let values = elements(&Clamp::unbounded(source), random, n as u64);
            let line = packed(&[values.len()]);
            let plain = Clamp::unbounded(dtype).with_source(source).unwrap();
            let nearest = plain.with_rounding(Rounding::NearestEven);
            let clamps = if dtype.is_float() { vec![plain] } else { vec![plain, nearest] };
            for (m, clamp) in clamps.into_iter().enumerate() {
                // Steps with results near 0 and near integers, too.
                let (scale, bias) =
                    [(0.731_25_f32, -1.5_f32), (-3.1e-4, 0.25), (130.9, 1e4), (1.0, 0.5)][(n + m) % 4];
                let numbers = [[0, 0, scale.to_bits().into(), bias.to_bits().into()]];
                let check = |clamp: Clamp| {
                    Case { clamp, axis: None, numbers: &numbers, src: line, dst: line }.check(gpu, &values);
                };
                check(clamp);
                let stepped = clamp.with_affine(scale, bias).unwrap();
                for stepped in [Precision::Fast, Precision::Exact].map(|p| stepped.with_precision(p)) {
                    check(stepped);
                    if TO.contains(&dtype) {
                        check(stepped.with_scale_bias(Number::OnGpu, Number::OnGpu).unwrap());
                    }
                }
            }
        }
    }
}
