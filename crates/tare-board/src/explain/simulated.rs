//! A simulated machine's ratio: path length by place, crossings, and what a model of caches and TLBs adds.

use super::counted::Counted;
use super::cycles::{self, PLACES, everywhere};
use super::{Parts, Table, TableLine, functions};
use crate::board::Pair;
use crate::format::digits;
use tare_proto::counter::{HYPERCALL, MODEL, VM_EXITS};

/// What the places are to a reader of the table.
const PLACE_NAMES: [&str; 5] = [
    "probe",
    "other user code",
    "kernel",
    "kernel of dom0, which serves it",
    "hypervisor (VMM, or a guest's host)",
];

/// Crossings that are counted by place, and what they are.
const CROSSINGS: &[(&str, &[&str], &str)] = &[
    ("syscalls", &["probe", "user"], "system calls"),
    ("page_faults", &["kernel", "dom0", "hypervisor"], "page faults"),
    ("other_entries", &["kernel", "dom0"], "interrupts and other traps into the kernel"),
    ("other_entries", &["hypervisor"], "interrupts and other traps into the hypervisor"),
    ("vmcalls", &["kernel", "user"], "vmcall, vmmcall"),
    ("cr3_writes", &["kernel", "dom0", "hypervisor"], "switches of address space (CR3)"),
    ("invlpg", &["kernel", "dom0", "hypervisor"], "single translations dropped (invlpg)"),
    ("msr", &["kernel", "dom0", "hypervisor"], "MSRs read or written"),
    ("port_io", &["probe", "user", "kernel", "dom0", "hypervisor"], "port accesses"),
    ("halts", &["kernel", "dom0", "hypervisor"], "halts"),
];

/// What is modelled per thousand instructions, as report 001 has it.
const MISSES: &[(&[&str], &str)] = &[
    (&["l1i_misses"], "L1 instruction"),
    (&["l1d_misses"], "L1 data"),
    (&["l2_misses"], "L2"),
    (&["l3_misses"], "L3"),
    (&["itlb_misses"], "ITLB"),
    (&["dtlb_misses"], "DTLB"),
    (&["itlb_walks", "dtlb_walks"], "page walks"),
];

/// `sums` says that the pair is in instructions, which the places should sum to; `subtracted`, that a term measured apart
/// was taken from it.
pub(super) fn parts(counted: &Counted, pair: &Pair, sums: bool, subtracted: bool) -> Parts {
    let (places, total) = places(counted);
    let path = path(&places, total, sums.then_some(pair), subtracted);
    let crossings = crossings(counted);
    let mut notes = Vec::new();
    notes.extend((sums && subtracted).then(|| misses(total, pair)));
    let mut sentence = sentence(&path, total, &crossings);
    if let Some(most) = functions::most(counted) {
        sentence.push_str(&format!(" {most}"));
    }
    let mut tables = vec![path];
    tables.extend(functions::instructions(counted, total));
    tables.push(crossings);
    tables.extend(functions::entries(counted));
    if counted.names(MODEL).is_empty() {
        notes.push("Caches and TLBs were not modelled (--model).".into());
    } else {
        let cycles = (cycles::of(&counted.baseline, total.0), cycles::of(&counted.layer, total.1));
        let cpi = (cycles.0 / total.0, cycles.1 / total.1);
        sentence.push_str(&format!(
            " In the model, cycles per instruction × {:.2}, hence time × {:.2}.",
            cpi.1 / cpi.0,
            cycles.1 / cycles.0
        ));
        tables.push(model(counted, total, cpi));
        notes.push(format!(
            "Misses and cycles come from a model that is the same for all layers: {}.",
            cycles::describe()
        ));
    }
    Parts { sentence, tables, notes }
}

/// The tables of one layer beside nothing: each line's share is that of the whole.
pub(super) fn alone(counted: &Counted) -> Vec<Table> {
    let (places, total) = places(counted);
    let mut tables = vec![path(&places, total, None, false)];
    tables.extend(functions::instructions(counted, total));
    tables.push(crossings(counted));
    tables.extend(functions::entries(counted));
    tables
}

