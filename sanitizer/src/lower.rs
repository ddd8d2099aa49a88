//! Lowers naga's IR to flat code: calls are inlined, vectors become scalars, conditions become masks.

mod expression;
mod finish;
mod operation;
mod place;
mod registers;

use std::ops::Range;

use naga::{Block, Expression, FunctionArgument, Handle, Span, Statement, SwitchCase, SwitchValue};
use rustc_hash::FxHashMap;

use crate::Error;
use crate::code::{Binary, Code, Input, NOBODY, Op, Reg, Slot};
use place::Place;
use registers::Registers;

/// Lowers the only entry point of a module whose overridable constants have been replaced.
pub(crate) fn lower(
    module: &naga::Module,
    info: &naga::valid::ModuleInfo,
    wgsl: &str,
) -> Result<Code, Error> {
    let entry_point = &module.entry_points[0];
    let mut lowering = Lowering {
        module,
        info,
        line_starts: wgsl.match_indices('\n').map(|(at, _)| at as u32 + 1).collect(),
        caller: None,
        registers: Registers::default(),
        globals: FxHashMap::default(),
    };
    lowering.registers.code.workgroup_size = entry_point.workgroup_size;
    lowering.registers.set_line(0, None);
    // Slot 0 is `NOBODY`.
    lowering.registers.slot();
    let arguments = entry_point.function.arguments.iter().map(|argument| lowering.input(argument));
    let arguments = arguments.collect::<Result<_, _>>()?;
    lowering.private_variables()?;
    let frame = Frame::new(&entry_point.function, info.get_entry_point(0), arguments);
    lowering.call(frame)?;
    Ok(lowering.registers.finish())
}

struct Lowering<'a> {
    module: &'a naga::Module,
    info: &'a naga::valid::ModuleInfo,
    /// Byte offsets at which the lines from the second one on begin.
    line_starts: Vec<u32>,
    /// The site of the call that is being lowered.
    caller: Option<u32>,
    registers: Registers,
    globals: FxHashMap<Handle<naga::GlobalVariable>, Place>,
}

/// The value of an expression.
#[derive(Clone, Debug)]
enum Value {
    /// A register for each scalar.
    Registers(Vec<Reg>),
    /// A pointer.
    Place(Place),
}

/// A call of a function that is being inlined.
struct Frame<'a> {
    function: &'a naga::Function,
    info: &'a naga::valid::FunctionInfo,
    arguments: Vec<Value>,
    values: Vec<Option<Value>>,
    locals: FxHashMap<Handle<naga::LocalVariable>, Place>,
    /// Slot of the invocations that returned while others went on.
    returned: Slot,
    /// Variables for the result, where invocations return at different places.
    result: Option<Range<Reg>>,
    /// Number of conditions and loops around the current statement.
    depth: usize,
    /// The loops and switches around the current statement.
    around: Vec<Around>,
}

/// A loop or a switch.
#[derive(Clone, Copy)]
struct Around {
    /// Slot of the invocations that left it.
    broken: Slot,
    /// Slot of the invocations that went on to the end of the round; a switch has the slot of the loop around it.
    continued: Slot,
}

/// How a block ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// Invocations may reach its end.
    Falls,
    /// Its last statement sends all invocations elsewhere.
    Went,
}

impl<'a> Frame<'a> {
    fn new(function: &'a naga::Function, info: &'a naga::valid::FunctionInfo, arguments: Vec<Value>) -> Self {
        Self {
            function,
            info,
            arguments,
            values: vec![None; function.expressions.len()],
            locals: FxHashMap::default(),
            returned: NOBODY,
            result: None,
            depth: 0,
            around: Vec::new(),
        }
    }

    /// Slots to which a statement may have sent invocations.
    fn gone(&self) -> [Slot; 3] {
        let around = self.around.last();
        [self.returned, around.map_or(NOBODY, |a| a.broken), around.map_or(NOBODY, |a| a.continued)]
    }
}

impl<'a> Lowering<'a> {
    /// Sets the line of the operations that follow.
    fn at(&mut self, span: Span) {
        if let Some(range) = span.to_range() {
            let line = self.line_starts.partition_point(|&start| start <= range.start as u32) + 1;
            self.registers.set_line(line as u32, self.caller);
        }
    }

