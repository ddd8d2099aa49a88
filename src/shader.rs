//! The WGSL modules: which there are, and how each is joined from the fragments in `shaders/`.

use std::fmt;

use crate::{Clamp, DType, Precision};

/// Invocations in a workgroup of the kernels that take a grid; `WORKGROUP_SIZE` of `params.wgsl`.
pub(crate) const WORKGROUP_SIZE: u32 = 256;

/// Packets of 16 bytes that one invocation of the contiguous kernel takes; the constant of its WGSL file.
pub(crate) const PACKETS_PER_INVOCATION: u32 = 4;

/// The dtypes that one piece of arithmetic serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    Integer,
    Integer64,
    Float,
    Float64,
}

impl Class {
    pub(crate) const fn of(dtype: DType) -> Self {
        match dtype {
            DType::F32 | DType::F16 | DType::BF16 => Self::Float,
            DType::F64 => Self::Float64,
            DType::I64 | DType::U64 => Self::Integer64,
            _ => Self::Integer,
        }
    }
}

/// Which affine step a module holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AffineStep {
    None,
    Fast,
    Exact,
    /// Exact by a product and a shift.
    Fixed,
}

impl AffineStep {
    /// `fixed`: whether there are numbers for [`Fixed`](Self::Fixed). `f64_arithmetic`: that of
    /// [`Limits`](crate::Limits).
    pub(crate) const fn of(clamp: &Clamp, fixed: bool, f64_arithmetic: bool) -> Self {
        match (clamp.affine(), Class::of(clamp.dtype()), clamp.precision()) {
            (Some(_), ..) if fixed => Self::Fixed,
            (None, ..) => Self::None,
            (Some(_), Class::Float, Precision::Fast) => Self::Fast,
            (Some(_), Class::Float64, Precision::Fast) if f64_arithmetic => Self::Fast,
            // Integers are always exact.
            (Some(_), ..) => Self::Exact,
        }
    }
}

impl fmt::Display for AffineStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "no affine step",
            Self::Fast => "fast affine step",
            Self::Exact => "exact affine step",
            Self::Fixed => "fixed-point affine step",
        })
    }
}

/// How the elements are reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kernel {
    /// Packets of 16 bytes, src and dst at the same distance from a 16-byte boundary.
    Contiguous,
    /// Rows of packets without gaps on both sides, at any distance from a packet.
    Rows,
    /// Rows of packets in dst, one element of src each.
    Fill,
    /// Squares of packets whose fastest dimensions differ.
    Transposed,
    /// Packets of dst, in each of whose words some elements change.
    Spread,
    /// Words of dst that hold several elements, or one at a fixed place.
    Words,
    /// One element per invocation, any layouts.
    Strided,
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Contiguous => "contiguous",
            Self::Rows => "rows",
            Self::Fill => "fill",
            Self::Transposed => "transposed",
            Self::Spread => "spread",
            Self::Words => "words",
            Self::Strided => "strided",
        })
    }
}

/// How src and dst are bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Placement {
    /// In one buffer, within one binding.
    OneBuffer,
    /// In one buffer, within bindings of their own that share no word.
    TwoRanges,
    /// In two buffers.
    TwoBuffers,
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OneBuffer => "one buffer",
            Self::TwoRanges => "two ranges of one buffer",
            Self::TwoBuffers => "two buffers",
        })
    }
}

/// The entry points of the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum EntryPoint {
    /// The whole packets of the contiguous kernel.
    Body,
    /// The packets that the contiguous kernel takes in part.
    Edges,
    /// The whole packets of rows.
    Rows,
    /// The whole packets of rows of one element.
    Fill,
    /// What lies before and behind the whole packets of rows.
    RowEdges,
    /// The one packet of rows whose source is not in whole packets.
    RowLast,
    /// The kernel for transposed packets.
    Transposed,
    /// The kernel for packets of which parts change.
    Spread,
    /// The kernel for words.
    Words,
    /// The strided kernel.
    Strided,
    /// Bounds on the GPU.
    Resolve,
}

impl EntryPoint {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Edges => "edges",
            Self::Rows => "rows",
            Self::Fill => "fill",
            Self::RowEdges => "row_edges",
            Self::RowLast => "row_last",
            Self::Transposed => "transposed",
            Self::Spread => "spread",
            Self::Words => "rows_by_word",
            Self::Strided => "strided",
            Self::Resolve => "resolve",
        }
    }
}

