//! Programs as in tutorials, with results that are known without a device.

use crate::choices::Random;
use crate::program::{Program, Resource, Space};

fn bytes(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

fn random_words(count: usize) -> Vec<u32> {
    let mut random = Random(7);
    (0..count).map(|_| random.bits() as u32).collect()
}

fn zeros(words: usize) -> Vec<u8> {
    vec![0; 4 * words]
}

/// Returns the words of all resources after a run. `resources` has their spaces and bytes in the order of bindings.
fn run(
    wgsl: &str,
    entry_point: &'static str,
    grid: [u32; 3],
    resources: &[(Space, Vec<u8>)],
) -> Vec<Vec<u32>> {
    let resources = resources.iter().zip(0..);
    let resources = resources.map(|((space, bytes), n)| Resource::new(n, *space, bytes.clone())).collect();
    agreed(&Program { wgsl: wgsl.to_owned(), entry_point, constants: Vec::new(), grid, resources })
}

fn agreed(program: &Program) -> Vec<Vec<u32>> {
    let (after, devices) = program.agreed();
    assert_eq!(devices, 1, "integers leave nothing to a device");
    after.iter().map(|bytes| words(bytes)).collect()
}

#[test]
fn matrices() {
    let (rows, inner, columns) = (7, 5, 9);
    let small = |count| -> Vec<u32> {
        random_words(count).into_iter().map(|word| ((word % 2001) as i32 - 1000).cast_unsigned()).collect()
    };
    let (left, right) = (small(rows * inner), small(inner * columns));
    let after = run(
        include_str!("examples/matrices.wgsl"),
        "multiply",
        [3, 2, 1],
        &[
            (Space::Uniform, bytes([rows, inner, columns, 0].map(|n| n as u32))),
            (Space::Read, bytes(left.clone())),
            (Space::Read, bytes(right.clone())),
            (Space::ReadWrite, zeros(rows * columns)),
        ],
    );
    let element = |row: usize, column: usize| {
        let terms = (0..inner).map(|k| left[row * inner + k].wrapping_mul(right[k * columns + column]));
        terms.fold(0, u32::wrapping_add)
    };
    let expected: Vec<_> = (0..rows * columns).map(|n| element(n / columns, n % columns)).collect();
    assert_eq!(after[3], expected);
}

#[test]
fn scan() {
    let numbers = random_words(50);
    let resource = |group, binding, space, bytes| Resource { group, binding, space, bytes };
    let after = agreed(&Program {
        wgsl: include_str!("examples/scan.wgsl").to_owned(),
        entry_point: "scan",
        constants: vec![("LENGTH", 9.0)],
        grid: [2, 1, 1],
        resources: vec![
            resource(0, 0, Space::Read, bytes(numbers.clone())),
            resource(0, 1, Space::ReadWrite, zeros(50)),
            resource(1, 0, Space::ReadWrite, zeros(6)),
        ],
    });
    let totals = numbers.chunks(9).map(|row| row.iter().fold(0_u32, |sum, n| sum.wrapping_add(*n)));
    assert_eq!(after[2], totals.collect::<Vec<_>>());
    assert_eq!(after[1][9..12], [0, numbers[9], numbers[9].wrapping_add(numbers[10])]);
}

#[test]
fn histogram() {
    let pixels = random_words(100);
    let mut statistics = vec![0; 18];
    statistics[16] = u32::MAX;
    let after = run(
        include_str!("examples/histogram.wgsl"),
        "histogram",
        [3, 1, 1],
        &[(Space::Read, bytes(pixels.clone())), (Space::ReadWrite, bytes(statistics))],
    );
    let levels = bytes(pixels);
    let count = |n: usize| levels.iter().filter(|level| usize::from(**level) / 16 == n).count() as u32;
    assert_eq!(after[1][..16], std::array::from_fn::<_, 16, _>(count));
    assert_eq!(
        after[1][16..],
        [levels.iter().min(), levels.iter().max()].map(|level| u32::from(*level.unwrap()))
    );
}

#[test]
fn life() {
    let mut cells = vec![0; 32];
    // A row of three cells across the edge, which becomes a column, and random cells.
    cells[2] = 0b11;
    cells[3] = 1 << 31;
    cells[20..28].copy_from_slice(&random_words(8));
    let after = run(
        include_str!("examples/life.wgsl"),
        "generation",
        [1, 4, 1],
        &[(Space::Read, bytes(cells)), (Space::ReadWrite, zeros(32))],
    );
    assert_eq!(after[1][..8], [1, 0, 1, 0, 1, 0, 0, 0]);
}

#[test]
fn collatz() {
    let numbers = [0, 1, 2, 3, 7, 27, 97, 871, 6171, 113_383, 0x5555_5555, u32::MAX];
    let after = run(
        include_str!("examples/collatz.wgsl"),
        "collatz",
        [1, 1, 1],
        &[(Space::ReadWrite, bytes(numbers))],
    );
    assert_eq!(after[0], [0, 0, 1, 7, 16, 111, 118, 178, 261, 247, u32::MAX, u32::MAX]);
}

#[test]
fn sieve() {
    let after = agreed(&Program {
        wgsl: include_str!("examples/sieve.wgsl").to_owned(),
        entry_point: "mark",
        constants: vec![("END", 1000.0)],
        grid: [5, 1, 1],
        resources: vec![Resource::new(0, Space::ReadWrite, zeros(32))],
    });
    let primes = (2..1000).filter(|n| after[0][n / 32] >> (n % 32) & 1 == 0);
    assert_eq!(primes.count(), 168);
}

#[test]
fn bitonic() {
    let mut keys = random_words(64);
    let steps = (1..=6).flat_map(|run| (0..run).rev().map(move |distance| (1 << run, 1 << distance)));
    for (run_length, distance) in steps {
        let after = run(
            include_str!("examples/bitonic.wgsl"),
            "exchange",
            [8, 1, 1],
            &[(Space::Uniform, bytes([run_length, distance, 0, 0])), (Space::ReadWrite, bytes(keys))],
        );
        keys = after[1].clone();
    }
    let keys = keys.into_iter().map(u32::cast_signed);
    assert!(keys.is_sorted());
}

#[test]
fn blur() {
    let (width, height) = (10, 5);
    let picture = [vec![width, height], random_words(50)].concat();
    let after = run(
        include_str!("examples/blur.wgsl"),
        "blur",
        [3, 3, 1],
        &[(Space::Read, bytes(picture.clone())), (Space::ReadWrite, zeros(50))],
    );
    let channel = |x: usize, y: usize| picture[2 + 10 * y + x] >> 8 & 0xff;
    let corner = channel(0, 0) + channel(1, 0) + channel(0, 1) + channel(1, 1);
    assert_eq!(after[1][0] >> 8 & 0xff, (corner + 2) / 4);
}

#[test]
fn mandelbrot() {
    // The view starts at −2 − i and has steps of 1/8.
    let view = [-2 << 12, -1 << 12, 1 << 9, 0].map(i32::cast_unsigned);
    let after = run(
        include_str!("examples/mandelbrot.wgsl"),
        "mandelbrot",
        [3, 8, 1],
        &[
            (Space::Uniform, bytes(view.into_iter().chain([21, 16, 0, 0]))),
            (Space::ReadWrite, zeros(21 * 16)),
        ],
    );
    // −2 − i escapes in the second round, 0 never does.
    assert_eq!((after[1][0], after[1][8 * 21 + 16]), (1, 40));
}

#[test]
fn random() {
    let after = run(
        include_str!("examples/random.wgsl"),
        "generate",
        [2, 1, 3],
        &[(Space::ReadWrite, bytes(random_words(48 * 8)))],
    );
    assert_eq!(after[0][0], 1_664_525 + 1_013_904_223);
}

#[test]
fn crc32() {
    let mut text = b"123456789The quick brown fox jumps over the lazy dog".to_vec();
    text.resize(text.len().next_multiple_of(4), 0);
    let after = run(
        include_str!("examples/crc32.wgsl"),
        "crc32",
        [1, 1, 1],
        &[(Space::Read, bytes([0, 9, 9, 43, 0, 0])), (Space::Read, text), (Space::ReadWrite, zeros(3))],
    );
    assert_eq!(after[2], [0xcbf4_3926, 0x414f_a339, 0]);
}

#[test]
fn base64() {
    for (plain, expected) in [
        ("Many hands make light work.", "TWFueSBoYW5kcyBtYWtlIGxpZ2h0IHdvcmsu"),
        ("a?>~", "YT8+fg=="),
        ("light wor", "bGlnaHQgd29y"),
        ("~~?", "fn4/"),
        ("ab", "YWI="),
    ] {
        let mut source = plain.as_bytes().to_vec();
        source.resize(source.len().next_multiple_of(4), 0xff);
        let after = run(
            include_str!("examples/base64.wgsl"),
            "encode",
            [2, 1, 1],
            &[
                (Space::Read, source),
                (Space::ReadWrite, zeros(expected.len() / 4)),
                (Space::Uniform, bytes([plain.len() as u32, 0, 0, 0])),
            ],
        );
        assert_eq!(bytes(after[1].clone()), expected.as_bytes());
    }
}

#[test]
fn ways() {
    let after = run(include_str!("examples/ways.wgsl"), "reach", [1, 1, 1], &[(Space::ReadWrite, zeros(32))]);
    assert_eq!(after[0][..8], [7, 27, 39, 10, 13 + 5000, 1105, 2, 27]);
    assert_eq!(after[0][8..16], [5, 7, 110, 111 + 1_000_000, 114 + 1_005_000, 118, 2, 25]);
}
