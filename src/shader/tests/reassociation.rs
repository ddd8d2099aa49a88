//! Checks that no float operation takes the result of another float operation, unless bit operations lie between the
//! two. WGSL lets a compiler reassociate floats even if an intermediate result overflows. DXC, for example, turns
//! `(x * 0x1p112f) * scale` into `x * (0x1p112f * scale)`. One exception is allowed: a sum may take one product, as in
//! the affine step. Values from buffers and module variables count as bits.

use std::collections::HashMap;

use naga::valid::{Capabilities, FunctionInfo, ModuleInfo, ValidationFlags, Validator};
use naga::{
    BinaryOperator, Block, Expression, Function, Handle, Literal, MathFunction, ScalarKind, Statement,
};

use crate::shader::Module;

/// Checks a module.
///
/// # Panics
///
/// The module has a float operation that takes another one's result without this exception.
pub(super) fn float_operations_are_not_chained(key: Module, module: &naga::Module, info: &ModuleInfo) {
    let chained = chained(module, info, &key.source());
    assert!(chained.is_empty(), "{key:?}: {chained:#?}");
}

/// A chain passes through bitcasts, changes of sign and rounding, and stops at other operations on bits.
#[test]
fn chains_are_found() {
    let step = |step: &str| {
        let source = format!(
            "@group(0) @binding(0) var<storage, read_write> numbers: array<vec4<f32>>;
            fn twice(x: vec4<f32>) -> vec4<f32> {{ return x * 2f; }}
            fn bits(x: vec4<f32>) -> vec4<u32> {{ return bitcast<vec4<u32>>(x); }}
            fn floats(x: vec4<u32>) -> vec4<f32> {{ return bitcast<vec4<f32>>(x); }}
            @compute @workgroup_size(1) fn main() {{
                let x = numbers[0];
                let s = numbers[1];
                var y = vec4<f32>();
                {step}
                numbers[2] = y;
            }}"
        );
        let module = naga::front::wgsl::parse_str(&source).unwrap();
        let info = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module).unwrap();
        chained(&module, &info, &source)
    };
    for chain in [
        "y = (x * 2f) * s;",
        "y = (x + s) * s;",
        "y = (x + s) + s;",
        "y = x * s + x * s;",
        "y = twice(x) * s;",
        "y = twice(twice(x));",
        "y = fma(x * s, x, s);",
        "y = ldexp(x, vec4<i32>(112)) * s;",
        "y = ldexp(x * s, vec4<i32>(112));",
        "y = (x % s) * s;",
        "y = mix(x, s, x * s);",
        "y = -abs(x * 2f) * s;",
        "y = floats(bits(twice(x)) & vec4<u32>(0x7fffffffu)) * s;",
        "y = floats(bits(twice(x)) ^ vec4<u32>(0x80000000u)) * s;",
        "y = floats(bits(twice(x))) * s;",
        "y = select(x, x * 2f, true).wzyx * s;",
        "y = x * s; y = vec4<f32>(y.x) * s;",
        "for (var i = 0; i < 2; i++) { y = y + s; }",
    ] {
        assert_eq!(step(chain).len(), 1, "{chain}");
    }
    for right in [
        "y = x * s + s;",
        "y = s - twice(x);",
        "y = fma(x, s, s);",
        "y = floats(bits(twice(x)) & vec4<u32>(0xffffe000u)) * s;",
        "y = vec4<f32>(vec4<u32>(x * s)) * s;",
    ] {
        assert!(step(right).is_empty(), "{right}: {:?}", step(right));
    }
}

/// The float operation that made a value; `Bits` for any other value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Origin {
    Bits,
    Product,
    Sum,
}

/// The WGSL of each float operation that takes the result of another one.
fn chained(module: &naga::Module, info: &ModuleInfo, source: &str) -> Vec<String> {
    let mut walk = Walk { module, info, source, known: HashMap::new(), chained: Vec::new() };
    for (i, entry_point) in module.entry_points.iter().enumerate() {
        let arguments = vec![Origin::Bits; entry_point.function.arguments.len()];
        walk.function(&entry_point.function, info.get_entry_point(i), arguments);
    }
    walk.chained.sort_unstable();
    walk.chained.dedup();
    walk.chained
}

