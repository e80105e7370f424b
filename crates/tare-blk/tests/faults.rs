//! Settings that cannot be, ends that go away: said at once, and nothing is left.

mod common;

use common::{Served, program, until};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tare_blk::Error;
use tare_blk::front::{Load, Wanted, connect};
use tare_blk::measure::{Back, Point, measure};
use tare_blk::settings::{Lock, Settings};

fn fails(words: &[&str], because: &str) {
    let end = program().args(words).output().unwrap();
    let says = String::from_utf8_lossy(&end.stderr).into_owned();
    assert!(!end.status.success() && says.contains(because), "{words:?}: {says}");
}

fn json(words: &[&str]) -> serde_json::Value {
    let end = program().arg("drive").args(words).arg("--json").output().unwrap();
    assert!(end.status.success(), "{words:?}: {}", String::from_utf8_lossy(&end.stderr));
    serde_json::from_slice(&end.stdout).unwrap()
}

#[test]
fn a_ring_shorter_than_a_request_is_refused_without_indirect_descriptors() {
    let short = ["--ring=16", "--segments=32", "--milliseconds=10"];
    let mut direct = vec!["drive", "--direct-descriptors"];
    direct.extend(short);
    fails(&direct, "takes 34 descriptors of a ring of 16");
    direct[0] = "serve";
    direct.truncate(4);
    direct.push("--socket=/var/tmp/nobody-makes-this");
    fails(&direct, "takes 34 descriptors of a ring of 16");
    assert!(json(&short)["requests"].as_u64() > Some(0), "with them it works");
}

#[test]
fn settings_that_cannot_be_are_refused_with_what_would_be_right() {
    fails(&["drive", "--ring=100"], "power of two");
    fails(&["drive", "--segments=0"], "from 1 to");
    fails(&["drive", "--segment-bytes=100"], "multiple of 512");
    fails(&["drive", "--device=tape"], "no device is called 'tape'");
    fails(&["drive", "--device=model:speed=9"], "'speed=9' is none of");
    fails(&["drive", "--device=model:bandwidth=1"], "'bandwidth=1' is none of");
    fails(&["drive", "--device=file:/nowhere/at/all"], "/nowhere/at/all");
    fails(&["drive", "--block=1000"], "multiple of 512");
    fails(&["drive", "--socket=/nowhere/at/all"], "connecting to /nowhere/at/all");
    fails(&["suite", "--only=nothing"], "no experiment begins with 'nothing'");
}

#[test]
fn every_setting_drives_and_splits_as_it_says() {
    let split = |words: &[&str]| {
        let mut all = vec!["--milliseconds=30"];
        all.extend(words);
        let found = json(&all);
        assert!(found["requests"].as_u64() > Some(0), "{words:?}");
        found["sent_per_request"].as_f64().unwrap()
    };
    // At the window's ends a request may be counted without its other half.
    assert!((split(&["--segments=11"]) - 2.0).abs() < 0.2);
    assert!((split(&["--segments=16"]) - 1.0).abs() < 0.1);
    assert!((split(&["--segments=128", "--segment-bytes=512"]) - 1.0).abs() < 0.1);
    split(&["--bare"]);
    split(&["--direct-descriptors", "--no-event-index"]);
    split(&["--queues=2", "--lock=device"]);
    split(&["--disks=2", "--lock=global", "--write"]);
    split(&["--device=model:latency=1us", "--depth=64", "--ring=32", "--segments=1"]);
    split(&["--device=model", "--bare"]);
}

#[test]
fn a_back_end_that_dies_under_load_fails_the_measurement() {
    let mut served = Served::start(1, &[]);
    let point = Point {
        back: Back::Socket(served.name(0)),
        settings: Settings::default(),
        disks: 1,
        block: 4096,
        depth: 16,
        write: false,
        time: Duration::from_secs(60),
    };
    let name = served.name(0);
    let measured = std::thread::spawn(move || measure(&point));
    until(|| !name.exists(), "the driver comes");
    std::thread::sleep(Duration::from_millis(100));
    served.process.kill().unwrap();
    let failure = measured.join().unwrap().unwrap_err();
    assert!(matches!(failure, Error::Ended | Error::Refused { .. }), "{failure}");
}

#[test]
fn a_back_end_that_never_answers_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let listener = UnixListener::bind(folder.path().join("s")).unwrap();
    let socket = std::os::unix::net::UnixStream::connect(folder.path().join("s")).unwrap();
    let load = Load { block: 4096, depth: 1, write: false, from: 0, to: 0 };
    let wanted = Wanted { ring: 16, queues: 1, load };
    let failure = connect(socket, &wanted, Duration::from_millis(50)).err().unwrap();
    assert!(matches!(failure, Error::Refused { .. }), "{failure}");
    drop(listener);
}

fn children(of: u32) -> Vec<Pid> {
    let list =
        std::fs::read_to_string(format!("/proc/{of}/task/{of}/children")).unwrap_or_default();
    list.split_whitespace().map(|word| Pid::from_raw(word.parse().unwrap())).collect()
}

#[test]
fn a_front_end_that_is_killed_leaves_no_process_and_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut driving = program()
        .args(["drive", "--milliseconds=60000", "--disks=2"])
        .env("TMPDIR", folder.path())
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    until(|| !children(driving.id()).is_empty(), "the back end starts");
    let back = children(driving.id())[0];
    std::thread::sleep(Duration::from_millis(100));
    kill(Pid::from_raw(driving.id() as i32), Signal::SIGKILL).unwrap();
    driving.wait().unwrap();
    let place = format!("/proc/{back}/root");
    until(|| !Path::new(&place).exists(), "the back end ends");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_back_end_ends_with_its_driver_and_its_socket_is_gone() {
    let mut served = Served::start(1, &["--lock=device"]);
    let mut driving = program();
    driving.args(["drive", "--milliseconds=20"]).arg("--socket").arg(served.name(0));
    assert!(driving.output().unwrap().status.success());
    assert!(served.process.wait().unwrap().success());
    assert!(!served.name(0).exists());
}

#[test]
fn a_suite_has_a_row_for_each_setting_and_its_ratio_to_the_first() {
    let words = ["suite", "--blocks=2", "--milliseconds=10", "--only=segments, 64", "--json"];
    let end = program().args(words).output().unwrap();
    assert!(end.status.success(), "{}", String::from_utf8_lossy(&end.stderr));
    let rows: serde_json::Value = serde_json::from_slice(&end.stdout).unwrap();
    let names: Vec<_> =
        rows.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["11 segments", "32 segments", "128 segments"]);
    assert!(rows[0]["bandwidth_ratio"].is_null() && rows[1]["bandwidth_ratio"]["blocks"] == 2);
}

#[test]
fn settings_survive_a_command_line() {
    use clap::{Args, FromArgMatches};
    let settings = Settings {
        device: "model:bandwidth=3G,latency=7us,depth=5".parse().unwrap(),
        ring: 64,
        lock: Lock::Global,
        direct_descriptors: true,
        ..Settings::default()
    };
    let line = std::iter::once("x".to_owned()).chain(settings.words());
    let matches = Settings::augment_args(clap::Command::new("x")).get_matches_from(line);
    let again = Settings::from_arg_matches(&matches).unwrap();
    assert_eq!(format!("{again:?}"), format!("{settings:?}"));
}
