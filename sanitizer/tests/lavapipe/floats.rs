//! Random programs of floats whose results are exact on every device: each number is a small multiple of a power of
//! two.

use std::fmt::Write as _;

use crate::choices::{Choices, random_programs};
use crate::program::{Program, Resource, Space};

/// Bound on the units of a number, which an f32 counts exactly.
const MOST: u32 = 1 << 24;

/// Words of `output` that an invocation owns.
const OWN_WORDS: usize = 4;

/// An expression.
#[derive(Clone)]
struct Number {
    text: String,
    width: usize,
    /// The number counts units of 2^-`fraction`.
    fraction: u32,
    /// Bound on its magnitude in units; at least 1.
    most: u32,
}

struct Generator<'a> {
    choices: &'a mut Choices,
    /// Variables, which hold [`kept`] numbers, and their widths.
    variables: Vec<(String, usize)>,
    names: usize,
    wgsl: String,
    indent: usize,
}

#[test]
fn random_programs_agree() {
    random_programs(100, 500, program, |program| {
        program.agreed();
    });
}

fn program(choices: &mut Choices) -> Program {
    let width = 1 + choices.below(8) as u32;
    let mut generator =
        Generator { choices, variables: Vec::new(), names: 0, wgsl: String::new(), indent: 0 };
    write!(
        generator.wgsl,
        "@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read> integers: array<i32>;
@group(0) @binding(2) var<storage, read_write> output: array<u32>;

// A device may ignore the sign of a zero.
fn bits(x: f32) -> u32 {{
    return bitcast<u32>(x) & select(0u, 0xffffffffu, x != 0.0);
}}

@compute @workgroup_size({width})
fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
"
    )
    .unwrap();
    generator.block(2);
    generator.wgsl.push_str("}\n");
    let Generator { wgsl, .. } = generator;

    let quarters = choices.bytes(20);
    let input = quarters.chunks_exact(4).map(|bytes| f32::from(i16::from(bytes[0].cast_signed())) / 4.0);
    let input = input.flat_map(f32::to_le_bytes).collect();
    let grid = [1 + choices.below(3) as u32, 1, 1];
    let own = 4 * OWN_WORDS * (grid[0] * width) as usize;
    let resources = vec![
        Resource::new(0, Space::Read, input),
        Resource::new(1, Space::Read, choices.bytes(12)),
        Resource::new(2, Space::ReadWrite, vec![0xa5; own]),
    ];
    Program { wgsl, entry_point: "main", constants: Vec::new(), grid, resources }
}

fn type_name(of: &str, width: usize) -> String {
    if width == 1 { of.to_owned() } else { format!("vec{width}<{of}>") }
}

/// Rounds a number down to quarters, between −64 and 64. Variables hold these, so that loops do not make them grow.
fn kept(number: &Number) -> String {
    let ty = type_name("f32", number.width);
    format!("min(max(floor({} * 4.0) * 0.25, {ty}(-64.0)), {ty}(64.0))", number.text)
}

impl Number {
    fn kept(text: String, width: usize) -> Self {
        Self { text, width, fraction: 2, most: 256 }
    }

    fn with_width(self, width: usize) -> Self {
        Self { width, ..self }
    }

    /// `most`, counted in units of 2^-`fraction`.
    fn most_in(&self, fraction: u32) -> u64 {
        u64::from(self.most) << (fraction - self.fraction)
    }
}

