//! What a paper asks, and what answers that with tare: a command, one that measures a successor, or nothing and why.

use serde::Deserialize;

/// One question. It has a command or a reason.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The question, one sentence.
    pub asks: String,
    /// The command that answers it; `FILE` and `DIR` are the reader's.
    pub by: Option<String>,
    /// What the command measures in the place of what the paper had, where that cannot be had.
    pub successor: Option<String>,
    /// Why nothing answers it.
    pub because: Option<String>,
}

impl Question {
    /// What stands before the command, or instead of it: `answered by`, `answered by its successor, ...:`, `not, because ...`.
    pub fn answer(&self) -> String {
        match (&self.successor, &self.because) {
            (_, Some(why)) => format!("not, because {why}"),
            (Some(what), None) => format!("answered by its successor, {what}:"),
            (None, None) => "answered by".into(),
        }
    }
}
