//! Random statements. Every loop comes to an end.

use super::scope::Root;
use super::types::{BOOL, I32, Path, Plain, Scalar, Type, U32};
use super::{Generator, OWN_WORDS};

/// What a block may contain.
#[derive(Clone, Copy)]
pub struct Room {
    pub breaks: bool,
    pub continues: bool,
    pub returns: bool,
    /// How deep blocks may still be nested.
    pub blocks: u32,
    /// How deep loops may still be nested.
    pub loops: u32,
}

impl Generator<'_> {
    /// Writes statements; returns whether their end is reached.
    pub fn block(&mut self, room: Room) -> bool {
        let (scope, may_call) = (self.scope.len(), self.may_call);
        self.indent += 1;
        let goes_on = (0..=self.choices.below(5)).all(|_| self.statement(room));
        if goes_on {
            self.reveal(scope);
        }
        self.indent -= 1;
        self.scope.truncate(scope);
        self.may_call = may_call;
        goes_on
    }

    fn statement(&mut self, room: Room) -> bool {
        let inner = Room { blocks: room.blocks.saturating_sub(1), ..room };
        match self.choices.below(22) {
            0 | 1 => self.assign(|root| root.assignable && root.pointer.is_none()),
            2 | 3 => self.declare(),
            4 | 5 => self.assign(|root| root.assignable),
            6..=8 => self.update(),
            9 => {
                let value = self.choices.pick(&[U32, I32, BOOL]);
                let value = self.expression(Type::Plain(value), 2);
                self.line(&format!("_ = {value};"));
            }
            10 | 20 | 21 => self.call_alone(),
            11 => self.share(),
            12 => self.point(),
            13 | 14 if room.blocks > 0 => self.branch(inner),
            15 if room.blocks > 0 => self.switch(inner),
            16..=18 if room.blocks > 0 && room.loops > 0 => {
                self.repeat(Room { breaks: true, continues: true, loops: room.loops - 1, ..inner });
            }
            19 => return self.leave(room),
            _ => self.assign(|root| root.assignable),
        }
        true
    }

    /// Adds parts of the variables since `since` to output words of the invocation.
    fn reveal(&mut self, since: usize) {
        for n in since..self.scope.len() {
            let root = self.scope[n].clone();
            let plain = |path: &&Path| matches!(path.ty, Type::Plain(_));
            let paths: Vec<_> = root.places(|path| plain(&path)).collect();
            if paths.is_empty() || self.choices.once_in(3) {
                continue;
            }
            let path = self.choices.pick(&paths);
            let place = root.text(path, |piece| self.index(piece, false));
            let value = match path.ty {
                Type::Plain(Plain { width: 1, .. }) => format!("u32({place})"),
                Type::Plain(Plain { width, .. }) => {
                    let weights = ["1u", "3u", "5u", "7u"][..width].join(", ");
                    format!("dot(vec{width}<u32>({place}), vec{width}<u32>({weights}))")
                }
                Type::Aggregate(_) => unreachable!("only scalars and vectors were asked for"),
            };
            let word = self.choices.below(OWN_WORDS);
            self.line(&format!("output[self_index * {OWN_WORDS}u + {word}u] += {value};"));
        }
    }

    pub fn line(&mut self, text: &str) {
        self.wgsl.extend(std::iter::repeat_n("    ", self.indent));
        self.wgsl.push_str(text);
        self.wgsl.push('\n');
    }

    pub fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// A scalar or a vector, or now and then something larger.
    pub fn any_type(&mut self) -> Type {
        if self.choices.once_in(3) {
            self.choices.pick(&self.local_types)
        } else {
            Type::Plain(Plain::any(self.choices, super::types::Home::Function))
        }
    }

    fn declare(&mut self) {
        let ty = self.any_type();
        let value = if self.choices.once_in(2) { self.variable_value(ty) } else { None };
        match value {
            Some(value) => self.declare_value(ty, &value),
            None => self.declare_variable(ty),
        }
    }

    fn declare_value(&mut self, ty: Type, value: &str) {
        let name = self.name("a");
        self.line(&format!("let {name} = {value};"));
        self.scope.push(Root::value(&self.types, ty, &name));
    }

    fn declare_variable(&mut self, ty: Type) {
        let (type_name, value) = (self.types.name(ty), self.expression(ty, 2));
        let name = self.name("b");
        match self.choices.below(4) {
            0 => self.line(&format!("var {name}: {type_name};")),
            1 => self.line(&format!("var {name}: {type_name} = {value};")),
            _ => self.line(&format!("var {name} = {value};")),
        }
        let root = Root::value(&self.types, ty, &name).assignable().with_pointer(format!("&{name}"));
        self.scope.push(root);
    }

    fn assign(&mut self, wanted: impl Fn(&Root) -> bool) {
        if let Some((place, ty)) = self.place(|root, _| wanted(root)) {
            let value = self.expression(ty, 3);
            self.line(&format!("{place} = {value};"));
        }
    }

    /// `+=` and its like.
    fn update(&mut self) {
        let plain = |ty| if let Type::Plain(plain) = ty { Some(plain) } else { None };
        let place = self.place(|root, path| root.assignable && plain(path.ty).is_some());
        let Some((place, Type::Plain(ty))) = place else { return };
        let line = match (ty.scalar, self.choices.below(8)) {
            (Scalar::Bool, n) => {
                let value = self.expression(Type::Plain(ty), 3);
                format!("{place} {} {value};", ["&=", "|="][n % 2])
            }
            (_, 0) if ty.width == 1 => format!("{place}{};", self.choices.pick(&["++", "--"])),
            (_, 1) => {
                let divisor = self.divisor(ty, 2);
                format!("{place} {} {divisor};", self.choices.pick(&["/=", "%="]))
            }
            (_, 2) => {
                let bits = ty.with_scalar(Scalar::U32);
                let amount = self.expression(Type::Plain(bits), 2);
                let operator = self.choices.pick(&["<<=", ">>="]);
                format!("{place} {operator} {amount} & {};", bits.all("31u"))
            }
            (_, 3) => {
                let value = self.expression(Type::Plain(ty.with_width(1)), 3);
                format!("{place} {} {value};", self.choices.pick(&["+=", "-=", "*="]))
            }
            _ => {
                let value = self.expression(Type::Plain(ty), 3);
                format!("{place} {} {value};", self.choices.pick(&["+=", "-=", "*=", "&=", "|=", "^="]))
            }
        };
        self.line(&line);
    }

    fn call_alone(&mut self) {
        if !self.may_call || self.functions.is_empty() {
            return;
        }
        let function = self.choices.pick(&self.functions);
        for &ty in &function.pointers {
            self.declare_variable(ty);
        }
        let Some(call) = self.call_of(&function, 2) else { return };
        match function.returned {
            Some(ty) if self.choices.once_in(2) => self.declare_value(ty, &call),
            _ => self.line(&format!("{call};")),
        }
    }

    /// Writes an atomic operation whose total effect does not depend on the order of invocations.
    fn share(&mut self) {
        let (functions, member, ty): (&[_], _, _) = self.choices.pick(&[
            (&["Add", "Sub"][..], "sum", U32),
            (&["And"], "all", U32),
            (&["Or"], "any", U32),
            (&["Xor"], "parity", U32),
            (&["Min"], "least", I32),
            (&["Max"], "most", I32),
            (&["Max"], "highest", U32),
            (&["Add", "Sub"], "balance", I32),
        ]);
        let function = self.choices.pick(functions);
        let index = self.u32(1);
        let value = self.expression(Type::Plain(ty), 2);
        let unused = self.choices.pick(&["", "_ = "]);
        self.line(&format!("{unused}atomic{function}(&shared_words.{member}[{index} & 3u], {value});"));
    }

    /// Names a place by a pointer.
    fn point(&mut self) {
        let whole = |path: &Path| !path.component;
        if let Some((place, ty)) = self.place(|root, path| root.assignable && whole(path)) {
            let name = self.name("p");
            self.line(&format!("let {name} = &{place};"));
            self.scope.push(Root::value(&self.types, ty, &format!("(*{name})")).assignable());
        }
    }

    fn branch(&mut self, inner: Room) {
        let condition = self.bool(2);
        self.line(&format!("if {condition} {{"));
        self.block(inner);
        while self.choices.once_in(4) {
            let condition = self.bool(2);
            self.line(&format!("}} else if {condition} {{"));
            self.block(inner);
        }
        if self.choices.once_in(2) {
            self.line("} else {");
            self.block(inner);
        }
        self.line("}");
    }

    fn switch(&mut self, inner: Room) {
        let (ty, suffix) = self.choices.pick(&[(U32, "u"), (I32, "i")]);
        let value = self.expression(Type::Plain(ty), 3);
        self.line(&format!("switch {value} & 7{suffix} {{"));
        self.indent += 1;
        let clauses = 1 + self.choices.below(4);
        let default = self.choices.below(clauses);
        let mut selector = 0;
        for clause in 0..clauses {
            let mut selectors = Vec::new();
            for _ in 0..self.choices.below(3) + usize::from(clause != default) {
                selectors.push(format!("{selector}{suffix}"));
                selector += 1;
            }
            if clause == default {
                selectors.push("default".to_owned());
            }
            match &selectors[..] {
                [only] if only == "default" => self.line("default: {"),
                _ => self.line(&format!("case {}: {{", selectors.join(", "))),
            }
            self.block(Room { breaks: true, ..inner });
            self.line("}");
        }
        self.indent -= 1;
        self.line("}");
    }

    /// Writes the body of a loop.
    fn round(&mut self, inner: Room) {
        if self.block(inner) && self.choices.once_in(2) {
            let condition = self.bool(2);
            self.line(&format!("    if {condition} {{ continue; }}"));
            self.block(inner);
        }
    }

    fn repeat(&mut self, inner: Room) {
        let (name, end) = (self.name("i"), self.u32(2));
        let counter = Root::value(&self.types, Type::Plain(U32), &name);
        // Functions that call each other in loops could take long, so only `main` calls in loops.
        self.may_call &= self.calls_in_loops;
        let scope = self.scope.len();
        match self.choices.below(4) {
            0 => {
                self.line(&format!("for (var {name} = 0u; {name} < ({end} & 7u); {name}++) {{"));
                self.scope.push(counter);
                self.round(inner);
            }
            1 => {
                let least = self.choices.pick(&["-2i", "0i", "1i"]);
                self.line(&format!(
                    "for (var {name}: i32 = i32({end} & 3u); {name} > {least}; {name} -= 1i) {{"
                ));
                self.scope.push(Root::value(&self.types, Type::Plain(I32), &name));
                self.round(inner);
            }
            2 => {
                self.line(&format!("var {name} = {end} & 7u;"));
                self.scope.push(counter);
                let condition = self.bool(2);
                self.line(&format!("while {name} > 0u && ({name} > 2u || {condition}) {{"));
                self.line(&format!("    {name} -= 1u;"));
                self.round(inner);
            }
            _ => {
                self.line(&format!("var {name} = 0u;"));
                self.scope.push(counter);
                self.line("loop {");
                self.line(&format!("    if {name} >= 5u {{ break; }}"));
                self.round(inner);
                self.line("    continuing {");
                self.indent += 1;
                self.line(&format!("    {name} += 1u;"));
                self.block(Room { breaks: false, continues: false, returns: false, loops: 0, ..inner });
                self.indent += 1;
                if self.choices.once_in(2) {
                    let condition = self.bool(2);
                    self.line(&format!("break if {condition};"));
                }
                self.indent -= 2;
                self.line("    }");
            }
        }
        self.line("}");
        self.scope.truncate(scope);
    }

    fn leave(&mut self, room: Room) -> bool {
        let mut ways = Vec::new();
        if room.returns {
            ways.push(self.returning());
        }
        if room.breaks {
            ways.push("break;".to_owned());
        }
        if room.continues {
            ways.push("continue;".to_owned());
        }
        if ways.is_empty() {
            return true;
        }
        let way = self.choices.pick(&ways);
        if self.choices.once_in(4) {
            self.line(&way);
            return false;
        }
        let condition = self.bool(2);
        self.line(&format!("if {condition} {{ {way} }}"));
        true
    }

    /// A statement that leaves the function.
    pub fn returning(&mut self) -> String {
        match self.returned {
            None => "return;".to_owned(),
            Some(ty) => format!("return {};", self.expression(ty, 3)),
        }
    }
}
