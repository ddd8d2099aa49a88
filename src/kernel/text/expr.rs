//! Expressions of a piece's text. Equal expressions are equal values.

use std::fmt;

/// An expression of words, or of vectors of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expr {
    /// A name that is declared once, or a member of one.
    Name(String),
    Number(u32),
    /// A number that is printed in hexadecimal digits.
    Mask(u32),
    Call(&'static str, Vec<Self>),
    Binary(&'static str, Box<[Self; 2]>),
}

use Expr::{Binary, Call, Mask, Name, Number};

impl Expr {
    pub(super) fn name(name: impl Into<String>) -> Self {
        Name(name.into())
    }

    /// A vector; one component stands for all four.
    pub(super) fn vector(components: Vec<Self>) -> Self {
        Call("vec4<u32>", components)
    }

    pub(super) fn binary(self, operator: &'static str, other: Self) -> Self {
        Binary(operator, Box::new([self, other]))
    }

    /// The sum with a constant.
    pub(super) fn plus(self, constant: usize) -> Self {
        if constant == 0 { self } else { self.binary("+", Number(constant as u32)) }
    }

    /// The product with a constant.
    pub(super) fn times(self, constant: usize) -> Self {
        if constant == 1 { self } else { self.binary("*", Number(constant as u32)) }
    }

    /// The quotient by a constant.
    pub(super) fn divided(self, constant: usize) -> Self {
        if constant == 1 { self } else { self.binary("/", Number(constant as u32)) }
    }

    /// A word shifted left, or right if `left` is negative.
    pub(super) fn shifted(self, left: i32) -> Self {
        match left {
            0 => self,
            1.. => self.binary("<<", Number(left.unsigned_abs())),
            _ => self.binary(">>", Number(left.unsigned_abs())),
        }
    }

    /// The bits of a word that `mask` selects. A shift may have dropped the others already.
    pub(super) fn masked(self, mask: u32) -> Self {
        let kept = match &self {
            Binary("<<", operands) => operands[1].number().map_or(u32::MAX, |left| u32::MAX << left),
            Binary(">>", operands) => operands[1].number().map_or(u32::MAX, |right| u32::MAX >> right),
            _ => u32::MAX,
        };
        if mask == kept { self } else { self.binary("&", Mask(mask)) }
    }

    /// The bits of all `parts`; 0 if there is none.
    pub(super) fn or(parts: impl IntoIterator<Item = Self>) -> Self {
        parts.into_iter().reduce(Self::joined).unwrap_or(Number(0))
    }

    fn joined(self, part: Self) -> Self {
        match part {
            Binary("|", parts) => {
                let [first, second] = *parts;
                self.joined(first).joined(second)
            }
            part => self.binary("|", part),
        }
    }

    const fn number(&self) -> Option<u32> {
        if let Number(number) = self { Some(*number) } else { None }
    }

    /// Writes an operand of `operator`, in parentheses unless it is a first term of a sum or of an "or", or a product in a sum.
    fn operand(&self, f: &mut fmt::Formatter<'_>, operator: &str, is_first: bool) -> fmt::Result {
        let is_plain = match (operator, self) {
            ("+" | "-", Binary("+" | "-", _)) | ("|", Binary("|", _)) => is_first,
            ("+" | "-", Binary("*", _)) => true,
            (_, Binary(..)) => false,
            _ => true,
        };
        if is_plain { write!(f, "{self}") } else { write!(f, "({self})") }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name(name) => f.write_str(name),
            Number(number) => write!(f, "{number}u"),
            Mask(mask) => write!(f, "{mask:#x}u"),
            Call(function, arguments) => {
                write!(f, "{function}(")?;
                for (n, argument) in arguments.iter().enumerate() {
                    write!(f, "{}{argument}", if n == 0 { "" } else { ", " })?;
                }
                f.write_str(")")
            }
            Binary(operator, operands) => {
                operands[0].operand(f, operator, true)?;
                write!(f, " {operator} ")?;
                operands[1].operand(f, operator, false)
            }
        }
    }
}
