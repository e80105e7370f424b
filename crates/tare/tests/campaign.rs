//! A whole campaign over scripted layers: the pipeline from plan to scoreboard, exact.

mod common;

use common::{Bench, assert_fits, flat, row};
use std::collections::BTreeSet;
use tare_proto::Untrusted;
use tare_store::{BootState, Outcome, Role};

const MOCKS: &str = "--layer name=base,kind=mock,value=100 --layer name=slow,kind=mock,value=150 \
                     --baseline base --bench lmbench/null_call --bench host/start";

#[test]
fn every_block_boots_every_layer_once_and_the_baseline_twice() {
    let bench = Bench::new();
    bench.ok(&format!("run {MOCKS} --blocks 4 --seed 5 --out c"));
    let campaign = bench.campaign("c");
    assert_eq!(campaign.state, "finished");
    for block in 0..4 {
        let mut boots: Vec<_> = campaign.boots.iter().filter(|boot| boot.block == block).collect();
        boots.sort_by_key(|boot| (boot.layer, boot.role));
        let found: Vec<_> = boots.iter().map(|boot| (boot.layer, boot.role)).collect();
        assert_eq!(found, [(0, Role::Weigh), (0, Role::Floor), (1, Role::Weigh)]);
        assert!(boots.iter().all(|boot| boot.state == BootState::Done && boot.attempt == 1));
    }
    let series = campaign.series.iter().filter(|s| s.outcome == Outcome::Measured).count();
    assert_eq!(series, 4 * 3 * 2, "a series a boot and benchmark");
    let null_call = &campaign.series.iter().find(|s| s.benchmark == 0).unwrap().samples;
    assert_eq!(null_call.len(), 240, "15 turns of sixteen samples");
}

#[test]
fn the_same_seed_gives_the_same_order_and_another_one_another() {
    let bench = Bench::new();
    let order = |seed: u32, name: &str| -> Vec<(usize, Role)> {
        bench.ok(&format!("run {MOCKS} --blocks 6 --seed {seed} --out {name}"));
        bench.campaign(name).boots.iter().map(|boot| (boot.layer, boot.role)).collect()
    };
    let first = order(11, "a");
    assert_eq!(first, order(11, "b"));
    assert_ne!(first, order(12, "c"));
}

#[test]
fn the_scoreboard_is_exact() {
    let bench = Bench::new();
    let ran = bench.ok(&format!("run {MOCKS} --blocks 5 --seed 1 --out c --format json"));
    let board = ran.json();
    assert_eq!(board["format"], "tare-scoreboard");
    let row = row(&board, "lmbench/null_call");
    let cell =
        row["cells"].as_array().unwrap().iter().find(|cell| cell["layer"] == "slow").unwrap();
    let exactly = serde_json::json!({ "value": 1.5, "low": 1.5, "high": 1.5, "blocks": 5 });
    assert_eq!(cell["ratio"], exactly);
    assert_eq!(cell["verdict"], "slower");
    // The same again from the directory, and as text within 80 columns.
    assert_eq!(bench.ok("show c --format json").out, ran.out);
    let text = bench.ok("show c").out;
    assert!(text.contains("slower") && text.contains("1.50"), "{text}");
    assert_fits(&text);
    assert!(!text.contains('\u{1b}'), "colour in a pipe: {text}");
}

#[test]
fn every_fault_is_recorded_retried_once_and_survived() {
    let bench = Bench::new();
    for fault in ["hang", "die", "corrupt", "truncate", "panic", "liar"] {
        // The boot limit and a fault in the first boot only: the retry must succeed.
        let line = format!(
            "run --layer name=base,kind=mock --layer name=bad,kind=mock,fault={fault},faulty=first \
             --baseline base --bench lmbench/null_call --blocks 2 --boot-limit 1s --out {fault}"
        );
        bench.ok(&line);
        let campaign = bench.campaign(fault);
        let of_bad: Vec<_> = campaign.boots.iter().filter(|boot| boot.layer == 1).collect();
        let states: Vec<_> =
            of_bad.iter().map(|boot| (boot.block, boot.attempt, boot.state)).collect();
        let expected =
            [(0, 1, BootState::Failed), (0, 2, BootState::Done), (1, 1, BootState::Done)];
        assert_eq!(states, expected, "{fault}");
        assert!(
            of_bad[0].failure.as_ref().map(Untrusted::raw).is_some_and(|why| !why.is_empty()),
            "{fault}"
        );
        let measured = campaign.series.iter().filter(|s| campaign.boots[s.boot].layer == 1);
        assert_eq!(measured.filter(|s| s.outcome == Outcome::Measured).count(), 2, "{fault}");
    }
}

