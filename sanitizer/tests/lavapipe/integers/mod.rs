//! Random programs of integers and booleans.

mod expressions;
mod scope;
mod statements;
mod types;

use std::fmt::Write as _;

use crate::choices::{Choices, random_programs};
use crate::program::{Program, Resource, Space};
use scope::Root;
use statements::Room;
use types::{Home, I32, Piece, Plain, Scalar, Type, Types, U32};

/// Words of `output` that an invocation owns.
const OWN_WORDS: usize = 8;

struct Generator<'a> {
    choices: &'a mut Choices,
    types: Types,
    /// Types that variables may have, besides scalars and vectors.
    local_types: Vec<Type>,
    functions: Vec<Function>,
    globals: Vec<Root>,
    scope: Vec<Root>,
    wgsl: String,
    /// Number of names so far.
    names: usize,
    indent: usize,
    /// How deep the current index is nested in others.
    indices: u32,
    may_call: bool,
    calls_in_loops: bool,
    /// The return type of the current function.
    returned: Option<Type>,
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

#[test]
fn random_programs_agree() {
    random_programs(200, 2000, program, |program| {
        let (_, devices) = program.agreed();
        assert_eq!(devices, 1, "integers leave nothing to a device");
    });
}

fn program(choices: &mut Choices) -> Program {
    let mut generator = Generator {
        choices,
        types: Types::default(),
        local_types: Vec::new(),
        functions: Vec::new(),
        globals: Vec::new(),
        scope: Vec::new(),
        wgsl: String::new(),
        names: 0,
        indent: 0,
        indices: 0,
        may_call: true,
        calls_in_loops: false,
        returned: None,
    };
    let bindings = generator.memory();
    generator.constants();
    for _ in 0..generator.choices.below(4) {
        generator.function();
    }
    let (size, invocations, grid, width) = generator.grid();
    generator.main(&size);
    let wgsl = generator.types.declarations() + &generator.wgsl;

    // The last few invocations have nothing to do.
    let owners = invocations - choices.below(4).min(invocations - 1);
    let module = naga::front::wgsl::parse_str(&wgsl)
        .unwrap_or_else(|error| panic!("{wgsl}\n{}", error.emit_to_string(&wgsl)));
    let resources = bindings.into_iter().zip(0..).map(|((space, elements), binding)| {
        let elements = match elements {
            Elements::Owned(each) => owners * each,
            Elements::Any => 1 + choices.below(40),
        };
        Resource::new(binding, space, choices.bytes(words(&module, binding, elements)))
    });
    let resources = resources.collect();
    let constants = width.map(|width| ("WIDTH", f64::from(width))).into_iter();
    let constants = constants.chain(choices.once_in(2).then(|| ("NEGATIVE", -7.0)));
    Program { constants: constants.collect(), wgsl, entry_point: "main", grid, resources }
}

/// The length of a runtime-sized array.
enum Elements {
    /// This many elements per invocation.
    Owned(usize),
    Any,
}

/// Words of a variable, with so many elements in its runtime-sized array.
fn words(module: &naga::Module, binding: u32, elements: usize) -> usize {
    let bound = |variable: &naga::GlobalVariable| variable.binding.is_some_and(|one| one.binding == binding);
    let (_, variable) = module.global_variables.iter().find(|(_, one)| bound(one)).unwrap();
    let inner = |ty| &module.types[ty].inner;
    let bytes = match inner(variable.ty) {
        naga::TypeInner::Array { stride, size: naga::ArraySize::Dynamic, .. } => *stride as usize * elements,
        naga::TypeInner::Struct { members, span } => {
            let last = members.last().unwrap();
            match inner(last.ty) {
                naga::TypeInner::Array { stride, size: naga::ArraySize::Dynamic, .. } => {
                    last.offset as usize + *stride as usize * elements
                }
                _ => *span as usize,
            }
        }
        _ => panic!("all variables are arrays or structs"),
    };
    bytes.next_multiple_of(16) / 4
}

