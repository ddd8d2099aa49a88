//! Random expressions.

use super::types::{BOOL, I32, Part, Plain, Type, U32};
use super::{Function, Generator, Root};

/// Templates of expressions, with the scalars and the widths that they suit. Braces hold
/// - an operand: `T` has the type of the expression; `S`, `2`, `3` and `V` have the same scalar, and 1, 2, 3, or 2 to 4
///   components; `U`, `I`, `B` and `F` have the same width, and the scalar `u32`, `i32`, `bool` or `f32`; `O` has the
///   same width, and the other integer scalar; `u`, `i`, `b` and `f` are scalars;
/// - the name of a type: `n`, `nU` and `nI` for `T`, `U` and `I`; or `w`, the width of `T`;
/// - a divisor that is neither 0 nor -1: `D` has the type of `T`, `d` the type of `S`;
/// - `bits`, the offset and the count of a bit field; `.`, components of `V`; `#`, an index of `V`;
/// - words, one of which is chosen.
const TEMPLATES: &[(&str, &str, &str)] = &[
    ("u32 i32", "1234", "({T} {+ - * & | ^} {T})"),
    ("u32 i32", "1234", "({T} {+ - * & | ^} {T})"),
    ("u32 i32", "1234", "({T} {/ %} {D})"),
    ("u32 i32", "1234", "({T} {<< >>} ({U} & {nU}(31u)))"),
    ("u32 i32", "1234", "{~ abs}({T})"),
    ("i32", "1234", "{- sign}({T})"),
    ("u32 i32", "1234", "{min max}({T}, {T})"),
    ("u32", "1234", "clamp({T}, ({T} & {n}(255u)), ({T} | {n}(255u)))"),
    ("i32", "1234", "clamp({T}, ({T} | {n}(-256i)), ({T} & {n}(255i)))"),
    ("u32 i32", "1234", "{countOneBits countLeadingZeros countTrailingZeros reverseBits}({T})"),
    ("u32 i32", "1234", "{firstLeadingBit firstTrailingBit}({T})"),
    ("u32 i32", "1234", "insertBits({T}, {T}, {bits})"),
    ("u32 i32", "1234", "extractBits({T}, {bits})"),
    ("u32 i32", "1234", "bitcast<{n}>({O})"),
    ("u32 i32", "1234", "{n}({O})"),
    ("u32 i32", "1234", "{n}({B})"),
    ("u32", "1", "atomic{Add Sub And Or Xor Min Max Exchange}(&shared_words.owned[self_index], {u})"),
    ("u32", "1", "atomicLoad(&shared_words.owned[self_index])"),
    ("u32 i32", "1", "dot({V}, {V})"),
    ("u32 i32", "234", "({T} {+ - *} {S})"),
    ("u32 i32", "234", "({S} {+ - *} {T})"),
    ("u32 i32", "234", "({T} {/ %} {d})"),
    ("u32", "1", "bits({f})"),
    ("u32", "1234", "{n}(abs({F}))"),
    ("i32", "1234", "{n}({F})"),
    ("bool", "1234", "({U} {< <= > >= == !=} {U})"),
    ("bool", "1234", "({I} {< <= > >= == !=} {I})"),
    ("bool", "1234", "({F} {< <= > >= == !=} {F})"),
    ("bool", "1234", "({T} {& | == !=} {T})"),
    ("bool", "1234", "(!{T})"),
    ("bool", "1", "({T} {&& ||} {T})"),
    ("bool", "1", "{all any}({V})"),
    ("bool", "1234", "{n}({U})"),
    ("bool", "1234", "{n}({I})"),
    ("u32 i32 bool f32", "1234", "select({T}, {T}, {b})"),
    ("u32 i32 bool f32", "1234", "select({T}, {T}, {B})"),
    ("u32 i32 bool f32", "1234", "{V}.{.}"),
    ("u32 i32 bool f32", "1", "{V}[{#}]"),
    ("u32 i32 bool f32", "234", "{n}({S})"),
    ("u32 i32 bool f32", "2", "{n}({S}, {S})"),
    ("u32 i32 bool f32", "3", "{n}({S}, {S}, {S})"),
    ("u32 i32 bool f32", "3", "{n}({2}, {S})"),
    ("u32 i32 bool f32", "3", "{n}({S}, {2})"),
    ("u32 i32 bool f32", "4", "{n}({S}, {2}, {S})"),
    ("u32 i32 bool f32", "4", "{n}({3}, {S})"),
];

/// The bound on an expression, from the bounds on its operands.
type Rule = fn(&[Bound]) -> Bound;

