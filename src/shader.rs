//! The WGSL modules: which there are, and how each is joined from the fragments in `shaders/`.

use crate::arithmetic::{self, AffineStep};
use crate::fragment::{Fragment, fragment};
use crate::kernel::{EntryPoint, Kernel, Placement};
use crate::{DType, arithmetic::OperatorBlock, kernel::GeometryBytes};

/// The most bytes of a uniform block: the operator's part, then the kernel's.
pub(crate) const MAX_BLOCK: usize = OperatorBlock::CAPACITY + GeometryBytes::CAPACITY;

/// Names one module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Module {
    /// A clamp's kernel.
    Clamp(ModuleName),
    /// What turns bounds on the GPU into those of uniform blocks.
    Resolve,
}

/// Names one module of a clamp's kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ModuleName {
    pub(crate) dtype: DType,
    pub(crate) step: AffineStep,
    pub(crate) kernel: Kernel,
    pub(crate) placement: Placement,
}

impl ModuleName {
    /// All that a plan can choose.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        DType::ALL.into_iter().flat_map(|dtype| {
            AffineStep::all(dtype).iter().flat_map(move |&step| {
                Kernel::ALL.iter().flat_map(move |&kernel| {
                    Placement::ALL
                        .into_iter()
                        .filter(move |&placement| kernel.definition().serves(dtype, step, placement))
                        .map(move |placement| Self { dtype, step, kernel, placement })
                })
            })
        })
    }

    /// Its entry points, with all values of their constants.
    pub(crate) fn entry_points(self) -> Vec<EntryPoint> {
        self.kernel.definition().entry_points(self.dtype)
    }

    fn fragments(self) -> Vec<Fragment> {
        let Self { dtype, step, kernel, placement } = self;
        let mut fragments = vec![fragment!("params"), fragment!("grid")];
        fragments.extend(kernel.definition().fragments(dtype, step));
        fragments.extend(arithmetic::fragments(dtype, step));
        fragments.push(match placement {
            Placement::OneBuffer => fragment!("binding/one_buffer"),
            Placement::TwoRanges => fragment!("binding/two_ranges"),
            Placement::TwoBuffers => fragment!("binding/two_buffers"),
        });
        if placement != Placement::OneBuffer {
            fragments.push(fragment!("binding/src_and_dst"));
        }
        fragments.push(if step.takes_f64(dtype) {
            fragment!("binding/packets64")
        } else {
            fragment!("binding/packets32")
        });
        fragments
    }
}

impl Module {
    /// Its fragments. Values are no part of it; they travel in the uniform block.
    pub(crate) fn fragments(self) -> Vec<Fragment> {
        match self {
            Self::Clamp(key) => key.fragments(),
            Self::Resolve => vec![fragment!("resolve"), fragment!("grid"), fragment!("wide")],
        }
    }

    /// Its WGSL.
    pub(crate) fn source(self) -> String {
        self.fragments().into_iter().map(|fragment| fragment.text).collect()
    }
}

#[cfg(test)]
mod tests;
