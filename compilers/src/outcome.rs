//! The compilers' answers, as a table and a list of refusals.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::time::Instant;

use anyhow::{Error, Result};

/// A compiler, and what its acceptance proves.
pub struct About {
    pub name: &'static str,
    /// The language that it reads.
    pub takes: &'static str,
    /// What is true if it accepts everything.
    pub proves: &'static str,
    /// What may still be false then.
    pub proves_not: &'static str,
}

/// The answers of one compiler.
pub struct Outcome {
    about: &'static About,
    /// The compiler's name, with the GPU if it has one.
    name: String,
    seconds: f64,
    /// The answers, or why there are none: [`Absent`], or a failure.
    run: Result<Run, Error>,
}

/// The compiler is not on this machine, which is no fault of the shaders.
#[derive(Debug)]
pub struct Absent(pub &'static str);

impl std::fmt::Display for Absent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Absent {}

/// The name of a pipeline, and the compiler's message.
pub type Refusal = (String, String);

/// The answers of a compiler that ran.
pub struct Run {
    /// The compiler's version, in its own words.
    pub version: String,
    /// The number of pipelines.
    pub asked: usize,
    pub refused: Vec<Refusal>,
    pub notes: Vec<String>,
}

impl Outcome {
    /// Asks a compiler and measures the time. `target` is a GPU, or empty.
    pub fn of(about: &'static About, target: &str, ask: impl FnOnce() -> Result<Run>) -> Self {
        let started = Instant::now();
        let run = ask();
        let comma = if target.is_empty() { "" } else { ", " };
        let name = format!("{}{comma}{target}", about.name);
        Self { about, name, seconds: started.elapsed().as_secs_f64(), run }
    }

    /// Whether something was refused, or there is no answer from a compiler that is there.
    pub fn failed(&self) -> bool {
        match &self.run {
            Ok(run) => !run.refused.is_empty(),
            Err(error) => !error.is::<Absent>(),
        }
    }
}

/// A note on the number of pipelines that were left out because they compute on `f64`, if there are any.
pub fn without(count: usize) -> Option<String> {
    (count > 0).then(|| format!("without {count} of F64 by hardware, which are for Vulkan alone"))
}

/// The most refusals that are printed of a compiler.
const SHOWN: usize = 5;

/// The most lines that are printed of a refusal. The first ones name the cause.
const LINES: usize = 10;

/// The table, what each compiler's acceptance proves, and the refusals.
pub fn report(outcomes: &[Outcome]) -> String {
    let mut text = String::from(
        "| compiler | version | pipelines | accepted | refused | s | |\n| --- | --- | ---: | ---: | ---: | ---: | --- |\n",
    );
    for Outcome { name, seconds, run, .. } in outcomes {
        let _ = match run {
            Ok(Run { version, asked, refused, notes }) => {
                let (refused, accepted) = (refused.len(), asked - refused.len());
                let notes = notes.join("; ");
                writeln!(
                    text,
                    "| {name} | {version} | {asked} | {accepted} | {refused} | {seconds:.0} | {notes} |"
                )
            }
            Err(why) => {
                let word = if why.is::<Absent>() { "not run" } else { "FAILED" };
                writeln!(text, "| {name} | {word} | | | | | {why:#} |")
            }
        };
    }
    text.push('\n');
    let mut told = HashSet::new();
    for About { name, takes, proves, proves_not } in outcomes.iter().map(|outcome| outcome.about) {
        if told.insert(name) {
            let _ = writeln!(text, "{name} takes {takes}. Proves {proves}; not {proves_not}.");
        }
    }
    for Outcome { name, run, .. } in outcomes {
        let Ok(Run { refused, .. }) = run else { continue };
        for (pipeline, message) in refused.iter().take(SHOWN) {
            let _ = writeln!(text, "\n{name} refuses {pipeline}:");
            // DXC ends a message with a null.
            for line in message.trim_end_matches(['\0', '\n', ' ']).lines().take(LINES) {
                let _ = writeln!(text, "{line}");
            }
        }
        if refused.len() > SHOWN {
            let _ = writeln!(text, "\n{name} refuses {} more", refused.len() - SHOWN);
        }
    }
    text
}
