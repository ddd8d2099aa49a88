//! What a compiler said, as a table and as a list of refusals.

use std::fmt::{self, Write as _};

use anyhow::Error;

/// A compiler: who it is and what its word is worth.
pub struct About {
    /// As it calls itself.
    pub name: &'static str,
    /// What it reads, and for whom.
    pub takes: &'static str,
    /// What follows where it accepts everything.
    pub proves: &'static str,
    /// What one might think that follows.
    pub proves_not: &'static str,
}

/// Of one run.
pub struct Outcome {
    /// Of whom.
    pub about: &'static About,
    /// What there is more to say than the name: the GPU, the profile.
    pub target: String,
    /// Or why there is no answer: [`Absent`], or what went wrong.
    pub run: Result<Run, Error>,
}

/// It is not on this machine, which is no fault of the shaders.
#[derive(Debug)]
pub struct Absent(pub &'static str);

impl fmt::Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Absent {}

/// What was asked and answered.
pub struct Run {
    /// As it tells.
    pub version: String,
    /// Pipelines.
    pub asked: usize,
    /// Name of the pipeline, and what was said about it.
    pub refused: Vec<(String, String)>,
    /// Whatever else there is to know.
    pub notes: Vec<String>,
    /// By the wall.
    pub seconds: f64,
}

impl Outcome {
    /// Something was refused, or there is no answer from a compiler that is there.
    pub fn failed(&self) -> bool {
        match &self.run {
            Ok(run) => !run.refused.is_empty(),
            Err(error) => !error.is::<Absent>(),
        }
    }
}

/// A note that pipelines with types of naga's own were left out, if any were.
pub fn without(count: usize) -> Option<String> {
    (count > 0).then(|| format!("without {count} of F64 by hardware, which are for Vulkan alone"))
}

/// Refusals that are printed of each compiler.
const SHOWN: usize = 5;

/// Lines that are printed of each refusal; the others follow from these.
const LINES: usize = 10;

/// All that there is to say.
pub fn report(outcomes: &[Outcome]) -> String {
    let mut text = String::from(
        "| compiler | version | pipelines | accepted | refused | s | |\n| --- | --- | ---: | ---: | ---: | ---: | --- |\n",
    );
    for Outcome { about, target, run } in outcomes {
        let name = format!("{}{target}", about.name);
        let _ = match run {
            Ok(run) => {
                let Run { version, asked, refused, notes, seconds } = run;
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
    let mut told = Vec::new();
    text.push('\n');
    for Outcome { about, .. } in outcomes {
        if !told.contains(&about.name) {
            told.push(about.name);
            let About { name, takes, proves, proves_not } = about;
            let _ = writeln!(text, "{name} takes {takes}. Proves {proves}; not {proves_not}.");
        }
    }
    for Outcome { about, target, run } in outcomes.iter().filter(|outcome| outcome.failed()) {
        let refused = run.as_ref().map_or(&[][..], |run| &run.refused);
        for (pipeline, message) in refused.iter().take(SHOWN) {
            let _ = writeln!(text, "\n{}{target} refuses {pipeline}:", about.name);
            // DXC ends with a null.
            for line in message.trim_end_matches(['\0', '\n', ' ']).lines().take(LINES) {
                let _ = writeln!(text, "{line}");
            }
        }
        if refused.len() > SHOWN {
            let _ = writeln!(text, "\n{}{target} refuses {} more", about.name, refused.len() - SHOWN);
        }
    }
    text
}
