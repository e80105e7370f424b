//! STREAM: the best rate of each of its four loops.

use crate::lines::{must, numbered};
use crate::systems::{self, Beginning, without_digits};
use crate::{Fault, Format, Quantity, Sink};

pub const FORMAT: Format = Format {
    name: "stream",
    about: "STREAM: best rates of Copy, Scale, Add and Triad",
    sniff: |head| head.contains("Triad:") && head.contains("Copy:"),
    parse,
};

/// Its four loops.
const ROWS: [&str; 4] = ["Copy:", "Scale:", "Add:", "Triad:"];

fn parse(text: &str, sink: &mut Sink) -> Result<(), Fault> {
    systems::one_only(&beginnings(text))?;
    for (at, line) in numbered(text) {
        let row =
            ROWS.into_iter().find_map(|name| Some((name, line.trim_start().strip_prefix(name)?)));
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

/// Where each run's table stands, with what tells the systems apart: a title above it, and the number of threads.
fn beginnings(text: &str) -> Vec<Beginning> {
    let lines: Vec<&str> = text.lines().collect();
    let heads = (0..lines.len()).filter(|&at| lines[at].trim_start().starts_with("Function "));
    let mut before = 0;
    let one = |at: usize| {
        let threads = lines[before..at].iter().find(|line| line.starts_with("Number of Threads"));
        before = at;
        let title = systems::title(&lines, at + 1);
        let title = title.filter(|(_, text)| !ROWS.iter().any(|row| text.starts_with(row)));
        let words = title.map(|(_, text)| without_digits(text));
        let system: Vec<String> =
            words.into_iter().chain(threads.map(|line| line.trim().to_owned())).collect();
        let line = title.map_or(at + 1, |(line, _)| line);
        Beginning { line, system: system.join(", ") }
    };
    heads.map(one).collect()
}
