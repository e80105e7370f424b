//! Counting agrees with prices: what the row of an operation does is counted as that operation, and as nothing else. So a program
//! that does nothing but this takes what the row says, for every class of operations.

mod common;

use common::{Bench, done, row};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;
use tare_proto::OPERATIONS;

/// Rows: how many of their operation one time of it holds, and how often it is done here.
const ROWS: &[(&str, f64, f64)] = &[
    ("null", 1.0, 100_000.0),
    ("clock", 1.0, 100_000.0),
    ("descriptor", 1.0, 100_000.0),
    ("ioctl", 1.0, 10_000.0),
    ("timer", 2.0, 10_000.0),
    ("signal", 1.0, 10_000.0),
    ("lookup", 1.0, 100_000.0),
    ("component", 2.0, 10_000.0),
    ("component_held", 2.0, 10_000.0),
    ("lookup_miss", 1.0, 100_000.0),
    ("lookup_tmpfs", 1.0, 100_000.0),
    ("component_tmpfs", 4.0, 10_000.0),
    ("open", 1.0, 10_000.0),
    ("open_tmpfs", 1.0, 10_000.0),
    ("create", 2.0, 5_000.0),
    ("cold_name", 1280.0, 80.0),
    ("cold_directory", 320.0, 4.0),
    ("xattr", 1.0, 10_000.0),
    ("getdents", 2.0, 5_000.0),
    ("file", 2.0, 10_000.0),
    ("file_read", 63.0, 300.0),
    ("file_kib_4k", 8.0, 5_000.0),
    ("file_kib_64k", 128.0, 5_000.0),
    ("file_kib_1m", 2048.0, 500.0),
    ("device", 2.0, 10_000.0),
    ("proc", 1.0, 10_000.0),
    ("pipe_read", 63.0, 300.0),
    ("pipe_write", 63.0, 300.0),
    ("pipe_kib_4k", 8.0, 5_000.0),
    ("pipe_kib_16k", 32.0, 5_000.0),
    ("pipe_kib_64k", 128.0, 5_000.0),
    ("pipe_new", 1.0, 10_000.0),
    ("socket", 2.0, 10_000.0),
    ("socket_unix", 2.0, 10_000.0),
    ("socket_kib_4k", 8.0, 5_000.0),
    ("socket_kib_16k", 32.0, 5_000.0),
    ("socket_kib_64k", 128.0, 5_000.0),
    ("socket_new", 1.0, 10_000.0),
    ("connect", 1.0, 2_000.0),
    ("poll", 1.0, 10_000.0),
    ("epoll", 1.0, 10_000.0),
    ("futex", 1.0, 10_000.0),
    ("mmap", 1.0, 10_000.0),
    ("mprotect", 2.0, 10_000.0),
    ("brk", 3.0, 10_000.0),
    ("fault_anonymous", 256.0, 100.0),
    ("fault_copy", 256.0, 100.0),
    ("fault_protection", 1.0, 10_000.0),
    ("fork", 1.0, 300.0),
    ("spawn", 1.0, 300.0),
    ("thread", 1.0, 300.0),
    ("exec", 1.0, 300.0),
    ("exec_miss", 1.0, 10_000.0),
];

/// Without a row here: names in directories are as many as this machine has, context switches as many as the scheduler likes, and
/// mappings and their pages are seen only as long as they are there, or are large.
const WITHOUT: [&str; 7] = [
    "getdents_kib",
    "cold_kib",
    "switch",
    "fault_mapping",
    "fault_file",
    "fault_shared",
    "fork_page",
];

/// What starts a process or a thread does more than that, and its price holds it. Its page faults are not counted again.
const DO_MORE: [&str; 5] = ["fork", "spawn", "thread", "exec", "fault_copy"];

/// Faults that are one too many or too few for each process.
const FAULTS: f64 = 8.0;

/// What is predicted of a program that does `times` times what row `name` does, or what the row subtracts.
fn predicted(prices: &str, name: &str, times: f64, less: &[&str]) -> Value {
    let bench = Bench::new();
    let line = format!("predict --from {prices} --json --warmup 0 --env TARE_ROOT=here --");
    let mut command = bench.command(&line);
    command.args([env!("TARE_PROBE_FILE"), "repeat", &format!("operations/{name}")]);
    command.arg(times.to_string()).args(less);
    let done = done(command.output().expect("tare starts"));
    assert_eq!(done.code, 0, "{name}: {}\n{}", done.out, done.err);
    done.json()
}

fn counts(found: &Value) -> BTreeMap<String, f64> {
    serde_json::from_value(found["program"]["operations"].clone()).expect("operations")
}

