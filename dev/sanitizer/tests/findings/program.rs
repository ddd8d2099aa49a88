//! Programs of a few lines.

use wgsl_sanitizer::{Binding, Dispatch, Finding, Kind, Memory, Module, Outcome, everywhere};

/// Variables of all programs. `words` and `same_words` share a buffer.
const VARIABLES: &str = "
    struct Block { words: array<u32, 4>, more: array<u32> }
    @group(0) @binding(0) var<storage, read_write> words: array<u32>;
    @group(0) @binding(1) var<storage, read_write> same_words: array<atomic<u32>>;
    @group(0) @binding(2) var<storage, read_write> output: array<u32>;
    @group(0) @binding(3) var<storage, read_write> counters: array<atomic<u32>>;
    @group(0) @binding(4) var<storage, read_write> eight: array<u32, 8>;
    @group(0) @binding(5) var<storage, read_write> block: Block;
    var<workgroup> exchanged: array<u32, 4>;
";

/// Words of each buffer; [`BOUND`] is the buffer at each binding.
const BUFFERS: [usize; 5] = [4, 4, 4, 6, 6];
const BOUND: [usize; 6] = [0, 0, 1, 2, 3, 4];

/// The WGSL of a program whose four invocations run `body`; `i` is the invocation's number. The part of `body` before
/// `---` stands outside of functions.
pub fn program(body: &str) -> String {
    let (outside, inside) = body.split_once("---").unwrap_or(("", body));
    format!(
        "{VARIABLES}{outside}
    @compute @workgroup_size(4)
    fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
        let i = id.x;
        {inside}
    }}"
    )
}

/// The outcomes on all devices; `words` is the initial value of the variable `words`.
fn outcomes(wgsl: &str, words: [u32; 4]) -> Vec<Outcome> {
    let module = Module::parse(wgsl).unwrap_or_else(|error| panic!("{error}"));
    let program = module.program("main", &[]).unwrap_or_else(|error| panic!("{wgsl}\n{error}"));
    let mut buffers = BUFFERS.map(|words| Memory::new(4 * words as u64, 0));
    buffers[0] = Memory::from_bytes(&words.map(u32::to_le_bytes).concat());
    let bindings = BOUND.into_iter().zip(0..).map(|(buffer, binding)| {
        let size = buffers[buffer].size();
        Binding { group: 0, binding, buffer, offset: 0, size }
    });
    let dispatch = Dispatch { program: &program, grid: [1, 1, 1], bindings: bindings.collect() };
    let outcomes = everywhere(&[dispatch], &buffers);
    assert!(!outcomes.is_empty());
    outcomes
}

/// The findings on all devices.
pub fn findings(body: &str, words: [u32; 4]) -> Vec<Finding> {
    outcomes(&program(body), words).into_iter().flat_map(|outcome| outcome.findings).collect()
}

/// Asserts that a program has no finding on any device.
pub fn is_harmless(body: &str, words: [u32; 4]) {
    let findings = findings(body, words);
    assert!(findings.is_empty(), "{body}\n{findings:#?}");
}

/// Runs programs: each with a placeholder `HERE` in one line, the text that makes a fault there, and the text that
/// mends it.
///
/// # Panics
///
/// If the only finding is not of this kind, in this line and by this invocation, or a mended program has a finding.
pub fn flaws(kind: Kind, invocation: u32, words: [u32; 4], rows: &[(&str, &str, &str)]) {
    for (body, wrong, right) in rows {
        let wgsl = program(body);
        let line = wgsl.lines().position(|line| line.contains("HERE")).expect("a line is wrong") as u32 + 1;
        for outcome in outcomes(&wgsl.replace("HERE", wrong), words) {
            let [finding] = &outcome.findings[..] else { panic!("{wgsl}{wrong}{:#?}", outcome.findings) };
            let source = finding.source.as_ref().expect("the line is known");
            let found = (finding.kind, source.line, source.invocation);
            assert_eq!(found, (kind, line, [invocation, 0, 0]), "{wgsl}{finding}");
            assert!(source.text.contains(wrong), "{finding}");
        }
        is_harmless(&body.replace("HERE", right), words);
    }
}