/// What a pipeline is specialized for beside its module: the overridable constants of WGSL, for the driver to fold.
/// Those that an entry point does not know are as in the default.
#[expect(clippy::struct_excessive_bools, reason = "each is a constant of its own in WGSL")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Constants {
    /// 1, 2, 4 or 8: no dimension from this one on has an extent above 1.
    pub(crate) rank: u8,
    /// Whether the first dimension counts steps along a row, and not lines.
    pub(crate) in_steps: bool,
    /// 1, 4 or 8 lines per invocation.
    pub(crate) lines: u8,
    /// 1, 2, 4 or more packets of a row per invocation, or so many words of a line.
    pub(crate) packets: u8,
    /// Squares of packets along src's fastest dimension in a workgroup: a power of two up to 256.
    pub(crate) squares: u16,
    /// From a line of src to the next, in bytes: 1 to 4.
    pub(crate) line_bytes: u8,
    /// Whether a row in src may lie at another distance from a packet than in dst; of lines, whether the first one may
    /// begin within a packet of src.
    pub(crate) shifted: bool,
    /// Whether a row in src goes to several rows in dst.
    pub(crate) repeated: bool,
    /// Whether `row_edges` takes what `row_last` would.
    pub(crate) with_last: bool,
    /// Whether a row has no gaps in src.
    pub(crate) src_in_rows: bool,
    /// Whether no word of dst holds elements of two rows.
    pub(crate) owned: bool,
}

impl Constants {
    /// Names and values for `entry_point` of a module for elements of `bits`.
    pub(crate) fn of(self, entry_point: EntryPoint, bits: u32, adjacent: bool) -> Vec<(&'static str, f64)> {
        let rank = ("RANK", f64::from(self.rank));
        let packets = ("PACKETS", f64::from(self.packets));
        let flag = |name, value: bool| (name, f64::from(u8::from(value)));
        let adjacent = flag("ADJACENT", adjacent);
        let lines = [rank, adjacent, ("LINES", f64::from(self.lines))];
        let rows = [&lines[..], &[flag("IN_STEPS", self.in_steps)]].concat();
        let with_last = flag("WITH_LAST", self.with_last);
        let units = [flag("SRC_IN_ROWS", self.src_in_rows), flag("OWNED", self.owned)];
        match entry_point {
            EntryPoint::Body => vec![adjacent],
            EntryPoint::Rows => {
                let flags = [flag("SHIFTED", self.shifted), flag("REPEATED", self.repeated)];
                [&rows[..], &[packets], &flags].concat()
            }
            EntryPoint::Fill => [&rows[..], &[packets]].concat(),
            EntryPoint::RowEdges if bits < 32 => [&rows[..], &[with_last], &units].concat(),
            EntryPoint::RowEdges => [&rows[..], &[with_last]].concat(),
            EntryPoint::RowLast if bits < 32 => units.to_vec(),
            EntryPoint::Words => [&rows[..], &units, &[("UNITS", f64::from(self.packets))]].concat(),
            EntryPoint::Spread => {
                vec![rank, flag("SHIFTED", self.shifted), ("LINE_BYTES", f64::from(self.line_bytes))]
            }
            EntryPoint::Strided => lines.to_vec(),
            EntryPoint::Transposed => vec![rank, ("SQUARES", f64::from(self.squares))],
            EntryPoint::RowLast | EntryPoint::Edges | EntryPoint::Resolve => vec![],
        }
    }
}

macro_rules! fragment {
    ($name:literal) => {
        include_str!(concat!("../shaders/", $name, ".wgsl"))
    };
}

/// Names one module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Module {
    /// A clamp's kernels.
    Clamp(ShaderKey),
    /// What turns bounds on the GPU into those of a uniform block.
    Resolve,
}

impl Module {
    /// The module's WGSL.
    pub(crate) fn source(self) -> String {
        match self {
            Self::Clamp(key) => key.source(),
            Self::Resolve => [fragment!("resolve"), fragment!("wide")].concat(),
        }
    }
}

/// Names one module of a clamp's kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ShaderKey {
    pub(crate) dtype: DType,
    pub(crate) step: AffineStep,
    pub(crate) kernel: Kernel,
    pub(crate) placement: Placement,
}

