//! The row that times a case beside copies, the plain kernel, or numbers of the host.

use std::rc::Rc;

use anyhow::Result;
use wgpu_clamp::{DType, wgpu};

use crate::bench::Bench;
use crate::case::Case;
use crate::clock::Work;
use crate::data::random_buffer;
use crate::plain::plain;
use crate::row::{Row, Trial};

impl Case {
    /// The row that times the case, and the first result of `small`.
    pub fn row(self, small: Self) -> Row {
        let (section, name, dtypes, goals) =
            (self.section.clone(), self.name.clone(), self.dtypes(), self.goals);
        let case = Rc::new(self);
        let prepare = Box::new(move |bench: &Bench| Self::trial(&case, bench));
        Row { section, name, dtypes, goals, small: Some(small), prepare }
    }

    /// Makes the buffers and records the work: ours, a copy, the plain kernel.
    fn trial(this: &Rc<Self>, bench: &Bench) -> Result<Trial> {
        let (device, bytes, sets) = (&bench.device, this.bytes(), bench.sets(this.bytes()));
        let set = this.set(device, sets)?;
        let (mut packets, mut rivals) = (Some(this.packets), Vec::new());
        if this.slots.is_some() {
            let values = Self { slots: None, ..Self::clone(this) }.set(device, sets)?.dispatches();
            rivals.push(("ours, numbers of the host".to_owned(), Work::Pass(values)));
            packets = None;
        }
        let (mut beside, mut theirs) = (None, None);
        if let Some(kernels) = plain(this) {
            // Each source with a destination of its own.
            let pair = |[src, _]: &[wgpu::Buffer; 2]| {
                Ok([src.clone(), random_buffer(device, DType::U64, this.sizes()?[1])?])
            };
            let pairs = set.buffers.iter().map(pair).collect::<Result<Vec<_>>>()?;
            beside = Some(Work::Pass(kernels.dispatches(device, &pairs)));
            theirs = pairs.into_iter().next().map(|[_, dst]| dst);
        }
        let (ours, case) = (Work::Pass(set.dispatches()), Rc::clone(this));
        let check = move |bench: &Bench| case.check(&bench.device, set.dst(), theirs.as_ref());
        Ok(Trial { bytes, ours, packets, rivals, plain: beside, check: Box::new(check) })
    }
}
