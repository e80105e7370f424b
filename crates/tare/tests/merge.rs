//! `tare merge`: campaigns of one plan from many hosts, here of scripted layers with exact figures.

mod common;

use common::{Bench, flat};
use serde_json::{Value, json};
use std::fs;

/// A campaign of `blocks` blocks in `hosts/NAME`: the layer `x` takes `cost` times what native takes, with a little scatter.
fn host(bench: &Bench, name: &str, cost: f64, more: &str) {
    let times = |cost: f64, turn: f64| -> Value {
        let boots: Vec<Vec<f64>> = (0..8)
            .map(|boot| vec![100.0 * cost * (1.0 + 0.001 * (f64::from(boot) * 2.3 + turn).sin())])
            .collect();
        json!({"lmbench/null_call": boots, "lmbench/open_close": boots})
    };
    let seed = name.bytes().map(f64::from).sum::<f64>();
    bench.write("native.json", &times(1.0, seed).to_string());
    bench.write("x.json", &times(cost, seed * 1.7).to_string());
    let _ = fs::create_dir(bench.path("hosts"));
    bench.ok(&format!(
        "run --layer name=native,kind=mock,script=native.json --layer name=x,kind=mock,script=x.json --baseline native \
         --bench lmbench/null_call --bench lmbench/open_close --blocks 4 {more} --out hosts/{name}"
    ));
}

#[test]
fn hosts_that_agree_give_one_mean_and_a_page_with_each_of_them() {
    let bench = Bench::new();
    for name in ["a", "b", "c", "d"] {
        host(&bench, name, 2.0, "");
    }
    let said = flat(&bench.ok("merge hosts/a hosts/b hosts/c hosts/d -o all").out);
    assert!(said.starts_with("4 hosts: what each layer costs against native"), "{said}");
    assert!(said.contains("x: 2.00 times slower than native; 4 hosts do not differ"), "{said}");
    assert_eq!(flat(&bench.ok("show all").out), said, "what is printed is what is kept");
    let all = bench.json("show all --format json");
    assert_eq!(all["format"], "tare-fleet");
    let cell = &all["rows"][0]["cells"][0];
    let pooled = &cell["pooled"];
    assert!((pooled["value"].as_f64().unwrap() - 2.0).abs() < 0.002, "{pooled}");
    assert_eq!(
        (cell["verdict"].as_str(), cell["spread"].as_str()),
        (Some("slower"), Some("alike"))
    );
    assert_eq!(cell["hosts"].as_array().unwrap().len(), 4);
    for file in ["report.html", "scoreboard.txt", "scoreboard.json", "scoreboard.md"] {
        assert!(bench.path("all").join(file).is_file(), "{file}");
    }
    let page = fs::read_to_string(bench.path("all/report.html")).unwrap();
    for name in ["a", "b", "c", "d"] {
        assert!(page.contains(&format!(">{name}</text>")), "host {name} has a line in a forest");
    }
    bench.ok("report all --format csv --out all.csv");
    let csv = fs::read_to_string(bench.path("all.csv")).unwrap();
    let lines = csv.lines().filter(|line| line.contains("lmbench/null_call")).count();
    assert_eq!(lines, 1 + 4, "all hosts, and each: {csv}");
    assert!(bench.ok("open all").out.contains("report.html"));
}

#[test]
fn a_mean_over_hosts_can_fail_a_build() {
    let bench = Bench::new();
    for name in ["a", "b", "c", "d"] {
        host(&bench, name, 2.0, "");
    }
    bench.ok("merge hosts/a hosts/b hosts/c hosts/d -o all");
    bench.fails(
        "show all --fail-if slower>50%",
        3,
        "FAILED slower > 50%: x lmbench/null_call, cost 2.00",
    );
    let done = bench.ok("show all --fail-if slower>150%");
    assert!(done.err.contains("2 of 2 rows shown not to be"), "{}", done.err);
    let done = bench.tare("show all --fail-if instructions>1%");
    assert_eq!(done.code, 2, "its rows are times: {}", done.err);
    bench.ok("merge hosts/a -o one");
    bench.fails("show one --fail-if slower>50%", 1, "two hosts");
}

#[test]
fn more_hosts_than_are_read_at_once_keep_their_order() {
    let bench = Bench::new();
    host(&bench, "h000", 2.0, "");
    for at in 1..100 {
        // The same campaign with another seed is another one.
        let copy = bench.path(&format!("hosts/h{at:03}"));
        fs::create_dir(&copy).unwrap();
        fs::copy(bench.path("hosts/h000/campaign.db"), copy.join("campaign.db")).unwrap();
        let database = rusqlite::Connection::open(copy.join("campaign.db")).unwrap();
        let sql = "UPDATE campaign SET value = ?1 WHERE key = 'seed'";
        assert_eq!(database.execute(sql, [at.to_string()]).unwrap(), 1);
    }
    let all: Vec<String> = (0..100).rev().map(|at| format!("hosts/h{at:03}")).collect();
    bench.ok(&format!("merge {} -o all --short", all.join(" ")));
    let all = bench.json("show all --format json");
    let hosts = all["hosts"].as_array().unwrap();
    assert_eq!(
        (hosts.len(), &hosts[0]["name"], &hosts[99]["name"]),
        (100, &json!("h099"), &json!("h000"))
    );
    assert_eq!(all["rows"][0]["cells"][0]["hosts"].as_array().unwrap().len(), 100);
}

