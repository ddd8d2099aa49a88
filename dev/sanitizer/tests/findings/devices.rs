//! Choices that WGSL leaves to a device: the result that each device gives.

use std::collections::BTreeSet;

use wgsl_sanitizer::Association::{Reversed, Rotated, Written};
use wgsl_sanitizer::Fusion::{Left, Never, Right};
use wgsl_sanitizer::HalfRounding::{self, AwayFromZero, TowardZero};
use wgsl_sanitizer::IntegerRounding::{Down, Nearest, Up};
use wgsl_sanitizer::Subnormals::{Flushed, FlushedProducts, FlushedSums};
use wgsl_sanitizer::{Binding, Device, Dispatch, Memory, Module, everywhere};

const INFINITY: u32 = 0x7f80_0000;
const LEAST_NORMAL: u32 = 0x0080_0000;
const SIGN: u32 = 1 << 31;
const HALF: u32 = 0x3f00_0000;

/// Asserts the value of `result`, a `u32` expression of the floats `a`, `b`, `c` and the words `m`: each device
/// gives the value that `expected` returns for it, and each of these values occurs.
fn results(result: &str, words: [u32; 3], expected: impl Fn(&Device) -> u32) {
    stored(&format!("m[3] = {result};"), words, expected);
}

/// The same for a float expression.
fn floats(result: &str, words: [u32; 3], expected: impl Fn(&Device) -> u32) {
    results(&format!("bitcast<u32>({result})"), words, expected);
}

/// The same for statements that store a word.
fn stored(statements: &str, words: [u32; 3], expected: impl Fn(&Device) -> u32) {
    let wgsl = &format!(
        "@group(0) @binding(0) var<storage, read_write> m: array<u32>;
        fn multiplied(x: f32, y: f32) -> f32 {{ return x * y; }}
        @compute @workgroup_size(1)
        fn main() {{
            let a = bitcast<f32>(m[0]);
            let b = bitcast<f32>(m[1]);
            let c = bitcast<f32>(m[2]);
            {statements}
        }}"
    );
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
        assert_eq!(expected(&device), got, "{wgsl}{device}");
        given.insert(got);
    }
    assert_eq!(given, Device::all().map(|device| expected(&device)).collect(), "{wgsl}");
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
    let fused = |device: &Device| if device.fusion == Never { 0 } else { last };
    for result in ["a * b + c", "c + a * b", "fma(a, b, c)", "-(-a * b) + c"] {
        floats(result, words, fused);
    }
    floats("-c - a * b", words, |device| if device.fusion == Never { 0 } else { last | SIGN });
    // Either of two products.
    floats("a * b - a * b", words, |device| match device.fusion {
        Never => 0,
        Left => last,
        Right => last | SIGN,
    });
    let statements = "var x = a;
        let product = multiplied(x, b);
        x = 5.0;
        m[3] = bitcast<u32>(product + c);";
    stored(statements, words, fused);
    // A value that has been in memory is rounded.
    stored("m[3] = bitcast<u32>(a * b);\n m[3] = bitcast<u32>(bitcast<f32>(m[3]) + c);", words, |_| 0);
}

#[test]
fn products_and_sums_are_associated_in_any_way() {
    let (big, small) = (power_of_two(100), power_of_two(-100));
    let (most, less, one) = (power_of_two(127), power_of_two(127) | SIGN, power_of_two(0));
    // 2^-24 is lost beside 1, but 2^-23 is not.
    let tiny = power_of_two(-24);
    for (expression, words, association, then, otherwise) in [
        ("a * b * c", [big, big, small], Written, INFINITY, big),
        ("a * b * c", [small, big, big], Reversed, INFINITY, big),
        ("a * (b * c)", [big, small, big], Rotated, INFINITY, big),
        ("a + b + c", [most, most, less], Written, INFINITY, most),
        // Nested to the right.
        ("a + (b + c)", [most, less, one], Reversed, one, 0),
        ("a + b + c", [one, tiny, tiny], Reversed, one + 1, one),
        ("a - b - c", [most, less, most], Written, INFINITY, most),
    ] {
        let expected = |device: &Device| if device.association == association { then } else { otherwise };
        floats(expression, words, expected);
    }
    // Two factors give the same product in any order.
    floats("a * b", [big, big, 0], |_| INFINITY);
}

