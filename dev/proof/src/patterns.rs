//! Runs every pattern of 8, 16 and 32 bits through clamps.

use std::ops::Range;
use std::time::Instant;

use anyhow::{Result, ensure};
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use wgpu_clamp::{
    Clamp, DType, Host, Layout, NanRule, Operands, Order, Precision, Rounding, Scalar, Tensor, verify,
};

/// A line of the result: its name, and clamps of one source and dtype. Each takes all patterns of the source.
type Line = (String, Vec<Clamp>);

/// Runs all lines that contain `only`, in lower case, in tensors of at most `size` bytes.
pub fn run(host: &Host, only: &str, size: u64) -> Result<()> {
    println!("{}\n", host.description());
    println!("| clamp | elements | differing | time |\n| --- | ---: | ---: | ---: |");
    let mut lines = lines()?;
    lines.retain(|(name, _)| name.to_lowercase().contains(only));
    ensure!(!lines.is_empty(), "no line contains {only:?}, which --only asks for");
    let mut wrong = 0;
    for (name, clamps) in lines {
        let started = Instant::now();
        let [elements, differing] = every_pattern(host, &name, &clamps, size)?;
        wrong += differing;
        let seconds = started.elapsed().as_secs();
        println!("| {name} | {} | {differing} | {seconds} s |", HumanCount(elements));
    }
    ensure!(wrong == 0, "{wrong} elements differ from the CPU reference");
    Ok(())
}

fn lines() -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    let mut wide = |name: &str, clamp: Clamp| lines.push((name.to_owned(), vec![clamp]));
    wide("F32 between -1 and 3.5", Clamp::new(-1.0_f32, 3.5));
    wide("F32 between 2 and 6, NaN as ∞", Clamp::new(2.0_f32, 6.0).with_nan_rule(NanRule::ToMax));
    wide("I32", Clamp::new(-65_536_i32, 70_000));
    wide("U32", Clamp::new(10_u32, 3_000_000_000));
    let affine = Clamp::new(-1e30_f32, 1e30).with_affine(-1.7, 200.3)?;
    wide("F32 * -1.7 + 200.3, exact", affine.with_precision(Precision::Exact));
    wide("F32 * -1.7 + 200.3, fast", affine);
    for dtype in [DType::F16, DType::BF16, DType::U8, DType::I8, DType::I16, DType::I32, DType::U32] {
        let clamp = Clamp::unbounded(dtype).with_source(DType::F32)?;
        if dtype.is_float() {
            wide(&format!("F32 to {dtype}"), clamp);
        } else {
            wide(&format!("F32 to {dtype}, toward zero"), clamp);
            wide(&format!("F32 to {dtype}, nearest even"), clamp.with_rounding(Rounding::NearestEven));
        }
    }
    let from_i32 = |dtype| Clamp::unbounded(dtype).with_source(DType::I32);
    for (scale, bias) in REQUANTISATIONS {
        let clamp = from_i32(DType::I8)?.with_affine(scale, bias)?.with_rounding(Rounding::NearestEven);
        wide(&format!("I32 * {scale:e} + {bias} to i8, nearest even"), clamp);
    }
    let exact = |clamp: Clamp| clamp.with_precision(Precision::Exact);
    wide("I32 to f32", from_i32(DType::F32)?);
    wide("I32 to bf16", from_i32(DType::BF16)?);
    wide("I32 * 1.7e-3 + 0.3 to f16, exact", exact(from_i32(DType::F16)?.with_affine(1.7e-3, 0.3)?));
    let to_i32 = Clamp::unbounded(DType::I32).with_source(DType::F32)?;
    wide("F32 * 1.7e4 + 0.3 to i32, exact", exact(to_i32.with_affine(1.7e4, 0.3)?));
    for (n, scale) in SCALES.into_iter().enumerate() {
        let zero_point = [128, 0, 255, 3][n % 4];
        let quantize = Clamp::quantize_linear(DType::F32, DType::U8, scale, zero_point)?;
        wide(&format!("F32 / {scale:e} + {zero_point} to u8, exact"), exact(quantize));
    }
    wide("F32 / 1e-1 + 128 to u8, fast", Clamp::quantize_linear(DType::F32, DType::U8, 0.1, 128)?);
    wide("F32 / 3e38 - 128 to i8, fast", Clamp::quantize_linear(DType::F32, DType::I8, 3e38, -128)?);
    for dtype in [DType::U8, DType::I8] {
        for order in [Order::MinWins, Order::MaxWins] {
            let bounds = (0..=u8::MAX).flat_map(|min| (0..=u8::MAX).map(move |max| (min, max)));
            let clamp = |(min, max): (u8, u8)| {
                let (min, max) =
                    (Scalar::from_bits(dtype, min.into())?, Scalar::from_bits(dtype, max.into())?);
                Ok(Clamp::unbounded(dtype).with_bounds(min, max)?.with_order(order))
            };
            let name = format!("{dtype}, every Min and Max, {order:?}");
            lines.push((name, bounds.map(clamp).collect::<Result<_>>()?));
        }
    }
    for dtype in [DType::F16, DType::BF16] {
        for precision in [Precision::Exact, Precision::Fast] {
            let clamp = |n| {
                let (scale, bias) = numbers(n);
                Ok(Clamp::unbounded(dtype).with_affine(scale, bias)?.with_precision(precision))
            };
            let name = format!("{dtype}, 1,000 scales and biases, {precision:?}");
            lines.push((name, (0..1000).map(clamp).collect::<Result<_>>()?));
        }
    }
    Ok(lines)
}

