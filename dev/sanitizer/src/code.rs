//! Flat code, the form that a program is lowered to.
//!
//! Operations work on 32-bit registers, one per scalar; a vector, an array or a struct takes several. A register
//! holds one value for each of the [`LANES`] invocations that run together. Only variables are assigned more than
//! once, until the last step of lowering reuses the numbers of dead registers. A mask tells which invocations are
//! active; results for the others are never used.

use std::sync::Arc;

use crate::Source;

/// Invocations that run at once.
pub(crate) const LANES: usize = 64;

/// A register.
pub(crate) type Reg = u32;

/// No register.
pub(crate) const NONE: Reg = u32::MAX;

/// A place that keeps a mask.
pub(crate) type Slot = u32;

/// The slot that holds no invocation.
pub(crate) const NOBODY: Slot = 0;

/// A position in the code.
pub(crate) type Label = u32;

/// An offset beyond the end of its array: the access has been reported and is skipped.
pub(crate) const BEYOND: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Unary {
    Not,
    Negate,
    Abs,
    LeadingZeros,
    Round,
    FloatFromU,
    FloatFromI,
    UFromFloat,
    IFromFloat,
    /// Converts an f32 to the bits of a half; `FromHalf` converts back.
    Half,
    FromHalf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
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
    MinF,
    MaxF,
}

/// A word of a resource. Its byte offset is `plus` added to the value of a register, unless that value is [`BEYOND`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Word {
    pub(crate) resource: u32,
    pub(crate) plus: u32,
    /// Whether it is loaded and stored atomically.
    pub(crate) is_atomic: bool,
}

/// Number of elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Extent {
    Fixed(u32),
    /// As many elements of `stride` bytes as fit into the binding from byte `from` on.
    Runtime {
        resource: u32,
        from: u32,
        stride: u32,
    },
}

/// Sums and products of floats as written; `a - b` is `a + (-b)`. Instead of a product, its first factor is negated.
#[derive(Debug)]
pub(crate) enum Float {
    Leaf(Reg),
    Negative(Arc<Self>),
    Product(Arc<Self>, Arc<Self>),
    Sum(Arc<Self>, Arc<Self>),
}

/// An operation on registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    pub(crate) code: Opcode,
    /// The register of the result, or [`NONE`].
    pub(crate) to: Reg,
    /// The operands in the order in which [`Opcode`] lists them, then [`NONE`].
    pub(crate) from: [Reg; 4],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Opcode {
    Unary(Unary),
    Binary(Binary),
    /// Takes a condition, the value where it is true, and the value where it is false.
    Select,
    /// Evaluates the float expression with this index. The expression names the operands.
    Float(u32),
    /// Takes the word, the offset and the count.
    ExtractBits {
        signed: bool,
    },
    /// Takes the word, the bits to put in, the offset and the count.
    InsertBits,
    /// Assigns to a variable for the active invocations.
    Assign,
    /// Takes a base, which may be [`NONE`], and an index. Gives `base + index * stride`, or [`BEYOND`] if the array has
    /// no such element.
    Address {
        stride: u32,
        extent: Extent,
    },
    /// Takes a first register and an offset. Gives the value of the register at this offset from the first one.
    ReadRegister,
    /// Takes a first register, an offset, and the value for the register at this offset from the first one.
    WriteRegister,
    /// Takes an address. Here and below, [`NONE`] is address 0.
    Load(Word),
    /// Takes an address and a value.
    Store(Word),
    /// Takes an address and a value.
    Atomic(Binary, Word),
    Length(Extent),
    /// Waits until all invocations of the workgroup are here.
    Barrier,

    /// Saves the active invocations.
    Keep(Slot),
    Clear(Slot),
    /// Activates the invocations of a slot that are in none of the others.
    Restore(Slot, [Slot; 2]),
    /// Keeps the invocations active for which the condition is true.
    Where,
    /// Moves the active invocations to a slot; none stays active.
    Go(Slot),
    /// Jumps if no invocation is active.
    Skip(Label),
    /// Sets a counter to 0.
    Reset(u32),
    /// If an invocation is active, counts a round and jumps back to the start of the loop.
    Again {
        head: Label,
        counter: u32,
    },
}

/// A built-in input of an invocation; the number is an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    GlobalId(usize),
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
    /// For each operation, the instructions of a GPU.
    pub(crate) weights: Vec<u8>,
    /// For each operation, the index of its site.
    pub(crate) origins: Vec<u32>,
    pub(crate) sites: Vec<Site>,
    pub(crate) floats: Vec<Arc<Float>>,
    pub(crate) registers: u32,
    pub(crate) slots: u32,
    pub(crate) counters: u32,
    pub(crate) constants: Vec<(Reg, u32)>,
    pub(crate) inputs: Vec<(Reg, Input)>,
    /// Group and binding of each resource; [`NONE`] and an index into `shared` for workgroup memory.
    pub(crate) resources: Vec<(u32, u32)>,
    /// The size of each variable in workgroup memory, in bytes.
    pub(crate) shared: Vec<u32>,
    pub(crate) workgroup_size: [u32; 3],
}