#[test]
fn a_benchmark_that_always_ends_the_layer_costs_only_itself() {
    let bench = Bench::new();
    // The script dies whenever it is asked anything: both benchmarks of the probe are lost, the
    // host's own is kept, and the baseline does not suffer.
    bench.fails(
        "run --layer name=base,kind=mock --layer name=bad,kind=mock,fault=die --baseline base \
         --bench lmbench/null_call --bench host/start --blocks 3 --out c",
        4,
        "Nothing could be compared",
    );
    let campaign = bench.campaign("c");
    let of = |layer: usize, outcome: Outcome| {
        let series = campaign.series.iter().filter(|s| campaign.boots[s.boot].layer == layer);
        series.filter(|s| s.outcome == outcome).count()
    };
    assert_eq!(of(0, Outcome::Measured), 2 * 3 * 2);
    assert_eq!(of(1, Outcome::Measured), 3, "the start latency in every block");
    assert_eq!(of(1, Outcome::Failed), 3, "the null call in every block");
    let boots_of_bad = campaign.boots.iter().filter(|boot| boot.layer == 1);
    assert_eq!(boots_of_bad.count(), 4, "two in the first block, then it is not asked again");
}

#[test]
fn a_layer_that_never_greets_is_unavailable_and_the_rest_goes_on() {
    let bench = Bench::new();
    let line = "--layer name=base,kind=mock --layer name=mute,kind=mock,fault=silent \
                --layer name=other,kind=mock --baseline base --bench lmbench/null_call --blocks 2 --boot-limit 1s";
    let done = bench.ok(&format!("run {line} --out c"));
    assert!(done.err.contains("mute cannot run here"), "{}", done.err);
    assert!(done.out.contains("mute"), "{}", done.out);
    let campaign = bench.campaign("c");
    let (why, _) = campaign.layers[1].unavailable.as_ref().expect("recorded as unavailable");
    assert!(why.raw().contains("the probe did not answer within 1.0 s"), "{why:?}");
    assert_eq!(bench.tare(&format!("run {line} --require --out d")).code, 4);
}

#[test]
fn a_layer_without_any_figure_fails_the_campaign_if_it_is_required_or_the_only_one() {
    let bench = Bench::new();
    let base =
        "run --layer name=base,kind=mock --baseline base --bench lmbench/null_call --blocks 1";
    let ill = "--layer name=ill,kind=mock,fault=fail";
    let good = "--layer name=good,kind=mock";
    bench.ok(&format!("{base} {good} {ill} --out kept"));
    let required = format!("{base} {good} {ill} --require --out required");
    bench.fails(&required, 4, "A required layer failed: no row was measured on ill.");
    let nothing = "Nothing could be compared: no row was measured on ill.";
    bench.fails(&format!("{base} {ill} --out alone"), 4, nothing);
    bench.fails("resume alone --blocks 2", 4, nothing);
    bench.ok(&format!("{base} {good} --require --out good"));
}

#[test]
fn what_a_layer_lacks_and_what_fails_is_said_not_dropped() {
    let bench = Bench::new();
    bench.ok(
        "run --layer name=base,kind=mock --layer name=poor,kind=mock,lacks=lmbench/null_call \
         --layer name=ill,kind=mock,fault=fail --layer name=loud,kind=mock,fault=garbage \
         --baseline base --bench lmbench/null_call --bench lmbench/stat --blocks 2 --out c",
    );
    let campaign = bench.campaign("c");
    let outcomes = |layer: usize| -> BTreeSet<(usize, String)> {
        let series = campaign.series.iter().filter(|s| campaign.boots[s.boot].layer == layer);
        series.map(|s| (s.benchmark, format!("{:?} {:?}", s.outcome, s.why))).collect()
    };
    let measured = "Measured None".to_owned();
    let lacking = "Unavailable Some(\"the script says so\")".to_owned();
    let failed = "Failed Some(\"scripted\")".to_owned();
    assert_eq!(outcomes(1), BTreeSet::from([(0, lacking), (1, measured.clone())]));
    assert_eq!(outcomes(2), BTreeSet::from([(0, failed.clone()), (1, failed)]));
    assert_eq!(outcomes(3), BTreeSet::from([(0, measured.clone()), (1, measured)]));
    let text = bench.ok("show c").out;
    assert!(text.contains("the script says so"), "{text}");
}

