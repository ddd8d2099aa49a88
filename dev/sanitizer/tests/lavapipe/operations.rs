//! Each operation that the sanitizer executes, on random words.

use clamp_testing::random::Random;

use crate::program::{Program, words};

/// Functions of the expressions: from a word to a signed one and back; from a word to a float between -8 and 8, a
/// multiple of a quarter, and from a product of three such floats to a word. Arithmetic on them is exact on every device.
pub const FUNCTIONS: &str = "
fn s(x: u32) -> i32 { return bitcast<i32>(x); }
fn u(x: i32) -> u32 { return bitcast<u32>(x); }
fn f(x: u32) -> f32 { return f32(s(x) >> 26u) * 0.25; }
fn w(x: f32) -> u32 { return u(i32(x * 64.0)); }
";

/// The operands of [`EXPRESSIONS`]: words, as the result is.
pub const OPERANDS: [&str; 3] = ["{a}", "{b}", "{c}"];

/// Each operation.
pub const EXPRESSIONS: &[&str] = &[
    "({a} + {b})",
    "({a} - {b})",
    "({a} * {b})",
    "({a} / ({b} | 1u))",
    "({a} % ({b} | 1u))",
    "({a} & {b})",
    "({a} | {b})",
    "({a} ^ {b})",
    "(~{a})",
    "({a} << ({b} & 31u))",
    "({a} >> ({b} & 31u))",
    "min({a}, {b})",
    "max({a}, {b})",
    "clamp({a}, {b} & 255u, {b} | 255u)",
    "countLeadingZeros({a})",
    "insertBits({a}, {b}, {c} & 63u, {b} & 63u)",
    "insertBits({a}, {b}, 0u, 16u)",
    "extractBits({a}, {b} & 63u, {c} & 63u)",
    "u(extractBits(s({a}), {b} & 63u, {c} & 63u))",
    "u(s({a}) + s({b}) * s({c}))",
    "u(-s({a}))",
    "u(abs(s({a})))",
    "u(s({a}) >> ({b} & 31u))",
    "u(min(s({a}), s({b})))",
    "u(max(s({a}), s({b})))",
    "u(clamp(s({a}), s({b}) | -256i, s({b}) & 255i))",
    "u32({a} < {b})",
    "u32({a} <= {b})",
    "u32({a} > {b})",
    "u32({a} >= {b})",
    "u32({a} == {b})",
    "u32({a} != {b})",
    "u32(s({a}) < s({b}))",
    "u32(s({a}) <= s({b}))",
    "u32(s({a}) > s({b}))",
    "u32(!({a} < {b}) && ({b} < {c} || {c} < {a}))",
    "u32((({a} < {b}) != ({b} < {c})) & ({a} < {c}))",
    "u32(bool({a} & 1u) | (f({b}) != 0.0))",
    "select({a}, {b}, {c} > 7u)",
    "select(vec2({a}, {b}), vec2({c}), vec2({a} > {c}, {b} > {a})).y",
    "u32(all(vec2({a}, {b}) > vec2({c})))",
    "u32(any(vec3({a}, {b}, 7u) == vec3({c})))",
    "(vec3({a}, {b}, {c}) * {a}).z",
    "array<vec2<u32>, 2>(vec2({a}, {b}), vec2({b}, {c}))[1].y",
    "vec4(vec2({a}, {b}).yx, {c}, 5u).wzxy.z",
    "w(f({a}) + f({b}))",
    "w(f({a}) - f({b}))",
    "w(f({a}) * f({b}) * f({c}))",
    "w(-f({a}) * f({b}) - f({c}))",
    "w(fma(f({a}), f({b}), f({c})))",
    // A device may give either of two zeros.
    "w(min(f({a}) + 0.125, f({b}) + 0.125))",
    "w(max(f({a}) + 0.125, f({b}) + 0.125))",
    "w(round(f({a})))",
    "w(select(f({a}), f({b}), f({b}) < f({c})))",
    "u32(f({a}) == f({b}))",
    "u32(f({a}) >= f({b}))",
    "u32(vec2(f({a}), f({b})).y + 8.0)",
    "bitcast<u32>(f32({a} >> 8u))",
    "bitcast<u32>(f32(s({a}) >> 7u))",
    "bitcast<u32>(f32({a} < {b}))",
    "pack2x16float(vec2(f({a}), f({b})) + 0.125)",
    "bitcast<u32>(unpack2x16float(({a} & 0xbbffbbffu) | 0x04000400u).x)",
    "bitcast<u32>(unpack2x16float(({a} & 0xbbffbbffu) | 0x04000400u).y)",
];

#[test]
fn each_operation_agrees() {
    let stores = EXPRESSIONS.iter().enumerate().map(|(n, expression)| {
        let named = OPERANDS.iter().zip(["a", "b", "c"]);
        let text = named.fold((*expression).to_owned(), |text, (operand, name)| text.replace(operand, name));
        format!("results[me + {n}u] = {text};\n")
    });
    let (count, stores) = (EXPRESSIONS.len(), stores.collect::<String>());
    let wgsl = format!(
        "@group(0) @binding(0) var<storage, read> words: array<vec3<u32>>;
        @group(0) @binding(1) var<storage, read_write> results: array<u32>;
        {FUNCTIONS}
        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
            let a = words[id.x].x;
            let b = words[id.x].y;
            let c = words[id.x].z;
            let me = id.x * {count}u;
            {stores}
        }}"
    );
    let buffers = vec![words(&mut Random(1), 1024 * 4), vec![0; 1024 * 4 * count]];
    Program { wgsl, grid: [16, 1, 1], buffers }.check();
}
