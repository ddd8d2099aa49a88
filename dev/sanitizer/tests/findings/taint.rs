//! Tainted values, which WGSL allows to be anything: where they come from, what drops them, and where they do harm.

use wgsl_sanitizer::Kind;

use crate::program::{findings, flaws, is_harmless};

const NAN: u32 = 0x7fc0_0001;
const INFINITY: u32 = 0x7f80_0000;
const ONE: u32 = 0x3f80_0000;

/// Stores `wrong` where the third word is `third`. `x` is the word as a float.
fn stored(third: u32, rows: &[(&str, &str)]) {
    for (wrong, right) in rows {
        let body = "let word = words[i];\n let x = bitcast<f32>(word);\n output[i] = HERE;";
        flaws(Kind::TaintedStore, 2, [ONE, ONE + 1, third, ONE + 2], &[(body, wrong, right)]);
    }
}

#[test]
fn float_arithmetic_on_what_is_not_finite() {
    for special in [NAN, INFINITY, INFINITY | 1 << 31, INFINITY + 1] {
        for wrong in ["x * 2.0", "x + 1.0", "1.0 - x", "-x", "fma(1.0, 2.0, x)", "round(x)"] {
            stored(special, &[(&format!("bitcast<u32>({wrong})"), "word")]);
        }
    }
    // The expression overflows to an infinity, then gives a NaN, at least on devices that compute it as written.
    let overflow = "output[i] = bitcast<u32>(bitcast<f32>(words[i]) * 1e38 * 0.0);";
    let found = findings(overflow, [ONE, ONE, 1e20_f32.to_bits(), ONE]);
    assert!(found.iter().any(|finding| finding.kind == Kind::TaintedStore));
    // The overflow alone does no harm.
    is_harmless("output[i] = bitcast<u32>(bitcast<f32>(words[i]) * 1e38);", [1e20_f32.to_bits(); 4]);
}

#[test]
fn comparisons_with_nan() {
    for comparison in ["x < 1.0", "x >= 1.0", "1.0 <= x", "x == x", "x != x"] {
        stored(NAN, &[(&format!("u32({comparison})"), "word")]);
    }
    for picked in ["min(x, 1.0)", "max(1.0, x)"] {
        stored(NAN, &[(&format!("bitcast<u32>({picked})"), "word")]);
    }
    // Either of two zeros may come out, so only the sign is left open.
    stored(1 << 31, &[("bitcast<u32>(max(x, 0.0))", "bitcast<u32>(max(x, 0.0)) & 0x7fffffffu")]);
    // Bits of a NaN are moved at will.
    is_harmless("let x = bitcast<f32>(words[i]);\n output[i] = bitcast<u32>(x);", [NAN; 4]);
}

#[test]
fn divisions_and_conversions() {
    stored(0, &[("7u / word", "7u / max(word, 1u)"), ("7u % word", "7u % (word | 1u)")]);
    stored(0, &[("(vec2(7u) / vec2(word, 1u)).x", "(vec2(7u) / vec2(word, 1u)).y")]);
    let beyond = |x: f32, row| stored(x.to_bits(), &[row]);
    beyond(1e20, ("u32(i32(x))", "u32(i32(min(x, 1e9)))"));
    beyond(-1e20, ("u32(i32(x))", "u32(i32(max(x, -1e9)))"));
    beyond(2_147_483_648.0, ("u32(i32(x))", "u32(x)"));
    beyond(4_294_967_296.0, ("u32(x)", "u32(x * 0.5)"));
    beyond(-1.0, ("u32(x)", "u32(i32(x))"));
    beyond(f32::NAN, ("u32(x)", "word"));
    // Values that no half holds.
    beyond(65505.0, ("pack2x16float(vec2(0.0, x))", "pack2x16float(vec2(0.0, min(x, 65504.0)))"));
    stored(0x7c00, &[("bitcast<u32>(unpack2x16float(word).x)", "bitcast<u32>(unpack2x16float(word).y)")]);
}

