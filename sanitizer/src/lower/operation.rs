//! Lowers operators and built-in functions, component by component.

use naga::{BinaryOperator, Bytes, Expression, Handle, MathFunction, ScalarKind, TypeInner, UnaryOperator};

use super::{Frame, Lowering};
use crate::Error;
use crate::code::{Binary, Float, Reg, Unary};

impl<'a> Lowering<'a> {
    pub(super) fn unary(
        &mut self,
        frame: &mut Frame<'a>,
        op: UnaryOperator,
        operand: Handle<Expression>,
    ) -> Result<Vec<Reg>, Error> {
        let kind = self.kind(frame, operand);
        let registers = self.registers_of(frame, operand)?;
        let one = self.registers.constant(1);
        let component = |reg| match (op, kind) {
            (UnaryOperator::Negate, Some(ScalarKind::Float)) => self.registers.negative(reg),
            (UnaryOperator::Negate, _) => self.registers.unary(Unary::Negate, reg),
            (UnaryOperator::LogicalNot, _) => self.registers.binary(Binary::Xor, reg, one),
            (UnaryOperator::BitwiseNot, _) => self.registers.unary(Unary::Not, reg),
        };
        Ok(registers.into_iter().map(component).collect())
    }

    pub(super) fn binary(
        &mut self,
        frame: &mut Frame<'a>,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Result<Vec<Reg>, Error> {
        let is_matrix = |inner: &TypeInner| matches!(inner, TypeInner::Matrix { .. });
        if is_matrix(self.inner(frame, left)) || is_matrix(self.inner(frame, right)) {
            return self.unsupported("a matrix");
        }
        let kind = self.kind(frame, left).unwrap_or(ScalarKind::Uint);
        let (left, right) = (self.registers_of(frame, left)?, self.registers_of(frame, right)?);
        let count = left.len().max(right.len());
        let of = |registers: &[Reg], n: usize| registers[if registers.len() == 1 { 0 } else { n }];
        (0..count).map(|n| self.binary_of_scalars(op, kind, of(&left, n), of(&right, n))).collect()
    }

    fn binary_of_scalars(
        &mut self,
        op: BinaryOperator,
        kind: ScalarKind,
        a: Reg,
        b: Reg,
    ) -> Result<Reg, Error> {
        use BinaryOperator as O;
        let signed = kind == ScalarKind::Sint;
        let r = &mut self.registers;
        let less = if signed { Binary::LessI } else { Binary::LessU };
        if kind == ScalarKind::Float {
            return Ok(match op {
                O::Add => r.joined(Float::Sum, a, b),
                O::Subtract => r.difference(a, b),
                O::Multiply => r.joined(Float::Product, a, b),
                O::Equal => r.binary(Binary::EqualF, a, b),
                O::NotEqual => {
                    let equal = r.binary(Binary::EqualF, a, b);
                    r.opposite(equal)
                }
                O::Less => r.binary(Binary::LessF, a, b),
                O::LessEqual => r.binary(Binary::LessEqualF, a, b),
                O::Greater => r.binary(Binary::LessF, b, a),
                O::GreaterEqual => r.binary(Binary::LessEqualF, b, a),
                other => return self.unsupported(format!("{other:?} of floats")),
            });
        }
        Ok(match op {
            O::Add => r.binary(Binary::Add, a, b),
            O::Subtract => r.binary(Binary::Subtract, a, b),
            O::Multiply => r.binary(Binary::Multiply, a, b),
            O::Divide => r.binary(if signed { Binary::DivideI } else { Binary::DivideU }, a, b),
            O::Modulo => r.binary(if signed { Binary::RemainderI } else { Binary::RemainderU }, a, b),
            O::Equal => r.binary(Binary::Equal, a, b),
            O::NotEqual => {
                let equal = r.binary(Binary::Equal, a, b);
                r.opposite(equal)
            }
            O::Less => r.binary(less, a, b),
            O::Greater => r.binary(less, b, a),
            O::LessEqual => {
                let greater = r.binary(less, b, a);
                r.opposite(greater)
            }
            O::GreaterEqual => {
                let smaller = r.binary(less, a, b);
                r.opposite(smaller)
            }
            O::And | O::LogicalAnd => r.binary(Binary::And, a, b),
            O::InclusiveOr | O::LogicalOr => r.binary(Binary::Or, a, b),
            O::ExclusiveOr => r.binary(Binary::Xor, a, b),
            O::ShiftLeft => r.binary(Binary::ShiftLeft, a, b),
            O::ShiftRight => r.binary(if signed { Binary::ShiftRightI } else { Binary::ShiftRightU }, a, b),
        })
    }

