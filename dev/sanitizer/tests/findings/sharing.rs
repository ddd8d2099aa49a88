//! Workgroups, bindings and dispatches that share memory, and the order of invocations.

use wgsl_sanitizer::{Binding, Dispatch, Kind, Memory, Module, Outcome, Program, everywhere};

use crate::program::{findings, is_harmless, program};

fn parse(wgsl: &str, entry_point: &str) -> Program {
    Module::parse(wgsl).unwrap().program(entry_point, &[]).unwrap()
}

/// A dispatch with `bound` words of one buffer at each of the bindings 0, 1 and so on, from the given words on.
fn dispatch<'a>(program: &'a Program, grid: u32, from: &[u64], bound: u64) -> Dispatch<'a> {
    let bind = |(word, binding): (&u64, u32)| Binding {
        group: 0,
        binding,
        buffer: 0,
        offset: 4 * word,
        size: 4 * bound,
    };
    Dispatch { program, grid: [1, grid, 1], bindings: from.iter().zip(0..).map(bind).collect() }
}

/// The only finding on each device: its kind, and the invocation along x and y.
fn found(outcomes: &[Outcome]) -> (Kind, [u32; 2]) {
    let of = |outcome: &Outcome| {
        let [finding] = &outcome.findings[..] else { panic!("{:#?}", outcome.findings) };
        let [x, y, _] = finding.source.as_ref().unwrap().invocation;
        (finding.kind, [x, y])
    };
    assert!(outcomes.iter().all(|outcome| of(outcome) == of(&outcomes[0])));
    of(&outcomes[0])
}

#[test]
fn workgroups_race() {
    let wgsl = "@group(0) @binding(0) var<storage, read_write> words: array<u32>;
        @compute @workgroup_size(1)
        fn main(@builtin(workgroup_id) id: vec3<u32>) { words[id.y / 100u] = id.y; }";
    let outcomes = everywhere(&[dispatch(&parse(wgsl, "main"), 200, &[0], 2)], &[Memory::new(8, 0)]);
    assert_eq!(found(&outcomes), (Kind::Race, [0, 1]));
}

#[test]
fn each_workgroup_has_memory_of_its_own() {
    let wgsl = |last: u32| {
        format!(
            "@group(0) @binding(0) var<storage, read_write> words: array<u32>;
            var<workgroup> sum: atomic<u32>;
            var<workgroup> word: u32;
            @compute @workgroup_size(100)
            fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) i: u32) {{
                if i == 0u {{ atomicStore(&sum, id.y); }}
                if i == 0u && id.y <= {last}u {{ word = 1u; }}
                workgroupBarrier();
                atomicAdd(&sum, i);
                workgroupBarrier();
                if i == 99u {{ words[id.y] = atomicLoad(&sum) * word; }}
            }}"
        )
    };
    let run = |last| everywhere(&[dispatch(&parse(&wgsl(last), "main"), 3, &[0], 3)], &[Memory::new(12, 0)]);
    let outcome = &run(2)[0];
    assert!(outcome.findings.is_empty(), "{:?}", outcome.findings);
    assert_eq!(outcome.buffers[0].to_bytes(), [4950_u32, 4951, 4952].map(u32::to_le_bytes).concat());
    // The second workgroup does not see what the first, which ran before it, has stored.
    assert_eq!(found(&run(0)), (Kind::TaintedStore, [99, 1]));
}

#[test]
fn a_whole_batch_of_invocations_misses_a_barrier() {
    for body in [
        "if i < 64u { workgroupBarrier(); }",
        "if i < 64u { workgroupBarrier(); } else { workgroupBarrier(); }",
    ] {
        let head = "@compute @workgroup_size(128) fn main(@builtin(local_invocation_index) i: u32)";
        let outcomes =
            everywhere(&[dispatch(&parse(&format!("{head} {{ {body} }}"), "main"), 1, &[], 0)], &[]);
        assert_eq!(found(&outcomes), (Kind::MissedBarrier, [0, 0]));
        assert_eq!(outcomes[0].findings[0].values, "invocation (64, 0, 0) does not reach it");
    }
}

