//! Random expressions, all defined by WGSL: no division by zero, no index out of range, no shift by too much.

use super::scope::Root;
use super::types::{Aggregate, BOOL, I32, Path, Piece, Plain, Scalar, Type, U32};
use super::{Function, Generator};

/// An operand. WGSL's constant expressions must not overflow, so no operation has only constant operands.
struct Operand {
    text: String,
    constant: bool,
}

impl Generator<'_> {
    pub fn expression(&mut self, ty: Type, depth: u32) -> String {
        match ty {
            Type::Plain(plain) => self.operand(plain, depth).text,
            Type::Aggregate(index) => {
                if let Some((place, _)) = self.place(|root, path| path.ty == ty && !root.constant)
                    && (self.choices.once_in(2) || depth == 0)
                {
                    return place;
                }
                let name = self.types.name(ty);
                if depth == 0 {
                    return format!("{name}()");
                }
                let members: Vec<_> = match &self.types.0[index] {
                    Aggregate::Array { of, length } => vec![*of; *length],
                    Aggregate::Struct { members, .. } => members.iter().map(|member| member.ty).collect(),
                };
                let members: Vec<_> = members.into_iter().map(|ty| self.expression(ty, depth - 1)).collect();
                format!("{name}({})", members.join(", "))
            }
        }
    }

    /// A value that is not constant: naga loses some parts of constants if there are overridable constants.
    pub fn variable_value(&mut self, ty: Type) -> Option<String> {
        match ty {
            Type::Plain(plain) => {
                let [value] = self.operands([plain], 2);
                Some(value)
            }
            Type::Aggregate(_) => Some(self.place(|root, path| path.ty == ty && !root.constant)?.0),
        }
    }

    pub fn u32(&mut self, depth: u32) -> String {
        self.operand(U32, depth).text
    }

    pub fn bool(&mut self, depth: u32) -> String {
        self.operand(BOOL, depth).text
    }

    /// The text and the type of a place that `wanted` accepts.
    pub fn place(&mut self, wanted: impl Fn(&Root, &Path) -> bool) -> Option<(String, Type)> {
        // Half of the time only local names: all programs have similar globals.
        let globals = if self.choices.once_in(2) { &[][..] } else { &self.globals };
        let roots = self.scope.iter().chain(globals);
        let roots: Vec<_> =
            roots.filter(|root| root.places(|path| wanted(root, path)).next().is_some()).collect();
        if roots.is_empty() {
            return None;
        }
        let root = self.choices.pick(&roots).clone();
        let places: Vec<_> = root.places(|path| wanted(&root, path)).collect();
        let path = self.choices.pick(&places);
        Some((root.text(path, |piece| self.index(piece, root.constant)), path.ty))
    }

    /// An index; it is not constant if `varies`.
    pub fn index(&mut self, piece: &Piece, varies: bool) -> String {
        let (end, length) = match piece {
            Piece::Text(text) => return text.clone(),
            Piece::Below(end) => (end.clone(), None),
            Piece::Index(length) => (format!("{length}u"), Some(length)),
        };
        // Limit how deep indices are nested.
        if self.indices == 2 {
            return format!("self_index % {end}");
        }
        self.indices += 1;
        let index = match (self.choices.below(5), length) {
            _ if varies => format!("{} % {end}", self.variable(U32)),
            (0 | 1, Some(length)) => format!("{}u", self.choices.below(*length)),
            (0, None) => format!("self_index % {end}"),
            (2, _) => format!("{} % {end}", self.u32(1)),
            (3, Some(length)) => format!("({} & 0xffffi) % {length}i", self.operand(I32, 1).text),
            _ => format!("{} % {end}", self.variable(U32)),
        };
        self.indices -= 1;
        index
    }

    fn operand(&mut self, ty: Plain, depth: u32) -> Operand {
        if depth == 0 || self.choices.below(6) == 0 {
            return self.leaf(ty);
        }
        let call = self.choices.once_in(6).then(|| self.call(Some(Type::Plain(ty)), depth - 1));
        let text = call.flatten().unwrap_or_else(|| match ty.scalar {
            Scalar::Bool => self.truth(ty, depth - 1),
            Scalar::U32 | Scalar::I32 => self.number(ty, depth - 1),
        });
        Operand { text, constant: false }
    }

    /// Operands of these types; at least one is not constant.
    fn operands<const N: usize>(&mut self, types: [Plain; N], depth: u32) -> [String; N] {
        let mut constant = true;
        let mut operands = types.map(|ty| {
            let operand = self.operand(ty, depth);
            constant &= operand.constant;
            operand.text
        });
        if constant {
            operands[0] = self.variable(types[0]);
        }
        operands
    }

    fn number(&mut self, ty: Plain, depth: u32) -> String {
        let signed = ty.scalar == Scalar::I32;
        let bits = ty.with_scalar(Scalar::U32);
        match self.choices.below(15) {
            0 | 1 => {
                let [a, b] = self.operands([ty; 2], depth);
                format!("({a} {} {b})", self.choices.pick(&["+", "-", "*", "&", "|", "^"]))
            }
            2 => {
                let [a] = self.operands([ty], depth);
                format!("({a} {} {})", self.choices.pick(&["/", "%"]), self.divisor(ty, depth))
            }
            3 => {
                let [a, amount] = self.operands([ty, bits], depth);
                let operator = self.choices.pick(&["<<", ">>"]);
                format!("({a} {operator} ({amount} & {}))", bits.all("31u"))
            }
            4 => {
                let [a] = self.operands([ty], depth);
                match self.choices.below(if signed { 4 } else { 2 }) {
                    0 => format!("(~{a})"),
                    1 => format!("abs({a})"),
                    2 => format!("(-{a})"),
                    _ => format!("sign({a})"),
                }
            }
            5 => {
                let [a, b] = self.operands([ty; 2], depth);
                let low = ty.all(&self.literal(ty.scalar));
                match self.choices.below(3) {
                    0 => format!("min({a}, {b})"),
                    1 => format!("max({a}, {b})"),
                    _ => format!("clamp({a}, {low}, max({b}, {low}))"),
                }
            }
            6 => {
                let [a] = self.operands([ty], depth);
                let function = self.choices.pick(&[
                    "countOneBits",
                    "countLeadingZeros",
                    "countTrailingZeros",
                    "firstLeadingBit",
                    "firstTrailingBit",
                    "reverseBits",
                ]);
                format!("{function}({a})")
            }
            7 => {
                let range = self.bit_range(depth);
                if self.choices.once_in(2) {
                    let [a, b] = self.operands([ty; 2], depth);
                    format!("insertBits({a}, {b}, {range})")
                } else {
                    let [a] = self.operands([ty], depth);
                    format!("extractBits({a}, {range})")
                }
            }
            8 => self.selection(ty, depth),
            9 => {
                let other = ty.with_scalar(if signed { Scalar::U32 } else { Scalar::I32 });
                let [a] = self.operands([other], depth);
                let name = ty.name();
                if self.choices.once_in(2) { format!("bitcast<{name}>({a})") } else { format!("{name}({a})") }
            }
            10 => {
                let [a] = self.operands([ty.with_scalar(Scalar::Bool)], depth);
                format!("{}({a})", ty.name())
            }
            11 if ty == U32 => self.own_atomic(depth),
            11 | 12 if ty.width == 1 => {
                let wide = ty.with_width(2 + self.choices.below(3));
                let [a, b] = self.operands([wide; 2], depth);
                format!("dot({a}, {b})")
            }
            11 | 12 => {
                let [v, s] = self.operands([ty, ty.with_width(1)], depth);
                let operator = self.choices.pick(&["+", "-", "*"]);
                match self.choices.below(3) {
                    0 => format!("({v} {operator} {s})"),
                    1 => format!("({s} {operator} {v})"),
                    _ => format!(
                        "({v} {} {})",
                        self.choices.pick(&["/", "%"]),
                        self.divisor(ty.with_width(1), depth)
                    ),
                }
            }
            _ => self.rearranged(ty, depth),
        }
    }

    fn truth(&mut self, ty: Plain, depth: u32) -> String {
        match self.choices.below(8) {
            0 | 1 => {
                let operands = ty.with_scalar(self.choices.pick(&[Scalar::U32, Scalar::I32]));
                let [a, b] = self.operands([operands; 2], depth);
                format!("({a} {} {b})", self.choices.pick(&["<", "<=", ">", ">=", "==", "!="]))
            }
            2 => {
                if self.choices.once_in(5) {
                    let [a] = self.operands([ty], depth);
                    return format!("(!{a})");
                }
                let [a, b] = self.operands([ty; 2], depth);
                format!("({a} {} {b})", self.choices.pick(&["&", "|", "==", "!="]))
            }
            3 if ty.width == 1 => {
                let [a, b] = self.operands([ty; 2], depth);
                format!("({a} {} {b})", self.choices.pick(&["&&", "||"]))
            }
            4 if ty.width == 1 => {
                let wide = ty.with_width(2 + self.choices.below(3));
                let [a] = self.operands([wide], depth);
                format!("{}({a})", self.choices.pick(&["all", "any"]))
            }
            5 => self.selection(ty, depth),
            6 => {
                let from = ty.with_scalar(self.choices.pick(&[Scalar::U32, Scalar::I32]));
                let [a] = self.operands([from], depth);
                format!("{}({a})", ty.name())
            }
            _ => self.rearranged(ty, depth),
        }
    }

    fn selection(&mut self, ty: Plain, depth: u32) -> String {
        let condition = if self.choices.once_in(2) { ty.with_scalar(Scalar::Bool) } else { BOOL };
        let [a, b, condition] = self.operands([ty, ty, condition], depth);
        format!("select({a}, {b}, {condition})")
    }

    /// Components of one vector or several, in another order.
    fn rearranged(&mut self, ty: Plain, depth: u32) -> String {
        let one = ty.with_width(1);
        let from = ty.with_width(2 + self.choices.below(3));
        if ty.width > 1 && self.choices.once_in(2) {
            let name = ty.name();
            return match (self.choices.below(3), ty.width) {
                (0, _) => {
                    let [a] = self.operands([one], depth);
                    format!("{name}({a})")
                }
                (1, 3) => {
                    let [a, b] = self.operands([ty.with_width(2), one], depth);
                    if self.choices.once_in(2) {
                        format!("{name}({a}, {b})")
                    } else {
                        format!("{name}({b}, {a})")
                    }
                }
                (1, 4) => {
                    let [a, b, c] = self.operands([ty.with_width(2), one, one], depth);
                    format!("{name}({b}, {a}, {c})")
                }
                (_, 4) => {
                    let [a, b] = self.operands([ty.with_width(3), one], depth);
                    format!("{name}({a}, {b})")
                }
                (_, 3) => {
                    let [a, b, c] = self.operands([one; 3], depth);
                    format!("{name}({a}, {b}, {c})")
                }
                (_, _) => {
                    let [a, b] = self.operands([one; 2], depth);
                    format!("{name}({a}, {b})")
                }
            };
        }
        let [a] = self.operands([from], depth);
        if ty.width == 1 && self.choices.once_in(2) {
            return format!("{a}[{}]", self.index(&Piece::Index(from.width), false));
        }
        let names = if self.choices.once_in(2) { "rgba" } else { "xyzw" };
        let component = |_| self.choices.pick(&names[..from.width].chars().collect::<Vec<_>>());
        format!("{a}.{}", (0..ty.width).map(component).collect::<String>())
    }

    /// A divisor that is neither zero nor −1.
    pub fn divisor(&mut self, ty: Plain, depth: u32) -> String {
        let [a] = self.operands([ty], depth);
        let all = |number: &str| ty.all(number);
        match (ty.scalar, self.choices.below(3)) {
            (Scalar::I32, 0) => {
                all(self.choices.pick(&["1i", "2i", "10i", "2147483647i", "(-2i)", "(-77i)"]))
            }
            (Scalar::I32, 1) => format!("(({a} & {}) + {})", all("0xffi"), all("1i")),
            (Scalar::I32, _) => format!("(({a} | {}) - {})", all("(-256i)"), all("1i")),
            (_, 0) => all(self.choices.pick(&["1u", "2u", "3u", "10u", "0x80000000u", "0xffffffffu"])),
            (_, 1) => format!("({a} | {})", all("1u")),
            (_, _) => format!("(({a} % {}) + {})", all("100u"), all("1u")),
        }
    }

    /// The offset and the count of a bit field in a word.
    fn bit_range(&mut self, depth: u32) -> String {
        if self.choices.once_in(2) {
            let offset = self.choices.below(33);
            return format!("{offset}u, {}u", self.choices.below(33 - offset));
        }
        format!("({} % 17u), ({} % 17u)", self.u32(depth), self.u32(depth))
    }

    /// A call of an atomic function on the invocation's own word.
    fn own_atomic(&mut self, depth: u32) -> String {
        let function =
            self.choices.pick(&["Add", "Sub", "And", "Or", "Xor", "Min", "Max", "Exchange", "Load"]);
        let word = "&shared_words.owned[self_index]";
        match function {
            "Load" => format!("atomicLoad({word})"),
            _ => format!("atomic{function}({word}, {})", self.u32(depth)),
        }
    }

    /// A call of a function with this return type, if one can be called.
    pub fn call(&mut self, returned: Option<Type>, depth: u32) -> Option<String> {
        let fits = |function: &&Function| function.returned == returned;
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
        for &ty in &function.pointers {
            let fits = self.scope.iter().filter(|root| root.ty == ty).filter_map(|root| root.pointer.clone());
            let free: Vec<_> = fits.filter(|pointer| !arguments.contains(pointer)).collect();
            if free.is_empty() {
                return None;
            }
            arguments.push(self.choices.pick(&free));
        }
        for &ty in &function.values {
            arguments.push(self.expression(ty, depth));
        }
        Some(format!("{}({})", function.name, arguments.join(", ")))
    }

    fn leaf(&mut self, ty: Plain) -> Operand {
        if self.choices.below(3) > 0 {
            return Operand { text: self.variable(ty), constant: false };
        }
        if self.choices.once_in(3)
            && let Some(text) = self.constant(ty)
        {
            return Operand { text, constant: true };
        }
        let constant = true;
        if ty.width == 1 || self.choices.once_in(2) {
            return Operand { text: ty.all(&self.literal(ty.scalar)), constant };
        }
        let components: Vec<_> = (0..ty.width).map(|_| self.literal(ty.scalar)).collect();
        Operand { text: format!("{}({})", ty.name(), components.join(", ")), constant }
    }

    /// The name of a constant of this type.
    fn constant(&mut self, ty: Plain) -> Option<String> {
        let known = |root: &Root, path: &Path| root.constant && path.pieces.is_empty();
        Some(self.place(|root, path| known(root, path) && path.ty == Type::Plain(ty))?.0)
    }

    /// A value that is known only when the program runs.
    fn variable(&mut self, ty: Plain) -> String {
        let varies = |root: &Root, path: &Path| {
            !root.constant || path.pieces.iter().any(|piece| !matches!(piece, Piece::Text(_)))
        };
        let place = self.place(|root, path| path.ty == Type::Plain(ty) && varies(root, path));
        if let Some((place, _)) = place {
            return place;
        }
        match ty.scalar {
            Scalar::U32 => ty.all("self_index"),
            Scalar::I32 => ty.all("i32(self_index)"),
            Scalar::Bool => ty.all("(self_index % 3u == 0u)"),
        }
    }

    pub fn literal(&mut self, scalar: Scalar) -> String {
        let word = self.choices.interesting();
        match scalar {
            Scalar::U32 => format!("{word}u"),
            Scalar::I32 if word == 0x8000_0000 => "i32(-2147483648)".to_owned(),
            Scalar::I32 => format!("({}i)", word.cast_signed()),
            Scalar::Bool => (word % 2 == 1).to_string(),
        }
    }
}
