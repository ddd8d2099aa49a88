//! Random programs: statements that nest, calls that are inlined, variables whose values lowering may know or not. They
//! have no index out of range, no race, and no result that depends on the order of invocations.

use clamp_testing::random::Random;

use crate::operations::{EXPRESSIONS, FUNCTIONS, OPERANDS};
use crate::program::{Program, words};

/// A workgroup has 90 invocations: more than run at once.
const DECLARATIONS: &str = "
struct Record { rows: array<vec2<u32>, 3>, last: u32 }
@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<Record>;
@group(0) @binding(2) var<storage, read_write> totals: array<atomic<u32>, 8>;
var<workgroup> exchanged: array<u32, 90>;
var<private> me: u32;
var<private> kept: array<u32, 3>;
";

const MAIN: &str = "
@compute @workgroup_size(15, 3, 2)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
me = (group.y * groups.x + group.x) * 90u + local;
atomicAdd(&totals[0], id.x + id.y + id.z);
";

/// Variables of each function.
const VARIABLES: &str = "
var x = words[me % arrayLength(&words)];
var y: u32;
var v = vec3<u32>(x, 1u, 2u);
var r = Record();
var list = array<u32, 4>(1u, x, 3u, 4u);
";

/// Places of words; `{a}` and `{b}` are any index.
const PLACES: &[&str] = &[
    "x",
    "y",
    "v.y",
    "v[{a} % 3u]",
    "r.last",
    "r.rows[1].x",
    "r.rows[{a} % 3u].y",
    "r.rows[{a} % 3u][{b} & 1u]",
    "list[2]",
    "list[{a} & 3u]",
    "kept[{a} % 3u]",
    "output[me].rows[{a} % 3u].x",
    "output[me].last",
];

/// Heads of blocks; `N` is a new name.
const HEADS: &[&str] = &[
    "if {a} < {b} {",
    "if {a} < {b} || {a} > {c} {",
    "for (var N = 0u; N < ({a} & 7u); N++) {",
    "var N = {a} & 7u;\nwhile N > 0u && (N > 2u || {b} > {c}) {\nN -= 1u;",
    "var N = 0u;\nloop {\nif N > ({a} & 3u) { break; }\nN += 1u;",
];

struct Generator {
    random: Random,
    wgsl: String,
    /// Number of names so far.
    count: usize,
    /// Values in scope.
    names: Vec<String>,
    /// Statements that may stand here: a call, a `return`, a `break`.
    call: Option<&'static str>,
    returns: Option<&'static str>,
    breaks: Option<&'static str>,
}

impl Generator {
    /// Adds a line, with expressions in the place of its operands.
    fn line(&mut self, template: &str) {
        let line = self.fill(template, 2);
        self.wgsl.push_str(&line);
        self.wgsl.push('\n');
    }

    fn fill(&mut self, template: &str, depth: usize) -> String {
        let mut text = template.to_owned();
        for operand in OPERANDS.into_iter().filter(|operand| template.contains(operand)) {
            text = text.replace(operand, &self.expression(depth));
        }
        text
    }

    fn expression(&mut self, depth: usize) -> String {
        match self.random.below(6) {
            0 => self.names[self.random.below(self.names.len())].clone(),
            _ if depth == 0 => self.random.pick(&["x", "y", "v.x", "r.last", "list[1]", "me"]).to_owned(),
            1 | 2 => {
                let place = self.random.pick(PLACES);
                self.fill(place, depth - 1)
            }
            _ => {
                // Mesa 22.3 reads the wrong half of some operands of the last one.
                let template = self.random.pick(&EXPRESSIONS[..EXPRESSIONS.len() - 1]);
                self.fill(template, depth - 1)
            }
        }
    }

    /// Adds statements. `depth`: how deep blocks may be nested.
    fn block(&mut self, depth: usize) {
        let names = self.names.len();
        for _ in 0..=self.random.below(4) {
            self.count += 1;
            let (name, place) = (format!("n{}", self.count), self.random.pick(PLACES));
            match self.random.below(if depth == 0 { 7 } else { 10 }) {
                0 | 1 => self.line(&format!("{place} = {{c}};")),
                2 => {
                    let operator = self.random.pick(&["+", "*", "^", "-"]);
                    self.line(&format!("{place} {operator}= {{c}};"));
                }
                3 => {
                    self.line(&format!("let {name} = {{a}};"));
                    self.names.push(name);
                }
                4 => self.line(self.call.unwrap_or("atomicAdd(&totals[{a} & 3u], {b});")),
                5 => self.line(self.returns.unwrap_or("atomicXor(&totals[4u + ({a} & 3u)], {b});")),
                6 => self.line(self.breaks.unwrap_or("y = words[{a} % arrayLength(&words)];")),
                _ => self.nested(&name, depth - 1),
            }
        }
        self.names.truncate(names);
    }

    fn nested(&mut self, name: &str, depth: usize) {
        let (head, breaks) = (self.random.pick(HEADS), self.breaks);
        self.line(&head.replace('N', name));
        let is_loop = head.contains('N');
        if is_loop {
            self.breaks = Some("if ({a} & 7u) == 0u { break; }");
        }
        self.block(depth);
        if !is_loop && self.random.below(2) == 0 {
            self.line("} else {");
            self.block(depth);
        }
        self.breaks = breaks;
        self.line("}");
    }

    fn function(&mut self, name: &str) {
        self.names = vec!["p".to_owned(), "q".to_owned()];
        self.line(&format!("fn {name}(p: u32, q: u32) -> u32 {{{VARIABLES}"));
        self.block(2);
        self.line("return {a} + x + y + v.z + r.rows[2].y + list[3];\n}");
    }
}

fn program(n: usize) -> Program {
    let returns = Some("if {a} < {b} { return {c}; }");
    let wgsl = format!("{DECLARATIONS}{FUNCTIONS}");
    let (random, names) = (Random(n as u64), Vec::new());
    let mut of = Generator { random, wgsl, count: 0, names, call: None, returns, breaks: None };
    of.function("first");
    of.call = Some("v.z = first({a}, {b});");
    of.function("second");
    of.call = Some("v.z += second({a}, {b});");
    of.returns = None;
    of.names = ["id.x", "id.y", "local", "group.y", "groups.x"].map(str::to_owned).to_vec();
    of.line(&format!("{MAIN}{VARIABLES}"));
    // The first programs are short, so that a failing one is.
    for _ in 0..n / 10 {
        of.block(2);
        of.line("exchanged[local] = {a};\nworkgroupBarrier();");
        of.line("x += exchanged[(local + y) % 90u];\nworkgroupBarrier();");
    }
    of.returns = Some("if {a} < {b} { return; }");
    of.block(2);
    of.line("output[me].last += {a} + x + y + v.z + r.rows[2].y + list[3] + kept[1];\n}");
    let buffers = [50, 360 * 8, 8].map(|count| words(&mut of.random, count));
    Program { wgsl: of.wgsl, grid: [2, 2, 1], buffers: buffers.to_vec() }
}

#[test]
fn random_programs_agree() {
    (0..40).for_each(|n| program(n).check());
}
