//! What the compiler says of each kernel, and whether it is what it said before.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail, ensure};
use clamp_compilers::aco::{self, Compiler};
use clamp_compilers::translate::Module;
use indicatif::ProgressBar;

use crate::rows::Row;

/// Of one kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// In one wave's program; what is in a loop counts once.
    pub instructions: u64,
    /// Vector registers.
    pub vgprs: u64,
    /// Registers that did not fit.
    pub spills: u64,
    /// That a SIMD unit can keep.
    pub waves: u64,
    /// The compiler's estimate of cycles per wave when many run.
    pub cycles: u64,
    /// Invocations in a workgroup, which is no figure of the compiler.
    pub workgroup_size: u64,
}

/// The names of a line, after the family and the kernel.
const COLUMNS: [&str; 6] = ["instructions", "vgprs", "spills", "waves", "cycles", "workgroup size"];

/// Of all kernels, on one family of GPUs.
pub struct Family {
    /// As `RADV_FORCE_FAMILY` names it.
    pub name: String,
    /// As the driver names it, with its version.
    pub device: String,
    /// By [`Kernel::name`](crate::rows::Kernel::name).
    pub kernels: BTreeMap<String, Figures>,
    /// What the driver took for each, in milliseconds. No two runs agree, so these are not kept.
    pub compile_ms: BTreeMap<String, f64>,
}

/// Of all families.
pub struct All {
    /// In the order in which they were asked for.
    pub families: Vec<Family>,
}

/// Compiles the kernels of rows for some families.
///
/// # Errors
///
/// naga or a driver refuses one.
pub fn of(rows: &[Row], families: &[String]) -> Result<All> {
    let dir = std::env::temp_dir().join(format!("clamp-budget-{}", std::process::id()));
    std::fs::create_dir_all(&dir)?;
    let all = modules(rows, &dir).and_then(|count| {
        let families = families.iter().map(|name| family(name, &dir, count));
        Ok(All { families: families.collect::<Result<_>>()? })
    });
    std::fs::remove_dir_all(&dir)?;
    all
}

/// Writes a module for each kernel into a directory, and a list of them.
fn modules(rows: &[Row], dir: &Path) -> Result<u64> {
    let mut names = BTreeSet::new();
    let mut list = String::new();
    for kernel in rows.iter().flat_map(|row| &row.kernels) {
        if !names.insert(kernel.name()) {
            continue;
        }
        let pipeline = Module::parse(&kernel.wgsl)
            .and_then(|module| module.pipeline(&kernel.entry_point, kernel.constants.iter().copied()))
            .with_context(|| kernel.name())?;
        std::fs::write(dir.join(format!("{}.spv", names.len())), bytemuck::cast_slice(&pipeline.spirv()?))?;
        let (bindings, size) = (pipeline.bindings(), pipeline.workgroup_size()?);
        writeln!(list, "{}\t{}\t{bindings}\t{size}\t{}", names.len(), kernel.entry_point, kernel.name())?;
    }
    std::fs::write(dir.join("list"), list)?;
    Ok(names.len() as u64)
}

