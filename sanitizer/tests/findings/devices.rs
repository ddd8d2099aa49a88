//! Choices that WGSL leaves to a device: all results of a program, and the devices that give each.

use std::collections::BTreeSet;

use wgsl_sanitizer::Association::{Reversed, Rotated, Written};
use wgsl_sanitizer::HalfRounding::{self, AwayFromZero, TowardZero};
use wgsl_sanitizer::IntegerRounding::{self, Down, Up};
use wgsl_sanitizer::Subnormals::{Flushed, FlushedProducts, FlushedSums, Kept};
use wgsl_sanitizer::{Binding, Device, Dispatch, Memory, Module, everywhere};

/// A result, and a test for the devices that give it.
type Expected = (u32, fn(&Device) -> bool);

const INFINITY: u32 = 0x7f80_0000;
const NAN: u32 = 0x7fc0_0001;
const LEAST_NORMAL: u32 = 0x0080_0000;

/// Asserts the value of `result`, a `u32` expression of the floats `a`, `b`, `c` and the words `m`: each device
/// gives the value that `expected` has for it, and each value in `expected` occurs.
fn results(result: &str, words: [u32; 3], expected: &[Expected]) {
    let wgsl = format!(
        "@group(0) @binding(0) var<storage, read_write> m: array<u32>;
        @compute @workgroup_size(1)
        fn main() {{
            let a = bitcast<f32>(m[0]);
            let b = bitcast<f32>(m[1]);
            let c = bitcast<f32>(m[2]);
            m[3] = {result};
        }}"
    );
    all_results(&wgsl, words, expected);
}

/// The same for a float expression.
fn floats(result: &str, words: [u32; 3], expected: &[Expected]) {
    results(&format!("bitcast<u32>({result})"), words, expected);
}

fn all_results(wgsl: &str, words: [u32; 3], expected: &[Expected]) {
    let module = Module::parse(wgsl).unwrap_or_else(|error| panic!("{error}"));
    let program = module.program("main", &[]).unwrap();
    let bindings = vec![Binding { group: 0, binding: 0, buffer: 0, offset: 0, size: 16 }];
    let memory = Memory::from_bytes(&[words[0], words[1], words[2], 0].map(u32::to_le_bytes).concat());
    let mut given = BTreeSet::new();
    for outcome in everywhere(&[Dispatch { program: &program, grid: [1, 1, 1], bindings }], &[memory]) {
        let device = outcome.device;
        assert!(outcome.findings.is_empty(), "{wgsl}{device}: {:#?}", outcome.findings);
        let mut bytes = [0; 4];
        outcome.buffers[0].read(12, &mut bytes);
        let got = u32::from_le_bytes(bytes);
        let meant: Vec<_> =
            expected.iter().filter(|(_, gives)| gives(&device)).map(|(bits, _)| *bits).collect();
        assert_eq!(meant, [got], "{wgsl}{device}");
        given.insert(got);
    }
    assert_eq!(given, expected.iter().map(|(bits, _)| *bits).collect(), "{wgsl}");
}

fn power_of_two(exponent: i32) -> u32 {
    2.0_f32.powi(exponent).to_bits()
}

