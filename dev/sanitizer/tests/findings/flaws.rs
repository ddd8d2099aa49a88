//! Each kind of finding that has a line, and what is refused.

use wgsl_sanitizer::{Error, Kind, Module};

use crate::program::{flaws, is_harmless};

const WORDS: [u32; 4] = [1, 2, 3, 4];

#[test]
fn beyond_a_binding() {
    let rows = [
        ("output[i] = words[HERE];", "i + 1u", "i"),
        ("output[i] = words[HERE];", "0u - i / 3u", "0u"),
        ("words[HERE] = i;", "i + 1u", "i"),
        ("atomicAdd(&counters[HERE], 1u);", "i + 1u", "i"),
        // An array of fixed length, in a binding that is too small for it.
        ("output[i] = eight[HERE];", "i + 3u", "i + 2u"),
        ("eight[HERE] = i;", "i + 3u", "i + 2u"),
        // A runtime-sized array of two elements, behind another member.
        ("output[i] = block.more[HERE];", "i / 3u * 2u", "i / 3u"),
    ];
    flaws(Kind::BeyondBinding, 3, WORDS, &rows);
}

#[test]
fn beyond_an_array() {
    let rows = [
        ("var three = array<u32, 3>(5u, 6u, 7u);\n output[i] = three[HERE];", "i", "i % 3u"),
        ("var three = array<u32, 3>(5u, 6u, 7u);\n three[HERE] = i;", "i", "min(i, 2u)"),
        ("var v = vec3<u32>(i);\n v[HERE] = 1u;\n output[i] = v.x;", "i", "i % 3u"),
        ("var<private> p: array<u32, 3>;\n --- p[HERE] = i;", "i", "i % 3u"),
        ("exchanged[HERE] = i;", "i + 1u", "i"),
        // Within the binding, but behind the array.
        ("output[i] = block.words[HERE];", "i + 1u", "i"),
    ];
    flaws(Kind::BeyondArray, 3, WORDS, &rows);
}

#[test]
fn loops_without_end() {
    let rows = [
        ("while HERE { }", "words[i] == 3u", "words[i] == 5u"),
        // The first endless loop ends the dispatch: all of them would take hours.
        ("for (var n = 0u; n < 60000u; n++) {\n while HERE { } }", "words[i] == 3u", "words[i] == 5u"),
        ("for (var n = 0u; n < 10u; n += HERE) { }", "u32(i != 2u)", "1u"),
    ];
    flaws(Kind::Endless, 2, WORDS, &rows);
    // A loop that begins again counts its rounds anew.
    is_harmless(
        "for (var k = 0u; k < 400u; k++) { for (var l = 0u; l < 400u; l++) { output[i] += 1u; } }",
        WORDS,
    );
}

#[test]
fn shifts_by_too_much() {
    let rows = [
        ("output[i] = words[i] << HERE;", "(i + 29u)", "((i + 29u) & 31u)"),
        ("output[i] = words[i] >> HERE;", "(words[i] * 8u)", "(words[i] * 7u)"),
        ("output[i] = u32(bitcast<i32>(words[i]) >> HERE);", "(i / 3u * 100u)", "min(i * 100u, 31u)"),
        ("output[i] = (vec2(1u) << vec2(0u, HERE)).y;", "i + 29u", "i + 28u"),
    ];
    flaws(Kind::Shift, 3, WORDS, &rows);
}

#[test]
fn barriers_that_some_invocations_miss() {
    let barrier = "workgroupBarrier();";
    let rows = [("if i < 3u {\n HERE }", barrier, ""), ("if words[i] == 4u { return; }\n HERE", barrier, "")];
    flaws(Kind::MissedBarrier, 0, WORDS, &rows);
    let row = ("for (var n = 0u; n < 1u + i / 3u; n++) {\n HERE }", barrier, "");
    flaws(Kind::MissedBarrier, 3, WORDS, &[row]);
    is_harmless("if block.words[0] < 3u { workgroupBarrier(); }", WORDS);
}