impl ShaderKey {
    /// The module's WGSL: its fragments, joined. Values are no part of it; they travel in the uniform block.
    #[expect(clippy::match_same_arms, reason = "the files of some dtypes hold the same text")]
    fn source(self) -> String {
        let class = Class::of(self.dtype);
        [
            fragment!("params"),
            match self.placement {
                Placement::OneBuffer => fragment!("binding/one_buffer"),
                Placement::TwoRanges => fragment!("binding/two_ranges"),
                Placement::TwoBuffers => fragment!("binding/two_buffers"),
            },
            match self.placement {
                Placement::OneBuffer => "",
                Placement::TwoRanges | Placement::TwoBuffers => fragment!("binding/src_and_dst"),
            },
            match (self.step, class) {
                (AffineStep::Fast, Class::Float64) => fragment!("binding/packets64"),
                _ => fragment!("binding/packets32"),
            },
            match self.kernel {
                Kernel::Contiguous => fragment!("kernel/contiguous"),
                Kernel::Rows => fragment!("kernel/rows"),
                Kernel::Fill => fragment!("kernel/fill"),
                Kernel::Transposed => fragment!("kernel/transposed"),
                Kernel::Spread => fragment!("kernel/spread"),
                Kernel::Words => fragment!("kernel/words"),
                Kernel::Strided => fragment!("kernel/strided"),
            },
            match self.kernel {
                Kernel::Contiguous => "",
                _ => fragment!("kernel/walk"),
            },
            match self.kernel {
                Kernel::Rows | Kernel::Spread => fragment!("kernel/funnel"),
                _ => "",
            },
            match self.kernel {
                Kernel::Rows | Kernel::Fill => fragment!("kernel/row_edges"),
                _ => "",
            },
            match (self.kernel, self.dtype.bits()) {
                (Kernel::Rows | Kernel::Fill | Kernel::Words, 8 | 16) => fragment!("storage/unit_packed"),
                (Kernel::Rows | Kernel::Fill | Kernel::Words, _) => fragment!("storage/unit_whole"),
                (Kernel::Transposed, 8) => fragment!("transpose/bits8"),
                (Kernel::Transposed, 16) => fragment!("transpose/bits16"),
                (Kernel::Transposed, 32) => fragment!("transpose/bits32"),
                (Kernel::Transposed, _) => fragment!("transpose/bits64"),
                _ => "",
            },
            match self.dtype.bits() {
                8 => fragment!("storage/bits8"),
                16 => fragment!("storage/bits16"),
                32 => fragment!("storage/bits32"),
                _ => fragment!("storage/bits64"),
            },
            match (self.kernel, self.step, class, self.dtype.bits()) {
                (Kernel::Strided | Kernel::Words, ..) => "",
                (_, AffineStep::None, Class::Integer, 8) => fragment!("storage/fields8"),
                (_, AffineStep::None, Class::Integer, 16) => fragment!("storage/fields16"),
                (.., 8) => fragment!("storage/packet8"),
                (.., 16) => fragment!("storage/packet16"),
                (.., 32) => fragment!("storage/packet32"),
                (_, AffineStep::Exact, ..) => fragment!("storage/packet64_looped"),
                _ => fragment!("storage/packet64"),
            },
            match class {
                Class::Integer => fragment!("element/integer"),
                Class::Integer64 => fragment!("element/integer64"),
                Class::Float => fragment!("element/float"),
                Class::Float64 => fragment!("element/float64"),
            },
            match self.dtype {
                DType::F32 => fragment!("dtype/f32"),
                DType::F16 => fragment!("dtype/f16"),
                DType::BF16 => fragment!("dtype/bf16"),
                DType::F64 => fragment!("dtype/f64"),
                DType::I8 => fragment!("dtype/i8"),
                DType::I16 => fragment!("dtype/i16"),
                DType::I32 => fragment!("dtype/i32"),
                DType::I64 => fragment!("dtype/i64"),
                DType::U8 => fragment!("dtype/u8"),
                DType::U16 => fragment!("dtype/u16"),
                DType::U32 => fragment!("dtype/u32"),
                DType::U64 => fragment!("dtype/u64"),
            },
            match (self.step, class) {
                (AffineStep::None, _) => fragment!("affine/none"),
                (AffineStep::Fast, Class::Float64) => fragment!("affine/float64_fast"),
                (AffineStep::Fast, _) => fragment!("affine/float_fast"),
                (AffineStep::Fixed, _) => fragment!("affine/fixed"),
                (AffineStep::Exact, Class::Integer) => fragment!("affine/integer"),
                (AffineStep::Exact, Class::Integer64) => fragment!("affine/integer64"),
                (AffineStep::Exact, Class::Float) => fragment!("affine/float_exact"),
                (AffineStep::Exact, Class::Float64) => fragment!("affine/float64_exact"),
            },
            match (self.step, class) {
                (AffineStep::Exact, Class::Integer) | (_, Class::Integer64 | Class::Float64) => {
                    fragment!("wide")
                }
                _ => "",
            },
        ]
        .concat()
    }
}

#[cfg(test)]
mod tests;
