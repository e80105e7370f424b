//! The summary of `perf trace -s`: calls by name, without their arguments.

use super::Trace;
use crate::Fault;
use tare_proto::{CallClass, call_class, transfer_class};

/// What stands above the calls of each thread.
const HEAD: &str = "Summary of events:";

/// Components of a path when nothing is known of it.
const COMPONENTS: f64 = 3.0;

pub(super) fn is_one(text: &str) -> bool {
    text.lines().any(|line| line.trim() == HEAD)
}

pub(super) fn read(text: &str) -> Result<Trace, Fault> {
    let lacks = "paths, sizes and kinds of files, which are taken for small transfers of files";
    let mut trace = Trace { lacks, ..Trace::default() };
    let with_errors = text.lines().any(|line| line.contains("calls") && line.contains("errors"));
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let Some((name, calls)) = words.next().zip(words.next()) else { continue };
        let fine = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (true, Ok(calls)) = (name.chars().all(fine), calls.parse::<u64>()) else { continue };
        let errors =
            if with_errors { words.next().and_then(|word| word.parse().ok()) } else { None };
        add(&mut trace, name, calls as f64, errors.unwrap_or(0.0));
    }
    match trace.calls.is_empty() {
        true => Err(Fault::at(1, 1, "a summary of perf trace without calls")),
        false => Ok(trace),
    }
}

fn add(trace: &mut Trace, name: &str, calls: f64, errors: f64) {
    trace.saw(name);
    let fine = (calls - errors).max(0.0);
    match call_class(name) {
        CallClass::One(class) => trace.add(class, calls),
        CallClass::Path(class, _) => {
            trace.add("lookup_miss", calls - fine);
            trace.add_paths(class, COMPONENTS, fine);
        }
        CallClass::Open(_) => {
            trace.add("lookup_miss", calls - fine);
            trace.add_paths("open", COMPONENTS, fine);
        }
        CallClass::Transfer(way) | CallClass::TransferOfResult(way) => {
            trace.add(transfer_class("file", way), calls);
        }
        CallClass::Sized(class) => trace.add(class, calls),
        CallClass::Included => match name {
            "fork" | "clone" | "clone3" => trace.add("fork", calls),
            "vfork" => trace.add("spawn", calls),
            "execve" | "execveat" => trace.add("exec", fine),
            _ => {}
        },
        CallClass::Close(_) | CallClass::CloseMany => {}
        CallClass::Unknown => trace.add_unknown(calls),
    }
}
