//! Lowers operators and built-in functions, component by component.

use naga::{BinaryOperator, Bytes, Expression, Handle, MathFunction, ScalarKind, TypeInner, UnaryOperator};

use super::Lowering;
use crate::Error;
use crate::code::{Binary, Float, Opcode, Reg, Unary};

/// The `n`-th component of a vector, or the scalar itself.
fn component(registers: &[Reg], n: usize) -> Reg {
    registers[if registers.len() == 1 { 0 } else { n }]
}

impl Lowering<'_> {
    pub(super) fn unary(
        &mut self,
        op: UnaryOperator,
        operand: Handle<Expression>,
    ) -> Result<Vec<Reg>, Error> {
        let kind = self.kind(operand);
        let registers = self.registers_of(operand)?;
        let r = &mut self.out;
        let component = |reg| match op {
            UnaryOperator::Negate if kind == ScalarKind::Float => r.negative(reg),
            UnaryOperator::Negate => r.unary(Unary::Negate, reg),
            UnaryOperator::LogicalNot => r.opposite(reg),
            UnaryOperator::BitwiseNot => r.unary(Unary::Not, reg),
        };
        Ok(registers.into_iter().map(component).collect())
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Result<Vec<Reg>, Error> {
        let is_matrix = |inner: &TypeInner| matches!(inner, TypeInner::Matrix { .. });
        if is_matrix(self.inner(left)) || is_matrix(self.inner(right)) {
            return self.unsupported("a matrix");
        }
        let kind = self.kind(left);
        let (left, right) = (self.registers_of(left)?, self.registers_of(right)?);
        let count = left.len().max(right.len());
        let each = |n| self.binary_of_scalars(op, kind, component(&left, n), component(&right, n));
        (0..count).map(each).collect()
    }

    fn binary_of_scalars(
        &mut self,
        op: BinaryOperator,
        kind: ScalarKind,
        a: Reg,
        b: Reg,
    ) -> Result<Reg, Error> {
        use BinaryOperator as O;
        let (signed, float) = (kind == ScalarKind::Sint, kind == ScalarKind::Float);
        let (equal, less) = match kind {
            ScalarKind::Float => (Binary::EqualF, Binary::LessF),
            ScalarKind::Sint => (Binary::Equal, Binary::LessI),
            _ => (Binary::Equal, Binary::LessU),
        };
        let r = &mut self.out;
        let op = match op {
            O::Add if float => return Ok(r.joined(Float::Sum, a, b)),
            O::Subtract if float => {
                let opposite = r.negative(b);
                return Ok(r.joined(Float::Sum, a, opposite));
            }
            O::Multiply if float => return Ok(r.joined(Float::Product, a, b)),
            O::Equal => equal,
            O::Less => less,
            O::Greater => return Ok(r.binary(less, b, a)),
            // For floats, a negated `<` differs from `>=` if an operand is a NaN, but WGSL then leaves the result open.
            O::NotEqual | O::LessEqual | O::GreaterEqual => {
                let opposite = match op {
                    O::NotEqual => r.binary(equal, a, b),
                    O::LessEqual => r.binary(less, b, a),
                    _ => r.binary(less, a, b),
                };
                return Ok(r.opposite(opposite));
            }
            _ if float => return self.unsupported(format!("{op:?} of floats")),
            O::Add => Binary::Add,
            O::Subtract => Binary::Subtract,
            O::Multiply => Binary::Multiply,
            O::Divide | O::Modulo if signed => return self.unsupported(format!("{op:?} of signed integers")),
            O::Divide => Binary::Divide,
            O::Modulo => Binary::Remainder,
            O::And | O::LogicalAnd => Binary::And,
            O::InclusiveOr | O::LogicalOr => Binary::Or,
            O::ExclusiveOr => Binary::Xor,
            O::ShiftLeft => Binary::ShiftLeft,
            O::ShiftRight if signed => Binary::ShiftRightI,
            O::ShiftRight => Binary::ShiftRightU,
        };
        Ok(r.binary(op, a, b))
    }

    pub(super) fn math(
        &mut self,
        fun: MathFunction,
        arguments: &[Handle<Expression>],
    ) -> Result<Vec<Reg>, Error> {
        let kind = self.kind(arguments[0]);
        let arguments = arguments.iter().map(|argument| self.registers_of(*argument));
        let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
        let r = &mut self.out;
        match fun {
            MathFunction::Pack2x16float => {
                let [low, high] = [0, 1].map(|n| r.unary(Unary::Half, arguments[0][n]));
                let sixteen = r.constant(16);
                let high = r.binary(Binary::ShiftLeft, high, sixteen);
                Ok(vec![r.binary(Binary::Or, low, high)])
            }
            MathFunction::Unpack2x16float => {
                let (mask, sixteen) = (r.constant(0xffff), r.constant(16));
                let low = r.binary(Binary::And, arguments[0][0], mask);
                let high = r.binary(Binary::ShiftRightU, arguments[0][0], sixteen);
                Ok([low, high].map(|half| r.unary(Unary::FromHalf, half)).to_vec())
            }
            _ => {
                let each = |n| {
                    let of: Vec<_> = arguments.iter().map(|all| component(all, n)).collect();
                    self.math_of_scalars(fun, kind, &of)
                };
                (0..arguments[0].len()).map(each).collect()
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
        let r = &mut self.out;
        let unary = match fun {
            F::Min => return Ok(r.binary(min, of[0], of[1])),
            F::Max => return Ok(r.binary(max, of[0], of[1])),
            // For floats, WGSL allows either min and max or the median; these differ if `low > high`.
            F::Clamp if !float => {
                let raised = r.binary(max, of[0], of[1]);
                return Ok(r.binary(min, raised, of[2]));
            }
            F::Fma => {
                let product = r.joined(Float::Product, of[0], of[1]);
                return Ok(r.joined(Float::Sum, product, of[2]));
            }
            F::ExtractBits => return Ok(r.compute(Opcode::ExtractBits { signed }, of)),
            F::InsertBits => return Ok(r.compute(Opcode::InsertBits, of)),
            F::Abs if signed => Unary::Abs,
            F::Round => Unary::Round,
            F::CountLeadingZeros => Unary::LeadingZeros,
            _ => return self.unsupported(format!("{fun:?}")),
        };
        Ok(r.unary(unary, of[0]))
    }

    pub(super) fn conversion(
        &mut self,
        operand: Handle<Expression>,
        to: ScalarKind,
        convert: Option<Bytes>,
    ) -> Result<Vec<Reg>, Error> {
        use ScalarKind::{Bool, Float, Sint, Uint};
        let from = self.kind(operand);
        let registers = self.registers_of(operand)?;
        if let Some(bytes) = convert.filter(|bytes| to != Bool && *bytes != 4) {
            return self.unsupported(format!("{to:?} of {} bits", 8 * bytes));
        }
        if convert.is_none() || from == to || (from != Float && matches!(to, Uint | Sint)) {
            return Ok(registers);
        }
        let r = &mut self.out;
        let (zero, one) = (r.constant(0), r.constant(1.0_f32.to_bits()));
        let component = |reg| match (from, to) {
            (_, Bool) => {
                let equal = r.binary(if from == Float { Binary::EqualF } else { Binary::Equal }, reg, zero);
                r.opposite(equal)
            }
            (Bool, _) => r.select(reg, one, zero),
            (Uint, _) => r.unary(Unary::FloatFromU, reg),
            (Sint, _) => r.unary(Unary::FloatFromI, reg),
            (_, Uint) => r.unary(Unary::UFromFloat, reg),
            _ => r.unary(Unary::IFromFloat, reg),
        };
        Ok(registers.into_iter().map(component).collect())
    }
}
