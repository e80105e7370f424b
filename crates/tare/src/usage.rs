//! Wrong usage has an exit code of its own. It is a request that cannot be right: a value out of range, a name that tare
//! or the campaign does not know, options that contradict each other, a configuration file that cannot be parsed. A
//! sensible request that does not work is a failure: a file that cannot be read, a missing campaign, a layer that does
//! not boot.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;

/// The command line or `tare.toml` cannot be meant as it stands; the text says why and what would be right.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct WrongUsage(pub String);

/// Errors that can only come from what was asked for.
pub trait OrUsage<T> {
    /// The error as wrong usage, its causes in its text.
    fn or_usage(self) -> anyhow::Result<T>;
}

impl<T, E: Into<anyhow::Error>> OrUsage<T> for Result<T, E> {
    fn or_usage(self) -> anyhow::Result<T> {
        self.map_err(|error| WrongUsage(format!("{:#}", error.into())).into())
    }
}

/// Refuses a command line that announces a command and ends: what is measured then is not what was meant.
pub fn check_end(words: impl Iterator<Item = OsString>) -> anyhow::Result<()> {
    let words: Vec<OsString> = words.collect();
    match words.iter().position(|word| word == "--") {
        Some(at) if at + 1 == words.len() => {
            Err(WrongUsage("nothing stands behind '--'; write the command there".into()).into())
        }
        _ => Ok(()),
    }
}

/// What is to be added to clap's complaint about a command line of `tare run`: a word that stands alone is a command, forgotten
/// behind nothing.
pub fn tip(said: &clap::Error, verb: Option<&str>) -> Option<String> {
    let Some(ContextValue::String(word)) = said.get(ContextKind::InvalidArg) else { return None };
    let is_command = said.kind() == ErrorKind::UnknownArgument && !word.starts_with('-');
    (is_command && matches!(verb, Some("run" | "predict"))).then(|| {
        let word = crate::shell::quote(word);
        format!(
            "tip: a command of your own stands behind '--': tare {} -- {word} ...",
            verb.unwrap_or_default()
        )
    })
}

pub fn is_wrong_usage(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.is::<WrongUsage>())
}

macro_rules! wrong_usage {
    ($($text:tt)*) => {
        return Err($crate::usage::WrongUsage(format!($($text)*)).into())
    };
}

pub(crate) use wrong_usage;
