//! Every ending that a boot of a layer may have: it answers, and leaves nothing.

use super::words::files_are_on_a_disk;
use super::{
    LONG, PLACE, Place, children, copy_program, disk_reads, kind_of, layer, net_transactions,
    null_call, too_many_on_disk,
};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;
use tare_layers::{Answer, KINDS, Layer, LayerKind, Processes, Session, SessionError, usual};
use tare_proto::outside::Part;

/// Boots the layer `name`, which `who` starts, and ends it in every way.
pub fn every_ending(place: &Place, name: &str, who: &str) {
    normal_end(place, name, who);
    dropped_while_measuring(place, name);
    place.assert_clean(&format!("{name}{who}, dropped while measuring,"));
    main_process_killed(place, name);
    place.assert_clean(&format!("{name}{who}, its main process killed,"));
    keeper_killed(place, name);
    place.assert_clean(&format!("{name}{who}, its keeper killed,"));
    owner_killed(place, name);
    place.assert_clean(&format!("{name}{who}, its owner killed,"));
}

/// The layer, which ends what its boots share and so outlives them, a boot of it, and its kernel.
fn booted(place: &Place, name: &str) -> (Box<dyn Layer>, Session, String) {
    let layer = layer(&with_devices(name));
    layer.check(&place.host).unwrap_or_else(|missing| panic!("{name} is unavailable: {missing}"));
    let mut session = place.start(&*layer, None).unwrap_or_else(|e| panic!("{name}: {e}"));
    match session.greet(LONG) {
        Ok(greeting) => {
            assert!(place.watch() >= 2, "{name} has no keeper or no process");
            (layer, session, greeting.hello.kernel)
        }
        Err(error) => panic!("{name}: {error}\n{}", session.console_tail()),
    }
}

fn normal_end(place: &Place, name: &str, who: &str) {
    let (layer, mut session, kernel) = booted(place, name);
    assert!(!kernel.is_empty(), "{name}{who} names no kernel");
    stopped_while_it_waits(&mut session, name);
    match session.measure(&null_call(5, 2_000), LONG) {
        Ok(Answer::Series(series, _)) => assert!(!series.samples.is_empty(), "{name}{who}"),
        other => panic!("{name}{who}: {other:?}\n{}", session.console_tail()),
    }
    match session.measure(&disk_reads(), LONG) {
        Ok(Answer::Series(series, _)) => assert!(!series.samples.is_empty(), "{name}{who}"),
        Ok(Answer::Unavailable(why)) if kind(name).words.is_some() => {
            assert!(why.contains("disk"), "{name}{who}: {why}");
        }
        other => panic!(
            "{name}{who}, its disk: {other:?}\n{}\n{}",
            session.console_tail(),
            threads(&session)
        ),
    }
    if name.contains("files=") {
        match session.measure(&too_many_on_disk(), LONG) {
            Ok(Answer::Unavailable(why)) => {
                assert!(why.contains("500 users need"), "{name}{who}: {why}")
            }
            other => panic!("{name}{who}, its files: {other:?}\n{}", session.console_tail()),
        }
    }
    if kind(name).words.is_some() {
        files_are_on_a_disk(&mut session, name, who);
    } else {
        network_reaches_the_host(&mut session, name, who);
    }
    let footprint = session.footprint();
    assert!(footprint.is_some_and(|bytes| bytes > 100_000), "{name}{who}: {footprint:?}");
    let ended = session.end(Duration::from_secs(10));
    assert!(ended.left.is_empty(), "{name}{who} left {:?}", ended.left);
    drop(layer);
    place.assert_clean(&format!("{name}{who}, ended normally,"));
}