    pub(super) fn math(
        &mut self,
        frame: &mut Frame<'a>,
        fun: MathFunction,
        arguments: &[Handle<Expression>],
    ) -> Result<Vec<Reg>, Error> {
        let kind = self.kind(frame, arguments[0]).unwrap_or(ScalarKind::Uint);
        let arguments = arguments
            .iter()
            .map(|argument| self.registers_of(frame, *argument))
            .collect::<Result<Vec<_>, _>>()?;
        match fun {
            MathFunction::Dot if kind != ScalarKind::Float => {
                let pairs: Vec<_> = arguments[0].iter().zip(&arguments[1]).collect();
                let r = &mut self.registers;
                let mut sum = r.constant(0);
                for (&a, &b) in pairs {
                    let product = r.binary(Binary::Multiply, a, b);
                    sum = r.binary(Binary::Add, sum, product);
                }
                Ok(vec![sum])
            }
            MathFunction::Pack2x16float => {
                let [low, high] = [0, 1].map(|n| self.registers.unary(Unary::Half, arguments[0][n]));
                let sixteen = self.registers.constant(16);
                let high = self.registers.binary(Binary::ShiftLeft, high, sixteen);
                Ok(vec![self.registers.binary(Binary::Or, low, high)])
            }
            MathFunction::Unpack2x16float => {
                let (mask, sixteen) = (self.registers.constant(0xffff), self.registers.constant(16));
                let low = self.registers.binary(Binary::And, arguments[0][0], mask);
                let high = self.registers.binary(Binary::ShiftRightU, arguments[0][0], sixteen);
                Ok([low, high].map(|half| self.registers.unary(Unary::FromHalf, half)).to_vec())
            }
            _ => {
                let components = arguments[0].len();
                let component = |n: usize| {
                    let of: Vec<_> =
                        arguments.iter().map(|all| all[if all.len() == 1 { 0 } else { n }]).collect();
                    self.math_of_scalars(fun, kind, &of)
                };
                (0..components).map(component).collect()
            }
        }
    }

