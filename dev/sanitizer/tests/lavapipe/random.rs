//! Random programs: statements that nest, calls that are inlined, variables whose values are known here and not there.
//! They have no index out of range, no shift by too much, no race, and no result that depends on the order of
//! invocations.

use clamp_testing::random::Random;

use crate::operations::{EXPRESSIONS, FUNCTIONS, OPERANDS};
use crate::program::{Program, words};

/// Invocations of a workgroup: more than run at once.
const WORKGROUP: usize = 90;

const DECLARATIONS: &str = "
struct Record { rows: array<vec2<u32>, 3>, last: u32 }
@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<Record>;
@group(0) @binding(2) var<storage, read_write> totals: array<atomic<u32>, 8>;
var<workgroup> exchanged: array<u32, 90>;
var<private> me: u32;
var<private> kept: array<u32, 3>;
";

const HEAD: &str = "
@compute @workgroup_size(15, 3, 2)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
me = ((group.z * groups.y + group.y) * groups.x + group.x) * 90u + local;
atomicAdd(&totals[0], me);
atomicAdd(&totals[0], me);
";

/// Variables of each function.
const VARIABLES: &str = "
var x = words[me % arrayLength(&words)];
var y: u32;
var v = vec3<u32>(x, 1u, 2u);
var r = Record();
var list = array<u32, 4>(1u, x, 3u, 4u);
";

/// Places of words; `{a}` is any index. The first ones belong to a function.
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

/// Words that are read only. The last ones are known in `main` alone.
const INPUTS: &[&str] = &[
    "me",
    "words[{a} % arrayLength(&words)]",
    "arrayLength(&output)",
    "id.x",
    "id.y",
    "id.z",
    "local",
    "group.y",
    "groups.x",
];

struct Generator {
    random: Random,
    wgsl: String,
    names: Vec<String>,
    is_main: bool,
    /// How deep loops may still be nested.
    loops: usize,
    /// Whether `break` has a loop to leave.
    breaks: bool,
    /// Whether `return` may stand here.
    returns: bool,
    /// Names so far.
    count: usize,
}

impl Generator {
    fn line(&mut self, text: &str) {
        self.wgsl.push_str(text);
        self.wgsl.push('\n');
    }

    fn name(&mut self) -> String {
        self.count += 1;
        format!("n{}", self.count)
    }

    /// Fills a template with expressions.
    fn fill(&mut self, template: &str, depth: usize) -> String {
        let mut text = template.to_owned();
        for operand in OPERANDS.into_iter().filter(|operand| template.contains(operand)) {
            text = text.replace(operand, &self.expression(depth));
        }
        text
    }

    fn expression(&mut self, depth: usize) -> String {
        let inputs = if self.is_main { INPUTS } else { &INPUTS[..3] };
        match self.random.below(if depth == 0 { 4 } else { 12 }) {
            0 | 1 if !self.names.is_empty() => self.names[self.random.below(self.names.len())].clone(),
            0 | 2 if depth == 0 => self.random.pick(&["x", "y", "v.x", "r.last", "list[1]"]).to_owned(),
            1 => self.leaf(inputs, depth),
            0 | 2..=4 => self.leaf(PLACES, depth),
            5 if self.is_main => {
                let function = self.random.pick(&["first", "second"]);
                self.fill(&format!("{function}({{a}}, {{b}})"), depth - 1)
            }
            _ => {
                // Mesa 22.3 reads the wrong half of some operands of the last one.
                let template = self.random.pick(&EXPRESSIONS[..EXPRESSIONS.len() - 1]);
                self.fill(template, depth - 1)
            }
        }
    }