#[test]
fn what_the_probe_remarks_of_a_series_is_among_the_warnings_once() {
    let bench = Bench::new();
    let entry = r#"{"samples": [[7, 8, 9]], "note": "no perf events were counted"}"#;
    bench.write("note.json", &format!("{{\"lmbench/null_call\": {entry}}}"));
    bench.ok(
        "run --layer name=base,kind=mock --layer name=noted,kind=mock,script=note.json --baseline base \
         --bench lmbench/null_call --blocks 2 --out c",
    );
    let campaign = bench.campaign("c");
    let noted: Vec<_> =
        campaign.warnings.iter().filter(|w| w.text.raw().contains("perf")).collect();
    assert_eq!(noted.len(), 1);
    let of = (
        noted[0].layer.as_ref().map(Untrusted::raw),
        noted[0].benchmark.as_ref().map(Untrusted::raw),
    );
    assert_eq!(of, (Some("noted"), Some("lmbench/null_call")));
    assert!(campaign.series.iter().all(|s| s.outcome == Outcome::Measured));
}

#[test]
fn a_flood_and_a_lying_clock_end_within_their_deadlines() {
    let bench = Bench::new();
    bench.ok(
        "run --layer name=base,kind=mock --layer name=flood,kind=mock,fault=flood,faulty=first \
         --baseline base --bench lmbench/null_call --blocks 1 --out flood",
    );
    let flooded = bench.campaign("flood");
    assert!(flooded.boots.iter().any(|boot| boot.layer == 1 && boot.state == BootState::Failed));
    bench.ok(
        "run --layer name=base,kind=mock --layer name=late,kind=mock,fault=clock --baseline base \
         --bench lmbench/null_call --bench lmbench/stat --blocks 2 --out clock",
    );
    let text = bench.ok("show clock").out;
    assert!(text.contains("clock"), "the drift is not mentioned:\n{text}");
}

#[test]
fn the_time_goes_to_the_layers_whose_intervals_are_wide_and_only_after_whole_blocks() {
    let bench = Bench::new();
    let layers = "--layer name=base,kind=mock --layer name=quiet,kind=mock,value=150";
    // Nothing varies: five whole blocks, three more that stay as narrow, and then none although there is time for thousands.
    bench.ok(&format!(
        "run {layers} --baseline base --bench lmbench/null_call --budget 2m --out quiet"
    ));
    let campaign = bench.campaign("quiet");
    assert_eq!((campaign.boots.len(), campaign.state.as_str()), (8 * 3, "finished"));
    assert_eq!(campaign.plan.budget_s, Some(120.0), "the trials take nothing of it");
    // One layer's first boot differs: once the other has stayed narrow, it and the baseline get all further boots until it is
    // narrow, too.
    let boots = [vec![100; 800], vec![104; 800]];
    bench.write("wild.json", &format!("{{\"lmbench/null_call\": {boots:?}}}"));
    bench.ok(&format!(
        "run {layers} --layer name=wild,kind=mock,script=wild.json --baseline base --bench lmbench/null_call \
         --budget 2m --out wild"
    ));
    let campaign = bench.campaign("wild");
    let boots = |layer: usize| campaign.boots.iter().filter(|boot| boot.layer == layer).count();
    assert_eq!(boots(1), 8, "until it has stayed as narrow for three blocks");
    assert_eq!(boots(2), 20, "until its first boot is outweighed");
    assert_eq!(boots(0), 2 * boots(2), "a ratio needs its baseline in the same block");
    // One length a row and block, in whole turns.
    let lengths: BTreeSet<(u32, usize)> =
        campaign.series.iter().map(|s| (campaign.boots[s.boot].block, s.samples.len())).collect();
    let blocks: BTreeSet<u32> = lengths.iter().map(|(block, _)| *block).collect();
    assert_eq!(lengths.len(), blocks.len(), "{lengths:?}");
    assert!(lengths.iter().all(|(_, samples)| samples % 8 == 0), "{lengths:?}");
    // Finished means finished: what was left out is not measured later.
    let again = bench.ok("resume wild");
    assert!(again.err.contains("finished") && !again.err.contains("block 1/"), "{}", again.err);
    assert_eq!(bench.campaign("wild"), campaign);
}

