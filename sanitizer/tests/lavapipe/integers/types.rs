//! Types of random programs, and the paths from a value to its parts.

use std::fmt::Write as _;

use crate::choices::Choices;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    U32,
    I32,
    Bool,
}

/// A scalar, or a vector of 2 to 4 components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plain {
    pub scalar: Scalar,
    pub width: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Plain(Plain),
    /// An aggregate, by its index in [`Types`].
    Aggregate(usize),
}

#[derive(Clone, Debug)]
pub enum Aggregate {
    Array { of: Type, length: usize },
    Struct { name: String, members: Vec<Member> },
}

#[derive(Clone, Debug)]
pub struct Member {
    pub attributes: &'static str,
    pub name: String,
    pub ty: Type,
}

/// The address space of a type's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    Function,
    Storage,
    Uniform,
}

/// The aggregates of a program.
#[derive(Clone, Debug, Default)]
pub struct Types(pub Vec<Aggregate>);

/// A piece of a place's text.
#[derive(Clone, Debug)]
pub enum Piece {
    Text(String),
    /// An index of an array or a vector with this many elements.
    Index(usize),
    /// An index below this `u32` of WGSL.
    Below(String),
}

/// A path from a value to a part of it.
#[derive(Clone, Debug)]
pub struct Path {
    pub pieces: Vec<Piece>,
    pub ty: Type,
    /// Whether it ends at a vector's component, to which WGSL has no pointers.
    pub component: bool,
}

pub const U32: Plain = Plain { scalar: Scalar::U32, width: 1 };
pub const I32: Plain = Plain { scalar: Scalar::I32, width: 1 };
pub const BOOL: Plain = Plain { scalar: Scalar::Bool, width: 1 };

impl Scalar {
    pub const fn name(self) -> &'static str {
        match self {
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::Bool => "bool",
        }
    }
}

impl Plain {
    pub const fn with_width(self, width: usize) -> Self {
        Self { width, ..self }
    }

    pub const fn with_scalar(self, scalar: Scalar) -> Self {
        Self { scalar, ..self }
    }

    pub fn name(self) -> String {
        match self.width {
            1 => self.scalar.name().to_owned(),
            width => format!("vec{width}<{}>", self.scalar.name()),
        }
    }

    /// An expression with this scalar in every component.
    pub fn all(self, number: &str) -> String {
        if self.width == 1 { number.to_owned() } else { format!("{}({number})", self.name()) }
    }

    pub fn any(choices: &mut Choices, home: Home) -> Self {
        let scalars = [Scalar::U32, Scalar::I32, Scalar::Bool];
        let scalar = choices.pick(if home == Home::Function { &scalars } else { &scalars[..2] });
        Self { scalar, width: 1 + choices.below(4) }
    }
}

impl Types {
    pub fn name(&self, ty: Type) -> String {
        match ty {
            Type::Plain(plain) => plain.name(),
            Type::Aggregate(index) => match &self.0[index] {
                Aggregate::Array { of, length } => format!("array<{}, {length}>", self.name(*of)),
                Aggregate::Struct { name, .. } => name.clone(),
            },
        }
    }

    pub fn array(&mut self, of: Type, length: usize) -> Type {
        self.0.push(Aggregate::Array { of, length });
        Type::Aggregate(self.0.len() - 1)
    }

    pub fn structure(&mut self, choices: &mut Choices, home: Home, nested: bool) -> Type {
        let members = (0..=choices.below(5)).map(|n| {
            let ty = match choices.below(5) {
                // In a uniform block a nested struct needs alignment 16, and naga takes it from the member types
                // alone.
                _ if home == Home::Uniform && nested && n == 0 => Type::Plain(U32.with_width(4)),
                3 => {
                    let mut of = Plain::any(choices, home);
                    if home == Home::Uniform {
                        of.width = of.width.max(3);
                    }
                    self.array(Type::Plain(of), 1 + choices.below(5))
                }
                4 if !nested => {
                    let inner = self.structure(choices, home, true);
                    if choices.once_in(2) { self.array(inner, 1 + choices.below(3)) } else { inner }
                }
                _ => Type::Plain(Plain::any(choices, home)),
            };
            let attributes = match (home, ty) {
                (Home::Function, _) => "",
                (Home::Uniform, Type::Aggregate(_)) => "@align(16) ",
                (Home::Storage, Type::Aggregate(_)) => choices.pick(&["", "", "@align(32) "]),
                (_, Type::Plain(_)) => choices.pick(&["", "", "", "@align(16) ", "@size(80) @align(32) "]),
            };
            Member { attributes, name: format!("m{n}"), ty }
        });
        let members = members.collect();
        self.0.push(Aggregate::Struct { name: format!("S{}", self.0.len()), members });
        Type::Aggregate(self.0.len() - 1)
    }

    /// Declarations of the structs.
    pub fn declarations(&self) -> String {
        let mut wgsl = String::new();
        for aggregate in &self.0 {
            if let Aggregate::Struct { name, members } = aggregate {
                writeln!(wgsl, "struct {name} {{").unwrap();
                for Member { attributes, name, ty } in members {
                    writeln!(wgsl, "    {attributes}{name}: {},", self.name(*ty)).unwrap();
                }
                wgsl.push_str("}\n");
            }
        }
        wgsl
    }

    /// All paths from a value of this type; the first one leads to the value itself.
    pub fn paths(&self, ty: Type) -> Vec<Path> {
        let mut paths = vec![Path { pieces: Vec::new(), ty, component: false }];
        let mut descend =
            |pieces: &[Piece], to: Type| {
                paths.extend(self.paths(to).into_iter().map(|inner| Path {
                    pieces: pieces.iter().cloned().chain(inner.pieces).collect(),
                    ..inner
                }));
            };
        let index =
            |length: usize| [Piece::Text("[".to_owned()), Piece::Index(length), Piece::Text("]".to_owned())];
        match ty {
            Type::Plain(Plain { width: 1, .. }) => {}
            Type::Plain(plain) => {
                let to = Type::Plain(plain.with_width(1));
                let components =
                    "xyzw"[..plain.width].chars().map(|name| vec![Piece::Text(format!(".{name}"))]);
                for pieces in components.chain([index(plain.width).to_vec()]) {
                    paths.push(Path { pieces, ty: to, component: true });
                }
            }
            Type::Aggregate(of) => match &self.0[of] {
                Aggregate::Array { of, length } => descend(&index(*length), *of),
                Aggregate::Struct { members, .. } => {
                    for Member { name, ty, .. } in members {
                        descend(&[Piece::Text(format!(".{name}"))], *ty);
                    }
                }
            },
        }
        paths
    }
}
