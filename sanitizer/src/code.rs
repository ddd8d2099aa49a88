//! Flat code, the form that a program is lowered to.
//!
//! Operations work on 32-bit registers, one per scalar; a vector, an array or a struct takes several. A register
//! holds one value for each of the [`LANES`] invocations that run together. Only variables are assigned more than
//! once, until lowering ends with shared register numbers. A mask tells which invocations are active; results for
//! the others are never used.

use std::sync::Arc;

use crate::Source;

/// Invocations that run at once.
pub(crate) const LANES: usize = 64;

/// A register.
pub(crate) type Reg = u32;

/// A place that keeps a mask.
pub(crate) type Slot = u32;

/// The slot that holds no invocation.
pub(crate) const NOBODY: Slot = 0;

/// A position in the code.
pub(crate) type Label = u32;

/// An offset beyond the end of its array: the access has been reported and is skipped.
pub(crate) const BEYOND: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Not,
    Negate,
    Abs,
    Sign,
    CountOnes,
    LeadingZeros,
    TrailingZeros,
    Reverse,
    FirstLeadingU,
    FirstLeadingI,
    FirstTrailing,
    AbsF,
    SignF,
    Floor,
    Ceil,
    Trunc,
    Round,
    FloatFromU,
    FloatFromI,
    UFromFloat,
    IFromFloat,
    /// Converts an f32 to the bits of a half; `FromHalf` converts back.
    Half,
    FromHalf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Subtract,
    Multiply,
    DivideU,
    DivideI,
    RemainderU,
    RemainderI,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRightU,
    ShiftRightI,
    Equal,
    LessU,
    LessI,
    MinU,
    MaxU,
    MinI,
    MaxI,
    EqualF,
    LessF,
    LessEqualF,
    MinF,
    MaxF,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomicOp {
    Add,
    Subtract,
    And,
    Or,
    Xor,
    MinU,
    MaxU,
    MinI,
    MaxI,
    Exchange,
}

/// A word of a resource.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    pub(crate) resource: u32,
    /// Register that holds a byte offset in the binding, or [`BEYOND`].
    pub(crate) address: Option<Reg>,
    /// Further constant offset in bytes.
    pub(crate) plus: u32,
}

/// Number of elements of an array.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Extent {
    Fixed(u32),
    /// As many as fit into the binding from byte `from` on.
    Runtime {
        resource: u32,
        from: u32,
        stride: u32,
    },
}

/// Sums and products of floats as written; `a - b` is `a + (-b)`.
#[derive(Debug)]
pub(crate) enum Float {
    Leaf {
        reg: Reg,
        negative: bool,
    },
    Product(Arc<Self>, Arc<Self>),
    Sum(Arc<Self>, Arc<Self>),
    /// A negated sum.
    Negative(Arc<Self>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Unary(Unary, Reg, Reg),
    Binary(Binary, Reg, Reg, Reg),
    Select {
        to: Reg,
        condition: Reg,
        accept: Reg,
        reject: Reg,
    },
    /// Evaluates the float expression with this index.
    Float {
        to: Reg,
        expression: u32,
    },
    ExtractBits {
        to: Reg,
        signed: bool,
        from: Reg,
        offset: Reg,
        count: Reg,
    },
    InsertBits {
        to: Reg,
        into: Reg,
        bits: Reg,
        offset: Reg,
        count: Reg,
    },
    /// Assigns to a variable for the active invocations.
    Assign {
        to: Reg,
        from: Reg,
    },
    /// `base + index * stride`, or [`BEYOND`] if the array has no such element.
    Address {
        to: Reg,
        base: Option<Reg>,
        index: Reg,
        stride: u32,
        extent: Extent,
    },
    /// Reads the register that lies `offset` behind `first`.
    ReadRegister {
        to: Reg,
        first: Reg,
        offset: Reg,
    },
    WriteRegister {
        first: Reg,
        offset: Reg,
        from: Reg,
    },
    Load {
        to: Reg,
        word: Word,
        atomically: bool,
    },
    Store {
        word: Word,
        from: Reg,
        atomically: bool,
    },
    Atomic {
        op: AtomicOp,
        to: Reg,
        word: Word,
        from: Reg,
    },
    CompareExchange {
        to: Reg,
        exchanged: Reg,
        word: Word,
        compare: Reg,
        from: Reg,
    },
    Length {
        to: Reg,
        extent: Extent,
    },

    /// Saves the active invocations to `all`; clears `returned`.
    Enter {
        all: Slot,
        returned: Slot,
    },
    /// Saves the active invocations to `all`; those whose condition is true go on. If none does, jumps to
    /// `otherwise`.
    If {
        condition: Reg,
        all: Slot,
        otherwise: Label,
    },
    /// Activates the invocations of `all` whose condition is false. If there is none, jumps to `end`.
    Else {
        condition: Reg,
        all: Slot,
        end: Label,
    },
    /// Activates the invocations of `all` that are in no `gone` slot.
    Join {
        all: Slot,
        gone: [Slot; 3],
    },
    /// Moves the active invocations to a slot; none stays active.
    Go {
        to: Slot,
    },
    /// Jumps if no invocation is active.
    SkipIfNone {
        to: Label,
    },
    Loop {
        all: Slot,
        broken: Slot,
        counter: u32,
    },
    /// Begins a round: saves the active invocations to `round`, clears `continued`.
    Round {
        round: Slot,
        continued: Slot,
    },
    /// Begins the `continuing` block: activates the invocations of `round` that did not leave the loop.
    Continuing {
        round: Slot,
        continued: Slot,
        gone: [Slot; 2],
    },
    BreakIf {
        condition: Reg,
        broken: Slot,
    },
    /// Jumps to `head` for another round, unless no invocation is active.
    Again {
        head: Label,
        counter: u32,
    },
}

/// A built-in input of an invocation; the number is an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    GlobalId(usize),
    LocalId(usize),
    LocalIndex,
    WorkgroupId(usize),
    Workgroups(usize),
}