    fn leaf(&mut self, templates: &[&'static str], depth: usize) -> String {
        let template = self.random.pick(templates);
        if depth == 0 && template.contains('{') {
            "x".to_owned()
        } else {
            self.fill(template, depth.saturating_sub(1))
        }
    }

    fn block(&mut self, depth: usize) {
        let names = self.names.len();
        for _ in 0..=self.random.below(4) {
            self.statement(depth);
        }
        self.names.truncate(names);
    }

    fn statement(&mut self, depth: usize) {
        match self.random.below(if depth == 0 { 9 } else { 15 }) {
            0..=2 => {
                let place = self.random.pick(PLACES);
                let text = self.fill(&format!("{place} = {{c}};"), 2);
                self.line(&text);
            }
            3 | 4 => {
                let (place, op) = (self.random.pick(PLACES), self.random.pick(&["+=", "*=", "^=", "-="]));
                let text = self.fill(&format!("{place} {op} {{c}};"), 2);
                self.line(&text);
            }
            5 | 6 => {
                let name = self.name();
                let value = self.expression(2);
                self.line(&format!("let {name} = {value};"));
                self.names.push(name);
            }
            7 => {
                let (function, half) = self.random.pick(&[("Add", 0), ("Xor", 4)]);
                let text =
                    self.fill(&format!("atomic{function}(&totals[{half}u + ({{a}} & 3u)], {{b}});"), 1);
                self.line(&text);
            }
            8 => {
                let leaves = [
                    (self.breaks, "break;"),
                    (self.returns, if self.is_main { "return;" } else { "return {c};" }),
                ];
                let leaves: Vec<_> = leaves.iter().filter(|(may, _)| *may).map(|(_, leave)| *leave).collect();
                if !leaves.is_empty() {
                    let leave = self.random.pick(&leaves);
                    let text = self.fill(&format!("if ({{a}} & 7u) == 0u {{ {leave} }}"), 1);
                    self.line(&text);
                }
            }
            9..=11 => {
                let condition = self.fill("if {a} < {b} {", 1);
                self.line(&condition);
                self.block(depth - 1);
                if self.random.below(2) == 0 {
                    self.line("} else {");
                    self.block(depth - 1);
                }
                self.line("}");
            }
            _ if self.loops > 0 => self.repeat(depth),
            _ => self.block(depth - 1),
        }
    }

    fn repeat(&mut self, depth: usize) {
        let name = self.name();
        let head = self.random.pick(&[
            "for (var N = 0u; N < ({a} & 7u); N++) {",
            "var N = {a} & 7u;\nwhile N > 0u && (N > 2u || {b} > {c}) {\nN -= 1u;",
            "var N = 0u;\nloop {\nif N > ({a} & 3u) { break; }\nN += 1u;",
        ]);
        let head = self.fill(head, 1).replace('N', &name);
        self.line(&head);
        let breaks = std::mem::replace(&mut self.breaks, true);
        self.loops -= 1;
        self.names.push(name);
        self.block(depth - 1);
        self.names.pop();
        self.loops += 1;
        self.breaks = breaks;
        self.line("}");
    }

    fn function(&mut self, name: &str) {
        self.line(&format!("fn {name}(p: u32, q: u32) -> u32 {{{VARIABLES}"));
        self.names = vec!["p".to_owned(), "q".to_owned()];
        self.block(2);
        let last = self.fill("return {a} + x + y + v.z + r.rows[2].y + list[3];\n}", 2);
        self.line(&last);
        self.names.clear();
    }
}

fn program(n: usize) -> Program {
    let wgsl = format!("{DECLARATIONS}{FUNCTIONS}");
    let (random, names) = (Random(n as u64), Vec::new());
    let mut of =
        Generator { random, wgsl, names, is_main: false, loops: 1, breaks: false, returns: true, count: 0 };
    of.function("first");
    of.function("second");
    (of.is_main, of.loops, of.returns) = (true, 2, false);
    of.line(&format!("{HEAD}{VARIABLES}"));
    // The first programs are short, so that a failing one is.
    for _ in 0..n / 15 {
        of.block(2);
        let exchange = "exchanged[local] = {a};\nworkgroupBarrier();\nx += exchanged[(local + y) % 90u];\nworkgroupBarrier();";
        let exchange = of.fill(exchange, 2);
        of.line(&exchange);
    }
    of.returns = true;
    of.block(2);
    let last = of.fill("output[me].last += {a} + x + y + v.z + r.rows[2].y + list[3] + kept[1];\n}", 2);
    of.line(&last);
    let grid = [2, 1 + n as u32 % 2, 1];
    let invocations = WORKGROUP * (grid[0] * grid[1]) as usize;
    let buffers =
        vec![words(&mut of.random, 50), words(&mut of.random, invocations * 8), words(&mut of.random, 8)];
    Program { wgsl: of.wgsl, grid, buffers }
}

#[test]
fn random_programs_agree() {
    (0..40).for_each(|n| program(n).check());
}
