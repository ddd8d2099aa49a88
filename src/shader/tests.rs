//! Every module through naga: it parses, validates with no capability, translates to the four languages that
//! drivers take, and lays out its uniform block as the Rust twins do. F64 by hardware is the exception: it needs two
//! capabilities, and goes to SPIR-V alone.

use std::mem::offset_of;

use bytemuck::Zeroable as _;
use naga::back::{PipelineConstants, glsl, hlsl, msl, spv};
use naga::proc::BoundsCheckPolicies;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use super::{
    AffineStep, Class, Constants, EntryPoint, Kernel, Module, PACKETS_PER_INVOCATION, Placement, ShaderKey,
    WORKGROUP_SIZE,
};
use crate::arithmetic::{self as params, Block};
use crate::{Clamp, DType, Precision};

fn clamps(dtype: DType) -> Vec<Clamp> {
    let plain = Clamp::unbounded(dtype);
    let affine = plain.with_affine(2.0, 1.0).unwrap();
    vec![plain, affine, affine.with_precision(Precision::Exact)]
}

fn keys() -> Vec<(ShaderKey, Clamp)> {
    let mut keys = Vec::new();
    for dtype in DType::ALL {
        for clamp in clamps(dtype) {
            for (kernel, step) in KERNELS
                .into_iter()
                .flat_map(|kernel| steps(&clamp).into_iter().map(move |step| (kernel, step)))
            {
                for placement in [Placement::OneBuffer, Placement::TwoRanges, Placement::TwoBuffers] {
                    let key = ShaderKey { dtype, step, kernel, placement };
                    if is_used(key) {
                        keys.push((key, clamp));
                    }
                }
            }
        }
    }
    // 12 dtypes, without a step and with one, and both precisions for four of them: 28, 12 of them with an
    // exact step; a fixed-point one for two.
    // In each placement three kernels, one more without an exact step, and one more for the 16 of words, and another in
    // two placements; in one placement a seventh.
    let distinct = keys.iter().map(|(key, _)| key).collect::<std::collections::HashSet<_>>().len();
    assert_eq!(distinct, 3 * (3 * 30 + 18 + 16) + 2 * 16 + 30);
    keys
}

const KERNELS: [Kernel; 7] = [
    Kernel::Contiguous,
    Kernel::Rows,
    Kernel::Fill,
    Kernel::Transposed,
    Kernel::Spread,
    Kernel::Words,
    Kernel::Strided,
];

/// The steps that a clamp may take.
fn steps(clamp: &Clamp) -> Vec<AffineStep> {
    let mut steps = vec![AffineStep::of(clamp, false, false)];
    if clamp.affine().is_some() && clamp.dtype().bits() == 8 {
        steps.push(AffineStep::Fixed);
    }
    let with_f64 = AffineStep::of(clamp, false, true);
    if !steps.contains(&with_f64) {
        steps.push(with_f64);
    }
    steps
}

/// What the module needs of a device beyond WGSL itself.
fn capabilities(module: Module) -> Capabilities {
    match module {
        Module::Clamp(ShaderKey { dtype: DType::F64, step: AffineStep::Fast, .. }) => {
            Capabilities::FLOAT64 | Capabilities::SHADER_INT64
        }
        _ => Capabilities::empty(),
    }
}

/// Only F64 has a step that depends on the device.
#[test]
fn steps_depend_on_the_device_for_f64_alone() {
    for clamp in DType::ALL.into_iter().flat_map(clamps) {
        let [without, with] =
            [false, true].map(|f64_arithmetic| AffineStep::of(&clamp, false, f64_arithmetic));
        let fast = clamp.affine().is_some() && clamp.precision() == Precision::Fast;
        if clamp.dtype() == DType::F64 && fast {
            assert_eq!((without, with), (AffineStep::Exact, AffineStep::Fast));
        } else {
            assert_eq!(without, with, "{clamp:?}");
        }
    }
}

/// Whether a plan can choose the module.
fn is_used(key: ShaderKey) -> bool {
    match key.kernel {
        Kernel::Fill => key.placement == Placement::TwoBuffers,
        Kernel::Transposed => key.step != AffineStep::Exact,
        Kernel::Spread => key.dtype.bits() < 32 && key.placement != Placement::TwoRanges,
        Kernel::Words => key.dtype.bits() < 32,
        _ => true,
    }
}

