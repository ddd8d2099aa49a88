//! Names of WGSL modules and pipelines, and the fragments of `shaders/` that a module is joined from.

use std::fmt;

use crate::arithmetic::{
    AffineStep, Arithmetic, Class, Form, ParameterPlace, Parameters, Shortcuts, SlotReads, readers,
};
use crate::fragment::{Fragment, fragment};
use crate::kernel::GeometryBytes;
use crate::kernel::{EntryPoint, Kernel, Placement};
use crate::{DType, Rounding};

/// The most bytes of a uniform block of one clamp: its parameters, then the kernel's geometry.
pub(crate) const MAX_UNIFORM_BLOCK: usize = Parameters::CAPACITY + GeometryBytes::CAPACITY;

/// The binding numbers of `shaders/params/` and `shaders/binding/`.
pub(crate) mod binding {
    pub(crate) const PARAMS: u32 = 0;
    /// src, or src and dst in one binding.
    pub(crate) const SRC: u32 = 1;
    pub(crate) const DST: u32 = 2;
    /// The storage buffer of channels' parameters.
    pub(crate) const CHANNELS: u32 = 3;

    /// The bindings of `resolve.wgsl`, besides its parameters.
    pub(crate) mod resolve {
        use crate::arithmetic::MAX_SLOTS;

        /// The slots to read.
        pub(crate) const SLOTS: [u32; MAX_SLOTS] = [1, 2, 3];
        /// The output: uniform blocks, or the storage buffer of parameters.
        pub(crate) const BLOCKS: u32 = 4;
    }
}

/// Names one module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Module {
    /// A clamp's kernel.
    Clamp(ModuleName),
    /// Turns numbers on the GPU into parameters.
    Resolve,
    /// Compares the device's conversions of F16 with those by integer operations.
    Probe,
}

/// Names one module of a clamp's kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ModuleName {
    pub(crate) arithmetic: Arithmetic,
    pub(crate) parameters: ParameterPlace,
    pub(crate) kernel: Kernel,
    pub(crate) placement: Placement,
    /// Whether F16 is converted by the device's instructions.
    pub(crate) f16_by_device: bool,
    /// Whether a CPU runs the shader.
    pub(crate) cpu: bool,
}

impl ModuleName {
    /// All modules of `words`, and the modules of pieces for every `step`-th layout.
    #[cfg(test)]
    pub(crate) fn all(step: usize) -> impl Iterator<Item = Self> {
        let words = Arithmetic::all().flat_map(|arithmetic| {
            Placement::ALL.into_iter().flat_map(move |placement| {
                let of = move |parameters| (arithmetic, parameters, Kernel::Words, placement);
                ParameterPlace::ALL.into_iter().map(of)
            })
        });
        let all = words.chain(crate::kernel::samples(step)).enumerate();
        all.flat_map(|(n, (arithmetic, parameters, kernel, placement))| {
            let cpu = !n.is_multiple_of(2);
            let of =
                move |f16_by_device| Self { arithmetic, parameters, kernel, placement, f16_by_device, cpu };
            // Both ways for every third module that converts F16.
            let both = arithmetic.converts_f16() && n.is_multiple_of(3);
            [Some(of(false)), both.then(|| of(true))].into_iter().flatten()
        })
    }

    fn fragments(self) -> Vec<Fragment> {
        let Self { arithmetic, parameters, kernel, placement, f16_by_device, .. } = self;
        let mut fragments = vec![fragment!("grid")];
        fragments.push(parameter_fragment(parameters));
        fragments.extend(kernel.fragments(arithmetic));
        fragments.extend(element_fragments(arithmetic));
        if arithmetic.source == DType::F16 || arithmetic.dtype == DType::F16 {
            fragments.extend(if f16_by_device {
                [fragment!("f16/device"), fragment!("f16/by_device")]
            } else {
                [fragment!("f16/integers"), fragment!("f16/by_integers")]
            });
        }
        fragments.push(match placement {
            Placement::OneBuffer => fragment!("binding/one_buffer"),
            Placement::TwoRanges => fragment!("binding/two_ranges"),
            Placement::TwoBuffers => fragment!("binding/two_buffers"),
        });
        if placement != Placement::OneBuffer {
            fragments.push(fragment!("binding/src_and_dst"));
        }
        fragments.push(if arithmetic.takes_f64() {
            fragment!("binding/packets64")
        } else {
            fragment!("binding/packets32")
        });
        fragments
    }
}

/// The fragment of the uniform block, and of `bounds()` and `numbers()`.
fn parameter_fragment(place: ParameterPlace) -> Fragment {
    match place {
        ParameterPlace::One => fragment!("params/one"),
        ParameterPlace::Block => fragment!("params/block"),
        ParameterPlace::Stored => fragment!("params/stored"),
    }
}

