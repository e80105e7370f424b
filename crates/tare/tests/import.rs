//! `tare import`: from other tools' outputs to a scoreboard.

mod common;

use common::{Bench, assert_fits, flat, with};

#[test]
fn the_published_unixbench_outputs_give_the_published_share() {
    let files = [
        ("hv.log", "unixbench-hv.txt"),
        ("pr.log", "unixbench-pr.txt"),
        ("native.log", "unixbench-native.txt"),
        ("smt8.log", "unixbench-native-smt8.txt"),
    ];
    let bench = with(&files);
    let line = "import --auto --layer hv hv.log --layer pr pr.log --layer native native.log --layer smt8 smt8.log";
    let done = bench.ok(&format!("{line} --out c"));
    let text = flat(&done.out);
    assert!(text.contains("unixbench-1-index/score 127 (11.6% of hv)"), "{}", done.out);
    assert!(text.contains("Single figures") && text.contains("single figure"), "{}", done.out);
    assert!(done.err.contains("hv.log: unixbench, 26 figures"), "{}", done.err);
    let campaign = bench.campaign("c");
    assert_eq!((campaign.plan.baseline.raw(), campaign.benchmarks.len()), ("hv", 26));
    assert!(bench.ok("show c --format json").out.contains("\"single_figure\""));
}

#[test]
fn repeats_give_intervals() {
    let files = [1, 2, 3].map(|n| format!("hackbench-{n}.txt"));
    let named: Vec<(&str, &str)> = files.iter().map(|f| (f.as_str(), f.as_str())).collect();
    let bench = with(&named);
    let all = files.join(" ");
    let done = bench.ok(&format!("import hackbench --layer a {all} --layer b {all} --out c"));
    assert!(!done.out.contains("ingle figure"), "{}", done.out);
    assert!(done.err.contains("hackbench-1.txt: hackbench, 1 figure\n"), "{}", done.err);
    let board = bench.json("show c --format json");
    let ratio = &board["rows"][0]["cells"][0]["ratio"];
    assert_eq!((ratio["value"].as_f64(), ratio["blocks"].as_u64()), (Some(1.0), Some(3)));
    assert!(ratio["low"].is_number(), "{board}");
}

#[test]
fn one_layer_takes_the_loose_files() {
    let bench = with(&[("a.json", "hyperfine.json")]);
    bench.ok("import hyperfine a.json --layer native --out c");
    assert_eq!(bench.campaign("c").series.len(), 10);
    bench.ok("import --auto a.json --layer native --out d");
}

#[test]
fn mistakes_are_named() {
    let bench = with(&[("a.json", "fio.json"), ("b.txt", "stream-pr.txt")]);
    bench.write("c.txt", "Dear diary\n");
    bench.write("bad.json", "{\"fio version\": \"3\",\n \"jobs\": [}\n");
    let cases = [
        (2, "import fi a.json --layer x", "did you mean fio"),
        (2, "import --layer x a.json", "--auto"),
        (2, "import --auto a.json", "which layer"),
        (2, "import --auto --layer x", "no file for layer 'x'"),
        (2, "import --auto b.txt --layer x a.json --layer y a.json", "b.txt: which layer"),
        (1, "import --auto c.txt --layer x", "unknown format"),
        (1, "import stream a.json --layer x", "a.json is not output of stream"),
        (1, "import --auto bad.json --layer x", "line 2, column 11"),
        (2, "import --auto a.json --layer x --baseline y", "no layer 'y'"),
        (1, "import --auto nowhere --layer x", "cannot read nowhere"),
    ];
    for (code, line, said) in cases {
        let done = bench.tare(line);
        assert_eq!(done.code, code, "{line}\n{}\n{}", done.out, done.err);
        assert!(done.err.contains(said), "{line}: no '{said}' in\n{}", done.err);
    }
    assert!(bench.ok("import --formats").out.contains("kernel-build"));
}

#[test]
fn what_never_ends_is_not_read_to_its_end() {
    let bench = Bench::new();
    let done = bench.tare("import --auto --layer x /dev/zero");
    assert!(done.code != 0 && done.err.contains("/dev/zero is not a text file"), "{}", done.err);
    let done = bench.tare("run --config /dev/zero --layers native");
    assert!(done.code != 0 && done.err.contains("/dev/zero is not a text file"), "{}", done.err);
    let done = bench.tare("explain --from /dev/zero");
    assert!(done.code != 0 && done.err.contains("/dev/zero is not a text file"), "{}", done.err);
}

