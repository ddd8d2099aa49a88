//! Random statements.

use super::types::{BOOL, I32, Part, Plain, Type, U32};
use super::{Generator, OWN_WORDS, Root};

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

/// Updates of a place: the scalars and the widths that they suit, and the text after the place, a template as in
/// `expressions.rs`.
const UPDATES: &[(&str, &str, &str)] = &[
    ("u32 i32", "1234", "{+= -= *= &= |= ^=} {T}"),
    ("u32 i32", "1234", "{+= -= *= &= |= ^=} {T}"),
    ("u32 i32", "1234", "{+= -= *=} {S}"),
    ("u32 i32", "1234", "{/= %=} {D}"),
    ("u32 i32", "1234", "{<<= >>=} {U} & {nU}(31u)"),
    ("u32 i32", "1", "{++ --}"),
    ("bool", "1234", "{&= |=} {T}"),
    ("f32", "1234", "= -kept{w}({T})"),
];

/// Atomic operations whose total effect does not depend on the order of invocations.
const SHARED: &[(Plain, &str)] = &[
    (U32, "atomic{Add Sub}(&shared_words.sum[{u} & 3u], {T})"),
    (U32, "atomicAnd(&shared_words.all[{u} & 3u], {T})"),
    (U32, "atomicOr(&shared_words.any[{u} & 3u], {T})"),
    (U32, "atomicXor(&shared_words.parity[{u} & 3u], {T})"),
    (I32, "atomicMin(&shared_words.least[{u} & 3u], {T})"),
    (I32, "atomicMax(&shared_words.most[{u} & 3u], {T})"),
    (U32, "atomicMax(&shared_words.highest[{u} & 3u], {T})"),
    (I32, "atomic{Add Sub}(&shared_words.balance[{u} & 3u], {T})"),
];