/// Scales of quantisations, some so small or large that elements or the scale are subnormal.
const SCALES: [f32; 10] =
    [0.1, 1.0 / 255.0, 0.007_812_5, 0.3, -2.7, 16_777_215.0, 1e-38, 1.3e-41, 3e38, 6.1e-5];

/// Scales and biases of requantised sums, from the scales with the most elements inside the bounds to those with few.
const REQUANTISATIONS: [(f32, f32); 10] = [
    (3.1e-4, 0.0),
    (5.3e-6, 0.3),
    (1e-5, -127.0),
    (1.7e-5, 12.25),
    (-1.1e-4, 0.5),
    (0.002_9, -0.1),
    (1.0 / 255.0, 99.9),
    (-0.0123, 3.0),
    (0.11, -0.5),
    (0.97, 100.003),
];

/// A scale and a bias: finite numbers of every magnitude. Equal `n` give equal numbers.
fn numbers(n: u64) -> (f32, f32) {
    let mut state = n;
    let mut number = || loop {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let bits = (state >> 32) as u32;
        // Three of four `n` give ordinary magnitudes, the fourth gives any.
        let exponent = if n.is_multiple_of(4) { bits >> 23 & 0xff } else { 127 - 20 + (bits >> 23) % 41 };
        let number = f32::from_bits(bits & 0x807f_ffff | exponent << 23);
        if number.is_finite() {
            break number;
        }
    };
    (number(), number())
}

/// Takes all patterns through each clamp, one tensor after the other. Returns the elements, and how many differ.
fn every_pattern(host: &Host, name: &str, clamps: &[Clamp], size: u64) -> Result<[u64; 2]> {
    let (source, dtype) = (clamps[0].source(), clamps[0].dtype());
    let all = 1_u64 << source.bits();
    let count = (size / 4).min(all) as usize;
    let elements = clamps.len() as u64 * all;
    let bar = ProgressBar::new(elements).with_message(name.to_owned());
    bar.set_style(ProgressStyle::with_template("{bar:40} {percent:>3} % of {msg}, {eta} left")?);
    let src = Tensor::zeros(host, source, &[count])?;
    let dst = Tensor::zeros(host, dtype, &[count])?;
    let mut patterns = vec![0; count * source.size()];
    let mut differing = 0;
    for (clamp, first) in clamps.iter().flat_map(|clamp| (0..all).step_by(count).map(move |n| (clamp, n))) {
        // The last tensor overlaps the one before if `count` is no divisor.
        let numbers = first.min(all - count as u64)..;
        for (pattern, n) in patterns.chunks_exact_mut(source.size()).zip(numbers) {
            pattern.copy_from_slice(&n.to_le_bytes()[..source.size()]);
        }
        // Different bytes each time, so that an unwritten element shows.
        let before = vec![(bar.position() / count as u64 * 37 + 0x5a) as u8; count * dtype.size()];
        host.queue().write_buffer(src.buffer(), 0, &patterns);
        host.queue().write_buffer(dst.buffer(), 0, &before);
        host.submit(clamp, Operands::new(src.view(), dst.view()))?;
        differing += compare(clamp, &patterns, &before, &dst.read_bytes_blocking()?)?;
        bar.inc(count as u64);
    }
    bar.finish_and_clear();
    Ok([elements, differing])
}

/// Counts the elements of `after` that differ from the reference. Each thread compares a part; a part with a changed
/// byte beside its elements counts 1 more. Prints the report of each part that does not pass.
fn compare(clamp: &Clamp, src: &[u8], before: &[u8], after: &[u8]) -> Result<u64> {
    let [from, to] = [clamp.source(), clamp.dtype()].map(DType::size);
    let count = src.len() / from;
    let part = |Range { start, end }: Range<usize>| -> Result<u64> {
        let layout = Layout::packed(&[end - start])?;
        let [before, after] = [before, after].map(|bytes| &bytes[start * to..end * to]);
        let report = verify::check(
            clamp,
            verify::Buffers {
                src_layout: &layout,
                src: &src[start * from..end * from],
                dst_layout: &layout,
                dst_before: before,
                dst_after: after,
            },
        )?;
        if !report.passed() {
            eprintln!("{report}\n  {clamp:?}");
        }
        Ok((report.elements - report.matching) as u64 + u64::from(report.stray.is_some()))
    };
    let threads = std::thread::available_parallelism()?.get();
    // For fewer elements a thread costs more than it saves.
    let step = count.div_ceil(threads).next_multiple_of(4).max(1 << 16);
    std::thread::scope(|scope| {
        let parts = (0..count).step_by(step).map(|start| start..count.min(start + step));
        let threads: Vec<_> = parts.map(|range| scope.spawn(|| part(range))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a comparison does not panic")).sum()
    })
}