fn parse(key: Module) -> (naga::Module, ModuleInfo) {
    let source = key.source();
    let module = naga::front::wgsl::parse_str(&source)
        .unwrap_or_else(|error| panic!("{key:?}: {}", error.emit_to_string(&source)));
    let info = Validator::new(ValidationFlags::all(), capabilities(key))
        .validate(&module)
        .unwrap_or_else(|error| panic!("{key:?}: {}", error.emit_to_string(&source)));
    (module, info)
}

fn entry_points(kernel: Kernel) -> &'static [EntryPoint] {
    match kernel {
        Kernel::Contiguous => &[EntryPoint::Body, EntryPoint::Edges],
        Kernel::Rows => &[EntryPoint::Rows, EntryPoint::RowEdges, EntryPoint::RowLast],
        Kernel::Fill => &[EntryPoint::Fill, EntryPoint::RowEdges, EntryPoint::RowLast],
        Kernel::Transposed => &[EntryPoint::Transposed],
        Kernel::Spread => &[EntryPoint::Spread],
        Kernel::Words => &[EntryPoint::Words],
        Kernel::Strided => &[EntryPoint::Strided],
    }
}

#[test]
fn every_module_translates_to_spirv_and_without_capabilities_to_msl_hlsl_and_glsl() {
    for (key, _) in keys() {
        translate(Module::Clamp(key), entry_points(key.kernel));
    }
    translate(Module::Resolve, &[EntryPoint::Resolve]);
}

/// The number that the documentation gives, and overridable constants that the modules know.
#[test]
fn pipelines_are_bounded() {
    let distinct: std::collections::HashSet<_> = keys().into_iter().map(|(key, _)| key).collect();
    let mut count = 1;
    for key in distinct {
        let (module, _) = parse(Module::Clamp(key));
        let known: Vec<_> = module.overrides.iter().filter_map(|(_, o)| o.name.as_deref()).collect();
        for &entry_point in entry_points(key.kernel) {
            let constants = Constants::default().of(entry_point, key.dtype.bits(), true);
            assert!(constants.iter().all(|(name, _)| known.contains(name)), "{key:?} {constants:?}");
            count += constants
                .iter()
                .map(|&(name, _)| match name {
                    // Or in steps, or in 1, 4 or 8 lines.
                    "RANK" | "PACKETS" | "LINE_BYTES" | "IN_STEPS" => 4,
                    "SQUARES" => 9,
                    // Of the device; and counted with IN_STEPS.
                    "ADJACENT" => 1,
                    "LINES" if constants.iter().any(|(name, _)| *name == "IN_STEPS") => 1,
                    "UNITS" | "LINES" => 3,
                    _ => 2,
                })
                .product::<usize>();
        }
    }
    assert_eq!(count, 48701);
    for text in [include_str!("../lib.rs"), include_str!("../gpu/clamper.rs")] {
        assert!(text.contains("48701 at most"));
    }
}

fn translate(key: Module, entry_points: &[EntryPoint]) {
    let (module, info) = parse(key);
    // Overridable constants have to have their values by now: here the defaults.
    let (module, info) = naga::back::pipeline_constants::process_overrides(
        &module,
        &info,
        None,
        &PipelineConstants::default(),
    )
    .unwrap_or_else(|error| panic!("{key:?}: {error}"));
    let (module, info) = (module.into_owned(), info.into_owned());
    let names: Vec<_> = module.entry_points.iter().map(|e| e.name.as_str()).collect();
    assert_eq!(names, entry_points.iter().map(|e| e.name()).collect::<Vec<_>>(), "{key:?}");

    let spirv = spv::write_vec(&module, &info, &spv::Options::default(), None);
    assert!(spirv.is_ok(), "{key:?}: {spirv:?}");
    if !capabilities(key).is_empty() {
        return;
    }
    for name in names {
        let stage = naga::ShaderStage::Compute;
        let entry_point = Some((stage, name.to_owned()));

        let options = msl::Options { fake_missing_bindings: true, ..Default::default() };
        let pipeline = msl::PipelineOptions { entry_point: entry_point.clone(), ..Default::default() };
        let text = msl::write_string(&module, &info, &options, &pipeline);
        assert!(text.is_ok_and(|(text, _)| text.contains(name)), "{key:?} {name}");

        let options = hlsl::Options { fake_missing_bindings: true, ..Default::default() };
        let pipeline = hlsl::PipelineOptions { entry_point };
        let mut text = String::new();
        let written =
            hlsl::Writer::new(&mut text, &options, &pipeline).write(&module, &info, None).map(|_| ());
        assert!(written.is_ok() && text.contains(name), "{key:?} {name}: {written:?}");

        let options = glsl::Options { version: glsl::Version::new_gles(310), ..Default::default() };
        let pipeline =
            glsl::PipelineOptions { shader_stage: stage, entry_point: name.to_owned(), multiview: None };
        let mut text = String::new();
        let policies = BoundsCheckPolicies::default();
        let written = glsl::Writer::new(&mut text, &module, &info, &options, &pipeline, policies)
            .and_then(|mut writer| writer.write());
        assert!(written.is_ok() && text.contains("void main()"), "{key:?} {name}: {written:?}");
    }
}

