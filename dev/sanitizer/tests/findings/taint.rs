//! Tainted values that do harm.

use wgsl_sanitizer::Kind;

use crate::flaw::{Flaw, findings};

const NAN: u32 = 0x7fc0_0000;
const INFINITY: u32 = 0x7f80_0000;

fn stored(words: [u32; 4], body: &str, wrong: &str, right: &str) {
    Flaw { kind: Kind::TaintedStore, invocation: 2, body, wrong, right }.check(words);
}

#[test]
fn arithmetic_on_what_is_not_finite() {
    let one = 1.0_f32.to_bits();
    for special in [NAN, INFINITY, INFINITY | 1 << 31, INFINITY + 1] {
        let float = "let x = bitcast<f32>(words[i]);\n output[i] = bitcast<u32>(HERE);";
        for wrong in ["x * 2.0", "x + 1.0", "1.0 - x", "-x", "fma(1.0, 2.0, x)", "abs(x)", "floor(x)"] {
            stored([0, one, special, one], float, wrong, "x");
        }
    }
    // The expression overflows to an infinity, then gives a NaN, at least on devices that compute it as written.
    let overflow = "output[i] = bitcast<u32>(bitcast<f32>(words[i]) * 1e38 * 0.0);";
    let found = findings(overflow, [one, one, 1e20_f32.to_bits(), one]);
    assert!(found.iter().any(|finding| finding.kind == Kind::TaintedStore));
    assert!(findings(overflow, [one; 4]).is_empty());
    // The overflow alone does no harm; later arithmetic on the infinity does.
    let body = "words[i] = bitcast<u32>(bitcast<f32>(words[i]) * 1e38);
        output[i] = HERE;";
    let big = 1e20_f32.to_bits();
    stored([one, one, big, one], body, "bitcast<u32>(bitcast<f32>(words[i]) * 0.5)", "words[i]");
}

#[test]
fn comparisons_with_nan() {
    let one = 1.0_f32.to_bits();
    let body = "let x = bitcast<f32>(words[i]);\n output[i] = HERE;";
    for comparison in ["x < 1.0", "x >= 1.0", "1.0 <= x", "x == 1.0", "x == x", "x != x", "2.0 > x"] {
        stored([0, one, NAN, one], body, &format!("u32({comparison})"), "words[i]");
    }
    for picked in ["min(x, 1.0)", "min(1.0, x)", "max(x, 1.0)", "max(1.0, x)", "saturate(x)"] {
        stored([0, one, NAN, one], body, &format!("bitcast<u32>({picked})"), "words[i]");
    }
    // Either of two zeros may come out, so only the sign is left open.
    let zeros = [one, one, 1 << 31, one];
    stored(zeros, body, "bitcast<u32>(max(x, 0.0))", "bitcast<u32>(max(x, 0.0)) & 0x7fffffffu");
}

#[test]
fn division() {
    let words = [1, 2, 0, 3];
    stored(words, "output[i] = HERE;", "7u / words[i]", "7u / max(words[i], 1u)");
    stored(words, "output[i] = HERE;", "7u % words[i]", "7u % (words[i] + 1u)");
    stored(words, "output[i] = bitcast<u32>(HERE);", "7i / i32(words[i])", "7i / i32(words[i] + 1u)");
    stored(words, "output[i] = (vec2(7u) / vec2(HERE, 1u)).x;", "words[i]", "words[i] | 1u");

    let lowest = 1 << 31;
    let body = "output[i] = bitcast<u32>(HERE);";
    stored([1, 2, lowest, 3], body, "bitcast<i32>(words[i]) / -1", "bitcast<i32>(words[i] & 0xffffu) / -1");
    stored(
        [5, 1, u32::MAX, 3],
        body,
        "i32(-2147483648) % bitcast<i32>(words[i])",
        "i32(-2147483647) / bitcast<i32>(words[i])",
    );
}