/// Templates of float expressions, with the widths that they suit and the rule that bounds their results.
const FLOATS: &[(&str, &str, Rule)] = &[
    ("1234", "({T} {+ -} {T})", sum),
    ("234", "({T} {+ -} {S})", sum),
    ("1234", "({T} * {T})", product),
    ("234", "({S} * {T})", product),
    ("1234", "fma({T}, {T}, {T})", |of| sum(&[product(&of[..2]), of[2]])),
    // A device may give either of two zeros. An added eighth keeps operands, which are quarters, from being zero.
    ("1234", "{min max}(kept{w}({T}) + {n}(0.125), kept{w}({T}) + {n}(0.125))", |_| Bound(64.125, 3)),
    ("1234", "{floor ceil}({T})", |of| Bound(of[0].0 + 1.0, 0)),
    ("1234", "{trunc round}({T})", |of| Bound(of[0].0 + 1.0, 0)),
    ("1234", "{abs -}({T})", most),
    ("1234", "sign({T})", |_| Bound(1.0, 0)),
    ("1234", "{n}({nI}({T}))", most),
    ("1234", "{n}({nU}(abs({T})))", most),
    ("1234", "{n}({I} % {nI}(50i))", |_| Bound(50.0, 0)),
    ("1234", "{n}({U} >> {nU}(26u))", |_| Bound(64.0, 0)),
];

const DIVISORS: &[(&str, &str)] = &[
    ("i32", "{n}({1 2 10 2147483647 -2 -77})"),
    ("i32", "(({T} & {n}(255i)) + {n}(1i))"),
    ("i32", "(({T} | {n}(-256i)) - {n}(1i))"),
    ("u32", "{n}({1 2 3 10 0x80000000 0xffffffff})"),
    ("u32", "({T} | {n}(1u))"),
    ("u32", "(({T} % {n}(100u)) + {n}(1u))"),
];

/// The greatest magnitude of a float, and the number of its fractional bits.
#[derive(Clone, Copy)]
pub struct Bound(f64, i32);

/// The bound on a variable.
const KEPT: Bound = Bound(64.0, 2);

fn sum(of: &[Bound]) -> Bound {
    Bound(of.iter().map(|bound| bound.0).sum(), most(of).1)
}

fn product(of: &[Bound]) -> Bound {
    Bound(of.iter().map(|bound| bound.0).product(), of.iter().map(|bound| bound.1).sum())
}

fn most(of: &[Bound]) -> Bound {
    of.iter().fold(Bound(0.0, 0), |most, bound| Bound(most.0.max(bound.0), most.1.max(bound.1)))
}

/// An operand. WGSL's constant expressions must not overflow, so no operation has only constant operands.
#[derive(Clone)]
struct Operand {
    text: String,
    constant: bool,
    /// The bound of a float; meaningless for other scalars.
    bound: Bound,
}

impl Operand {
    fn varying(text: String) -> Self {
        Self { text, constant: false, bound: KEPT }
    }
}

