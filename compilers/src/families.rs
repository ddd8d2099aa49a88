//! AMD's compiler, for one family of GPUs.

use std::time::Instant;

use anyhow::{Context, Result};

use crate::aco::Family;
use crate::each::bar;
use crate::list::List;
use crate::options::Options;
use crate::outcome::{About, Absent, Run};

pub static ACO: About = About {
    name: "ACO",
    takes: "the SPIR-V that spirv-val takes, through Mesa's RADV for GPUs that are not there",
    proves: "that a GPU's own compiler, behind a Vulkan driver that is in use, makes machine code of them for that family, and how many registers did not fit",
    proves_not: "that the machine code computes what it should, or that AMD's other compilers accept them",
};

/// Bindings of the bind group: the uniform block, src, dst, parameters. A layout may have more than an entry point uses.
const BINDINGS: u32 = 4;

/// Compiles the shaders for one family.
pub fn run(list: &List, family: &str, options: &Options) -> Result<Run> {
    let shaders = list.some(options);
    // Not every version of Mesa knows each family.
    let mut compiler = Family::start(family)?.ok_or(Absent("the driver gives no device for it"))?;
    let progress = bar(family, shaders.len());
    let (mut asked, mut refused, mut spilling, mut longest) = (0, Vec::new(), 0, (0.0, String::new()));
    for shader in shaders {
        let file = shader.file("spv");
        let spirv = std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let spirv: Vec<u32> = bytemuck::pod_collect_to_vec(&spirv);
        let began = Instant::now();
        let answer = compiler.compile(&spirv, &shader.pipeline.entry_point, BINDINGS);
        let seconds = began.elapsed().as_secs_f64();
        if seconds > longest.0 {
            longest = (seconds, shader.name());
        }
        asked += 1;
        progress.inc(1);
        match answer {
            Ok(Ok(code)) => {
                let spills = ["Spilled SGPRs", "Spilled VGPRs"].map(|name| code.statistics.get(name));
                spilling += u64::from(spills.into_iter().flatten().any(|count| *count > 0));
            }
            Ok(Err(message)) => refused.push((shader.name(), message)),
            Err(error) => {
                refused.push((shader.name(), format!("{error:#}; what follows was not compiled")));
                break;
            }
        }
    }
    progress.finish_and_clear();
    let (seconds, name) = longest;
    let notes = vec![format!("{spilling} spill registers"), format!("longest {seconds:.1} s, {name}")];
    Ok(Run { version: compiler.device.clone(), asked, refused, notes })
}
