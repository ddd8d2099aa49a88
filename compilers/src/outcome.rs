//! What a compiler said, as a table and as a list of refusals.

use std::fmt::Write as _;

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
    /// Or why it was not asked.
    pub run: Result<Run, String>,
}

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
    /// Something was refused.
    pub fn failed(&self) -> bool {
        self.run.as_ref().is_ok_and(|run| !run.refused.is_empty())
    }
}

/// A note that pipelines with types of naga's own were left out, if any were.
pub fn without(count: usize) -> Option<String> {
    (count > 0).then(|| format!("without {count} of F64 and F16 by hardware, which are for Vulkan alone"))
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
            Err(why) => writeln!(text, "| {name} | not run | | | | | {why} |"),
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
