//! Layers that take turns: who is measured when, what a ratio is made of, and what a death in the middle costs.

mod common;
mod layers_common;

use common::{Bench, row};
use layers_common::CURRENT_GVISOR;
use tare_proto::Untrusted;
use tare_store::{BootState, Campaign, Order, Outcome, Role};

const MOCKS: &str =
    "--layer name=base,kind=mock --layer name=slow,kind=mock,value=150 --baseline base";

const ROWS: &str = "--bench lmbench/null_call --bench kernel/getppid --bench lmbench/pipe";

/// The benchmarks of a campaign's series in the order recorded.
fn sequence(campaign: &Campaign) -> Vec<usize> {
    campaign.series.iter().map(|series| series.benchmark).collect()
}

#[test]
fn layers_take_turns_within_a_benchmark() {
    let bench = Bench::new();
    bench.ok(&format!("run {MOCKS} {ROWS} --blocks 2 --seed 3 --out c"));
    let campaign = bench.campaign("c");
    assert_eq!(campaign.plan.order, Order::Rounds);
    for series in campaign.series.iter().filter(|series| series.turns.len() > 1) {
        assert_eq!(series.samples.len(), 240, "15 rounds of sixteen samples");
        assert_eq!(series.turns.iter().map(|turn| turn.samples).collect::<Vec<_>>(), [16; 15]);
    }
    let turned = campaign.series.iter().filter(|series| !series.turns.is_empty()).count();
    assert_eq!(turned, 2 * 3 * 3, "every benchmark of the probe, on every boot");
    for row in sequence(&campaign).chunks(3) {
        assert!(row.iter().all(|bench| *bench == row[0]), "a row is recorded as a whole: {row:?}");
    }
}

#[test]
fn what_layers_cost_so_far_is_said_between_blocks() {
    let bench = Bench::new();
    let told = |rows: &str, name: &str| {
        bench.ok(&format!("run {MOCKS} {rows} --blocks 2 --out {name}")).err
    };
    let so_far = "so far, times the baseline, without an interval:";
    let one = told("--bench lmbench/null_call", "a");
    assert_eq!(
        one.matches(so_far).count(),
        1,
        "after the first block and not before the report: {one}"
    );
    assert!(one.contains(&format!("{so_far} slow 1.50 (1 row)")), "{one}");
    let two = told("--bench lmbench/null_call --bench stream/copy", "b");
    assert!(two.contains("slow 1.00 (2 rows)"), "half as much again of a rate costs less: {two}");
}

#[test]
fn other_orders_take_no_turns() {
    let bench = Bench::new();
    for order in ["series", "boots"] {
        bench.ok(&format!("run {MOCKS} {ROWS} --blocks 1 --order {order} --out {order}"));
        let campaign = bench.campaign(order);
        assert!(campaign.series.iter().all(|series| series.turns.is_empty()));
        let by_rows = sequence(&campaign).chunks(3).all(|row| row.iter().all(|b| *b == row[0]));
        assert_eq!(by_rows, order == "series", "{order}: {:?}", sequence(&campaign));
    }
    bench.fails("run --machine sim --order rounds --out d", 2, "--order boots");
}