impl Generator<'_> {
    /// Writes statements; returns whether their end is reached.
    pub fn block(&mut self, room: Room) -> bool {
        let (scope, may_call) = (self.scope.len(), self.may_call);
        let goes_on = (0..=self.choices.below(5)).all(|_| self.statement(room));
        if goes_on {
            self.reveal(scope);
        }
        self.scope.truncate(scope);
        self.may_call = may_call;
        goes_on
    }

    fn statement(&mut self, room: Room) -> bool {
        let inner = Room { blocks: room.blocks.saturating_sub(1), ..room };
        match self.choices.below(22) {
            0 | 1 => self.assign(|root| root.assignable && root.pointer.is_none()),
            2 | 3 => self.declare(),
            4..=7 => self.update(),
            8 => {
                let ty = self.choices.pick(&[U32, I32, BOOL]);
                let value = self.expression(&Type::Plain(ty), 2);
                self.line(&format!("_ = {value};"));
            }
            9 | 10 => self.call_alone(),
            11 => {
                let (ty, template) = self.choices.pick(SHARED);
                let unused = self.choices.pick(&["", "_ = "]);
                let call = self.fill(template, ty, 2, false).0;
                self.line(&format!("{unused}{call};"));
            }
            12 => self.point(),
            13 | 14 if room.blocks > 0 => self.branch(inner),
            15 if room.blocks > 0 => self.switch(inner),
            16..=18 if room.blocks > 0 && room.loops > 0 => {
                self.repeat(Room { breaks: true, continues: true, loops: room.loops - 1, ..inner });
            }
            19 => return self.leave(room),
            20 | 21 if self.floats => {
                let (word, value) = (self.choices.below(OWN_WORDS), self.fill("bits({f})", U32, 5, true).0);
                self.line(&format!("output[self_index * {OWN_WORDS}u + {word}u] += {value};"));
            }
            _ => self.assign(|root| root.assignable),
        }
        true
    }

    /// Adds parts of the variables in scope, from number `since` on, to output words of the invocation.
    fn reveal(&mut self, since: usize) {
        for n in since..self.scope.len() {
            let root = self.scope[n].clone();
            let scalar = |part: &&Part| matches!(part.ty, Type::Plain(Plain { width: 1, .. }));
            let parts: Vec<_> = root.parts.iter().filter(scalar).collect();
            if self.choices.once_in(3) {
                continue;
            }
            let part = self.choices.pick(&parts);
            let place = self.indexed(&format!("{}{}", root.text, part.text), false);
            let function = if part.ty.name() == "f32" { "bits" } else { "u32" };
            let word = self.choices.below(OWN_WORDS);
            self.line(&format!("output[self_index * {OWN_WORDS}u + {word}u] += {function}({place});"));
        }
    }

    fn declare(&mut self) {
        let ty = self.any_type();
        let value = if self.choices.once_in(2) { self.variable_value(&ty) } else { None };
        match value {
            Some(value) => self.declare_value(&ty, &value),
            None => self.declare_variable(&ty),
        }
    }

    fn declare_value(&mut self, ty: &Type, value: &str) {
        let name = self.name("a");
        self.line(&format!("let {name} = {value};"));
        self.scope.push(Root::new(ty, &name));
    }

    fn declare_variable(&mut self, ty: &Type) {
        let (type_name, value, name) = (ty.name(), self.expression(ty, 2), self.name("b"));
        match self.choices.below(4) {
            0 => self.line(&format!("var {name}: {type_name};")),
            1 => self.line(&format!("var {name}: {type_name} = {value};")),
            _ => self.line(&format!("var {name} = {value};")),
        }
        self.scope.push(Root { pointer: Some(format!("&{name}")), ..Root::variable(ty, &name) });
    }

    fn assign(&mut self, wanted: impl Fn(&Root) -> bool) {
        if let Some((place, ty)) = self.place(|root, _| wanted(root)) {
            let value = self.expression(&ty, 3);
            self.line(&format!("{place} = {value};"));
        }
    }

    /// Writes an update, such as `+=`.
    fn update(&mut self) {
        let place = self.place(|root, part| root.assignable && matches!(part.ty, Type::Plain(_)));
        let Some((place, Type::Plain(ty))) = place else { return };
        let fits = |(scalars, widths, _): &&(&str, &str, _)| {
            scalars.contains(ty.scalar) && widths.contains(&ty.width.to_string())
        };
        let template = self.choices.pick(&UPDATES.iter().filter(fits).collect::<Vec<_>>()).2;
        let update = self.fill(template, ty, 3, false).0;
        self.line(&format!("{place} {update};"));
    }

    fn call_alone(&mut self) {
        if !self.may_call || self.functions.is_empty() {
            return;
        }
        let function = self.choices.pick(&self.functions);
        for ty in &function.pointers {
            self.declare_variable(ty);
        }
        let Some(call) = self.call_of(&function, 2) else { return };
        match &function.returned {
            Some(ty) if self.choices.once_in(2) => self.declare_value(ty, &call),
            _ => self.line(&format!("{call};")),
        }
    }

    /// Names a place by a pointer.
    fn point(&mut self) {
        if let Some((place, ty)) = self.place(|root, part| root.assignable && !part.component) {
            let name = self.name("p");
            self.line(&format!("let {name} = &{place};"));
            self.scope.push(Root::variable(&ty, &format!("(*{name})")));
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
        let value = self.expression(&Type::Plain(ty), 3);
        self.line(&format!("switch {value} & 7{suffix} {{"));
        let clauses = 1 + self.choices.below(4);
        let default = self.choices.below(clauses);
        let mut selectors = 0..;
        for clause in 0..clauses {
            let count = self.choices.below(3) + usize::from(clause != default);
            let mut labels: Vec<_> = selectors.by_ref().take(count).map(|n| format!("{n}{suffix}")).collect();
            if clause == default {
                labels.push("default".to_owned());
            }
            match &labels[..] {
                [only] if only == "default" => self.line("default: {"),
                _ => self.line(&format!("case {}: {{", labels.join(", "))),
            }
            self.block(Room { breaks: true, ..inner });
            self.line("}");
        }
        self.line("}");
    }

    /// Writes the body of a loop.
    fn round(&mut self, inner: Room) {
        if self.block(inner) && self.choices.once_in(2) {
            let condition = self.bool(2);
            self.line(&format!("if {condition} {{ continue; }}"));
            self.block(inner);
        }
    }

    fn repeat(&mut self, inner: Room) {
        let (name, end) = (self.name("n"), self.u32(2));
        // Functions that call each other in loops could take long, so only `main` calls in loops.
        self.may_call &= self.calls_in_loops;
        let scope = self.scope.len();
        let mut counter = Root::new(&Type::Plain(U32), &name);
        match self.choices.below(4) {
            0 => {
                self.line(&format!("for (var {name} = 0u; {name} < ({end} & 7u); {name}++) {{"));
                self.scope.push(counter);
                self.round(inner);
            }
            1 => {
                let least = self.choices.pick(&["-2i", "0i", "1i"]);
                let begin = format!("for (var {name}: i32 = i32({end} & 3u);");
                self.line(&format!("{begin} {name} > {least}; {name} -= 1i) {{"));
                counter = Root::new(&Type::Plain(I32), &name);
                self.scope.push(counter);
                self.round(inner);
            }
            2 => {
                self.line(&format!("var {name} = {end} & 7u;"));
                self.scope.push(counter);
                let condition = self.bool(2);
                self.line(&format!("while {name} > 0u && ({name} > 2u || {condition}) {{\n{name} -= 1u;"));
                self.round(inner);
            }
            _ => {
                self.scope.push(counter);
                self.line(&format!("var {name} = 0u;\nloop {{\nif {name} >= 5u {{ break; }}"));
                self.round(inner);
                self.line(&format!("continuing {{\n{name} += 1u;"));
                self.block(Room { breaks: false, continues: false, returns: false, loops: 0, ..inner });
                if self.choices.once_in(2) {
                    let condition = self.bool(2);
                    self.line(&format!("break if {condition};"));
                }
                self.line("}");
            }
        }
        self.line("}");
        self.scope.truncate(scope);
    }

    fn leave(&mut self, room: Room) -> bool {
        let ways = [
            (room.returns, self.returning()),
            (room.breaks, "break;".into()),
            (room.continues, "continue;".into()),
        ];
        let ways: Vec<_> = ways.into_iter().filter_map(|(allowed, way)| allowed.then_some(way)).collect();
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
        match self.returned.clone() {
            None => "return;".to_owned(),
            Some(ty) => format!("return {};", self.expression(&ty, 3)),
        }
    }
}