#[test]
fn races() {
    let of = |invocation, body, wrong, right| flaws(Kind::Race, invocation, WORDS, &[(body, wrong, right)]);
    // A load of a word that another invocation stores.
    of(1, "if i == 0u { words[0] = 7u; }\n if i == 1u { output[1] = words[HERE]; }", "0", "1");
    of(2, "if i == 0u { output[0] = words[0]; }\n if i == 2u { words[HERE] = 7u; }", "0", "2");
    of(0, "words[HERE] |= 255u << (i * 8u);", "0", "i");
    of(1, "HERE = i;", "words[i / 2u]", "words[i]");
    // Atomic and plain accesses, in both orders.
    let body = "if i == 0u { atomicAdd(&same_words[0], 1u); }\n if i == 1u { output[1] = words[HERE]; }";
    of(1, body, "0", "1");
    let body = "if i == 0u { output[0] = atomicLoad(&same_words[0]); }\n if i == 1u { words[HERE] = 1u; }";
    of(1, body, "0", "1");
    let body = "if i == 0u { words[0] = 1u; }\n if i == 1u { atomicStore(&same_words[HERE], 1u); }";
    of(1, body, "0", "1");
    let body = "if i == 2u { output[0] = words[0]; }\n if i < 2u { atomicXor(&same_words[HERE], 1u); }";
    of(0, body, "0", "1");
    // Workgroup memory, between two barriers.
    of(0, "exchanged[i] = i;\n workgroupBarrier();\n exchanged[i] = exchanged[HERE] + 1u;", "3u - i", "i");
    of(0, "exchanged[i] = i;\n HERE output[i] = exchanged[3u - i];", "", "workgroupBarrier();");
    // A barrier for workgroup memory orders no accesses to buffers.
    of(0, "words[i] = i;\n workgroupBarrier();\n output[i] = words[HERE];", "3u - i", "i");
}

#[test]
fn what_is_not_supported_has_a_name_and_a_line() {
    let refused = |body: &str| {
        let wgsl = format!(
            "@compute @workgroup_size(1)\nfn main(@builtin(local_invocation_index) i: u32) {{\n{body}}}"
        );
        Module::parse(&wgsl).unwrap().program("main", &[]).unwrap_err().to_string()
    };
    assert_eq!(refused("storageBarrier();"), "line 3: a barrier of storage buffers is not supported");
    assert_eq!(refused("switch i { default: { } }"), "line 3: the statement Switch is not supported");
    assert_eq!(refused("\nlet x = 1.0 / f32(i);"), "line 4: Divide of floats is not supported");
    assert_eq!(refused("let x = 7i % i32(i);"), "line 3: Modulo of signed integers is not supported");
    let index = "line 3: a computed index of a value without a place is not supported";
    assert_eq!(refused("let x = vec2(1u, i)[i];"), index);
    assert_eq!(refused("let x = sqrt(f32(i));"), "line 3: Sqrt is not supported");
}

#[test]
fn what_is_no_program() {
    let wgsl = "override SIZE: u32; @compute @workgroup_size(SIZE) fn main() { } @fragment fn fragment() { }";
    let module = Module::parse(wgsl).unwrap();
    let program = |entry_point, constants| module.program(entry_point, constants);
    assert!(matches!(Module::parse("fn main() -> u32 { return 1i; }"), Err(Error::Invalid(_))));
    assert!(program("main", &[("SIZE", 8.0)]).is_ok());
    assert!(matches!(program("missing", &[]), Err(Error::NoEntryPoint(name)) if name == "missing"));
    assert!(matches!(program("fragment", &[]), Err(Error::NoEntryPoint(_))));
    assert!(matches!(program("main", &[]), Err(Error::Constants(_))));
    assert!(matches!(program("main", &[("SIZE", 0.5)]), Err(Error::Constants(_))));
}
