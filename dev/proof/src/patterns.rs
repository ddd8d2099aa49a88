//! Runs every pattern of 8, 16 and 32 bits through clamps.

use std::ops::Range;
use std::time::Instant;

use anyhow::{Result, bail, ensure};
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use clamp_testing::numbers::splitmix64;
use wgpu_clamp::{
    Clamp, DType, Host, Layout, NanRule, Operands, Order, Precision, Rounding, Scalar, Tensor, View, verify,
    wgpu,
};

use crate::implementation;

/// A line of the result: its name, and clamps of one kind. A single clamp has a 32-bit source, several clamps have an 8-
/// or 16-bit source. Each clamp takes all patterns of its source.
type Line = (String, Vec<Clamp>);

/// Runs all lines that contain `only`, in tensors of `size` bytes.
pub fn run(only: Option<&str>, size: u64) -> Result<()> {
    let adapter = pollster::block_on(implementation::adapter())?;
    let host = implementation::open(&adapter, wgpu::Features::empty(), wgpu::Limits::default())?;
    println!("{}\n", host.adapter());
    println!("| clamp | elements | differing | time |\n| --- | ---: | ---: | ---: |");
    let only = only.unwrap_or_default().to_lowercase();
    let mut lines = lines()?;
    lines.retain(|(name, _)| name.to_lowercase().contains(&only));
    ensure!(!lines.is_empty(), "no line contains {only}, which --only asks for");
    let mut wrong = 0;
    for (name, clamps) in lines {
        let started = Instant::now();
        let [elements, differing] = match &clamps[..] {
            [clamp] => wide(&host, &name, clamp, size)?,
            clamps => narrow(&host, &name, clamps)?,
        };
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
    let requantised = from_i32(DType::I8)?.with_affine(3.1e-4, 0.0)?.with_rounding(Rounding::NearestEven);
    wide("I32 * 3.1e-4 to i8, nearest even", requantised);
    let exact = |clamp: Clamp| clamp.with_precision(Precision::Exact);
    wide("I32 to f32", from_i32(DType::F32)?);
    wide("I32 to bf16", from_i32(DType::BF16)?);
    wide("I32 * 1.7e-3 + 0.3 to f16, exact", exact(from_i32(DType::F16)?.with_affine(1.7e-3, 0.3)?));
    let to_i32 = Clamp::unbounded(DType::I32).with_source(DType::F32)?;
    wide("F32 * 1.7e4 + 0.3 to i32, exact", exact(to_i32.with_affine(1.7e4, 0.3)?));
    for dtype in [DType::U8, DType::I8] {
        for order in [Order::MinWins, Order::MaxWins] {
            let bounds = (0..=u8::MAX).flat_map(|min| (0..=u8::MAX).map(move |max| (min, max)));
            let clamp = |(min, max): (u8, u8)| {
                let [min, max] =
                    [min, max].map(|bits| Scalar::from_bits(dtype, u64::from(bits)).expect("an element"));
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

/// A scale and a bias: finite numbers of every magnitude. Equal `n` give equal numbers.
fn numbers(n: u64) -> (f32, f32) {
    let mut state = n << 32;
    let mut number = || loop {
        let bits = (splitmix64(&mut state) >> 32) as u32;
        // Three of four `n` give ordinary magnitudes, the fourth gives any.
        let exponent = if n.is_multiple_of(4) { bits >> 23 & 0xff } else { 127 - 20 + (bits >> 23) % 41 };
        let number = f32::from_bits(bits & 0x807f_ffff | exponent << 23);
        if number.is_finite() {
            break number;
        }
    };
    (number(), number())
}

fn bar(name: &str, elements: u64) -> Result<ProgressBar> {
    let bar = ProgressBar::new(elements).with_message(name.to_owned());
    bar.set_style(ProgressStyle::with_template("{bar:40} {percent:>3} % of {msg}, {eta} left")?);
    Ok(bar)
}

/// All patterns of 32 bits, one tensor after the other.
fn wide(host: &Host, name: &str, clamp: &Clamp, size: u64) -> Result<[u64; 2]> {
    const ALL: u64 = 1 << 32;
    let bar = bar(name, ALL)?;
    let count = (size / 4).min(ALL) as usize;
    let mut patterns = vec![0; count];
    let src = Tensor::zeros(host, clamp.source(), &[count])?;
    let dst = Tensor::zeros(host, clamp.dtype(), &[count])?;
    let mut differing = 0;
    let mut first = 0;
    while first < ALL {
        // The last tensor overlaps the one before if `count` is no divisor.
        first = first.min(ALL - count as u64);
        let before = poison(first / count as u64, count * clamp.dtype().size());
        host.queue().write_buffer(dst.buffer(), 0, &before);
        for (pattern, n) in patterns.iter_mut().zip(first..) {
            *pattern = n as u32;
        }
        let bytes: &[u8] = bytemuck::cast_slice(&patterns);
        host.queue().write_buffer(src.buffer(), 0, bytes);
        host.submit(clamp, Operands::new(src.view(), dst.view()))?;
        differing += compare(clamp, bytes, &before, &pollster::block_on(dst.read_bytes())?)?;
        first += count as u64;
        bar.set_position(first);
    }
    bar.finish_and_clear();
    Ok([ALL, differing])
}

/// Runs each clamp on all patterns of its source, and reads many results at once.
fn narrow(host: &Host, name: &str, clamps: &[Clamp]) -> Result<[u64; 2]> {
    const AT_ONCE: usize = 256;
    let [clamp, ..] = clamps else { bail!("{name} has no clamp") };
    let size = clamp.source().size();
    let count = 1 << (8 * size);
    let bar = bar(name, (clamps.len() * count) as u64)?;
    let patterns: Vec<u8> = (0..count).flat_map(|n| (n as u16).to_le_bytes()[..size].to_vec()).collect();
    let src = Tensor::upload_bytes(host, clamp.source(), &[count], &patterns)?;
    let dst = Tensor::zeros(host, clamp.dtype(), &[AT_ONCE, count])?;
    let mut differing = 0;
    for (round, clamps) in (0..).zip(clamps.chunks(AT_ONCE)) {
        let before = poison(round, AT_ONCE * patterns.len());
        host.queue().write_buffer(dst.buffer(), 0, &before);
        for (n, clamp) in clamps.iter().enumerate() {
            let layout = Layout::packed_at(&[count], n * count)?;
            host.submit(clamp, Operands::new(src.view(), View::new(dst.buffer(), clamp.dtype(), layout)))?;
        }
        let after = pollster::block_on(dst.read_bytes())?;
        let results = before.chunks_exact(patterns.len()).zip(after.chunks_exact(patterns.len()));
        for (clamp, (before, after)) in clamps.iter().zip(results) {
            differing += compare(clamp, &patterns, before, after)?;
        }
        bar.inc((clamps.len() * count) as u64);
    }
    bar.finish_and_clear();
    Ok([(clamps.len() * count) as u64, differing])
}

/// The bytes of dst before a round: different each time, so that an unwritten element shows.
fn poison(round: u64, len: usize) -> Vec<u8> {
    vec![(round.wrapping_mul(37) + 0x5a) as u8; len]
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
