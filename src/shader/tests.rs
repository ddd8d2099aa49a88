//! Checks modules with naga: each parses, validates without capabilities, translates to the four languages of drivers,
//! and lays out its uniform block as the Rust twins. F64 in hardware needs two capabilities and translates to SPIR-V
//! only.

mod reassociation;
mod show;
mod snapshots;

use std::collections::{BTreeSet, HashMap, HashSet};

use naga::back::{PipelineConstants, glsl, hlsl, msl, spv};
use naga::proc::BoundsCheckPolicies;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use super::{MAX_UNIFORM_BLOCK, Module, ModuleName};
use crate::arithmetic::{
    self, AffineStep, Arithmetic, Class, ParameterBytes, ParameterPlace, Parameters, Shortcuts,
};
use crate::fragment::Fragment;
use crate::kernel::EDGE_INVOCATIONS;
use crate::kernel::gather::{self, Row};
use crate::kernel::walk::{Walk, WalkDim};
use crate::kernel::{Kernel, Twin, WORKGROUP_SIZE, twin};
use crate::{Clamp, DType, Number, Precision};

/// Modules with every arithmetic, kernel, parameter place and placement, but not with every combination, because
/// fragments are independent. `WGPU_CLAMP_EXHAUSTIVE` takes every combination.
fn modules() -> Vec<Module> {
    names().into_iter().map(Module::Clamp).chain([Module::Resolve]).collect()
}

fn names() -> Vec<ModuleName> {
    let all = std::env::var_os("WGPU_CLAMP_EXHAUSTIVE").is_some();
    let order: Vec<_> = Arithmetic::all().collect();
    let sampled = |name: &ModuleName| {
        if name.kernel != Kernel::Gather {
            return true;
        }
        let n = order.iter().position(|other| *other == name.arithmetic).unwrap();
        if name.parameters == ParameterPlace::One {
            return !name.arithmetic.converts() || name.placement as usize == n % 3;
        }
        (n + name.parameters as usize) % 19 == name.placement as usize
    };
    ModuleName::all(if all { 1 } else { 20 }).filter(|name| all || sampled(name)).collect()
}

/// The capabilities that a module needs beyond WGSL.
fn capabilities(module: Module) -> Capabilities {
    match module {
        Module::Clamp(key) if key.arithmetic.takes_f64() => {
            Capabilities::FLOAT64 | Capabilities::SHADER_INT64
        }
        _ => Capabilities::empty(),
    }
}

