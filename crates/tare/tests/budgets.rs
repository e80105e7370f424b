//! Campaigns whose time is short: turns that are slow, benchmarks that do not fit, and what is said of too few blocks.

mod common;

use common::Bench;
use std::collections::BTreeSet;
use tare_store::{Campaign, SeriesRow};

/// A baseline, and a layer that takes half a second to answer each turn.
const SLOW: &str =
    "--layer name=base,kind=mock --layer name=slow,kind=mock,value=150,slow=500 --baseline base";

fn turns(campaign: &Campaign) -> BTreeSet<usize> {
    campaign.series.iter().map(|row| row.turns.len()).filter(|turns| *turns > 0).collect()
}

#[test]
fn a_row_of_slow_turns_has_fewer_rounds_where_time_is_what_is_given() {
    let bench = Bench::new();
    bench.ok(&format!("run {SLOW} --bench lmbench/null_call --budget 6s --out short"));
    let short = turns(&bench.campaign("short"));
    assert!(short.iter().all(|turns| (3..15).contains(turns)), "{short:?}");
    bench.ok(&format!("run {SLOW} --bench lmbench/null_call --blocks 1 --out whole"));
    assert_eq!(turns(&bench.campaign("whole")), BTreeSet::from([15]), "blocks are counted");
}

#[test]
fn a_slow_layer_runs_a_program_less_often_where_time_is_what_is_given() {
    let bench = Bench::new();
    bench.script("many.sh", "i=0; while [ $i -lt 40 ]; do /bin/true; i=$((i + 1)); done\n");
    let runs = |spent: &str| -> BTreeSet<(usize, usize)> {
        bench.ok(&format!("run --layers native,uml {spent} --out c{} -- ./many.sh", spent.len()));
        let campaign = bench.campaign(&format!("c{}", spent.len()));
        let of = |row: &SeriesRow| (campaign.boots[row.boot].layer, row.samples.len());
        let program =
            |row: &&SeriesRow| campaign.benchmarks[row.benchmark].name.starts_with("program/");
        campaign.series.iter().filter(program).map(of).collect()
    };
    let in_time = runs("--budget 12s");
    let of =
        |layer: usize| in_time.iter().filter(move |(of, _)| *of == layer).map(|(_, runs)| *runs);
    assert!(of(0).max() > of(1).max() && of(1).min() > Some(0), "layer, runs: {in_time:?}");
    assert_eq!(runs("--blocks 1"), BTreeSet::from([(0, 3), (1, 3)]), "blocks are counted");
}

#[test]
fn benchmarks_that_the_budget_has_no_time_for_are_left_out_with_a_word() {
    let bench = Bench::new();
    let rows = "--bench lmbench/null_call --bench kernel/getppid --bench lmbench/pipe";
    let out = bench.ok(&format!("run {SLOW} {rows} --budget 3s --out c"));
    let campaign = bench.campaign("c");
    let measured: BTreeSet<usize> = campaign.series.iter().map(|row| row.benchmark).collect();
    assert_eq!(measured.len(), 1, "one took the time of all");
    let warned =
        |text: &str| campaign.warnings.iter().any(|warning| warning.text.raw().contains(text));
    assert!(warned("2 are left out"), "{:?}", campaign.warnings);
    assert!(out.err.contains("--budget"), "{}", out.err);
    assert!(
        out.err.contains("tare resume c --blocks 5") && out.out.contains("nothing to say yet"),
        "{} {}",
        out.err,
        out.out
    );
}
