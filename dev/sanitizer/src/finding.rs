//! Findings: what is wrong with a program, and where.

use std::fmt;

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A load or store beyond a binding, or an index beyond a runtime-sized array.
    BeyondBinding,
    /// An index beyond an array or a vector, even if the element is not used.
    BeyondArray,
    /// Two invocations access a word, at least one of them stores, and their accesses are not both atomic.
    Race,
    /// Some invocations of a workgroup reach a barrier, and others do not; the dispatch stops there.
    MissedBarrier,
    /// A loop takes more than 65,536 rounds; the dispatch stops there.
    Endless,
    /// Another order of invocations leaves other bytes.
    Order,
    /// A shift by the width of its operand or more.
    Shift,
    /// A tainted value is stored.
    TaintedStore,
    /// A tainted value is an address or an index.
    TaintedAddress,
    /// A tainted value decides a branch.
    TaintedBranch,
}

/// A fault, and where it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Finding {
    /// The kind of fault.
    pub kind: Kind,
    /// The place of the fault; `None` for [`Kind::Order`].
    pub source: Option<Source>,
    /// The values involved: addresses in bytes, words in hexadecimal, the line that tainted a value.
    pub values: String,
}

/// A line of the WGSL, and the invocation that executed it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// Index of the dispatch in the list; 0 for a single dispatch.
    pub dispatch: usize,
    /// The line, counted from 1.
    pub line: u32,
    /// The text of the line, trimmed.
    pub text: String,
    /// The lines of the calls that lead there, innermost first.
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
            Self::MissedBarrier => "barrier that some invocations of the workgroup miss",
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
