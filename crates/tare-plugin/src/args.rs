//! The arguments of the plugin: `out=FILE`, and whatever differs from the defaults.

use crate::place::Map;
use crate::shape::Shape;

/// The arguments, read and checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The file that the result is written to.
    pub out: String,
    /// Whether caches and TLBs are modelled.
    pub model: bool,
    /// Whether a second kernel serves the measured one, and is a place of its own.
    pub domains: bool,
    /// Which addresses are whose.
    pub map: Map,
    /// The caches and TLBs.
    pub shape: Shape,
}

impl Config {
    /// Reads `key=value` arguments; `map` holds unless they say otherwise.
    pub fn parse(args: &[String], mut map: Map) -> Result<Config, String> {
        let mut out = None;
        let (mut model, mut domains, mut shape) = (false, false, Shape::default());
        for arg in args {
            let (key, value) = arg.split_once('=').unwrap_or((arg, ""));
            let wrong = |wanted: &str| format!("{key}={value}: it takes {wanted}");
            match key {
                "out" => out = Some(value.to_owned()),
                "model" => model = switch(value).ok_or_else(|| wrong("on or off"))?,
                "domains" => {
                    domains = switch(value).ok_or_else(|| wrong("on or off"))?;
                }
                "probe" => {
                    map.probe = range(value).ok_or_else(|| wrong("FROM-TO in hexadecimal"))?
                }
                "hypervisor" => {
                    map.hypervisor = range(value).ok_or_else(|| wrong("FROM-TO in hexadecimal"))?;
                }
                "kernel" => map.kernel = hex(value).ok_or_else(|| wrong("an address"))?,
                _ => shape.set(key, value)?,
            }
        }
        let out = out.filter(|out| !out.is_empty()).ok_or("out=FILE is missing")?;
        Ok(Config { out, model, domains, map, shape })
    }
}

fn switch(value: &str) -> Option<bool> {
    match value {
        "on" | "true" => Some(true),
        "off" | "false" => Some(false),
        _ => None,
    }
}

fn hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).ok()
}

fn range(text: &str) -> Option<(u64, u64)> {
    let (from, to) = text.split_once('-')?;
    Some((hex(from)?, hex(to)?)).filter(|(from, to)| from < to)
}
