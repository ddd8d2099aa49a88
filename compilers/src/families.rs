//! AMD's compiler, for one family of GPUs after the other.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clamp_compilers::aco::{self, Compiler};
use rayon::prelude::*;

use crate::each::bar;
use crate::list::List;
use crate::options::Options;
use crate::outcome::{About, Absent, Outcome, Run};

static ACO: About = About {
    name: "ACO",
    takes: "the SPIR-V that spirv-val takes, through Mesa's RADV for GPUs that are not there",
    proves: "that a GPU's own compiler, behind a Vulkan driver that is in use, makes machine code of them for that family, and how many registers did not fit",
    proves_not: "that the machine code computes what it should, or that AMD's other compilers accept them",
};

/// Bindings of the bind group: the uniform block, src, dst, parameters. A layout may have more than an entry point uses.
const BINDINGS: u32 = 4;

/// Asks for all families, each in a process of its own.
pub fn run(list: &List, options: &Options) -> Vec<Outcome> {
    let one = |family: &String| Outcome {
        about: &ACO,
        target: format!(", {family}"),
        run: of_family(list, family, options),
    };
    options.families.par_iter().map(one).collect()
}

fn of_family(list: &List, family: &str, options: &Options) -> Result<Run> {
    let started = Instant::now();
    let shaders = list.some(options);
    let mut command = aco::child(family)?;
    command.arg("--child").arg("--shaders").arg(&options.shaders);
    command.arg("--every").arg(options.every.to_string()).args(options.all.then_some("--all"));
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
    let version = lines.next().transpose()?.unwrap_or_default();
    let progress = bar(family, shaders.len());
    let (mut refused, mut spilling, mut answers) = (Vec::new(), 0, shaders.iter());
    let (mut longest, mut began) = ((Duration::ZERO, String::new()), Instant::now());
    for line in lines {
        let line = line?;
        let shader = answers.next().context("an answer too many")?;
        match line.parse::<u64>() {
            Ok(spills) => spilling += u64::from(spills > 0),
            Err(_) => refused.push((shader.name(), line)),
        }
        longest = longest.max((began.elapsed(), shader.name()));
        began = Instant::now();
        progress.inc(1);
    }
    progress.finish_and_clear();
    let status = child.wait()?;
    // Of Mesa's versions, not every one knows each family.
    ensure!(!version.is_empty(), Absent("the driver gives no device for it"));
    let mut asked = shaders.len();
    if !status.success() {
        asked -= answers.len();
        let at = answers.next().context("the driver fails at its end")?;
        asked += 1;
        refused.push((at.name(), format!("the driver ends with {status}; what follows was not compiled")));
    }
    let (time, name) = longest;
    let spills = format!("{spilling} spill registers");
    let longest = format!("longest {:.1} s, {name}", time.as_secs_f64());
    let seconds = started.elapsed().as_secs_f64();
    Ok(Run { version, asked, refused, notes: vec![spills, longest], seconds })
}

/// The other process: a line for each shader, how many registers did not fit or what is wrong.
///
/// # Errors
///
/// There is no such device, or a file cannot be read.
pub fn child(options: &Options) -> Result<()> {
    let list = List::read(&options.shaders)?;
    let compiler = Compiler::open()?;
    println!("{}", compiler.name);
    for shader in list.some(options) {
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(&read(&shader.file("spv"))?);
        match compiler.compile(&words, &shader.pipeline().entry_point, BINDINGS) {
            Ok(code) => {
                let spills = ["Spilled SGPRs", "Spilled VGPRs"].map(|name| code.statistics.get(name));
                println!("{}", spills.into_iter().flatten().sum::<u64>());
            }
            Err(error) => println!("{}", format!("{error:#}").replace('\n', " ")),
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}