impl Generator<'_> {
    /// The variables in memory, in the order of their bindings.
    fn memory(&mut self) -> Vec<(Space, Elements)> {
        let parameters = self.types.structure(self.choices, Home::Uniform, false);
        let records = self.types.structure(self.choices, Home::Storage, false);
        let owned = self.types.structure(self.choices, Home::Storage, false);
        let packets = Type::Plain(Plain::any(self.choices, Home::Storage));
        let local = self.types.structure(self.choices, Home::Function, false);
        let rows = self.types.array(local, 3);
        let of = Type::Plain(Plain::any(self.choices, Home::Function));
        let column = self.types.array(of, 5);
        let table = self.types.array(column, 2);
        self.local_types = vec![column, local, rows, table, owned, records];

        let types = &self.types;
        let text = |text: &str| Piece::Text(text.to_owned());
        let any = |name: &str| {
            let length = format!("arrayLength(&{name})");
            vec![text(name), text("["), Piece::Below(length), text("]")]
        };
        let mine = vec![
            text(&format!("output[self_index * {OWN_WORDS}u + (")),
            Piece::Below(format!("{OWN_WORDS}u")),
            text(")]"),
        ];
        let word = Type::Plain(U32);
        let length = |name| Root::value(types, word, &format!("arrayLength(&{name})"));
        self.globals = vec![
            Root::at(types, word, mine).assignable(),
            Root::value(types, owned, "owned[self_index]").assignable(),
            Root::value(types, parameters, "parameters"),
            Root::at(types, word, any("words")),
            Root::at(types, packets, any("packets")),
            Root::at(types, records, any("records")),
            Root::value(types, word, "self_index"),
            length("words"),
            length("records"),
            length("shared_words.owned"),
        ];
        let [parameters, packets, records, owned] =
            [parameters, packets, records, owned].map(|ty| types.name(ty));
        write!(
            self.wgsl,
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
@group(0) @binding(3) var<storage, read> records: array<{records}>;
@group(0) @binding(4) var<storage, read_write> output: array<u32>;
@group(0) @binding(5) var<storage, read_write> owned: array<{owned}>;
@group(0) @binding(6) var<storage, read_write> shared_words: Shared;
var<private> self_index: u32;
"
        )
        .unwrap();
        vec![
            (Space::Uniform, Elements::Any),
            (Space::Read, Elements::Any),
            (Space::Read, Elements::Any),
            (Space::Read, Elements::Any),
            (Space::ReadWrite, Elements::Owned(OWN_WORDS)),
            (Space::ReadWrite, Elements::Owned(1)),
            (Space::ReadWrite, Elements::Owned(1)),
        ]
    }

    /// Constants, overridable constants and private variables.
    fn constants(&mut self) {
        let length = 1 + self.choices.below(6);
        let of = Plain { scalar: self.choices.pick(&[Scalar::U32, Scalar::I32]), width: 1 };
        let table = self.types.array(Type::Plain(of), length);
        let elements: Vec<_> = (0..length).map(|_| self.literal(of.scalar)).collect();
        self.line(&format!("const TABLE = {}({});", self.types.name(table), elements.join(", ")));
        self.line("override WIDTH: u32 = 2u;");
        self.line("override NEGATIVE: i32 = -3;");
        self.line("override FLAG: bool = true;");
        let [flag, negative, width] = [(types::BOOL, "FLAG"), (I32, "NEGATIVE"), (U32, "WIDTH")]
            .map(|(ty, name)| (Type::Plain(ty), name));
        for (ty, name) in [flag, negative, width, (table, "TABLE")] {
            let root = Root::value(&self.types, ty, name).constant();
            self.globals.push(root);
        }
        for _ in 0..self.choices.below(3) {
            let (ty, name) = (self.any_type(), self.name("private"));
            self.line(&format!("var<private> {name}: {};", self.types.name(ty)));
            let root = Root::value(&self.types, ty, &name).assignable();
            self.globals.push(root);
        }
    }

    fn function(&mut self) {
        let pointers: Vec<_> = (0..self.choices.below(3)).map(|_| self.any_type()).collect();
        let values: Vec<_> = (0..self.choices.below(3)).map(|_| self.any_type()).collect();
        let returned = if self.choices.once_in(5) { None } else { Some(self.any_type()) };
        let mut parameters = Vec::new();
        for &ty in &pointers {
            let name = self.name("q");
            parameters.push(format!("{name}: ptr<function, {}>", self.types.name(ty)));
            let root = Root::value(&self.types, ty, &format!("(*{name})")).assignable().with_pointer(name);
            self.scope.push(root);
        }
        for &ty in &values {
            let name = self.name("v");
            parameters.push(format!("{name}: {}", self.types.name(ty)));
            let root = Root::value(&self.types, ty, &name);
            self.scope.push(root);
        }
        let name = self.name("f");
        let arrow = returned.map(|ty| format!(" -> {}", self.types.name(ty))).unwrap_or_default();
        self.line(&format!("fn {name}({}){arrow} {{", parameters.join(", ")));
        self.returned = returned;
        self.calls_in_loops = false;
        if self.block(Room { breaks: false, continues: false, returns: true, blocks: 2, loops: 1 }) {
            self.indent += 1;
            let last = self.returning();
            self.line(&last);
            self.indent -= 1;
        }
        self.line("}");
        self.scope.clear();
        self.functions.push(Function { name, pointers, values, returned });
    }

    /// Returns the workgroup size in WGSL, the number of invocations, the grid, and the width if it is overridden.
    fn grid(&mut self) -> (String, usize, [u32; 3], Option<u32>) {
        let width = 1 + self.choices.below(5) as u32;
        let height = 1 + self.choices.below(3) as u32;
        let depth = 1 + self.choices.below(2) as u32;
        let grid = [4, 3, 2].map(|most| 1 + self.choices.below(most) as u32);
        let invocations = width * height * depth * grid.iter().product::<u32>();
        let overridden = self.choices.once_in(2);
        let x = if overridden { "WIDTH".to_owned() } else { width.to_string() };
        (format!("{x}, {height}, {depth}"), invocations as usize, grid, overridden.then_some(width))
    }

    fn main(&mut self, size: &str) {
        self.line(&format!("@compute @workgroup_size({size})"));
        write!(
            self.wgsl,
            "fn main(
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
"
        )
        .unwrap();
        let triple = U32.with_width(3);
        let builtins = [
            ("global_id", triple),
            ("local_id", triple),
            ("local_index", U32),
            ("workgroup", triple),
            ("workgroups", triple),
        ];
        self.scope = builtins.map(|(name, ty)| Root::value(&self.types, Type::Plain(ty), name)).to_vec();
        self.returned = None;
        self.calls_in_loops = true;
        let room = Room { breaks: false, continues: false, returns: true, blocks: 3, loops: 2 };
        // Stops after a `return`.
        let _ = (0..3).all(|_| self.block(room));
        self.line("}");
    }
}
