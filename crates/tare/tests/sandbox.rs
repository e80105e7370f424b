//! The suite `sandbox`: its arithmetic over scripted layers, exact; its faults; and one real layer.

mod common;

use common::{Bench, assert_fits, done, flat, row, samples};
use serde_json::{Value, json};
use std::process::Command;
use tare_proto::Untrusted;
use tare_store::{BootState, Campaign, Outcome};

const MIB: f64 = 1_048_576.0;

/// What a script says of a layer whose start has these parts, in milliseconds, of which one more takes so much, and on which work
/// takes so many times as long beside busy neighbours.
fn script(parts: [f64; 4], mib: f64, busy: f64) -> String {
    let ms = |ms: f64| json!([[1e6 * ms]]);
    let [host, runtime, kernel, probe] = parts.map(ms);
    json!({
        "start/host": host, "start/runtime": runtime, "start/kernel": kernel, "start/probe": probe,
        "start/cold": ms(2.0 * parts.iter().sum::<f64>()), "sandbox/stop": ms(3.0), "sandbox/exec": ms(5.0),
        "sandbox/task": ms(20.0), "sandbox/memory": [[mib * MIB]], "sandbox/pss": [[mib * MIB / 2.0]],
        "sandbox/idle_cpu": ms(mib),
        "beside/idle@2": [[1.0]], "beside/busy@2": [[busy]],
    })
    .to_string()
}

fn scripted() -> Bench {
    let bench = Bench::new();
    bench.write("base.json", &script([1.0, 2.0, 0.5, 0.5], 8.0, 1.5));
    bench.write("slow.json", &script([1.0, 4.0, 6.0, 1.0], 32.0, 3.0));
    bench
}

const TWO: &str = "--layer name=base,kind=mock,script=base.json --layer name=slow,kind=mock,script=slow.json --baseline base";

/// The whole suite on those, with two neighbours however many CPUs there are.
const SUITE: &str = "--suite sandbox --load beside/*=2 --blocks 3 --seed 1 --out c";

fn board(bench: &Bench, line: &str) -> Value {
    bench.json(&format!("{line} --format json"))
}

#[test]
fn every_row_is_exact() {
    let bench = scripted();
    let board = board(&bench, &format!("run {TWO} {SUITE}"));
    let exact = [
        ("start/warm", 4e6, 3.0),
        ("start/warm@8", 4e6, 3.0),
        ("start/cold", 8e6, 3.0),
        ("start/host", 1e6, 1.0),
        ("start/runtime", 2e6, 2.0),
        ("start/kernel", 5e5, 12.0),
        ("start/probe", 5e5, 2.0),
        ("sandbox/stop", 3e6, 1.0),
        ("sandbox/exec", 5e6, 1.0),
        ("sandbox/task", 2e7, 1.0),
        ("start/rate", 250.0, 1.0 / 3.0),
        ("start/rate@4", 1000.0, 1.0 / 3.0),
        ("sandbox/memory", 8.0 * MIB, 4.0),
        ("sandbox/pss", 4.0 * MIB, 4.0),
        ("sandbox/idle_cpu", 8e6, 4.0),
        ("beside/idle@2", 1.0, 1.0),
        ("beside/busy@2", 1.5, 2.0),
    ];
    let near = |found: &Value, wanted: f64| (found.as_f64().unwrap() / wanted - 1.0).abs() < 1e-9;
    for (name, base, ratio) in exact {
        let row = row(&board, name);
        assert!(near(&row["baseline"]["mean"], base), "{name}: {}", row["baseline"]);
        assert!(near(&row["cells"][0]["ratio"]["value"], ratio), "{name}: {}", row["cells"][0]);
        assert_eq!(row["by_host"], true, "{name}");
    }
    let tails = &row(&board, "start/warm@8")["cells"][0]["tails"];
    assert_eq!(tails["starts"], 24, "eight in each of three blocks");
    assert!(near(&tails["p99"]["value"], 1.2e7), "{tails}");
    assert!(tails["p50"]["high"].is_number() && tails["p99"]["high"].is_null(), "{tails}");
}

