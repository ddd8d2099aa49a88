//! Random programs, all defined by WGSL: no division by zero, no index out of range, no shift by too much, no race, and
//! no result that depends on the order of invocations. Every loop comes to an end. Floats are small multiples of a
//! power of two, so that their arithmetic is exact on every device.

mod expressions;
mod statements;
mod types;

use std::fmt::Write as _;
use std::rc::Rc;

use crate::choices::{Choices, random_programs};
use crate::program::{Program, Resource};
use statements::Room;
use types::{BOOL, I32, Part, Plain, Type, U32};

/// Words of `output` that an invocation owns.
const OWN_WORDS: usize = 8;

struct Generator<'a> {
    choices: &'a mut Choices,
    floats: bool,
    /// Types that variables may have, besides scalars and vectors.
    local_types: Vec<Type>,
    functions: Vec<Function>,
    globals: Vec<Root>,
    scope: Vec<Root>,
    wgsl: String,
    /// Number of names so far.
    names: usize,
    /// How deep the current index is nested in others.
    indices: u32,
    may_call: bool,
    calls_in_loops: bool,
    /// The return type of the current function.
    returned: Option<Type>,
}

/// A named value.
#[derive(Clone)]
struct Root {
    /// The text of the value, with indices as in [`Part`].
    text: String,
    parts: Rc<[Part]>,
    assignable: bool,
    /// Whether WGSL knows the value before the program runs.
    constant: bool,
    /// The text of a pointer to it, if it may be passed to a function.
    pointer: Option<String>,
}

#[derive(Clone)]
struct Function {
    name: String,
    /// The types that its first parameters point to.
    pointers: Vec<Type>,
    /// The types of its other parameters.
    values: Vec<Type>,
    returned: Option<Type>,
}

/// The memory that a struct lies in, which decides the struct's layout.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    Function,
    Storage,
    Uniform,
}

#[test]
fn programs_of_integers_agree() {
    random_programs(
        200,
        2000,
        |choices| program(choices, false),
        |program| assert_eq!(program.agreed().1, 1, "integers leave nothing to a device"),
    );
}

#[test]
fn programs_of_floats_agree() {
    random_programs(100, 2000, |choices| program(choices, true), |program| drop(program.agreed()));
}

fn program(choices: &mut Choices, floats: bool) -> Program {
    let mut generator = Generator {
        choices,
        floats,
        local_types: Vec::new(),
        functions: Vec::new(),
        globals: Vec::new(),
        scope: Vec::new(),
        wgsl: String::new(),
        names: 0,
        indices: 0,
        may_call: true,
        calls_in_loops: false,
        returned: None,
    };
    generator.memory();
    generator.constants();
    for _ in 0..generator.choices.below(4) {
        generator.function();
    }
    let [width, height, depth] = [5, 3, 2].map(|most| 1 + generator.choices.below(most));
    let grid = [4, 3, 2].map(|most| 1 + generator.choices.below(most) as u32);
    let overridden = generator.choices.once_in(2);
    let x = if overridden { "WIDTH".to_owned() } else { width.to_string() };
    generator.main(&format!("{x}, {height}, {depth}"));
    let wgsl = generator.wgsl;

    // The last few invocations have nothing to do.
    let invocations = width * height * depth * grid.iter().product::<u32>() as usize;
    let owners = invocations - choices.below(4).min(invocations - 1);
    let mut any = || 1 + choices.below(40);
    let elements = [1, any(), any(), any(), OWN_WORDS * owners, owners, owners];
    let module = naga::front::wgsl::parse_str(&wgsl)
        .unwrap_or_else(|error| panic!("{wgsl}\n{}", error.emit_to_string(&wgsl)));
    // The size of a type counts one element of a runtime-sized array.
    let size = |binding: u32| {
        let bound = |one: &naga::GlobalVariable| one.binding.is_some_and(|one| one.binding == binding);
        let (_, variable) = module.global_variables.iter().find(|(_, one)| bound(one)).unwrap();
        module.types[variable.ty].inner.size(module.to_ctx()) as usize
    };
    let mut resources: Vec<_> = (0..)
        .zip(elements)
        .map(|(n, elements)| Resource::new(n, choices.bytes((size(n) * elements).next_multiple_of(16) / 4)))
        .collect();
    if floats {
        let quarters = choices.bytes(20);
        let quarters = quarters.chunks_exact(4).map(|bytes| f32::from(bytes[0].cast_signed()) / 4.0);
        resources.push(Resource::new(7, quarters.flat_map(f32::to_le_bytes).collect()));
    }
    let width = overridden.then_some(("WIDTH", f64::from(width as u32)));
    let constants = width.into_iter().chain(choices.once_in(2).then_some(("NEGATIVE", -7.0))).collect();
    Program { constants, wgsl, entry_point: "main", grid, resources }
}

impl Root {
    fn new(ty: &Type, text: &str) -> Self {
        let parts = ty.parts().into();
        Self { text: text.to_owned(), parts, assignable: false, constant: false, pointer: None }
    }