impl Generator<'_> {
    fn line(&mut self, text: &str) {
        writeln!(self.wgsl, "{}{text}", "    ".repeat(self.indent)).unwrap();
    }

    fn block(&mut self, depth: usize) {
        self.indent += 1;
        let variables = self.variables.len();
        for _ in 0..2 + self.choices.below(5) {
            self.statement(depth);
        }
        self.variables.truncate(variables);
        self.indent -= 1;
    }

    fn statement(&mut self, depth: usize) {
        let width = 1 + self.choices.below(4);
        match self.choices.below(8) {
            0 | 1 => {
                let word = self.choices.below(OWN_WORDS);
                let number = self.number(1, 5).text;
                let value = self.choices.pick(&["bits(", "u32(abs(", "bitcast<u32>(i32("]);
                let end = if value == "bits(" { ")" } else { "))" };
                self.line(&format!("output[id.x * {OWN_WORDS}u + {word}u] = {value}{number}{end};"));
            }
            2 | 3 => {
                let number = self.number(width, 4);
                let name = format!("v{}", self.names);
                self.names += 1;
                self.line(&format!("var {name} = {};", kept(&number)));
                self.variables.push((name, width));
            }
            4 | 5 if !self.variables.is_empty() => {
                let (name, width) = self.choices.pick(&self.variables);
                if width > 1 && self.choices.once_in(2) {
                    let number = self.number(1, 4);
                    let component = &"xyzw"[..width][self.choices.below(width)..][..1];
                    self.line(&format!("{name}.{component} = {};", kept(&number)));
                } else {
                    let number = self.number(width, 4);
                    self.line(&format!("{name} = {};", kept(&number)));
                }
            }
            6 if depth > 0 => {
                let condition = self.comparison(1, 3);
                self.line(&format!("if {condition} {{"));
                self.block(depth - 1);
                if self.choices.once_in(2) {
                    self.line("} else {");
                    self.block(depth - 1);
                }
                self.line("}");
            }
            7 if depth > 0 => {
                let (rounds, name) = (1 + self.choices.below(4), self.names);
                self.names += 1;
                self.line(&format!("for (var i{name} = 0.0; i{name} < {rounds}.0; i{name} += 1.0) {{"));
                self.block(depth - 1);
                self.line("}");
            }
            _ => {}
        }
    }

    fn number(&mut self, width: usize, depth: u32) -> Number {
        if depth == 0 {
            return self.leaf(width);
        }
        let (kind, a) = (self.choices.below(13), self.number(width, depth - 1));
        let wider = self.operation(kind, a.clone(), depth - 1);
        if wider.most < MOST { wider } else { a }
    }

    fn operation(&mut self, kind: usize, a: Number, depth: u32) -> Number {
        let width = a.width;
        let ty = type_name("f32", width);
        match kind {
            1 | 2 => {
                let b = self.scalar_or(width, depth);
                let operator = self.choices.pick(&["+", "-"]);
                sum(format!("({} {operator} {})", a.text, b.text), &a, &b)
            }
            3 | 4 => {
                let b = self.scalar_or(width, depth);
                product(format!("({} * {})", a.text, b.text), &a, &b)
            }
            5 => {
                let (b, c) = (self.number(width, depth), self.number(width, depth));
                let product = product(String::new(), &a, &b);
                sum(format!("fma({}, {}, {})", a.text, b.text, c.text), &product, &c)
            }
            6 => {
                let (b, function) = (self.number(width, depth), self.choices.pick(&["min", "max"]));
                // A device may give either of two zeros. Add half a unit: then neither operand is zero.
                let half =
                    Number { text: String::new(), width, fraction: a.fraction.max(b.fraction) + 1, most: 1 };
                let more = format!("{ty}({:?})", 0.5_f32.powi(half.fraction as i32));
                let text = format!("{function}({} + {more}, {} + {more})", a.text, b.text);
                sum(text, &either(String::new(), &a, &b), &half)
            }
            7 => {
                let function = self.choices.pick(&["floor", "ceil", "trunc", "round"]);
                let most = (a.most >> a.fraction) + 1;
                Number { text: format!("{function}({})", a.text), fraction: 0, most, ..a }
            }
            8 => match self.choices.below(3) {
                0 => Number { text: format!("abs({})", a.text), ..a },
                1 => Number { text: format!("(-{})", a.text), ..a },
                _ => Number { text: format!("sign({})", a.text), fraction: 0, most: 1, ..a },
            },
            9 => {
                let b = self.number(width, depth);
                let of = self.choices.pick(&[1, width]);
                let condition = self.comparison(of, depth);
                either(format!("select({}, {}, {condition})", a.text, b.text), &a, &b)
            }
            10 => {
                let (integer, most) =
                    self.choices.pick(&[("i32", a.most >> a.fraction), ("u32", a.most >> a.fraction)]);
                let integer_type = type_name(integer, width);
                let operand = if integer == "u32" { format!("abs({})", a.text) } else { a.text };
                Number {
                    text: format!("{ty}({integer_type}({operand}))"),
                    fraction: 0,
                    most: most.max(1),
                    width,
                }
            }
            11 if width > 1 => {
                let b = self.number(2 + depth as usize % 3, depth);
                let component = |_| self.choices.pick(&"xyzw"[..b.width].chars().collect::<Vec<_>>());
                let names: String = (0..width).map(component).collect();
                Number { text: format!("{}.{names}", b.text), width, ..b }
            }
            12 if width > 1 => {
                let (b, c) = (self.number(width - 1, depth), self.given(1));
                either(format!("{ty}({}, {})", b.text, c.text), &b, &c).with_width(width)
            }
            _ => a,
        }
    }

    /// A number of this width, or a scalar for all components.
    fn scalar_or(&mut self, width: usize, depth: u32) -> Number {
        let width = self.choices.pick(&[width, 1]);
        self.number(width, depth)
    }

    fn comparison(&mut self, width: usize, depth: u32) -> String {
        let (a, b) = (self.number(width, depth), self.number(width, depth));
        let operator = self.choices.pick(&["<", "<=", ">", ">=", "==", "!="]);
        format!("({} {operator} {})", a.text, b.text)
    }

    fn leaf(&mut self, width: usize) -> Number {
        let ty = type_name("f32", width);
        let variables: Vec<_> = self.variables.iter().filter(|(_, other)| *other == width).cloned().collect();
        match self.choices.below(6) {
            1 | 2 if !variables.is_empty() => Number::kept(self.choices.pick(&variables).0, width),
            3 => {
                let integer =
                    format!("integers[(id.x + {}u) % arrayLength(&integers)]", self.choices.below(50));
                let text = match self.choices.below(3) {
                    0 => format!("{ty}(f32({integer} % 50i))"),
                    1 => format!("{ty}(f32({integer} & 63i))"),
                    _ => format!("{ty}(f32(bitcast<u32>({integer}) >> 26u))"),
                };
                Number { text, width, fraction: 0, most: 63 }
            }
            // naga fails on some constant expressions of vectors, so no vector is constant.
            0 if width == 1 => {
                let (number, fraction, most) = self.choices.pick(&[
                    ("0.0", 0, 1),
                    ("1.0", 0, 1),
                    ("-2.0", 0, 2),
                    ("0.5", 1, 1),
                    ("-0.25", 2, 1),
                    ("3.0", 0, 3),
                    ("1.5", 1, 3),
                    ("-100.0", 0, 100),
                ]);
                Number { text: format!("{ty}({number})"), width, fraction, most }
            }
            _ => self.given(width),
        }
    }

    /// Numbers from memory.
    fn given(&mut self, width: usize) -> Number {
        let mut element =
            || format!("input[(id.x * 3u + {}u) % arrayLength(&input)]", self.choices.below(50));
        let elements: Vec<_> = (0..width).map(|_| element()).collect();
        Number::kept(format!("{}({})", type_name("f32", width), elements.join(", ")), width)
    }
}

/// A number of at most `most` units; [`MOST`], which `number` rejects, if there are more or if they are below 2^-24.
fn of(text: String, width: usize, fraction: u32, most: u64) -> Number {
    let most = if fraction > 24 { u64::from(MOST) } else { most };
    Number { text, width, fraction, most: most.min(u64::from(MOST)) as u32 }
}

fn sum(text: String, a: &Number, b: &Number) -> Number {
    let fraction = a.fraction.max(b.fraction);
    of(text, a.width, fraction, a.most_in(fraction) + b.most_in(fraction))
}

fn either(text: String, a: &Number, b: &Number) -> Number {
    let fraction = a.fraction.max(b.fraction);
    of(text, a.width, fraction, a.most_in(fraction).max(b.most_in(fraction)))
}

fn product(text: String, a: &Number, b: &Number) -> Number {
    of(text, a.width, a.fraction + b.fraction, u64::from(a.most) * u64::from(b.most))
}
