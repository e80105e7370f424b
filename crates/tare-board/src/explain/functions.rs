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

/// The least part of the difference that is worth a line.
const LEAST: f64 = 0.002;

/// Lines that are told in any case: where nothing differs, those that differ most are still of interest.
const FEWEST: usize = 4;

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
    let least = LEAST * (total.1 - total.0).abs();
    let shown = lines.iter().take(MOST).filter(|line| line.added().abs() >= least).count();
    let rest = lines.split_off(shown.max(FEWEST).min(lines.len()));
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

/// The function that differs most, among those in which every boot of one side executes more than every boot of the other one: what ticks of
/// the clock happen to execute differs from boot to boot.
pub(super) fn most(counted: &Counted) -> Option<String> {
    let added = |name: &str| {
        let (baseline, layer) = counted.both(name);
        layer - baseline
    };
    let is_named = |name: &&str| name.rsplit('/').next().is_some_and(|it| !it.starts_with(NOBODY));
    let names = counted.names(FUNCTION).into_iter().filter(is_named);
    let apart = names.filter(|name| counted.is_apart(name));
    let most = apart.max_by(|a, b| added(a).abs().total_cmp(&added(b).abs()))?;
    let sign = if added(most) < 0.0 { "−" } else { "+" };
    let [name, amount] = [spoken(&most[FUNCTION.len()..]), digits(added(most).abs())];
    (added(most).abs() >= 0.01)
        .then(|| format!("The function that differs most: {name}, {sign}{amount}."))
}
