//! lmbench 3's summary (`make see`, getsummary): one row a result file and table.

use crate::lines::{numbered, short, trailing};
use crate::{Fault, Format, Quantity, Sink};
use std::collections::BTreeSet;

pub const FORMAT: Format = Format {
    name: "lmbench-summary",
    about: "lmbench 3's summary tables; every row of a table is a run; of several hosts, the one called as the layer",
    sniff: |head| head.contains("L M B E N C H"),
    parse,
};

/// A table: how its title begins, the unit, its columns under tare's names, and how many numbers stand before them.
type Table = (&'static str, Quantity, &'static [&'static str], usize);

const TABLES: &[Table] = &[
    (
        "Processor, Processes",
        Quantity::MICROS,
        &[
            "null_call",
            "null_io",
            "stat",
            "open_close",
            "select_tcp",
            "sig_install",
            "sig_catch",
            "fork_exit",
            "fork_exec",
            "fork_shell",
        ],
        1,
    ),
    (
        "Context switching",
        Quantity::MICROS,
        &[
            "ctx_2p_0K",
            "ctx_2p_16K",
            "ctx_2p_64K",
            "ctx_8p_16K",
            "ctx_8p_64K",
            "ctx_16p_16K",
            "ctx_16p_64K",
        ],
        0,
    ),
    (
        "*Local* Communication latencies",
        Quantity::MICROS,
        &["ctx_2p_0K_local", "pipe", "af_unix", "udp", "rpc_udp", "tcp", "rpc_tcp", "tcp_connect"],
        0,
    ),
    (
        "File & VM system latencies",
        Quantity::MICROS,
        &[
            "create_0K",
            "delete_0K",
            "create_10K",
            "delete_10K",
            "mmap",
            "prot_fault",
            "page_fault",
            "select_100fd",
        ],
        0,
    ),
    (
        "*Local* Communication bandwidths",
        Quantity::MB_S,
        &[
            "bw_pipe",
            "bw_af_unix",
            "bw_tcp",
            "bw_file_reread",
            "bw_mmap_reread",
            "bcopy_libc",
            "bcopy_hand",
            "bw_mem_read",
            "bw_mem_write",
        ],
        0,
    ),
    ("Memory latencies", Quantity::NANOS, &["mem_l1", "mem_l2", "mem_main", "mem_random"], 1),
];

fn parse(text: &str, sink: &mut Sink) -> Result<(), Fault> {
    let mut table: Option<&Table> = None;
    let mut below_rule = false;
    let mut rows: Vec<(&str, &Table)> = Vec::new();
    for (_, line) in numbered(text) {
        let line = line.trim_end();
        if let Some(found) = TABLES.iter().find(|(title, ..)| line.starts_with(title)) {
            (table, below_rule) = (Some(found), false);
        } else if line.trim().is_empty() {
            (table, below_rule) = (table.filter(|_| !below_rule), false);
        } else if line.starts_with("----") {
            below_rule = !line.contains("---- ----") || table.is_some();
        } else if let Some(table) = table.filter(|_| below_rule && !line.starts_with("Host")) {
            rows.push((line, table));
        } else if table.is_none() && !line.starts_with([' ', '(']) {
            sink.unknown += 1;
        }
    }
    let host = |line: &str| line.split_ascii_whitespace().next().unwrap_or_default().to_owned();
    // Titles of columns take two lines.
    let numbers = rows.iter().filter(|(line, _)| !trailing(line).is_empty());
    let hosts: BTreeSet<String> = numbers.map(|(line, _)| host(line)).collect();
    if hosts.len() > 1 && !hosts.contains(&sink.layer) {
        let names: Vec<String> = hosts.iter().map(|host| short(host)).collect();
        let why = format!("several hosts: call the layer one of {}", names.join(", "));
        return Err(Fault::at(1, 1, why));
    }
    for (line, table) in rows {
        if hosts.len() < 2 || host(line) == sink.layer {
            row(line, table, sink);
        }
    }
    Ok(())
}

/// Host, system, perhaps MHz, then one number a column. A row with empty columns cannot be told apart.
fn row(line: &str, (_, unit, columns, before): &Table, sink: &mut Sink) {
    let numbers = trailing(line);
    let words = line.split_ascii_whitespace().count();
    let full = numbers.len() >= columns.len() + before
        && words > numbers.len().min(columns.len() + before);
    if !full {
        sink.unknown += 1;
        return sink.note(format!("a row with empty columns is left out: {}", short(line)));
    }
    for (name, value) in columns.iter().zip(&numbers[numbers.len() - columns.len()..]) {
        sink.add_unless_zero("lmbench", name, *unit, *value);
    }
}