/// A WGSL line within one inlined call of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Site {
    pub(crate) line: u32,
    /// The site of the call; `None` in the entry point.
    pub(crate) caller: Option<u32>,
}

/// A program.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub(crate) ops: Vec<Op>,
    /// For each operation, the index of its site.
    pub(crate) origins: Vec<u32>,
    pub(crate) sites: Vec<Site>,
    pub(crate) floats: Vec<Arc<Float>>,
    pub(crate) registers: u32,
    pub(crate) slots: u32,
    pub(crate) counters: u32,
    pub(crate) constants: Vec<(Reg, u32)>,
    pub(crate) inputs: Vec<(Reg, Input)>,
    /// Group and binding of each resource.
    pub(crate) resources: Vec<(u32, u32)>,
    pub(crate) workgroup_size: [u32; 3],
}

impl Op {
    /// Calls `f` with each register that the operation itself names, not with those of its float expression. An
    /// array of variables is named by its first register, and counts as taken.
    pub(crate) fn registers(&mut self, mut f: impl FnMut(&mut Reg, Use)) {
        let none = || [None, None, None, None];
        let (taken, given) = match self {
            Self::Unary(_, to, a) | Self::Assign { to, from: a } => {
                ([Some(a), None, None, None], [Some(to), None])
            }
            Self::Binary(_, to, a, b) => ([Some(a), Some(b), None, None], [Some(to), None]),
            Self::Select { to, condition, accept, reject } => {
                ([Some(condition), Some(accept), Some(reject), None], [Some(to), None])
            }
            Self::Float { to, .. } | Self::Length { to, .. } => (none(), [Some(to), None]),
            Self::ExtractBits { to, from, offset, count, .. } => {
                ([Some(from), Some(offset), Some(count), None], [Some(to), None])
            }
            Self::InsertBits { to, into, bits, offset, count } => {
                ([Some(into), Some(bits), Some(offset), Some(count)], [Some(to), None])
            }
            Self::Address { to, base, index, .. } => {
                ([base.as_mut(), Some(index), None, None], [Some(to), None])
            }
            Self::ReadRegister { to, first, offset } => {
                ([Some(first), Some(offset), None, None], [Some(to), None])
            }
            Self::WriteRegister { first, offset, from } => {
                ([Some(first), Some(offset), Some(from), None], [None, None])
            }
            Self::Load { to, word, .. } => ([word.address.as_mut(), None, None, None], [Some(to), None]),
            Self::Store { word, from, .. } => ([word.address.as_mut(), Some(from), None, None], [None, None]),
            Self::Atomic { to, word, from, .. } => {
                ([word.address.as_mut(), Some(from), None, None], [Some(to), None])
            }
            Self::CompareExchange { to, exchanged, word, compare, from } => {
                ([word.address.as_mut(), Some(compare), Some(from), None], [Some(to), Some(exchanged)])
            }
            Self::If { condition, .. } | Self::Else { condition, .. } | Self::BreakIf { condition, .. } => {
                ([Some(condition), None, None, None], [None, None])
            }
            _ => (none(), [None, None]),
        };
        for reg in taken.into_iter().flatten() {
            f(reg, Use::Taken);
        }
        for reg in given.into_iter().flatten() {
            f(reg, Use::Given);
        }
    }

