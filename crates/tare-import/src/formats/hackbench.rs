//! hackbench (rt-tests and older): the time of a run.

use crate::lines::{after, clock, column, numbered};
use crate::{Fault, Format, Quantity, Sink};

pub const FORMAT: Format = Format {
    name: "hackbench",
    about: "hackbench: the time of each run, by kind and number of tasks",
    sniff: |head| {
        head.lines().any(|line| line.starts_with("Time: "))
            && (head.contains("Running in ") || head.contains("Running with "))
            && head.contains("tasks")
    },
    parse,
};

fn parse(text: &str, sink: &mut Sink) -> Result<(), Fault> {
    let mut kind = String::new();
    let mut tasks = String::new();
    for (at, line) in numbered(text) {
        if line.starts_with("Running ") {
            kind = ["process", "thread"]
                .into_iter()
                .find(|k| line.contains(k))
                .unwrap_or("process")
                .into();
            let count = line.split_once("(== ").and_then(|(_, rest)| rest.split_once(' '));
            tasks = count.map_or_else(String::new, |(count, _)| format!("_{count}_tasks"));
        } else if let Some(value) = after(line, "Time:") {
            let seconds = clock(value).ok_or_else(|| {
                Fault::at(at, column(line, value), "'Time:' should be followed by seconds")
            })?;
            sink.add("hackbench", &format!("{kind}{tasks}"), Quantity::SECONDS, seconds);
        } else if !line.trim().is_empty() && !line.starts_with("Each sender") {
            sink.unknown += 1;
        }
    }
    Ok(())
}
