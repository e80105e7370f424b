//! `tare bisect` over scripted versions: what is found, in how many campaigns, and what is refused.

mod common;

use common::{Bench, flat};

/// Sixteen versions; the value rises with the eleventh.
fn line(more: &str) -> String {
    let versions: Vec<String> = (1..=16).map(|at| version(at).to_string()).collect();
    let over = versions.join(",");
    let good = version(1);
    let bad = version(16);
    format!(
        "bisect --layer mock --knob value --good {good} --bad {bad} --over {over} --bench lmbench/null_call {more}"
    )
}

fn version(at: u32) -> f64 {
    let base = if at < 11 { 1000.0 } else { 1500.0 };
    base + f64::from(at) / 100.0
}

#[test]
fn the_first_bad_version_is_found_in_log2_campaigns_that_are_kept() {
    let bench = Bench::new();
    let done = bench.ok(&line("--out b"));
    assert!(
        done.out.contains("The first bad version is 1500.11; 1000.1 before it is good."),
        "{}",
        done.out
    );
    assert!(done.out.contains("6 of 16 versions were looked at."), "{}", done.out);
    let kept = || std::fs::read_dir(bench.path("b")).expect("a folder").count();
    assert_eq!(kept(), 6);
    let one = folder(&bench, "1500.11-");
    assert_eq!(bench.campaign(&one).boots.len(), 2, "one block, with the baseline's second boot");
    let made = bench.campaign(&one).plan.created;
    assert_eq!(bench.ok(&line("--out b")).out, done.out);
    assert_eq!(bench.campaign(&one).plan.created, made, "nothing is measured again");
    assert_eq!(kept(), 6);
    // Backwards, it is the last version of the other end.
    let back =
        line("--out b").replace("--good 1000.01 --bad 1500.16", "--good 1500.16 --bad 1000.01");
    let text = flat(&bench.ok(&back).out);
    assert!(text.contains("The first bad version is 1000.1; 1500.11 before it is good."), "{text}");
}

fn folder(bench: &Bench, begin: &str) -> String {
    let entries = std::fs::read_dir(bench.path("b")).expect("a folder").flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let found: Vec<String> = names.filter(|name| name.starts_with(begin)).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    format!("b/{}", found[0])
}

fn script(bench: &Bench, path: &str, value: f64) -> String {
    let file = bench.path(path);
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    let samples = vec![vec![value; 8]; 2];
    let text = serde_json::json!({ "lmbench/null_call": samples }).to_string();
    std::fs::write(&file, text).expect("a script");
    file.display().to_string()
}

/// Looks among `scripts`, from the first to the last; what was said.
fn among(bench: &Bench, layer: &str, scripts: &[String]) -> String {
    let over = scripts.join(",");
    let good = &scripts[0];
    let bad = &scripts[scripts.len() - 1];
    bench
        .ok(&format!(
            "bisect --layer {layer} --knob script --good {good} --bad {bad} --over {over} --bench lmbench/null_call --out b"
        ))
        .out
}

#[test]
fn versions_whose_names_end_alike_are_told_apart() {
    let bench = Bench::new();
    let below = "deploy/the-same-long-folder-below-each-of-the-revisions/values.json";
    let scripts: Vec<String> = (1..=5)
        .map(|at| script(&bench, &format!("rev{at}/{below}"), if at < 4 { 1000.0 } else { 1500.0 }))
        .collect();
    let said = among(&bench, "mock", &scripts);
    let last = &scripts[2];
    let first = &scripts[3];
    assert!(said.contains(&format!("The first bad version is {first}; {last} before")), "{said}");
    let odd = [script(&bench, "k/a", 1000.0), script(&bench, "k-a", 1500.0)];
    let said = among(&bench, "mock", &odd);
    assert!(said.contains(&format!("The first bad version is {}", odd[1])), "{said}");
}

#[test]
fn a_value_is_used_again_only_where_nothing_has_changed() {
    let bench = Bench::new();
    let scripts = [
        script(&bench, "a", 1000.0),
        script(&bench, "b.json", 1000.0),
        script(&bench, "c", 1500.0),
    ];
    let first_bad = |said: &str, at: usize| {
        assert!(said.contains(&format!("The first bad version is {};", scripts[at])), "{said}");
    };
    first_bad(&among(&bench, "mock", &scripts), 2);
    script(&bench, "b.json", 1500.0); // rebuilt, in its place
    first_bad(&among(&bench, "mock", &scripts), 1);
    let other = among(&bench, "mock,times=2", &scripts);
    assert!(other.contains("3.00 k instr"), "{other}");
}

#[test]
fn a_version_that_does_not_exist_is_named_at_once() {
    let bench = Bench::new();
    let good = script(&bench, "a", 1000.0);
    let bad = script(&bench, "c", 1500.0);
    let missing = bench.path("b").display().to_string();
    let line = format!("--good {good} --bad {bad} --bench lmbench/null_call --out out");
    for (knob, machine) in [("script", "sim"), ("kernel", "real")] {
        let over = format!("--over {good},{missing},{bad} {line}");
        bench.fails(
            &format!("bisect --layer mock --knob {knob} --machine {machine} {over}"),
            2,
            &format!("the version {missing} does not exist"),
        );
        assert_eq!(bench.names(), ["a", "c"], "nothing was measured");
    }
}

#[test]
fn what_cannot_be_looked_for_is_refused() {
    let bench = Bench::new();
    let refused = |line: &str, code: i32, says: &str| {
        let done = bench.tare(line);
        assert_eq!(done.code, code, "{}", done.err);
        assert!(flat(&done.err).contains(says), "{}", done.err);
    };
    let other = line("--out b").replace("--good 1000.01", "--good 7");
    refused(&other, 2, "7 is not among the versions of --over: 1000.01, ");
    let same = line("--out b").replace("--bad 1500.16", "--bad 1000.01");
    refused(&same, 2, "are the same");
    let alike = line("--out b").replace("--bad 1500.16", "--bad 1000.05");
    refused(&alike, 1, "do not differ in lmbench/null_call: 1.00 k instr and 1.00 k instr");
    refused(
        &line("--out b").replace("--layer mock", "--layer mock,fault=silent --boot-limit 1s"),
        1,
        "was not measured: ",
    );
    let row = line("--out b").replace("lmbench/null_call", "lmbench/nul_call");
    refused(&row, 2, "lmbench/null_call");
}
