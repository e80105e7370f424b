//! Values as SQLite stores them.

use serde::Serialize;

/// SQLite's integers are signed; counts beyond that are not real.
pub(crate) fn int(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// A unit variant's name, as serde spells it.
pub(crate) fn word(value: &impl Serialize) -> String {
    json(value).trim_matches('"').to_owned()
}
