//! The time to a first result: that of `prepare` and of the first dispatch when nothing has been compiled before.
//!
//! Drivers and LLVM keep what they have compiled. Each sample therefore runs in a process of its own, with the
//! driver's shader cache off. The process first runs another kernel, so that a driver's one-time setup is not
//! measured.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::clock::{Clock, seconds};
use crate::device::Device;
use crate::kernels::{Kind, Launch};
use crate::options::Options;
use crate::stats::Stats;

/// Bytes of a tensor: few, so that compiling takes most of the time.
const BYTES: usize = 1 << 20;

/// Variables that turn shader caches off: Mesa's before version 22.1, Mesa's since then, and NVIDIA's.
const CACHES_OFF: [(&str, &str); 3] = [
    ("MESA_GLSL_CACHE_DISABLE", "true"),
    ("MESA_SHADER_CACHE_DISABLE", "true"),
    ("__GL_SHADER_DISK_CACHE", "0"),
];

/// The median of three samples of the case with the number `n`, each in a new process.
pub fn time(options: &Options, n: usize) -> Result<f64> {
    let sample = || {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(format!("--first-sample={n}")).envs(CACHES_OFF);
        let output = command.args(options.layouts.then_some("--layouts")).output()?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "the first result: {}: {}", output.status, errors.trim());
        Ok(String::from_utf8_lossy(&output.stdout).trim().parse()?)
    };
    Stats::median_of(3, sample)
}

/// Takes one sample in this process, prints its seconds, and compares the result with the reference.
pub fn sample(options: &Options, n: usize) -> Result<()> {
    let cases = crate::cases_of(options, BYTES, u64::MAX)?;
    let case = cases.get(n % cases.len()).context("there is no case")?;
    let device = Device::open()?;
    let clock = Clock::new(&device)?;
    let scratch = crate::bench::random_pair(&device, 4096)?;
    clock.wall(&device, &Launch::packets(Kind::Copy, 1, 4096).work(&device, &[scratch]), 1)?;
    let mut set = case.buffers(&device, 1)?;
    device.wait()?;
    let (time, result) = seconds(|| {
        case.prepare(&device, &mut set)?;
        clock.wall(&device, &set.work(), 1)
    });
    result?;
    case.check(&device, set.dst())?;
    println!("{time}");
    Ok(())
}
