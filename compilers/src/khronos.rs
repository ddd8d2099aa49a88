//! The two tools of Khronos: `spirv-val` and glslang.

use std::process::Command;

use anyhow::Result;
use rayon::prelude::*;

use crate::each::{ask, bar, each, version};
use crate::list::{List, Shader};
use crate::options::Options;
use crate::outcome::{About, Refusal, Run, without};

pub static SPIRV_VAL: About = About {
    name: "spirv-val",
    takes: "SPIR-V 1.6 for Vulkan 1.3, as wgpu gives it to drivers that check buffers themselves",
    proves: "that the modules keep the rules of SPIR-V and of Vulkan's environment, so that a driver owes them a result",
    proves_not: "that a driver compiles them, or that they compute what they should",
};

pub static GLSLANG: About = About {
    name: "glslangValidator",
    takes: "GLSL ES 3.10, as wgpu gives it to OpenGL ES",
    proves: "that Khronos' own front end parses and checks them as compute shaders of ES 3.10, types and limits included",
    proves_not: "that they link, that another vendor's front end accepts them, that a driver compiles them, or that they compute what they should",
};

/// Asks `spirv-val`.
pub fn spirv_val(list: &List, _: &Options) -> Result<Run> {
    let (version, shaders) = (version("spirv-val")?, list.spirv());
    let check = |(): &mut (), shader: Shader<'_>| {
        ask(Command::new("spirv-val").args(["--target-env", "vulkan1.3"]).arg(shader.file("spv")))
    };
    let refused = each("spirv-val", &shaders, || (), check);
    Ok(Run { version, asked: shaders.len(), refused, notes: Vec::new() })
}

/// Asks glslang, many files at a time.
pub fn glslang(list: &List, _: &Options) -> Result<Run> {
    let (version, shaders) = (version("glslangValidator")?, list.portable());
    let progress = bar("glslangValidator", shaders.len());
    let several = |shaders: &[Shader<'_>]| {
        let refused = bisect(shaders);
        progress.inc(shaders.len() as u64);
        refused
    };
    let refused = shaders.par_chunks(64).flat_map_iter(several).collect();
    progress.finish_and_clear();
    let notes = without(list.spirv().len() - shaders.len()).into_iter().collect();
    Ok(Run { version, asked: shaders.len(), refused, notes })
}

/// Finds the refused files by bisection.
fn bisect(shaders: &[Shader<'_>]) -> Vec<Refusal> {
    let files = shaders.iter().map(|shader| shader.file("comp"));
    match (ask(Command::new("glslangValidator").args(files)), shaders) {
        (Ok(()), _) => Vec::new(),
        (Err(message), [shader]) => vec![(shader.name(), message)],
        (Err(_), _) => {
            let (left, right) = shaders.split_at(shaders.len() / 2);
            [bisect(left), bisect(right)].concat()
        }
    }
}
