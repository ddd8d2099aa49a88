//! Types of random programs, and the paths from a value to its parts.

use std::rc::Rc;

/// A scalar, or a vector of 2 to 4 components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plain {
    /// `u32`, `i32`, `bool` or `f32`.
    pub scalar: &'static str,
    pub width: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Plain(Plain),
    Array(Rc<Self>, usize),
    /// A struct, by its name. Its members are `m0`, `m1` and so on.
    Struct(String, Rc<[Self]>),
}

/// A part of a value.
#[derive(Clone, Debug)]
pub struct Part {
    /// The text that follows the value's text. `{#5}` stands for any index below 5.
    pub text: String,
    pub ty: Type,
    /// Whether it is a vector's component, to which WGSL has no pointers.
    pub component: bool,
}

pub const U32: Plain = Plain { scalar: "u32", width: 1 };
pub const I32: Plain = Plain { scalar: "i32", width: 1 };
pub const BOOL: Plain = Plain { scalar: "bool", width: 1 };

impl Plain {
    pub const fn with_width(self, width: usize) -> Self {
        Self { width, ..self }
    }

    pub const fn with_scalar(self, scalar: &'static str) -> Self {
        Self { scalar, ..self }
    }

    pub fn name(self) -> String {
        match self.width {
            1 => self.scalar.to_owned(),
            width => format!("vec{width}<{}>", self.scalar),
        }
    }
}

impl Type {
    pub fn name(&self) -> String {
        match self {
            Self::Plain(plain) => plain.name(),
            Self::Array(of, length) => format!("array<{}, {length}>", of.name()),
            Self::Struct(name, _) => name.clone(),
        }
    }

    /// The types of an array's elements or a struct's members.
    pub fn members(&self) -> Vec<Self> {
        match self {
            Self::Plain(_) => Vec::new(),
            Self::Array(of, length) => vec![Self::clone(of); *length],
            Self::Struct(_, members) => members.to_vec(),
        }
    }

    /// All parts of a value of this type; the first one is the value itself.
    pub fn parts(&self) -> Vec<Part> {
        let inner: Vec<_> = match self {
            Self::Plain(Plain { width: 1, .. }) => Vec::new(),
            Self::Plain(plain) => {
                let component = Self::Plain(plain.with_width(1));
                let names = "xyzw"[..plain.width].chars().map(|name| format!(".{name}"));
                names
                    .chain([format!("[{{#{}}}]", plain.width)])
                    .map(|text| (text, component.clone()))
                    .collect()
            }
            Self::Array(of, length) => vec![(format!("[{{#{length}}}]"), Self::clone(of))],
            Self::Struct(_, members) => {
                members.iter().enumerate().map(|(n, ty)| (format!(".m{n}"), ty.clone())).collect()
            }
        };
        let mut parts = vec![Part { text: String::new(), ty: self.clone(), component: false }];
        for (text, ty) in inner {
            parts.extend(ty.parts().into_iter().map(|part| Part {
                text: format!("{text}{}", part.text),
                component: part.component || matches!(self, Self::Plain(_)),
                ..part
            }));
        }
        parts
    }
}
