//! `tare report` and what `tare run` leaves beside its campaign: every form, several campaigns, bad directories.

mod common;

use common::{Bench, assert_fits};
use std::fs;
use tare_report::FORMS;

const MOCKS: &str = "--layer name=base,kind=mock,value=100 --layer name=slow,kind=mock,value=150 \
                     --baseline base --bench lmbench/null_call --bench lmbench/stat --seed 5";

#[test]
fn a_run_leaves_its_report_beside_the_campaign() {
    let bench = Bench::new();
    bench.ok(&format!("run {MOCKS} --blocks 3 --out c"));
    for name in ["report.html", "scoreboard.txt", "scoreboard.md", "scoreboard.json"] {
        let text = fs::read_to_string(bench.path("c").join(name)).expect(name);
        assert!(text.contains("lmbench/null_call"), "{name}");
    }
    bench.ok("resume c --blocks 4");
    let text = fs::read_to_string(bench.path("c/scoreboard.txt")).unwrap();
    assert!(text.contains("4 blocks"), "written again at the end of resume:\n{text}");
}

#[test]
fn without_a_directory_the_newest_campaign_of_the_folder_is_meant() {
    let bench = Bench::new();
    assert_eq!(bench.tare("show").code, 2, "there is none");
    for (out, rows) in [("z-first", "lmbench/null_call"), ("a-second", "lmbench/stat")] {
        bench.ok(&format!("run --layers mock --bench {rows} --blocks 1 --out {out}"));
        std::thread::sleep(std::time::Duration::from_millis(1100)); // campaigns are dated by the second
    }
    for line in ["show", "show a-second/campaign.db", "resume"] {
        let done = bench.ok(line);
        assert!(done.out.contains("lmbench/stat") && !done.out.contains("null_call"), "{line}");
    }
    assert!(bench.ok("show").err.contains("a-second, the newest campaign"));
    assert!(bench.ok("open").out.contains("a-second/report.html"));
    // What somebody else may have written is not taken by itself.
    common::set_mode(bench.path("a-second"), 0o777);
    assert!(bench.ok("show").out.contains("null_call"));
}