/// Samples of a machine that doubles its times for a while, and of one on which single turns are hit.
#[test]
fn what_hits_a_whole_round_or_a_single_turn_moves_no_ratio() {
    let bench = Bench::new();
    let shared = |at: usize| if (64..160).contains(&at) { 2.0 } else { 1.0 };
    let samples = |factor: f64, hit: &[usize]| -> Vec<f64> {
        let turn = |at: usize| if hit.contains(&(at / 16)) { 7.0 } else { 1.0 };
        (0..240).map(|at| 100.0 * factor * shared(at) * turn(at)).collect()
    };
    let script = |samples: Vec<f64>| format!(r#"{{"lmbench/null_call": [{samples:?}]}}"#);
    bench.write("base.json", &script(samples(1.0, &[1, 12])));
    bench.write("slow.json", &script(samples(1.5, &[3, 6, 11])));
    let out = bench.ok(
        "run --layer name=base,kind=mock,script=base.json --layer name=slow,kind=mock,script=slow.json \
         --baseline base --bench lmbench/null_call --blocks 2 --format json --out c",
    );
    let board = out.json();
    let row = row(&board, "lmbench/null_call");
    assert_eq!(row["cells"][0]["ratio"]["value"], 1.5, "{row:#}");
}

#[test]
fn a_layer_that_dies_in_a_round_goes_on_and_the_row_is_taken_again_by_all() {
    let bench = Bench::new();
    for fault in ["die", "panic", "corrupt"] {
        bench.ok(&format!(
            "run --layer name=base,kind=mock --layer name=bad,kind=mock,fault={fault},faulty=first \
             --baseline base {ROWS} --blocks 1 --boot-limit 5s --out {fault}"
        ));
        let campaign = bench.campaign(fault);
        let failed: Vec<_> =
            campaign.boots.iter().filter(|boot| boot.state == BootState::Failed).collect();
        assert_eq!(failed.len(), 1, "{fault}");
        assert_eq!((failed[0].layer, failed[0].attempt), (1, 1), "{fault}");
        let measured = |layer: usize, role: Role| {
            let of = campaign.series.iter().filter(|series| {
                let boot = &campaign.boots[series.boot];
                let by_probe = !series.turns.is_empty();
                by_probe
                    && boot.layer == layer
                    && boot.role == role
                    && series.outcome == Outcome::Measured
            });
            of.count()
        };
        let all = [(0, Role::Weigh), (0, Role::Floor), (1, Role::Weigh)];
        assert_eq!(all.map(|(layer, role)| measured(layer, role)), [3; 3], "{fault}");
    }
}

#[test]
fn a_layer_that_always_dies_costs_the_others_nothing() {
    let bench = Bench::new();
    bench.ok(&format!(
        "run {MOCKS} --layer name=bad,kind=mock,fault=die {ROWS} --blocks 2 --boot-limit 5s --out c"
    ));
    let campaign = bench.campaign("c");
    for (block, layer) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let mut series = campaign.series.iter().filter(|series| {
            let boot = &campaign.boots[series.boot];
            boot.block == block && boot.layer == layer && boot.role == Role::Weigh
        });
        assert!(series.all(|series| series.outcome == Outcome::Measured), "{block} {layer}");
    }
}

/// Ten times is no noise.
#[test]
fn a_known_slowdown_is_found() {
    let bench = Bench::new();
    let out = bench.ok(
        "run --layers native --layer name=slower,kind=native,slower=900 --bench kernel/getppid --blocks 2 \
         --format json --out c",
    );
    let board = out.json();
    let row = row(&board, "kernel/getppid");
    let ratio = row["cells"][0]["ratio"]["value"].as_f64().expect("a ratio");
    assert!((5.0..20.0).contains(&ratio), "{row:#}");
    let refused =
        bench.tare("run --layer name=a,kind=native,slower=fast --bench kernel/getppid --out d");
    assert_eq!(refused.code, 2, "{}", refused.err);
}

/// The best of short turns is no measure for who takes none: the baseline does both.
#[test]
fn a_layer_without_turns_is_divided_by_a_whole_series_of_the_baseline() {
    let bench = Bench::new();
    let out = bench.ok(&format!(
        "run --layer name=base,kind=mock,whole=2.5 --layer name=turns,kind=mock --baseline base \
         --layer name=pauses,kind=mock,pauses=yes,whole=2.5,lacks=lmbench/pipe {ROWS} --blocks 2 --format json --out c"
    ));
    let campaign = bench.campaign("c");
    let of = |name: &str| campaign.benchmarks.iter().position(|bench| bench.name == name);
    let taken = |bench: &str, block: u32| {
        let bench = of(bench).expect("it was asked for");
        let rows = campaign.whole_series.iter().filter(|row| row.benchmark == bench);
        let boots = rows.map(|row| &campaign.boots[row.boot]).filter(|boot| boot.block == block);
        let mut roles: Vec<(usize, Role)> = boots.map(|boot| (boot.layer, boot.role)).collect();
        roles.sort();
        roles
    };
    for block in 0..2 {
        let both = [(0, Role::Weigh), (0, Role::Floor)];
        assert_eq!(taken("lmbench/null_call", block), both, "block {block}");
        assert_eq!(taken("lmbench/pipe", block), both, "the layer may have it another time");
    }
    let pipe = of("lmbench/pipe"); // the layer lacks it
    let whole = campaign.whole_series.iter().find(|row| Some(row.benchmark) != pipe);
    let whole = whole.expect("a series of a row that both have");
    let is_own = |row: &&tare_store::SeriesRow| {
        campaign.boots[row.boot].layer == 2
            && row.benchmark == whole.benchmark
            && !row.samples.is_empty()
    };
    let own = campaign.series.iter().find(is_own);
    assert_eq!(
        whole.samples.len(),
        own.expect("measured").samples.len(),
        "a series of the same length"
    );
    let board = out.json();
    let cells = &row(&board, "lmbench/null_call")["cells"];
    assert_eq!(cells[0]["ratio"]["value"], 1.0, "in turns: {:#}", cells[0]);
    assert_eq!(cells[1]["ratio"]["value"], 1.0, "at once: {:#}", cells[1]);
    assert_eq!(cells[1]["pair"], serde_json::json!({ "layer": 250.0, "baseline": 250.0 }));
    assert!(cells[0]["floor"].is_null() && cells[1]["floor"]["ratio"]["value"] == 1.0, "{cells:#}");
}

