//! Tainted values that do no harm.

use wgsl_sanitizer::Kind;

use crate::flaw::{findings, is_harmless};

const NAN: u32 = 0x7fc0_0001;

/// `q` is tainted where a word is 0.
fn harmless(use_of_q: &str) {
    is_harmless(&format!("let d = words[i];\n let q = 7u / d;\n {use_of_q}"), [1, 2, 0, 3]);
}

fn harmful(use_of_q: &str) {
    let findings = findings(&format!("let d = words[i];\n let q = 7u / d;\n {use_of_q}"), [1, 2, 0, 3]);
    assert_eq!(findings.len(), 1, "{use_of_q}");
    assert_eq!(findings[0].kind, Kind::TaintedStore, "{use_of_q}");
}

#[test]
fn a_select_drops_it() {
    harmless("output[i] = select(q, 0u, d == 0u);");
    harmless("output[i] = select(0u, q, d != 0u);");
    harmless("output[i] = select(vec2(q), vec2(0u), vec2(d == 0u, true)).x;");
    harmful("output[i] = select(q, 0u, d == 1u);");
    // If a tainted condition selects, the bits that both values share are certain.
    harmless("output[i] = select(4u, 6u, q > 3u) & 5u;");
    harmful("output[i] = select(4u, 6u, q > 3u) & 2u;");
}

#[test]
fn a_condition_keeps_it_away() {
    harmless("if d != 0u { output[i] = q; }");
    harmless("if d == 0u { return; }\n output[i] = q;");
    harmless("var kept = q;\n if d == 0u { kept = 1u; }\n output[i] = kept;");
    harmless("output[i] = u32(d != 0u && q > 2u);");
    harmless("for (var n = 0u; n < 2u; n++) { if d == 0u { continue; }\n output[i] = q; }");
    harmful("var kept = q;\n if d == 1u { kept = 1u; }\n output[i] = kept;");
}

#[test]
fn a_mask_drops_bits() {
    harmless("output[i] = q & 0u;");
    harmless("output[i] = q | 0xffffffffu;");
    harmless("output[i] = (q << 8u) & 0xffu;");
    harmless("output[i] = (q >> 24u) & 0xffffff00u;");
    harmless("output[i] = insertBits(0u, q, 8u, 8u) & 0xff00ffu;");
    harmless("output[i] = extractBits(q & 0xff00u, 0u, 8u);");
    harmless("output[i] = reverseBits(q & 1u) & 0xffu;");
    harmless("output[i] = ~(q & 3u) & 4u;");
    harmless("output[i] = ((q & 0xff00u) + 1u) & 0xffu;");
    harmless("output[i] = ((q & 0xff00u) ^ 1u) & 0xffu;");
    harmful("output[i] = q & 1u;");
    harmful("output[i] = (q << 8u) & 0x1ffu;");
    harmful("output[i] = insertBits(0u, q, 8u, 8u) & 0x100u;");
    harmful("output[i] = ((q & 0xff00u) + 0xffu) & 0x10000u;");
    harmful("output[i] = extractBits(q & 0xff00u, 8u, 1u);");
    harmful("output[i] = countOneBits(q & 1u);");
}

#[test]
fn a_sign_that_is_extended_is_tainted_with_it() {
    harmful("output[i] = bitcast<u32>(extractBits(bitcast<i32>(q & 0x80u), 0u, 8u)) & 0x80000000u;");
    harmful("output[i] = bitcast<u32>(bitcast<i32>(q & 0x80000000u) >> 8u) & 0x40000000u;");
    harmless("output[i] = (q & 0x80000000u) >> 8u & 0x40000000u;");
}

#[test]
fn any_value_would_do() {
    harmless("output[i] = min(q, 0u);");
    harmless("output[i] = max(q, 0xffffffffu);");
    harmless("output[i] = u32((q & 3u) < 4u);");
    harmless("output[i] = u32((q | 4u) == 3u);");
    harmless("output[i] = min(5u, q | 0x80000000u);");
    harmless("output[i] = max(0x80000000u, q & 1u);");
    harmless("output[i] = bitcast<u32>(min(-5i, bitcast<i32>(q & 1u)));");
    harmful("output[i] = min(q, 1u);");
    harmful("output[i] = min(q | 1u, 5u);");
    harmful("output[i] = bitcast<u32>(max(-5i, bitcast<i32>(q & 1u)));");
    harmful("output[i] = u32((q & 3u) < 3u);");
}

#[test]
fn nobody_takes_it() {
    harmless("_ = q;");
    harmless("var kept = q;\n kept = 5u;\n output[i] = kept;");
    harmless("var all = vec4(q);\n all.y = 1u;\n output[i] = all.y;");
    harmless("var all = array<u32, 2>(q, q);\n all[i & 1u] = 1u;\n output[i] = all[i & 1u];");
}

#[test]
fn bits_of_a_nan_are_moved_at_will() {
    let move_bits = |body: &str| is_harmless(body, [NAN, 1, 2, 3]);
    move_bits("output[i] = words[i];");
    move_bits("let x = bitcast<f32>(words[i]);\n output[i] = bitcast<u32>(x);");
    move_bits(
        "let x = bitcast<f32>(words[i]);\n output[i] = select(bitcast<u32>(x * 2.0), 5u, (words[i] & 0x7f800000u) == 0x7f800000u);",
    );
}
