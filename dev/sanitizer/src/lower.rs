//! Lowers naga's IR to flat code: calls are inlined, vectors become scalars, conditions become masks.

mod emitter;
mod expression;
mod finish;
mod operation;
mod place;
mod weigh;

use std::mem::{replace, take};

use naga::{Block, FunctionArgument, Handle, Span, Statement};
use rustc_hash::FxHashMap;

use crate::Error;
use crate::code::{Code, Input, NOBODY, Opcode, Reg, Slot};
use emitter::Emitter;
use place::Place;

/// Lowers the only entry point of a module whose overridable constants have been replaced.
pub(crate) fn lower(
    module: &naga::Module,
    info: &naga::valid::ModuleInfo,
    wgsl: &str,
) -> Result<Code, Error> {
    let entry_point = &module.entry_points[0];
    let function = &entry_point.function;
    let mut lowering = Lowering {
        module,
        info,
        line_starts: wgsl.match_indices('\n').map(|(at, _)| at as u32 + 1).collect(),
        caller: None,
        out: Emitter::default(),
        globals: FxHashMap::default(),
        frame: Frame::new(function, info.get_entry_point(0), Vec::new()),
    };
    lowering.out.code.workgroup_size = entry_point.workgroup_size;
    lowering.out.set_line(0, None);
    // Slot 0 is `NOBODY`.
    lowering.out.slot();
    for argument in &function.arguments {
        let input = Value::Registers(lowering.input(argument)?);
        lowering.frame.arguments.push(input);
    }
    lowering.private_variables()?;
    lowering.function()?;
    Ok(lowering.out.finish())
}

struct Lowering<'a> {
    module: &'a naga::Module,
    info: &'a naga::valid::ModuleInfo,
    /// The byte offsets at which lines begin, from the second line on.
    line_starts: Vec<u32>,
    /// The site of the call that is being lowered.
    caller: Option<u32>,
    out: Emitter,
    globals: FxHashMap<Handle<naga::GlobalVariable>, Place>,
    frame: Frame<'a>,
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
    /// Registers of the result: variables, if invocations return at different places.
    result: Option<Vec<Reg>>,
    /// Slot of the invocations that returned while others went on.
    returned: Slot,
    /// Whether `returned` may hold an invocation.
    is_left_early: bool,
    /// Number of conditions and loops around the current statement.
    depth: usize,
    /// For each loop around the current statement, the slot of the invocations that left it.
    broken: Vec<Slot>,
    /// The jumps to the end of the current block.
    skips: Vec<usize>,
}

impl<'a> Frame<'a> {
    fn new(function: &'a naga::Function, info: &'a naga::valid::FunctionInfo, arguments: Vec<Value>) -> Self {
        Self {
            function,
            info,
            arguments,
            values: vec![None; function.expressions.len()],
            locals: FxHashMap::default(),
            result: None,
            returned: NOBODY,
            is_left_early: false,
            depth: 0,
            broken: Vec::new(),
            skips: Vec::new(),
        }
    }
}

impl<'a> Lowering<'a> {
    /// Sets the line of the operations that follow.
    fn at(&mut self, span: Span) {
        if let Some(range) = span.to_range() {
            let line = self.line_starts.partition_point(|&start| start <= range.start as u32) + 1;
            self.out.set_line(line as u32, self.caller);
        }
    }

    fn unsupported<T>(&self, what: impl Into<String>) -> Result<T, Error> {
        let line = self.out.code.sites[self.out.site as usize].line;
        Err(Error::Unsupported { what: what.into(), line })
    }

