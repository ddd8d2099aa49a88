//! naga, wgpu's translator of shaders. It writes the files that the other compilers read.

use anyhow::Result;
use indicatif::ParallelProgressIterator as _;
use rayon::prelude::*;

use crate::each::bar;
use crate::list::{List, Module};
use crate::outcome::{About, Run};
use crate::translate;

pub static NAGA: About = About {
    name: "naga",
    takes: "WGSL, and writes SPIR-V, GLSL, HLSL and MSL with the options of wgpu-hal",
    proves: "that wgpu translates every module. MSL goes to nobody: Metal's compiler is Apple's alone",
    proves_not: "that anyone accepts what it writes",
};

/// Writes every pipeline in SPIR-V and, unless it is for Vulkan alone, in GLSL, HLSL and MSL.
#[expect(clippy::unnecessary_wraps, reason = "other compilers may be absent")]
pub fn run(list: &List) -> Result<Run> {
    let progress = bar("naga", list.modules.len());
    let refused = list.modules.par_iter().progress_with(progress).flat_map_iter(|module| {
        let all = written(list, module);
        all.err().map(|error| (list.wgsl(module).display().to_string(), format!("{error:#}")))
    });
    Ok(Run {
        version: "30".to_owned(),
        refused: refused.collect(),
        asked: list.spirv().len(),
        notes: vec![format!("{} modules", list.modules.len())],
    })
}

fn written(list: &List, module: &Module) -> Result<()> {
    let parsed = translate::Module::parse(&std::fs::read_to_string(list.wgsl(module))?)?;
    for shader in list.of(module) {
        let asked = shader.pipeline;
        let constants = asked.constants.iter().map(|(name, value)| (name.as_str(), *value));
        let pipeline = parsed.pipeline(&asked.entry_point, constants)?;
        std::fs::write(shader.file("spv"), bytemuck::cast_slice(&pipeline.spirv()?))?;
        if !module.vulkan_only {
            std::fs::write(shader.file("comp"), pipeline.glsl()?)?;
            std::fs::write(shader.file("hlsl"), pipeline.hlsl()?)?;
            std::fs::write(shader.file("metal"), pipeline.msl()?)?;
        }
    }
    Ok(())
}