    fn math_of_scalars(&mut self, fun: MathFunction, kind: ScalarKind, of: &[Reg]) -> Result<Reg, Error> {
        use MathFunction as F;
        let (signed, float) = (kind == ScalarKind::Sint, kind == ScalarKind::Float);
        let (min, max) = match kind {
            ScalarKind::Float => (Binary::MinF, Binary::MaxF),
            ScalarKind::Sint => (Binary::MinI, Binary::MaxI),
            _ => (Binary::MinU, Binary::MaxU),
        };
        let r = &mut self.registers;
        Ok(match (fun, of) {
            (F::Min, &[a, b]) => r.binary(min, a, b),
            (F::Max, &[a, b]) => r.binary(max, a, b),
            // For floats WGSL allows min and max or the median, which differ where `low > high`.
            (F::Clamp, &[a, low, high]) if !float => {
                let raised = r.binary(max, a, low);
                r.binary(min, raised, high)
            }
            (F::Saturate, &[a]) => {
                let (zero, one) = (r.constant(0), r.constant(1.0_f32.to_bits()));
                let raised = r.binary(max, a, zero);
                r.binary(min, raised, one)
            }
            (F::Abs, &[a]) if float => r.unary(Unary::AbsF, a),
            (F::Abs, &[a]) if signed => r.unary(Unary::Abs, a),
            (F::Abs, &[a]) => a,
            (F::Sign, &[a]) => r.unary(if float { Unary::SignF } else { Unary::Sign }, a),
            (F::Floor, &[a]) => r.unary(Unary::Floor, a),
            (F::Ceil, &[a]) => r.unary(Unary::Ceil, a),
            (F::Trunc, &[a]) => r.unary(Unary::Trunc, a),
            (F::Round, &[a]) => r.unary(Unary::Round, a),
            (F::Fma, &[a, b, c]) => {
                let product = r.joined(Float::Product, a, b);
                r.joined(Float::Sum, product, c)
            }
            (F::CountOneBits, &[a]) => r.unary(Unary::CountOnes, a),
            (F::CountLeadingZeros, &[a]) => r.unary(Unary::LeadingZeros, a),
            (F::CountTrailingZeros, &[a]) => r.unary(Unary::TrailingZeros, a),
            (F::ReverseBits, &[a]) => r.unary(Unary::Reverse, a),
            (F::FirstLeadingBit, &[a]) if signed => r.unary(Unary::FirstLeadingI, a),
            (F::FirstLeadingBit, &[a]) => r.unary(Unary::FirstLeadingU, a),
            (F::FirstTrailingBit, &[a]) => r.unary(Unary::FirstTrailing, a),
            (F::ExtractBits, &[from, offset, count]) => r.extract_bits(signed, from, offset, count),
            (F::InsertBits, &[into, bits, offset, count]) => r.insert_bits(into, bits, offset, count),
            _ => return self.unsupported(format!("{fun:?}")),
        })
    }

    pub(super) fn conversion(
        &mut self,
        frame: &mut Frame<'a>,
        operand: Handle<Expression>,
        to: ScalarKind,
        convert: Option<Bytes>,
    ) -> Result<Vec<Reg>, Error> {
        let from = self.kind(frame, operand);
        let registers = self.registers_of(frame, operand)?;
        if let Some(bytes) = convert.filter(|bytes| to != ScalarKind::Bool && *bytes != 4) {
            return self.unsupported(format!("{to:?} of {} bits", 8 * bytes));
        }
        if convert.is_none() || from == Some(to) {
            return Ok(registers);
        }
        let r = &mut self.registers;
        let (zero, one) = (r.constant(0), r.constant(1.0_f32.to_bits()));
        let component = |reg| {
            Ok(match (from, to) {
                (
                    Some(ScalarKind::Uint | ScalarKind::Sint | ScalarKind::Bool),
                    ScalarKind::Uint | ScalarKind::Sint,
                ) => reg,
                (Some(ScalarKind::Uint | ScalarKind::Sint), ScalarKind::Bool) => {
                    let equal = r.binary(Binary::Equal, reg, zero);
                    r.opposite(equal)
                }
                (Some(ScalarKind::Float), ScalarKind::Bool) => {
                    let equal = r.binary(Binary::EqualF, reg, zero);
                    r.opposite(equal)
                }
                (Some(ScalarKind::Bool), ScalarKind::Float) => r.select(reg, one, zero),
                (Some(ScalarKind::Uint), ScalarKind::Float) => r.unary(Unary::FloatFromU, reg),
                (Some(ScalarKind::Sint), ScalarKind::Float) => r.unary(Unary::FloatFromI, reg),
                (Some(ScalarKind::Float), ScalarKind::Uint) => r.unary(Unary::UFromFloat, reg),
                (Some(ScalarKind::Float), ScalarKind::Sint) => r.unary(Unary::IFromFloat, reg),
                (from, to) => return Err(format!("a conversion from {from:?} to {to:?}")),
            })
        };
        let converted: Result<Vec<_>, String> = registers.into_iter().map(component).collect();
        converted.or_else(|what| self.unsupported(what))
    }
}
