//! Names of WGSL modules and pipelines, and the fragments of `shaders/` that a module is joined from.

use std::fmt;

use crate::arithmetic::{AffineStep, Arithmetic, Class, Form, ParameterPlace, Shortcuts};
use crate::fragment::{Fragment, fragment};
use crate::kernel::GeometryBytes;
use crate::kernel::{EntryPoint, Kernel, Placement};
use crate::{DType, Rounding};

/// The most bytes of a uniform block: a clamp's numbers, then the kernel's geometry.
pub(crate) const MAX_UNIFORM_BLOCK: usize = ParameterPlace::MOST_BYTES + GeometryBytes::CAPACITY;

/// The binding numbers of `shaders/params/` and `shaders/binding/`.
pub(crate) mod binding {
    pub(crate) const PARAMS: u32 = 0;
    /// src, or src and dst in one binding.
    pub(crate) const SRC: u32 = 1;
    pub(crate) const DST: u32 = 2;
    /// The table of channels' numbers.
    pub(crate) const TABLE: u32 = 3;

    /// The bindings of `gather.wgsl`, besides its parameters.
    pub(crate) mod gather {
        use crate::arithmetic::MAX_SLOTS;

        /// The slots to read.
        pub(crate) const SLOTS: [u32; MAX_SLOTS] = [1, 2, 3];
        /// The table.
        pub(crate) const TABLE: u32 = 4;
    }
}

/// Names one module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Module {
    /// A clamp's kernel.
    Clamp(ModuleName),
    /// Gathers numbers that lie on the GPU.
    Gather,
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
        fragments.push(match parameters {
            ParameterPlace::Block => fragment!("params/one"),
            ParameterPlace::Table => fragment!("params/table"),
        });
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

/// A list of fragments by their names.
macro_rules! list {
    ($($name:literal),*) => { &[$(fragment!($name)),*] };
}

/// The fragments for one element: those of destination, source, class, affine step, operand and rounding.
fn element_fragments(arithmetic: Arithmetic) -> Vec<Fragment> {
    let dtypes = [Some(arithmetic.dtype.destination_fragment()), arithmetic.source.source_fragment()];
    let is_integer = |dtype: DType| !dtype.is_float() && dtype.bits() <= 32;
    let integers = [
        is_integer(arithmetic.dtype).then_some(fragment!("destination/integer")),
        is_integer(arithmetic.source).then_some(fragment!("source/integer")),
    ];
    let lists = [class_fragments(arithmetic.class()), step_fragments(arithmetic)];
    let mut fragments: Vec<_> = dtypes.into_iter().chain(integers).flatten().collect();
    fragments.extend(lists.into_iter().flatten());
    if matches!(arithmetic.class(), Class::Float | Class::Rounded | Class::Rounded32) {
        fragments.extend(operand_fragments(arithmetic));
    }
    if arithmetic.rounds() {
        fragments.push(match arithmetic.rounding {
            Rounding::TowardZero => fragment!("rounding/toward_zero"),
            Rounding::NearestEven => fragment!("rounding/nearest_even"),
        });
    }
    fragments
}

const fn class_fragments(class: Class) -> &'static [Fragment] {
    match class {
        Class::Integer => list!["element/integer", "element/keys", "params/rules"],
        Class::Integer64 => list!["element/integer64", "params/rules", "wide"],
        Class::Float => {
            list!["element/float", "element/ranges", "params/rules", "wide"]
        }
        Class::Float64 => list!["element/float64", "element/ranges", "params/rules", "wide"],
        Class::Rounded => list!["element/rounded", "element/from_singles", "element/keys", "params/rules"],
        Class::Rounded32 => {
            list!["element/rounded32", "element/from_singles", "element/keys", "params/rules"]
        }
        Class::Quantized => {
            list!["element/quantized", "element/keys", "params/rules", "step_value/from_float"]
        }
    }
}