/// What each thread of the layer does, a line each: its name, its state, what it waits for in the kernel, and its time on a CPU.
fn threads(session: &Session) -> String {
    let known = session.parts(&[]).unwrap_or_default();
    let line = |(tid, _): (u32, Part)| {
        let file =
            |name: &str| fs::read_to_string(format!("/proc/{tid}/{name}")).unwrap_or_default();
        let [comm, stat, wchan, time] = ["comm", "stat", "wchan", "schedstat"].map(file);
        let state =
            stat.rsplit(") ").next().and_then(|after| after.split(' ').next()).unwrap_or("?");
        format!("{tid} {} {state} {wchan} {}", comm.trim(), time.trim())
    };
    known.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

/// From here on it runs only while something is asked of it, unless a tracer has its processes or they are a daemon's.
fn stopped_while_it_waits(session: &mut Session, name: &str) {
    let traced = ["uml", "runsc"].contains(&name); // a current gVisor traces nothing
    let stops = !traced && !name.contains("pids=");
    assert_eq!(session.stop_while_waiting(), stops, "{name}");
    if stops {
        let used = |session: &Session| session.cpu_time(&Processes::now());
        thread::sleep(Duration::from_millis(20)); // the signal has arrived everywhere
        let before = used(session);
        thread::sleep(Duration::from_millis(200));
        assert!(before.is_some() && before == used(session), "{name} runs on");
    }
}

/// The layer `name` with a disk, the network that suits it and, where it is a guest, files on another disk.
fn with_devices(name: &str) -> String {
    let kind = kind(name);
    if kind.words.is_some() {
        return name.to_owned();
    }
    let files = if usual(kind, "files").is_some() { ",files=32M" } else { "" };
    format!("{name},disk=32M,net={}{files}", usual(kind, "net").unwrap().1)
}

fn network_reaches_the_host(session: &mut Session, name: &str, who: &str) {
    let needs_root = !["native", "qemu"].contains(&name);
    match session.measure(&net_transactions(), LONG) {
        Ok(Answer::Series(series, _)) => assert!(!series.samples.is_empty(), "{name}{who}"),
        Ok(Answer::Unavailable(why)) if needs_root && !geteuid().is_root() => {
            assert!(why.contains("needs root"), "{name}{who}: {why}");
        }
        other => panic!("{name}{who}, its network: {other:?}\n{}", session.console_tail()),
    }
}

fn dropped_while_measuring(place: &Place, name: &str) {
    let (_layer, mut session, _) = booted(place, name);
    let request = null_call(30_000, 60_000);
    let late = session.measure(&request, Duration::from_millis(100));
    assert!(matches!(late, Err(SessionError::NoAnswer(..))), "{name}: {late:?}");
    drop(session);
}

fn main_process_killed(place: &Place, name: &str) {
    let (_layer, mut session, _) = booted(place, name);
    let below = children(keeper());
    let is_peer =
        |pid: &u32| fs::read(format!("/proc/{pid}/cmdline")).unwrap().ends_with(b"\0peer\0");
    let first = *below.iter().find(|pid| !is_peer(pid)).unwrap();
    kill(Pid::from_raw(first as i32), Signal::SIGKILL).unwrap();
    let ended = session.measure(&null_call(30_000, 60_000), LONG);
    let Err(SessionError::Ended(how)) = &ended else { panic!("{name}: {ended:?}") };
    assert!(how.contains("SIGKILL"), "{name}: {how}");
    assert!(session.end(Duration::from_secs(5)).left.is_empty());
}

/// tare notices, ends the layer itself and goes on.
fn keeper_killed(place: &Place, name: &str) {
    let (_layer, mut session, _) = booted(place, name);
    kill(Pid::from_raw(keeper() as i32), Signal::SIGKILL).unwrap();
    let lost = session.measure(&null_call(30_000, 60_000), LONG);
    assert!(matches!(lost, Err(SessionError::KeeperLost(_))), "{name}: {lost:?}");
    let left = session.abandon().left;
    assert!(left.is_empty(), "{name}: {left:?}");
}

/// The keeper of the boot. One of what boots share was there before it.
fn keeper() -> u32 {
    *children(std::process::id()).last().expect("a keeper")
}

fn owner_killed(place: &Place, name: &str) {
    let mut command = this_program("owner", place);
    let mut owner = command.env("LAYERS_TEST_OWN", name).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(owner.stdout.take().unwrap()).lines();
    let ready = lines.map_while(Result::ok).any(|line| line == "owner: ready");
    place.watch();
    end(&mut owner);
    assert!(ready, "{name}: the owner did not boot it");
}

fn end(child: &mut Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// This test program once more, for one test of it.
pub fn this_program(test: &str, place: &Place) -> Command {
    let program = place.folder.join("this-test");
    if !program.exists() {
        copy_program(std::env::current_exe().unwrap(), &program);
    }
    let mut command = Command::new(program);
    command.args(["--exact", test, "--nocapture"]).env(PLACE, &place.folder);
    command.current_dir(&place.folder);
    command
}

/// Boots the layer that the environment names, and waits to be killed.
pub fn own() {
    let (Some(place), Some(name)) = (std::env::var_os(PLACE), std::env::var_os("LAYERS_TEST_OWN"))
    else {
        return;
    };
    let place = Place::at(Path::new(&place));
    let (_layer, mut session, _) = booted(&place, name.to_str().unwrap());
    if session.stop_while_waiting() {
        println!("\nowner: ready");
        thread::sleep(LONG);
    }
    println!("\nowner: ready");
    let _ = session.measure(&null_call(30_000, 60_000), LONG);
    panic!("nobody has killed the owner");
}

fn kind(name: &str) -> &'static LayerKind {
    KINDS.iter().find(|kind| kind.name == kind_of(name)).unwrap()
}