macro_rules! offsets {
    ($t:ty: $($member:ident)*) => { vec![$((stringify!($member), offset_of!($t, $member))),*] };
}

fn geometry(kernel: Kernel) -> Vec<(&'static str, usize)> {
    match kernel {
        Kernel::Contiguous => {
            offsets!(params::ContiguousGeometry: first count src_shift row begin end)
        }
        _ => {
            offsets!(params::WalkGeometry: dims shifts edge_shift count src_start dst_start row rows lines length src_step
            src_packets edge_row last_src last_dst repeats repeated_rows repeat_pitch word_mask word_shift squares_along_src squares_along_dst
            src_pitch dst_pitch)
        }
    }
}

fn bounds(class: Class) -> Vec<(&'static str, usize)> {
    match class {
        Class::Integer => offsets!(params::IntegerBounds: min max),
        Class::Integer64 => offsets!(params::IntegerBounds64: min max),
        Class::Float => {
            offsets!(params::FloatBounds: below_first below_count above_first above_count min_bits max_bits)
        }
        Class::Float64 => {
            offsets!(params::FloatBounds64: below_first below_count above_first above_count min_bits max_bits)
        }
    }
}

fn affine(step: AffineStep, class: Class) -> Vec<(&'static str, usize)> {
    match (step, class) {
        (AffineStep::None, _) => vec![("unused", 0)],
        (AffineStep::Fixed, _) => offsets!(params::Fixed: factor addend),
        (AffineStep::Fast, Class::Float64) => {
            offsets!(params::FloatFast64: scale bias infinity_mask infinity_flip)
        }
        (AffineStep::Fast, _) => offsets!(params::FloatFast: scale bias infinity_mask infinity_flip),
        (AffineStep::Exact, Class::Integer) => offsets!(params::Integer: lowest highest origin factor
            shift_left shift_right inexact minimum maximum addend below_one offset rebase),
        (AffineStep::Exact, Class::Integer64) => offsets!(params::Integer64: lowest highest origin factor
            negative shift_left shift_right inexact addend below_one offset rebase),
        (AffineStep::Exact, Class::Float) => offsets!(params::FloatExact: scale scale_exponent bias
            bias_exponent scale_sign bias_sign infinity_mask infinity_flip),
        (AffineStep::Exact, Class::Float64) => offsets!(params::FloatExact64: scale scale_exponent
            scale_sign bias bias_exponent bias_sign infinity_mask infinity_flip),
    }
}

fn members<'m>(module: &'m naga::Module, name: &str) -> (&'m [naga::StructMember], u32) {
    module
        .types
        .iter()
        .find_map(|(_, t)| match &t.inner {
            naga::TypeInner::Struct { members, span } if t.name.as_deref() == Some(name) => {
                Some((members.as_slice(), *span))
            }
            _ => None,
        })
        .unwrap_or_else(|| panic!("no struct {name}"))
}

fn member_offsets<'m>(module: &'m naga::Module, name: &str) -> Vec<(&'m str, usize)> {
    let (members, _) = members(module, name);
    members.iter().map(|member| (member.name.as_deref().unwrap(), member.offset as usize)).collect()
}

#[test]
fn requests_agree_between_wgsl_and_rust() {
    let (module, _) = parse(Module::Resolve);
    let twin = offsets!(params::Request: min_key min_bits max_key max_bits lowest highest min_word min_shift
        max_word max_shift min_on_gpu max_on_gpu max_wins is_float bits is_signed target_word nan_becomes
        key_flip sign infinity);
    assert_eq!(member_offsets(&module, "Request"), twin);
    assert_eq!(members(&module, "Request").1 as usize, size_of::<params::Request>());
}

