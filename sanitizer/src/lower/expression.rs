//! Lowers expressions: constants, pointers, parts of values.

use naga::{Expression, Handle, Literal, ScalarKind, TypeInner};

use super::{Frame, Lowering, Value};
use crate::Error;
use crate::code::{Binary, Reg};

impl<'a> Lowering<'a> {
    /// The value of an expression. One that no statement emits, such as a constant, is lowered where it is used.
    pub(super) fn value(
        &mut self,
        frame: &mut Frame<'a>,
        handle: Handle<Expression>,
    ) -> Result<Value, Error> {
        if let Some(value) = &frame.values[handle.index()] {
            return Ok(value.clone());
        }
        let value = self.expression(frame, handle)?;
        frame.values[handle.index()] = Some(value.clone());
        Ok(value)
    }

    pub(super) fn registers_of(
        &mut self,
        frame: &mut Frame<'a>,
        handle: Handle<Expression>,
    ) -> Result<Vec<Reg>, Error> {
        match self.value(frame, handle)? {
            Value::Registers(registers) => Ok(registers),
            Value::Place(_) => self.unsupported("a pointer as a value"),
        }
    }

    /// The register of a scalar.
    pub(super) fn register_of(
        &mut self,
        frame: &mut Frame<'a>,
        handle: Handle<Expression>,
    ) -> Result<Reg, Error> {
        match self.registers_of(frame, handle)?[..] {
            [register] => Ok(register),
            _ => self.unsupported("a scalar that is none"),
        }
    }

