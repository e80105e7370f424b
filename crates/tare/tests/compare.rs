//! `tare compare` and its gate, on recorded campaigns (tests/data) that scripted layers replay.

mod common;

use common::{Bench, assert_fits, flat};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// Samples by layer, benchmark and boot.
type Recorded = HashMap<String, HashMap<String, Vec<Vec<f64>>>>;

/// The recorded campaign `name`, the times of its layer `again` multiplied by `factor`.
fn recorded(name: &str, factor: f64) -> Recorded {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    let text = std::fs::read_to_string(path).expect("a recorded campaign");
    let mut recorded: Recorded = serde_json::from_str(&text).expect("its samples");
    let again = recorded.get_mut("again").expect("a layer");
    again.values_mut().flatten().flatten().for_each(|sample| *sample *= factor);
    recorded
}

/// Replays a recorded campaign, or its first blocks, into the directory `out`.
fn replay(bench: &Bench, name: &str, factor: f64, blocks: u32, out: &str) {
    for (layer, scripts) in recorded(name, factor) {
        bench.write(&format!("{layer}.json"), &serde_json::to_string(&scripts).unwrap());
    }
    bench.ok(&format!(
        "run --layer name=native,kind=mock,script=native.json \
         --layer name=again,kind=mock,script=again.json --baseline native \
         --bench lmbench/null_call --bench lmbench/open_close --blocks {blocks} --seed 7 --out {out}"
    ));
}

/// A folder with the campaigns `before` and `after`, the latter's layer costing `factor` times what it did.
fn campaigns(factor: f64) -> Bench {
    blocks_of_campaigns(factor, 10)
}

/// [`campaigns`] of the first blocks only.
fn blocks_of_campaigns(factor: f64, blocks: u32) -> Bench {
    let bench = Bench::new();
    replay(&bench, "native-before.json", 1.0, blocks, "before");
    replay(&bench, "native-after.json", factor, blocks, "after");
    bench
}

/// The rows of the only layer of a comparison as JSON, by benchmark.
fn rows(bench: &Bench, line: &str) -> HashMap<String, Value> {
    let done = bench.tare(&format!("compare {line} --format json"));
    let all: Value = done.json();
    assert_eq!(all["format"], "tare-comparison");
    let rows = all["layers"][0]["rows"].as_array().expect("rows").clone();
    rows.into_iter().map(|row| (row["benchmark"].as_str().unwrap().to_owned(), row)).collect()
}

/// Conditions, and the exit codes of `compare before after` and of `compare after before`.
fn assert_gate(bench: &Bench, conditions: &[(&str, i32, i32)]) {
    for (condition, forth, back) in conditions {
        for (sides, expected) in [("before after", *forth), ("after before", *back)] {
            for format in ["text", "json", "md"] {
                let mut command = bench.command(&format!("compare {sides} --format {format}"));
                let done = common::done(command.args(["--fail-if", condition]).output().unwrap());
                let all = format!("{sides}, {condition}, {format}\n{}\n{}", done.out, done.err);
                assert_eq!(done.code, expected, "{all}");
                assert_eq!(done.err.contains("--fail-if"), expected != 0, "{all}");
            }
        }
    }
}

#[test]
fn a_recorded_a_a_passes_every_gate() {
    let bench = campaigns(1.0);
    assert_gate(&bench, &[("slower > 0%", 0, 0), ("faster > 0%", 0, 0), ("different > 0%", 0, 0)]);
    for row in rows(&bench, "before after").values() {
        assert!(["undecided", "equivalent"].contains(&row["verdict"].as_str().unwrap()), "{row}");
    }
}

#[test]
fn a_true_tenth_fails_the_gate_in_its_own_direction_only() {
    let bench = campaigns(1.10);
    assert_gate(
        &bench,
        &[
            ("slower > 3%", 3, 0),
            ("faster > 3%", 0, 3),
            ("different > 3%", 3, 3),
            ("heavier > 0%", 2, 2),
        ],
    );
}

#[test]
fn a_difference_that_is_not_shown_to_exceed_the_bound_passes() {
    let bench = campaigns(1.10);
    let all = rows(&bench, "before after");
    let row = &all["lmbench/null_call"];
    let ratio = row["ratio"]["value"].as_f64().unwrap();
    assert!(row["verdict"] == "slower" && ratio > 1.09, "{row}");
    assert_gate(&bench, &[("slower > 9%", 0, 0)]);
}