    /// The registers of the built-in inputs that make up an argument of the entry point.
    fn input(&mut self, argument: &FunctionArgument) -> Result<Vec<Reg>, Error> {
        use naga::{Binding, BuiltIn};
        let inputs: Vec<Input> = match argument.binding {
            Some(Binding::BuiltIn(BuiltIn::GlobalInvocationId)) => (0..3).map(Input::GlobalId).collect(),
            Some(Binding::BuiltIn(BuiltIn::LocalInvocationIndex)) => vec![Input::LocalIndex],
            Some(Binding::BuiltIn(BuiltIn::WorkGroupId)) => (0..3).map(Input::WorkgroupId).collect(),
            Some(Binding::BuiltIn(BuiltIn::NumWorkGroups)) => (0..3).map(Input::Workgroups).collect(),
            ref other => return self.unsupported(format!("the input {other:?}")),
        };
        Ok(inputs.into_iter().map(|input| self.out.input(input)).collect())
    }

    /// Lowers the function of the current frame; leaves its result in the frame.
    fn function(&mut self) -> Result<(), Error> {
        let function = self.frame.function;
        let all = self.out.slot();
        self.frame.returned = self.out.slot();
        self.out.emit(Opcode::Keep(all), &[]);
        self.out.emit(Opcode::Clear(self.frame.returned), &[]);
        for (handle, variable) in function.local_variables.iter() {
            let place = self.variable(variable.ty)?;
            self.frame.locals.insert(handle, place);
            let initial = match variable.init {
                Some(init) => self.registers_of(init)?,
                None => self.zeros(variable.ty)?,
            };
            self.out.assign(place.first(), &initial);
        }
        self.block(&function.body)?;
        if self.frame.is_left_early {
            self.out.emit(Opcode::Restore(all, [NOBODY; 2]), &[]);
            self.out.held.clear();
        }
        Ok(())
    }

    /// Lowers the statements of a block; returns whether invocations may reach its end.
    fn block(&mut self, block: &'a Block) -> Result<bool, Error> {
        let outer = take(&mut self.frame.skips);
        let mut falls = true;
        for (statement, span) in block.span_iter() {
            self.at(*span);
            falls = self.statement(statement)?;
            if !falls {
                break;
            }
        }
        let skips = replace(&mut self.frame.skips, outer);
        self.out.land(&skips);
        Ok(falls)
    }

    /// Lowers a statement; returns whether invocations may go on after it.
    fn statement(&mut self, statement: &'a Statement) -> Result<bool, Error> {
        match statement {
            Statement::Emit(range) => {
                for handle in range.clone() {
                    self.at(self.frame.function.expressions.get_span(handle));
                    let value = self.expression(handle)?;
                    self.frame.values[handle.index()] = Some(value);
                }
            }
            Statement::Block(block) => return self.block(block),
            Statement::If { condition, accept, reject } => {
                let condition = self.register_of(*condition)?;
                match self.out.known(condition) {
                    Some(0) => return self.block(reject),
                    Some(_) => return self.block(accept),
                    None => self.branch(condition, accept, reject)?,
                }
            }
            Statement::Loop { body, continuing, break_if: None } => self.repeat(body, continuing)?,
            Statement::Break => {
                let broken = *self.frame.broken.last().expect("naga puts `break` into loops");
                self.out.emit(Opcode::Go(broken), &[]);
                return Ok(false);
            }
            Statement::Return { value } => {
                let value = value.map(|value| self.registers_of(value)).transpose()?;
                if self.frame.depth == 0 && !self.frame.is_left_early {
                    self.frame.result = value;
                    return Ok(false);
                }
                if let Some(value) = value {
                    let result = self.frame.result.get_or_insert_with(|| {
                        let first = self.out.variables(value.len() as u32);
                        (first..).take(value.len()).collect()
                    });
                    self.out.assign(result[0], &value);
                }
                self.frame.is_left_early = true;
                self.out.emit(Opcode::Go(self.frame.returned), &[]);
                return Ok(false);
            }
            Statement::Store { pointer, value } => {
                let values = self.registers_of(*value)?;
                let place = self.place_of(*pointer)?;
                self.store(place, &values)?;
            }
            Statement::Atomic { pointer, fun, value, result } => {
                let registers = self.atomic(*pointer, *fun, *value)?;
                if let Some(result) = result {
                    self.frame.values[result.index()] = Some(Value::Registers(registers));
                }
            }
            Statement::Call { function, arguments, result } => {
                let arguments = arguments.iter().map(|argument| self.value(*argument));
                let arguments = arguments.collect::<Result<_, _>>()?;
                let site = self.out.site;
                let caller = self.caller.replace(site);
                let inner = Frame::new(&self.module.functions[*function], &self.info[*function], arguments);
                let outer = replace(&mut self.frame, inner);
                self.function()?;
                let inner = replace(&mut self.frame, outer);
                self.caller = caller;
                self.out.site = site;
                if let (Some(result), Some(given)) = (result, inner.result) {
                    self.frame.values[result.index()] = Some(Value::Registers(given));
                }
            }
            Statement::ControlBarrier(naga::Barrier::WORK_GROUP) => {
                self.out.emit(Opcode::Barrier, &[]);
            }
            Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => {
                return self.unsupported("a barrier of storage buffers");
            }
            other => {
                let text = format!("{other:?}");
                let name = text.split([' ', '(']).next().unwrap_or_default();
                return self.unsupported(format!("the statement {name}"));
            }
        }
        Ok(true)
    }

