//! The result of a part of the kit.

use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything ran and was right.
    Right,
    /// A result was wrong, or a test failed.
    Wrong,
    /// No result was wrong, but a program died, hung or gave up.
    Failed,
    /// Everything that ran was right, but the time was over before the end.
    Cut,
    /// No case, row or test ended.
    NotRun,
}

/// The result of a part on an adapter.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The part and the adapter.
    pub title: String,
    pub verdict: Verdict,
    /// The result in one line.
    pub summary: String,
    /// Details in Markdown.
    pub details: String,
    /// The duration of the part, set when it has ended.
    pub took: Duration,
}

impl Finding {
    pub fn new(
        title: &str,
        verdict: Verdict,
        summary: impl Into<String>,
        details: impl Into<String>,
    ) -> Self {
        let (summary, details) = (summary.into(), details.into());
        Self { title: title.to_owned(), verdict, summary, details, took: Duration::ZERO }
    }

    /// The summary, with the verdict before it unless the verdict is [`Verdict::Right`].
    pub fn line(&self) -> String {
        let word = match self.verdict {
            Verdict::Right => "",
            Verdict::Wrong => "**WRONG**: ",
            Verdict::Failed => "**FAILED**: ",
            Verdict::Cut => "cut short: ",
            Verdict::NotRun => "not run: ",
        };
        format!("{word}{}", self.summary)
    }
}
