//! A clamp of a tensor as plain data: the benchmark times it, the model predicts it, AMD's compiler counts it.

use anyhow::Result;
use wgpu_clamp::{Clamp, Clamps, DType, Layout, Limits, Plan};

use crate::kernels::Kind;

/// The least ratios of the rival's time to ours, on a GPU and on a software driver.
pub type Goals = [Option<f64>; 2];

/// One clamp on given layouts.
#[derive(Clone)]
pub struct Case {
    pub section: String,
    pub name: String,
    /// The clamp, or one for each index of `axis`, with all numbers known to the host.
    pub clamps: Vec<Clamp>,
    /// The axis of the channels, if each has its own clamp.
    pub axis: Option<usize>,
    /// The clamp of the measured call, if its scale and bias lie on the GPU.
    pub slots: Option<Clamp>,
    pub src: Layout,
    pub dst: Layout,
    /// Whether source and destination are the same buffer.
    pub in_place: bool,
    /// Elements of src that have to be loaded, and of dst that have to be loaded or stored, if not those of the tensor:
    /// words also hold elements that take no part.
    pub moved: Option<[usize; 2]>,
    /// The kernels that the case is compared with, besides the plain one: copies of as many bytes in total, or fills of the
    /// output. With numbers on the GPU the rival is the same clamp with numbers of the host.
    pub packets: Kind,
    pub goals: Goals,
}

impl Case {
    /// A clamp from one buffer to another, compared with a copy.
    pub fn new(section: &str, name: impl Into<String>, clamp: Clamp, [src, dst]: [Layout; 2]) -> Self {
        Self {
            section: section.to_owned(),
            name: name.into(),
            clamps: vec![clamp],
            axis: None,
            slots: None,
            src,
            dst,
            in_place: false,
            moved: None,
            packets: Kind::Copy,
            goals: [None; 2],
        }
    }

    /// The clamp; with channels, the first channel's.
    pub fn clamp(&self) -> &Clamp {
        &self.clamps[0]
    }

    /// The clamps with numbers of the host, as the reference takes them.
    pub fn clamps(&self) -> Clamps<'_> {
        self.axis.map_or_else(|| self.clamp().into(), |axis| Clamps::along(axis, &self.clamps))
    }

    /// The clamps of the measured call.
    pub fn asked(&self) -> Clamps<'_> {
        match (&self.slots, self.axis) {
            (Some(clamp), Some(axis)) => Clamps::slots_along(axis, *clamp),
            (Some(clamp), None) => clamp.into(),
            (None, _) => self.clamps(),
        }
    }

    /// The plan of the measured call.
    pub fn plan(&self, limits: Limits) -> Result<Plan> {
        Ok(if self.in_place {
            Plan::in_one_buffer(self.asked(), &self.src, &self.dst, limits)?
        } else {
            Plan::new(self.asked(), &self.src, &self.dst, limits)?
        })
    }

    /// The dtype, or those of source and destination.
    pub fn dtypes(&self) -> String {
        let [source, dtype] = [self.clamp().source(), self.clamp().dtype()];
        if source == dtype { dtype.to_string() } else { format!("{source} → {dtype}") }
    }

    /// Section, name and dtypes: a key, and what `--only` searches.
    pub fn title(&self) -> String {
        format!("{}: {}, {}", self.section, self.name, self.dtypes())
    }

    /// Bytes of a copy with the same traffic: half of all bytes loaded and stored.
    pub fn bytes(&self) -> u64 {
        let [loaded, stored] = self.moved.unwrap_or([self.dst.len(); 2]);
        usize::midpoint(loaded * self.clamp().source().size(), stored * self.clamp().dtype().size()) as u64
    }

    /// Bytes of source and destination.
    pub fn sizes(&self) -> Result<[usize; 2]> {
        let size = |layout: &Layout, dtype: DType| usize::try_from(layout.required_bytes(dtype));
        Ok([size(&self.src, self.clamp().source())?, size(&self.dst, self.clamp().dtype())?])
    }

    /// The layout of the numbers on the GPU.
    pub(crate) fn slot(&self) -> Result<Layout> {
        let channels = [self.clamps.len()];
        Ok(Layout::packed(if self.axis.is_some() { &channels } else { &[] })?)
    }
}