/// The fragments for one element: source, destination, class, affine step, and the fragments that these need.
fn element_fragments(arithmetic: Arithmetic) -> Vec<Fragment> {
    let Arithmetic { source, dtype, step, rounding, form } = arithmetic;
    let (found, is_quantized) = (form == Form::Found, form == Form::Quantization);
    let class = arithmetic.class();
    let element: &[Fragment] = match class {
        Class::Integer => &[fragment!("element/integer")],
        Class::Integer64 => &[fragment!("element/integer64"), fragment!("wide")],
        Class::Float => &[fragment!("element/float")],
        Class::Float64 => &[fragment!("element/float64"), fragment!("wide")],
        Class::Rounded => &[fragment!("element/rounded"), fragment!("element/from_singles")],
        Class::Rounded32 => &[fragment!("element/rounded32"), fragment!("element/from_singles")],
        Class::Quantized => &[fragment!("element/quantized"), fragment!("step_value/from_float")],
    };
    let (sum, packed) = (fragment!("affine/sum"), fragment!("affine/packed"));
    let wide_sum = fragment!("affine/wide_sum");
    let (of_float, of_word) = (fragment!("affine/float_product"), fragment!("affine/word_product"));
    let affine = match (step, class) {
        (AffineStep::None, Class::Integer) if arithmetic.converts() && source == DType::U32 => {
            vec![fragment!("affine/none_from_u32")]
        }
        (AffineStep::None, Class::Integer) if arithmetic.converts() && dtype == DType::U32 => {
            vec![fragment!("affine/none_to_u32")]
        }
        (AffineStep::None, Class::Rounded | Class::Rounded32) => {
            vec![fragment!("affine/none_from_float")]
        }
        (AffineStep::None, _) => vec![fragment!("affine/none")],
        (AffineStep::Fast, Class::Quantized) => vec![fragment!("affine/quotient_fast")],
        (_, Class::Quantized) => vec![fragment!("affine/quotient_exact")],
        (AffineStep::Fast, _) if is_quantized => vec![fragment!("affine/product_fast")],
        (AffineStep::Exact, _) if is_quantized => vec![fragment!("affine/product_exact")],
        (AffineStep::Fast, Class::Float64) => vec![fragment!("affine/float64_fast")],
        (AffineStep::Fast, _) => vec![fragment!("affine/float_fast")],
        (AffineStep::Fixed, _) => vec![fragment!("affine/fixed")],
        (AffineStep::Halves, _) => vec![fragment!("affine/halves")],
        (AffineStep::Thirds, _) => vec![fragment!("affine/parts"), fragment!("affine/thirds")],
        (AffineStep::Quarters, _) => vec![fragment!("affine/parts"), fragment!("affine/quarters")],
        (AffineStep::Exact, Class::Integer) => vec![fragment!("affine/integer"), fragment!("wide")],
        (AffineStep::Exact, Class::Integer64) => vec![fragment!("affine/integer64")],
        (AffineStep::Exact, Class::Float | Class::Rounded) if arithmetic.takes_words() => {
            vec![fragment!("affine/word_to_single"), of_word, wide_sum, sum, packed]
        }
        (AffineStep::Exact, Class::Float | Class::Rounded) => {
            vec![fragment!("affine/float_exact"), of_float, wide_sum, sum, packed]
        }
        (AffineStep::Exact, Class::Rounded32) => {
            vec![fragment!("affine/single_to_word"), of_float, wide_sum, sum]
        }
        (AffineStep::Exact, Class::Float64) => vec![fragment!("affine/float64_exact")],
    };
    let mut fragments = vec![dtype.destination_fragment()];
    fragments.extend(source.source_fragment());
    let is_integer = |dtype: DType| !dtype.is_float() && dtype.bits() <= 32;
    fragments.extend(is_integer(dtype).then_some(fragment!("destination/integer")));
    fragments.extend(is_integer(source).then_some(fragment!("source/integer")));
    fragments.extend(element.iter().copied().chain(affine));
    if matches!(class, Class::Float | Class::Rounded | Class::Rounded32) {
        // An affine step from an integer makes a NaN only if scale or bias is on the GPU.
        let never_nan = !source.is_float() && !found;
        if step != AffineStep::None && !is_quantized {
            fragments.push(match found {
                _ if never_nan => fragment!("affine/finite"),
                true => fragment!("affine/found"),
                false => fragment!("affine/specials"),
            });
        }
        if arithmetic.converts() || found {
            if class == Class::Float || step != AffineStep::None {
                fragments.push(fragment!("step_value/single"));
            }
            let rounds_sum = step == AffineStep::Exact && class != Class::Rounded32 && !is_quantized;
            if rounds_sum || arithmetic.takes_words() {
                fragments.push(if is_quantized {
                    fragment!("step_value/to_nearest")
                } else {
                    fragment!("step_value/to_odd")
                });
            }
            fragments.push(match step {
                _ if source.is_float() => fragment!("step_value/from_float"),
                _ if is_quantized && !arithmetic.takes_words() => fragment!("step_value/from_difference"),
                _ if is_quantized => fragment!("step_value/from_word"),
                _ if !arithmetic.takes_words() => fragment!("step_value/from_integer"),
                AffineStep::Exact => fragment!("step_value/word"),
                _ => fragment!("step_value/from_word"),
            });
            fragments.push(match (class, step) {
                (Class::Rounded32, AffineStep::Exact) => fragment!("step_value/to_word"),
                _ if never_nan => fragment!("step_value/finite"),
                _ => fragment!("step_value/specials"),
            });
        } else {
            fragments.push(fragment!("step_value/own"));
        }
    }
    if arithmetic.rounds() {
        fragments.push(match rounding {
            Rounding::TowardZero => fragment!("rounding/toward_zero"),
            Rounding::NearestEven => fragment!("rounding/nearest_even"),
        });
    }
    fragments
}