#[test]
fn hosts_that_differ_are_said_to_and_the_odd_one_is_named() {
    let bench = Bench::new();
    for (at, name) in ["a", "b", "c", "d", "e", "odd"].into_iter().enumerate() {
        let cost = if name == "odd" { 9.0 } else { 2.0 + 0.01 * at as f64 };
        host(&bench, name, cost, "");
    }
    let line = "merge hosts/a hosts/b hosts/c hosts/d hosts/e hosts/odd -o all";
    let said = flat(&bench.ok(line).out);
    assert!(said.contains("x: costs 2.0") && said.contains("to 9.0"), "{said}");
    assert!(said.contains("times native, depending on the host"), "{said}");
    assert!(said.contains("odd is unlike the other hosts in 2 of 2 ratios"), "{said}");
    assert!(!said.contains("a is unlike"), "{said}");
    let cell = &bench.json("show all --format json")["rows"][0]["cells"][0];
    assert_eq!(cell["spread"], "wide");
    assert!(cell["pooled"]["i_squared"].as_f64().unwrap() > 0.99);
    assert!(cell["pooled"]["next_high"].as_f64() > cell["pooled"]["high"].as_f64());
}

#[test]
fn a_host_without_a_campaign_is_named_with_its_reason() {
    let bench = Bench::new();
    host(&bench, "a", 2.0, "");
    host(&bench, "b", 2.0, "");
    fs::create_dir(bench.path("hosts/c")).unwrap();
    bench.write("hosts/c/failure", "the disk\nis \u{1b}[31mfull\n");
    fs::create_dir(bench.path("hosts/d")).unwrap();
    let done = bench.ok("merge hosts/a hosts/b hosts/c hosts/d -o all");
    let said = flat(&done.out);
    assert!(said.starts_with("2 hosts (2 more missing)"), "{said}");
    assert!(said.contains("c is missing: the disk is") && said.contains("d is missing:"), "{said}");
    assert!(!done.out.contains('\u{1b}'), "{said}");
    assert!(done.err.contains("c is missing"), "{}", done.err);
    let page = fs::read_to_string(bench.path("all/report.html")).unwrap();
    assert!(page.contains("c is missing"));
    bench.fails("merge hosts/a hosts/b hosts/e -o other", 1, "no directory hosts/e");
    bench.fails("merge hosts/c hosts/d -o other", 1, "no host has a figure");
    let one = flat(&bench.ok("merge hosts/a hosts/c -o one").out);
    assert!(one.contains("one host alone") && one.contains("not pooled"), "{one}");
}

#[test]
fn what_says_nothing_together_is_refused() {
    let bench = Bench::new();
    host(&bench, "a", 2.0, "");
    host(&bench, "b", 2.0, "--margin 5");
    let refused_with = |code: i32, line: &str, why: &str| {
        let done = bench.tare(line);
        assert!(done.code == code && flat(&done.err).contains(why), "{line}: {}", done.err);
    };
    let refused = |line: &str, why: &str| refused_with(1, line, why);
    refused("merge hosts/a hosts/b -o all", "another plan than the first host: margin is 0.05");
    bench.ok("run --layer name=native,kind=mock,script=native.json --layer name=y,kind=mock --blocks 2 --out hosts/y");
    refused("merge hosts/a hosts/y -o all", "its layers are native, y");
    host(&bench, "c", 2.0, "--bench lmbench/pipe");
    refused("merge hosts/a hosts/c -o all", "it has the row lmbench/pipe");
    refused_with(2, "merge hosts/a hosts/a -o all", "two hosts are called 'a'");
    refused("merge hosts/a again=hosts/a -o all", "one and the same campaign");
    refused_with(2, "merge hosts/a -o hosts/b", "is a campaign's directory");
    host(&bench, "sim", 2.0, "");
    for (key, value, why) in [
        ("probe_sha256", "\"00\"", "another probe"),
        ("machine", "\"sim\"", "a simulated machine counts instructions"),
    ] {
        let file = bench.path("hosts/sim/campaign.db");
        let database = rusqlite::Connection::open(file).unwrap();
        let sql = "UPDATE campaign SET value = ?2 WHERE key = ?1";
        assert_eq!(database.execute(sql, [key, value]).unwrap(), 1);
        drop(database);
        refused("merge hosts/a hosts/sim -o all", why);
    }
    assert!(!bench.path("all").exists(), "nothing is left of what was refused");
}

#[test]
fn a_merged_result_that_is_damaged_is_an_error() {
    let bench = Bench::new();
    host(&bench, "a", 2.0, "");
    host(&bench, "b", 2.0, "");
    bench.ok("merge hosts/a hosts/b -o all");
    let whole = fs::read_to_string(bench.path("all/merged.json")).unwrap();
    let mut parsed: Value = serde_json::from_str(&whole).unwrap();
    parsed["cells"][0]["effects"][0]["host"] = json!(7);
    for (text, why) in [
        ("{}", "no merged result"),
        (&whole[..whole.len() / 2], "no merged result"),
        (&whole.replace("\"version\":1", "\"version\":9"), "a newer tare wrote it"),
        (&parsed.to_string(), "no such host"),
    ] {
        bench.write("all/merged.json", text);
        bench.fails("show all", 1, why);
    }
    bench.write("all/merged.json", &whole);
    bench.fails("report all --format svg", 2, "no such form");
    bench.fails("show all --estimator mean", 2, "tare merge");
}
