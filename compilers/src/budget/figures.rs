//! The compiler's figures of each kernel, and the file figures.tsv that keeps them.

use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use indicatif::ProgressBar;

use crate::aco;
use crate::translate::Module;

use super::rows::{Kernel, Row};

/// The figures of one kernel.
pub struct Figures {
    /// Instructions of one wave's program. A loop's body counts once.
    pub instructions: u64,
    pub vgprs: u64,
    /// Registers that did not fit.
    pub spills: u64,
    /// Waves that a SIMD unit can hold at a time.
    pub waves: u64,
    /// The compiler's estimate of cycles per wave when many run.
    pub cycles: u64,
    /// Invocations in a workgroup. The module says this, not the compiler.
    pub workgroup_size: u64,
    /// The driver's time in milliseconds. It varies from run to run, so it is not in the file.
    pub compile_ms: f64,
}

/// The columns of the file, in the order of `Display`.
const COLUMNS: &str = "instructions\tvgprs\tspills\twaves\tcycles\tworkgroup size";

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { instructions, vgprs, spills, waves, cycles, workgroup_size, .. } = self;
        write!(f, "{instructions}\t{vgprs}\t{spills}\t{waves}\t{cycles}\t{workgroup_size}")
    }
}

/// The figures of all kernels for one family of GPUs.
pub struct Family {
    /// The family's name for `RADV_FORCE_FAMILY`.
    pub name: String,
    /// The device's name and the driver's version.
    pub device: String,
    /// Figures by [`Kernel::name`].
    pub kernels: BTreeMap<String, Figures>,
}

impl Family {
    /// Compiles the kernels of rows for a family. Fails if naga or the driver refuses one.
    pub fn of(name: &str, rows: &[Row]) -> Result<Self> {
        let kernels: BTreeMap<_, _> =
            rows.iter().flat_map(|row| &row.kernels).map(|kernel| (kernel.name(), kernel)).collect();
        let bar = ProgressBar::new(kernels.len() as u64).with_message(name.to_owned());
        let mut compiler =
            aco::Family::start(name)?.with_context(|| format!("no device for {name}, see above"))?;
        let figures = kernels.into_iter().map(|(name, kernel)| {
            bar.inc(1);
            let figures = compiled(&mut compiler, kernel).with_context(|| name.clone())?;
            Ok((name, figures))
        });
        let kernels = figures.collect::<Result<_>>()?;
        bar.finish_and_clear();
        Ok(Self { name: name.to_owned(), device: compiler.device.clone(), kernels })
    }
}

fn compiled(compiler: &mut aco::Family, kernel: &Kernel) -> Result<Figures> {
    let constants = kernel.constants.iter().copied();
    let pipeline = Module::parse(&kernel.wgsl)?.pipeline(&kernel.entry_point, constants)?;
    let made = compiler.compile(&pipeline.spirv()?, &kernel.entry_point, pipeline.bindings())?;
    let made = made.map_err(|message| anyhow!(message))?;
    let get = |name: &str| {
        made.statistics.get(name).copied().with_context(|| format!("the driver does not tell `{name}`"))
    };
    Ok(Figures {
        instructions: get("Instructions")?,
        vgprs: get("VGPRs")?,
        spills: get("Spilled SGPRs")? + get("Spilled VGPRs")?,
        waves: get("Subgroups per SIMD")?,
        cycles: get("Inverse Throughput")?,
        workgroup_size: pipeline.workgroup_size()?.into(),
        compile_ms: made.ms,
    })
}

/// Writes the file.
pub fn write(families: &[Family]) -> Result<()> {
    let mut text = String::new();
    for Family { name, device, kernels } in families {
        writeln!(text, "# {name}: {device}\n# {COLUMNS}\tkernel")?;
        for (kernel, figures) in kernels {
            writeln!(text, "{figures}\t{kernel}")?;
        }
    }
    std::fs::write(kept(), text).with_context(|| format!("cannot write {}", kept().display()))
}

/// Whether the figures are those of the file. Prints what differs. A family of another driver version is not compared.
/// `partly`: only some rows were asked for, so kernels may be missing.
pub fn check(families: &[Family], partly: bool) -> Result<bool> {
    let text =
        std::fs::read_to_string(kept()).with_context(|| format!("cannot read {}", kept().display()))?;
    let differing = families.iter().filter(|family| !family.check(&text, partly)).count();
    Ok(differing == 0)
}

impl Family {
    fn check(&self, text: &str, partly: bool) -> bool {
        let Self { name: family, device: ours, kernels } = self;
        let head = format!("# {family}: ");
        let Some((device, rest)) = text.split_once(&head).and_then(|(_, rest)| rest.split_once('\n')) else {
            println!("{family}: figures.tsv has no figures of it");
            return true;
        };
        if device != ours {
            println!("{family}: not compared, figures.tsv is of {device}, and this is {ours}");
            return true;
        }
        let lines = rest.lines().skip(1).take_while(|line| !line.starts_with('#'));
        let kept: BTreeMap<_, _> =
            lines.filter_map(|line| line.rsplit_once('\t')).map(|(figures, name)| (name, figures)).collect();
        let mut differing = 0;
        for (name, now) in kernels {
            let before = kept.get(name.as_str()).copied().unwrap_or("none");
            if before != now.to_string() {
                differing += 1;
                println!("{family}, {name}: {now}, figures.tsv has {before}");
            }
        }
        let gone = kept.keys().filter(|name| !partly && !kernels.contains_key(**name)).count();
        let (all, same) = (kernels.len(), kernels.len() - differing);
        println!("{family}: {same} of {all} kernels are as in figures.tsv, {gone} of the file are gone");
        differing + gone == 0
    }
}

/// The path of figures.tsv.
fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("budget/figures.tsv")
}
