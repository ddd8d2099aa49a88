//! Invocations that touch the same bytes.

use wgsl_sanitizer::{Binding, Dispatch, Kind, Memory, Module, everywhere};

use crate::flaw::{Flaw, findings, is_harmless, program};

fn race(invocation: u32, body: &str, wrong: &str, right: &str) {
    Flaw { kind: Kind::Race, invocation, body, wrong, right }.check([1, 2, 3, 4]);
}

#[test]
fn a_load_of_what_another_stores() {
    race(1, "if i == 0u { words[0] = 7u; }\n if i == 1u { output[1] = words[HERE]; }", "0", "1");
    race(2, "if i == 0u { output[0] = words[0]; }\n if i == 2u { words[HERE] = 7u; }", "0", "2");
    // Each invocation changes another byte of one word.
    race(0, "words[HERE] |= 255u << (i * 8u);", "0", "i");
    race(0, "if i == 2u { block.words[3] = 1u; }\n if i == 0u { output[0] = block.words[HERE]; }", "3", "2");
}

#[test]
fn two_stores() {
    race(1, "HERE = i;", "words[i / 2u]", "words[i]");
    race(1, "HERE = 1u;", "words[0]", "words[i]");
    race(3, "if i == 0u || i == 3u { HERE = vec2(i).x; }", "output[1]", "output[i]");
}

#[test]
fn invocations_of_other_workgroups() {
    let module = Module::parse(
        "@group(0) @binding(0) var<storage, read_write> words: array<u32>;
        @compute @workgroup_size(1)
        fn main(@builtin(workgroup_id) id: vec3<u32>) { words[id.y / 100u] = id.y; }",
    )
    .unwrap();
    let program = module.program("main", &[]).unwrap();
    let bindings = vec![Binding { group: 0, binding: 0, buffer: 0, offset: 0, size: 8 }];
    let dispatch = Dispatch { program: &program, grid: [1, 200, 1], bindings };
    let outcomes = everywhere(&[dispatch], &[Memory::new(8, 0)]);
    let finding = &outcomes[0].findings[0];
    assert_eq!((finding.kind, finding.source.as_ref().unwrap().invocation), (Kind::Race, [0, 1, 0]));
}

#[test]
fn atomic_and_plain() {
    let body = "if i == 0u { atomicAdd(&same_words[0], 1u); }\n if i == 1u { output[1] = words[HERE]; }";
    race(1, body, "0", "1");
    let body = "if i == 0u { output[0] = atomicLoad(&same_words[0]); }\n if i == 1u { words[HERE] = 1u; }";
    race(1, body, "0", "1");
    let body = "if i == 0u { words[0] = 1u; }\n if i == 1u { atomicStore(&same_words[HERE], 1u); }";
    race(1, body, "0", "1");

    let mixed = |body: &str, wrong: &str, right: &str| {
        let invocation = 2;
        Flaw { kind: Kind::MixedAtomics, invocation, body, wrong, right }.check([1, 2, 3, 4]);
    };
    // Both accesses are by one invocation.
    let body = "if i == 2u { atomicAdd(&same_words[0], 1u); }\n if i == 2u { words[HERE] = 1u; }";
    mixed(body, "0", "1");
    // No invocation stores.
    let body = "if i == 0u { output[0] = words[0]; }\n if i == 2u { output[2] = HERE; }";
    mixed(body, "atomicLoad(&same_words[0])", "atomicLoad(&same_words[1])");
}

#[test]
fn workgroup_memory() {
    let shared = "var<workgroup> shared_words: array<u32, 4>;\n---\n";
    // The neighbour's word, before and after the barrier.
    let body = format!("{shared} shared_words[i] = i; HERE output[i] = shared_words[(i + 1u) % 4u];");
    let found = findings(&body.replace("HERE", ""), [0; 4]);
    assert_eq!(found[0].kind, Kind::Race, "{found:?}");
    is_harmless(&body.replace("HERE", "workgroupBarrier();"), [0; 4]);
    // Nobody has stored the last word, which may hold anything.
    let body = format!(
        "{shared} if i < HERE {{ shared_words[i] = i; }} workgroupBarrier(); output[i] = shared_words[i];"
    );
    let found = findings(&body.replace("HERE", "3u"), [0; 4]);
    assert_eq!(found[0].kind, Kind::TaintedStore, "{found:?}");
    assert_eq!(found[0].source.as_ref().unwrap().invocation, [3, 0, 0]);
    is_harmless(&body.replace("HERE", "4u"), [0; 4]);
    let body = format!("{shared} shared_words[i + HERE] = i; workgroupBarrier();");
    assert_eq!(findings(&body.replace("HERE", "1u"), [0; 4])[0].kind, Kind::BeyondArray);
    is_harmless(&body.replace("HERE", "0u"), [0; 4]);
    // A barrier for workgroup memory orders no accesses to buffers between workgroups; within one, WGSL's does not
    // either, whatever a device does.
    let body = "words[i] = i; workgroupBarrier(); output[i] = words[3u - i];";
    assert_eq!(findings(body, [0; 4])[0].kind, Kind::Race);
}