#[test]
fn a_ratio_is_explained_by_its_factors() {
    let bench = Bench::new();
    let text = bench.ok("explain --from paper:001").out;
    assert!(text.contains("throughput × 1.368") && text.contains("not explained"), "{text}");
    let one = "throughput = 1\ncpu_percent = 10\npath_length = 100\ncpi = 1\n";
    let two = "throughput = 2\ncpu_percent = 20\npath_length = 100\ncpi = 1\n";
    bench.write("m.toml", &format!("baseline = \"a\"\n[layer.a]\n{one}[layer.b]\n{two}"));
    assert!(bench.ok("explain --from m.toml").out.contains("× 2.000   100.0%"));
    assert!(bench.tare("explain --from nowhere.toml").err.contains("cannot read nowhere.toml"));
}

/// The one line of docs/schema.md that begins so.
fn documented(command: &str) -> String {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema.md"))
            .unwrap();
    text.lines().map(str::trim).find(|line| line.starts_with(command)).expect(command).to_owned()
}

#[test]
fn the_documented_sql_reads_a_campaign() {
    let bench = with(&[("a.txt", "stream-pr.txt")]);
    bench.ok("import --auto a.txt --layer pr --out c");
    let line = documented("sqlite3 campaign.db");
    let sql = line.split('"').nth(1).expect("a quoted statement");
    let database = rusqlite::Connection::open(bench.path("c").join("campaign.db")).unwrap();
    let mut statement = database.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| Ok((row.get::<_, String>(1)?, row.get::<_, f64>(3)?)));
    let rows: Vec<(String, f64)> = rows.unwrap().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 4);
    assert!(rows.contains(&("stream/triad".into(), 39228.5e6)), "{rows:?}");
    let version: i64 = database.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema.md"))
            .unwrap();
    assert!(text.contains(&format!("schema version {version}")));
}

#[test]
fn many_files_are_told_of_together() {
    let bench = with(&[("a.txt", "stream-pr.txt")]);
    let files = ["a.txt"; 30].join(" ");
    let done = bench.ok(&format!("import --auto --layer pr {files} --out c"));
    assert!(done.err.starts_with("layer pr: 30 files: stream, 120 figures\n"), "{}", done.err);
}

fn counts(instructions: f64, cycles: f64, cpu_ms: f64, seconds: f64, misses: f64) -> String {
    format!(
        "{instructions},,instructions,1,100.00,,\n{cycles},,cycles,1,100.00,,\n{cpu_ms},msec,task-clock,1,100.00,,\n\
         {},ns,duration_time,1,100.00,,\n{misses},,LLC-load-misses,1,100.00,,\n",
        seconds * 1e9
    )
}

#[test]
fn an_imports_difference_is_explained_by_perfs_counts() {
    let bench = Bench::new();
    let sysbench = |rate: f64| {
        format!(
            "sysbench 1.0.20\nSQL statistics:\n    transactions:   {}   ({rate} per sec.)\n",
            rate * 10.0
        )
    };
    // Twice the throughput: CPU use times 1.25, a path of 5/8, the CPI as it was; and twice the misses.
    bench.write("a.txt", &sysbench(1000.0));
    bench.write("b.txt", &sysbench(2000.0));
    bench.write("a.csv", &counts(8e10, 1.6e11, 64000.0, 10.0, 8e7));
    bench.write("b.csv", &counts(1e11, 2e11, 80000.0, 10.0, 2e8));
    bench.ok("import --auto --layer pv a.txt a.csv --layer hvm b.txt b.csv --out c");
    let text = bench.ok("explain --from c").out;
    let rows = [
        "hvm against pv: throughput × 2.000",
        "CPU in use × 1.250 32.2%",
        "instructions per transaction, fewer × 1.600 67.8%",
        "cycles per instruction, fewer × 1.000 0.0%",
        "× 1.000 0.0% the factors' product is 2.000",
        "llc-load-misses per 1000 instr. 1.00 → 2.00 (× 2.00)",
    ];
    for row in rows {
        assert!(flat(&text).contains(row), "no '{row}' in {text}");
    }
    assert_fits(&text);
    let wrong = bench.tare("explain --from c --throughput sysbench-oltp/transaction");
    assert!(wrong.err.contains("did you mean sysbench-oltp/transactions"), "{}", wrong.err);
    bench.ok("import --auto --layer pv a.txt --layer hvm b.txt --out d");
    bench.fails("explain --from d", 1, "perf-stat/instructions; import 'perf stat");
}