impl Generator<'_> {
    pub fn expression(&mut self, ty: &Type, depth: u32) -> String {
        if let Type::Plain(plain) = ty {
            let text = self.operand(*plain, depth).text;
            return if plain.scalar == "f32" { format!("kept{}({text})", plain.width) } else { text };
        }
        if let Some((place, _)) = self.place(|root, part| part.ty == *ty && !root.constant)
            && (self.choices.once_in(2) || depth == 0)
        {
            return place;
        }
        let members = if depth == 0 { Vec::new() } else { ty.members() };
        let members: Vec<_> = members.iter().map(|ty| self.expression(ty, depth - 1)).collect();
        format!("{}({})", ty.name(), members.join(", "))
    }

    /// A value that is not constant: naga loses some parts of constants if there are overridable constants.
    pub fn variable_value(&mut self, ty: &Type) -> Option<String> {
        match *ty {
            Type::Plain(Plain { scalar: "f32", .. }) => Some(self.expression(ty, 2)),
            Type::Plain(plain) => Some(self.fill("{T}", plain, 2, true).0),
            _ => Some(self.place(|root, part| part.ty == *ty && !root.constant)?.0),
        }
    }

    pub fn u32(&mut self, depth: u32) -> String {
        self.operand(U32, depth).text
    }

    pub fn bool(&mut self, depth: u32) -> String {
        self.operand(BOOL, depth).text
    }

    /// The text and the type of a place that `wanted` accepts.
    pub fn place(&mut self, wanted: impl Fn(&Root, &Part) -> bool) -> Option<(String, Type)> {
        // Half of the time, leave out global names, because all programs have similar ones.
        let globals = if self.choices.once_in(2) { &[][..] } else { &self.globals };
        let roots = self.scope.iter().chain(globals);
        let roots: Vec<_> = roots.filter(|root| root.parts.iter().any(|part| wanted(root, part))).collect();
        if roots.is_empty() {
            return None;
        }
        let root = self.choices.pick(&roots).clone();
        let parts: Vec<_> = root.parts.iter().filter(|part| wanted(&root, part)).collect();
        let part = self.choices.pick(&parts);
        Some((self.indexed(&format!("{}{}", root.text, part.text), root.constant), part.ty.clone()))
    }

    /// The text of a place with its indices. If `vary`, no index is constant.
    pub fn indexed(&mut self, place: &str, vary: bool) -> String {
        let pieces = place.split(['{', '}']);
        pieces
            .map(|piece| piece.strip_prefix('#').map_or(piece.to_owned(), |end| self.index(end, vary)))
            .collect()
    }

    /// An index below `end`, which is a number or a `u32` expression of WGSL.
    fn index(&mut self, end: &str, varies: bool) -> String {
        // Limit how deep indices are nested.
        if self.indices == 2 {
            return format!("self_index % {end}");
        }
        self.indices += 1;
        let index = match (self.choices.below(5), end.parse::<usize>()) {
            (0 | 1, Ok(length)) if !varies => format!("{}u", self.choices.below(length)),
            (2, _) if !varies => format!("{} % {end}", self.u32(1)),
            (3, Ok(_)) if !varies => format!("({} & 0xffffi) % {end}i", self.operand(I32, 1).text),
            _ => format!("{} % {end}", self.variable(U32)),
        };
        self.indices -= 1;
        index
    }

    fn operand(&mut self, ty: Plain, depth: u32) -> Operand {
        if depth == 0 || self.choices.below(6) == 0 {
            return self.leaf(ty);
        }
        if self.choices.once_in(6)
            && let Some(call) = self.call(&Type::Plain(ty), depth - 1)
        {
            return Operand::varying(call);
        }
        let width = ty.width.to_string();
        let templates = TEMPLATES
            .iter()
            .filter(|(scalars, widths, text)| {
                let floats = text.contains("{f}") || text.contains("{F}");
                scalars.contains(ty.scalar) && widths.contains(&width) && (self.floats || !floats)
            })
            .map(|&(.., text)| (text, most as Rule));
        let floats = FLOATS.iter().filter(|(widths, ..)| ty.scalar == "f32" && widths.contains(&width));
        let all: Vec<_> = floats.map(|&(_, text, bound)| (text, bound)).chain(templates).collect();
        let (template, bound) = self.choices.pick(&all);
        let (text, bounds) = self.fill(template, ty, depth - 1, true);
        let bound = bound(&bounds);
        // An f32 counts 2^24 units exactly.
        if ty.scalar == "f32" && (bound.0 * f64::from(bound.1).exp2() > 16_777_216.0 || bound.1 > 24) {
            return Operand::varying(self.variable(ty));
        }
        Operand { text, constant: false, bound }
    }

    /// The text of a template, and the bounds on its operands. If `vary`, at least one operand is not constant.
    pub fn fill(&mut self, template: &str, ty: Plain, depth: u32, vary: bool) -> (String, Vec<Bound>) {
        let one = ty.with_width(1);
        let wide = ty.with_width(2 + self.choices.below(3));
        let (mut texts, mut operands) = (Vec::new(), Vec::new());
        for (n, piece) in template.split(['{', '}']).enumerate() {
            let of = match piece {
                _ if n % 2 == 0 => {
                    texts.push(piece.to_owned());
                    continue;
                }
                "T" => ty,
                "S" => one,
                "2" => ty.with_width(2),
                "3" => ty.with_width(3),
                "V" => wide,
                "U" => ty.with_scalar("u32"),
                "I" => ty.with_scalar("i32"),
                "B" => ty.with_scalar("bool"),
                "F" => ty.with_scalar("f32"),
                "O" => ty.with_scalar(if ty.scalar == "u32" { "i32" } else { "u32" }),
                "u" => U32,
                "i" => I32,
                "b" => BOOL,
                "f" => one.with_scalar("f32"),
                _ => {
                    texts.push(self.words(piece, ty, wide, depth));
                    continue;
                }
            };
            operands.push((n, of, self.operand(of, depth)));
            texts.push(String::new());
        }
        if vary
            && operands.iter().all(|(.., operand)| operand.constant)
            && let Some((_, of, first)) = operands.first_mut()
        {
            *first = Operand::varying(self.variable(*of));
        }
        for (n, _, operand) in &operands {
            texts[*n].clone_from(&operand.text);
        }
        (texts.concat(), operands.iter().map(|(.., operand)| operand.bound).collect())
    }

    /// The text for a piece of a template that is no operand.
    fn words(&mut self, piece: &str, ty: Plain, wide: Plain, depth: u32) -> String {
        match piece {
            "n" => ty.name(),
            "nU" => ty.with_scalar("u32").name(),
            "nI" => ty.with_scalar("i32").name(),
            "w" => ty.width.to_string(),
            "D" | "d" => {
                let of = if piece == "D" { ty } else { ty.with_width(1) };
                let fitting = DIVISORS.iter().filter(|(scalar, _)| *scalar == ty.scalar);
                let divisor = self.choices.pick(&fitting.collect::<Vec<_>>()).1;
                self.fill(divisor, of, depth, true).0
            }
            "bits" if self.choices.once_in(2) => {
                let offset = self.choices.below(33);
                format!("{offset}u, {}u", self.choices.below(33 - offset))
            }
            "bits" => self.fill("({u} % 17u), ({u} % 17u)", U32, depth, false).0,
            "." => {
                let names = self.choices.pick(&["xyzw", "rgba"]);
                let component = |_| &names[self.choices.below(wide.width)..][..1];
                (0..ty.width).map(component).collect()
            }
            "#" => self.index(&wide.width.to_string(), false),
            _ => self.choices.pick(&piece.split(' ').collect::<Vec<_>>()).to_owned(),
        }
    }

    /// A call of a function with this return type, if one can be called.
    fn call(&mut self, returned: &Type, depth: u32) -> Option<String> {
        let fits = |function: &&Function| function.returned.as_ref() == Some(returned);
        let functions: Vec<_> = self.functions.iter().filter(fits).cloned().collect();
        if !self.may_call || functions.is_empty() {
            return None;
        }
        let function = self.choices.pick(&functions);
        self.call_of(&function, depth)
    }

    /// A call of this function, if there are variables for its pointers.
    pub fn call_of(&mut self, function: &Function, depth: u32) -> Option<String> {
        let mut arguments: Vec<String> = Vec::new();
        for ty in &function.pointers {
            let fits =
                self.scope.iter().filter(|root| root.ty() == ty).filter_map(|root| root.pointer.clone());
            let free: Vec<_> = fits.filter(|pointer| !arguments.contains(pointer)).collect();
            if free.is_empty() {
                return None;
            }
            arguments.push(self.choices.pick(&free));
        }
        for ty in &function.values {
            arguments.push(self.expression(ty, depth));
        }
        Some(format!("{}({})", function.name, arguments.join(", ")))
    }

    fn leaf(&mut self, ty: Plain) -> Operand {
        // naga fails on some constant vectors of floats.
        if self.choices.below(3) > 0 || ty.scalar == "f32" && ty.width > 1 {
            return Operand::varying(self.variable(ty));
        }
        let known =
            |root: &Root, part: &Part| root.constant && part.text.is_empty() && part.ty == Type::Plain(ty);
        let named = if self.choices.once_in(3) { self.place(known) } else { None };
        let text = if let Some((text, _)) = named {
            text
        } else if ty.width == 1 {
            self.literal(ty.scalar)
        } else {
            let count = self.choices.pick(&[1, ty.width]);
            let components: Vec<_> = (0..count).map(|_| self.literal(ty.scalar)).collect();
            format!("{}({})", ty.name(), components.join(", "))
        };
        Operand { constant: true, ..Operand::varying(text) }
    }

    /// A value that is known only when the program runs.
    fn variable(&mut self, ty: Plain) -> String {
        let varies = |root: &Root, part: &Part| !root.constant || part.text.contains('#');
        let place = self.place(|root, part| part.ty == Type::Plain(ty) && varies(root, part));
        match (place, ty.scalar) {
            (Some((text, _)), _) => text,
            (_, "bool") => format!("{}(self_index % 3u == 0u)", ty.name()),
            (_, "f32") => format!("{}(input[self_index % arrayLength(&input)])", ty.name()),
            (_, scalar) => format!("{}({scalar}(self_index))", ty.name()),
        }
    }

    pub fn literal(&mut self, scalar: &str) -> String {
        let word = self.choices.interesting();
        match scalar {
            "u32" => format!("{word}u"),
            "i32" if word == 0x8000_0000 => "i32(-2147483648)".to_owned(),
            "i32" => format!("({}i)", word.cast_signed()),
            "f32" => format!("({:?}f)", f32::from(word.cast_signed() as i8) * 0.25),
            _ => (word % 2 == 1).to_string(),
        }
    }
}