#[test]
fn each_workgroup_has_memory_of_its_own() {
    let module = Module::parse(
        "@group(0) @binding(0) var<storage, read_write> words: array<u32>;
        override LAST: u32;
        var<workgroup> sum: atomic<u32>;
        var<workgroup> word: u32;
        @compute @workgroup_size(100)
        fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) i: u32) {
            if i == 0u { atomicStore(&sum, id.x); }
            if i == 0u && id.x <= LAST { word = 1u; }
            workgroupBarrier();
            atomicAdd(&sum, i);
            workgroupBarrier();
            if i == 99u { words[id.x] = atomicLoad(&sum) * word; }
        }",
    )
    .unwrap();
    let outcomes = |last: f64| {
        let program = module.program("main", &[("LAST", last)]).unwrap();
        let bindings = vec![Binding { group: 0, binding: 0, buffer: 0, offset: 0, size: 12 }];
        let dispatch = Dispatch { program: &program, grid: [3, 1, 1], bindings };
        everywhere(&[dispatch], &[Memory::new(12, 0)])
    };
    for outcome in outcomes(2.0) {
        assert!(outcome.findings.is_empty(), "{:?}", outcome.findings);
        assert_eq!(outcome.buffers[0].to_bytes(), [4950_u32, 4951, 4952].map(u32::to_le_bytes).concat());
    }
    // The second workgroup does not see what the first, which ran before it, has stored.
    for outcome in outcomes(0.0) {
        let finding = &outcome.findings[0];
        assert_eq!(
            (finding.kind, finding.source.as_ref().unwrap().invocation),
            (Kind::TaintedStore, [199, 0, 0])
        );
    }
}

#[test]
fn a_barrier_that_some_invocations_miss() {
    let missed = |invocation, body: &str, wrong: &str, right: &str| {
        Flaw { kind: Kind::MissedBarrier, invocation, body, wrong, right }.check([1, 2, 3, 4]);
    };
    missed(0, "if i < 3u {\n HERE }", "workgroupBarrier();", "");
    missed(0, "if words[i] == 4u { return; }\n HERE", "workgroupBarrier();", "");
    missed(3, "for (var n = 0u; n < 1u + i / 3u; n++) {\n HERE }", "workgroupBarrier();", "");
    // A whole batch of 64 misses it, or waits at another.
    for body in [
        "if i < 64u { workgroupBarrier(); }",
        "if i < 64u { workgroupBarrier(); } else { workgroupBarrier(); }",
    ] {
        let wgsl = format!(
            "@compute @workgroup_size(128) fn main(@builtin(local_invocation_index) i: u32) {{ {body} }}"
        );
        let module = Module::parse(&wgsl).unwrap();
        let program = module.program("main", &[]).unwrap();
        let outcomes =
            everywhere(&[Dispatch { program: &program, grid: [1, 1, 1], bindings: Vec::new() }], &[]);
        let finding = &outcomes[0].findings[0];
        assert_eq!(
            (finding.kind, &finding.values[..]),
            (Kind::MissedBarrier, "invocation (64, 0, 0) does not reach it")
        );
    }
    is_harmless("if block.words[0] < 3u { workgroupBarrier(); }", [0; 4]);
}

#[test]
fn one_buffer_at_two_bindings() {
    let module = Module::parse(
        "@group(0) @binding(0) var<storage, read> source: array<u32>;
        @group(0) @binding(1) var<storage, read_write> copy: array<u32>;
        @compute @workgroup_size(4)
        fn main(@builtin(local_invocation_index) i: u32) { copy[i] = source[i]; }",
    )
    .unwrap();
    let program = module.program("main", &[]).unwrap();
    let found = |from: u64, to: u64| {
        let binding = |binding, offset| Binding { group: 0, binding, buffer: 0, offset, size: 16 };
        let bindings = vec![binding(0, from), binding(1, to)];
        let dispatch = Dispatch { program: &program, grid: [1, 1, 1], bindings };
        everywhere(&[dispatch], &[Memory::new(32, 0)]).remove(0).findings
    };
    assert!(found(0, 16).is_empty());
    // Each invocation stores to the word that it alone has loaded.
    assert!(found(8, 8).is_empty());
    assert_eq!(found(0, 12)[0].kind, Kind::Race);
    assert_eq!(found(4, 0)[0].kind, Kind::Race);
}