#[test]
fn subnormals_are_kept_or_flushed() {
    for (expression, words, results_of, kept, flushed) in [
        ("a - b", [LEAST_NORMAL + 1, LEAST_NORMAL, 0], FlushedSums, 1, 0),
        ("a * b", [LEAST_NORMAL, HALF, 0], FlushedProducts, 0x0040_0000, 0),
        // Subnormal operands.
        ("a * b", [1, power_of_two(127), 0], Flushed, power_of_two(-22), 0),
        ("a + b", [1, LEAST_NORMAL, 0], Flushed, LEAST_NORMAL + 1, LEAST_NORMAL),
        ("min(a, 1.0)", [1, 0, 0], Flushed, 1, 0),
        ("bitcast<f32>(u32(a > 0.0))", [1, 0, 0], Flushed, 1, 0),
        ("bitcast<f32>(u32(a == 0.0))", [1, 0, 0], Flushed, 0, 1),
        // A value without arithmetic stays.
        ("a", [1, 0, 0], Flushed, 1, 1),
        ("select(a, b, b > 0.0)", [1, 0, 0], Flushed, 1, 1),
    ] {
        let flushes = |device: &Device| [Flushed, results_of].contains(&device.subnormals);
        floats(expression, words, |device| if flushes(device) { flushed } else { kept });
    }
}

#[test]
fn what_is_subnormal_is_judged_before_or_after_rounding() {
    // 0x00ff_ffff is the greatest f32 below twice the least normal number. Half of it is rounded up to the least normal
    // number.
    let expected = |device: &Device, step| {
        let flushes = [Flushed, step].contains(&device.subnormals) && device.tiny_before_rounding;
        if flushes { 0 } else { LEAST_NORMAL }
    };
    floats("a * b", [0x00ff_ffff, HALF, 0], |device| expected(device, FlushedProducts));
    // If the product is fused, the result counts as the sum's.
    floats("a * b + c", [0x00ff_ffff, HALF, 0], |device| {
        expected(device, if device.fusion == Never { FlushedProducts } else { FlushedSums })
    });
    // An exact result that is the least normal number is never flushed.
    floats("a * b", [power_of_two(-125), HALF, 0], |_| LEAST_NORMAL);
}

#[test]
fn an_integer_that_is_no_float_becomes_a_neighbour() {
    let negative = 16_777_217_u32.wrapping_neg();
    for (expression, integer, [nearest, down, up]) in [
        // Half-way, to even.
        ("f32(m[0])", 16_777_217, [16_777_216.0_f32, 16_777_216.0, 16_777_218.0]),
        ("f32(m[0])", 16_777_219, [16_777_220.0, 16_777_218.0, 16_777_220.0]),
        ("f32(m[0])", u32::MAX, [4_294_967_296.0, 4_294_967_040.0, 4_294_967_296.0]),
        ("f32(bitcast<i32>(m[0]))", negative, [-16_777_216.0, -16_777_218.0, -16_777_216.0]),
    ] {
        floats(expression, [integer, 0, 0], |device| match device.integers {
            Nearest => nearest.to_bits(),
            Down => down.to_bits(),
            Up => up.to_bits(),
        });
    }
}

#[test]
fn halves_are_rounded_either_way() {
    let between = 1.0 + 2.0_f32.powi(-11);
    let further = 1.0 + 3.0 * 2.0_f32.powi(-11);
    for (a, b, [nearest, toward_zero, away_from_zero]) in [
        // Half-way: to even.
        (between, 0.0, [0x3c00, 0x3c00, 0x3c01]),
        (0.0, -between, [0xbc00_0000, 0xbc00_0000, 0xbc01_0000]),
        // Across a power of two.
        (2.0 - 2.0_f32.powi(-13), 0.0, [0x4000, 0x3fff, 0x4000]),
        (between, further, [0x3c02_3c00, 0x3c01_3c00, 0x3c02_3c01]),
        (65504.0, 0.5, [0x3800_7bff; 3]),
    ] {
        let words = [a.to_bits(), b.to_bits(), 0];
        results("pack2x16float(vec2(a, b))", words, |device| match device.halves {
            HalfRounding::Nearest => nearest,
            TowardZero => toward_zero,
            AwayFromZero => away_from_zero,
        });
    }
    // Subnormal halves.
    let subnormal = (1.5 * 2.0_f32.powi(-24)).to_bits();
    results("pack2x16float(vec2(a, b))", [subnormal, 0, 0], |device| match device.subnormals {
        Flushed => 0,
        _ if device.halves == TowardZero => 1,
        _ => 2,
    });
    let subnormal = (3.0 * 2.0_f32.powi(-24)).to_bits();
    floats(
        "unpack2x16float(m[0]).x",
        [3, 0, 0],
        |device| {
            if device.subnormals == Flushed { 0 } else { subnormal }
        },
    );
}
