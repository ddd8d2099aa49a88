//! The kernels that can take a region: blocks in the order of their costs, then `gather`.

use super::gather;
use super::region::Region;
use super::{Block, Claim, Kernel, Task};

/// A kernel, the part of a region that it claims, and what that costs.
#[derive(Clone, Copy)]
pub(crate) struct Candidate {
    pub(crate) kernel: Kernel,
    pub(crate) claim: Claim,
    /// Picoseconds per element of the claimed part, and the dispatches for the rest: see `block/cost.rs`. Infinite for
    /// `gather`, which comes last.
    cost: f32,
}

/// The most candidates: five boxes, two kinds of rows, `Shape::Around` and `gather`.
const MOST: usize = 9;

/// The candidates for a region: blocks, the cheapest first, and `gather`. That comes last at any cost: for a small region it may
/// save a dispatch, but only on a GPU as fast as the H200, and no kernel would run as it does for large ones.
pub(crate) struct Candidates<'a> {
    pub(super) task: &'a Task,
    pub(super) region: &'a Region,
    all: [Candidate; MOST],
    count: usize,
}

impl<'a> Candidates<'a> {
    pub(crate) fn new(task: &'a Task, region: &'a Region) -> Self {
        let (kernel, claim) = (Kernel::Gather, Claim::all());
        let gather = Candidate { kernel, claim, cost: f32::INFINITY };
        let mut candidates = Self { task, region, all: [gather; MOST], count: 0 };
        Block::claim(&mut candidates);
        candidates.count += 1;
        candidates
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Candidate> {
        self.all[..self.count].iter()
    }

    /// The candidates with their costs, `gather`'s too.
    pub(crate) fn costs(&self) -> impl Iterator<Item = (f32, &Candidate)> {
        self.iter().map(|one| match one.kernel {
            Kernel::Block(_) => (one.cost, one),
            Kernel::Gather => (gather::cost(self.task, self.region), one),
        })
    }

    /// Adds a block, if there is one.
    pub(super) fn add(&mut self, claimed: Option<(Block, Claim)>) {
        let Some((block, claim)) = claimed else { return };
        let kernel = Kernel::Block(block);
        if self.iter().any(|other| other.kernel == kernel && other.claim == claim) {
            return;
        }
        let cost = match claim.cuts {
            [None, None] => block.cost(self.task, self.region, 0),
            _ => block.cost(self.task, &claim.main(self.region), claim.parts(self.region)),
        };
        // Behind those that cost no more.
        let at = self.all[..self.count].partition_point(|other| other.cost <= cost);
        self.all.copy_within(at..self.count, at + 1);
        self.all[at] = Candidate { kernel, claim, cost };
        self.count += 1;
    }
}
