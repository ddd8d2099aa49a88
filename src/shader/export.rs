//! Writes every module to a file, for the compilers of `cargo xtask shaders`.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use serde::Serialize;

use super::{Module, ModuleName, PipelineName};
use crate::Lanes;
use crate::arithmetic::{Shortcuts, SlotReads};
use crate::kernel::EntryPoint;

/// Each arithmetic takes every `STEP`-th layout of blocks.
const STEP: usize = 8;

/// The environment variable that names the directory.
const DIRECTORY: &str = "WGPU_CLAMP_SHADERS";

/// A module and some of its pipelines, as in `list.json`.
#[derive(Serialize)]
struct Listed {
    /// The name of the file without the extension.
    number: usize,
    name: String,
    /// Whether the module uses naga's `f64` and `u64`, which the crate uses on Vulkan only.
    vulkan_only: bool,
    /// Whether slow compilers take the module: they take one per arithmetic and kernel, with varying placements and
    /// parameters.
    sampled: bool,
    pipelines: Vec<Pipeline>,
}

#[derive(Serialize)]
struct Pipeline {
    entry_point: &'static str,
    constants: BTreeMap<&'static str, f64>,
}

/// A pseudo-random choice, so that choices vary independently of each other.
fn any<T: Copy>(of: &[T], state: &mut u64) -> T {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    of[(*state >> 33) as usize % of.len()]
}

/// One pipeline per entry point, with one combination of constants: all combinations would make millions of pipelines.
/// Combinations that are not in `met` come first.
fn pipelines(name: ModuleName, state: &mut u64, met: &mut HashSet<EntryPoint>) -> Vec<Pipeline> {
    let mut by_name: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for entry_point in name.entry_points() {
        by_name.entry(entry_point.name()).or_default().push(entry_point);
    }
    let shortcuts: Vec<_> = Shortcuts::all(name.arithmetic).collect();
    let mut pipeline = |values: Vec<EntryPoint>| {
        let unmet = values.iter().copied().find(|value| !met.contains(value));
        let entry_point = unmet.unwrap_or_else(|| any(&values, state));
        met.insert(entry_point);
        let (shortcuts, lanes) = (any(&shortcuts, state), any(&Lanes::ALL, state));
        let pipeline = PipelineName { module: Module::Clamp(name), entry_point, shortcuts, lanes };
        let constants = pipeline.constants().into_iter().collect();
        Pipeline { entry_point: entry_point.name(), constants }
    };
    by_name.into_values().map(&mut pipeline).collect()
}

/// `resolve`, then all modules of kernels.
fn listed() -> Vec<Listed> {
    let resolve = |reads| {
        let entry_point = EntryPoint::Resolve(reads);
        Pipeline { entry_point: entry_point.name(), constants: entry_point.constants().into_iter().collect() }
    };
    let mut listed = vec![Listed {
        number: 0,
        name: "resolve".to_owned(),
        vulkan_only: false,
        sampled: true,
        pipelines: SlotReads::all().map(resolve).collect(),
    }];
    let state = &mut 0;
    let mut met = HashSet::new();
    let names: Vec<_> = ModuleName::all(STEP).collect();
    for alike in names.chunk_by(|a, b| (a.arithmetic, a.kernel) == (b.arithmetic, b.kernel)) {
        let sampled = any(alike, state);
        for &name in alike {
            let ModuleName { arithmetic, parameters, kernel, placement, f16_by_device } = name;
            listed.push(Listed {
                number: listed.len(),
                name: format!(
                    "{arithmetic}, {parameters}{placement}, {kernel} kernel{}",
                    if f16_by_device { ", F16 by the device" } else { "" }
                ),
                vulkan_only: arithmetic.takes_f64(),
                sampled: name == sampled,
                pipelines: pipelines(name, state, &mut met),
            });
        }
    }
    let all: HashSet<_> = names.into_iter().flat_map(ModuleName::entry_points).collect();
    assert_eq!(met, all, "values of constants that stand in no pipeline");
    listed
}

/// `listed` itself checks that every combination of constants of an entry point is in a pipeline.
#[test]
fn every_value_of_a_constant_is_in_a_pipeline() {
    let listed = listed();
    assert_eq!(listed.len(), ModuleName::all(STEP).count() + 1);
    // The constants of the arithmetic and of the order of packets.
    for name in ["IN_SEQUENCE", "ZERO_WITHIN", "KEEPS_INFINITY"] {
        let of_each = listed.iter().flat_map(|module| &module.pipelines);
        let values = of_each.filter_map(|pipeline| pipeline.constants.get(name));
        let values: HashSet<_> = values.map(|value| value.to_bits()).collect();
        assert_eq!(values, HashSet::from([0.0_f64.to_bits(), 1.0_f64.to_bits()]), "{name}");
    }
}

#[test]
#[ignore = "writes 320 MB into the directory that WGPU_CLAMP_SHADERS names; `cargo xtask shaders` runs it"]
fn every_module_becomes_a_file() {
    let directory = std::env::var_os(DIRECTORY).unwrap_or_else(|| panic!("{DIRECTORY} names no directory"));
    let directory = Path::new(&directory);
    let modules = ModuleName::all(STEP).map(Module::Clamp);
    for (number, module) in [Module::Resolve].into_iter().chain(modules).enumerate() {
        std::fs::write(directory.join(format!("{number:05}.wgsl")), module.source()).unwrap();
    }
    let listed = listed();
    std::fs::write(directory.join("list.json"), serde_json::to_string(&listed).unwrap()).unwrap();
    let pipelines: usize = listed.iter().map(|module| module.pipelines.len()).sum();
    println!("{} modules, {pipelines} pipelines", listed.len());
}
