//! Checks modules with naga: each parses, validates without capabilities, translates to SPIR-V, MSL, HLSL and GLSL, and
//! lays out its uniform block like the Rust twins. F64 in hardware needs two capabilities and translates to SPIR-V
//! only.

mod show;
mod snapshots;

use std::collections::{BTreeSet, HashMap, HashSet};

use naga::back::{PipelineConstants, glsl, hlsl, msl, spv};
use naga::proc::BoundsCheckPolicies;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use super::{MAX_UNIFORM_BLOCK, Module, ModuleName};
use crate::arithmetic::{
    AffineStep, Arithmetic, GatherParams, MOST_NUMBERS, ParameterPlace, Shortcuts, SlotParams,
};
use crate::fragment::{Fragment, Mirror, Twin};
use crate::kernel::run::{RunDim, Share};
use crate::kernel::walk::{Walk, WalkDim};
use crate::kernel::{Kernel, WORKGROUP_SIZE};
use crate::{Clamp, DType, Precision};

/// Modules that cover every arithmetic, kernel, parameter place and placement. Since fragments are independent, they
/// cover only some combinations; with `WGPU_CLAMP_EXHAUSTIVE`, all.
fn modules() -> Vec<Module> {
    names().into_iter().map(Module::Clamp).chain([Module::Gather, Module::Probe]).collect()
}

/// The texts of [`modules`], each once.
fn sources() -> HashSet<String> {
    modules().into_iter().map(Module::source).collect()
}

fn names() -> Vec<ModuleName> {
    let all = clamp_testing::harness::exhaustive();
    let order: Vec<_> = Arithmetic::all().collect();
    let sampled = |name: &ModuleName| {
        if name.kernel != Kernel::Words {
            return true;
        }
        let n = order.iter().position(|other| *other == name.arithmetic).unwrap();
        if name.parameters == ParameterPlace::Block {
            return !name.arithmetic.converts() || name.placement as usize == n % 3;
        }
        n % 37 == name.placement as usize
    };
    ModuleName::all(if all { 1 } else { 60 }).filter(|name| all || sampled(name)).collect()
}

/// The capabilities that a module needs beyond WGSL.
fn capabilities(module: Module) -> Capabilities {
    match module {
        Module::Clamp(key) if key.arithmetic.takes_f64() => {
            Capabilities::FLOAT64 | Capabilities::SHADER_INT64
        }
        Module::Clamp(ModuleName { f16_by_device: true, .. }) | Module::Probe => {
            Capabilities::SHADER_FLOAT16_IN_FLOAT32
        }
        _ => Capabilities::empty(),
    }
}

