//! Names that a random program can use.

use std::rc::Rc;

use super::types::{Path, Piece, Type, Types};

/// A named value.
#[derive(Clone)]
pub struct Root {
    /// The text of the value.
    pieces: Vec<Piece>,
    paths: Rc<[Path]>,
    pub ty: Type,
    pub assignable: bool,
    /// Whether WGSL knows the value before the program runs.
    pub constant: bool,
    /// The text of a pointer to it, if it may be passed to a function.
    pub pointer: Option<String>,
}

impl Root {
    /// A value that cannot be assigned to.
    pub fn value(types: &Types, ty: Type, name: &str) -> Self {
        Self::at(types, ty, vec![Piece::Text(name.to_owned())])
    }

    /// A value that cannot be assigned to, whose text may have indices.
    pub fn at(types: &Types, ty: Type, pieces: Vec<Piece>) -> Self {
        let paths = types.paths(ty).into();
        Self { pieces, paths, ty, assignable: false, constant: false, pointer: None }
    }

    pub fn assignable(self) -> Self {
        Self { assignable: true, ..self }
    }

    pub fn constant(self) -> Self {
        Self { constant: true, ..self }
    }

    pub fn with_pointer(self, pointer: String) -> Self {
        Self { pointer: Some(pointer), ..self }
    }

    /// The places in it that `wanted` accepts.
    pub fn places(&self, wanted: impl Fn(&Path) -> bool) -> impl Iterator<Item = &Path> {
        self.paths.iter().filter(move |path| wanted(path))
    }

    /// The text of a place; `index` writes the pieces that are indices.
    pub fn text(&self, path: &Path, mut index: impl FnMut(&Piece) -> String) -> String {
        let pieces = self.pieces.iter().chain(&path.pieces);
        pieces
            .map(|piece| match piece {
                Piece::Text(text) => text.clone(),
                Piece::Index(_) | Piece::Below(_) => index(piece),
            })
            .collect()
    }
}
