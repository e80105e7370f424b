//! STREAM: the best rate of each of its four loops.

use crate::lines::{must, numbered};
use crate::{Fault, Format, Quantity, Sink};

/// The table's row.
pub const FORMAT: Format = Format {
    name: "stream",
    about: "STREAM: best rates of Copy, Scale, Add and Triad",
    sniff: |head| head.contains("Triad:") && head.contains("Copy:"),
    parse,
};

fn parse(text: &str, sink: &mut Sink) -> Result<(), Fault> {
    for (at, line) in numbered(text) {
        let row = ["Copy:", "Scale:", "Add:", "Triad:"]
            .into_iter()
            .find_map(|name| Some((name, line.trim_start().strip_prefix(name)?)));
        match row {
            Some((name, rest)) => {
                let token = rest.split_ascii_whitespace().next().unwrap_or(rest);
                let rate = must(line, at, token, "a rate in MB/s")?;
                sink.add("stream", name.trim_end_matches(':'), Quantity::MB_S, rate);
            }
            None if line.trim_matches([' ', '-']).is_empty() || line.starts_with("Function") => {}
            None => sink.unknown += 1,
        }
    }
    Ok(())
}