    fn variable(ty: &Type, text: &str) -> Self {
        Self { assignable: true, ..Self::new(ty, text) }
    }

    fn ty(&self) -> &Type {
        &self.parts[0].ty
    }
}

impl Generator<'_> {
    fn line(&mut self, text: &str) {
        self.wgsl.push_str(text);
        self.wgsl.push('\n');
    }

    /// A new name. The prefixes `f`, `i` and `u` are not possible: a number would turn them into names of types.
    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// A scalar or a vector.
    fn plain(&mut self, home: Home) -> Plain {
        let scalars = match (home, self.floats) {
            (Home::Function, true) => &["u32", "i32", "bool", "f32", "f32"][..],
            (Home::Function, false) => &["u32", "i32", "bool"],
            _ => &["u32", "i32"],
        };
        Plain { scalar: self.choices.pick(scalars), width: 1 + self.choices.below(4) }
    }

    /// A scalar or a vector, or sometimes a larger type.
    fn any_type(&mut self) -> Type {
        if self.choices.once_in(3) {
            self.choices.pick(&self.local_types)
        } else {
            Type::Plain(self.plain(Home::Function))
        }
    }

    /// Declares a struct.
    fn structure(&mut self, home: Home, nested: bool) -> Type {
        let mut members = Vec::new();
        let mut text = String::new();
        for n in 0..=self.choices.below(5) {
            let ty = match self.choices.below(5) {
                // In a uniform block a nested struct needs alignment 16, and naga takes the alignment from the member
                // types alone.
                _ if home == Home::Uniform && nested && n == 0 => Type::Plain(U32.with_width(4)),
                3 => {
                    let of = self.plain(home);
                    let width = if home == Home::Uniform { of.width.max(3) } else { of.width };
                    Type::Array(Type::Plain(of.with_width(width)).into(), 1 + self.choices.below(5))
                }
                4 if !nested => {
                    let inner = self.structure(home, true);
                    let length = self.choices.pick(&[0, 0, 0, 1, 2, 3]);
                    if length == 0 { inner } else { Type::Array(inner.into(), length) }
                }
                _ => Type::Plain(self.plain(home)),
            };
            let attributes: &[_] = match (home, &ty) {
                (Home::Function, _) => &[""],
                (_, Type::Plain(_)) => &["", "", "", "@align(16) ", "@size(80) @align(32) "],
                (Home::Uniform, _) => &["@align(16) "],
                (Home::Storage, _) => &["", "", "@align(32) "],
            };
            writeln!(text, "{}m{n}: {},", self.choices.pick(attributes), ty.name()).unwrap();
            members.push(ty);
        }
        let name = self.name("S");
        self.line(&format!("struct {name} {{\n{text}}}"));
        Type::Struct(name, members.into())
    }

    /// Declares the resources.
    fn memory(&mut self) {
        let parameters = self.structure(Home::Uniform, false);
        let records = self.structure(Home::Storage, false);
        let owned = self.structure(Home::Storage, false);
        let packets = Type::Plain(self.plain(Home::Storage));
        let local = self.structure(Home::Function, false);
        let rows = Type::Array(local.clone().into(), 3);
        let column = Type::Array(Type::Plain(self.plain(Home::Function)).into(), 5);
        let table = Type::Array(column.clone().into(), 2);

        let word = Type::Plain(U32);
        self.globals = vec![
            Root::variable(&word, &format!("output[self_index * {OWN_WORDS}u + ({{#{OWN_WORDS}u}})]")),
            Root::variable(&owned, "owned[self_index]"),
            Root::new(&parameters, "parameters"),
            Root::new(&word, "words[{#arrayLength(&words)}]"),
            Root::new(&packets, "packets[{#arrayLength(&packets)}]"),
            Root::new(&records, "records[{#arrayLength(&records)}]"),
            Root::new(&word, "self_index"),
            Root::new(&word, "arrayLength(&words)"),
            Root::new(&word, "arrayLength(&records)"),
            Root::new(&word, "arrayLength(&shared_words.owned)"),
        ];
        let [parameters, packets, owned_type, records_type] =
            [&parameters, &packets, &owned, &records].map(Type::name);
        self.line(&format!(
            "struct Shared {{
sum: array<atomic<u32>, 4>,
all: array<atomic<u32>, 4>,
any: array<atomic<u32>, 4>,
parity: array<atomic<u32>, 4>,
least: array<atomic<i32>, 4>,
most: array<atomic<i32>, 4>,
highest: array<atomic<u32>, 4>,
balance: array<atomic<i32>, 4>,
owned: array<atomic<u32>>,
}}
@group(0) @binding(0) var<uniform> parameters: {parameters};
@group(0) @binding(1) var<storage, read> words: array<u32>;
@group(0) @binding(2) var<storage, read> packets: array<{packets}>;
@group(0) @binding(3) var<storage, read> records: array<{records_type}>;
@group(0) @binding(4) var<storage, read_write> output: array<u32>;
@group(0) @binding(5) var<storage, read_write> owned: array<{owned_type}>;
@group(0) @binding(6) var<storage, read_write> shared_words: Shared;
var<private> self_index: u32;"
        ));
        if self.floats {
            self.line("@group(0) @binding(7) var<storage, read> input: array<f32>;");
            let float = Type::Plain(Plain { scalar: "f32", width: 1 });
            self.globals.push(Root::new(&float, "input[{#arrayLength(&input)}]"));
            self.line("// A device may ignore the sign of a zero.");
            self.line(
                "fn bits(x: f32) -> u32 { return bitcast<u32>(x) & select(0u, 0xffffffffu, x != 0.0); }",
            );
            self.line("// Rounds down to quarters between -64 and 64, which variables hold, so that loops do not make them grow.");
            for width in 1..=4 {
                let ty = Plain { scalar: "f32", width }.name();
                self.line(&format!("fn kept{width}(x: {ty}) -> {ty} {{"));
                self.line(&format!("return min(max(floor(x * 4.0) * 0.25, {ty}(-64.0)), {ty}(64.0));\n}}"));
            }
        }
        self.local_types = vec![column, local, rows, table, owned, records];
    }

    /// Declares constants, overridable constants and private variables.
    fn constants(&mut self) {
        let length = 1 + self.choices.below(6);
        let of = self.choices.pick(&[U32, I32]);
        let table = Type::Array(Type::Plain(of).into(), length);
        let elements: Vec<_> = (0..length).map(|_| self.literal(of.scalar)).collect();
        self.line(&format!("const TABLE = {}({});", table.name(), elements.join(", ")));
        self.line("override WIDTH: u32 = 2u;\noverride NEGATIVE: i32 = -3;\noverride FLAG: bool = true;");
        let [flag, negative, width] = [BOOL, I32, U32].map(Type::Plain);
        for (ty, name) in [(flag, "FLAG"), (negative, "NEGATIVE"), (width, "WIDTH"), (table, "TABLE")] {
            self.globals.push(Root { constant: true, ..Root::new(&ty, name) });
        }
        for _ in 0..self.choices.below(3) {
            let (ty, name) = (self.any_type(), self.name("private"));
            self.line(&format!("var<private> {name}: {};", ty.name()));
            self.globals.push(Root::variable(&ty, &name));
        }
    }

    fn function(&mut self) {
        let pointers: Vec<_> = (0..self.choices.below(3)).map(|_| self.any_type()).collect();
        let values: Vec<_> = (0..self.choices.below(3)).map(|_| self.any_type()).collect();
        let returned = (!self.choices.once_in(5)).then(|| self.any_type());
        let mut parameters = Vec::new();
        for ty in &pointers {
            let name = self.name("q");
            parameters.push(format!("{name}: ptr<function, {}>", ty.name()));
            let root = Root::variable(ty, &format!("(*{name})"));
            self.scope.push(Root { pointer: Some(name), ..root });
        }
        for ty in &values {
            let name = self.name("v");
            parameters.push(format!("{name}: {}", ty.name()));
            self.scope.push(Root::new(ty, &name));
        }
        let name = self.name("g");
        let arrow = returned.as_ref().map_or_else(String::new, |ty| format!(" -> {}", ty.name()));
        self.line(&format!("fn {name}({}){arrow} {{", parameters.join(", ")));
        self.returned.clone_from(&returned);
        if self.block(Room { breaks: false, continues: false, returns: true, blocks: 2, loops: 1 }) {
            let last = self.returning();
            self.line(&last);
        }
        self.line("}");
        self.scope.clear();
        self.functions.push(Function { name, pointers, values, returned });
    }

    /// Writes the entry point with this workgroup size. It uses all resources.
    fn main(&mut self, size: &str) {
        self.line(&format!(
            "@compute @workgroup_size({size})
fn main(
@builtin(global_invocation_id) global_id: vec3<u32>,
@builtin(local_invocation_id) local_id: vec3<u32>,
@builtin(local_invocation_index) local_index: u32,
@builtin(workgroup_id) workgroup: vec3<u32>,
@builtin(num_workgroups) workgroups: vec3<u32>,
) {{
let size = vec3<u32>({size});
let extent = workgroups * size;
self_index = (global_id.z * extent.y + global_id.y) * extent.x + global_id.x;
if self_index >= arrayLength(&output) / {OWN_WORDS}u {{
return;
}}
_ = parameters.m0;
_ = vec4(arrayLength(&words), arrayLength(&packets), arrayLength(&records), arrayLength(&owned));
_ = arrayLength(&shared_words.owned);{}",
            if self.floats { "\n_ = arrayLength(&input);" } else { "" }
        ));
        let builtins =
            [("global_id", 3), ("local_id", 3), ("local_index", 1), ("workgroup", 3), ("workgroups", 3)];
        self.scope =
            builtins.map(|(name, width)| Root::new(&Type::Plain(U32.with_width(width)), name)).to_vec();
        self.returned = None;
        self.calls_in_loops = true;
        let room = Room { breaks: false, continues: false, returns: true, blocks: 3, loops: 2 };
        // Stops after a `return`.
        let _ = (0..3).all(|_| self.block(room));
        self.line("}");
    }
}
