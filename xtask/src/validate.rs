//! `cargo xtask validate`: the GPU tests under Khronos' Vulkan validation layer.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};

use anyhow::{Result, anyhow, ensure};
use xshell::{Shell, cmd};

use crate::packages::{self, VALIDATION_LAYER, VULKAN};
use crate::shell::{Steps, root, shell};

/// Runs the GPU tests on Vulkan under Khronos' validation layer, with synchronization validation, and fails where
/// the layer reports an error or a warning.
///
/// Installs the layer where it is missing. Linux only.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Arguments of the test programs: `cargo xtask validate -- slots` runs the tests of that name.
    #[arg(last = true)]
    args: Vec<OsString>,
}

/// Synchronization checks within a command buffer and between submissions.
const SYNCHRONIZATION: &str = "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT,\
                               VALIDATION_CHECK_ENABLE_SYNCHRONIZATION_VALIDATION_QUEUE_SUBMIT";

/// Checks that complain about every program; the control run needs a complaint.
const BEST_PRACTICES: &str = "VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT";

/// The test of the control run. It starts a second process, whose messages must arrive too.
pub const ADVISED: &str = "program::caches_do_not_grow";

pub fn run(Args { args }: &Args) -> Result<()> {
    ensure!(cfg!(target_os = "linux"), "the tests run under Vulkan's validation layer on Linux only");
    let sh = shell()?;
    let mut steps = Steps::new();
    steps.step("layer", || packages::drivers(&[&VULKAN[..], &[VALIDATION_LAYER]].concat()))?;
    steps.step("control", || {
        let exact = [ADVISED, "--exact"].map(OsString::from);
        let (tested, messages) = test(&sh, BEST_PRACTICES, &["--test", "gpu"], &exact)?;
        tested?;
        ensure!(
            messages.reports.keys().any(|report| report.id.contains("BestPractices")),
            "the layer was told to warn of bad practice, and did not: its silence about the tests would prove \
             nothing\n{}",
            messages.text()
        );
        println!("The layer reports, also from the processes that tests start.");
        Ok(())
    })?;
    steps.step("tests", || {
        let programs = ["--no-fail-fast", "--test", "gpu", "--test", "conformance"];
        let (tested, messages) = test(&sh, SYNCHRONIZATION, &programs, args)?;
        println!("\n{}", messages.text());
        ensure!(
            messages.active > 0 && messages.active == messages.synchronized,
            "the layer started with {} instances, and validated the synchronization of {}",
            messages.active,
            messages.synchronized
        );
        tested?;
        ensure!(
            messages.reports.is_empty(),
            "the layer reported the above; all of it is in target/validation/messages.txt"
        );
        Ok(())
    })?;
    steps.summary();
    println!("\nThe layer found nothing.");
    Ok(())
}

/// Runs `cargo test` with the layer's additional checks `enables`. Returns the tests' result and the layer's messages.
fn test(
    sh: &Shell,
    enables: &str,
    programs: &[&str],
    args: &[OsString],
) -> Result<(Result<(), xshell::Error>, Messages)> {
    let folder = root().join("target/validation");
    let (settings, pipe) = (folder.join("vk_layer_settings.txt"), folder.join("pipe"));
    let log = pipe.to_string_lossy();
    let text = [
        ("debug_action", "VK_DBG_LAYER_ACTION_LOG_MSG"),
        ("log_filename", &*log),
        ("report_flags", "error,warn,perf,info"),
        ("enable_message_limit", "false"),
        ("disables", ""),
        ("enables", enables),
    ];
    let text: String =
        text.iter().map(|(key, value)| format!("khronos_validation.{key} = {value}\n")).collect();
    sh.write_file(&settings, text)?;
    // A named pipe: the layer would truncate a file, and several processes log.
    sh.remove_path(&pipe)?;
    cmd!(sh, "mkfifo {pipe}").run()?;

    let command = cmd!(sh, "cargo test --package wgpu-clamp {programs...} -- {args...}")
        .env("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation")
        .env("WGPU_BACKEND", "vulkan")
        .env("WGPU_CLAMP_REQUIRE", "vulkan")
        // naga names WGSL as a shader's language for debuggers. Layers before 2024 call that an error and skip the shader.
        .env("WGPU_DEBUG", "0")
        .env("VK_LAYER_SETTINGS_PATH", &settings)
        // The layer caches valid shaders there.
        .env("XDG_CACHE_HOME", &folder);

    // The pipe is opened for reading and writing at once: opening it for one alone would block until the other end is
    // open. Reading ends when the last writer closes.
    let writer = File::options().read(true).write(true).open(&pipe)?;
    let (reader, log) = (File::open(&pipe)?, File::create(folder.join("messages.txt"))?);
    std::thread::scope(|scope| {
        let reading = scope.spawn(move || Messages::read(BufReader::new(reader), log));
        let tested = command.run();
        drop(writer);
        let messages = reading.join().map_err(|_| anyhow!("reading the layer's messages panicked"))?;
        Ok((tested, messages?))
    })
}