/// The fragments of an affine step.
fn step_fragments(arithmetic: Arithmetic) -> &'static [Fragment] {
    use AffineStep::{Exact, Fast, Fixed, Halves, None, Thirds, Whole};
    use Class::{Float, Float64, Integer, Integer64, Quantized, Rounded, Rounded32};
    let Arithmetic { source, dtype, .. } = arithmetic;
    let of_quantization = arithmetic.form == Form::Quantization;
    match (arithmetic.step, arithmetic.class()) {
        (None, Integer) if source == DType::U32 && dtype != source => {
            list!["affine/none_from_u32", "affine/no_coefficients"]
        }
        (None, Integer) if dtype == DType::U32 && dtype != source => {
            list!["affine/none_to_u32", "affine/no_coefficients"]
        }
        (None, Rounded | Rounded32) => list!["affine/none_from_float", "affine/no_coefficients"],
        (None, _) => list!["affine/none", "affine/no_coefficients"],
        (Fixed, _) => list!["affine/fixed"],
        (Halves, _) => list!["affine/parts", "affine/halves"],
        (Thirds, _) => list!["affine/parts", "affine/thirds"],
        (Whole, _) => list!["affine/parts", "affine/whole"],
        (Fast, Quantized) => list!["affine/quotient_fast"],
        (Exact, Quantized) => list!["affine/quotient_exact", "affine/significand"],
        (Fast, _) if of_quantization => list!["affine/product_fast"],
        (Exact, _) if of_quantization => list!["affine/product_exact", "affine/significand"],
        (Fast, Float64) => list!["affine/float64_fast"],
        (Fast, _) => list!["affine/float_fast"],
        (Exact, Integer) => list!["affine/integer", "wide"],
        (Exact, Integer64) => list!["affine/integer64"],
        (Exact, Float64) => list!["affine/float64_exact"],
        (Exact, Rounded32) => {
            list!["affine/single_to_word", "affine/float_product", "affine/sum", "affine/significand"]
        }
        (Exact, Float | Rounded) if arithmetic.takes_words() => {
            list!["affine/word_to_single", "affine/sum", "affine/significand", "affine/packed"]
        }
        (Exact, Float | Rounded) => {
            list![
                "affine/float_exact",
                "affine/float_product",
                "affine/sum",
                "affine/significand",
                "affine/packed"
            ]
        }
    }
}

/// The fragments of the operand of a step on floats of up to 32 bits, and of the step's special results.
fn operand_fragments(arithmetic: Arithmetic) -> impl Iterator<Item = Fragment> {
    let Arithmetic { source, step, form, .. } = arithmetic;
    let (class, takes_words) = (arithmetic.class(), arithmetic.takes_words());
    let (of_slots, of_quantization) = (form == Form::Slots, form == Form::Quantization);
    // A step from an integer makes a NaN only if scale or bias is on the GPU.
    let never_nan = !source.is_float() && !of_slots;
    let specials = match () {
        () if step == AffineStep::None || of_quantization => None,
        () if never_nan => Some(fragment!("affine/finite")),
        () if of_slots => Some(fragment!("affine/slots")),
        () => Some(fragment!("affine/specials")),
    };
    if !arithmetic.converts() && !of_slots {
        return [specials, Some(fragment!("step_value/own")), None, None, None].into_iter().flatten();
    }
    let to_word = class == Class::Rounded32 && step == AffineStep::Exact;
    let takes_singles = class == Class::Float || step != AffineStep::None;
    let rounds_to_single = step == AffineStep::Exact && !to_word && !of_quantization || takes_words;
    let operand = match step {
        _ if source.is_float() => fragment!("step_value/from_float"),
        _ if of_quantization && !takes_words => fragment!("step_value/from_difference"),
        AffineStep::Exact if takes_words && !of_quantization => fragment!("step_value/word"),
        _ if takes_words => fragment!("step_value/from_word"),
        _ => fragment!("step_value/from_integer"),
    };
    let result = match () {
        () if to_word => fragment!("step_value/to_word"),
        () if never_nan => fragment!("step_value/finite"),
        () => fragment!("step_value/specials"),
    };
    let rounding =
        if of_quantization { fragment!("step_value/to_nearest") } else { fragment!("step_value/to_odd") };
    let single = takes_singles.then_some(fragment!("step_value/single"));
    [specials, single, rounds_to_single.then_some(rounding), Some(operand), Some(result)]
        .into_iter()
        .flatten()
}

impl Module {
    /// The fragments. They contain no values: buffers hold the values.
    pub(crate) fn fragments(self) -> Vec<Fragment> {
        match self {
            Self::Clamp(key) => key.fragments(),
            Self::Gather => vec![fragment!("gather"), fragment!("grid"), fragment!("wide")],
            Self::Probe => {
                let f16 = [fragment!("f16/integers"), fragment!("f16/device")];
                [f16, [fragment!("grid"), fragment!("probe")]].concat()
            }
        }
    }

    /// The generated text, which follows the fragments: the entry point.
    pub(crate) fn text(self) -> Option<String> {
        let Self::Clamp(ModuleName { arithmetic, kernel, placement, cpu, .. }) = self else { return None };
        Some(kernel.text(arithmetic, placement, cpu))
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
    pub(crate) fn gather() -> Self {
        let (module, shortcuts) = (Module::Gather, Shortcuts::default());
        Self { module, entry_point: EntryPoint::new("gather", &[]), shortcuts }
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
