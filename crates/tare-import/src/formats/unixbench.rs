//! UnixBench 5.1.3 and 6: every result of 1 and N parallel copies, and the indices, recomputed from the results.

use crate::index::{self, Printed};
use crate::lines::{column, first, must, number, numbered, trailing};
use crate::systems::{self, Beginning, without_digits};
use crate::{Fault, Format, Quantity, Sink};
use std::collections::HashMap;

pub const FORMAT: Format = Format {
    name: "unixbench",
    about: "UnixBench 5.1.3 and 6: results of 1 and N copies; indices recomputed from them",
    sniff: |head| head.contains("BYTE UNIX Benchmarks") || head.contains("System Benchmarks Index"),
    parse,
};

#[derive(Default)]
struct Section<'a> {
    copies: u64,
    results: Vec<(&'a str, f64)>,
    table: Vec<IndexRow<'a>>,
    in_table: bool,
    partial: bool,
}

fn parse(text: &str, sink: &mut Sink) -> Result<(), Fault> {
    systems::one_only(&beginnings(text))?;
    let mut section = Section { copies: 1, ..Section::default() };
    for (at, line) in numbered(text) {
        let plain = line.trim_ascii_start();
        if let Some(copies) =
            line.split_once(';').and_then(|(_, rest)| rest.strip_prefix(" running "))
        {
            section.end(sink);
            let copies = must(line, at, first(copies), "a number of copies")?;
            section = Section { copies: copies as u64, ..Section::default() };
        } else if plain.starts_with("System Benchmarks") && line.contains("Index Values") {
            section.in_table = true;
            section.partial = line.contains("Partial");
        } else if plain.starts_with("System Benchmarks Index Score") {
            score(&section, trailing(line).last().copied(), sink);
            section.in_table = false;
        } else if section.in_table && !line.trim_matches([' ', '=']).is_empty() {
            section.table.extend(table_row(line, at)?);
        } else if let Some((name, value, unit)) = result(line, at)? {
            section.results.push((name, value));
            let suite = suite(section.copies);
            sink.add(suite, name, unit, value);
        } else if !line.trim_matches([' ', '-', '=']).is_empty() {
            sink.unknown += 1;
        }
    }
    section.end(sink);
    Ok(())
}

/// Where each run's banner stands, with what it says of the system: a title above it, the lines that describe it, and
/// its number of CPUs.
fn beginnings(text: &str) -> Vec<Beginning> {
    let lines: Vec<&str> = text.lines().collect();
    let banners =
        (0..lines.len()).filter(|&at| lines[at].contains("BYTE UNIX Benchmarks (Version"));
    let banners: Vec<usize> = banners.collect();
    let ends = banners.iter().skip(1).copied().chain([lines.len()]);
    let one = |(&at, end): (&usize, usize)| {
        // A rule stands between a title and the banner.
        let top = at - usize::from(at > 0 && lines[at - 1].starts_with("==="));
        let title = systems::title(&lines, top + 1);
        // Above a repeat stands the end of the run before it.
        let title = title.filter(|(_, text)| {
            !text.starts_with("System Benchmarks Index Score") && !text.ends_with(" samples)")
        });
        let told = lines[at..end].iter().filter(|line| {
            ["System:", "OS:", "Machine:"].iter().any(|key| line.trim_start().starts_with(key))
        });
        let cpus = lines[at..end].iter().find_map(|line| line.split_once(" in system; running"));
        let mut system: Vec<String> = title.iter().map(|(_, text)| without_digits(text)).collect();
        system.extend(cpus.iter().map(|(cpus, _)| cpus.to_string()));
        system.extend(told.map(|line| line.trim().to_owned()));
        let line = title.map_or(top + 1, |(line, _)| line);
        Beginning { line, system: system.join(", ") }
    };
    banners.iter().zip(ends).map(one).collect()
}

/// 1 or n: machines differ in how many CPUs they have, and `n` is all of them.
fn suite(copies: u64) -> &'static str {
    if copies == 1 { "unixbench-1" } else { "unixbench-n" }
}

