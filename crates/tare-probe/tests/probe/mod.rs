//! A probe to talk to, with a deadline on every answer.
#![allow(dead_code)] // each test file uses its part

pub mod traced;

use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tare_proto::{BenchInfo, FromProbe, Request, SuiteInfo, ToProbe, decode, encode};

/// How long one answer may take on a busy machine.
const DEADLINE: Duration = Duration::from_secs(60);

pub fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_tare-probe"))
}

pub fn table() -> (Vec<SuiteInfo>, Vec<BenchInfo>) {
    let output = program().args(["list", "--json"]).output().expect("start the probe");
    let mut table: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let suites = serde_json::from_value(table["suites"].take()).expect("suites");
    let benches = serde_json::from_value(table["benches"].take()).expect("benches");
    (suites, benches)
}

/// What is unavailable without a folder on a disk, or in the time that this test gives.
pub const NEEDS_MORE: &[&str] = &["aim7/mix-disk", "aim7/syscalls"];

/// How long a series of `bench` may take in milliseconds: `usual`, but all jobs of a mix are to be done on a busy machine, too.
pub fn limit_ms(bench: &str, usual: u64) -> u64 {
    if bench == "aim7/mix" { 10_000 } else { usual }
}

/// What a process holds that a benchmark could leave behind: children, descriptors, handlers.
pub fn holdings(pid: u32) -> (String, usize, Vec<String>) {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    let descriptors = fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count();
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    // Not SigQ: signals that wait for any process of the user.
    let kept = ["SigPnd", "SigBlk", "SigIgn", "SigCgt", "Shd", "Cpus_allowed:"];
    let masks = status.lines().filter(|line| kept.iter().any(|key| line.starts_with(key)));
    (children, descriptors, masks.map(without_the_c_librarys).collect())
}

/// A line of masks without signals 32 and 33, which the C library takes when it starts a thread.
fn without_the_c_librarys(line: &str) -> String {
    match line.split_once(":\t").map(|(name, mask)| (name, u64::from_str_radix(mask, 16))) {
        Some((name, Ok(mask))) => format!("{name} {:x}", mask & !(0b11 << 31)),
        _ => line.to_owned(),
    }
}

/// A serving probe; killed when dropped.
pub struct Probe {
    pub scratch: PathBuf,
    process: Child,
    requests: Option<ChildStdin>,
    answers: Receiver<FromProbe>,
    _peer: Peer,
}

impl Probe {
    /// Starts one with a scratch folder and a disk of its own, and takes its greeting.
    pub fn start(scratch: &str) -> Probe {
        Probe::start_as(scratch, |_| {})
    }

    /// The same, after `change` has changed the command.
    pub fn start_as(scratch: &str, change: impl FnOnce(&mut Command)) -> Probe {
        let disk = disk(scratch);
        let peer = Peer::start();
        let scratch = folder(scratch);
        let mut command = program();
        command.arg("serve").env("TARE_SCRATCH", &scratch).env("TARE_DISK", &disk);
        command.env("TARE_NET", &peer.told);
        change(&mut command);
        let mut process =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("start the probe");
        let output = BufReader::new(process.stdout.take().expect("piped"));
        let (send, answers) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = send.send(decode(&line).expect("every line is a message"));
            }
        });
        let requests = process.stdin.take();
        let probe = Probe { requests, scratch, process, answers, _peer: peer };
        assert!(matches!(probe.answer(), FromProbe::Hello(_)));
        probe
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Sends a message.
    pub fn say(&mut self, message: &ToProbe) {
        let requests = self.requests.as_mut().expect("the line is open");
        requests.write_all(encode(message).as_bytes()).expect("write a request");
    }

    pub fn answer(&self) -> FromProbe {
        self.answers.recv_timeout(DEADLINE).expect("an answer within the deadline")
    }

    pub fn measure(&mut self, bench: &str) -> FromProbe {
        self.measure_for(bench, limit_ms(bench, 20))
    }

    /// Measures `bench` for about `limit_ms` milliseconds.
    pub fn measure_for(&mut self, bench: &str, limit_ms: u64) -> FromProbe {
        let bench = bench.to_owned();
        let request = Request {
            id: 7,
            bench,
            samples: 3,
            batch_ns: 10_000,
            limit_ms,
            events: false,
            cache_bytes: 0,
            turns: false,
            term: None,
            program: None,
        };
        self.say(&ToProbe::Run(request));
        assert_eq!(self.answer(), FromProbe::Begin { id: 7 });
        self.answer()
    }

    /// Closes the line, as a host that dies does, and waits for the probe to end.
    pub fn hang_up(&mut self) -> bool {
        self.requests = None;
        (0..600).any(|_| {
            std::thread::sleep(Duration::from_millis(100));
            matches!(self.process.try_wait(), Ok(Some(_)))
        })
    }

    /// Kills it without warning.
    pub fn kill(&mut self) {
        self.process.kill().expect("kill the probe");
        self.process.wait().expect("reap the probe");
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The other end of network benchmarks; killed when dropped.
pub struct Peer {
    pub told: String,
    process: Child,
}

impl Peer {
    pub fn start() -> Peer {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port");
        let told = format!("{free}/{:x}", 0xc00c1e);
        let mut command = program();
        command.arg("peer").env("TARE_NET", &told).stdout(Stdio::piped());
        let mut process = command.spawn().expect("start the peer");
        let mut says = String::new();
        let output = process.stdout.take().expect("piped");
        BufReader::new(output).read_line(&mut says).expect("the peer says something");
        assert_eq!(says, "ready\n");
        Peer { told, process }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The file of 4 MiB that is the disk of the probe with this scratch folder.
pub fn disk(scratch: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{scratch}.disk"));
    std::fs::write(&path, vec![0x5a; 4 << 20]).expect("make a disk");
    path
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("make a folder");
    folder
}