    /// Whether the operation only computes a value.
    pub(crate) const fn is_pure(&self) -> bool {
        matches!(
            self,
            Self::Unary(..)
                | Self::Binary(..)
                | Self::Select { .. }
                | Self::Float { .. }
                | Self::ExtractBits { .. }
                | Self::InsertBits { .. }
                | Self::Assign { .. }
                | Self::ReadRegister { .. }
                | Self::Length { .. }
        )
    }

    /// Whether the operation accesses memory atomically.
    pub(crate) const fn is_atomic(&self) -> bool {
        matches!(
            self,
            Self::Load { atomically: true, .. }
                | Self::Store { atomically: true, .. }
                | Self::Atomic { .. }
                | Self::CompareExchange { .. }
        )
    }

    pub(crate) const fn target(&mut self) -> Option<&mut Label> {
        match self {
            Self::If { otherwise: label, .. }
            | Self::Else { end: label, .. }
            | Self::SkipIfNone { to: label }
            | Self::Again { head: label, .. } => Some(label),
            _ => None,
        }
    }
}

/// What an operation does with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Taken,
    Given,
}

impl Code {
    /// Whether invocations can affect each other.
    pub(crate) fn has_atomics(&self) -> bool {
        self.ops.iter().any(Op::is_atomic)
    }

    /// The value of a built-in input in a grid of workgroups.
    pub(crate) fn input(&self, input: Input, grid: [u32; 3], invocation: u32) -> u32 {
        let size = self.workgroup_size;
        let workgroup = invocation / size.iter().product::<u32>();
        let local = invocation % size.iter().product::<u32>();
        let along = |n: u32, extents: [u32; 3]| {
            [n % extents[0], n / extents[0] % extents[1], n / extents[0] / extents[1]]
        };
        match input {
            Input::LocalIndex => local,
            Input::LocalId(axis) => along(local, size)[axis],
            Input::WorkgroupId(axis) => along(workgroup, grid)[axis],
            Input::Workgroups(axis) => grid[axis],
            Input::GlobalId(axis) => along(workgroup, grid)[axis] * size[axis] + along(local, size)[axis],
        }
    }

    /// The line of an operation.
    pub(crate) fn line(&self, operation: u32) -> u32 {
        self.sites[self.origins[operation as usize] as usize].line
    }

    /// The WGSL line of a site, its calls, and the global id of `invocation`.
    pub(crate) fn source(&self, wgsl: &str, site: u32, grid: [u32; 3], invocation: u32) -> Source {
        let Site { line, caller } = self.sites[site as usize];
        let text = wgsl.lines().nth((line as usize).wrapping_sub(1)).unwrap_or_default().trim().to_owned();
        let outwards = |site: &Site| site.caller.map(|caller| self.sites[caller as usize]);
        let callers = caller.map(|caller| self.sites[caller as usize]);
        let callers = std::iter::successors(callers, outwards).map(|site| site.line).collect();
        let invocation = [0, 1, 2].map(|axis| self.input(Input::GlobalId(axis), grid, invocation));
        Source { dispatch: 0, line, text, callers, invocation }
    }
}

impl Float {
    /// Calls `f` with each register.
    pub(crate) fn leaves(&self, f: &mut impl FnMut(Reg)) {
        match self {
            Self::Leaf { reg, .. } => f(*reg),
            Self::Negative(a) => a.leaves(f),
            Self::Product(a, b) | Self::Sum(a, b) => {
                a.leaves(f);
                b.leaves(f);
            }
        }
    }

    /// Number of leaves; a register counts each time it occurs.
    pub(crate) fn size(&self) -> usize {
        let mut size = 0;
        self.leaves(&mut |_| size += 1);
        size
    }

    /// The negated expression; a zero changes its sign too.
    pub(crate) fn negated(self: &Arc<Self>) -> Arc<Self> {
        Arc::new(match &**self {
            Self::Leaf { reg, negative } => Self::Leaf { reg: *reg, negative: !negative },
            Self::Product(a, b) => Self::Product(a.negated(), b.clone()),
            Self::Sum(..) => Self::Negative(self.clone()),
            Self::Negative(a) => return a.clone(),
        })
    }

    /// The same expression with its registers renamed.
    pub(crate) fn renamed(&self, name: &impl Fn(Reg) -> Reg) -> Arc<Self> {
        Arc::new(match self {
            Self::Leaf { reg, negative } => Self::Leaf { reg: name(*reg), negative: *negative },
            Self::Product(a, b) => Self::Product(a.renamed(name), b.renamed(name)),
            Self::Sum(a, b) => Self::Sum(a.renamed(name), b.renamed(name)),
            Self::Negative(a) => Self::Negative(a.renamed(name)),
        })
    }
}