    /// Skips the rest of the block if no invocation is active.
    fn skip(&mut self) {
        let skip = self.out.skip();
        self.frame.skips.push(skip);
    }

    /// Activates the invocations of `all` that no statement has sent elsewhere.
    fn join(&mut self, all: Slot) {
        let broken = self.frame.broken.last().copied().unwrap_or(NOBODY);
        self.out.emit(Opcode::Restore(all, [self.frame.returned, broken]), &[]);
    }

    fn branch(&mut self, condition: Reg, accept: &'a Block, reject: &'a Block) -> Result<(), Error> {
        let [all, taken] = [(); 2].map(|()| self.out.slot());
        self.frame.depth += 1;
        let before = self.out.held.clone();
        self.out.emit(Opcode::Keep(all), &[]);
        self.out.emit(Opcode::Where, &[condition]);
        if !reject.is_empty() {
            self.out.emit(Opcode::Keep(taken), &[]);
        }
        let skip = self.out.skip();
        let first = self.block(accept)?;
        self.out.land(&[skip]);
        let mut after_first = replace(&mut self.out.held, before);
        let mut second = true;
        if !reject.is_empty() {
            self.out.emit(Opcode::Restore(all, [taken, NOBODY]), &[]);
            let skip = self.out.skip();
            second = self.block(reject)?;
            self.out.land(&[skip]);
        }
        self.frame.depth -= 1;
        // If one branch sends all invocations elsewhere, the variables have their values from the other branch.
        if first && second {
            after_first.retain(|variable, value| self.out.held.get(variable) == Some(value));
        }
        if first {
            self.out.held = after_first;
        }
        self.join(all);
        if !first || !second {
            self.skip();
        }
        Ok(())
    }

    fn repeat(&mut self, body: &'a Block, continuing: &'a Block) -> Result<(), Error> {
        let [all, broken] = [(); 2].map(|()| self.out.slot());
        let counter = self.out.code.counters;
        self.out.code.counters += 1;
        self.out.held.clear();
        self.out.emit(Opcode::Keep(all), &[]);
        self.out.emit(Opcode::Clear(broken), &[]);
        let head = self.out.emit(Opcode::Reset(counter), &[]) as u32 + 1;
        self.frame.broken.push(broken);
        self.frame.depth += 1;
        self.block(body)?;
        self.block(continuing)?;
        self.out.emit(Opcode::Again { head, counter }, &[]);
        self.frame.depth -= 1;
        self.frame.broken.pop();
        self.out.held.clear();
        // A `break` in this loop leaves no outer loop: only invocations in `returned` stay inactive.
        self.out.emit(Opcode::Restore(all, [self.frame.returned, NOBODY]), &[]);
        self.skip();
        Ok(())
    }
}