#[test]
fn uniform_blocks_agree_between_wgsl_and_rust() {
    for (key, clamp) in keys() {
        let (module, _) = parse(Module::Clamp(key));
        let class = Class::of(key.dtype);
        for (name, twin) in [
            ("Geometry", geometry(key.kernel)),
            ("Bounds", bounds(class)),
            ("Affine", affine(key.step, class)),
        ] {
            assert_eq!(member_offsets(&module, name), twin, "{key:?} {name}");
        }

        let fixed = params::Fixed::zeroed();
        let fixed = (key.step == AffineStep::Fixed).then_some(&fixed);
        let block = match key.kernel {
            Kernel::Contiguous => Block::new(&params::ContiguousGeometry::zeroed(), &clamp, key.step, fixed),
            _ => Block::new(&params::WalkGeometry::zeroed(), &clamp, key.step, fixed),
        };
        let (parts, span) = members(&module, "Params");
        let mut offset = 0;
        for (part, name) in parts.iter().zip(["Geometry", "Bounds", "Affine"]) {
            assert_eq!(part.offset, offset, "{key:?} {name}");
            offset = (offset + members(&module, name).1).next_multiple_of(16);
        }
        assert_eq!(block.as_bytes().len(), span as usize, "{key:?}");
        assert_eq!(block.bounds_offset(), parts[1].offset as usize, "{key:?}");
    }
}

#[test]
fn workgroups_agree_between_wgsl_and_rust() {
    for (key, _) in keys() {
        let (module, _) = parse(Module::Clamp(key));
        for entry_point in &module.entry_points {
            let expected = match entry_point.name.as_str() {
                "edges" => 2,
                "row_last" => 4,
                _ => WORKGROUP_SIZE,
            };
            assert_eq!(entry_point.workgroup_size, [expected, 1, 1], "{key:?} {}", entry_point.name);
        }
    }
    assert!(
        include_str!("../../shaders/kernel/contiguous.wgsl")
            .contains(&format!("PACKETS_PER_INVOCATION: u32 = {PACKETS_PER_INVOCATION}u;"))
    );
}

/// What WGSL's grammar asks for and naga does not: parentheses where bitwise operators or shifts meet each other or
/// arithmetic, and where `&&` meets `||`. Tint refuses the rest.
#[test]
fn mixed_operators_are_parenthesised() {
    let modules = keys().into_iter().map(|(key, _)| Module::Clamp(key)).chain([Module::Resolve]);
    let sources: std::collections::HashSet<String> = modules.map(Module::source).collect();
    for source in sources {
        for line in source.lines() {
            assert!(parenthesised(line), "{line}");
        }
    }
    assert!(parenthesised("let x = (a & b) | c | (d << 8u) | (d + 1u);"));
    for line in ["a * 8u & 31u", "f(a & b | c)", "x << n + 1u", "a & b != 0u", "a && b || c", "a >> 1u << 2u"]
    {
        assert!(!parenthesised(line), "{line}");
    }
}

/// Operators have a space on both sides here, unlike signs, references and template brackets.
fn parenthesised(line: &str) -> bool {
    let code = line.split("//").next().unwrap().trim_start();
    // Operators of each open parenthesis, in order.
    let mut levels = vec![Vec::new()];
    let mut fine = true;
    let spaced = code.replace(['(', '['], " ( ").replace([')', ']'], " ) ").replace([',', ';'], " ; ");
    for token in spaced.split(' ') {
        match token {
            "(" => levels.push(Vec::new()),
            ")" => fine &= levels.pop().is_none_or(|operators| unmixed(&operators)),
            ";" | "=" | "return" | "|=" | "+=" | "{" | "}" => {
                fine &= levels.last_mut().is_none_or(|operators| unmixed(&std::mem::take(operators)));
            }
            "&" | "|" | "^" | "<<" | ">>" | "+" | "-" | "*" | "/" | "%" | "==" | "!=" | "<" | ">" | "<="
            | ">=" | "&&" | "||" => levels.last_mut().into_iter().for_each(|level| level.push(token)),
            _ => {}
        }
    }
    fine && levels.iter().all(|operators| unmixed(operators))
}

fn unmixed(operators: &[&str]) -> bool {
    let logical = |operator: &&str| ["&&", "||"].contains(operator);
    let relational = |operator: &&str| ["==", "!=", "<", ">", "<=", ">="].contains(operator);
    let shift = |operator: &&str| ["<<", ">>"].contains(operator);
    let bitwise = |operator: &&str| ["&", "|", "^"].contains(operator);
    let mut connectives = operators.iter().filter(|operator| logical(operator));
    let first = connectives.next();
    connectives.all(|operator| Some(operator) == first)
        && operators.split(logical).all(|terms| match terms.iter().find(|operator| bitwise(operator)) {
            Some(first) => terms.iter().all(|operator| operator == first),
            // A comparison may be of shifts.
            None => terms.split(relational).all(|side| side.len() == 1 || !side.iter().any(shift)),
        })
}
