//! What is wrong with a program, and where.

use std::fmt;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A load or store beyond a binding, or an index beyond an array that ends with it.
    BeyondBinding,
    /// An index beyond an array or a vector, whether what lies there is used or not.
    BeyondArray,
    /// Two invocations touch a byte, one of them stores it, and not both atomically.
    Race,
    /// A word is touched atomically and plainly in one dispatch.
    MixedAtomics,
    /// A loop of more than 65,536 rounds, with which the dispatch ends.
    Endless,
    /// Another order of invocations gives other bytes.
    Order,
    /// A shift by the width of its operand or more.
    Shift,
    /// A value that may be anything is stored.
    TaintedStore,
    /// A value that may be anything is an address, or an index.
    TaintedAddress,
    /// A value that may be anything decides which way an invocation goes.
    TaintedBranch,
}

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Finding {
    /// What is wrong.
    pub kind: Kind,
    /// Where; `None` if it is nowhere in particular.
    pub source: Option<Source>,
    /// The values: addresses in bytes, words in hexadecimal; of a tainted value, the line that it is tainted since.
    pub values: String,
}

/// A place in the WGSL, and who is there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// Which of the dispatches that were run; 0 where it was one.
    pub dispatch: usize,
    /// The line, from 1 on.
    pub line: u32,
    /// That line, without white space around it.
    pub text: String,
    /// The lines of the calls that lead there, the innermost first.
    pub callers: Vec<u32>,
    /// The global id of the invocation.
    pub invocation: [u32; 3],
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BeyondBinding => "access beyond the binding",
            Self::BeyondArray => "index beyond the array",
            Self::Race => "race",
            Self::MixedAtomics => "word touched atomically and plainly",
            Self::Endless => "loop of more than 65,536 rounds",
            Self::Order => "result depends on the order of invocations",
            Self::Shift => "shift by the width or more",
            Self::TaintedStore => "value that may be anything is stored",
            Self::TaintedAddress => "value that may be anything is an address",
            Self::TaintedBranch => "value that may be anything decides a branch",
        })
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, text, callers, invocation: [x, y, z], .. } = self;
        write!(f, "line {line}, `{text}`")?;
        for caller in callers {
            write!(f, ", called in line {caller}")?;
        }
        write!(f, ", invocation ({x}, {y}, {z})")
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, source, values } = self;
        write!(f, "{kind}: ")?;
        if let Some(source) = source {
            write!(f, "{source}: ")?;
        }
        f.write_str(values)
    }
}
