//! The command line of the probe, for people; the only code besides the protocol that prints.

use crate::turns::Turns;
use crate::{bench, benches, cache, harness, overhead};
use tare_proto::{BenchInfo, Request, Series, at_load, name_and_load};

/// Prints how the probe is used.
pub fn usage() -> i32 {
    print!("{}", crate::USAGE);
    0
}

/// Prints every benchmark's name and meaning.
pub fn list() -> i32 {
    for bench in benches::all() {
        println!("{:20} {}", bench.name, bench.about);
    }
    0
}

/// Prints `{"suites": [SuiteInfo], "benches": [BenchInfo], "cache_bytes": N}`; the last is what this machine has.
pub fn list_json() -> i32 {
    let defined =
        |b: &bench::Bench| BenchInfo { definition: benches::definition(b.name), ..b.info() };
    let benches: Vec<_> = benches::all().map(defined).collect();
    let suites: Vec<_> = benches::SUITES.iter().map(bench::Suite::info).collect();
    println!(
        "{}",
        serde_json::json!({ "suites": suites, "benches": benches, "cache_bytes": cache::found() })
    );
    0
}

/// Measures the benchmarks (at a load: `NAME@N`), or all of the suites, that `names` name, and prints
/// each.
pub fn run(names: &[&str]) -> i32 {
    let mut code = 0;
    for word in names {
        let (name, load) = name_and_load(word);
        let chosen: Vec<_> = benches::all().filter(|b| b.name == name || b.suite == name).collect();
        if chosen.is_empty() {
            eprintln!("tare-probe: no benchmark or suite {word}; 'tare-probe list' names them all");
            code = 2;
        }
        for bench in chosen {
            match measure(bench, load) {
                Ok(line) => println!("{:20} {line}", at_load(bench.name, load)),
                Err(why) => {
                    eprintln!("tare-probe: {}: {why}", bench.name);
                    code = 1;
                }
            }
        }
    }
    code
}

/// Does the operation of the row `name` `times` times and nothing else: a program of which it is known what it does. With
/// `less` it does what the row's value is corrected by, as often.
pub fn repeat(name: &str, times: &str, less: bool) -> i32 {
    let found = benches::all().find(|bench| bench.name == name).map(|bench| &bench.kind);
    let (Some(bench::Kind::Loop(prepare)), Ok(times)) = (found, times.parse::<u64>()) else {
        eprintln!("tare-probe: {name} is no row of one operation, or {times} no number");
        return 2;
    };
    match prepare() {
        Ok(op) => {
            let wanted = |term: &&mut bench::Term| (term.sign < 0.0) == less;
            let mut terms = op.terms;
            terms.iter_mut().filter(wanted).for_each(|term| (term.batch)(times));
            0
        }
        Err(why) => {
            eprintln!("tare-probe: {name}: {why}");
            1
        }
    }
}

/// Prints what the harness adds to an operation.
pub fn overhead() -> i32 {
    print!("{}", overhead::report());
    0
}

fn measure(bench: &bench::Bench, load: u32) -> Result<String, bench::Refusal> {
    let request = Request {
        id: 0,
        bench: bench.name.to_owned(),
        samples: bench.samples,
        batch_ns: 5_000_000,
        limit_ms: if bench.series_ms == 0 { 10_000 } else { bench.series_ms },
        events: false,
        cache_bytes: 0,
        turns: false,
        term: None,
        program: None,
    };
    harness::measure(bench, load, &request, Turns::none())
        .map(|series| summary(&series, bench.unit.symbol()))
}

fn summary(series: &Series, unit: &str) -> String {
    let low = series.samples.iter().copied().fold(f64::INFINITY, f64::min);
    let high = series.samples.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!(
        "{:12.2} {unit}  [{low:.2} .. {high:.2}]  {} x {} operations, subtracted {:.2}",
        harness::median(&series.samples),
        series.samples.len(),
        series.ops,
        series.subtracted,
    )
}
