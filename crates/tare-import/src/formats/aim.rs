//! AIM7's and reAIM's load tables: jobs per minute at every load, with times where they are printed.

use crate::lines::{must, number, numbered, tokens};
use crate::{Fault, Format, Quantity, Sink};

pub const FORMAT: Format = Format {
    name: "aim",
    about: "AIM7 (multitask) and reAIM: jobs per minute, real and CPU time at every load",
    sniff: |head| head.lines().any(|line| aim7(line) || reaim(line)),
    parse,
};

fn aim7(line: &str) -> bool {
    line.contains("jobs/min") && line.contains("jti")
}

fn reaim(line: &str) -> bool {
    line.contains("Jobs/min/") || (line.contains("Forked") && line.contains("Std_dev"))
}

/// The columns of a table: figure, unit and place from 1, after the load.
type Columns = &'static [(&'static str, &'static str, Quantity, usize)];

const AIM7: Columns = &[
    ("aim", "jobs", Quantity::PER_MINUTE, 1),
    ("aim-time", "real", Quantity::SECONDS, 4),
    ("aim-time", "cpu", Quantity::SECONDS, 5),
];

const REAIM: Columns = &[
    ("aim-time", "real", Quantity::SECONDS, 1),
    ("aim-time", "child_sys", Quantity::SECONDS, 2),
    ("aim-time", "child_user", Quantity::SECONDS, 3),
    ("aim", "jobs", Quantity::PER_MINUTE, 4),
];

fn parse(text: &str, sink: &mut Sink) -> Result<(), Fault> {
    let mut columns: Option<Columns> = None;
    for (at, line) in numbered(text) {
        let tokens = tokens(line);
        if aim7(line) {
            columns = Some(AIM7);
        } else if reaim(line) {
            columns = Some(REAIM);
        } else if let Some(columns) =
            columns.filter(|_| tokens.first().is_some_and(|t| number(t).is_some()))
        {
            for (suite, name, unit, place) in columns {
                let token = tokens.get(*place).copied().ok_or_else(|| {
                    Fault::at(at, line.chars().count() + 1, "the row ends before its last column")
                })?;
                let name = format!("load_{}_{name}", tokens[0]);
                sink.add_unless_zero(suite, &name, *unit, must(line, at, token, "a number")?);
            }
        } else if !tokens.is_empty() {
            sink.unknown += 1;
        }
    }
    Ok(())
}
