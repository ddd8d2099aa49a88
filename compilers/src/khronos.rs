//! The two tools of Khronos: `spirv-val` and glslang.

use std::process::Command;
use std::time::Instant;

use rayon::prelude::*;

use crate::each::{ask, bar, each, version};
use crate::list::{List, Shader};
use crate::outcome::{About, Outcome, Run, without};

static SPIRV_VAL: About = About {
    name: "spirv-val",
    takes: "SPIR-V 1.6 for Vulkan 1.3, as wgpu gives it to drivers that check buffers themselves",
    proves: "that the modules keep the rules of SPIR-V and of Vulkan's environment, so that a driver owes them a result",
    proves_not: "that a driver compiles them, or that they compute what they should",
};

static GLSLANG: About = About {
    name: "glslangValidator",
    takes: "GLSL ES 3.10, as wgpu gives it to OpenGL ES",
    proves: "that Khronos' own front end parses and checks them as compute shaders of ES 3.10, types and limits included",
    proves_not: "that they link, that another vendor's front end accepts them, that a driver compiles them, or that they compute what they should",
};

/// Asks `spirv-val`.
pub fn spirv_val(list: &List) -> Outcome {
    let started = Instant::now();
    let shaders = list.spirv();
    let run = version("spirv-val").map(|version| {
        let refused = each(
            "spirv-val",
            &shaders,
            || (),
            |(), shader| {
                ask(Command::new("spirv-val").args(["--target-env", "vulkan1.3"]).arg(shader.file("spv")))
            },
        );
        Run {
            version,
            asked: shaders.len(),
            refused,
            notes: Vec::new(),
            seconds: started.elapsed().as_secs_f64(),
        }
    });
    Outcome { about: &SPIRV_VAL, target: String::new(), run }
}

/// Asks glslang, many files at a time.
pub fn glslang(list: &List) -> Outcome {
    let started = Instant::now();
    let shaders = list.portable();
    let run = version("glslangValidator").map(|version| {
        let progress = bar("glslangValidator", shaders.len());
        let several = |shaders: &[Shader<'_>]| {
            let refused = bisect(shaders);
            progress.inc(shaders.len() as u64);
            refused
        };
        let refused = shaders.par_chunks(64).flat_map_iter(several).collect();
        progress.finish_and_clear();
        Run {
            version,
            asked: shaders.len(),
            refused,
            notes: without(list.spirv().len() - shaders.len()).into_iter().collect(),
            seconds: started.elapsed().as_secs_f64(),
        }
    });
    Outcome { about: &GLSLANG, target: String::new(), run }
}

/// Those of the files that are refused, found by halves.
fn bisect(shaders: &[Shader<'_>]) -> Vec<(String, String)> {
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
