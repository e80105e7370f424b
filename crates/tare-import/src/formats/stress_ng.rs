//! stress-ng's metrics, as --yaml writes them and as --metrics prints them: bogo operations per second of real time.

use crate::lines::{must, number, numbered};
use crate::{Fault, Format, Quantity, Sink};

pub const FORMAT: Format = Format {
    name: "stress-ng",
    about: "stress-ng --yaml and --metrics: bogo operations per second of real time",
    sniff: |head| head.contains("stress-ng"),
    parse,
};

fn parse(text: &str, sink: &mut Sink) -> Result<(), Fault> {
    let mut stressor = None;
    for (at, line) in numbered(text) {
        let plain = line.trim().trim_start_matches("- ");
        if let Some(name) = plain.strip_prefix("stressor: ") {
            stressor = Some(name.trim());
        } else if let Some(value) = plain.strip_prefix("bogo-ops-per-second-real-time: ") {
            let name = stressor.ok_or_else(|| Fault::at(at, 1, "a rate without its stressor"))?;
            let rate = must(line, at, value.trim(), "a rate")?;
            sink.add_unless_zero("stress-ng", name, Quantity::PER_SECOND, rate);
        } else if let Some((name, rate)) = printed(line) {
            sink.add_unless_zero("stress-ng", name, Quantity::PER_SECOND, rate);
        } else if !plain.contains(':') && !["", "---", "..."].contains(&plain) {
            sink.unknown += 1;
        }
    }
    Ok(())
}

/// `stress-ng: metrc: [123] cpu 365 1.00 0.20 0.00 364.76 1866.34 …`: name, operations, three times, the rate.
fn printed(line: &str) -> Option<(&str, f64)> {
    let (tag, rest) = line.split_once("] ")?;
    if !tag.starts_with("stress-ng: metrc") && !tag.starts_with("stress-ng: info") {
        return None;
    }
    let mut tokens = rest.split_ascii_whitespace();
    let name = tokens.next()?;
    let numbers: Vec<f64> = tokens.map_while(number).collect();
    (numbers.len() >= 6).then(|| (name, numbers[4]))
}