#[test]
fn values_keep_it_in_variables() {
    let row = |body| flaws(Kind::TaintedStore, 2, [1, 2, 0, 3], &[(body, "quotient", "0u")]);
    row("var quotient = 7u;\n quotient /= words[i];\n output[i] = HERE;");
    row(
        "fn divide(by: u32) -> u32 { return 7u / by; }\n --- let quotient = divide(words[i]);\n output[i] = HERE;",
    );
    row("var all = array<vec2<u32>, 2>();\n all[i & 1u].y = 7u / words[i];
        let quotient = all[i & 1u].y;\n output[i] = HERE;");
    row("var quotient = 1u;\n if i > 0u { quotient = 7u / words[i]; }\n output[i] = HERE;");
    row("var quotient = 7u / words[i];\n if i == 1u { quotient = 5u; }\n output[i] = HERE;");
    row("var quotient = 9u;\n for (var n = 0u; n < 3u; n++) { quotient /= words[i]; }\n output[i] = HERE;");
    // The finding names the line that tainted the value.
    let finding = &findings("let q = 7u / words[i];\n\n output[i] = q;", [1, 2, 0, 3])[0];
    assert!(finding.values.contains("let q = 7u / words[i];"), "{finding}");
}

#[test]
fn an_address_or_a_branch() {
    let (wrong, right) = ("7u / words[i]", "7u / (words[i] + 7u)");
    let rows = [
        "output[i] = words[HERE];",
        "output[(HERE) / 8u + i] = 1u;",
        "var a = array<u32, 4>();\n output[i] = a[HERE];",
        "var v = vec4(i);\n v[HERE] = 1u;",
        "atomicAdd(&counters[HERE], 1u);",
    ];
    flaws(Kind::TaintedAddress, 2, [8, 9, 0, 10], &rows.map(|body| (body, wrong, right)));
    let rows = [
        "if HERE > 2u { output[i] = 1u; }",
        "for (var n = 0u; n < (HERE & 1u); n++) { }",
        "while (HERE) == 99u { }",
        "let both = i > 5u || (HERE) > 9u || words[i] > 1u;\n output[i] = u32(both);",
    ];
    flaws(Kind::TaintedBranch, 2, [8, 9, 0, 10], &rows.map(|body| (body, wrong, right)));
}

/// Statements with `q`, which is tainted where the word `d` is 0, that do no harm.
const HARMLESS: &[&str] = &[
    // A select or a branch drops it.
    "output[i] = select(q, 0u, d == 0u);",
    "output[i] = select(0u, q, d != 0u);",
    "output[i] = select(vec2(q), vec2(0u), vec2(d == 0u, true)).x;",
    "output[i] = select(4u, 6u, q > 3u) & 5u;",
    "if d != 0u { output[i] = q; }",
    "if d == 0u { return; }\n output[i] = q;",
    "var kept = q;\n if d == 0u { kept = 1u; }\n output[i] = kept;",
    "output[i] = u32(d != 0u && q > 2u);",
    // A mask drops bits.
    "output[i] = q & 0u;",
    "output[i] = q | 0xffffffffu;",
    "output[i] = (q << 8u) & 0xffu;",
    "output[i] = (q >> 24u) & 0xffffff00u;",
    "output[i] = insertBits(0u, q, 8u, 8u) & 0xff00ffu;",
    "output[i] = extractBits(q & 0xff00u, 0u, 8u);",
    "output[i] = ~(q & 3u) & 4u;",
    "output[i] = ((q & 0xff00u) + 1u) & 0xffu;",
    "output[i] = ((q & 0xff00u) ^ 1u) & 0xffu;",
    "output[i] = (q & 0x80000000u) >> 8u & 0x40000000u;",
    "output[i] = u32((q | 4u) == 3u);",
    // Nobody takes it.
    "_ = q;",
    "var kept = q;\n kept = 5u;\n output[i] = kept;",
    "var all = vec4(q);\n all.y = 1u;\n output[i] = all.y;",
    "var all = array<u32, 2>(q, q);\n all[i & 1u] = 1u;\n output[i] = all[i & 1u];",
];

/// Statements with `q` that store a tainted value.
const HARMFUL: &[&str] = &[
    "output[i] = select(q, 0u, d == 1u);",
    "output[i] = select(4u, 6u, q > 3u) & 2u;",
    "var kept = q;\n if d == 1u { kept = 1u; }\n output[i] = kept;",
    "output[i] = q & 1u;",
    "output[i] = (q << 8u) & 0x1ffu;",
    "output[i] = insertBits(0u, q, 8u, 8u) & 0x100u;",
    "output[i] = ((q & 0xff00u) + 0xffu) & 0x10000u;",
    "output[i] = extractBits(q & 0xff00u, 8u, 1u);",
    "output[i] = countLeadingZeros(q & 1u);",
    "output[i] = bitcast<u32>(extractBits(bitcast<i32>(q & 0x80u), 0u, 8u)) & 0x80000000u;",
    "output[i] = bitcast<u32>(bitcast<i32>(q & 0x80000000u) >> 8u) & 0x40000000u;",
    "output[i] = min(q, 1u);",
    "output[i] = bitcast<u32>(max(-5i, bitcast<i32>(q & 1u)));",
    "output[i] = u32((q & 3u) < 3u);",
];

#[test]
fn what_drops_it() {
    let found = |statements: &str| {
        let body = format!("let d = words[i];\n let q = 7u / d;\n {statements}");
        findings(&body, [1, 2, 0, 3]).into_iter().map(|finding| finding.kind).collect::<Vec<_>>()
    };
    for statements in HARMLESS {
        assert_eq!(found(statements), [], "{statements}");
    }
    for statements in HARMFUL {
        assert_eq!(found(statements), [Kind::TaintedStore], "{statements}");
    }
}