#[test]
fn steps_depend_on_the_device_for_f64_alone() {
    let pairs =
        DType::ALL.iter().copied().flat_map(|dtype| DType::ALL.iter().map(move |&source| (source, dtype)));
    for (source, dtype) in pairs.filter(|(source, dtype)| source.converts_to(*dtype)) {
        let plain = Clamp::unbounded(dtype).with_source(source).unwrap();
        let affine = plain.with_affine(2.0, 1.0).unwrap();
        for clamp in [plain, affine, affine.with_precision(Precision::Exact)] {
            let all = [false, true].map(|f64_arithmetic| Arithmetic::of(&[clamp], f64_arithmetic, |_, _| {}));
            let steps = all.map(|arithmetic| arithmetic.unwrap().step);
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
    // Without conversion, apart from `Halves`: 30 that truncate, and 8 that round to nearest. Conversions: 24 pairs to
    // floats, each with three steps; 18 pairs from floats to integers, each with three steps and two roundings; 30
    // pairs between integers, each without a step and with an exact step in two roundings. `Fixed`: 6 pairs. `Halves`:
    // 12 pairs and 4 dtypes, each in two roundings. `Thirds` and `Whole`: 8 pairs, each in two roundings. Scale or bias
    // on the GPU: from six integer dtypes to three floats in two precisions, and to four integers in two roundings.
    // Quantisations: from three floats to four integers, from five integers to three floats, in two precisions.
    let found = 6 * 3 * 2 + 6 * 4 * 2;
    let quantized = (3 * 4 + 5 * 3) * 2;
    assert_eq!(
        Arithmetic::all().count(),
        38 + 24 * 3 + 18 * 6 + 30 * 3 + 6 + (12 + 4) * 2 + 2 * 8 * 2 + found + quantized
    );
    let of_words: Vec<_> = ModuleName::all(usize::MAX).filter(|name| name.kernel == Kernel::Words).collect();
    let converting = Arithmetic::all().filter(|arithmetic| arithmetic.converts_f16()).count();
    // Three placements and two places of parameters; a third of those that convert F16 do it both ways.
    let count = Arithmetic::all().count() * 3 * 2 + converting * 2;
    assert_eq!((of_words.iter().collect::<HashSet<_>>().len(), of_words.len()), (count, count));
}

/// Each module is parsed once for all checks.
#[test]
fn every_module_translates_and_is_what_rust_takes_it_for() {
    for key in modules() {
        let (module, info) = parse(key);
        if let Module::Clamp(name) = key {
            the_entry_point_is_that_of_the_kernel(name, &module);
            uniform_blocks_agree_between_wgsl_and_rust(name, &module);
            workgroups_agree_between_wgsl_and_rust(name, &module);
        }
        translates_to_spirv_and_without_capabilities_to_msl_hlsl_and_glsl(key, &module, &info);
    }
}

/// Checks that a module has its kernel's entry point, and the constants of shortcuts. naga refuses unknown
/// constants of the kernel's own, where a plan is executed.
fn the_entry_point_is_that_of_the_kernel(key: ModuleName, module: &naga::Module) {
    let written: Vec<_> = module.entry_points.iter().map(|e| e.name.as_str()).collect();
    assert_eq!(written, [key.kernel.name()], "{key:?}");
    let known: BTreeSet<_> = module.overrides.iter().filter_map(|(_, o)| o.name.as_deref()).collect();
    let shortcuts = Shortcuts::of(key.arithmetic, &[]);
    for (name, _) in shortcuts.constants() {
        assert!(known.contains(name), "{key:?} {name} {known:?}");
    }
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

        // MSL 1.2, of 2016: `insertBits` needs it.
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
fn assert_twins(module: &naga::Module, name: &'static str, twin: Twin, key: Module) {
    let (members, size) = in_wgsl(module, name).unwrap_or_else(|| panic!("{key:?}: no {name}"));
    let members = members.iter().map(|(name, offset)| (name.as_str(), *offset));
    let mirrored = twin.members().map(|&(name, offset, _)| (name, offset));
    assert!(
        members.clone().eq(mirrored),
        "{key:?}: {name} is {:?}, not {twin:?}",
        members.collect::<Vec<_>>()
    );
    // The whole block is padded to 16 bytes; inner structs have their WGSL size.
    assert!(twin.size <= size.next_multiple_of(16) && size <= twin.size, "{key:?} {name}: {size}");
}

fn uniform_blocks_agree_between_wgsl_and_rust(key: ModuleName, module: &naga::Module) {
    let name = Module::Clamp(key);
    let geometry = key.kernel.twin();
    assert_twins(module, "Geometry", geometry, name);
    for (struct_name, twin) in
        [("Dim", WalkDim::TWIN), ("Walk", Walk::TWIN), ("RunDim", RunDim::TWIN), ("Share", Share::TWIN)]
    {
        if in_wgsl(module, struct_name).is_some() {
            assert_twins(module, struct_name, twin, name);
        }
    }
    let (parts, span) = in_wgsl(module, "Params").unwrap();
    let (second, size) = match key.parameters {
        ParameterPlace::Block => (("numbers", 16), ParameterPlace::MOST_BYTES),
        ParameterPlace::Table => (("channels", 4), 16),
    };
    let offsets: Vec<_> = parts.iter().map(|(name, offset)| (name.as_str(), *offset)).collect();
    assert_eq!(offsets, [("rules", 0), second, ("geometry", size)], "{key:?}");
    assert_eq!((size + geometry.size).next_multiple_of(16), span, "{key:?}");
    assert!(span <= MAX_UNIFORM_BLOCK, "{key:?}: {span}");
    assert!(4 * key.arithmetic.vector_count() <= MOST_NUMBERS, "{key:?}");
}

#[test]
fn the_block_of_gather_agrees_between_wgsl_and_rust() {
    let (module, _) = parse(Module::Gather);
    assert_twins(&module, "GatherParams", GatherParams::TWIN, Module::Gather);
    assert_twins(&module, "Slot", SlotParams::TWIN, Module::Gather);
}

fn workgroups_agree_between_wgsl_and_rust(key: ModuleName, module: &naga::Module) {
    for entry_point in &module.entry_points {
        assert_eq!(entry_point.workgroup_size, [WORKGROUP_SIZE, 1, 1], "{key:?} {}", entry_point.name);
    }
}

/// The names listed after `// Provides:` or `// Needs:` in the head of a fragment. Indented lines continue the list.
fn listed(title: &str, fragment: Fragment) -> Vec<&'static str> {
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
}

/// The words and signs of each declaration. A declaration begins in the first column.
fn declarations(text: &str) -> Vec<Vec<String>> {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let lines: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let all = lines.chunk_by(|_, next| !next.starts_with(|c| is_of_name(c) || c == '@'));
    let spaced = |c: char| if is_of_name(c) { c.to_string() } else { format!(" {c} ") };
    let tokens = |lines: &[&str]| lines.join("\n").chars().map(spaced).collect::<String>();
    all.map(|lines| tokens(lines).split_whitespace().map(str::to_owned).collect()).collect()
}

/// The names that a text declares for the whole module.
fn declared(text: &str) -> HashSet<String> {
    let name = |tokens: Vec<String>| {
        let keywords = ["fn", "struct", "alias", "const", "override", "var"];
        let mut rest = tokens.into_iter().skip_while(|token| !keywords.contains(&token.as_str())).skip(1);
        // `var<storage, read> name`
        rest.next().and_then(|name| {
            if name == "<" { rest.skip_while(|token| token != ">").nth(1) } else { Some(name) }
        })
    };
    declarations(text).into_iter().filter_map(name).collect()
}

/// The names that a text uses, without members and without names that the same declaration introduces.
fn used(text: &str) -> HashSet<String> {
    let of_one = |tokens: Vec<String>| {
        let (mut used, mut own) = (HashSet::new(), HashSet::new());
        for (n, token) in tokens.iter().enumerate() {
            let (before, behind) = (n.checked_sub(1).map(|n| &*tokens[n]), tokens.get(n + 1));
            match before {
                Some(".") => {}
                Some("let" | "var") => _ = own.insert(token.clone()),
                _ if behind.is_some_and(|sign| sign == ":") => _ = own.insert(token.clone()),
                _ => _ = used.insert(token.clone()),
            }
        }
        &used - &own
    };
    declarations(text).into_iter().flat_map(of_one).collect()
}

/// Each fragment provides and needs exactly the names that its head lists, and each module needs its fragments. The
/// generated text has no head: it may use every name that a head provides.
#[test]
fn fragments_provide_and_need_what_they_say() {
    let names = |title, fragment| listed(title, fragment).into_iter().map(str::to_owned).collect();
    let mut seen: HashMap<Fragment, [HashSet<String>; 4]> = HashMap::new();
    for module in modules() {
        let text = module.text().unwrap_or_default();
        let fragments = module.fragments();
        for &fragment in &fragments {
            seen.entry(fragment).or_insert_with(|| {
                let [provides, needs] = ["Provides:", "Needs:"].map(|title| names(title, fragment));
                [provides, needs, declared(fragment.text), used(fragment.text)]
            });
        }
        let heads: Vec<_> = fragments.iter().map(|fragment| (fragment.name, &seen[fragment])).collect();
        let mut all: HashSet<_> =
            heads.iter().flat_map(|(_, [_, _, declared, _])| declared.clone()).collect();
        let mut provided = declared(&text);
        all.extend(provided.clone());
        for (name, [provides, _, declared, _]) in &heads {
            assert!(provides.is_subset(declared), "{name} does not declare all of {provides:?}");
            let twice: Vec<_> = provides.iter().filter(|name| !provided.insert((*name).clone())).collect();
            assert!(twice.is_empty(), "{name} provides {twice:?}, and so does another fragment");
        }
        let mut needed = used(&text);
        let hidden: Vec<_> = all.difference(&provided).filter(|name| needed.contains(*name)).collect();
        assert!(hidden.is_empty(), "{module:?}: no head provides {hidden:?}");
        for (name, [_, needs, declared, used]) in &heads {
            let of_others = |name: &&String| all.contains(*name) && !declared.contains(*name);
            let expected: HashSet<_> = used.iter().filter(of_others).cloned().collect();
            assert_eq!(*needs, expected, "{name}, in {module:?}");
            assert!(needs.is_subset(&provided), "{name}: no fragment provides {:?}", needs - &provided);
            needed.extend(needs.iter().cloned());
        }
        match module {
            Module::Clamp(name) => _ = needed.insert(name.kernel.name().to_owned()),
            Module::Gather => _ = needed.insert("gather".to_owned()),
            Module::Probe => _ = needed.insert("probe".to_owned()),
        }
        for (name, [provides, ..]) in &heads {
            assert!(!provides.is_disjoint(&needed), "{module:?} does not need {name}");
        }
    }
    // Every file in `shaders/` is a fragment.
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders")).unwrap();
    let mut count = 0;
    for entry in files.map(|entry| entry.unwrap().path()) {
        let inside = if entry.is_dir() { std::fs::read_dir(&entry).unwrap().count() } else { 0 };
        count += inside + usize::from(entry.extension().is_some_and(|extension| extension == "wgsl"));
    }
    assert_eq!(seen.len(), count);
}

/// Microsoft's FXC makes one `swapc` of two opposite `select`s, and then may use a register that this has overwritten: a
/// box of exact steps stored its packets anywhere.
#[test]
fn no_selects_are_opposite() {
    let opposite = |function: &str| {
        let calls = function.match_indices("select(").map(|(at, name)| &function[at + name.len()..]);
        let selects: HashSet<_> = calls.map(arguments).collect();
        selects.iter().any(|&[no, yes, condition]| selects.contains(&[yes, no, condition]))
    };
    for source in sources() {
        for function in source.split("\nfn ") {
            assert!(!opposite(function), "{function}");
        }
    }
    assert!(opposite("let a = select(f(x, 0u), y, is); let b = min(select(y, f(x, 0u), is), 1u);"));
}

/// The three arguments of a call, whose text begins behind the opening parenthesis.
fn arguments(call: &str) -> [&str; 3] {
    let mut depth = 0;
    let mut parts = call.split(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0 && c == ',' || depth == -1
    });
    std::array::from_fn(|_| parts.next().expect("`select` has three arguments").trim())
}

/// Checks parentheses that WGSL's grammar requires and naga does not: where bitwise operators or shifts meet each other
/// or arithmetic, and where `&&` meets `||`. Tint refuses WGSL without them.
#[test]
fn mixed_operators_are_parenthesised() {
    for source in sources() {
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

/// Whether a line of WGSL has the parentheses that WGSL's grammar requires. Operators have spaces on both sides, unlike
/// signs, references and template brackets.
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
            // A side of a comparison may be one shift without parentheses.
            None => terms.split(relational).all(|side| side.len() == 1 || !side.iter().any(shift)),
        })
}