impl Module {
    /// The fragments. They contain no values: buffers hold the values.
    pub(crate) fn fragments(self) -> Vec<Fragment> {
        match self {
            Self::Clamp(key) => key.fragments(),
            Self::Resolve => vec![fragment!("resolve"), fragment!("grid"), fragment!("wide")],
            Self::Probe => {
                let f16 = [fragment!("f16/integers"), fragment!("f16/device")];
                [f16, [fragment!("grid"), fragment!("probe")]].concat()
            }
        }
    }

    /// The generated text, which follows the fragments: what reads a table of parameters, and the entry point.
    pub(crate) fn text(self) -> Option<String> {
        let Self::Clamp(ModuleName { arithmetic, parameters, kernel, placement, cpu, .. }) = self else {
            return None;
        };
        let readers = if parameters.are_stored() { readers(arithmetic) } else { String::new() };
        Some(readers + &kernel.text(arithmetic, placement, cpu))
    }

    pub(crate) fn source(self) -> String {
        let files = self.fragments().into_iter().map(|fragment| fragment.text);
        files.collect::<String>() + &self.text().unwrap_or_default()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PipelineName {
    pub(crate) module: Module,
    pub(crate) entry_point: EntryPoint,
    pub(crate) shortcuts: Shortcuts,
}

impl PipelineName {
    /// The pipeline that reads numbers on the GPU.
    pub(crate) fn resolve(reads: SlotReads) -> Self {
        let (module, shortcuts) = (Module::Resolve, Shortcuts::default());
        Self { module, entry_point: EntryPoint::new("resolve", &reads.constants()), shortcuts }
    }

    /// The values of the module's overridable constants.
    pub(crate) fn constants(&self) -> Vec<(&'static str, f64)> {
        let mut constants: Vec<_> = self.entry_point.constants().collect();
        if let Module::Clamp(_) = self.module {
            constants.extend(self.shortcuts.constants());
        }
        constants
    }
}

/// For labels and the log.
impl fmt::Display for PipelineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Module::Clamp(name) = self.module {
            let ModuleName { arithmetic, parameters, kernel, placement, f16_by_device, cpu } = name;
            write!(f, "{arithmetic}, {parameters}{placement}, ")?;
            if f16_by_device {
                f.write_str("F16 by the device, ")?;
            }
            if cpu {
                f.write_str("on a CPU, ")?;
            }
            if let Kernel::Piece(piece) = kernel {
                write!(f, "{piece}, ")?;
            }
            write!(f, "{kernel} kernel, ")?;
        }
        f.write_str(self.entry_point.name)
    }
}

/// A compute shader as the crate gives it to wgpu, for reading or for another compiler: see
/// [`Plan::shaders`](crate::Plan::shaders).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Shader {
    /// A description, as in the labels of modules and pipelines.
    pub label: String,
    /// The WGSL.
    pub wgsl: String,
    /// The name of the entry point.
    pub entry_point: &'static str,
    /// The overridable constants with their values.
    pub constants: Vec<(&'static str, f64)>,
    /// The workgroups of all dispatches of this shader.
    pub workgroups: u64,
}

impl Shader {
    pub(crate) fn new(name: PipelineName, workgroups: u64) -> Self {
        Self {
            label: name.to_string(),
            wgsl: name.module.source(),
            entry_point: name.entry_point.name,
            constants: name.constants(),
            workgroups,
        }
    }
}

#[cfg(test)]
mod tests;
