//! Sweeps from the command line to the scoreboard, of scripted layers to the last digit.

mod common;

use common::{Bench, assert_fits, flat};
use serde_json::Value;

/// Two knobs whose effects multiply, and a row at two loads.
const RUN: &str = "run --sweep mock.value=100,150 --sweep mock.times=1,2,4 --bench lmbench/null_call --blocks 3 --seed 1 --out c";

fn response(bench: &Bench, name: &str) -> Value {
    let board = bench.json("show c --format json");
    let all = board["sweeps"].as_array().expect("sweeps");
    let all = all.iter().flat_map(|sweep| sweep["responses"].as_array().expect("responses"));
    all.into_iter().find(|one| one["benchmark"] == name).expect(name).clone()
}

fn ratios(response: &Value, of: &str) -> Vec<f64> {
    let all = response[of].as_array().expect("a list").iter();
    all.map(|one| (one["ratio"]["value"].as_f64().expect("a ratio") * 1e6).round() / 1e6).collect()
}

#[test]
fn effects_that_multiply_are_found_exactly_without_interactions() {
    let bench = Bench::new();
    let ran = bench.ok(RUN);
    let names: Vec<String> =
        bench.campaign("c").layers.into_iter().map(|layer| layer.name.into_raw()).collect();
    assert_eq!(names[0], "mock+value-100+times-1");
    assert_eq!((names.len(), names[5].as_str()), (6, "mock+value-150+times-4"));
    let found = response(&bench, "lmbench/null_call");
    assert_eq!(ratios(&found, "effects"), [1.5, 2.0, 4.0]);
    assert_eq!(ratios(&found, "interactions"), [1.0, 1.0]);
    assert_eq!(found["effects"][0]["verdict"], "slower");
    assert_eq!(found["interactions"][0]["verdict"], "equivalent");
    assert_eq!(found["best"]["levels"], serde_json::json!([0, 0]));
    let text = flat(&ran.out);
    for part in [
        "Sweep of mock (full design)",
        "lmbench/null_call: value (100, 150) × times (1, 2, 4)",
        "value times=1 times=2 times=4 100 1.00 2.00 4.00 150 1.50 3.00 6.00",
        "times 1 → 4 4.000 4.000–4.000 ▲ slower",
        "3 blocks with every setting.",
    ] {
        assert!(text.contains(part), "no '{part}' in\n{}", ran.out);
    }
    let page = std::fs::read_to_string(bench.path("c/report.html")).expect("a report");
    for part in ["id=\"sweeps\"", "lmbench/null_call against times", "value=150", "Main effects"] {
        assert!(page.contains(part), "the page lacks '{part}'");
    }
    assert!(bench.ok("show c --format md").out.contains("Best: value=100 times=1"));
}

#[test]
fn an_interrupted_sweep_goes_on_with_its_knobs() {
    let bench = Bench::new();
    bench.ok(RUN);
    bench.ok("resume c --blocks 4");
    let found = response(&bench, "lmbench/null_call");
    assert_eq!(
        (found["blocks"].as_u64(), ratios(&found, "effects")),
        (Some(4), vec![1.5, 2.0, 4.0])
    );
}

#[test]
fn a_file_says_the_same_and_the_baseline_may_be_another_layer() {
    let bench = Bench::new();
    bench.write("base.json", r#"{"aim7/mix": [[50]], "aim7/mix@4": [[80]]}"#);
    bench.write("less.json", r#"{"aim7/mix": [[40]], "aim7/mix@4": [[48]]}"#);
    bench.write(
        "tare.toml",
        "blocks = 2\nbench = [\"aim7/mix\"]\nbaseline = \"base\"\ndesign = \"one-at-a-time\"\n\
         [[layer]]\nname = \"base\"\nkind = \"mock\"\nscript = \"base.json\"\n\
         [[layer]]\nname = \"less\"\nkind = \"mock\"\nscript = \"less.json\"\n\
         [[sweep]]\nknob = \"less.times\"\nvalues = [1, 0.5]\n[[sweep]]\nknob = \"load\"\nvalues = [1, 4]\n",
    );
    bench.ok("run --out c");
    let found = response(&bench, "aim7/mix");
    // Half of the jobs, and 48 of 40 at four users; both knobs are alone in what they do.
    assert_eq!(ratios(&found, "effects"), [0.5, 1.2]);
    assert_eq!(found["best"]["levels"], serde_json::json!([0, 1]));
    assert_eq!(ratios(&found, "settings"), [1.0, 1.2, 0.5, 0.6]);
}

#[test]
fn what_is_no_sweep_is_wrong_usage_before_anything_is_booted() {
    let bench = Bench::new();
    let refused = |line: &str, says: &str| {
        bench.fails(&format!("run --bench lmbench/null_call --blocks 1 --out c {line}"), 2, says);
    };
    refused("--sweep mock.speed=1,2", "no setting 'speed'; there are: ");
    refused("--sweep mock.valve=1,2", "did you mean value?");
    refused("--sweep moc.value=1,2", "did you mean mock?");
    refused("--sweep mock.value=1", "2 to 64 values");
    refused("--sweep value=1,2", "LAYER.SETTING");
    refused("--sweep mock.value=1,x", "value=x: a number");
    refused("--sweep mock.value=1,2 --sweep mock.value=3,4", "given twice");
    refused("--sweep mock.value=1,2 --sweep mock.times=1,2 --design fractional", "it takes three");
    refused("--sweep mock.value=1,2 --design half", "full, fractional, one-at-a-time");
    refused("--layers mock --design full", "or omit --design");
    refused(
        "--layers mock --sweep disk.size=4k,64k",
        "no benchmark of disk that is measured has the size 4k",
    );
    let hundred: Vec<String> = (1..=20).map(|n| n.to_string()).collect();
    let many = format!("--sweep mock.value={0} --sweep mock.times={0}", hundred.join(","));
    refused(&many, "400 layers, about");
    refused(&many, "--design one-at-a-time (39 layers, about");
    refused(&format!("{many} --sweep mock.step={}", hundred.join(",")), "8000 combinations");
    bench.fails(
        "run --layers mock --bench host/start --blocks 1 --out c --sweep load=1,2",
        2,
        "no matching benchmark",
    );
    assert!(!bench.path("c").exists());
}

#[test]
fn a_setting_that_fails_leaves_the_others_their_effects() {
    let bench = Bench::new();
    bench.ok(
        "run --sweep mock.value=100,150 --sweep mock.fault=-,silent,fail --bench lmbench/null_call --blocks 2 --boot-limit 1s \
         --out c",
    );
    let found = response(&bench, "lmbench/null_call");
    assert_eq!(ratios(&found, "effects"), [1.5], "{found}");
    assert_eq!(ratios(&found, "settings"), [1.0, 1.5]);
}

#[test]
fn long_settings_fit_the_page() {
    let bench = Bench::new();
    let values: Vec<String> = (1..=5).map(|n| format!("1{n}0.{}", "0".repeat(60))).collect();
    let ran = bench.ok(&format!(
        "run --sweep mock.value={0} --sweep mock.times={0} --bench lmbench/null_call --blocks 2 --out c",
        values.join(",")
    ));
    let sweep = ran.out.split("Sweep of mock").nth(1).expect("a sweep");
    assert_fits(sweep);
}
