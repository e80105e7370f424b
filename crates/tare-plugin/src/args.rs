//! The arguments of the plugin: `out=FILE`, and whatever differs from the defaults.

use crate::place::Map;
use crate::shape::Shape;

#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The file that the result is written to.
    pub out: String,
    /// Whether caches and TLBs are modelled.
    pub model: bool,
    /// Whether a second kernel serves the measured one, and is a place of its own.
    pub domains: bool,
    /// Of the copy of a machine with two kernels: where the second one is ([`crate::domains::Domains::told`]).
    pub dom0: Option<u64>,
    pub map: Map,
    pub shape: Shape,
}

impl Config {
    /// Reads `key=value` arguments; `map` holds unless they say otherwise.
    pub fn parse(args: &[String], mut map: Map) -> Result<Config, String> {
        let mut out = None;
        let mut model = false;
        let mut domains = false;
        let mut dom0 = None;
        let mut shape = Shape::default();
        for arg in args {
            let (key, value) = arg.split_once('=').unwrap_or((arg, ""));
            let wrong = |wanted: &str| format!("{key}={value}: it takes {wanted}");
            match key {
                "out" => out = Some(value.to_owned()),
                "model" => model = switch(value).ok_or_else(|| wrong("on or off"))?,
                "domains" => {
                    domains = switch(value).ok_or_else(|| wrong("on or off"))?;
                }
                "dom0" => dom0 = Some(hex(value).ok_or_else(|| wrong("hexadecimal digits"))?),
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
        Ok(Config { out, model, domains, dom0, map, shape })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &str) -> Result<Config, String> {
        let args: Vec<String> = args.split_whitespace().map(String::from).collect();
        Config::parse(&args, Map::default())
    }

    #[test]
    fn arguments_change_the_defaults_and_no_more() {
        let config =
            parse("out=f probe=0x1000-2000 domains=on kernel=c0000000 l1d=48K:12").unwrap();
        assert_eq!((config.out.as_str(), config.model, config.domains), ("f", false, true));
        let map = Map { probe: (0x1000, 0x2000), kernel: 0xc000_0000, ..Map::default() };
        assert_eq!((config.map, config.shape.entries_and_ways("l1d")), (map, (768, 12)));
    }

    #[test]
    fn a_wrong_argument_is_named_with_what_it_takes() {
        let wrong = [
            ("model=on", "out=FILE is missing"),
            ("out= model=on", "out=FILE is missing"),
            ("out=f model=maybe", "model=maybe: it takes on or off"),
            ("out=f probe=2000-1000", "probe=2000-1000: it takes FROM-TO in hexadecimal"),
            ("out=f kernel=", "kernel=: it takes an address"),
            ("out=f colour=red", "there is no argument 'colour'"),
        ];
        for (args, why) in wrong {
            assert_eq!(parse(args).unwrap_err(), why, "{args}");
        }
    }
}