/// What is wrong with the counts of a row; empty if nothing is.
fn wrong(prices: &str, board: &Value, (name, each, times): (&str, f64, f64)) -> String {
    let found = predicted(prices, name, times, &[]);
    let all = counts(&found);
    let less = counts(&predicted(prices, name, times, &["less"]));
    let of = |counts: &BTreeMap<String, f64>, name: &str| counts.get(name).copied().unwrap_or(0.0);
    let mut text = priced_wrongly(&found, board, name);
    for operation in OPERATIONS {
        let net = of(&all, operation.name) - of(&less, operation.name);
        let is_it = operation.name == name;
        let right = if is_it { each * times } else { 0.0 };
        let of_process = !is_it && DO_MORE.contains(&name);
        let is_fault = operation.name.starts_with("fault_");
        // Paths of such calls are not counted, but the lookup of one that is subtracted has one.
        let of_path = (name, operation.name) == ("xattr", "component");
        let off = match () {
            () if of_path || WITHOUT.contains(&operation.name) || of_process && !is_fault => {
                f64::INFINITY
            }
            () if of_process => FAULTS * times,
            // Thousands of names are looked up so that directories are forgotten. Not each of them is looked at.
            () if name == "cold_directory" => 20.0 + 0.01 * of(&all, operation.name),
            () => 20.0 + 0.01 * each * times,
        };
        if (net - right).abs() > off {
            text.push_str(&format!(
                "{times} of {name} hold {net} {}, not {right}\n",
                operation.name
            ));
        }
    }
    text
}

/// What is wrong with a prediction on the scripted layer: the operation has to cost there what its row says, and the ratio is
/// the sum of all.
fn priced_wrongly(found: &Value, board: &Value, name: &str) -> String {
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let program = &found["program"];
    let layer = &found["layers"][0];
    let terms = layer["terms"].as_array().expect("terms");
    let row = row(board, &format!("operations/{name}"));
    let ratio = number(&row["cells"][0]["ratio"]["value"]);
    let Some(term) = terms.iter().find(|term| term["name"] == name) else {
        // A row that subtracts is below 0 now and then when its series are this short.
        return if ratio.is_nan() {
            String::new()
        } else {
            format!("{name} has no term: {layer}\n")
        };
    };
    let added = |term: &Value| number(&term["layer_ns"]) - number(&term["baseline_ns"]);
    let busy = number(&program["user_ns"]) + number(&program["system_ns"]);
    let native = number(&program["native_ns"]).max(busy);
    let sum = 1.0 + terms.iter().map(added).sum::<f64>() / native;
    let fine = |is: f64, right: f64| (is / right - 1.0).abs() < 1e-9;
    let of_row = fine(number(&term["layer_ns"]) / number(&term["baseline_ns"]), ratio);
    match of_row && fine(number(&layer["ratio"]), sum) {
        true => String::new(),
        false => format!("{name}: {term} for a ratio of {ratio}, and {sum} in all: {layer}\n"),
    }
}

#[test]
fn what_a_row_does_is_counted_as_its_operation_and_as_no_other() {
    let named = |name: &&str| ROWS.iter().all(|row| row.0 != *name);
    let names = OPERATIONS.iter().map(|operation| operation.name).filter(named);
    assert_eq!(names.collect::<Vec<_>>(), WITHOUT, "not in the table");
    let bench = Bench::new();
    // On the second layer, which is scripted, everything takes 10 ms.
    let layers = "--layers native --layer name=dear,kind=mock,value=10000000";
    bench.ok(&format!("run {layers} --suite operations --series 5ms --blocks 1 --out c"));
    let board = std::fs::read_to_string(bench.path("c/scoreboard.json")).expect("a scoreboard");
    let board: Value = serde_json::from_str(&board).expect("JSON");
    let prices = bench.path("c").display().to_string();
    let left = Mutex::new(ROWS.to_vec());
    let found = Mutex::new(String::new());
    let work = || {
        let next = || left.lock().expect("rows").pop();
        while let Some(row) = next() {
            // On a busy machine a program may last so long that only some of its calls are looked at: its counts are estimates then.
            let tries = (0..3).map(|_| wrong(&prices, &board, row));
            let why: Vec<String> = tries.take_while(|why| !why.is_empty()).collect();
            if why.len() == 3 {
                found.lock().expect("a text").push_str(&why[2]);
            }
        }
    };
    thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(work))));
    let found = found.into_inner().expect("a text");
    assert!(found.is_empty(), "{found}");
}
