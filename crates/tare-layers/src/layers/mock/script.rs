//! What a mock answers and when it fails, as its settings say.

use crate::SettingError;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use tare_proto::Counter;

/// What the layer answers, by benchmark (with its load).
pub(super) type Script = HashMap<String, Entry>;

/// One list of samples a boot; boots after the last list repeat it.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum Entry {
    /// Samples alone.
    Plain(Vec<Vec<f64>>),
    /// Samples, and what stands beside them.
    Counted {
        samples: Vec<Vec<f64>>,
        #[serde(default)]
        counters: BTreeMap<String, f64>,
        #[serde(default)]
        note: String,
    },
}

impl Entry {
    pub(super) fn samples(&self, boot: usize) -> Option<Vec<f64>> {
        let (Entry::Plain(boots) | Entry::Counted { samples: boots, .. }) = self;
        boots.get(boot.min(boots.len().saturating_sub(1))).cloned()
    }

    pub(super) fn note(&self) -> String {
        match self {
            Entry::Plain(_) => String::new(),
            Entry::Counted { note, .. } => note.clone(),
        }
    }

    pub(super) fn counters(&self) -> Vec<Counter> {
        match self {
            Entry::Plain(_) => Vec::new(),
            Entry::Counted { counters, .. } => {
                counters.iter().map(|(name, value)| Counter::new(name, *value)).collect()
            }
        }
    }
}

/// What the script has for `boot` of each row: the first sample.
pub(super) fn told(script: &Script, boot: usize) -> HashMap<String, f64> {
    let first = |entry: &Entry| entry.samples(boot)?.first().copied();
    script.iter().filter_map(|(name, entry)| Some((name.clone(), first(entry)?))).collect()
}

pub(super) fn read_script(path: &str) -> Result<Script, SettingError> {
    let refused = |why: String| SettingError(format!("script={path}: {why}"));
    let text =
        crate::files::bounded::text(path.as_ref(), 16 << 20).map_err(|e| refused(e.to_string()))?;
    serde_json::from_str(&text).map_err(|e| refused(e.to_string()))
}

#[derive(Clone, Copy)]
pub(super) enum Faulty {
    All,
    First,
    Every(u32),
}

impl Faulty {
    pub(super) fn read(text: Option<&str>) -> Result<Faulty, SettingError> {
        match text {
            None | Some("all") => Ok(Faulty::All),
            Some("first") => Ok(Faulty::First),
            Some(text) => match text.parse() {
                Ok(every) if every > 0 => Ok(Faulty::Every(every)),
                _ => Err(SettingError(format!("faulty={text}: all, first or a number"))),
            },
        }
    }

    /// Whether boot `number`, from 0, has it.
    pub(super) fn has(self, number: u32) -> bool {
        match self {
            Faulty::All => true,
            Faulty::First => number == 0,
            Faulty::Every(every) => (number + 1).is_multiple_of(every),
        }
    }
}