/// A process of its own for each family, which the driver takes from the environment.
fn family(name: &str, dir: &Path, count: u64) -> Result<Family> {
    let bar = ProgressBar::new(count).with_message(name.to_owned());
    let mut child = aco::child(name)?.arg("--compile").arg(dir).stdout(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
    let device = lines.next().transpose()?.unwrap_or_default();
    let (mut kernels, mut compile_ms) = (BTreeMap::new(), BTreeMap::new());
    for line in lines {
        let line = line?;
        let (ms, rest) = line.split_once('\t').with_context(|| format!("`{line}`"))?;
        let (figures, name) = parse(rest).with_context(|| format!("`{line}`"))?;
        compile_ms.insert(name.clone(), ms.parse()?);
        kernels.insert(name, figures);
        bar.inc(1);
    }
    bar.finish_and_clear();
    ensure!(child.wait()?.success(), "the compiler for {name} failed, see above");
    Ok(Family { name: name.to_owned(), device, kernels, compile_ms })
}

/// The other process: compiles what lies in a directory, a line for each.
///
/// # Errors
///
/// There is no such device, or it refuses a module.
pub fn compile(dir: &Path) -> Result<()> {
    let compiler = Compiler::open()?;
    println!("{}", compiler.name);
    for line in std::fs::read_to_string(dir.join("list"))?.lines() {
        let fields: Vec<_> = line.splitn(5, '\t').collect();
        let [index, entry_point, bindings, size, name] = fields[..] else { bail!("`{line}`") };
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(&std::fs::read(dir.join(format!("{index}.spv")))?);
        let made =
            compiler.compile(&words, entry_point, bindings.parse()?).with_context(|| name.to_owned())?;
        let get = |name: &str| {
            made.statistics.get(name).copied().with_context(|| format!("the driver does not tell `{name}`"))
        };
        let figures = Figures {
            instructions: get("Instructions")?,
            vgprs: get("VGPRs")?,
            spills: get("Spilled SGPRs")? + get("Spilled VGPRs")?,
            waves: get("Subgroups per SIMD")?,
            cycles: get("Inverse Throughput")?,
            workgroup_size: size.parse()?,
        };
        println!("{}\t{}", made.time.as_secs_f64() * 1e3, line_of(&figures, name));
    }
    Ok(())
}

fn line_of(figures: &Figures, name: &str) -> String {
    let Figures { instructions, vgprs, spills, waves, cycles, workgroup_size } = figures;
    format!("{instructions}\t{vgprs}\t{spills}\t{waves}\t{cycles}\t{workgroup_size}\t{name}")
}

fn parse(line: &str) -> Result<(Figures, String)> {
    let mut fields = line.splitn(COLUMNS.len() + 1, '\t');
    let mut next = || fields.next().context("too short");
    let mut number = || -> Result<u64> { Ok(next()?.parse()?) };
    let [instructions, vgprs, spills, waves, cycles, workgroup_size] =
        [number()?, number()?, number()?, number()?, number()?, number()?];
    let figures = Figures { instructions, vgprs, spills, waves, cycles, workgroup_size };
    Ok((figures, next()?.to_owned()))
}

impl All {
    /// Keeps them.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn write(&self) -> Result<()> {
        let mut text = String::new();
        for Family { name, device, kernels, .. } in &self.families {
            writeln!(text, "# {name}: {device}\n# {}\tkernel", COLUMNS.join("\t"))?;
            for (kernel, figures) in kernels {
                writeln!(text, "{}", line_of(figures, kernel))?;
            }
        }
        std::fs::write(kept(), text).with_context(|| format!("cannot write {}", kept().display()))
    }

    /// Whether they are those that were kept, by the same version of the driver. Prints what is not. `partly`: not all rows
    /// were asked for.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn check(&self, partly: bool) -> Result<bool> {
        let text =
            std::fs::read_to_string(kept()).with_context(|| format!("cannot read {}", kept().display()))?;
        let mut same = true;
        for family in &self.families {
            same &= family.check(&text, partly)?;
        }
        Ok(same)
    }
}

impl Family {
    fn check(&self, text: &str, partly: bool) -> Result<bool> {
        let head = format!("# {}: ", self.name);
        let Some((device, rest)) = text.split_once(&head).and_then(|(_, rest)| rest.split_once('\n')) else {
            println!("{}: no figures were kept", self.name);
            return Ok(true);
        };
        if device != self.device {
            println!(
                "{}: not compared, the kept figures are those of {device}, not of {}",
                self.name, self.device
            );
            return Ok(true);
        }
        let lines = rest.lines().skip(1).take_while(|line| !line.starts_with('#'));
        let kept: BTreeMap<_, _> =
            lines.map(|line| parse(line).map(|(figures, name)| (name, figures))).collect::<Result<_>>()?;
        let mut differing = 0;
        for (name, now) in &self.kernels {
            let before = kept.get(name);
            if before != Some(now) {
                differing += 1;
                let before = before.map_or("none".to_owned(), |before| line_of(before, ""));
                println!("{}, {name}: {} for {before}", self.name, line_of(now, ""));
            }
        }
        let gone = kept.keys().filter(|name| !partly && !self.kernels.contains_key(*name)).count();
        let all = self.kernels.len();
        println!(
            "{}: {} of {all} kernels are as they were kept, {gone} others are gone",
            self.name,
            all - differing
        );
        Ok(differing + gone == 0)
    }
}

/// Where figures are kept.
fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("figures.tsv")
}
