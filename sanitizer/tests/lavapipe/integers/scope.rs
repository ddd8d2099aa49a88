//! What a random program can name.

use std::rc::Rc;

use super::types::{Path, Piece, Type, Types};

/// Something with a name.
#[derive(Clone)]
pub struct Root {
    /// How its value is written.
    pieces: Vec<Piece>,
    paths: Rc<[Path]>,
    pub ty: Type,
    pub assignable: bool,
    /// Whether WGSL knows its value before the program runs.
    pub constant: bool,
    /// How a pointer to it is written, if a function may be given one.
    pub pointer: Option<String>,
}

impl Root {
    /// A value that does not change.
    pub fn value(types: &Types, ty: Type, name: &str) -> Self {
        Self::at(types, ty, vec![Piece::Text(name.to_owned())])
    }

    /// The same, with an index within it.
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

    /// All places in it that are as asked.
    pub fn places(&self, wanted: impl Fn(&Path) -> bool) -> impl Iterator<Item = &Path> {
        self.paths.iter().filter(move |path| wanted(path))
    }

    /// The text of a place, with what `index` gives for each piece that is none.
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
