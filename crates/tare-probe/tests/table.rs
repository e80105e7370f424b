//! The table is the only list: every file has its row, and every row holds together.

mod probe;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use tare_proto::{CODE, COMPUTE, OPERATION_ROW, OPERATIONS, RESUMED};

/// `family/name` of every file under src/benches that defines a benchmark, and of every row of a family's table.
fn files() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/benches");
    let mut found = BTreeSet::new();
    for family in fs::read_dir(root).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
        for file in fs::read_dir(family.path()).unwrap().flatten() {
            let text = fs::read_to_string(file.path()).unwrap();
            if text.contains("pub const BENCH: Bench") {
                let path = file.path().with_extension("");
                let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
                found.insert(format!("{}/{}", name(&family.path()), name(&path)));
            }
            if text.contains("pub const ROWS: &[Bench]") {
                let start = format!("\"{}/", family.file_name().to_str().unwrap());
                let rows = text.match_indices(&start).map(|(at, _)| &text[at + 1..]);
                found.extend(rows.map(|row| row[..row.find('"').unwrap()].to_owned()));
            }
        }
    }
    found
}

#[test]
fn every_file_has_a_row_of_its_name_and_every_row_a_file() {
    let (_, benches) = probe::table();
    let rows: BTreeSet<String> = benches.iter().map(|bench| bench.name.clone()).collect();
    assert_eq!(rows.len(), benches.len(), "two rows have one name");
    assert_eq!(files(), rows);
}

/// Operations on files as programs see them.
const IN_THE_ROOT: &[&str] = &[
    "lookup",
    "component",
    "component_held",
    "lookup_miss",
    "lookup_tmpfs",
    "component_tmpfs",
    "open",
    "open_tmpfs",
    "create",
    "cold_name",
    "xattr",
    "getdents",
    "getdents_kib",
    "cold_directory",
    "cold_kib",
    "file",
    "file_read",
    "file_kib_4k",
    "file_kib_64k",
    "file_kib_1m",
];

#[test]
fn every_operation_has_a_row_and_every_row_of_the_suite_is_one_of_them_or_user_time() {
    let (_, benches) = probe::table();
    let rows = benches.iter().filter(|bench| bench.suite == "operations");
    let rows: Vec<String> = rows.map(|bench| bench.name.clone()).collect();
    let named = |operation: &tare_proto::Operation| format!("{OPERATION_ROW}{}", operation.name);
    let of_user_time = [COMPUTE, CODE, RESUMED].map(str::to_owned);
    let expected: BTreeSet<_> = OPERATIONS.iter().map(named).chain(of_user_time).collect();
    assert_eq!(rows.iter().cloned().collect::<BTreeSet<_>>(), expected);
    assert_eq!(rows.len(), expected.len());
}

#[test]
fn rows_say_what_layers_need_for_them() {
    let (_, benches) = probe::table();
    for bench in benches {
        let needs = match bench.name.split_once('/').unwrap() {
            ("disk", _) => "disk",
            ("net", _) => "net",
            ("aim7", "mix-disk") => "files",
            ("operations", name) if IN_THE_ROOT.contains(&name) => "root",
            _ => "",
        };
        assert_eq!(bench.needs, needs, "{}", bench.name);
    }
}

#[test]
fn aim7_has_the_53_tests_that_report_002_lists() {
    let paper = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tare-import/papers/002.toml");
    let paper = fs::read_to_string(paper).unwrap();
    let list = &paper[paper.find("tests = [").unwrap()..];
    let listed = list[..list.find(']').unwrap()].split('"').skip(1).step_by(2);
    let listed: BTreeSet<String> = listed.map(|name| format!("aim7/{name}")).collect();
    let (_, benches) = probe::table();
    let own = benches.iter().filter(|b| b.suite == "aim7" && !b.name.starts_with("aim7/mix"));
    assert_eq!(listed.len(), 53);
    assert_eq!(own.map(|b| b.name.clone()).collect::<BTreeSet<_>>(), listed);
}

#[test]
fn every_row_has_a_suite_an_estimator_that_reads_and_one_line_about_it() {
    let (suites, benches) = probe::table();
    for bench in &benches {
        let name = &bench.name;
        assert!(suites.iter().any(|suite| suite.name == bench.suite), "{name}: {}", bench.suite);
        assert!(reads(&bench.estimator, bench.samples), "{name}: {}", bench.estimator);
        assert!(!bench.about.is_empty() && !bench.about.contains('\n'), "{name}");
        assert!(bench.about.len() <= 100, "{name}: {}", bench.about);
    }
}

/// Whether `estimator` is `mean`, `median` or `best-K-of-N` with no more than the `samples` taken.
fn reads(estimator: &str, samples: u32) -> bool {
    let best = || {
        let (best, of) = estimator.strip_prefix("best-")?.split_once("-of-")?;
        let (best, of): (u32, u32) = (best.parse().ok()?, of.parse().ok()?);
        Some((1..=of).contains(&best) && of == samples)
    };
    matches!(estimator, "mean" | "median") || best() == Some(true)
}
