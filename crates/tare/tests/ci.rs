//! The examples of docs/ci.md: every shell line in them is executed, with less to measure.

mod common;

use common::{Bench, done};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The lines of one example: the YAML block after the heading.
fn example(heading: &str) -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ci.md");
    let page = fs::read_to_string(page).unwrap();
    let rest = &page[page.find(heading).expect(heading)..];
    let begin = rest.find("```yaml\n").expect("an example") + "```yaml\n".len();
    let end = begin + rest[begin..].find("```").expect("its end");
    rest[begin..end].lines().map(str::to_owned).collect()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The shell scripts of an example: what stands after `run:`, and the items of `script:`; without those under a comment
/// that says why they are not tested.
fn scripts(lines: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = &lines[at];
        at += 1;
        let bare = line.trim_start().trim_start_matches("- ");
        let below = lines[at..].iter().take_while(|next| indent(next) > indent(line));
        let below: Vec<&str> = below.map(|next| next.trim()).collect();
        // The comment stands above the step, which may have a line before its `run:`.
        let untested = (2..4).any(|back| at >= back && lines[at - back].contains("# not tested: "));
        match bare.split_once(':') {
            Some(("run", " |")) => found.push(below.join("\n")),
            Some(("run", script)) if !untested => found.push(script.trim().to_owned()),
            Some(("script", "")) => {
                found.push(
                    below
                        .iter()
                        .map(|item| item.trim_start_matches("- "))
                        .collect::<Vec<_>>()
                        .join("\n"),
                );
            }
            _ => {}
        }
    }
    found
}

/// Runs the scripts of the example after `heading` in `bench`, as a runner does: one after the other, the first that fails ends it.
fn run(bench: &Bench, heading: &str, settings: &[(&str, &str)]) -> (i32, String) {
    let scripts = scripts(&example(heading));
    assert!(!scripts.is_empty() && scripts.iter().any(|script| script.contains("tare run")));
    let program = Path::new(env!("CARGO_BIN_EXE_tare")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut said = String::new();
    for script in scripts {
        let mut shell = Command::new("bash");
        shell.args(["-eu", "-o", "pipefail", "-c", &script]).current_dir(bench.path(""));
        // A gate of a busy machine passes here, as the other tests do.
        shell.env("PATH", &path).env("TARE_CACHE", common::cache()).env("TARE_MOST_WAITED", "100");
        shell.stdin(Stdio::null());
        shell.env("GITHUB_STEP_SUMMARY", bench.path("summary.md"));
        shell.envs(settings.iter().copied());
        let done = done(shell.output().unwrap());
        said += &format!("$ {script}\n{}{}", done.out, done.err);
        if done.code != 0 {
            return (done.code, said);
        }
    }
    (0, said)
}

#[test]
fn times_become_the_record_and_are_compared_with_it() {
    let bench = Bench::new();
    let settings = [("LAYERS", "native,runc"), ("BENCHES", "lmbench/null_call"), ("BUDGET", "12s")];
    let (code, said) = run(&bench, "## A gate on times", &settings);
    assert_eq!(code, 0, "{said}");
    assert!(bench.path("record/campaign.db").is_file() && bench.path("now/report.html").is_file());
    let (code, said) = run(&bench, "## A gate on times", &settings);
    assert_eq!(code, 0, "{said}");
    let summary = fs::read_to_string(bench.path("summary.md")).unwrap();
    assert!(summary.contains("lmbench/null") && summary.contains('|'), "{summary}");
}

#[test]
fn a_slowdown_fails_the_gate() {
    let bench = Bench::new();
    let mocks = |value: u32, out: &str| {
        bench.ok(&format!(
            "run --layer name=native,kind=mock,value=100 --layer name=runc,kind=mock,value={value} --baseline native \
             --bench lmbench/null_call --blocks 5 --out {out}"
        ))
    };
    mocks(100, "record");
    mocks(120, "slow");
    let scripts = scripts(&example("## A gate on times"));
    let gate = scripts.iter().find(|script| script.contains("--fail-if")).expect("the gate");
    let line = gate.lines().find(|line| line.contains("--fail-if")).unwrap();
    let line = line.replace("tare ", "").replace(" now ", " slow ");
    let mut command = bench.command("");
    let words = line.split('\'').collect::<Vec<_>>();
    command.args(words[0].split_whitespace()).arg(words[1]);
    assert_eq!(done(command.output().unwrap()).code, 3, "{line}");
}

#[test]
fn gitlab_keeps_scoreboards_and_a_record() {
    let bench = Bench::new();
    let settings = [("LAYERS", "native"), ("BENCHES", "lmbench/null_call"), ("BUDGET", "1s")];
    let (code, said) = run(&bench, "## The same with GitLab", &settings);
    assert_eq!(code, 0, "{said}");
    for name in ["scoreboard.md", "scoreboard.csv", "record/campaign.db", "now/report.html"] {
        assert!(bench.path(name).is_file(), "{name}\n{said}");
    }
}

#[test]
fn instructions_of_two_kernels_pass_when_they_are_the_same() {
    let bench = Bench::new();
    let doctor = bench.ok("doctor --machine sim native --json").out;
    let doctor: serde_json::Value = serde_json::from_str(&doctor).unwrap();
    let files = doctor["layers"][0]["artifacts"].as_array().expect("artifacts");
    let kernel = files.iter().find(|file| file["role"] == "kernel").expect("a kernel");
    let kernel = kernel["path"].as_str().unwrap();
    let settings =
        [("BEFORE", kernel), ("AFTER", kernel), ("BENCHES", "lmbench/null_call"), ("BLOCKS", "2")];
    let (code, said) = run(&bench, "## A gate on instructions", &settings);
    assert_eq!(code, 0, "{said}");
    assert!(fs::read_to_string(bench.path("summary.md")).unwrap().contains("before"), "{said}");
}