#[test]
fn a_dispatch_sees_what_those_before_it_stored() {
    let module = Module::parse(
        "@group(0) @binding(0) var<storage, read_write> words: array<u32>;
        @compute @workgroup_size(4)
        fn fill(@builtin(local_invocation_index) i: u32) { words[i] = i; }
        @compute @workgroup_size(4)
        fn turn(@builtin(local_invocation_index) i: u32) { words[4u + i] = words[3u - i]; }",
    )
    .unwrap();
    let [fill, turn] = ["fill", "turn"].map(|name| module.program(name, &[]).unwrap());
    let on = |program| {
        let bindings = vec![Binding { group: 0, binding: 0, buffer: 0, offset: 0, size: 32 }];
        Dispatch { program, grid: [1, 1, 1], bindings }
    };
    let dispatches = [on(&fill), on(&turn)];
    let outcomes = everywhere(&dispatches, &[Memory::new(32, 0xff)]);
    assert!(outcomes[0].findings.is_empty());
    assert_eq!(outcomes[0].buffers[0].to_bytes(), [0, 1, 2, 3, 3, 2, 1, 0].map(u32::to_le_bytes).concat());

    let stored = |byte| {
        let source = outcomes[0].stored_by(&dispatches, 0, byte).unwrap();
        (source.dispatch, source.line, source.invocation)
    };
    assert_eq!([stored(9), stored(16)], [(0, 3, [2, 0, 0]), (1, 5, [0, 0, 0])]);

    // The buffers may come from other dispatches.
    let again = everywhere(&dispatches[1..], &outcomes[0].buffers);
    let source = again[0].stored_by(&dispatches[1..], 0, 31).unwrap();
    assert_eq!((source.dispatch, source.line, source.invocation), (0, 5, [3, 0, 0]));
}

#[test]
fn the_order_of_invocations() {
    let depends = |body: &str| {
        let findings = findings(body, [0; 4]);
        let [finding] = &findings[..] else { panic!("{body}: {findings:#?}") };
        assert_eq!((finding.kind, &finding.source), (Kind::Order, &None), "{body}");
    };
    depends("output[i] = atomicAdd(&counters[0], 1u);");
    depends("output[atomicAdd(&counters[0], 1u)] = i;");
    depends("atomicExchange(&counters[0], i);");
    // The second invocation to add stores its number.
    depends("if atomicAdd(&counters[0], 1u) == 1u { atomicStore(&counters[1], i); }");
    // The second of three invocations is the same in forward and backward order.
    depends("if i < 3u && atomicAdd(&counters[0], 1u) == 1u { atomicStore(&counters[1], i); }");
    depends("atomicStore(&counters[0], i);");
    depends("atomicAdd(&counters[0], 1u);\n output[i] = atomicLoad(&counters[0]);");
    depends("atomicOr(&counters[0], 1u << i);\n atomicAdd(&counters[0], 1u);");
    depends(
        "if i == 0u { atomicStore(&counters[0], 1u); } else if i == 1u { output[1] = atomicLoad(&counters[0]); }",
    );
    is_harmless("output[i] = atomicAdd(&counters[i], 1u);", [0; 4]);
    is_harmless("atomicAdd(&counters[0], i);", [0; 4]);
    is_harmless("output[atomicAdd(&counters[0], 1u)] = 7u;", [0; 4]);
    is_harmless("atomicStore(&counters[0], 5u);", [0; 4]);
    is_harmless("output[i] = min(atomicMax(&counters[0], i), 0u);", [0; 4]);
}

#[test]
fn a_finding_tells_the_calls_that_lead_to_it() {
    let body = "
    fn inner(at: u32) { words[at] = 1u; }
    fn outer(at: u32) {
        inner(at);
    }
    ---
        if i == 0u {
            inner(0u);
            outer(4u);
        }";
    let findings = findings(body, [0; 4]);
    let source = findings[0].source.as_ref().unwrap();
    let wgsl = program(body);
    let callers: Vec<_> =
        source.callers.iter().map(|line| wgsl.lines().nth(*line as usize - 1).unwrap().trim()).collect();
    assert_eq!(callers, ["inner(at);", "outer(4u);"]);
}
