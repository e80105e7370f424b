//! `tare export`, and what docs/schema.md and the README tell people to type: run as printed, on a mock campaign.

mod common;

use common::Bench;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Two layers with known values, three blocks, two benchmarks.
fn campaign() -> Bench {
    let bench = Bench::new();
    bench.ok(
        "run --layer name=base,kind=mock,value=100 --layer name=slow,kind=mock,value=150 \
         --baseline base --bench lmbench/null_call --bench lmbench/stat --seed 5 --blocks 3 --out c",
    );
    bench
}

/// The mean of every layer's benchmark over all samples, from the store itself.
fn means(bench: &Bench) -> BTreeMap<(String, String), f64> {
    let campaign = bench.campaign("c");
    let mut all: BTreeMap<(String, String), Vec<f64>> = BTreeMap::new();
    for s in campaign.samples() {
        all.entry((s.layer.into(), s.benchmark.into())).or_default().push(s.value);
    }
    all.into_iter().map(|(key, v)| (key, v.iter().sum::<f64>() / v.len() as f64)).collect()
}

#[test]
fn csv_and_json_hold_every_sample_to_the_last_bit() {
    let bench = campaign();
    let campaign = bench.campaign("c");
    let stored: Vec<f64> = campaign.samples().map(|s| s.value).collect();
    assert!(stored.len() > 50, "{}", stored.len());
    let csv = bench.ok("export c").out;
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("block,slot,role,layer,benchmark,unit,n,value"));
    let read: Vec<f64> =
        lines.map(|line| line.rsplit(',').next().unwrap().parse().unwrap()).collect();
    assert_eq!(read, stored);
    bench.ok("export c --format json --out rows.json");
    let text = std::fs::read_to_string(bench.path("rows.json")).unwrap();
    let rows: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let read: Vec<f64> = rows.iter().map(|row| row["value"].as_f64().unwrap()).collect();
    assert_eq!(read, stored);
    let floors = rows.iter().filter(|row| row["role"] == "floor" && row["layer"] == "base");
    assert_eq!(floors.count(), campaign.samples().filter(|s| s.role.name() == "floor").count());
    assert!(bench.tare("export nowhere").err.contains("nowhere"));
    bench.fails("export c --out none/x.csv", 1, "none/x.csv");
}

#[test]
fn the_scoreboard_is_shown_as_csv() {
    let bench = campaign();
    let csv = bench.ok("show c --format csv").out;
    assert!(csv.starts_with("suite,benchmark,unit"), "{csv}");
    assert!(csv.contains(",slow,measured,1.5,"), "{csv}");
    assert!(bench.tare("compare c c --format csv").err.contains("text, json or md"));
}

/// The lines of the shell blocks of docs/schema.md: commands, as printed.
fn documented() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("docs/schema.md")).unwrap();
    let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.flat_map(str::lines).map(str::to_owned).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs a line of the docs in the campaign's directory, as a shell would; its output.
fn typed(bench: &Bench, line: &str) -> String {
    let python = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../python/bin");
    let programs = [python.clone(), Path::new(env!("CARGO_BIN_EXE_tare")).parent().unwrap().into()];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(programs.into_iter().chain(std::env::split_paths(&path)));
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(bench.path("c")).env("PATH", path.unwrap());
    let done = shell.output().expect("sh starts");
    assert!(
        done.status.success(),
        "{line}\n{}\n(cargo xtask packages testing installs sqlite3, and duckdb and pandas in {})",
        String::from_utf8_lossy(&done.stderr),
        python.display()
    );
    String::from_utf8(done.stdout).expect("UTF-8")
}

/// Whether a line's output has every mean of the campaign beside its names.
fn has_means(bench: &Bench, line: &str, out: &str) {
    for ((layer, benchmark), mean) in means(bench) {
        let row = out.lines().filter(|row| row.contains(&benchmark));
        let close = |word: &str| word.parse::<f64>().is_ok_and(|v| (v / mean - 1.0).abs() < 1e-5);
        let words = |row: &str| row.split(['|', ',', '│', ' ']).any(close);
        // Tables of groups print the layer once, above the others.
        let found = row.clone().any(words);
        assert!(found && out.contains(&layer), "{line}: no {mean} of {layer} {benchmark}\n{out}");
    }
}

#[test]
fn every_documented_line_works_as_printed() {
    let bench = campaign();
    let lines = documented();
    for program in ["sqlite3 ", "duckdb ", "python3 ", "tare export "] {
        assert!(
            lines.iter().any(|line| line.starts_with(program)),
            "no line begins with {program}"
        );
    }
    for line in &lines {
        let out = typed(&bench, line);
        if !line.starts_with("tare export ") {
            has_means(&bench, line, &out);
        }
    }
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let line = readme.lines().find(|line| line.starts_with("sqlite3 DIR/")).expect("the README's");
    has_means(&bench, line, &typed(&bench, &line.replace("DIR/", "")));
}

#[test]
fn parquet_reads_back_as_the_store_has_it() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;
    let bench = campaign();
    assert!(bench.tare("export c --format parquet").err.contains("--out"));
    bench.ok("export c --format parquet --out x.parquet");
    let file = std::fs::File::open(bench.path("x.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let campaign = bench.campaign("c");
    let mut rows = reader.get_row_iter(None).unwrap();
    for s in campaign.samples() {
        let row = rows.next().expect("as many rows as samples").unwrap();
        assert_eq!(
            (row.get_int(0).unwrap(), row.get_int(1).unwrap()),
            (s.block as i32, s.slot as i32)
        );
        let texts = [2, 3, 4, 5].map(|at| row.get_string(at).unwrap().as_str());
        assert_eq!(texts, [s.role.name(), s.layer, s.benchmark, s.unit.name()]);
        assert_eq!(row.get_long(6).unwrap(), i64::from(s.n));
        assert_eq!(row.get_double(7).unwrap().to_bits(), s.value.to_bits());
    }
    assert!(rows.next().is_none());
    let metadata = reader.metadata().file_metadata().key_value_metadata().unwrap();
    let plan = metadata.iter().find(|pair| pair.key == "tare.plan").unwrap();
    assert!(plan.value.as_ref().unwrap().contains("\"seed\":5"));
}
