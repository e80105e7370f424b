//! A layer's settings as people write them: `name=qemu,accel=tcg,memory=512M`.

use std::collections::BTreeMap;
use std::fmt;

/// A setting that a kind of layer takes.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The key.
    pub key: &'static str,
    /// One line: its meaning, unit and default.
    pub about: &'static str,
}

/// Why a layer's settings were refused; every variant names the setting and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SettingError(pub String);

/// Settings of one layer, by key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings(BTreeMap<String, String>);

impl Settings {
    /// Reads `key=value,key=value`; a comma inside a value is written `\,`. A first word without
    /// `=` is the name.
    pub fn parse(text: &str) -> Result<Settings, SettingError> {
        let mut settings = Settings::default();
        for (index, part) in split_at_commas(text).into_iter().enumerate() {
            let (key, value) = match part.split_once('=') {
                Some((key, value)) => (key.trim(), value.trim()),
                None if index == 0 => ("name", part.trim()),
                None => return Err(SettingError(format!("'{part}' is not key=value"))),
            };
            if key.is_empty() || value.is_empty() {
                return Err(SettingError(format!("'{part}' lacks a key or a value")));
            }
            settings.set(key, value)?;
        }
        Ok(settings)
    }

    /// Adds a setting; a second value for one key is an error.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SettingError> {
        match self.0.insert(key.to_owned(), value.to_owned()) {
            Some(first) => {
                Err(SettingError(format!("{key} is set twice: '{first}' and '{value}'")))
            }
            None => Ok(()),
        }
    }

    /// Gives a setting this value, whatever it was.
    pub fn replace(&mut self, key: &str, value: &str) {
        self.0.insert(key.to_owned(), value.to_owned());
    }

    /// Adds a setting unless it is there.
    pub fn default_to(&mut self, key: &str, value: &str) {
        self.0.entry(key.to_owned()).or_insert_with(|| value.to_owned());
    }

    /// A setting as text.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// All settings, sorted by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// A whole number from `low` to `high`, or `default`.
    pub fn number(
        &self,
        key: &str,
        default: u64,
        low: u64,
        high: u64,
    ) -> Result<u64, SettingError> {
        let Some(text) = self.get(key) else { return Ok(default) };
        match text.parse() {
            Ok(value) if (low..=high).contains(&value) => Ok(value),
            _ => Err(SettingError(format!(
                "{key}={text} is not a whole number from {low} to {high}"
            ))),
        }
    }

    /// A size in MiB, written `512M`, `1G` or a number of MiB.
    pub fn mebibytes(&self, key: &str, default: u64) -> Result<u64, SettingError> {
        let Some(text) = self.get(key) else { return Ok(default) };
        let (digits, factor) = match text.to_ascii_uppercase().strip_suffix('G') {
            Some(digits) => (digits.to_owned(), 1024),
            None => (text.trim_end_matches(['m', 'M']).to_owned(), 1),
        };
        match digits.parse::<u64>().ok().and_then(|n| n.checked_mul(factor)) {
            Some(size) if (32..=1 << 20).contains(&size) => Ok(size),
            _ => Err(SettingError(format!(
                "{key}={text} is not a size such as 512M or 1G, at least 32M"
            ))),
        }
    }

    /// The words of a setting that holds extra arguments.
    pub fn words(&self, key: &str) -> Vec<String> {
        self.get(key).unwrap_or_default().split_whitespace().map(str::to_owned).collect()
    }

    /// One of the `known` words, if it is set.
    pub fn one_of(&self, key: &str, known: &[&str]) -> Result<Option<&str>, SettingError> {
        match self.get(key) {
            Some(value) if !known.contains(&value) => {
                Err(SettingError(format!("{key}={value}; {}", suggestion(value, known))))
            }
            value => Ok(value),
        }
    }

    /// Refuses keys that are not in `known`, naming near misses.
    pub fn only(&self, known: &[&str]) -> Result<(), SettingError> {
        match self.0.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => {
                Err(SettingError(format!("no setting '{key}'; {}", suggestion(key, known))))
            }
        }
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self
            .iter()
            .map(|(key, value)| format!("{key}={}", value.replace(',', "\\,")))
            .collect();
        f.write_str(&parts.join(","))
    }
}

/// "did you mean ...?" with the names nearest to `word`, or the whole list when none is near.
pub fn suggestion(word: &str, known: &[&str]) -> String {
    let mut near: Vec<(f64, &str)> =
        known.iter().map(|name| (strsim::jaro_winkler(word, name), *name)).collect();
    near.retain(|(score, _)| *score > 0.75);
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.truncate(3);
    if near.is_empty() {
        return format!("there are: {}", known.join(", "));
    }
    let names: Vec<&str> = near.into_iter().map(|(_, name)| name).collect();
    format!("did you mean {}?", names.join(" or "))
}

/// The parts of a list; a comma inside of one is written `\,`.
pub fn split_at_commas(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&',') => {
                parts.last_mut().expect("never empty").extend(chars.next())
            }
            ',' => parts.push(String::new()),
            _ => parts.last_mut().expect("never empty").push(c),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        Settings::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn the_first_word_is_the_name() {
        let settings = Settings::parse("qemu, memory=1G").unwrap();
        assert_eq!(settings.get("name"), Some("qemu"));
        assert_eq!(settings.mebibytes("memory", 512).unwrap(), 1024);
        assert_eq!(refusal("accel=tcg,qemu"), "'qemu' is not key=value");
        assert_eq!(refusal("qemu,memory="), "'memory=' lacks a key or a value");
        assert_eq!(refusal("qemu,cpu=a,cpu=b"), "cpu is set twice: 'a' and 'b'");
        assert!(Settings::parse("").is_err());
    }

    #[test]
    fn a_comma_in_a_value_survives_the_round_trip() {
        let settings = Settings::parse(r"qemu,cpu=max\,-la57,args=-a -b").unwrap();
        assert_eq!(settings.get("cpu"), Some("max,-la57"));
        assert_eq!(settings.words("args"), ["-a", "-b"]);
        assert_eq!(Settings::parse(&settings.to_string()).unwrap(), settings);
    }

    #[test]
    fn numbers_and_sizes_name_their_range() {
        let settings = Settings::parse("x,vcpus=0,memory=31M,big=999999999G").unwrap();
        let refused = settings.number("vcpus", 1, 1, 64).unwrap_err().to_string();
        assert_eq!(refused, "vcpus=0 is not a whole number from 1 to 64");
        assert!(settings.mebibytes("memory", 1).is_err());
        assert!(settings.mebibytes("big", 1).is_err());
        assert_eq!(settings.mebibytes("other", 7).unwrap(), 7);
    }

    #[test]
    fn near_misses_are_named() {
        let known = ["memory", "vcpus", "kernel"];
        assert_eq!(suggestion("memroy", &known), "did you mean memory?");
        assert_eq!(suggestion("zzz", &known), "there are: memory, vcpus, kernel");
        let unknown = Settings::parse("qemu,memroy=1G").unwrap().only(&["name", "memory"]);
        assert_eq!(unknown.unwrap_err().to_string(), "no setting 'memroy'; did you mean memory?");
    }
}
