//! Programs of a few lines, with a fault in one line.

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
    @group(0) @binding(6) var<uniform> parameters: array<vec4<u32>, 2>;
";

/// Words of each buffer; [`BOUND`] is the buffer at each binding.
const BUFFERS: [usize; 6] = [4, 4, 4, 6, 6, 4];
const BOUND: [usize; 7] = [0, 0, 1, 2, 3, 4, 5];

/// A program with the placeholder `HERE` in the faulty line.
pub struct Flaw<'a> {
    pub kind: Kind,
    /// The invocation of the finding, along x.
    pub invocation: u32,
    /// Statements that each of four invocations runs; `i` is the invocation's number.
    pub body: &'a str,
    pub wrong: &'a str,
    /// The text for `HERE` that mends the program.
    pub right: &'a str,
}

impl Flaw<'_> {
    /// Runs the program and the mended program; `words` is the initial value of the variable `words`.
    ///
    /// # Panics
    ///
    /// If the finding is not as described, or the mended program has a finding.
    pub fn check(&self, words: [u32; 4]) {
        let Self { kind, invocation, body, wrong, right } = *self;
        let wgsl = program(body);
        let line = wgsl.lines().position(|line| line.contains("HERE")).expect("a line is wrong") as u32 + 1;
        for outcome in outcomes(&wgsl.replace("HERE", wrong), words) {
            let [finding] = &outcome.findings[..] else { panic!("{wgsl}{:#?}", outcome.findings) };
            assert_eq!(finding.kind, kind, "{wgsl}{finding}");
            let source = finding.source.as_ref().expect("the line is known");
            assert_eq!((source.line, source.invocation), (line, [invocation, 0, 0]), "{wgsl}{finding}");
            assert!(source.text.contains(wrong), "{finding}");
        }
        assert_none(&wgsl.replace("HERE", right), words);
    }
}

/// The findings on all devices.
pub fn findings(body: &str, words: [u32; 4]) -> Vec<Finding> {
    outcomes(&program(body), words).into_iter().flat_map(|outcome| outcome.findings).collect()
}

/// Asserts that a program has no finding on any device.
pub fn is_harmless(body: &str, words: [u32; 4]) {
    assert_none(&program(body), words);
}

fn assert_none(wgsl: &str, words: [u32; 4]) {
    for Outcome { device, findings, .. } in outcomes(wgsl, words) {
        assert!(findings.is_empty(), "{wgsl}{device}: {findings:#?}");
    }
}

/// The WGSL of a program. The part of `body` before `---` stands outside of functions.
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

fn outcomes(wgsl: &str, words: [u32; 4]) -> Vec<Outcome> {
    let module = Module::parse(wgsl).unwrap_or_else(|error| panic!("{error}"));
    let program = module.program("main", &[]).unwrap();
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