#[test]
fn a_product_and_a_sum_are_fused_or_not() {
    // (1 + 2^-12)^2 is 1 + 2^-11 + 2^-24. An f32 holds all but the last term.
    let factor = 1.0 + 2.0_f32.powi(-12);
    let words = [factor.to_bits(), factor.to_bits(), (-1.0 - 2.0_f32.powi(-11)).to_bits()];
    let last = power_of_two(-24);
    let fused: &[Expected] = &[(0, |device| !device.fused), (last, |device| device.fused)];
    for result in [
        "a * b + c",
        "c + a * b",
        "fma(a, b, c)",
        "a * b - (-c)",
        "-(-a * b) + c",
        "(vec2(a) * vec2(b) + vec2(c)).y",
    ] {
        floats(result, words, fused);
    }
    floats("-c - a * b", words, &[(0, |device| !device.fused), (last | 1 << 31, |device| device.fused)]);
    // Across several statements.
    let statements = "@group(0) @binding(0) var<storage, read_write> m: array<u32>;
        fn multiplied(x: f32, y: f32) -> f32 { return x * y; }
        @compute @workgroup_size(1)
        fn main() {
            var x = bitcast<f32>(m[0]);
            let product = multiplied(x, bitcast<f32>(m[1]));
            x = 5.0;
            m[3] = bitcast<u32>(product + bitcast<f32>(m[2]));
        }";
    all_results(statements, words, fused);
    // A value that has been in memory is rounded.
    let through_memory = "@group(0) @binding(0) var<storage, read_write> m: array<u32>;
        @compute @workgroup_size(1)
        fn main() {
            m[3] = bitcast<u32>(bitcast<f32>(m[0]) * bitcast<f32>(m[1]));
            m[3] = bitcast<u32>(bitcast<f32>(m[3]) + bitcast<f32>(m[2]));
        }";
    all_results(through_memory, words, &[(0, |_| true)]);
}

#[test]
fn products_and_sums_are_associated_in_any_way() {
    let (big, small) = (power_of_two(100), power_of_two(-100));
    floats(
        "a * b * c",
        [big, big, small],
        &[(INFINITY, |device| device.association == Written), (big, |device| device.association != Written)],
    );
    floats(
        "a * b * c",
        [small, big, big],
        &[
            (INFINITY, |device| device.association == Reversed),
            (big, |device| device.association != Reversed),
        ],
    );
    floats(
        "a * (b * c)",
        [big, small, big],
        &[(INFINITY, |device| device.association == Rotated), (big, |device| device.association != Rotated)],
    );
    let (most, less) = (power_of_two(127), power_of_two(127) | 1 << 31);
    floats(
        "a + b + c",
        [most, most, less],
        &[(INFINITY, |device| device.association == Written), (most, |device| device.association != Written)],
    );
    // Nested to the right.
    floats(
        "a + (b + c)",
        [most, less, power_of_two(0)],
        &[
            (0, |device| device.association != Reversed),
            (power_of_two(0), |device| device.association == Reversed),
        ],
    );
    // 2^-24 is lost beside 1, but 2^-23 is not.
    floats(
        "a + b + c",
        [power_of_two(0), power_of_two(-24), power_of_two(-24)],
        &[
            (power_of_two(0), |device| device.association != Reversed),
            (power_of_two(0) + 1, |device| device.association == Reversed),
        ],
    );
    floats(
        "a - b - c",
        [most, less, most],
        &[(INFINITY, |device| device.association == Written), (most, |device| device.association != Written)],
    );
    // Two factors give the same product in any order.
    floats("a * b", [big, big, 0], &[(INFINITY, |_| true)]);
}

