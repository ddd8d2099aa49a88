//! Lowers expressions: constants, pointers, parts of values.

use naga::{Expression, Handle, Literal, ScalarKind, TypeInner};

use super::{Lowering, Value};
use crate::Error;
use crate::code::{Binary, Reg};

impl<'a> Lowering<'a> {
    /// The value of an expression. Lowers an expression that no statement emits, such as a constant.
    pub(super) fn value(&mut self, handle: Handle<Expression>) -> Result<Value, Error> {
        if let Some(value) = &self.frame.values[handle.index()] {
            return Ok(value.clone());
        }
        let value = self.expression(handle)?;
        self.frame.values[handle.index()] = Some(value.clone());
        Ok(value)
    }

    pub(super) fn registers_of(&mut self, handle: Handle<Expression>) -> Result<Vec<Reg>, Error> {
        match self.value(handle)? {
            Value::Registers(registers) => Ok(registers),
            Value::Place(_) => self.unsupported("a pointer as a value"),
        }
    }

    /// The register of a scalar.
    pub(super) fn register_of(&mut self, handle: Handle<Expression>) -> Result<Reg, Error> {
        match self.registers_of(handle)?[..] {
            [register] => Ok(register),
            _ => self.unsupported("a composite where a scalar is needed"),
        }
    }

    pub(super) fn inner(&self, handle: Handle<Expression>) -> &'a TypeInner {
        self.frame.info[handle].ty.inner_with(&self.module.types)
    }

    /// The scalar kind of an expression; `Uint` if it has none.
    pub(super) fn kind(&self, handle: Handle<Expression>) -> ScalarKind {
        self.inner(handle).scalar_kind().unwrap_or(ScalarKind::Uint)
    }

    fn literal(&mut self, literal: Literal) -> Result<Vec<Reg>, Error> {
        let bits = match literal {
            Literal::F32(value) => value.to_bits(),
            Literal::U32(value) => value,
            Literal::I32(value) => value as u32,
            Literal::Bool(value) => value.into(),
            other => return self.unsupported(format!("the literal {other:?}")),
        };
        Ok(vec![self.out.constant(bits)])
    }

    /// The registers of an expression that lies outside of functions.
    pub(super) fn constant_expression(&mut self, handle: Handle<Expression>) -> Result<Vec<Reg>, Error> {
        let expression = &self.module.global_expressions[handle];
        match self.composed(expression, Self::constant_expression) {
            Some(registers) => registers,
            None => self.unsupported(format!("the constant {expression:?}")),
        }
    }

    /// The registers of a constant, or of a value that is composed of others; `part` returns those of the others.
    fn composed(
        &mut self,
        expression: &Expression,
        mut part: impl FnMut(&mut Self, Handle<Expression>) -> Result<Vec<Reg>, Error>,
    ) -> Option<Result<Vec<Reg>, Error>> {
        Some(match *expression {
            Expression::Literal(literal) => self.literal(literal),
            Expression::Constant(constant) => self.constant_expression(self.module.constants[constant].init),
            Expression::ZeroValue(ty) => self.zeros(ty),
            Expression::Compose { ref components, .. } => {
                let parts = components.iter().map(|component| part(self, *component));
                parts.collect::<Result<Vec<_>, _>>().map(|parts| parts.concat())
            }
            Expression::Splat { size, value } => part(self, value).map(|value| value.repeat(size as usize)),
            _ => return None,
        })
    }

    pub(super) fn expression(&mut self, handle: Handle<Expression>) -> Result<Value, Error> {
        let expression = &self.frame.function.expressions[handle];
        if let Some(registers) = self.composed(expression, Self::registers_of) {
            return registers.map(Value::Registers);
        }
        let registers = match *expression {
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.registers_of(vector)?;
                pattern[..size as usize].iter().map(|component| vector[*component as usize]).collect()
            }
            Expression::FunctionArgument(n) => return Ok(self.frame.arguments[n as usize].clone()),
            Expression::GlobalVariable(global) => return Ok(Value::Place(self.global(global)?)),
            Expression::LocalVariable(local) => return Ok(Value::Place(self.frame.locals[&local])),
            Expression::Load { pointer } => {
                let place = self.place_of(pointer)?;
                self.load(place)?
            }
            Expression::AccessIndex { base, index } => match self.value(base)? {
                Value::Place(place) => return Ok(Value::Place(self.part(place, index)?)),
                Value::Registers(registers) => {
                    let (begin, count) = self.part_of_value(self.inner(base), index)?;
                    registers[begin..begin + count].to_vec()
                }
            },
            Expression::Access { base, index } => {
                let (Value::Place(place), index) = (self.value(base)?, self.register_of(index)?) else {
                    return self.unsupported("a computed index of a value without a place");
                };
                return Ok(Value::Place(self.element(place, index)?));
            }
            Expression::ArrayLength(array) => {
                let place = self.place_of(array)?;
                vec![self.length(place)?]
            }
            Expression::Select { condition, accept, reject } => {
                let [condition, accept, reject] =
                    [self.registers_of(condition)?, self.registers_of(accept)?, self.registers_of(reject)?];
                let conditions = condition.iter().cycle();
                let both = accept.into_iter().zip(reject).zip(conditions);
                both.map(|((accept, reject), &one)| self.out.select(one, accept, reject)).collect()
            }
            Expression::Relational { fun, argument } => {
                let argument = self.registers_of(argument)?;
                let op = match fun {
                    naga::RelationalFunction::All => Binary::And,
                    naga::RelationalFunction::Any => Binary::Or,
                    other => return self.unsupported(format!("{other:?}")),
                };
                argument.into_iter().reduce(|all, one| self.out.binary(op, all, one)).into_iter().collect()
            }
            Expression::Unary { op, expr } => self.unary(op, expr)?,
            Expression::Binary { op, left, right } => self.binary(op, left, right)?,
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let arguments: Vec<_> = [Some(arg), arg1, arg2, arg3].into_iter().flatten().collect();
                self.math(fun, &arguments)?
            }
            Expression::As { expr, kind, convert } => self.conversion(expr, kind, convert)?,
            ref other => return self.unsupported(format!("{other:?}")),
        };
        Ok(Value::Registers(registers))
    }

    /// The position of a value's `index`-th part among the value's scalars, and the part's number of scalars.
    fn part_of_value(&self, inner: &TypeInner, index: u32) -> Result<(usize, usize), Error> {
        let index = index as usize;
        Ok(match inner {
            TypeInner::Struct { members, .. } => {
                let counts = members[..=index].iter().map(|member| self.count(member.ty));
                let counts = counts.collect::<Result<Vec<_>, _>>()?;
                (counts[..index].iter().sum(), counts[index])
            }
            TypeInner::Array { base, .. } => {
                let each = self.count(*base)?;
                (index * each, each)
            }
            _ => (index, 1),
        })
    }
}
