//! What came of a part.

use std::time::Duration;

/// Whether it is good news.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All of it ran, and everything was right.
    Right,
    /// A result was wrong, or a test failed.
    Wrong,
    /// No result was wrong, but a program died, hung or gave up.
    Failed,
    /// What ran was right; the time was over before the end.
    Cut,
    /// No case, row or test ended.
    NotRun,
}

/// What came of a part on an adapter.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The part and the adapter.
    pub title: String,
    /// Whether it is good news.
    pub verdict: Verdict,
    /// In a line.
    pub summary: String,
    /// In markdown.
    pub details: String,
    /// How long it took.
    pub took: Duration,
}

impl Finding {
    /// Without the time, which is known later.
    pub fn new(
        title: &str,
        verdict: Verdict,
        summary: impl Into<String>,
        details: impl Into<String>,
    ) -> Self {
        Self {
            title: title.to_owned(),
            verdict,
            summary: summary.into(),
            details: details.into(),
            took: Duration::ZERO,
        }
    }

    /// The line, with the verdict where it is not good.
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