#[test]
fn subnormals_are_kept_or_flushed() {
    let kept_in_sums: fn(&Device) -> bool = |device| matches!(device.subnormals, Kept | FlushedProducts);
    let flushed_in_sums: fn(&Device) -> bool = |device| matches!(device.subnormals, Flushed | FlushedSums);
    let kept_in_products: fn(&Device) -> bool = |device| matches!(device.subnormals, Kept | FlushedSums);
    let flushed_in_products: fn(&Device) -> bool =
        |device| matches!(device.subnormals, Flushed | FlushedProducts);
    let kept: fn(&Device) -> bool = |device| device.subnormals != Flushed;
    let flushed: fn(&Device) -> bool = |device| device.subnormals == Flushed;
    let sign = 1 << 31;

    floats("a - b", [LEAST_NORMAL + 1, LEAST_NORMAL, 0], &[(1, kept_in_sums), (0, flushed_in_sums)]);
    floats(
        "a - b",
        [LEAST_NORMAL, LEAST_NORMAL + 1, 0],
        &[(sign | 1, kept_in_sums), (sign, flushed_in_sums)],
    );
    let half = 0.5_f32.to_bits();
    floats("a * b", [LEAST_NORMAL, half, 0], &[(0x0040_0000, kept_in_products), (0, flushed_in_products)]);
    // Subnormal operands.
    floats("a * b", [1, power_of_two(127), 0], &[(power_of_two(-22), kept), (0, flushed)]);
    floats("a + b", [1, LEAST_NORMAL, 0], &[(LEAST_NORMAL + 1, kept), (LEAST_NORMAL, flushed)]);
    floats("min(a, 1.0)", [1, 0, 0], &[(1, kept), (0, flushed)]);
    floats("ceil(a)", [1, 0, 0], &[(1.0_f32.to_bits(), kept), (0, flushed)]);
    floats("sign(a)", [sign | 1, 0, 0], &[((-1.0_f32).to_bits(), kept), (0, flushed)]);
    results("u32(a > 0.0)", [1, 0, 0], &[(1, kept), (0, flushed)]);
    results("u32(a == 0.0)", [1, 0, 0], &[(0, kept), (1, flushed)]);
    // A value without arithmetic stays.
    floats("a", [1, 0, 0], &[(1, |_| true)]);
    floats("select(a, b, b > 0.0)", [1, 0, 0], &[(1, |_| true)]);
}

#[test]
fn what_is_subnormal_is_judged_before_or_after_rounding() {
    // 0x00ff_ffff is the greatest f32 below twice the least normal number; half of it is rounded up to that number.
    let half = 0.5_f32.to_bits();
    let flushes: fn(&Device) -> bool =
        |device| matches!(device.subnormals, Flushed | FlushedProducts) && device.tiny_before_rounding;
    let keeps: fn(&Device) -> bool =
        |device| !matches!(device.subnormals, Flushed | FlushedProducts) || !device.tiny_before_rounding;
    floats("a * b", [0x00ff_ffff, half, 0], &[(0, flushes), (LEAST_NORMAL, keeps)]);
    // If the product is fused, the result counts as the sum's.
    floats(
        "a * b + c",
        [0x00ff_ffff, half, 0],
        &[
            (0, |device| {
                let step = if device.fused { FlushedSums } else { FlushedProducts };
                (device.subnormals == Flushed || device.subnormals == step) && device.tiny_before_rounding
            }),
            (LEAST_NORMAL, |device| {
                let step = if device.fused { FlushedSums } else { FlushedProducts };
                device.subnormals != Flushed && device.subnormals != step || !device.tiny_before_rounding
            }),
        ],
    );
    // An exact result that is the least normal number is never flushed.
    floats("a * b", [power_of_two(-125), half, 0], &[(LEAST_NORMAL, |_| true)]);
}

#[test]
fn an_integer_that_is_no_float_becomes_a_neighbour() {
    let up_when_nearest: fn(&Device) -> bool = |device| device.integers != Down;
    let down_when_nearest: fn(&Device) -> bool = |device| device.integers != Up;
    let down: fn(&Device) -> bool = |device| device.integers == Down;
    let up: fn(&Device) -> bool = |device| device.integers == Up;
    let of = |number: f32, gives| (number.to_bits(), gives);
    // Half-way, to even.
    floats("f32(m[0])", [16_777_217, 0, 0], &[of(16_777_216.0, down_when_nearest), of(16_777_218.0, up)]);
    floats("f32(m[0])", [16_777_219, 0, 0], &[of(16_777_218.0, down), of(16_777_220.0, up_when_nearest)]);
    floats("f32(m[0])", [u32::MAX, 0, 0], &[of(4_294_967_040.0, down), of(4_294_967_296.0, up_when_nearest)]);
    floats(
        "f32(bitcast<i32>(m[0]))",
        [16_777_217_u32.wrapping_neg(), 0, 0],
        &[of(-16_777_218.0, down), of(-16_777_216.0, up_when_nearest)],
    );
    floats("f32(m[0])", [1 << 31, 0, 0], &[(power_of_two(31), |_| true)]);
    // Both conversions run on one device: only rounding to nearest gives this pair.
    results(
        "u32(f32(m[0]) == 16777216.0 && f32(m[1]) == 16777220.0)",
        [16_777_217, 16_777_219, 0],
        &[
            (1, |device| device.integers == IntegerRounding::Nearest),
            (0, |device| device.integers != IntegerRounding::Nearest),
        ],
    );
}

