//! The parts of a run, in the order of their worth.

/// One part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// The GPU against the CPU reference, and against the outputs of five standards' runtimes
    Tests,
    /// The self-test: every pair of dtypes on every kernel
    Doctor,
    /// The speed of each kernel beside a copy of the same bytes
    Table,
    /// The speed of the layouts that people bring
    Layouts,
    /// The time to a kernel's first result
    First,
    /// Every pattern of 32 bits, as far as the time goes
    Patterns,
    /// torch and `CuPy`, where Python has them and the GPU has CUDA
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
