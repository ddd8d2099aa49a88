//! The parts of a run, in the order of their worth.

/// One part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The suites `gpu` and `conformance`.
    Tests,
    /// The whole self-test.
    Doctor,
    /// The table of speed.
    Table,
    /// The sweep over layouts.
    Layouts,
    /// The time to a first result.
    First,
    /// Every pattern of 32 bits.
    Patterns,
    /// torch and `CuPy`.
    Peers,
}

impl Part {
    /// All, those of the most worth first.
    pub const ALL: [Self; 7] =
        [Self::Tests, Self::Doctor, Self::Table, Self::Layouts, Self::First, Self::Patterns, Self::Peers];

    /// What is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tests => "tests",
            Self::Doctor => "doctor",
            Self::Table => "table",
            Self::Layouts => "layouts",
            Self::First => "first",
            Self::Patterns => "patterns",
            Self::Peers => "peers",
        }
    }

    /// What it does, in a line.
    pub fn purpose(self) -> &'static str {
        match self {
            Self::Tests => {
                "the GPU against the CPU reference, and against what five standards' runtimes computed"
            }
            Self::Doctor => "the self-test: every pair of dtypes on every kernel",
            Self::Table => "how fast each kernel is beside a copy of the same bytes",
            Self::Layouts => "how fast the layouts are that people bring",
            Self::First => "how long the first result of a kernel takes",
            Self::Patterns => "every pattern of 32 bits, as far as the time goes",
            Self::Peers => "torch and CuPy, where Python has them and the GPU has CUDA",
        }
    }

    /// Whether each adapter is judged, and not the best one alone.
    pub fn is_for_each_adapter(self) -> bool {
        matches!(self, Self::Tests | Self::Doctor)
    }

    /// Its share of the time, beside the other parts' weights.
    pub fn weight(self) -> u32 {
        match self {
            Self::Tests => 30,
            Self::Doctor | Self::Table | Self::Layouts => 20,
            Self::Patterns => 15,
            Self::First | Self::Peers => 5,
        }
    }
}