impl Section<'_> {
    fn end(&self, sink: &mut Sink) {
        if self.copies > 1 && !self.results.is_empty() {
            sink.note(format!("n is {} parallel copies", self.copies));
        }
    }
}

/// `Pipe Throughput    1406112.2 lps   (10.0 s, 7 samples)`.
fn result(line: &str, at: usize) -> Result<Option<(&str, f64, Quantity)>, Fault> {
    let Some((head, tail)) = line.rsplit_once('(') else { return Ok(None) };
    if !tail.contains(" sample") {
        return Ok(None);
    }
    let mut tokens = head.split_ascii_whitespace().rev();
    let (Some(word), Some(value)) = (tokens.next(), tokens.next()) else {
        return Err(Fault::at(at, 1, "a result needs a name, a value and a unit"));
    };
    let unit = match word {
        "lps" => Quantity::PER_SECOND,
        "lpm" => Quantity::PER_MINUTE,
        "KBps" => Quantity::KIB_S,
        "MWIPS" | "MFLOPS" => Quantity::MILLIONS,
        _ => {
            let why = format!("unknown unit '{}'", crate::lines::short(word));
            return Err(Fault::at(at, column(line, word), why));
        }
    };
    let name = head[..column_bytes(head, value)].trim();
    Ok(Some((name, must(line, at, value, "a result")?, unit)))
}

/// Where `token`, a part of `head`, begins.
fn column_bytes(head: &str, token: &str) -> usize {
    (token.as_ptr() as usize).saturating_sub(head.as_ptr() as usize).min(head.len())
}

/// A row of the table of indices, as printed.
struct IndexRow<'a> {
    name: &'a str,
    baseline: f64,
    result: f64,
    index: f64,
}

/// `Pipe Throughput    12440.0    1406112.2   1130.3`.
fn table_row(line: &str, at: usize) -> Result<Option<IndexRow<'_>>, Fault> {
    let mut numbers = [0.0; 3];
    let mut name = line.trim_ascii();
    for place in numbers.iter_mut().rev() {
        let cut = name.rfind(|c: char| c.is_ascii_whitespace());
        let (before, token) = cut.map_or(("", name), |cut| (&name[..cut], &name[cut + 1..]));
        let Some(value) = number(token) else {
            // A row without a result ends in dashes.
            if line.trim_ascii_end().ends_with("---") {
                return Ok(None);
            }
            return Err(Fault::at(at, 1, "an index row needs a baseline, a result and an index"));
        };
        (*place, name) = (value, before.trim_ascii_end());
    }
    let [baseline, result, index] = numbers;
    Ok(Some(IndexRow { name, baseline, result, index }))
}

/// The score from the results, and which printed figures do not follow from them.
fn score(section: &Section, printed: Option<f64>, sink: &mut Sink) {
    let suite = suite(section.copies);
    let own: HashMap<&str, f64> = section.results.iter().copied().collect();
    let mut rows = Vec::new();
    for row in &section.table {
        let name = row.name;
        let result = own.get(name).copied().unwrap_or(row.result);
        let computed = index::index(result, row.baseline);
        if !(computed > 0.0 && computed.is_finite()) {
            return sink
                .note(format!("{suite}: no index, the result of {name} is not a number above 0"));
        }
        if index::printed(row.index, result, row.baseline) == Printed::Differs {
            let index = row.index;
            sink.note(format!(
                "{suite}: {name}: printed index {index}, its result gives {computed:.1}"
            ));
        }
        rows.push((result, row.baseline));
    }
    if rows.is_empty() {
        return;
    }
    let score = index::score(&rows);
    if let Some(printed) = printed.filter(|printed| !score.is(*printed)) {
        let value = score.value;
        sink.note(format!("{suite}: printed score {printed}, its results give {value:.1}"));
    }
    let name = if section.partial { "partial_score" } else { "score" };
    sink.add(&format!("{suite}-index"), name, Quantity::INDEX, score.value);
}
