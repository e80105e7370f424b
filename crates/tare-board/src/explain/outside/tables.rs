//! What was seen, as tables.

use super::calls::CallTime;
use super::causes::{Known, REMAINDER};
use super::seen::One;
use super::{Outside, Stretch, processor};
use crate::explain::{Table, TableLine};
use std::collections::BTreeMap;
use tare_proto::outside::{ANY, IN_KERNEL, Seen};

/// Most names of system calls, the most frequent ones.
const MOST_CALLS: usize = 8;

/// Most places of code.
const MOST_PLACES: usize = 10;

/// How well causes are known, with the words of a group's line.
const GROUPS: [(Known, &str); 3] = [
    (Known::Priced, "with a price"),
    (Known::Placed, "with a place alone"),
    (Known::Unexplained, "not explained"),
];

/// What is counted, with the words of its line.
const COUNTED: [(Seen, &str); 7] = [
    (Seen::Calls, "system calls of the host"),
    (Seen::Switches, "switches away from its threads"),
    (Seen::Signals, "signals"),
    (Seen::Faults, "page faults in user mode"),
    (Seen::Wakeups, "wake-ups"),
    (Seen::Exits, "exits of a virtual machine"),
    (Seen::Events, "other events"),
];

pub(super) fn tables(baseline: &One, layer: &One, told: &Outside) -> Vec<Table> {
    let mut lines = Vec::new();
    for (seen, words) in COUNTED {
        let (own, native) = (layer.kinds(seen), baseline.kinds(seen));
        if own.is_empty() && native.is_empty() {
            continue;
        }
        if seen != Seen::Events {
            lines.push(TableLine::new(words, (baseline.all(seen), layer.all(seen))));
        }
        lines.extend(kinds(&own, &native));
    }
    let counts = Table::new(&format!("Seen by the host, per {}", told.per), lines);
    let line = |Stretch { whose, state, baseline, layer }: &Stretch| {
        TableLine::new(&format!("{whose}: {state}"), (*baseline, *layer))
    };
    let mut lines: Vec<TableLine> = told.times.iter().map(line).collect();
    let sum = |of: fn(&Stretch) -> f64| told.times.iter().map(of).sum::<f64>();
    let sums = (sum(|one| one.baseline), sum(|one| one.layer));
    lines.push(TableLine::new("sum, scaled", sums));
    if let Some(value) = told.measured_ns {
        let what = match told.run_of {
            Some(_) => "a run",
            None if told.by_mean => "an operation",
            None if told.is_whole => "the whole operation",
            None => "the row's value",
        };
        lines.push(TableLine::new(what, value));
    }
    if told.summed_ns.1 > 0.0 && !told.by_mean {
        lines.push(TableLine::new("in the watched boots: sum", told.summed_ns));
        lines.push(TableLine::new("in the watched boots: while nobody watched", told.unwatched_ns));
    }
    let largest = lines.iter().map(|line| line.baseline.max(line.layer)).fold(0.0, f64::max);
    let times = Table::new("Where the time goes", lines).of_times(largest, told.per);
    let mut tables = vec![counts];
    tables.extend((!told.times.is_empty()).then_some(times));
    tables.push(within(told));
    tables.push(processor::table(&told.processor, told.per));
    tables.push(found(baseline, layer, Seen::Found, "Code"));
    tables.push(found(baseline, layer, Seen::Functions, "Functions of programs"));
    if !told.causes.is_empty() {
        tables.push(prices(told));
    }
    tables.retain(|table| !table.lines.is_empty());
    tables
}

/// The kinds of one thing, the layer's most frequent ones first.
fn kinds(own: &BTreeMap<&str, f64>, native: &BTreeMap<&str, f64>) -> Vec<TableLine> {
    let mut names: Vec<&str> =
        own.keys().chain(native.keys()).copied().filter(|n| *n != ANY).collect();
    names.sort_unstable();
    names.dedup();
    let of = |side: &BTreeMap<&str, f64>, name: &str| side.get(name).copied().unwrap_or(0.0);
    let most = |name: &&str| of(own, name).max(of(native, name));
    names.sort_by(|a, b| most(b).total_cmp(&most(a)));
    names.truncate(MOST_CALLS);
    let words = |name: &str| name.replace('_', " ");
    names
        .into_iter()
        .map(|n| TableLine::new(&format!("· {}", words(n)), (of(native, n), of(own, n))))
        .collect()
}

