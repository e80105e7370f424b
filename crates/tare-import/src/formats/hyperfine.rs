//! hyperfine's JSON: every run of every command.

use crate::json::{at, documents, list, text};
use crate::{Fault, Format, Quantity, Sink};

pub const FORMAT: Format = Format {
    name: "hyperfine",
    about: "hyperfine --export-json: every run of every command is a sample",
    sniff: |head| {
        head.contains("\"results\"") && head.contains("\"command\"") && head.contains("\"mean\"")
    },
    parse,
};

fn parse(input: &str, sink: &mut Sink) -> Result<(), Fault> {
    for document in documents(input, sink)? {
        for result in list(&document, "results") {
            let command = text(result, "command");
            let times: Vec<f64> = list(result, "times").iter().filter_map(|t| t.as_f64()).collect();
            let times =
                if times.is_empty() { at(result, &["mean"]).into_iter().collect() } else { times };
            for seconds in times {
                sink.add("hyperfine", command, Quantity::SECONDS, seconds);
            }
        }
    }
    Ok(())
}