impl Op {
    /// Whether the operation only computes a value.
    pub(crate) const fn is_pure(&self) -> bool {
        use Opcode::{Assign, Binary, ExtractBits, Float, InsertBits, Length, ReadRegister, Select, Unary};
        matches!(
            self.code,
            Unary(_)
                | Binary(_)
                | Select
                | Float(_)
                | ExtractBits { .. }
                | InsertBits
                | Assign
                | ReadRegister
                | Length(_)
        )
    }

    /// Calls `f` with each operand; an array of variables is named by its first register.
    pub(crate) fn operands(&self, floats: &[Arc<Float>], f: &mut impl FnMut(Reg)) {
        if let Opcode::Float(expression) = self.code {
            floats[expression as usize].leaves(f);
        }
        self.from.into_iter().filter(|&reg| reg != NONE).for_each(f);
    }

    /// The resource to which it stores.
    pub(crate) const fn stored(&self) -> Option<u32> {
        match self.code {
            Opcode::Store(word) | Opcode::Atomic(_, word) => Some(word.resource),
            _ => None,
        }
    }

    pub(crate) const fn target(&mut self) -> Option<&mut Label> {
        match &mut self.code {
            Opcode::Skip(label) | Opcode::Again { head: label, .. } => Some(label),
            _ => None,
        }
    }
}

impl Code {
    /// Whether the invocations of a workgroup have to run beside each other.
    pub(crate) fn is_shared(&self) -> bool {
        !self.shared.is_empty() || self.ops.iter().any(|op| matches!(op.code, Opcode::Barrier))
    }

    /// Whether there are atomic accesses, by which invocations can affect each other.
    pub(crate) fn has_atomics(&self) -> bool {
        self.ops.iter().any(|op| match op.code {
            Opcode::Load(word) | Opcode::Store(word) => word.is_atomic,
            Opcode::Atomic(..) => true,
            _ => false,
        })
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
            Input::WorkgroupId(axis) => along(workgroup, grid)[axis],
            Input::Workgroups(axis) => grid[axis],
            Input::GlobalId(axis) => along(workgroup, grid)[axis] * size[axis] + along(local, size)[axis],
        }
    }

    /// The WGSL line of a site, its calls, and the global id of `invocation`.
    pub(crate) fn source(&self, wgsl: &str, site: u32, grid: [u32; 3], invocation: u32) -> Source {
        let Site { line, caller } = self.sites[site as usize];
        let text = wgsl.lines().nth((line as usize).wrapping_sub(1)).unwrap_or_default().trim().to_owned();
        let site = |caller: Option<u32>| Some(self.sites[caller? as usize]);
        let callers = std::iter::successors(site(caller), |inner| site(inner.caller)).map(|site| site.line);
        let callers = callers.collect();
        let invocation = self.global_id(grid, invocation);
        Source { dispatch: 0, line, text, callers, invocation }
    }

    pub(crate) fn global_id(&self, grid: [u32; 3], invocation: u32) -> [u32; 3] {
        [0, 1, 2].map(|axis| self.input(Input::GlobalId(axis), grid, invocation))
    }
}

impl Float {
    /// Number of instructions of a GPU: a sum of a product and a number is one.
    pub(crate) fn operations(&self) -> u32 {
        match self {
            Self::Leaf(_) => 0,
            Self::Negative(a) => a.operations(),
            Self::Sum(a, b) if matches!(**a, Self::Product(..)) => a.operations() + b.operations(),
            Self::Product(a, b) | Self::Sum(a, b) => 1 + a.operations() + b.operations(),
        }
    }

    /// Calls `f` with each register, as often as it occurs.
    pub(crate) fn leaves(&self, f: &mut impl FnMut(Reg)) {
        match self {
            Self::Leaf(reg) => f(*reg),
            Self::Negative(a) => a.leaves(f),
            Self::Product(a, b) | Self::Sum(a, b) => {
                a.leaves(f);
                b.leaves(f);
            }
        }
    }

    /// The negated expression; a zero changes its sign too.
    pub(crate) fn negated(self: &Arc<Self>) -> Arc<Self> {
        match &**self {
            Self::Negative(a) => a.clone(),
            Self::Product(a, b) => Arc::new(Self::Product(a.negated(), b.clone())),
            _ => Arc::new(Self::Negative(self.clone())),
        }
    }

    /// The same expression with its registers renamed.
    pub(crate) fn renamed(&self, name: &impl Fn(Reg) -> Reg) -> Arc<Self> {
        Arc::new(match self {
            Self::Leaf(reg) => Self::Leaf(name(*reg)),
            Self::Negative(a) => Self::Negative(a.renamed(name)),
            Self::Product(a, b) => Self::Product(a.renamed(name), b.renamed(name)),
            Self::Sum(a, b) => Self::Sum(a.renamed(name), b.renamed(name)),
        })
    }
}
