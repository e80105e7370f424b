//! Benchmarks do what their originals do: sizes of files, numbers of descriptors, how processes are made and end.

mod probe;

use probe::traced::{Seen, follow};
use probe::{Probe, program};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tare_proto::{FromProbe, Request, ToProbe};

/// Sizes of the regular files that the children of `pid` hold open.
fn files_of_children(pid: u32) -> Vec<u64> {
    let listed = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    let open =
        |child: &str| fs::read_dir(format!("/proc/{child}/fd")).into_iter().flatten().flatten();
    let size = |path: PathBuf| {
        let nameless = fs::read_link(&path).ok()?.to_string_lossy().ends_with("nameless (deleted)");
        fs::metadata(path).ok().filter(|_| nameless).map(|file| file.len())
    };
    let mut sizes: Vec<u64> =
        listed.split_whitespace().flat_map(open).filter_map(|entry| size(entry.path())).collect();
    sizes.sort_unstable();
    sizes
}

#[test]
fn files_are_copied_in_files_of_as_many_kib_as_unixbench_counts_blocks() {
    for (bench, kib) in [("fsbuffer", 500), ("fstime", 2000), ("fsdisk", 8000)] {
        let mut probe = Probe::start(&format!("size-of-{bench}"));
        let request = Request {
            id: 1,
            bench: format!("unixbench/{bench}"),
            samples: 3,
            batch_ns: 1,
            limit_ms: 60_000,
            events: false,
            cache_bytes: 0,
            turns: false,
            term: None,
            program: None,
        };
        probe.say(&ToProbe::Run(request));
        let mut sizes = Vec::new();
        for _ in 0..200 {
            sizes = files_of_children(probe.id());
            if sizes == [kib << 10, kib << 10] {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(sizes, [kib << 10, kib << 10], "{bench}");
    }
}

#[test]
fn a_select_looks_at_as_many_descriptors_as_lmbenchs() {
    let mut command = program();
    command.args(["run", "lmbench/select_tcp"]);
    let mut found = None;
    follow(command, |seen| {
        // An old C library's select(2), beside the pselect6(2) of a new one.
        #[cfg(target_arch = "x86_64")]
        let numbers = [libc::SYS_pselect6, libc::SYS_select];
        #[cfg(not(target_arch = "x86_64"))]
        let numbers = [libc::SYS_pselect6];
        match seen {
            Seen::Call(number, result) if numbers.contains(&(number as i64)) => {
                found = Some(result);
                false
            }
            _ => true,
        }
    });
    assert_eq!(found, Some(90));
}

/// Processes that `words`, the name of an applet and its arguments, makes in `folder`: by fork, and as vfork does.
fn processes(folder: &Path, words: &[&str]) -> (u32, u32) {
    let mut command = program();
    command.arg0(words[0]).args(&words[1..]).current_dir(folder);
    let (mut forks, mut vforks) = (0, 0);
    follow(command, |seen| {
        match seen {
            Seen::Process(true) => vforks += 1,
            Seen::Process(false) => forks += 1,
            Seen::Call(..) => {}
        }
        true
    });
    (forks, vforks)
}

#[test]
fn the_shell_makes_processes_as_dash_does() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("shell");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("text"), "the text\n").unwrap();
    assert_eq!(processes(&folder, &["tare-sh", "-c", "tare-hello"]), (0, 1));
    // sort and rm are commands of their own; od | sort and grep | tee | wc are pipelines.
    assert_eq!(processes(&folder, &["tare-script", "text"]), (5, 2));
}

/// A library that writes a byte to a file whenever a process of a program that loads it calls exit(3).
const TELLS_EXITS: &str = r#"
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
static void tell(void) {
    int file = open(getenv("TARE_TEST_EXITS"), O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (write(file, "x", 1) != 1) abort();
    close(file);
}
__attribute__((constructor)) static void loaded(void) { atexit(tell); }
"#;

#[test]
fn children_that_end_as_in_c_run_exit_handlers() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = |name: &str| folder.join(format!("exits-{name}"));
    let (source, library) = (path("library.c"), path("library.so"));
    fs::write(&source, TELLS_EXITS).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source);
    assert!(compiler.status().expect("the C compiler that links Rust").success());
    for bench in ["unixbench/spawn", "lmbench/fork_exit"] {
        let told = path(bench.rsplit('/').next().unwrap());
        let _ = fs::remove_file(&told);
        let mut probe = Probe::start_as("exits", |command| {
            command.env("LD_PRELOAD", &library).env("TARE_TEST_EXITS", &told);
        });
        let FromProbe::Series(series) = probe.measure(bench) else { panic!("{bench}") };
        let exits = fs::metadata(&told).map_or(0, |file| file.len());
        assert!(exits >= series.ops, "{bench}: {exits} of {}", series.ops);
    }
}

#[test]
fn whole_rounds_of_a_ring_subtract_nothing() {
    let mut probe = Probe::start("whole");
    for (bench, whole) in
        [("lmbench/pipe", true), ("lmbench/ring_8p", true), ("lmbench/ctx_2p_0k", false)]
    {
        let FromProbe::Series(series) = probe.measure(bench) else { panic!("{bench}") };
        assert_eq!(series.subtracted == 0.0, whole, "{bench}: {series:?}");
        assert!(!whole || series.samples.iter().all(|value| *value > 0.0), "{bench}: {series:?}");
    }
}
