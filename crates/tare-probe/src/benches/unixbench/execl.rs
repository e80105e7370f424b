//! UnixBench "Execl Throughput": a process replaces itself with its own program, again and again.
//!
//! A chain of many execs begins with a fork and ends with an exit, which are part of it. The program
//! is the probe, which is static: the original is linked to a shared C library, whose start-up it
//! weighs too.

use super::{LONG, against, row};
use crate::applets::AGAIN;
use crate::bench::{Bench, Op, Refusal};
use crate::process::{child_exits, exec_applet};
use std::ffi::CString;
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "unixbench/execl",
    "Execl Throughput (lps): a process replaces itself with its own (static) program",
    Unit::PerSecond,
    LONG,
    |own| against(43.0, own, prepare),
);

fn prepare() -> Result<Op, Refusal> {
    Ok(Op::batched(|execs| {
        let execs = CString::new(execs.to_string()).expect("digits");
        child_exits(0, || exec_applet(&[AGAIN, &execs]));
    }))
}
