//! The units that programs print numbers in.

use anyhow::{Result, bail};
use tare_layers::suggestion;
use tare_proto::{Better, Unit};

pub const PLAIN: &str = "number";

/// Every unit: what people write, what it is, and how many of it one is.
const UNITS: &[(&str, Unit, f64)] = &[
    (PLAIN, Unit::Number, 1.0),
    ("s", Unit::Nanoseconds, 1e9),
    ("ms", Unit::Nanoseconds, 1e6),
    ("us", Unit::Nanoseconds, 1e3),
    ("ns", Unit::Nanoseconds, 1.0),
    ("B", Unit::Bytes, 1.0),
    ("kB", Unit::Bytes, 1e3),
    ("MB", Unit::Bytes, 1e6),
    ("GB", Unit::Bytes, 1e9),
    ("KiB", Unit::Bytes, 1024.0),
    ("MiB", Unit::Bytes, 1_048_576.0),
    ("GiB", Unit::Bytes, 1_073_741_824.0),
    ("1/s", Unit::PerSecond, 1.0),
    ("1/min", Unit::PerMinute, 1.0),
    ("B/s", Unit::BytesPerSecond, 1.0),
    ("kB/s", Unit::BytesPerSecond, 1e3),
    ("MB/s", Unit::BytesPerSecond, 1e6),
    ("GB/s", Unit::BytesPerSecond, 1e9),
    ("KiB/s", Unit::BytesPerSecond, 1024.0),
    ("MiB/s", Unit::BytesPerSecond, 1_048_576.0),
    ("GiB/s", Unit::BytesPerSecond, 1_073_741_824.0),
];

/// The unit that `text` is, and how many of it one of `text` is.
pub fn read(text: &str) -> Result<(Unit, f64)> {
    if let Some((_, unit, factor)) = UNITS.iter().find(|(name, ..)| *name == text) {
        return Ok((*unit, *factor));
    }
    let names: Vec<&str> = UNITS.iter().map(|(name, ..)| *name).collect();
    bail!("no unit '{text}'; {}", suggestion(text, &names));
}

/// The good end of a unit, where it has one by itself.
pub fn usual_end(unit: Unit) -> Option<Better> {
    match unit {
        Unit::Nanoseconds | Unit::Bytes => Some(Better::Lower),
        Unit::PerSecond | Unit::PerMinute | Unit::BytesPerSecond => Some(Better::Higher),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_those_that_tools_print() {
        assert_eq!(read("ms").unwrap(), (Unit::Nanoseconds, 1e6));
        assert_eq!(read("MiB/s").unwrap(), (Unit::BytesPerSecond, 1_048_576.0));
        assert!(read("Mib/s").unwrap_err().to_string().contains("MiB/s"));
        assert_eq!(usual_end(Unit::PerSecond), Some(Better::Higher));
        assert_eq!(usual_end(Unit::Number), None);
    }
}