/// A complaint of the layer.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Report {
    /// `Error`, `Warning` or `Performance Warning`.
    severity: String,
    /// The rule's name in Vulkan's specification, if it has one.
    id: String,
}

/// The layer's messages.
#[derive(Debug, Default, PartialEq, Eq)]
struct Messages {
    /// Vulkan instances with the layer.
    active: usize,
    /// Instances with synchronization validation.
    synchronized: usize,
    /// The count of each complaint, and the text of the first.
    reports: BTreeMap<Report, (usize, String)>,
}

impl Messages {
    /// Reads to the end, and keeps a copy in `log`.
    fn read(input: impl BufRead, mut log: impl Write) -> Result<Self> {
        let mut messages = Self::default();
        for line in input.split(b'\n') {
            let line = line?;
            log.write_all(&line)?;
            log.write_all(b"\n")?;
            messages.add(&String::from_utf8_lossy(&line));
        }
        Ok(messages)
    }

    fn add(&mut self, line: &str) {
        if line.contains("Khronos Validation Layer Active") {
            self.active += 1;
        }
        if line.contains("Current Enables:") && line.contains("SYNCHRONIZATION_VALIDATION") {
            self.synchronized += 1;
        }
        if let Some((severity, id)) = header(line)
            && severity != "Information"
        {
            let report = Report { severity: severity.to_owned(), id: id.to_owned() };
            self.reports.entry(report).or_insert_with(|| (0, line.to_owned())).0 += 1;
        }
    }

    /// The printed text.
    fn text(&self) -> String {
        let mut text = format!("Vulkan's validation layer was part of {} instances. ", self.active);
        if self.reports.is_empty() {
            text += "It reported nothing.";
        }
        for (Report { severity, id }, (count, first)) in &self.reports {
            text += &format!("\n\n{severity} {id}, {count} times, the first one:\n{first}");
        }
        text
    }
}

/// Severity and rule of a message, if this line is its first: `... Validation Error: [ VUID-... ] ...`.
fn header(line: &str) -> Option<(&str, &str)> {
    let (_, after) = line.split_once("Validation ")?;
    let (severity, after) = after.split_once(": [ ")?;
    let (id, _) = after.split_once(" ]")?;
    (severity.len() < 30 && !id.contains(' ')).then_some((severity, id))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Output of layer 1.3.239.
    const SAID: &str = "\
UNASSIGNED-khronos-validation-createinstance-status-message(INFO / SPEC): msgNum: -671457468 - Validation Information: \
[ UNASSIGNED-khronos-validation-createinstance-status-message ] Object 0: handle = 0x7f6aec248370, type = \
VK_OBJECT_TYPE_INSTANCE; | MessageID = 0xd7fa5f44 | Khronos Validation Layer Active:
    Settings File: Found at vk_layer_settings.txt specified by environment variable (VK_LAYER_SETTINGS_PATH).
    Current Enables: VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION, \
VALIDATION_CHECK_ENABLE_SYNCHRONIZATION_VALIDATION_QUEUE_SUBMIT.
    Current Disables: None.

    Objects: 1
        [0] 0x7f6aec248370, type: 1, name: NULL
UNASSIGNED-CoreValidation-Shader-InconsistentSpirv(ERROR / SPEC): msgNum: 7060244 - Validation Error: \
[ UNASSIGNED-CoreValidation-Shader-InconsistentSpirv ] Object 0: handle = 0x7f6aec955550, type = VK_OBJECT_TYPE_DEVICE; \
| MessageID = 0x6bbb14 | SPIR-V module not valid: Invalid source language operand: 10
    Objects: 1
        [0] 0x7f6aec955550, type: 3, name: NULL
";

    #[test]
    fn messages_are_counted_by_rule() {
        let mut log = Vec::new();
        let twice = [SAID, SAID].concat();
        let messages = Messages::read(twice.as_bytes(), &mut log).unwrap();
        assert_eq!(log, twice.as_bytes());
        assert_eq!((messages.active, messages.synchronized, messages.reports.len()), (2, 2, 1));
        let (report, (count, first)) = messages.reports.first_key_value().unwrap();
        assert_eq!(report.severity, "Error");
        assert_eq!(report.id, "UNASSIGNED-CoreValidation-Shader-InconsistentSpirv");
        assert!(*count == 2 && first.ends_with("Invalid source language operand: 10"), "{count} {first}");
    }

    #[test]
    fn what_is_no_first_line_is_none() {
        for line in
            ["", "Validation layer: [ x", "    Current Disables: None.", "Validation Error: [ of no rule ]"]
        {
            assert_eq!(header(line), None, "{line:?}");
        }
        let warning = "X(WARN / PERF): msgNum: 1 - Validation Performance Warning: [ X ] Object 0";
        assert_eq!(header(warning), Some(("Performance Warning", "X")));
    }
}