struct Walk<'a> {
    module: &'a naga::Module,
    info: &'a ModuleInfo,
    source: &'a str,
    /// The origins of functions' results, by function and origins of the arguments.
    known: HashMap<(Handle<Function>, Vec<Origin>), Origin>,
    chained: Vec<String>,
}

impl<'a> Walk<'a> {
    /// The origin of a function's result.
    fn function(&mut self, function: &'a Function, info: &'a FunctionInfo, arguments: Vec<Origin>) -> Origin {
        let mut statements = Vec::new();
        flatten(&function.body, &mut statements);
        let mut body = Body { function, info, arguments, variables: HashMap::new(), statements };
        // Repeats until no variable's origin rises, so the order of loads and stores does not matter.
        loop {
            let before = body.variables.clone();
            let mut returned = Origin::Bits;
            for statement in body.statements.clone() {
                match statement {
                    Statement::Emit(range) => {
                        range.clone().for_each(|expression| _ = self.origin(&body, expression));
                    }
                    Statement::Store { pointer, value } => {
                        let (root, origin) = (body.root(*pointer), self.origin(&body, *value));
                        let variable = body.variables.entry(root).or_insert(origin);
                        *variable = origin.max(*variable);
                    }
                    Statement::Call { function, arguments, .. } => {
                        self.call(&body, *function, arguments);
                    }
                    Statement::Return { value: Some(value) } => {
                        returned = returned.max(self.origin(&body, *value));
                    }
                    _ => {}
                }
            }
            if body.variables == before {
                return returned;
            }
        }
    }

    fn call(
        &mut self,
        body: &Body<'a>,
        function: Handle<Function>,
        arguments: &[Handle<Expression>],
    ) -> Origin {
        let arguments: Vec<_> = arguments.iter().map(|&argument| self.origin(body, argument)).collect();
        let call = (function, arguments);
        if let Some(origin) = self.known.get(&call) {
            return *origin;
        }
        let (module, info) = (self.module, self.info);
        let origin = self.function(&module.functions[function], &info[function], call.1.clone());
        self.known.insert(call, origin);
        origin
    }

    fn origin(&mut self, body: &Body<'a>, handle: Handle<Expression>) -> Origin {
        let kind = body.info[handle].ty.inner_with(&self.module.types).scalar_kind();
        let is_float = kind == Some(ScalarKind::Float);
        match &body.function.expressions[handle] {
            Expression::Binary { op, left, right } if is_float => {
                let operands = [self.origin(body, *left), self.origin(body, *right)];
                let allowed = match op {
                    BinaryOperator::Add | BinaryOperator::Subtract => Origin::Product,
                    // Products, quotients, and remainders, which WGSL computes by a quotient and a product.
                    _ => Origin::Bits,
                };
                if operands.iter().max() > Some(&allowed) || operands == [Origin::Product; 2] {
                    self.complain(body, handle);
                }
                if allowed == Origin::Bits { Origin::Product } else { Origin::Sum }
            }
            // A change of format, which no product or sum can do.
            Expression::Math { fun: MathFunction::Unpack2x16float, .. } => Origin::Bits,
            Expression::Math { fun, arg, arg1, arg2, .. } if is_float => {
                let arguments = [Some(*arg), *arg1, *arg2].into_iter().flatten();
                let most = arguments.map(|argument| self.origin(body, argument)).max();
                if keeps_a_value(*fun) {
                    return most.unwrap_or(Origin::Bits);
                }
                // A compiler may compute other functions by products and sums, for example `ldexp` and `mix`.
                if most > Some(Origin::Bits) {
                    self.complain(body, handle);
                }
                Origin::Sum
            }
            // Compilers turn these operations on the sign bit into `abs` and negations.
            Expression::Binary { op, left, right }
                if is_sign(*op, &body.function.expressions[*right], body) =>
            {
                self.origin(body, *left)
            }
            Expression::As { expr, convert: None, .. } => self.origin(body, *expr),
            // A conversion to a float keeps the origin; a conversion to an integer makes bits.
            Expression::As { expr, .. } if is_float => self.origin(body, *expr),
            Expression::Unary { expr, .. } if is_float => self.origin(body, *expr),
            Expression::Select { accept, reject, .. } => {
                self.origin(body, *accept).max(self.origin(body, *reject))
            }
            Expression::Compose { components, .. } => {
                components.iter().map(|&component| self.origin(body, component)).max().unwrap_or(Origin::Bits)
            }
            Expression::Splat { value: base, .. }
            | Expression::Swizzle { vector: base, .. }
            | Expression::Access { base, .. }
            | Expression::AccessIndex { base, .. }
            | Expression::Load { pointer: base } => self.origin(body, *base),
            Expression::FunctionArgument(i) => body.arguments[*i as usize],
            Expression::LocalVariable(_) => body.variables.get(&handle).copied().unwrap_or(Origin::Bits),
            Expression::CallResult(_) => {
                let call = body.statements.iter().find_map(|statement| match statement {
                    Statement::Call { function, arguments, result } if *result == Some(handle) => {
                        Some((*function, arguments))
                    }
                    _ => None,
                });
                let (function, arguments) = call.expect("a call has its statement");
                self.call(body, function, arguments)
            }
            _ => Origin::Bits,
        }
    }