#[test]
fn the_sentences_say_what_the_figures_are() {
    let bench = scripted();
    let line = format!("run {TWO} {SUITE}");
    let text = bench.ok(&line).out;
    let whole = flat(&text);
    assert!(whole.contains("slow starts in 12.0 ms (slowest of "), "{text}");
    assert!(
        whole.contains(" 12.0 ms), 3.00 times base; cold in 24.0 ms; one more costs 32.0 MiB"),
        "{text}"
    );
    assert!(whole.contains("base starts in 4.00 ms"), "{text}");
    assert!(whole.contains("work takes 3.00 times as long beside 2 busy ones"), "{text}");
    assert!(whole.contains("Beside neighbours"), "{text}");
    assert!(whole.contains("Where a warm start goes") && whole.contains("6.00 ms"), "{text}");
    assert_fits(&text);
    let markdown = bench.ok("show c --format md").out;
    assert!(markdown.contains("**slow** starts in 12.0 ms"), "{markdown}");
    let page = std::fs::read_to_string(bench.path("c").join("report.html")).expect("the page");
    for part in [
        "slow</bdi></strong> starts in 12.0 ms",
        "Where a warm start goes",
        "starts at once",
        "Memory against the number",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let all = board(&bench, "show c");
    let slow = &all["sandboxes"][1];
    assert_eq!(slow["alive"].as_array().unwrap().len(), 4, "1, 2, 4 and 8 at once");
    assert_eq!(slow["alive"][3]["lost"]["value"], 8.0 * 32.0 * MIB);
}

fn series<'a>(campaign: &'a Campaign, name: &str, layer: usize) -> Vec<&'a tare_store::SeriesRow> {
    let of = |row: &&tare_store::SeriesRow| {
        campaign.benchmarks[row.benchmark].name == name && campaign.boots[row.boot].layer == layer
    };
    campaign.series.iter().filter(of).collect()
}

#[test]
fn one_of_several_that_dies_or_hangs_is_counted_and_costs_only_itself() {
    for fault in ["stillborn", "silent"] {
        let bench = scripted();
        bench.ok(&format!(
            "run --layer name=base,kind=mock,script=base.json --layer \
             name=bad,kind=mock,script=slow.json,fault={fault},faulty=5 --baseline base --bench start/rate \
             --load 8 --blocks 2 --boot-limit 1s --seed 1 --out c"
        ));
        let campaign = bench.campaign("c");
        let counted = |name: &str| {
            let found = series(&campaign, "start/rate@8", 1);
            let of = |row: &&tare_store::SeriesRow| {
                row.counters
                    .iter()
                    .find(|counter| counter.name == name)
                    .map(|counter| counter.value)
            };
            found.iter().filter_map(of).sum::<f64>()
        };
        assert!(counted("failed_starts") >= 2.0, "{fault}: one or two of eight a block");
        let rates: Vec<f64> = samples(&campaign, "start/rate@8", "bad").concat();
        assert_eq!(rates.len(), 2, "{fault}");
        assert!(
            rates.iter().all(|rate| *rate < 8e9 / 1.2e7),
            "{fault}: only those that started count: {rates:?}"
        );
        let why = if fault == "silent" { "did not answer" } else { "ended" };
        let warned = campaign
            .warnings
            .iter()
            .any(|it| it.text.raw().contains("of 8 starts failed") && it.text.raw().contains(why));
        assert!(warned, "{fault}: {:?}", campaign.warnings);
        assert!(campaign.boots.iter().all(|boot| boot.state == BootState::Done), "{fault}");
    }
}

