//! One knob with its values, as `--sweep` and `[[sweep]]` say it.

use anyhow::{Result, anyhow};
use serde::Deserialize;
use std::str::FromStr;
use tare_layers::{is_pattern, kernels, split_at_commas};

/// The setting whose values are versions.
const KERNEL: &str = ".kernel";

/// Most values of one knob.
const MOST: usize = 64;

/// `KNOB=V1,V2,...`; a comma inside a value is written `\,`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SweepArg {
    /// `LAYER.SETTING`, `LAYER.SETTING.WORD`, `load` or `FAMILY.size`.
    pub knob: String,
    /// Two values or more; the others are compared with the first.
    pub values: Vec<String>,
}

impl SweepArg {
    fn new(knob: &str, values: Vec<String>) -> Result<SweepArg, String> {
        let (knob, values): (_, Vec<String>) =
            (knob.trim().to_owned(), values.iter().map(|value| value.trim().to_owned()).collect());
        if knob.is_empty() || values.iter().any(String::is_empty) {
            return Err("a knob and its values: qemu.memory=256M,1G".into());
        }
        let pattern = knob.ends_with(KERNEL) && values.iter().any(|value| is_pattern(value));
        if (values.len() < 2 && !pattern) || values.len() > MOST {
            return Err(format!("{knob} needs 2 to {MOST} values to compare"));
        }
        let twice = values.iter().enumerate().find(|(at, value)| values[..*at].contains(value));
        match twice {
            Some((_, value)) => Err(format!("{knob} has the value {value} twice")),
            None => Ok(SweepArg { knob, values }),
        }
    }
}

impl SweepArg {
    /// With every kernel that a pattern stands for in its place.
    ///
    /// # Errors
    /// A pattern that no package fits, or only one.
    pub fn expanded(self) -> Result<SweepArg> {
        if !self.is_version() || !self.values.iter().any(|value| is_pattern(value)) {
            return Ok(self);
        }
        let mut values = Vec::new();
        for value in &self.values {
            match is_pattern(value) {
                true => values
                    .extend(kernels(value).map_err(|no| anyhow!("{}; {}", no.why, no.remedy))?),
                false => values.push(value.clone()),
            }
        }
        SweepArg::new(&self.knob, values).map_err(|why| anyhow!("--sweep {why}"))
    }

    /// Whether its values are versions of a kernel.
    pub fn is_version(&self) -> bool {
        self.knob.ends_with(KERNEL)
    }
}

impl FromStr for SweepArg {
    type Err = String;

    fn from_str(text: &str) -> Result<SweepArg, String> {
        let (knob, values) = text.split_once('=').unwrap_or((text, ""));
        SweepArg::new(knob, split_at_commas(values))
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepTable {
    knob: String,
    values: Vec<toml::Value>,
}

impl SweepTable {
    /// The table as the flag would be.
    pub fn read(&self) -> Result<SweepArg, String> {
        let text = |value: &toml::Value| match value {
            toml::Value::String(text) => Ok(text.clone()),
            toml::Value::Integer(number) => Ok(number.to_string()),
            toml::Value::Float(number) => Ok(number.to_string()),
            toml::Value::Boolean(truth) => Ok(truth.to_string()),
            other => Err(format!("values must be texts or numbers, not {}", other.type_str())),
        };
        SweepArg::new(&self.knob, self.values.iter().map(text).collect::<Result<_, _>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_knob_has_two_values_or_more() {
        let read = |text: &str| text.parse::<SweepArg>();
        let knob = read(r"qemu.cpu=host, max\,-la57").unwrap();
        assert_eq!(
            (knob.knob.as_str(), knob.values),
            ("qemu.cpu", vec!["host".into(), "max,-la57".into()])
        );
        for wrong in ["qemu.memory", "qemu.memory=", "qemu.memory=1G", "=1,2", "a=1,,2", "a=1,2,1"]
        {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert_eq!(read("a=1,2,1").unwrap_err(), "a has the value 1 twice");
    }

    #[test]
    fn a_table_says_the_same() {
        let table: SweepTable = toml::from_str("knob = \"load\"\nvalues = [1, \"4\"]").unwrap();
        assert_eq!(table.read(), "load=1,4".parse());
        let table: SweepTable = toml::from_str("knob = \"load\"\nvalues = [[1], 2]").unwrap();
        assert!(table.read().unwrap_err().contains("not array"));
    }
}
