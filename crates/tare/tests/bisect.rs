//! `tare bisect` over scripted versions: what is found, in how many campaigns, and what is refused.

mod common;

use common::{Bench, flat};

/// Sixteen versions; the value rises with the eleventh.
fn line(more: &str) -> String {
    let versions: Vec<String> = (1..=16).map(|at| version(at).to_string()).collect();
    let (over, good, bad) = (versions.join(","), version(1), version(16));
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
    assert_eq!(
        bench.campaign("b/1500.11").boots.len(),
        2,
        "one block, with the baseline's second boot"
    );
    let made = bench.campaign("b/1500.11").plan.created;
    assert_eq!(bench.ok(&line("--out b")).out, done.out);
    assert_eq!(bench.campaign("b/1500.11").plan.created, made, "nothing is measured again");
    // Backwards, it is the last version of the other end.
    let back =
        line("--out b").replace("--good 1000.01 --bad 1500.16", "--good 1500.16 --bad 1000.01");
    let text = flat(&bench.ok(&back).out);
    assert!(text.contains("The first bad version is 1000.1; 1500.11 before it is good."), "{text}");
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
    bench.ok(&line("--out c"));
    let row = line("--out c").replace("lmbench/null_call", "kernel/getppid");
    refused(&row, 1, "is of another row than kernel/getppid");
}