    fn complain(&mut self, body: &Body<'_>, handle: Handle<Expression>) {
        let span = body.function.expressions.get_span(handle).to_range();
        self.chained.push(span.map_or_else(String::new, |range| self.source[range].to_owned()));
    }
}

/// Whether a function computes no product or sum: it chooses or rounds an argument, or takes or drops its sign.
const fn keeps_a_value(fun: MathFunction) -> bool {
    matches!(
        fun,
        MathFunction::Abs
            | MathFunction::Min
            | MathFunction::Max
            | MathFunction::Clamp
            | MathFunction::Round
            | MathFunction::Trunc
            | MathFunction::Floor
            | MathFunction::Ceil
            | MathFunction::Sign
    )
}

/// Whether an operation on bits changes nothing but the sign of a float.
fn is_sign(op: BinaryOperator, mask: &Expression, body: &Body<'_>) -> bool {
    let mask = match mask {
        Expression::Splat { value, .. } => &body.function.expressions[*value],
        mask => mask,
    };
    matches!(
        (op, mask),
        (BinaryOperator::And, Expression::Literal(Literal::U32(0x7fff_ffff)))
            | (
                BinaryOperator::ExclusiveOr | BinaryOperator::InclusiveOr,
                Expression::Literal(Literal::U32(0x8000_0000))
            )
    )
}

/// A function during the walk, with the origins of its values so far.
struct Body<'a> {
    function: &'a Function,
    info: &'a FunctionInfo,
    arguments: Vec<Origin>,
    /// The origins of values in local variables.
    variables: HashMap<Handle<Expression>, Origin>,
    /// All statements, with the statements of inner blocks.
    statements: Vec<&'a Statement>,
}

impl Body<'_> {
    /// The variable that a pointer points into.
    fn root(&self, mut pointer: Handle<Expression>) -> Handle<Expression> {
        while let Expression::Access { base, .. } | Expression::AccessIndex { base, .. } =
            &self.function.expressions[pointer]
        {
            pointer = *base;
        }
        pointer
    }
}

fn flatten<'a>(block: &'a Block, statements: &mut Vec<&'a Statement>) {
    for statement in block {
        statements.push(statement);
        match statement {
            Statement::Block(block) => flatten(block, statements),
            Statement::If { accept, reject, .. } => {
                flatten(accept, statements);
                flatten(reject, statements);
            }
            Statement::Switch { cases, .. } => {
                for case in cases {
                    flatten(&case.body, statements);
                }
            }
            Statement::Loop { body, continuing, .. } => {
                flatten(body, statements);
                flatten(continuing, statements);
            }
            _ => {}
        }
    }
}
