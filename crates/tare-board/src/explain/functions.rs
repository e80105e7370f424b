//! Whose instructions they are, function by function, and through which functions more privileged code is entered.

use super::counted::Counted;
use super::{Stack, Table, TableLine};
use crate::format::digits;
use serde::Serialize;
use tare_proto::counter::{CALLED, ENTRY, FUNCTION, Place};
use tare_proto::outside::CALLS_INTO;

/// Instructions of an operation by who called what.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Executed {
    /// Shares of each side's instructions.
    pub stacks: Vec<Stack>,
    /// Instructions of an operation, on the baseline and on the layer.
    pub total: (f64, f64),
}

/// Most lines of a table; what is left is one line more.
const MOST: usize = 16;

/// The least part of the difference, or of the whole where there is none, that is worth a line.
const LEAST: f64 = 0.002;

/// What is not a function's name: the sum of many, and code without names.
const NOBODY: &str = "(";

/// Instructions of an operation by who called what; `None` where nobody followed the calls.
pub(super) fn executed(counted: &Counted) -> Option<Executed> {
    let names = counted.names(CALLED);
    let total = counted.sum(&names);
    let stack = |name: &&str| {
        let mut frames = name[CALLED.len()..].split(CALLS_INTO);
        let whose = frames.next()?;
        let place = Place::ALL.into_iter().find(|place| place.name() == whose)?;
        let (baseline, layer) = counted.both(name);
        let share = |part: f64, of: f64| if of > 0.0 { (part / of).max(0.0) } else { 0.0 };
        Some(Stack {
            whose: place.name(),
            frames: frames.map(|frame| frame.to_owned().into()).collect(),
            baseline: share(baseline, total.0),
            layer: share(layer, total.1),
        })
    };
    let stacks: Vec<Stack> = names.iter().filter_map(stack).collect();
    (!stacks.is_empty()).then_some(Executed { stacks, total })
}

/// Instructions of an operation by function, those first that differ most. `total` is of all of them.
pub(super) fn instructions(counted: &Counted, total: (f64, f64)) -> Option<Table> {
    let lines = lines(counted, FUNCTION, total)?;
    Some(Table::new("Instructions per operation, by function", lines).with_shares_of(total))
}

/// Entries of an operation by where they enter: a system call, a fault, an interrupt, a hypercall.
pub(super) fn entries(counted: &Counted) -> Option<Table> {
    let names = counted.names(ENTRY);
    let lines = lines(counted, ENTRY, counted.sum(names))?;
    Some(Table::new("Entries per operation, by what is entered", lines))
}

fn lines(counted: &Counted, prefix: &str, total: (f64, f64)) -> Option<Vec<TableLine>> {
    let names = counted.names(prefix);
    let line = |name: &&str| TableLine::new(&spoken(&name[prefix.len()..]), counted.both(name));
    let mut lines: Vec<TableLine> = names.iter().map(line).collect();
    let most = |line: &TableLine| line.baseline.abs().max(line.layer.abs());
    lines.sort_by(|a, b| {
        b.added().abs().total_cmp(&a.added().abs()).then(most(b).total_cmp(&most(a)))
    });
    let least = LEAST * (total.1 - total.0).abs().max(LEAST * total.0.abs());
    let shown = lines.iter().take(MOST).filter(|line| line.added().abs() >= least).count();
    // Where nothing differs, those that do most are still of interest.
    let rest = lines.split_off(shown.max(MOST.min(lines.len()).min(4)));
    let sum = |of: fn(&TableLine) -> f64| rest.iter().map(of).sum::<f64>();
    let others = TableLine::new(
        &others_named(rest.len()),
        (sum(|line| line.baseline), sum(|line| line.layer)),
    );
    lines.extend((!rest.is_empty()).then_some(others));
    (!lines.is_empty()).then_some(lines)
}

fn others_named(count: usize) -> String {
    if count == 1 { "1 other".into() } else { format!("{count} others") }
}

/// `kernel/do_syscall_64` as `kernel: do_syscall_64`.
fn spoken(name: &str) -> String {
    name.replacen('/', ": ", 1)
}

/// The function that differs most, if one does: `+2.0 in kernel: syscall_exit_to_user_mode`.
pub(super) fn most(table: &Table) -> Option<String> {
    let named = |line: &&TableLine| {
        let places = || Place::ALL.iter().map(|place| format!("{}: ", place.name()));
        places().any(|place| {
            line.name.raw().strip_prefix(&place).is_some_and(|name| !name.starts_with(NOBODY))
        })
    };
    let lines = table.lines.iter().filter(named);
    let most = lines.max_by(|a, b| a.added().abs().total_cmp(&b.added().abs()))?;
    let sign = if most.added() < 0.0 { "−" } else { "+" };
    (most.added().abs() >= 0.01).then(|| {
        format!(
            "The function that differs most: {}, {sign}{}.",
            most.name.raw(),
            digits(most.added().abs())
        )
    })
}