    pub(super) fn inner(&self, frame: &Frame<'a>, handle: Handle<Expression>) -> &'a TypeInner {
        frame.info[handle].ty.inner_with(&self.module.types)
    }

    /// The scalar kind of an expression.
    pub(super) fn kind(&self, frame: &Frame<'a>, handle: Handle<Expression>) -> Option<ScalarKind> {
        self.inner(frame, handle).scalar_kind()
    }

    fn literal(&mut self, literal: Literal) -> Result<Vec<Reg>, Error> {
        let bits = match literal {
            Literal::F32(value) => value.to_bits(),
            Literal::U32(value) => value,
            Literal::I32(value) => value as u32,
            Literal::Bool(value) => value.into(),
            other => return self.unsupported(format!("the literal {other:?}")),
        };
        Ok(vec![self.registers.constant(bits)])
    }

    /// An expression of the module, outside of functions.
    pub(super) fn constant_expression(&mut self, handle: Handle<Expression>) -> Result<Vec<Reg>, Error> {
        match &self.module.global_expressions[handle] {
            Expression::Literal(literal) => self.literal(*literal),
            Expression::Constant(constant) => self.constant_expression(self.module.constants[*constant].init),
            Expression::ZeroValue(ty) => self.zeros(*ty),
            Expression::Compose { components, .. } => {
                let parts = components.iter().map(|component| self.constant_expression(*component));
                Ok(parts.collect::<Result<Vec<_>, _>>()?.concat())
            }
            Expression::Splat { size, value } => {
                let value = self.constant_expression(*value)?;
                Ok(value.repeat(*size as usize))
            }
            other => self.unsupported(format!("the constant {other:?}")),
        }
    }

    pub(super) fn expression(
        &mut self,
        frame: &mut Frame<'a>,
        handle: Handle<Expression>,
    ) -> Result<Value, Error> {
        let registers = match frame.function.expressions[handle] {
            Expression::Literal(literal) => self.literal(literal)?,
            Expression::Constant(constant) => {
                self.constant_expression(self.module.constants[constant].init)?
            }
            Expression::ZeroValue(ty) => self.zeros(ty)?,
            Expression::Compose { ref components, .. } => {
                let parts = components.iter().map(|component| self.registers_of(frame, *component));
                parts.collect::<Result<Vec<_>, _>>()?.concat()
            }
            Expression::Splat { size, value } => self.registers_of(frame, value)?.repeat(size as usize),
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.registers_of(frame, vector)?;
                pattern[..size as usize].iter().map(|component| vector[*component as usize]).collect()
            }
            Expression::FunctionArgument(n) => return Ok(frame.arguments[n as usize].clone()),
            Expression::GlobalVariable(global) => return Ok(Value::Place(self.global(global)?)),
            Expression::LocalVariable(local) => return Ok(Value::Place(frame.locals[&local])),
            Expression::Load { pointer } => {
                let place = self.place_of(frame, pointer)?;
                self.load(place)?
            }
            Expression::AccessIndex { base, index } => match self.value(frame, base)? {
                Value::Place(place) => return Ok(Value::Place(self.part(place, index)?)),
                Value::Registers(registers) => {
                    let (begin, count) = self.part_of_value(self.inner(frame, base), index)?;
                    registers[begin..begin + count].to_vec()
                }
            },
            Expression::Access { base, index } => {
                let index = self.register_of(frame, index)?;
                match self.value(frame, base)? {
                    Value::Place(place) => return Ok(Value::Place(self.element(place, index)?)),
                    Value::Registers(registers) => self.element_of_value(frame, base, &registers, index)?,
                }
            }
            Expression::ArrayLength(array) => {
                let place = self.place_of(frame, array)?;
                vec![self.length(place)?]
            }
            Expression::Select { condition, accept, reject } => {
                let condition = self.registers_of(frame, condition)?;
                let (accept, reject) = (self.registers_of(frame, accept)?, self.registers_of(frame, reject)?);
                let one = |n: usize| condition[if condition.len() == 1 { 0 } else { n }];
                let pairs = accept.iter().zip(&reject).enumerate();
                pairs.map(|(n, (&accept, &reject))| self.registers.select(one(n), accept, reject)).collect()
            }
            Expression::Relational { fun, argument } => {
                let argument = self.registers_of(frame, argument)?;
                let op = match fun {
                    naga::RelationalFunction::All => Binary::And,
                    naga::RelationalFunction::Any => Binary::Or,
                    other => return self.unsupported(format!("{other:?}")),
                };
                let all =
                    argument[1..].iter().fold(argument[0], |all, &one| self.registers.binary(op, all, one));
                vec![all]
            }
            Expression::Unary { op, expr } => self.unary(frame, op, expr)?,
            Expression::Binary { op, left, right } => self.binary(frame, op, left, right)?,
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let arguments: Vec<_> = [Some(arg), arg1, arg2, arg3].into_iter().flatten().collect();
                self.math(frame, fun, &arguments)?
            }
            Expression::As { expr, kind, convert } => self.conversion(frame, expr, kind, convert)?,
            ref other => return self.unsupported(format!("{other:?}")),
        };
        Ok(Value::Registers(registers))
    }

    /// The position of a value's `index`-th part among the value's scalars, and the part's number of scalars.
    fn part_of_value(&self, inner: &TypeInner, index: u32) -> Result<(usize, usize), Error> {
        let (before, part) = match inner {
            TypeInner::Struct { members, .. } => {
                let before = self.count_of_members(&members[..index as usize])?;
                (before, self.count(&self.module.types[members[index as usize].ty].inner)?)
            }
            TypeInner::Array { base, .. } => {
                let each = self.count(&self.module.types[*base].inner)?;
                (index * each, each)
            }
            _ => (index, 1),
        };
        Ok((before as usize, part as usize))
    }

    /// The element of an array or a vector in registers, which are copied to variables unless the index is known.
    fn element_of_value(
        &mut self,
        frame: &Frame<'a>,
        base: Handle<Expression>,
        registers: &[Reg],
        index: Reg,
    ) -> Result<Vec<Reg>, Error> {
        let (count, stride) = match self.inner(frame, base) {
            TypeInner::Array { base, .. } => {
                let stride = self.count(&self.module.types[*base].inner)?;
                (registers.len() as u32 / stride, stride)
            }
            _ => (registers.len() as u32, 1),
        };
        if let Some(known) = self.registers.known(index).filter(|&known| known < count) {
            let begin = (known * stride) as usize;
            return Ok(registers[begin..begin + stride as usize].to_vec());
        }
        Ok(self.registers.indexed(registers, index, count, stride))
    }
}
