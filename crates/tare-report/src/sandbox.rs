//! The suite `sandbox` in words and figures: a sentence a layer, and the tables behind it. Every form shows the same.

use crate::cells::{NONE, bytes, slow, table, tails, time};
use crate::document::{Ink, Item, Table};
use crate::restored;
use crate::words;
use tare_board::format::{digits, quantity_and_ends, short_ratio};
use tare_board::{Beside, Estimate, LayerSummary, Sandbox, Scoreboard};
use tare_proto::Unit;

/// A sentence for each layer; none of a campaign that has too few blocks to say anything.
pub(crate) fn sentences(board: &Scoreboard) -> Vec<Item> {
    if crate::enough::too_few(board) {
        return Vec::new();
    }
    let one = |found: &Sandbox| {
        let text = Some(sentence(board, found)).filter(|text| !text.is_empty())?;
        let said = vec![(Ink::Plain, text)];
        let about = Some(words::name(&found.layer));
        Some(Item { joint: " ", series: series(board, found), ..Item::new(about, said) })
    };
    board.sandboxes.iter().filter_map(one).collect()
}

/// Whether `layer` has a sentence here.
pub(crate) fn tells_of(board: &Scoreboard, layer: &LayerSummary) -> bool {
    let found = board.sandboxes.iter().find(|found| found.layer == layer.name);
    !crate::enough::too_few(board) && found.is_some_and(|found| !sentence(board, found).is_empty())
}

/// A layer's number in figures, where the baseline is 0.
pub(crate) fn series(board: &Scoreboard, found: &Sandbox) -> Option<usize> {
    let place = board.others().position(|layer| layer.name == found.layer);
    place.map(|at| at + 1).or((board.baseline == found.layer).then_some(0))
}

/// `starts in 148 ms (slowest of 60 starts 171 ms), 6.0 times native; one more costs 21 MiB; on this host 800 would fit`.
fn sentence(board: &Scoreboard, found: &Sandbox) -> String {
    let mut parts = Vec::new();
    if let Some(start) = &found.start {
        let mut text = format!("starts in {} ({})", time(start.p50.value), slow(start));
        if let Some(ratio) = found.ratio {
            text +=
                &format!(", {} times {}", short_ratio(ratio.value), words::name(&board.baseline));
        }
        parts.push(text);
    }
    parts.extend(found.cold.map(|cold| format!("cold in {}", time(cold.p50.value))));
    parts.extend(found.one_more.map(|one_more| format!("one more costs {}", cost(&one_more))));
    parts.extend(found.fits.map(|fits| format!("on this host {} would fit", fitting(&fits))));
    parts.extend(found.restored.as_ref().and_then(restored::sentence));
    parts.extend(found.beside.last().and_then(beside));
    parts.join("; ")
}

/// What one more takes: `21 MiB`, or `at most 778 KiB` where it may be nothing.
fn cost(one_more: &Estimate) -> String {
    match (one_more.low, one_more.high) {
        (Some(low), Some(high)) if low <= 0.0 => format!("at most {}", bytes(high.max(0.0))),
        _ => bytes(one_more.value),
    }
}

/// How many fit: `800`, or `at least 700` where one more may cost nothing.
fn fitting(fits: &Estimate) -> String {
    match (fits.low, fits.high) {
        (Some(low), None) => format!("at least {low:.0}"),
        _ => format!("{:.0}", fits.value),
    }
}

/// `work takes 1.50 times as long beside 2 busy ones`.
fn beside(found: &Beside) -> Option<String> {
    let times = short_ratio(found.busy?);
    Some(format!("work takes {times} times as long beside {} busy ones", found.neighbours))
}