/// Starts at `loads`, by a tare that may open 200 files.
fn with_few_open_files(bench: &Bench, loads: &str) -> Campaign {
    let tare = bench.command("");
    let line = format!("run {TWO} --bench start/rate --load {loads} --blocks 1 --seed 1 --out c");
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -n 200; exec \"$0\" $1"]).arg(tare.get_program()).arg(line);
    limited
        .current_dir(bench.path(""))
        .envs(tare.get_envs().filter_map(|(key, value)| Some((key, value?))));
    let ended = done(limited.output().expect("sh"));
    assert_eq!(ended.code, 0, "{}", ended.err);
    bench.campaign("c")
}

#[test]
fn what_would_not_fit_is_a_hole_with_its_reason_and_nothing_is_hit() {
    let bench = scripted();
    let campaign = with_few_open_files(&bench, "1,40");
    for layer in [0, 1] {
        assert!(
            series(&campaign, "start/rate", layer)
                .iter()
                .all(|row| row.outcome == Outcome::Measured)
        );
        for row in series(&campaign, "start/rate@40", layer) {
            assert_eq!(row.outcome, Outcome::Unavailable);
            let why = row.why.as_ref().map(Untrusted::raw).unwrap_or_default();
            assert!(why.contains("640 open files") && why.contains("ulimit -n"), "{why}");
        }
    }
}

#[test]
fn what_a_kind_cannot_have_is_a_hole_with_its_reason() {
    let bench = Bench::new();
    let words = "kind=command,start=sh -c 'exec \"$0\" serve' {probe}";
    let mut command = bench.command(
        "run --layers native --suite sandbox --load 1,3 --load beside/*=1 --blocks 1 --seed 1 --out c --layer",
    );
    let ended = done(command.arg(format!("name=words,{words}")).output().expect("tare starts"));
    assert_eq!(ended.code, 0, "{}", ended.err);
    let campaign = bench.campaign("c");
    let why = |name: &str, layer: usize| {
        let found = series(&campaign, name, layer);
        found.iter().find_map(|row| row.why.clone()).unwrap_or_default()
    };
    assert!(
        why("start/kernel", 0).raw().contains("on the host's kernel"),
        "{}",
        why("start/kernel", 0).raw()
    );
    assert!(
        why("sandbox/exec", 1).raw().contains("nothing starts a second process"),
        "{}",
        why("sandbox/exec", 1).raw()
    );
    for name in [
        "start/warm",
        "start/warm@3",
        "start/rate@3",
        "start/host",
        "start/runtime",
        "start/probe",
        "sandbox/stop",
        "sandbox/exec",
        "sandbox/task",
        "sandbox/pss",
        "beside/idle",
        "beside/busy",
    ] {
        let found = series(&campaign, name, 0);
        assert!(
            found.iter().all(|row| row.outcome == Outcome::Measured && !row.samples.is_empty()),
            "{name}: {found:?}"
        );
        assert!(found.iter().flat_map(|row| &row.samples).all(|sample| *sample > 0.0), "{name}");
    }
    let whole: f64 = ["start/host", "start/runtime", "start/probe"]
        .iter()
        .map(|name| series(&campaign, name, 0)[0].samples[0])
        .sum();
    let start = series(&campaign, "start/warm", 0)[0].samples[0];
    assert!((whole / start - 1.0).abs() < 0.05, "the phases are the whole: {whole} of {start}");
}

#[test]
fn loads_that_are_found_are_where_starts_a_second_rise_no_more() {
    let bench = scripted();
    // Scripted starts take as long however many there are, so that the limit of open files ends the search.
    let campaign = with_few_open_files(&bench, "auto");
    let found: Vec<&str> = campaign.benchmarks.iter().map(|bench| bench.name.as_str()).collect();
    assert!(
        found.starts_with(&["start/rate", "start/rate@2", "start/rate@4", "start/rate@8"]),
        "{found:?}"
    );
    let said = campaign
        .warnings
        .iter()
        .any(|warning| warning.text.raw().contains("open files of tare itself"));
    assert!(said, "{:?}", campaign.warnings);
}