#[test]
fn one_buffer_at_two_bindings() {
    let wgsl = "@group(0) @binding(0) var<storage, read> source: array<u32>;
        @group(0) @binding(1) var<storage, read_write> copy: array<u32>;
        @compute @workgroup_size(4)
        fn main(@builtin(local_invocation_index) i: u32) { copy[i] = source[i]; }";
    let program = parse(wgsl, "main");
    let run = |from| everywhere(&[dispatch(&program, 1, from, 4)], &[Memory::new(32, 0)]);
    assert!(run(&[0, 4])[0].findings.is_empty());
    // Each invocation stores to the word that it alone has loaded.
    assert!(run(&[2, 2])[0].findings.is_empty());
    assert_eq!([found(&run(&[0, 3])), found(&run(&[1, 0]))], [(Kind::Race, [0, 0]), (Kind::Race, [1, 0])]);
}

#[test]
fn only_the_bound_part_of_a_buffer_is_reached() {
    let wgsl = "@group(0) @binding(0) var<storage, read_write> words: array<u32>;
        @compute @workgroup_size(1)
        fn last() { words[arrayLength(&words) - 1u] = arrayLength(&words); }
        @compute @workgroup_size(1)
        fn behind() { words[arrayLength(&words)] = 1u; }";
    let run = |name| everywhere(&[dispatch(&parse(wgsl, name), 1, &[2], 3)], &[Memory::new(40, 0)]);
    let mut expected = [0; 40];
    assert_eq!(found(&run("behind")), (Kind::BeyondBinding, [0, 0]));
    assert_eq!(run("behind")[0].buffers[0].to_bytes(), expected);
    expected[16] = 3;
    assert_eq!(run("last")[0].buffers[0].to_bytes(), expected);
}

#[test]
fn a_dispatch_sees_what_those_before_it_stored() {
    let wgsl = "@group(0) @binding(0) var<storage, read_write> words: array<u32>;
        @compute @workgroup_size(4)
        fn fill(@builtin(local_invocation_index) i: u32) { words[i] = i; }
        @compute @workgroup_size(4)
        fn turn(@builtin(local_invocation_index) i: u32) { words[4u + i] = words[3u - i]; }";
    let programs = ["fill", "turn"].map(|name| parse(wgsl, name));
    let dispatches = programs.each_ref().map(|program| dispatch(program, 1, &[0], 8));
    let outcome = &everywhere(&dispatches, &[Memory::new(32, 0xff)])[0];
    assert!(outcome.findings.is_empty());
    assert_eq!(outcome.buffers[0].to_bytes(), [0, 1, 2, 3, 3, 2, 1, 0].map(u32::to_le_bytes).concat());
    let stored = |byte| {
        let source = outcome.stored_by(&dispatches, 0, byte).unwrap();
        (source.dispatch, source.line, source.invocation)
    };
    assert_eq!([stored(9), stored(16)], [(0, 3, [2, 0, 0]), (1, 5, [0, 0, 0])]);
    // The buffers may come from other dispatches.
    let again = &everywhere(&dispatches[1..], &outcome.buffers)[0];
    assert_eq!(again.stored_by(&dispatches[1..], 0, 31).unwrap().dispatch, 0);
    assert!(again.stored_by(&dispatches[1..], 0, 0).is_none());
}

#[test]
fn the_order_of_invocations() {
    for body in [
        "output[i] = atomicAdd(&counters[0], 1u);",
        "output[atomicAdd(&counters[0], 1u)] = i;",
        // The second invocation to add stores its number.
        "if atomicAdd(&counters[0], 1u) == 1u { atomicStore(&counters[1], i); }",
        // The second of three invocations is the same in forward and backward order.
        "if i < 3u && atomicAdd(&counters[0], 1u) == 1u { atomicStore(&counters[1], i); }",
        "atomicStore(&counters[0], i);",
        "atomicAdd(&counters[0], 1u);\n output[i] = atomicLoad(&counters[0]);",
        "if i == 0u { atomicStore(&counters[0], 1u); } else if i == 1u { output[1] = atomicLoad(&counters[0]); }",
    ] {
        let findings = findings(body, [0; 4]);
        let [finding] = &findings[..] else { panic!("{body}: {findings:#?}") };
        assert_eq!((finding.kind, &finding.source), (Kind::Order, &None), "{body}");
    }
    for body in [
        "output[i] = atomicAdd(&counters[i], 1u);",
        "atomicAdd(&counters[0], i);",
        "output[atomicAdd(&counters[0], 1u)] = 7u;",
        "atomicStore(&counters[0], 5u);",
        "output[i] = min(atomicXor(&counters[0], i), 0u);",
    ] {
        is_harmless(body, [0; 4]);
    }
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