#[test]
fn an_undecided_row_beyond_the_bound_passes() {
    let bench = campaigns(1.015);
    let all = rows(&bench, "before after");
    let row = &all["lmbench/null_call"];
    let ratio = row["ratio"]["value"].as_f64().unwrap();
    assert!(row["verdict"] == "undecided" && ratio > 1.03, "{row}");
    assert_gate(&bench, &[("slower > 3%", 0, 0), ("different > 0%", 0, 0)]);
    let text = flat(&bench.ok("compare before after --fail-if slower>3%").out);
    assert!(text.contains("2 rows undecided, which does not fail"), "{text}");
    assert!(text.contains("Smallest detectable difference: "), "{text}");
    let strict = bench.tare("compare before after --fail-if slower>3% --fail-undecided");
    assert_eq!(strict.code, 3, "{}", strict.out);
    assert!(flat(&strict.err).contains("undecided, which fails"), "{}", strict.err);
    bench.ok("compare before after --fail-if slower>60% --fail-undecided");
}

#[test]
fn the_baseline_tells_the_hosts_share_from_the_layers() {
    let bench = campaigns(1.0);
    let by_cost = bench.ok("compare before after").out;
    assert!(flat(&by_cost).contains("native did not change"), "{by_cost}");
    // As measured, everything is a tenth faster: the machine was less busy.
    let by_value = rows(&bench, "before after --by value");
    let ratio = by_value["lmbench/null_call"]["ratio"]["value"].as_f64().unwrap();
    assert!(ratio < 0.95, "{ratio}");
    let text = bench.ok("compare before after --by value").out;
    assert!(flat(&text).contains("Changes of the host between the campaigns are part"), "{text}");
    assert!(text.contains("native, after / before"), "the baseline is a row's layer too:\n{text}");
}

#[test]
fn there_and_back_are_each_others_inverse() {
    let bench = campaigns(1.10);
    let there = rows(&bench, "before after");
    let back = rows(&bench, "after before");
    for (name, row) in there {
        let of = |row: &Value, key: &str| row["ratio"][key].as_f64().unwrap();
        for (key, other) in [("value", "value"), ("low", "high"), ("high", "low")] {
            let product = of(&row, key) * of(&back[&name], other);
            assert!((product - 1.0).abs() < 1e-12, "{name} {key}: {product}");
        }
        assert_eq!(row["p_difference"], back[&name]["p_difference"]);
    }
}

#[test]
fn what_is_not_comparable_is_refused_unless_forced() {
    let bench = blocks_of_campaigns(1.0, 2);
    let set = |sql: &str| {
        let path = bench.path("after").join(tare_store::FILE);
        let changed = rusqlite::Connection::open(path).unwrap().execute(sql, []).unwrap();
        assert!(changed > 0, "{sql}");
    };
    let refused = |word: &str| {
        let done = bench.tare("compare before after");
        assert_eq!((done.code, done.out.as_str()), (1, ""), "{}", done.err);
        assert!(done.err.contains(word) && done.err.contains("--force"), "{}", done.err);
        let forced = bench.ok("compare before after --force").out;
        assert!(forced.contains(word), "{forced}");
    };
    set("UPDATE benchmark SET estimator = 'mean' WHERE name = 'lmbench/null_call'");
    refused("is reduced by");
    bench.ok("compare before after --estimator median");
    set("UPDATE campaign SET value = '\"0123456789abcdef\"' WHERE key = 'probe_sha256'");
    // As campaigns of earlier versions are.
    let path = bench.path("after").join(tare_store::FILE);
    let undefined = "DELETE FROM campaign WHERE key = 'definitions'";
    rusqlite::Connection::open(path).unwrap().execute(undefined, []).unwrap();
    refused("the probes differ");
}