#[test]
fn every_form_is_written() {
    let bench = Bench::new();
    bench.ok(&format!("run {MOCKS} --blocks 3 --out c"));
    bench.ok("report c --out page.html");
    let page = fs::read_to_string(bench.path("page.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("slow"));
    for (format, begin) in
        [("md", "**slow against base"), ("csv", "suite,benchmark"), ("svg", "<svg xmlns")]
    {
        let out = bench.ok(&format!("report c --format {format}")).out;
        assert!(out.starts_with(begin), "{format}: {out}");
    }
    let tables = bench.ok("report c --format text").out;
    assert!(tables.contains("LOWER IS BETTER -> Lower ratio is better"), "{tables}");
    assert_fits(&tables);
    bench.ok("report c --format png --out o.png");
    bench.ok("report c --format png --bench lmbench/stat --out b.png");
    for name in ["o.png", "b.png"] {
        let picture = fs::read(bench.path(name)).unwrap();
        assert!(picture.starts_with(b"\x89PNG") && picture.len() > 5_000, "{name}");
    }
    let csv = bench.ok("report c --format csv").out;
    let slow = csv.lines().find(|line| line.contains("null_call")).expect("its line");
    assert!(slow.contains(",slow,measured,1.5,1.5,1.5,3,"), "{slow}");
}

/// The recipe "a new form of the scoreboard": a row of the table is all that the commands know of a form.
#[test]
fn the_table_of_forms_is_the_only_list() {
    let bench = Bench::new();
    bench.ok(&format!("run {MOCKS} --blocks 2 --out c"));
    let help = bench.ok("show --help").out;
    let files = FORMS.iter().filter_map(|form| form.file);
    let left = bench_files(&bench);
    assert!(files.into_iter().all(|file| left.contains(&file.to_owned())), "{left:?}");
    for form in FORMS {
        assert!(help.contains(form.name), "{}: {help}", form.name);
        let out = bench.ok(&format!("show c --format {}", form.name)).out;
        assert!(out.contains("lmbench/null_call"), "{}: {out}", form.name);
        let compared = bench.tare(&format!("compare c c --format {}", form.name));
        assert_eq!(
            compared.code,
            if form.comparison.is_some() { 0 } else { 2 },
            "{}",
            compared.err
        );
    }
    assert!(bench.tare("show c --format tex").err.contains("text"), "what is nearest is named");
}

fn bench_files(bench: &Bench) -> Vec<String> {
    let entries = fs::read_dir(bench.path("c")).unwrap().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn several_campaigns_are_a_history() {
    let bench = Bench::new();
    for name in ["one", "two"] {
        bench.ok(&format!("run {MOCKS} --blocks 2 --out {name}"));
    }
    bench.ok("report one two --out h.html");
    let page = fs::read_to_string(bench.path("h.html")).unwrap();
    assert!(page.contains("2 benchmarks over 2 campaigns"), "every benchmark that was asked for");
    assert!(page.contains("the longest has 2"), "too few for a change is not said");
}

#[test]
fn bad_directories_and_bad_wishes_are_named() {
    let bench = Bench::new();
    bench.ok(&format!("run {MOCKS} --blocks 1 --out c"));
    fs::create_dir(bench.path("broken")).unwrap();
    bench.write("broken/campaign.db", "this is no database");
    let wrong = [
        (1, "report nowhere", vec!["nowhere", "no campaign"]),
        (1, "report broken", vec!["broken/campaign.db"]),
        (2, "report c --format svg --bench lmbench/stta", vec!["lmbench/stta", "lmbench/stat"]),
        (2, "report c --bench lmbench/stat", vec!["--bench", "svg or png"]),
        (2, "report c c --format csv", vec!["one"]),
        (1, "report c --out /proc/nowhere.html", vec!["/proc/nowhere.html"]),
        (1, "serve nowhere", vec!["nowhere"]),
        (1, "serve c --listen 203.0.113.1:1", vec!["203.0.113.1:1", "--listen"]),
    ];
    for (code, line, words) in wrong {
        let done = bench.tare(line);
        assert_eq!(done.code, code, "tare {line}: {}", done.err);
        for word in words {
            assert!(done.err.contains(word), "tare {line}: no '{word}' in {}", done.err);
        }
    }
}

#[test]
fn campaigns_that_are_short_of_something_are_reported_all_the_same() {
    let bench = Bench::new();
    bench.ok(&format!("run {MOCKS} --blocks 1 --out one"));
    bench.fails(
        "run --layer name=base,kind=mock --layer name=bad,kind=mock,fault=die --baseline base \
         --bench lmbench/null_call --blocks 2 --out failed",
        4,
        "Nothing could be compared",
    );
    for (name, word) in [("one", "too few to say what a layer costs"), ("failed", "failed: ")] {
        bench.ok(&format!("report {name}"));
        let page = fs::read_to_string(bench.path(name).join("report.html")).unwrap();
        assert!(page.contains(word), "{name}");
        assert!(page.contains("No counters were recorded"), "{name}");
    }
}

#[test]
fn a_server_starts_says_where_and_ends() {
    let bench = Bench::new();
    bench.ok(&format!("run {MOCKS} --blocks 1 --out c"));
    let mut server = bench.start("serve . --listen 127.0.0.1:0");
    let mut line = String::new();
    let out = server.stdout.take().expect("piped");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).unwrap();
    let address = line.trim_start_matches("http://").split('/').next().unwrap().to_owned();
    let mut stream = std::net::TcpStream::connect(&address).expect("it listens");
    let ask = format!("GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    std::io::Write::write_all(&mut stream, ask.as_bytes()).unwrap();
    let mut answer = String::new();
    std::io::Read::read_to_string(&mut stream, &mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("/c/"), "{answer}");
    let pid = nix::unistd::Pid::from_raw(server.id() as i32);
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
    assert!(server.wait().unwrap().success());
}
