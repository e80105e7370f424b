//! Values that flags and `tare.toml` have in common, with their bounds.

use clap::builder::{PathBufValueParser, PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;
use std::time::Duration;

/// The file of settings that is read when `--config` names none.
pub const USUAL: &str = "tare.toml";

/// The longest time that can be asked for: beyond it are typing mistakes, and sums that overflow.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// The directory of a campaign, which may be named by the file in it.
pub fn campaign() -> impl TypedValueParser<Value = PathBuf> {
    let outer = |path: PathBuf| {
        let is_file =
            path.file_name().is_some_and(|name| name == tare_store::FILE) && path.is_file();
        let folder = path.parent().filter(|folder| is_file && !folder.as_os_str().is_empty());
        match folder {
            Some(folder) => folder.to_owned(),
            None if is_file => PathBuf::from("."),
            None => path,
        }
    };
    PathBufValueParser::new().map(outer)
}

/// A time from a millisecond to a year.
pub fn time(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).map_err(|e| format!("{e}; write 90s or 5m"))?;
    match (Duration::from_millis(1)..=LONGEST).contains(&time) {
        true => Ok(time),
        false => Err("the time must be from 1ms to 1year".into()),
    }
}

/// A percentage above 0.
pub fn percent(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(percent) => percent_of(percent),
        Err(_) => Err(format!("'{text}' is not a number")),
    }
}

/// `percent`, if it is one above 0.
pub fn percent_of(percent: f64) -> Result<f64, String> {
    match percent > 0.0 && percent <= 100.0 {
        true => Ok(percent),
        false => Err(format!("{percent} is not a percentage above 0 and up to 100")),
    }
}

/// Reads the names in `table`: each stands for the value beside it.
pub fn named<T: Copy + Send + Sync + 'static>(
    table: impl Iterator<Item = (&'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let table: Vec<(&str, T)> = table.collect();
    let names = PossibleValuesParser::new(table.iter().map(|(name, _)| *name));
    names.try_map(move |said| {
        let found = table.iter().find(|(name, _)| *name == said);
        found.map(|(_, value)| *value).ok_or("there is no such name")
    })
}

/// `text, json or md`.
pub fn one_of(names: impl Iterator<Item = &'static str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nothing_could_come_of_is_refused() {
        for text in ["nan", "inf", "-inf", "1e400", "0", "-1", "101", "", "2%"] {
            assert!(percent(text).is_err(), "{text}");
        }
        assert_eq!((percent("0.5"), percent("100")), (Ok(0.5), Ok(100.0)));
        for text in ["0s", "0m", "1us", "soon", "", "2years", "-1s", "nan"] {
            assert!(time(text).is_err(), "{text}");
        }
        assert_eq!(time("5m"), Ok(Duration::from_secs(300)));
    }
}