#[test]
fn another_build_of_the_probe_leaves_out_what_it_defines_differently() {
    let bench = blocks_of_campaigns(1.0, 3);
    let set = |campaign: &str, sql: &str| {
        let path = bench.path(campaign).join(tare_store::FILE);
        rusqlite::Connection::open(path).unwrap().execute(sql, []).unwrap();
    };
    for (campaign, null_call) in [("before", 1), ("after", 2)] {
        set(campaign, "DELETE FROM campaign WHERE key = 'definitions'");
        let known = format!("{{\"lmbench/null_call\": {null_call}, \"lmbench/open_close\": 1}}");
        set(
            campaign,
            &format!("INSERT INTO campaign (key, value) VALUES ('definitions', '{known}')"),
        );
    }
    set("after", "UPDATE campaign SET value = '\"0123456789abcdef\"' WHERE key = 'probe_sha256'");
    let compared = bench.ok("compare before after").out;
    let said = common::flat(&compared);
    assert!(
        said.contains("differently, which are left out: ") && said.contains("lmbench/null_call"),
        "{compared}"
    );
    let row = |name: &str| compared.lines().any(|line| line.trim_start().starts_with(name));
    assert!(row("lmbench/open_close") && !row("lmbench/null_call  "), "{compared}");
}

#[test]
fn what_else_differs_is_told() {
    let bench = blocks_of_campaigns(1.0, 2);
    let set = |sql: &str| {
        let path = bench.path("after").join(tare_store::FILE);
        rusqlite::Connection::open(path).unwrap().execute(sql, []).unwrap();
    };
    set("UPDATE boot SET hello = json_set(hello, '$.kernel', 'newer', '$.cpu_model', 'Other CPU')");
    set("UPDATE layer SET settings = settings || ',memory=1G' WHERE name = 'again'");
    set(
        "UPDATE benchmark SET unit = 'per_second', better = 'higher' WHERE name = 'lmbench/open_close'",
    );
    let text = bench.ok("compare before after").out;
    let all = flat(&text);
    for said in [
        "Compared: values",
        "native itself changed (CPU model)",
        "kernel newer; the first campaign has mock",
        "CPU: none before, Other CPU after",
        "memory=1G after",
        "lmbench/open_close has a different unit",
    ] {
        assert!(all.contains(said), "no '{said}' in\n{text}");
    }
    assert_fits(&text);
    let by_cost = bench.ok("compare before after --by cost").out;
    assert!(by_cost.contains("Compared: each layer's cost against native"), "{by_cost}");
}

#[test]
fn mistakes_are_named() {
    let bench = blocks_of_campaigns(1.0, 2);
    replay(&bench, "native-before.json", 1.0, 1, "short");
    bench.ok("run --layers mock --bench lmbench/stat --blocks 2 --out other");
    let cases: &[(&[&str], i32, &str)] = &[
        (&["before", "after", "--fail-if", "slower than 3%"], 2, "WORD > NUMBER%"),
        (&["before", "after", "--fail-if", "worse > 3%"], 2, "slower, faster, heavier"),
        (&["before", "after", "--fail-if", "slower > 3"], 2, "has no '%'"),
        (&["before", "after", "--fail-if", "slower > -3%"], 2, "0 or more"),
        (&["before", "after", "--fail-if", "costlier > 3%"], 2, "use 'slower > 3%'"),
        (&["before", "after", "--fail-undecided"], 2, "--fail-if"),
        (&["before", "after", "--margin", "0"], 2, "--margin"),
        (&["before", "nowhere"], 1, "nowhere"),
        (&["before", "other"], 1, "no layer to compare is in both"),
        (&["before", "other", "--by", "cost"], 1, "no baseline of the same name"),
        (&["before", "short", "--fail-if", "slower > 3%"], 1, "cannot be tested"),
    ];
    for (words, code, said) in cases {
        let done = common::done(bench.command("compare").args(*words).output().unwrap());
        assert_eq!(done.code, *code, "{words:?}\n{}\n{}", done.out, done.err);
        assert!(done.err.contains(said), "{words:?}: no '{said}' in\n{}", done.err);
    }
    // One block a side still gives ratios, without verdicts.
    let text = bench.ok("compare short before").out;
    assert!(text.contains("one block") && !text.contains("same campaign"), "{text}");
    let text = bench.ok("compare short short").out;
    assert!(text.contains("2 identical") && text.contains("both are the same campaign"), "{text}");
}