/// Which code the clock found on the CPUs, of all parts together, the layer's most frequent one first.
fn found(baseline: &One, layer: &One, seen: Seen, what: &str) -> Table {
    let (own, native) = (layer.kinds(seen), baseline.kinds(seen));
    let share = |side: &BTreeMap<&str, f64>, name: &str| 100.0 * side.get(name).unwrap_or(&0.0);
    let mut names: Vec<&str> = own.keys().chain(native.keys()).copied().collect();
    names.sort_unstable();
    names.dedup();
    names.sort_by(|a, b| {
        let by = |side| share(side, b).total_cmp(&share(side, a));
        by(&own).then(by(&native))
    });
    let words = |name: &str| match name.strip_prefix(IN_KERNEL) {
        Some(function) => format!("host's kernel: {function}"),
        None => name.to_owned(),
    };
    let line = |name: &str| TableLine::new(&words(name), (share(&native, name), share(&own, name)));
    let lines = names.into_iter().take(MOST_PLACES).map(line).collect();
    Table::new(&format!("{what} on its CPUs, % of the clock's looks"), lines)
}

/// In which of the host's system calls the time goes.
fn within(told: &Outside) -> Table {
    let line = |one: &CallTime| {
        let how = if one.asleep { "asleep in " } else { "" };
        TableLine::new(&format!("{how}{}", one.call.replace('_', " ")), (one.baseline, one.layer))
    };
    let lines: Vec<TableLine> = told.within.iter().take(MOST_CALLS).map(line).collect();
    let largest = lines.iter().map(|line| line.baseline.max(line.layer)).fold(0.0, f64::max);
    Table::new("Within system calls of the host", lines).of_times(largest, told.per)
}

/// What the difference is made of, in the column of the dearer one.
fn prices(told: &Outside) -> Table {
    let (native, own) = told.measured_ns.unwrap_or_default();
    let of_dearer = |ns: f64| if own > native { (0.0, ns) } else { (ns, 0.0) };
    let line = |cause: &super::CostPart| {
        let name = match (cause.count, cause.price_ns) {
            (Some(count), Some(price)) => {
                format!("· {} ({} × {} ns)", cause.name, short(count), short(price))
            }
            (Some(count), None) => format!("· {} ({}, no price)", cause.name, short(count)),
            _ => format!("· {}", cause.name),
        };
        TableLine::new(&name, of_dearer(cause.ns))
    };
    let mut lines = Vec::new();
    for (known, words) in GROUPS {
        let group: Vec<_> = told.causes.iter().filter(|cause| cause.known == known).collect();
        let sum = group.iter().map(|cause| cause.ns).sum::<f64>();
        if group.is_empty() {
            continue;
        }
        lines.push(TableLine::new(words, of_dearer(sum)));
        // The remainder alone would repeat its group.
        let told = group.iter().filter(|cause| cause.name != REMAINDER);
        lines.extend(told.map(|cause| line(cause)));
    }
    let title = if own > native { "What is added" } else { "What is saved" };
    Table::new(title, lines).with_shares(own - native).of_times(own.max(native), told.per)
}

impl Table {
    /// Tells its nanoseconds in the unit that suits the `largest`, and what they are of.
    pub(in crate::explain) fn of_times(mut self, largest: f64, per: &str) -> Table {
        let (ns, name) = unit(largest);
        for line in &mut self.lines {
            line.baseline /= ns;
            line.layer /= ns;
        }
        self.title = format!("{}, {name} per {per}", self.title);
        self
    }
}

/// The nanoseconds of the unit in which a time has two to five digits before its point, and its name.
fn unit(ns: f64) -> (f64, &'static str) {
    match ns {
        ns if ns < 1e5 => (1.0, "ns"),
        ns if ns < 1e7 => (1e3, "µs"),
        _ => (1e6, "ms"),
    }
}

/// Three digits.
pub(super) fn short(value: f64) -> String {
    match value.abs() {
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}
