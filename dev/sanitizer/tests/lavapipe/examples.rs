//! Programs as in tutorials, with results that are known without a device.

use crate::choices::Random;
use crate::program::{Program, Resource};

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn random_words(count: usize) -> Vec<u32> {
    let mut random = Random(7);
    (0..count).map(|_| random.bits() as u32).collect()
}

/// Returns the words of all resources after a run. `resources` has their groups, bindings and bytes.
fn run(
    wgsl: &str,
    (entry_point, constants): (&'static str, &[(&'static str, f64)]),
    grid: [u32; 3],
    resources: &[(u32, u32, Vec<u8>)],
) -> Vec<Vec<u32>> {
    let resources = resources.iter().map(|&(group, binding, ref bytes)| Resource {
        group,
        binding,
        bytes: bytes.clone(),
    });
    let (wgsl, constants, resources) = (wgsl.to_owned(), constants.to_vec(), resources.collect());
    let (after, devices) = Program { wgsl, entry_point, constants, grid, resources }.agreed();
    assert_eq!(devices, 1, "integers leave nothing to a device");
    let words = |bytes: Vec<u8>| bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    after.into_iter().map(words).collect()
}

#[test]
fn scan() {
    let numbers = random_words(50);
    let after = run(
        include_str!("examples/scan.wgsl"),
        ("scan", &[("LENGTH", 9.0)]),
        [2, 1, 1],
        &[(0, 0, bytes(&numbers)), (0, 1, bytes(&[0; 50])), (1, 0, bytes(&[0; 6]))],
    );
    let totals = numbers.chunks(9).map(|row| row.iter().fold(0_u32, |sum, n| sum.wrapping_add(*n)));
    assert_eq!(after[2], totals.collect::<Vec<_>>());
    assert_eq!(after[1][9..12], [0, numbers[9], numbers[9].wrapping_add(numbers[10])]);
}

#[test]
fn prefix() {
    let numbers = random_words(768);
    let after =
        run(include_str!("examples/prefix.wgsl"), ("prefix", &[]), [3, 1, 1], &[(0, 0, bytes(&numbers))]);
    let sums = numbers.chunks(256).flat_map(|workgroup| {
        workgroup.iter().scan(0_u32, |sum, n| {
            *sum = sum.wrapping_add(*n);
            Some(*sum)
        })
    });
    assert_eq!(after[0], sums.collect::<Vec<_>>());
}

#[test]
fn histogram() {
    let levels = bytes(&random_words(100));
    let mut statistics = [0; 18];
    statistics[16] = u32::MAX;
    let after = run(
        include_str!("examples/histogram.wgsl"),
        ("histogram", &[]),
        [3, 1, 1],
        &[(0, 0, levels.clone()), (0, 1, bytes(&statistics))],
    );
    let count = |n: usize| levels.iter().filter(|level| usize::from(**level) / 16 == n).count() as u32;
    assert_eq!(after[1][..16], std::array::from_fn::<_, 16, _>(count));
    let ends = [levels.iter().min(), levels.iter().max()];
    assert_eq!(after[1][16..], ends.map(|level| u32::from(*level.unwrap())));
}

#[test]
fn sieve() {
    let after = run(
        include_str!("examples/sieve.wgsl"),
        ("mark", &[("END", 1000.0)]),
        [5, 1, 1],
        &[(0, 0, bytes(&[0; 32]))],
    );
    let primes = (2..1000).filter(|n| after[0][n / 32] >> (n % 32) & 1 == 0);
    assert_eq!(primes.count(), 168);
}

#[test]
fn mandelbrot() {
    // The view starts at −2 − i and has steps of 1/8.
    let view = [-2 << 12, -1 << 12, 1 << 9, 0, 21, 16, 0, 0].map(i32::cast_unsigned);
    let after = run(
        include_str!("examples/mandelbrot.wgsl"),
        ("mandelbrot", &[]),
        [3, 8, 1],
        &[(0, 0, bytes(&view)), (0, 1, bytes(&[0; 21 * 16]))],
    );
    // −2 − i escapes in the second round, 0 never does.
    assert_eq!((after[1][0], after[1][8 * 21 + 16]), (1, 40));
}

#[test]
fn crc32() {
    let mut text = b"123456789The quick brown fox jumps over the lazy dog".to_vec();
    text.resize(text.len().next_multiple_of(4), 0);
    let after = run(
        include_str!("examples/crc32.wgsl"),
        ("crc32", &[]),
        [1, 1, 1],
        &[(0, 0, bytes(&[0, 9, 9, 43, 0, 0])), (0, 1, text), (0, 2, bytes(&[0; 3]))],
    );
    assert_eq!(after[2], [0xcbf4_3926, 0x414f_a339, 0]);
}

#[test]
fn ways() {
    let after =
        run(include_str!("examples/ways.wgsl"), ("reach", &[]), [1, 1, 1], &[(0, 0, bytes(&[0; 32]))]);
    assert_eq!(after[0][..8], [7, 27, 39, 10, 13 + 5000, 1105, 2, 27]);
    assert_eq!(after[0][8..16], [5, 7, 110, 111 + 1_000_000, 114 + 1_005_000, 118, 2, 25]);
}