    fn unsupported<T>(&self, what: impl Into<String>) -> Result<T, Error> {
        Err(Error::Unsupported { what: what.into(), line: self.registers.line() })
    }

    /// The built-in inputs behind an argument of the entry point.
    fn input(&mut self, argument: &FunctionArgument) -> Result<Value, Error> {
        use naga::{Binding, BuiltIn};
        let inputs: Vec<Input> = match (&argument.binding, &self.module.types[argument.ty].inner) {
            (Some(Binding::BuiltIn(builtin)), _) => match builtin {
                BuiltIn::GlobalInvocationId => (0..3).map(Input::GlobalId).collect(),
                BuiltIn::LocalInvocationId => (0..3).map(Input::LocalId).collect(),
                BuiltIn::LocalInvocationIndex => vec![Input::LocalIndex],
                BuiltIn::WorkGroupId => (0..3).map(Input::WorkgroupId).collect(),
                BuiltIn::NumWorkGroups => (0..3).map(Input::Workgroups).collect(),
                other => return self.unsupported(format!("{other:?}")),
            },
            (None, naga::TypeInner::Struct { members, .. }) => {
                let mut all = Vec::new();
                for member in members {
                    let argument =
                        FunctionArgument { name: None, ty: member.ty, binding: member.binding.clone() };
                    match self.input(&argument)? {
                        Value::Registers(registers) => all.extend(registers),
                        Value::Place(_) => return self.unsupported("a pointer as input"),
                    }
                }
                return Ok(Value::Registers(all));
            }
            other => return self.unsupported(format!("an input {other:?}")),
        };
        Ok(Value::Registers(inputs.into_iter().map(|input| self.registers.input(input)).collect()))
    }

    /// Inlines a function; returns the registers of its result.
    fn call(&mut self, mut frame: Frame<'a>) -> Result<Option<Vec<Reg>>, Error> {
        let all = self.registers.slot();
        let returned = self.registers.slot();
        frame.returned = returned;
        let enter = self.registers.emit(Op::Enter { all, returned });
        for (handle, variable) in frame.function.local_variables.iter() {
            let place = self.variable(variable.ty)?;
            frame.locals.insert(handle, place);
            let initial = match variable.init {
                Some(init) => self.registers_of(&mut frame, init)?,
                None => self.zeros(variable.ty)?,
            };
            self.registers.assign_all(place.first(), &initial);
        }
        let function = frame.function;
        let mut result = None;
        self.block(&mut frame, &function.body, &mut result)?;
        if frame.result.is_some() || self.registers.is_used(returned) {
            self.registers.emit(Op::Join { all, gone: [NOBODY; 3] });
            self.registers.forget();
            return Ok(frame.result.map(Iterator::collect));
        }
        // Nobody returned before the end.
        self.registers.remove_if_last(enter);
        Ok(result)
    }

    /// Lowers the statements of a block. A return outside of conditions puts its value into `result`.
    fn block(
        &mut self,
        frame: &mut Frame<'a>,
        block: &'a Block,
        result: &mut Option<Vec<Reg>>,
    ) -> Result<End, Error> {
        let mut skips = Vec::new();
        let mut end = End::Falls;
        for (statement, span) in block.span_iter() {
            self.at(*span);
            let went = self.statement(frame, statement, result, &mut skips)?;
            if went == End::Went {
                end = End::Went;
                break;
            }
        }
        self.registers.land(&skips);
        Ok(end)
    }