#[test]
fn an_estimator_that_is_asked_for_decides_what_is_measured() {
    let bench = Bench::new();
    bench.write("wild.json", r#"{"lmbench/null_call": [[100, 900, 200, 800, 100, 900]]}"#);
    let run = |estimator: &str, name: &str| {
        bench.ok(&format!(
            "run --layer name=base,kind=mock --layer name=wild,kind=mock,script=wild.json --baseline base \
             --bench lmbench/null_call --blocks 1 --order boots --estimator {estimator} --out {name}"
        ));
        let campaign = bench.campaign(name);
        assert_eq!(campaign.benchmarks[0].estimator, estimator);
        let of = |layer: usize| {
            let mut series = campaign.series.iter();
            series.find(|s| campaign.boots[s.boot].layer == layer).map_or(0, |s| s.samples.len())
        };
        (of(0), of(1))
    };
    assert_eq!(run("best-of-7", "a"), (7, 6), "as many as it reduces; a script gives what it has");
    assert_eq!(
        run("mean-until-5%", "b"),
        (30, 60),
        "again and again until narrow, ten times at most"
    );
}

#[test]
fn what_was_not_counted_is_said_once_with_the_remedy() {
    let bench = Bench::new();
    bench.ok(
        "run --layer name=a,kind=mock --layer name=b,kind=mock --layer name=c,kind=mock --baseline a \
         --bench lmbench/null_call --bench kernel/getppid --blocks 2 --out c",
    );
    let text = bench.ok("explain c").out;
    for said in ["cannot be split", "tare run --explain", "Exits of a virtual machine"] {
        assert_eq!(text.matches(said).count(), 1, "{said} in\n{text}");
    }
    assert!(text.contains("all 4 ratios"), "{text}");
}

#[test]
fn counts_of_failed_boots_are_removed() {
    let bench = Bench::new();
    let logs = bench.path("c/logs");
    std::fs::create_dir_all(&logs).unwrap();
    let counts = |id: u32| logs.join(format!("boot-{id:04}.counts"));
    (1..20).for_each(|id| std::fs::write(counts(id), "").unwrap());
    bench.fails(
        "run --count --layer name=a,kind=mock --layer name=b,kind=mock,fault=die --baseline a \
         --bench lmbench/null_call --blocks 1 --out c",
        4,
        "Nothing could be compared",
    );
    let boots = bench.campaign("c").boots.len() as u32;
    assert!((3..20).contains(&boots), "{boots}");
    assert!(!(1..=boots).any(|id| counts(id).exists()), "left behind");
}

#[test]
fn a_condition_in_the_file_is_about_the_row_and_the_layer_that_it_names() {
    let bench = Bench::new();
    let gated = |condition: &str| {
        let layer = |name: &str, more: &str| {
            format!("[[layer]]\nname = \"{name}\"\nkind = \"mock\"\n{more}\n")
        };
        let layers = [
            layer("base", "value = 100"),
            layer("same", "value = 100"),
            layer("slow", "value = 150"),
        ];
        let text = format!(
            "fail-if = [\"{condition}\"]\nblocks = 3\nbench = [\"lmbench/null_call\", \"kernel/getppid\"]\n\
             baseline = \"base\"\n{}",
            layers.concat()
        );
        bench.write("tare.toml", &text);
        let out = condition.replace([' ', '/', '>', '%'], "-");
        bench.tare(&format!("run --out {out}"))
    };
    let cases = [
        ("slower > 20% on same", 0, "passed"),
        ("slower > 20% of lmbench/null_call on same", 0, "1 of 1 row shown not to be"),
        ("slower > 20% of kernel/getppid", 3, "slow kernel/getppid, cost 1.5"),
        ("slower > 20% of kernel/getppid on slow", 3, "slow kernel/getppid, cost 1.5"),
        ("slower > 20% on slower", 2, "no layer here is called slower"),
        ("slower > 20% of kernel/getpid", 2, "no row here is called kernel/getpid"),
        ("slower > 20% in slow", 2, "does not say which rows"),
    ];
    for (condition, code, said) in cases {
        let done = gated(condition);
        assert_eq!(done.code, code, "{condition}\n{}", done.err);
        assert!(flat(&done.err).contains(said), "{condition}\n{}", done.err);
    }
}