#[test]
fn steps_depend_on_the_device_for_f64_alone() {
    let pairs = DType::ALL.into_iter().flat_map(|dtype| DType::ALL.map(|source| (source, dtype)));
    for (source, dtype) in pairs.filter(|(source, dtype)| source.converts_to(*dtype)) {
        let plain = Clamp::unbounded(dtype).with_source(source).unwrap();
        let affine = plain.with_affine(2.0, 1.0).unwrap();
        for clamp in [plain, affine, affine.with_precision(Precision::Exact)] {
            let steps = [false, true].map(|f64_arithmetic| AffineStep::of(&[clamp], f64_arithmetic));
            let fast = clamp.affine().is_some() && clamp.precision() == Precision::Fast;
            if dtype == DType::F64 && fast {
                assert_eq!(steps, [AffineStep::Exact, AffineStep::Fast]);
            } else {
                assert_eq!(steps[0], steps[1], "{clamp:?}");
            }
            let known =
                |step: &AffineStep| Arithmetic::all().any(|other| other == Arithmetic::new(&clamp, *step));
            assert!(steps.iter().all(known), "{clamp:?}");
        }
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

/// A change of the number of modules shows here.
#[test]
fn modules_are_as_many_as_they_should_be() {
    // Without conversion and halves: 30 that truncate, and 8 that round to nearest. Conversions: 24 pairs to floats in
    // three steps; 18 pairs from floats to integers in three steps and two roundings; 30 pairs between integers,
    // without a step or with an exact step in two roundings. Up to 16 bits: 6 pairs in fixed point; 12 pairs and 4
    // dtypes in halves, in two roundings. From 32 to up to 16 bits: 8 pairs in thirds, in two roundings. Steps on the
    // GPU: from six integer dtypes to three floats in two precisions, and to four integers in two roundings.
    let found = 6 * 3 * 2 + 6 * 4 * 2;
    assert_eq!(Arithmetic::all().count(), 38 + 24 * 3 + 18 * 6 + 30 * 3 + 6 + (12 + 4) * 2 + 8 * 2 + found);
    let gathered: Vec<_> = ModuleName::all(usize::MAX).filter(|name| name.kernel == Kernel::Gather).collect();
    let count = Arithmetic::all().count() * 3 * 4;
    assert_eq!((gathered.iter().collect::<HashSet<_>>().len(), gathered.len()), (count, count));
}

/// Each module is parsed once for all checks.
#[test]
fn every_module_translates_and_is_what_rust_takes_it_for() {
    let mut pipelines = 0;
    for key in modules() {
        let (module, info) = parse(key);
        reassociation::float_operations_are_not_chained(key, &module, &info);
        if let Module::Clamp(name) = key {
            pipelines += pipelines_are_those_of_the_kernel(name, &module);
            uniform_blocks_agree_between_wgsl_and_rust(name, &module);
            workgroups_agree_between_wgsl_and_rust(name, &module);
        }
        translates_to_spirv_and_without_capabilities_to_msl_hlsl_and_glsl(key, &module, &info);
    }
    println!("{pipelines} pipelines");
}

/// Checks that a module has its kernel's entry points and all of their constants, and that no two pipelines are equal.
/// Returns the number of pipelines.
fn pipelines_are_those_of_the_kernel(key: ModuleName, module: &naga::Module) -> usize {
    let known: BTreeSet<_> = module.overrides.iter().filter_map(|(_, o)| o.name.as_deref()).collect();
    let entry_points = key.entry_points();
    let names: BTreeSet<_> = entry_points.iter().map(|entry_point| entry_point.name()).collect();
    let written: BTreeSet<_> = module.entry_points.iter().map(|e| e.name.as_str()).collect();
    assert_eq!(names, written, "{key:?}");
    let mut constants = HashSet::new();
    for entry_point in &entry_points {
        let mut given = vec!["ADJACENT"];
        given.extend(Shortcuts::default().constants(key.arithmetic).map(|(name, _)| name));
        given.extend(entry_point.constants().iter().map(|(name, _)| name));
        assert!(given.iter().all(|name| known.contains(name)), "{key:?} {given:?} {known:?}");
        assert!(constants.insert(format!("{} {:?}", entry_point.name(), entry_point.constants())));
    }
    entry_points.len()
}

fn translates_to_spirv_and_without_capabilities_to_msl_hlsl_and_glsl(
    key: Module,
    module: &naga::Module,
    info: &ModuleInfo,
) {
    // Overridable constants need values here: the defaults.
    let (module, info) =
        naga::back::pipeline_constants::process_overrides(module, info, None, &PipelineConstants::default())
            .unwrap_or_else(|error| panic!("{key:?}: {error}"));
    let (module, info) = (module.into_owned(), info.into_owned());
    let names: Vec<_> = module.entry_points.iter().map(|e| e.name.as_str()).collect();

    let spirv = spv::write_vec(&module, &info, &spv::Options::default(), None);
    assert!(spirv.is_ok(), "{key:?}: {spirv:?}");
    if !capabilities(key).is_empty() {
        return;
    }
    for name in names {
        let stage = naga::ShaderStage::Compute;
        let entry_point = Some((stage, name.to_owned()));

        // The version of 2016, which `insertBits` needs.
        let options =
            msl::Options { lang_version: (1, 2), fake_missing_bindings: true, ..Default::default() };
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

fn bounds(class: Class) -> Twin {
    match class {
        Class::Integer => twin!("Bounds", arithmetic::IntegerBounds: min max),
        Class::Rounded => twin!("Bounds", arithmetic::RoundedBounds: min max nan),
        Class::Rounded32 => twin!("Bounds", arithmetic::RoundedBounds32: min max nan),
        Class::Integer64 => twin!("Bounds", arithmetic::IntegerBounds64: min max),
        Class::Float => {
            twin!("Bounds", arithmetic::FloatBounds: below_first below_count above_first above_count
            min_bits max_bits)
        }
        Class::Float64 => twin!("Bounds", arithmetic::FloatBounds64: below_first below_count above_first
            above_count min_bits max_bits),
    }
}

fn affine(step: AffineStep, class: Class) -> Twin {
    match (step, class) {
        (AffineStep::None, _) => Twin { name: "Affine", members: vec![("unused", 0)], size: 16 },
        (AffineStep::Fixed, _) => twin!("Affine", arithmetic::Fixed: factor addend),
        (AffineStep::Thirds, _) => {
            twin!("Affine", arithmetic::Thirds: lowest highest flip origin factor addend_high
            addend_low shift)
        }
        (AffineStep::Halves, _) => twin!("Affine", arithmetic::Halves: factor_high factor_low addend_high
            addend_low shift below_low below_high),
        (AffineStep::Fast, Class::Float64) => {
            twin!("Affine", arithmetic::FloatFast64: scale bias infinity_mask infinity_flip)
        }
        (AffineStep::Fast, _) => {
            twin!("Affine", arithmetic::FloatFast: scale bias infinity_mask infinity_flip infinite_from)
        }
        (AffineStep::Exact, Class::Integer) => {
            twin!("Affine", arithmetic::Integer: lowest highest origin factor
            shift_left shift_right inexact minimum maximum addend below_one offset rebase)
        }
        (AffineStep::Exact, Class::Integer64) => twin!("Affine", arithmetic::Integer64: lowest highest origin
            factor negative shift_left shift_right inexact addend below_one offset rebase),
        (AffineStep::Exact, Class::Float | Class::Rounded | Class::Rounded32) => {
            twin!("Affine", arithmetic::FloatExact: scale scale_exponent bias
            bias_exponent scale_sign bias_sign infinity_mask infinity_flip infinite_from)
        }
        (AffineStep::Exact, Class::Float64) => twin!("Affine", arithmetic::FloatExact64: scale scale_exponent
            scale_sign bias bias_exponent bias_sign infinity_mask infinity_flip),
    }
}

/// The members of the module's struct `name` with their offsets, and its size; `None` if there is no such struct.
fn in_wgsl(module: &naga::Module, name: &'static str) -> Option<(Vec<(String, usize)>, usize)> {
    module.types.iter().find_map(|(_, t)| match &t.inner {
        naga::TypeInner::Struct { members, span } if t.name.as_deref() == Some(name) => {
            let member = |m: &naga::StructMember| (m.name.clone().unwrap(), m.offset as usize);
            Some((members.iter().map(member).collect(), *span as usize))
        }
        _ => None,
    })
}

#[track_caller]
fn assert_twins(module: &naga::Module, twin: &Twin, key: Module) {
    let (members, size) = in_wgsl(module, twin.name).unwrap_or_else(|| panic!("{key:?}: no {}", twin.name));
    let members: Vec<_> = members.iter().map(|(name, offset)| (name.as_str(), *offset)).collect();
    assert_eq!(members, twin.members, "{key:?} {}", twin.name);
    // The whole block is padded to 16 bytes; inner structs have their WGSL size.
    assert!(twin.size <= size.next_multiple_of(16) && size <= twin.size, "{key:?} {}: {size}", twin.name);
}

fn uniform_blocks_agree_between_wgsl_and_rust(key: ModuleName, module: &naga::Module) {
    let shared = [
        twin!("Dim", WalkDim: extent src_stride dst_stride multiplier),
        twin!("Walk", Walk: dims shifts count src_start dst_start grid_width channel_dim first_channel),
        twin!("Row", Row: length src_stride),
    ];
    let Arithmetic { source, dtype, step, rounding, found } = key.arithmetic;
    let (name, class) = (Module::Clamp(key), key.arithmetic.class());
    let parts = [bounds(class), affine(step, class), key.kernel.definition().twin()];
    let shared = shared.iter().filter(|twin| in_wgsl(module, twin.name).is_some());
    for twin in parts.iter().chain(shared) {
        assert_twins(module, twin, name);
    }

    let clamp = Clamp::unbounded(dtype).with_source(source).unwrap().with_rounding(rounding);
    let clamp = match step {
        AffineStep::None => clamp,
        _ if found => clamp.with_scale_bias(Number::OnGpu, 1.0_f32).unwrap(),
        AffineStep::Fast => clamp.with_affine(2.0, 1.0).unwrap(),
        AffineStep::Exact | AffineStep::Fixed | AffineStep::Halves | AffineStep::Thirds => {
            clamp.with_affine(2.0, 1.0).unwrap().with_precision(Precision::Exact)
        }
    };
    let one = Parameters::new(&clamp, key.arithmetic);
    let list = [clamp; 2];
    let several = ParameterBytes::new(&list, 2, key.arithmetic, key.parameters, false);
    let size = match key.parameters {
        ParameterPlace::One => one.as_bytes().len(),
        ParameterPlace::Stored => several.stored().unwrap().len() / 2,
        _ => several.in_block().len() / key.parameters.in_block(),
    };
    let (parts, span) = in_wgsl(module, "Params").unwrap();
    let offsets: Vec<_> = parts.iter().map(|(name, offset)| (name.as_str(), *offset)).collect();
    let affine_offset = bounds(class).size.next_multiple_of(16);
    let geometry_offset = key.parameters.in_block() * size;
    if key.parameters == ParameterPlace::One {
        let expected = [("bounds", 0), ("affine", affine_offset), ("geometry", geometry_offset)];
        assert_eq!(offsets, expected, "{key:?}");
    } else {
        assert_eq!(offsets.last(), Some(&("geometry", geometry_offset)), "{key:?}");
        let (parts, each) = in_wgsl(module, "Parameters").unwrap();
        // In a storage buffer only the members' alignment separates the parts.
        let compact = key.parameters == ParameterPlace::Stored;
        assert!(compact || parts[1].1 == affine_offset, "{key:?}");
        assert_eq!((parts[0].1, each), (0, size), "{key:?}");
        // At the offset in WGSL lie the same numbers as in a block with one clamp.
        let from_block = &one.as_bytes()[bounds(class).size.next_multiple_of(16)..][..4];
        if let Some(stored) = several.stored() {
            assert_eq!(&stored[parts[1].1..][..4], from_block, "{key:?}");
        }
    }
    let block = (geometry_offset + key.kernel.definition().twin().size).next_multiple_of(16);
    assert_eq!(block, span, "{key:?}");
    let most = MAX_UNIFORM_BLOCK - Parameters::CAPACITY + geometry_offset;
    assert!(span <= most.max(MAX_UNIFORM_BLOCK), "{key:?}: {span}");
}

#[test]
fn the_block_of_resolve_agrees_between_wgsl_and_rust() {
    let twin = twin!("ResolveParams", arithmetic::ResolveParams: min_slot max_slot scale_slot bias_slot min_key
        min_bits max_key max_bits lowest highest key_flip sign infinity max_wins is_float bits is_signed nan_becomes
        scale bias of_integers step_sign step_infinity step_quiet_nan step_exponent_bias step_shift first_word affine_word
        entry_words block_words channels count grid_width);
    let (module, _) = parse(Module::Resolve);
    assert_twins(&module, &twin, Module::Resolve);
}

fn workgroups_agree_between_wgsl_and_rust(key: ModuleName, module: &naga::Module) {
    for entry_point in &module.entry_points {
        let expected = match entry_point.name.as_str() {
            "edges" => 2,
            _ => WORKGROUP_SIZE,
        };
        assert_eq!(entry_point.workgroup_size, [expected, 1, 1], "{key:?} {}", entry_point.name);
    }
}

#[test]
fn constants_of_kernels_agree_between_wgsl_and_rust() {
    for (text, name, value) in [
        (include_str!("../../shaders/kernel/gather.wgsl"), "UNITS", gather::UNITS),
        (include_str!("../../shaders/kernel/block_rows.wgsl"), "EDGE_INVOCATIONS", EDGE_INVOCATIONS),
    ] {
        assert!(text.contains(&format!("const {name}: u32 = {value}u;")), "{name} {value}");
    }
}

/// The fragments of a module, then its generated text as a fragment.
fn parts(module: Module) -> Vec<Fragment> {
    let text = module.text().map(|text| Fragment { name: "block", text: text.leak() });
    module.fragments().into_iter().chain(text).collect()
}

struct Head {
    provides: Vec<&'static str>,
    needs: Vec<&'static str>,
}

/// The lists behind `// Provides:` and `// Needs:`, continued in indented lines.
fn head(fragment: Fragment) -> Head {
    let list = |title: &str| {
        let mut names = Vec::new();
        let mut inside = false;
        for line in fragment.text.lines().map_while(|line| line.strip_prefix("//")) {
            let listed = line.trim_start().strip_prefix(title);
            inside = listed.is_some() || inside && line.starts_with("     ");
            if inside {
                let line = listed.unwrap_or(line);
                names.extend(line.split(',').map(str::trim).filter(|name| !name.is_empty()));
            }
        }
        names
    };
    Head { provides: list("Provides:"), needs: list("Needs:") }
}

/// The names that a fragment declares for the whole module.
fn declared(fragment: Fragment) -> Vec<&'static str> {
    let after = |line: &'static str, keyword: &str| line.strip_prefix(keyword).map(str::trim_start);
    let lines = fragment.text.lines().map(|line| line.rsplit(") ").next().unwrap_or(line));
    let declares = |line: &'static str| {
        let keywords = ["fn ", "struct ", "alias ", "const ", "override ", "var<uniform> ", "var<private> "];
        let storage = ["var<storage, read> ", "var<storage, read_write> "];
        let rest = keywords.into_iter().chain(storage).find_map(|keyword| after(line, keyword))?;
        rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next()
    };
    let functions = fragment.text.lines().filter(|line| line.starts_with("fn ")).filter_map(declares);
    let others = lines.filter(|line| !line.starts_with([' ', 'f'])).filter_map(declares);
    functions.chain(others).collect()
}

/// The fragments without comments, with the names in `hidden` replaced.
fn hiding(fragments: &[Fragment], hidden: &HashSet<&str>) -> String {
    let mut text = String::new();
    for line in fragments.iter().flat_map(|fragment| fragment.text.lines()) {
        let code = line.split("//").next().unwrap_or_default();
        let declares = ["const ", "override ", "@group", "var<"].iter().any(|start| code.starts_with(start));
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let mut rest = code;
        while let Some(at) = rest.find(is_name) {
            let (before, from) = rest.split_at(at);
            let end = from.find(|c| !is_name(c)).unwrap_or(from.len());
            let (name, behind) = from.split_at(end);
            text.push_str(before);
            text.push_str(name);
            // Members and parameters are not names of the module.
            let inner = before.ends_with('.') || behind.starts_with(':') && !declares;
            if hidden.contains(name) && !inner {
                text.push_str("_hidden");
            }
            rest = behind;
        }
        text.push_str(rest);
        text.push('\n');
    }
    text
}

/// Each fragment provides and needs exactly the names that its head lists, and is needed. naga decides: first with all
/// names hidden that the head does not list, then with each listed name hidden too.
#[test]
fn fragments_provide_and_need_what_they_say() {
    let all = std::env::var_os("WGPU_CLAMP_EXHAUSTIVE").is_some();
    let (mut seen, mut lists, mut wrong) = (HashSet::new(), HashSet::new(), Vec::new());
    for module in modules() {
        let fragments = parts(module);
        let mut owners: HashMap<&str, Fragment> = HashMap::new();
        for &fragment in &fragments {
            let declared = declared(fragment);
            for name in head(fragment).provides {
                assert!(declared.contains(&name), "{} does not declare {name}", fragment.name);
                let other = owners.insert(name, fragment);
                assert!(other.is_none(), "{name}: {} and {other:?}", fragment.name);
            }
        }
        let needed: HashSet<_> = fragments.iter().flat_map(|fragment| head(*fragment).needs).collect();
        for name in &needed {
            assert!(owners.contains_key(name), "{module:?}: nobody provides {name}");
        }
        let (parsed, _) = parse(module);
        for &fragment in &fragments {
            let provides = head(fragment).provides;
            let enters = parsed.entry_points.iter().any(|e| provides.contains(&e.name.as_str()));
            let is_needed = enters || provides.iter().any(|name| needed.contains(name));
            assert!(is_needed, "{module:?} does not need {}", fragment.name);
            if seen.insert(fragment) {
                // The head of a block's text is generated from the text; equal lists are tested once.
                let is_listed = !lists.insert(head(fragment).needs) && fragment.name == "block";
                wrong.extend(wrong_needs(fragment, &fragments, all || !is_listed));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Every file in `shaders/` is a fragment.
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders")).unwrap();
    let mut count = 0;
    for entry in files.map(|entry| entry.unwrap().path()) {
        let inside = if entry.is_dir() { std::fs::read_dir(&entry).unwrap().count() } else { 0 };
        count += inside + usize::from(entry.extension().is_some_and(|extension| extension == "wgsl"));
    }
    assert_eq!(seen.iter().filter(|fragment| fragment.name != "block").count(), count);
}

/// The faults of a fragment's list of needs. `each`: also looks for listed names that are not needed.
fn wrong_needs(fragment: Fragment, fragments: &[Fragment], each: bool) -> Vec<String> {
    let others: Vec<_> = fragments.iter().copied().filter(|other| *other != fragment).collect();
    let needs = head(fragment).needs;
    let parses = |hidden: &HashSet<&str>| {
        let text = fragment.text.to_owned() + &hiding(&others, hidden);
        naga::front::wgsl::parse_str(&text).map_err(|error| error.emit_to_string(&text))
    };
    let all: HashSet<_> = others.iter().flat_map(|other| declared(*other)).collect();
    let unsaid: HashSet<_> = all.iter().copied().filter(|name| !needs.contains(name)).collect();
    if let Err(error) = parses(&unsaid) {
        return vec![format!("{} needs more than it says: {error}", fragment.name)];
    }
    let superfluous = |name: &&&str| {
        if !each {
            return false;
        }
        let mut hidden = unsaid.clone();
        hidden.insert(name);
        parses(&hidden).is_ok()
    };
    let name = fragment.name;
    needs.iter().filter(superfluous).map(|needed| format!("{name} does not need {needed}")).collect()
}

/// Checks parentheses that WGSL's grammar requires and naga does not: where bitwise operators or shifts meet each other
/// or arithmetic, and where `&&` meets `||`. Tint refuses missing ones.
#[test]
fn mixed_operators_are_parenthesised() {
    let sources: HashSet<String> = modules().into_iter().map(Module::source).collect();
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

/// Whether a line of WGSL has these parentheses. Operators have spaces on both sides, unlike signs, references and
/// template brackets.
fn parenthesised(line: &str) -> bool {
    let code = line.split("//").next().unwrap().trim_start();
    // The operators of each open parenthesis.
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
            // A comparison may compare shifts.
            None => terms.split(relational).all(|side| side.len() == 1 || !side.iter().any(shift)),
        })
}