#[test]
fn nothing_is_measured_once_more_where_every_layer_takes_turns() {
    let bench = Bench::new();
    for (name, more) in [("turns", ""), ("series", "--order series")] {
        bench.ok(&format!("run {MOCKS} {ROWS} --blocks 1 {more} --out {name}"));
        assert!(bench.campaign(name).whole_series.is_empty(), "{name}");
    }
}

/// gVisor pays for having waited, so it waits for nobody within a benchmark.
#[test]
fn a_layer_that_pays_for_pauses_takes_whole_series() {
    let bench = Bench::new();
    bench.ok("run --layers native,runsc --require --bench lmbench/null_call --blocks 1 --out c");
    let campaign = bench.campaign("c");
    let probes = campaign
        .series
        .iter()
        .filter(|series| campaign.benchmarks[series.benchmark].name == "lmbench/null_call");
    for series in probes {
        let layer = &campaign.layers[campaign.boots[series.boot].layer];
        assert_eq!(series.turns.is_empty(), layer.kind == "runsc", "{}", layer.name.raw());
        assert!(!series.samples.is_empty());
    }
    let warned = |layer: &str| {
        campaign.warnings.iter().any(|w| w.layer.as_ref().map(Untrusted::raw) == Some(layer))
    };
    assert!(warned("runsc") && !warned("native"), "{:?}", campaign.warnings);
}

/// gVisor's systrap is made for two CPUs, and the baseline beside it has as many. Where there is only one, so has everybody.
#[test]
fn a_layer_for_two_cpus_has_them_and_is_measured_on_one_as_well() {
    let bench = Bench::new();
    bench.ok(&format!(
        "run --layers native --layer {CURRENT_GVISOR} --require --bench lmbench/null_call --bench lmbench/sig_catch --blocks 1 --out c"
    ));
    let campaign = bench.campaign("c");
    if campaign.plan.wide.is_empty() {
        assert!(std::thread::available_parallelism().unwrap().get() == 1, "two CPUs are there");
        return;
    }
    let seen = |role| -> Vec<(usize, Vec<&str>)> {
        let boots = campaign.boots.iter().enumerate().filter(|(_, boot)| boot.role == role);
        let boots = boots.filter(|(_, boot)| campaign.layers[boot.layer].kind == "runsc");
        let cpus =
            |boot: &tare_store::Boot| boot.hello.as_ref().map_or(0, |hello| hello.affinity.len());
        let rows = |at: usize| {
            let own = campaign
                .series
                .iter()
                .filter(|series| series.boot == at && !series.samples.is_empty());
            let names = own.map(|series| campaign.benchmarks[series.benchmark].name.as_str());
            names.filter(|name| name.starts_with("lmbench")).collect::<Vec<_>>()
        };
        boots.map(|(at, boot)| (cpus(boot), rows(at))).collect()
    };
    let both: Vec<(usize, Vec<&str>)> = seen(Role::Weigh);
    let [(cpus, rows)] = &both[..] else { panic!("one boot: {both:?}") };
    let mut rows = rows.clone();
    rows.sort_unstable();
    assert_eq!((*cpus, rows), (2, vec!["lmbench/null_call", "lmbench/sig_catch"]));
    assert_eq!(seen(Role::OneCpu), [(1, vec!["lmbench/null_call"])]);
}