    fn statement(
        &mut self,
        frame: &mut Frame<'a>,
        statement: &'a Statement,
        result: &mut Option<Vec<Reg>>,
        skips: &mut Vec<usize>,
    ) -> Result<End, Error> {
        match statement {
            Statement::Emit(range) => {
                for handle in range.clone() {
                    self.at(frame.function.expressions.get_span(handle));
                    let value = self.expression(frame, handle)?;
                    frame.values[handle.index()] = Some(value);
                }
            }
            Statement::Block(block) => return self.block(frame, block, result),
            Statement::If { condition, accept, reject } => {
                let condition = self.register_of(frame, *condition)?;
                if let Some(known) = self.registers.known(condition) {
                    return self.block(frame, if known != 0 { accept } else { reject }, result);
                }
                let mut branches = |this: &mut Self, frame: &mut Frame<'a>, first: bool| {
                    this.block(frame, if first { accept } else { reject }, result)
                };
                return self.branch(frame, condition, reject.is_empty(), skips, &mut branches);
            }
            Statement::Switch { selector, cases } => {
                return self.switch(frame, *selector, cases, result, skips);
            }
            Statement::Loop { body, continuing, break_if } => {
                self.looped(frame, body, continuing, *break_if, result)?;
                return Ok(self.skip(skips));
            }
            Statement::Break => {
                let Some(around) = frame.around.last() else { return self.unsupported("a break here") };
                self.registers.emit(Op::Go { to: around.broken });
                return Ok(End::Went);
            }
            Statement::Continue => {
                let Some(around) = frame.around.last() else { return self.unsupported("a continue here") };
                self.registers.emit(Op::Go { to: around.continued });
                return Ok(End::Went);
            }
            Statement::Return { value } => {
                let value = value.map(|value| self.registers_of(frame, value)).transpose()?;
                if frame.depth == 0 && !self.registers.is_used(frame.returned) {
                    *result = value;
                    return Ok(End::Went);
                }
                if let Some(value) = value {
                    let result = frame.result.get_or_insert_with(|| {
                        let count = value.len() as u32;
                        let first = self.registers.variables(count);
                        first..first + count
                    });
                    self.registers.assign_all(result.start, &value);
                }
                self.registers.emit(Op::Go { to: frame.returned });
                return Ok(End::Went);
            }
            Statement::Store { pointer, value } => {
                let values = self.registers_of(frame, *value)?;
                let place = self.place_of(frame, *pointer)?;
                self.store(place, &values)?;
            }
            Statement::Atomic { pointer, fun, value, result } => {
                self.atomic(frame, *pointer, *fun, *value, *result)?;
            }
            Statement::Call { function, arguments, result } => {
                let values = arguments.iter().map(|argument| self.value(frame, *argument));
                let values = values.collect::<Result<_, _>>()?;
                let site = self.registers.site();
                let outer = self.caller.replace(site);
                let called = &self.module.functions[*function];
                let given = self.call(Frame::new(called, &self.info[*function], values))?;
                self.caller = outer;
                self.registers.return_to(site);
                if let (Some(result), Some(given)) = (result, given) {
                    frame.values[result.index()] = Some(Value::Registers(given));
                }
            }
            Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => {
                return self.unsupported("a barrier");
            }
            other => return self.unsupported(format!("{other:?}")),
        }
        Ok(End::Falls)
    }

    /// Skips the rest of the block if no invocation is left.
    fn skip(&mut self, skips: &mut Vec<usize>) -> End {
        skips.push(self.registers.emit(Op::SkipIfNone { to: 0 }));
        End::Falls
    }

    /// Lowers two branches; the second one is empty if `only_one`.
    fn branch(
        &mut self,
        frame: &mut Frame<'a>,
        condition: Reg,
        only_one: bool,
        skips: &mut Vec<usize>,
        branches: &mut dyn FnMut(&mut Self, &mut Frame<'a>, bool) -> Result<End, Error>,
    ) -> Result<End, Error> {
        let all = self.registers.slot();
        frame.depth += 1;
        let before = self.registers.remembered();
        let begin = self.registers.emit(Op::If { condition, all, otherwise: 0 });
        let first = branches(self, frame, true)?;
        let mut after_first = self.registers.remembered();
        self.registers.remember(before.clone());
        let mut second = End::Falls;
        let mut after_second = before;
        self.registers.land(&[begin]);
        if !only_one {
            let otherwise = self.registers.emit(Op::Else { condition, all, end: 0 });
            second = branches(self, frame, false)?;
            after_second = self.registers.remembered();
            self.registers.land(&[otherwise]);
        }
        frame.depth -= 1;
        // If one branch sends all invocations elsewhere, the variables hold what the other branch left.
        match (first, second) {
            (End::Went, _) => after_first.clone_from(&after_second),
            (End::Falls, End::Went) => {}
            (End::Falls, End::Falls) => {
                after_first.retain(|variable, value| after_second.get(variable) == Some(value));
            }
        }
        self.registers.remember(after_first);
        self.registers.emit(Op::Join { all, gone: frame.gone() });
        if first == End::Went || second == End::Went {
            self.skip(skips);
        }
        Ok(End::Falls)
    }

    fn switch(
        &mut self,
        frame: &mut Frame<'a>,
        selector: Handle<Expression>,
        cases: &'a [SwitchCase],
        result: &mut Option<Vec<Reg>>,
        skips: &mut Vec<usize>,
    ) -> Result<End, Error> {
        let selector = self.register_of(frame, selector)?;
        // For each body, whether it is taken. A case that falls through has no body.
        let (no, yes) = (self.registers.constant(0), self.registers.constant(1));
        let mut bodies = Vec::new();
        let (mut any, mut taken, mut default) = (no, no, false);
        for case in cases {
            match case.value {
                SwitchValue::Default => default = true,
                SwitchValue::I32(value) => taken = self.selects(selector, value as u32, taken),
                SwitchValue::U32(value) => taken = self.selects(selector, value, taken),
            }
            if case.fall_through {
                if !case.body.is_empty() {
                    return self.unsupported("a case that falls through");
                }
                continue;
            }
            bodies.push((taken, default, &case.body));
            any = self.registers.binary(Binary::Or, any, taken);
            (taken, default) = (no, false);
        }
        let none = self.registers.binary(Binary::Xor, any, yes);
        let around = Around {
            broken: self.registers.slot(),
            continued: frame.around.last().map_or(NOBODY, |around| around.continued),
        };
        let all = self.registers.slot();
        self.registers.emit(Op::Enter { all, returned: around.broken });
        frame.around.push(around);
        for (taken, default, body) in bodies {
            let condition = if default { self.registers.binary(Binary::Or, taken, none) } else { taken };
            let mut inner = Vec::new();
            let mut branches =
                |this: &mut Self, frame: &mut Frame<'a>, _: bool| this.block(frame, body, result);
            self.branch(frame, condition, true, &mut inner, &mut branches)?;
            self.registers.land(&inner);
        }
        frame.around.pop();
        self.registers.forget();
        self.registers.emit(Op::Join { all, gone: [frame.returned, NOBODY, around.continued] });
        Ok(self.skip(skips))
    }

    fn selects(&mut self, selector: Reg, value: u32, before: Reg) -> Reg {
        let value = self.registers.constant(value);
        let equal = self.registers.binary(Binary::Equal, selector, value);
        self.registers.binary(Binary::Or, before, equal)
    }

    fn looped(
        &mut self,
        frame: &mut Frame<'a>,
        body: &'a Block,
        continuing: &'a Block,
        break_if: Option<Handle<Expression>>,
        result: &mut Option<Vec<Reg>>,
    ) -> Result<(), Error> {
        let [all, broken, continued, round] = [(); 4].map(|()| self.registers.slot());
        let counter = self.registers.counter();
        self.registers.forget();
        self.registers.emit(Op::Loop { all, broken, counter });
        let head = self.registers.emit(Op::Round { round, continued }) as u32;
        frame.around.push(Around { broken, continued });
        frame.depth += 1;
        self.block(frame, body, result)?;
        self.registers.forget();
        self.registers.emit(Op::Continuing { round, continued, gone: [broken, frame.returned] });
        self.block(frame, continuing, result)?;
        if let Some(condition) = break_if {
            let condition = self.register_of(frame, condition)?;
            self.registers.emit(Op::BreakIf { condition, broken });
        }
        self.registers.emit(Op::Again { head, counter });
        frame.depth -= 1;
        frame.around.pop();
        self.registers.forget();
        // A `break` or `continue` in this loop concerns this loop: only `returned` takes invocations elsewhere.
        self.registers.emit(Op::Join { all, gone: [frame.returned, NOBODY, NOBODY] });
        Ok(())
    }
}
