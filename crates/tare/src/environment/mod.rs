//! What on this machine disturbs measurements: a table of checks that read `/proc` and `/sys`.
//!
//! A [`State::Warning`] is something that disturbs now or will. Most results are [`State::Note`]s, which a reader should
//! know of and often cannot change.

pub mod arguments;
mod cpus;
pub mod far;
mod host;
mod kernel;
mod view;

pub use view::View;

use anyhow::Result;
use serde_json::{Value, json};
use tare_store::{Store, Warning};

/// A row of the table.
pub struct Check {
    /// A name for programs and people.
    pub name: &'static str,
    /// What it looks at.
    pub about: &'static str,
    /// When it warns, or notes.
    pub when: &'static str,
    /// What to do about it.
    pub remedy: &'static str,
    look: fn(&View) -> Answer,
}

/// Every check, in the order of `tare doctor`.
pub const CHECKS: &[&Check] = &[
    &cpus::LOAD,
    &cpus::CAMPAIGNS,
    &cpus::STEAL,
    &cpus::SHARED,
    &cpus::QUOTA,
    &cpus::SIBLINGS,
    &cpus::GOVERNOR,
    &cpus::TURBO,
    &kernel::CLOCK,
    &kernel::HUGE_PAGES,
    &kernel::ASLR,
    &kernel::MITIGATIONS,
    &kernel::COUNTERS,
    &host::SWAP,
    &host::SHM,
    &host::VIRTUAL,
];

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Nothing disturbs.
    Fine,
    /// A reader should know of it.
    Note,
    /// It disturbs the measurement.
    Warning,
    /// It cannot be seen here.
    Unknown,
}

impl State {
    /// What is bad is a warning, what is only worth knowing a note.
    pub const fn worst_of(bad: bool, notable: bool) -> State {
        match (bad, notable) {
            (true, _) => State::Warning,
            (_, true) => State::Note,
            _ => State::Fine,
        }
    }

    /// The state in a word.
    pub const fn word(self) -> &'static str {
        match self {
            State::Fine => "fine",
            State::Note => "note",
            State::Warning => "warning",
            State::Unknown => "unknown",
        }
    }
}

/// What a check sees.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Answer {
    state: State,
    text: String,
}

impl Answer {
    fn new(state: State, text: impl Into<String>) -> Answer {
        Answer { state, text: text.into() }
    }
}

/// A check with what it found.
pub struct CheckResult {
    /// The row.
    pub check: &'static Check,
    /// How it came out.
    pub state: State,
    /// What is there, in a few words.
    pub text: String,
}

/// Makes every check.
pub fn look(view: &View) -> Vec<CheckResult> {
    let found = |check: &&'static Check| {
        let Answer { state, text } = (check.look)(view);
        CheckResult { check, state, text }
    };
    CHECKS.iter().map(found).collect()
}

/// Records what is found in a campaign that is about to measure on `layers_cpus`, and gives the sentence to say if others use them: a comment on its scoreboard for each
/// warning, and one for all notes together.
pub fn record(store: &mut Store, layers_cpus: &[u32]) -> Result<Option<String>> {
    let found = look(&View::of_this_host(layers_cpus));
    let busy =
        |found: &&CheckResult| found.check.name == cpus::LOAD.name && found.state == State::Warning;
    let busy = found.iter().find(busy).map(|busy| {
        let remedy = busy.check.remedy;
        format!(
            "This machine is busy: {}. Series that wait for a CPU too long are withheld; {remedy}.",
            busy.text
        )
    });
    for text in comments(&found) {
        store.warn(&Warning { layer: None, benchmark: None, text: text.into() })?;
    }
    Ok(busy)
}

/// The findings as comments on a scoreboard.
fn comments(found: &[CheckResult]) -> Vec<String> {
    let of = |state| found.iter().filter(move |found| found.state == state);
    let mut texts: Vec<String> = of(State::Warning)
        .map(|found| format!("at the start: {}; remedy: {}", found.text, found.check.remedy))
        .collect();
    let notes: Vec<&str> = of(State::Note).map(|found| found.text.as_str()).collect();
    if !notes.is_empty() {
        texts.push(format!("about this machine: {}", notes.join("; ")));
    }
    texts
}

/// The findings for people, with remedies for what is not fine.
pub fn for_people(found: &[CheckResult]) -> String {
    let mut text = String::from("This machine\n");
    for CheckResult { check, state, text: what } in found {
        text.push_str(&format!("  {:11} {:7}  {what}\n", check.name, state.word()));
        if matches!(state, State::Note | State::Warning) {
            text.push_str(&format!("                       remedy: {}\n", check.remedy));
        }
    }
    text
}

/// The findings for machines.
pub fn for_machines(found: &[CheckResult]) -> Value {
    let one = |CheckResult { check, state, text }: &CheckResult| {
        json!({
            "check": check.name, "about": check.about, "when": check.when, "state": state.word(),
            "found": text, "remedy": check.remedy,
        })
    };
    found.iter().map(one).collect()
}

#[cfg(test)]
mod tests;