#[test]
fn conversions_beyond_the_range() {
    let body = "let x = bitcast<f32>(words[i]);\n output[i] = bitcast<u32>(HERE);";
    let words = |third: f32| [0.0, 1.0, third, 2.0].map(f32::to_bits);
    stored(words(1e20), body, "i32(x)", "i32(min(x, 1e9))");
    stored(words(-1e20), body, "i32(x)", "i32(max(x, -1e9))");
    stored(words(2_147_483_648.0), body, "i32(x)", "u32(x)");
    stored(words(4_294_967_296.0), body, "u32(x)", "u32(x * 0.5)");
    stored(words(-1.0), body, "u32(x)", "i32(x)");
    stored(words(f32::NAN), body, "u32(x)", "bitcast<u32>(x)");
    // Values that no half holds.
    stored(words(65505.0), body, "pack2x16float(vec2(0.0, x))", "pack2x16float(vec2(0.0, min(x, 65504.0)))");
    stored(
        [0, 1, 0x7c00, 2],
        "output[i] = bitcast<u32>(HERE);",
        "unpack2x16float(words[i]).x",
        "unpack2x16float(words[i]).y",
    );
}

#[test]
fn it_is_remembered_in_variables() {
    let words = [1, 2, 0, 3];
    let through = |body: &str| stored(words, body, "quotient", "0u");
    through("let quotient = 7u / words[i];\n output[i] = HERE;");
    through("var quotient = 7u;\n quotient /= words[i];\n output[i] = HERE;");
    through(
        "fn divide(by: u32) -> u32 { return 7u / by; }\n --- let quotient = divide(words[i]);\n output[i] = HERE;",
    );
    through(
        "var all = array<vec2<u32>, 2>();\n all[i & 1u].y = 7u / words[i];
        let quotient = all[i & 1u].y;\n output[i] = HERE;",
    );
    through("var quotient = 1u;\n if i > 0u { quotient = 7u / words[i]; }\n output[i] = HERE;");
    through("var quotient = 7u / words[i];\n if i == 1u { quotient = 5u; }\n output[i] = HERE;");
    through(
        "var quotient = 9u;\n for (var n = 0u; n < 3u; n++) { quotient = quotient / words[i]; }\n output[i] = HERE;",
    );

    // The finding names the line that tainted the value.
    let finding = &findings("let q = 7u / words[i];\n\n output[i] = q;", words)[0];
    assert!(finding.values.contains("let q = 7u / words[i];"), "{finding}");
}

#[test]
fn an_address() {
    let address = |body: &str, wrong: &str, right: &str| {
        let flaw = Flaw { kind: Kind::TaintedAddress, invocation: 2, body, wrong, right };
        flaw.check([1, 2, 0, 3]);
    };
    address("output[i] = words[HERE];", "1u / words[i]", "1u / max(words[i], 1u)");
    address("output[HERE] = 1u;", "select(i, 4u % words[i], i == 2u)", "i");
    address("var a = array<u32, 4>();\n output[i] = a[HERE];", "1u / words[i]", "1u / (words[i] + 1u)");
    address("var v = vec4(i);\n v[HERE] = 1u;", "1u / words[i]", "1u / (words[i] + 1u)");
    address("atomicAdd(&counters[HERE], 1u);", "1u / words[i]", "1u / (words[i] + 1u)");
}

#[test]
fn a_branch() {
    let branch = |body: &str, wrong: &str, right: &str| {
        let flaw = Flaw { kind: Kind::TaintedBranch, invocation: 2, body, wrong, right };
        flaw.check([1, 2, 0, 3]);
    };
    let (wrong, right) = ("7u / words[i]", "7u / (words[i] + 1u)");
    branch("if HERE > 2u { output[i] = 1u; }", wrong, right);
    branch("switch HERE { case 7u: { output[i] = 1u; } default: { } }", wrong, right);
    branch("for (var n = 0u; n < (HERE & 1u); n++) { }", wrong, right);
    branch("while (HERE) == 99u { }", wrong, right);
    branch("var n = 0u;\n loop { n += 1u; continuing { break if n > (HERE & 3u); } }", wrong, right);
    branch("let both = i > 5u || (HERE) > 9u || words[i] > 1u;\n output[i] = u32(both);", wrong, right);
    let comparison = "atomicCompareExchangeWeak(&counters[i], HERE, 1u);";
    branch(comparison, wrong, right);
}