/// Instructions of an operation in each place, and in all of them.
fn places(counted: &Counted) -> ([(f64, f64); 5], (f64, f64)) {
    let places = PLACES.map(|place| counted.both(&format!("{place}/instructions")));
    (places, places.iter().fold((0.0, 0.0), |(a, b), (c, d)| (a + c, b + d)))
}

/// What to know of places that need not sum to the value.
fn misses(total: (f64, f64), pair: &Pair) -> String {
    let percent = |counted: f64, value: f64| 100.0 * (counted - value) / value;
    format!(
        "A separately measured term is subtracted from this row. Its instructions are also subtracted in each place, but as the \
         mean of its samples, whereas the value uses the row's estimator. The places therefore sum to the value within \
         {:+.1}% on the baseline and {:+.1}% on the layer, not within 0.1% as in other rows.",
        percent(total.0, pair.baseline),
        percent(total.1, pair.layer),
    )
}

fn path(
    places: &[(f64, f64); 5],
    total: (f64, f64),
    pair: Option<&Pair>,
    subtracted: bool,
) -> Table {
    let named = places.iter().zip(PLACE_NAMES);
    let mut lines: Vec<TableLine> = named.map(|(&both, name)| TableLine::new(name, both)).collect();
    lines.retain(TableLine::is_something);
    let whole = pair.map_or(total, |pair| (pair.baseline, pair.layer));
    if pair.is_some() {
        let rest = (whole.0 - total.0, whole.1 - total.1);
        let why = if subtracted {
            "not explained (a term is subtracted)"
        } else {
            "not explained (best samples, not the mean)"
        };
        lines.push(TableLine::new(why, rest));
    }
    let mut table = Table::new("Instructions per operation", lines);
    table.lines.push(TableLine::new("whole", whole));
    table.with_shares_of(whole)
}

fn crossings(counted: &Counted) -> Table {
    let of = |(kind, places, name): &(&str, &[&str], &str)| {
        let names: Vec<String> = places.iter().map(|place| format!("{place}/{kind}")).collect();
        TableLine::new(name, counted.sum(&names))
    };
    let hypercalls = counted.names(HYPERCALL).into_iter().map(|full| {
        let name = full.trim_start_matches(HYPERCALL).replace('_', " ");
        let name = if name == "other" { "with an unknown number".into() } else { name };
        TableLine::new(&format!("hypercall {name}"), counted.both(full))
    });
    let exits = TableLine::new("exits of the guest (SVM)", counted.both(VM_EXITS));
    let lines = CROSSINGS.iter().map(of).chain([exits]).chain(hypercalls);
    Table::new("Crossings per operation", lines.filter(TableLine::is_something).collect())
}

fn model(counted: &Counted, total: (f64, f64), cpi: (f64, f64)) -> Table {
    let of = |(kinds, name): &(&[&str], &str)| {
        let names: Vec<String> = kinds.iter().flat_map(|kind| everywhere(kind)).collect();
        let (a, b) = counted.sum(&names);
        TableLine::new(name, (1000.0 * a / total.0, 1000.0 * b / total.1))
    };
    let mut lines: Vec<TableLine> = MISSES.iter().map(of).collect();
    lines.push(TableLine::new("cycles per instruction", cpi));
    Table::new("Modelled: misses per 1,000 instructions", lines)
}

/// Where most of the difference is, and the crossing that was added most.
fn sentence(path: &Table, total: (f64, f64), crossings: &Table) -> String {
    let places = &path.lines[..path.lines.len() - 1];
    let share = |line: &TableLine| line.share.unwrap_or(0.0);
    let mut sentence = format!("Path length × {:.2}.", total.1 / total.0);
    let most = places.iter().max_by(|a, b| share(a).abs().total_cmp(&share(b).abs()));
    if let Some(most) = most.filter(|most| most.share.is_some()) {
        sentence.push_str(&format!(
            " Largest part: {}, {} instructions {} ({:.0}% of the difference).",
            most.name.raw(),
            digits(most.added().abs()),
            if most.added() < 0.0 { "fewer" } else { "more" },
            share(most)
        ));
    }
    if let Some(most) = crossings.lines.iter().max_by(|a, b| a.added().total_cmp(&b.added()))
        && most.added() > 0.01
    {
        sentence.push_str(&format!(
            " Most frequent added crossing: {} {}.",
            digits(most.added()),
            most.name.raw()
        ));
    }
    sentence
}