/// Comparisons, `min` and `max` with NaN, and the sign of a zero from `min` or `max`, are tested with taint.
#[test]
fn a_comparison_of_bits_is_none_of_floats() {
    results("u32((m[0] & 0x7fffffffu) > 0x7f800000u)", [NAN, 0, 0], &[(1, |_| true)]);
    floats("max(a, b)", [INFINITY, 0, 0], &[(INFINITY, |_| true)]);
}

#[test]
fn either_of_two_products_is_fused() {
    // (1 + 2^-12)^2 is 1 + 2^-11 + 2^-24. An f32 holds all but the last term.
    let factor = (1.0 + 2.0_f32.powi(-12)).to_bits();
    let last = power_of_two(-24);
    floats(
        "a * b - a * b",
        [factor, factor, 0],
        &[
            (0, |device| !device.fused),
            (last, |device| device.fused && !device.fused_right),
            (last | 1 << 31, |device| device.fused_right),
        ],
    );
}

#[test]
fn halves_are_rounded_either_way() {
    // Half-way: to even.
    let toward: fn(&Device) -> bool = |device| device.halves != AwayFromZero;
    let away: fn(&Device) -> bool = |device| device.halves == AwayFromZero;
    let pack = "pack2x16float(vec2(a, b))";
    let between = 1.0 + 2.0_f32.powi(-11);
    results(pack, [between.to_bits(), 0, 0], &[(0x3c00, toward), (0x3c01, away)]);
    results(pack, [0, (-between).to_bits(), 0], &[(0xbc00_0000, toward), (0xbc01_0000, away)]);
    // Across a power of two.
    let close: fn(&Device) -> bool = |device| device.halves != TowardZero;
    results(
        pack,
        [(2.0 - 2.0_f32.powi(-13)).to_bits(), 0, 0],
        &[(0x3fff, |device| device.halves == TowardZero), (0x4000, close)],
    );
    results(
        pack,
        [between.to_bits(), (1.0 + 3.0 * 2.0_f32.powi(-11)).to_bits(), 0],
        &[
            (0x3c02_3c00, |device| device.halves == HalfRounding::Nearest),
            (0x3c01_3c00, |device| device.halves == TowardZero),
            (0x3c02_3c01, away),
        ],
    );
    results(pack, [65504.0_f32.to_bits(), 0.5_f32.to_bits(), 0], &[(0x3800_7bff, |_| true)]);
    // Subnormal halves.
    results(
        pack,
        [(1.5 * 2.0_f32.powi(-24)).to_bits(), 0, 0],
        &[
            (0, |device| device.subnormals == Flushed),
            (1, |device| device.subnormals != Flushed && device.halves == TowardZero),
            (2, |device| device.subnormals != Flushed && device.halves != TowardZero),
        ],
    );
    floats(
        "unpack2x16float(m[0]).y",
        [0xbc01_0000, 0, 0],
        &[((-1.0 - 2.0_f32.powi(-10)).to_bits(), |_| true)],
    );
    floats(
        "unpack2x16float(m[0]).x",
        [3, 0, 0],
        &[
            ((3.0 * 2.0_f32.powi(-24)).to_bits(), |device| device.subnormals != Flushed),
            (0, |device| device.subnormals == Flushed),
        ],
    );
}