/// The tables that have something to show.
pub(crate) fn tables(board: &Scoreboard) -> Vec<Table> {
    let all = &board.sandboxes;
    let shown = |has: fn(&Sandbox) -> bool, row: fn(&Sandbox) -> Vec<String>| {
        let named = |found: &Sandbox| [vec![words::name(&found.layer)], row(found)].concat();
        all.iter().filter(|found| has(found)).map(named).collect::<Vec<_>>()
    };
    let tables = [
        table(
            "Warm starts",
            "From the request to the greeting, with the interval of each quantile; an open end, or a dash for the quantile, is \
                   what so few starts cannot tell.",
            &["p50", "p95", "p99", "slowest", "starts"],
            shown(|found| found.start.is_some(), |found| tails(found.start)),
        ),
        table(
            "Cold starts",
            "The same after the layer's own files were dropped from the page cache.",
            &["p50", "p95", "p99", "slowest", "starts"],
            shown(|found| found.cold.is_some(), |found| tails(found.cold)),
        ),
        table(
            "Where a warm start goes",
            "host: tare's keeper, folders, bundle or initramfs; runtime: the runtime or monitor; kernel: the layer's own; \
                   probe: until its greeting.",
            &["host", "runtime", "kernel", "probe"],
            shown(|found| found.phases.iter().any(|phase| phase.ns.is_some()), phases),
        ),
        table(
            "Alive and idle",
            "What one more takes of the host's available memory, how many there would be when three quarters of it are gone, \
                   and what each does meanwhile: its share of a CPU, and how often it wakes up a second.",
            &["one more", "would fit", "CPU", "wakeups/s"],
            shown(|found| found.one_more.is_some() || found.idle_cpu.is_some(), idle),
        ),
        table(
            "Beside neighbours",
            "How many times as long the same work takes beside layers of the same kind, while these are idle and while they are \
                   busy.",
            &["neighbours", "idle", "busy"],
            all.iter().flat_map(neighbours).collect(),
        ),
    ];
    let all = tables.into_iter().chain(restored::tables(board));
    all.filter(|table| !table.rows.is_empty()).collect()
}

fn phases(found: &Sandbox) -> Vec<String> {
    found.phases.iter().map(|phase| phase.ns.map_or(NONE.into(), time)).collect()
}

fn idle(found: &Sandbox) -> Vec<String> {
    let none = || NONE.to_owned();
    let one_more = found.one_more.map(|found| match found.low.is_some() {
        true => quantity_and_ends(Unit::Bytes, found.value, (found.low, found.high)),
        false => bytes(found.value),
    });
    let fits = found.fits.map(|fits| match fits.low.zip(fits.high) {
        Some((low, high)) => format!("{:.0} ({low:.0}–{high:.0})", fits.value),
        None => fitting(&fits),
    });
    let cpu = found.idle_cpu.map(|cpu| format!("{}%", digits(cpu.value)));
    let wakeups = found.idle_wakeups.map(|wakeups| digits(wakeups.value));
    [one_more, fits, cpu, wakeups].map(|cell| cell.unwrap_or_else(none)).to_vec()
}

fn neighbours(found: &Sandbox) -> Vec<Vec<String>> {
    let times = |times: Option<f64>| times.map_or(NONE.into(), short_ratio);
    let row = |beside: &Beside| {
        let idle = times(beside.idle);
        let busy = times(beside.busy);
        vec![words::name(&found.layer), beside.neighbours.to_string(), idle, busy]
    };
    found.beside.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_that_may_be_nothing_is_said_by_its_upper_end() {
        let sure = Estimate { value: 2097152.0, low: Some(1048576.0), high: Some(3145728.0) };
        let unsure = Estimate { low: Some(-1.0), ..sure };
        assert_eq!([cost(&sure), cost(&unsure)], ["2.00 MiB", "at most 3.00 MiB"]);
        let many = Estimate { value: 20.0, low: Some(16.0), high: Some(25.0) };
        let open = Estimate { high: None, ..many };
        assert_eq!([fitting(&many), fitting(&open)], ["20", "at least 16"]);
        let single = Estimate { value: 20.0, low: None, high: None };
        assert_eq!(fitting(&single), "20", "one block has no interval");
    }
}
