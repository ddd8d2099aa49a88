//! Addresses, loops and shifts.

use wgsl_sanitizer::{Binding, Dispatch, Kind, Memory, Module, everywhere};

use crate::flaw::{Flaw, is_harmless};

fn beyond(kind: Kind, body: &str, wrong: &str, right: &str) {
    Flaw { kind, invocation: 3, body, wrong, right }.check([1, 2, 3, 4]);
}

#[test]
fn loads_beyond_a_binding() {
    beyond(Kind::BeyondBinding, "output[i] = words[HERE];", "i + 1u", "i");
    beyond(Kind::BeyondBinding, "output[i] = words[HERE];", "0u - i / 3u", "0u / (i + 1u)");
    // Arrays of fixed length, in bindings that are too small for them.
    beyond(Kind::BeyondBinding, "output[i] = eight[HERE];", "i + 3u", "i + 2u");
    beyond(Kind::BeyondBinding, "output[i] = parameters[HERE].w;", "i / 3u", "i / 4u");
    // A runtime-sized array of two elements, behind another member.
    beyond(Kind::BeyondBinding, "output[i] = block.more[HERE];", "i / 3u * 2u", "i / 3u");
}

#[test]
fn stores_beyond_a_binding() {
    beyond(Kind::BeyondBinding, "words[HERE] = i;", "i + 1u", "i");
    beyond(Kind::BeyondBinding, "eight[HERE] = i;", "i + 3u", "i + 2u");
    beyond(Kind::BeyondBinding, "atomicAdd(&counters[HERE], 1u);", "i + 1u", "i");
    beyond(Kind::BeyondBinding, "let place = &words[HERE];\n *place += 1u;", "i + 1u", "i");
}

#[test]
fn only_the_bound_part_of_a_buffer_is_reached() {
    let module = Module::parse(
        "@group(1) @binding(2) var<storage, read_write> words: array<u32>;
        @compute @workgroup_size(1)
        fn main() { words[arrayLength(&words) - 1u] = arrayLength(&words); }
        @compute @workgroup_size(1)
        fn further() { words[arrayLength(&words)] = 1u; }",
    )
    .unwrap();
    let run = |entry_point| {
        let program = module.program(entry_point, &[]).unwrap();
        let bindings = vec![Binding { group: 1, binding: 2, buffer: 1, offset: 8, size: 12 }];
        let dispatch = Dispatch { program: &program, grid: [1, 1, 1], bindings };
        everywhere(&[dispatch], &[Memory::new(4, 0), Memory::new(40, 0)]).remove(0)
    };
    let outcome = run("main");
    assert!(outcome.findings.is_empty());
    let mut expected = [0; 40];
    expected[16] = 3;
    assert_eq!(outcome.buffers[1].to_bytes(), expected);

    let outcome = run("further");
    assert_eq!(outcome.findings[0].kind, Kind::BeyondBinding);
    assert_eq!(outcome.buffers[1].to_bytes(), [0; 40]);
}

#[test]
fn beyond_an_array() {
    let local = "var three = array<u32, 3>(5u, 6u, 7u);\n";
    beyond(Kind::BeyondArray, &format!("{local} output[i] = three[HERE];"), "i", "i % 3u");
    beyond(Kind::BeyondArray, &format!("{local} three[HERE] = i;"), "i", "min(i, 2u)");
    beyond(Kind::BeyondArray, "var v = vec3<u32>(i);\n output[i] = v[HERE];", "i", "i % 3u");
    beyond(Kind::BeyondArray, "var v = vec3<u32>(i);\n v[HERE] = 1u;\n output[i] = v.x;", "i", "i % 3u");
    beyond(Kind::BeyondArray, "let v = vec2<u32>(i, 1u);\n output[i] = v[HERE];", "i / 3u * 2u", "i & 1u");
    beyond(Kind::BeyondArray, "output[i] = array<u32, 3>(1u, 2u, 3u)[HERE];", "i", "i % 3u");
    beyond(Kind::BeyondArray, "const C = array<u32, 3>(1u, 2u, 3u);\n output[i] = C[HERE];", "i", "i % 3u");
    beyond(Kind::BeyondArray, "var<private> p: array<u32, 3>;\n --- p[HERE] = i;", "i", "i % 3u");
    // Within the binding, but behind the array.
    beyond(Kind::BeyondArray, "output[i] = block.words[HERE];", "i + 1u", "i");
    // A negative index.
    beyond(
        Kind::BeyondArray,
        &format!("{local} output[i] = three[HERE];"),
        "i32(i) - 2 * i32(i / 3u) * 3",
        "0",
    );
}

#[test]
fn loops_without_end() {
    let endless = |body: &str, wrong: &str, right: &str| {
        Flaw { kind: Kind::Endless, invocation: 2, body, wrong, right }.check([1, 2, 3, 4]);
    };
    endless("while HERE { }", "words[i] == 3u", "words[i] == 5u");
    // The first endless loop ends the dispatch: all of them would take hours.
    endless("for (var n = 0u; n < 60000u; n++) {\n while HERE { } }", "words[i] == 3u", "words[i] == 5u");
    endless("for (var n = 0u; n < 10u; n += HERE) { }", "min(2u - i, i) * 2u + 1u - u32(i == 2u)", "1u");
    endless(
        "var n = i;\n loop { n = HERE; if n == 1000u { break; } }",
        "select(n + 1u, n, i == 2u)",
        "n + 1u",
    );
    // A loop that begins again counts its rounds anew.
    let often = "var n = 0u;
        for (var k = 0u; k < 400u; k++) { for (var l = 0u; l < 400u; l++) { n++; } }
        output[i] = n;";
    is_harmless(often, [0; 4]);
    // A loop that ends only by `break if`.
    endless("var n = 0u;\n loop { n += 1u; continuing { break if HERE; } }", "n == 9u && i != 2u", "n == 9u");
}

#[test]
fn shifts_by_too_much() {
    let shift = |body: &str, wrong: &str, right: &str| {
        Flaw { kind: Kind::Shift, invocation: 3, body, wrong, right }.check([1, 2, 3, 4]);
    };
    shift("output[i] = words[i] << HERE;", "(i + 29u)", "((i + 29u) & 31u)");
    shift("output[i] = words[i] >> HERE;", "(words[i] * 8u)", "(words[i] * 7u)");
    shift("output[i] = u32(bitcast<i32>(words[i]) >> HERE);", "(i / 3u * 100u)", "min(i * 100u, 31u)");
    shift("output[i] = (vec2(1u) << vec2(0u, HERE)).y;", "i + 29u", "i + 28u");
    shift("words[i] <<= HERE;", "(i + 29u)", "(i + 28u)");
}
