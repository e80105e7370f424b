//! Every real layer boots, answers, and leaves nothing behind however it ends; as root and as an
//! ordinary user. A layer that is missing here fails the test.

mod layers_common;

use layers_common::words::{
    WORDS, WORDS_OF_USERS, every_row_that_is_tested_is_here, files_are_on_a_disk,
    others_say_what_they_need,
};
use layers_common::{
    CURRENT_GVISOR, LONG, PLACE, Place, copy_program, disk_reads, kind_of, layer, net_transactions,
    null_call, too_many_on_disk,
};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;
use tare_layers::{Answer, KINDS, Processes, Session, SessionError, usual};

const LAYERS: &[&str] = &["native", "runc", "crun", "runsc", CURRENT_GVISOR, "uml", "qemu"];

/// An ordinary user and group, with no rights of their own.
const NOBODY: u32 = 65534;

/// One test, in parts that follow each other: two guests at once would only disturb each other.
#[test]
fn layers_boot_answer_and_leave_nothing() {
    let place = Place::new();
    give_kernel(&place);
    for name in LAYERS.iter().chain(WORDS) {
        every_ending(&place, name, "");
    }
    every_row_that_is_tested_is_here();
    panic_is_readable(&place);
    kvm_boots_or_is_explained(&place, "kvm,disk=32M,net=user");
    kvm_boots_or_is_explained(&place, "kvm,vmm=qemu");
    if geteuid().is_root() {
        let mut again = this_program("as_user", &place);
        again.uid(NOBODY).gid(NOBODY);
        let status = again.stdout(Stdio::inherit()).stderr(Stdio::inherit()).status().unwrap();
        place.assert_clean("an ordinary user's boots");
        assert!(status.success(), "as an ordinary user: {status}");
    }
}

/// What the test above starts again as an ordinary user.
#[test]
fn as_user() {
    let Some(place) = std::env::var_os(PLACE) else { return };
    let place = Place::at(Path::new(&place));
    for name in LAYERS.iter().chain(WORDS_OF_USERS) {
        every_ending(&place, name, " as an ordinary user");
    }
    for name in WORDS.iter().filter(|name| !WORDS_OF_USERS.contains(name)) {
        others_say_what_they_need(&place, name);
    }
}

/// What the tests start again as the owner of a session, to kill it.
#[test]
fn owner() {
    let (Some(place), Some(name)) = (std::env::var_os(PLACE), std::env::var_os("LAYERS_TEST_OWN"))
    else {
        return;
    };
    let place = Place::at(Path::new(&place));
    let (mut session, _) = booted(&place, name.to_str().unwrap());
    if session.stop_while_waiting() {
        println!("\nowner: ready");
        thread::sleep(LONG);
    }
    println!("\nowner: ready");
    let _ = session.measure(&null_call(30_000, 60_000), LONG);
    panic!("nobody has killed the owner");
}

fn every_ending(place: &Place, name: &str, who: &str) {
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

fn booted(place: &Place, name: &str) -> (Session, String) {
    let layer = layer(&with_devices(name));
    layer.check(&place.host).unwrap_or_else(|missing| panic!("{name} is unavailable: {missing}"));
    let mut session = place.start(&*layer, None).unwrap_or_else(|e| panic!("{name}: {e}"));
    match session.greet(LONG) {
        Ok(greeting) => {
            assert!(place.watch() >= 2, "{name} has no keeper or no process");
            (session, greeting.hello.kernel)
        }
        Err(error) => panic!("{name}: {error}\n{}", session.console_tail()),
    }
}

fn normal_end(place: &Place, name: &str, who: &str) {
    let (mut session, kernel) = booted(place, name);
    assert!(!kernel.is_empty(), "{name}{who} names no kernel");
    stopped_while_it_waits(&mut session, name);
    match session.measure(&null_call(5, 2_000), LONG) {
        Ok(Answer::Series(series, _)) => assert!(!series.samples.is_empty(), "{name}{who}"),
        other => panic!("{name}{who}: {other:?}\n{}", session.console_tail()),
    }
    match session.measure(&disk_reads(), LONG) {
        Ok(Answer::Series(series, _)) => assert!(!series.samples.is_empty(), "{name}{who}"),
        Ok(Answer::Unavailable(why)) if WORDS.contains(&name) => {
            assert!(why.contains("disk"), "{name}{who}: {why}");
        }
        other => panic!("{name}{who}, its disk: {other:?}\n{}", session.console_tail()),
    }
    if name.contains("files=") {
        match session.measure(&too_many_on_disk(), LONG) {
            Ok(Answer::Unavailable(why)) => {
                assert!(why.contains("500 users need"), "{name}{who}: {why}")
            }
            other => panic!("{name}{who}, its files: {other:?}\n{}", session.console_tail()),
        }
    }
    if WORDS.contains(&name) {
        files_are_on_a_disk(&mut session, name, who);
    } else {
        network_reaches_the_host(&mut session, name, who);
    }
    let footprint = session.footprint();
    assert!(footprint.is_some_and(|bytes| bytes > 100_000), "{name}{who}: {footprint:?}");
    let ended = session.end(Duration::from_secs(10));
    assert!(ended.left.is_empty(), "{name}{who} left {:?}", ended.left);
    place.assert_clean(&format!("{name}{who}, ended normally,"));
}

/// From here on it runs only while something is asked of it, unless a tracer has its processes.
fn stopped_while_it_waits(session: &mut Session, name: &str) {
    let traced = ["uml", "runsc"].contains(&name); // a current gVisor traces nothing
    assert_eq!(session.stop_while_waiting(), !traced, "{name}");
    if !traced {
        let used = |session: &Session| session.run_time(&Processes::now());
        thread::sleep(Duration::from_millis(20)); // the signal has arrived everywhere
        let before = used(session);
        thread::sleep(Duration::from_millis(200));
        assert!(before.is_some() && before == used(session), "{name} runs on");
    }
}

/// The layer `name` with a disk, the network that suits it and, where it is a guest, files on another disk.
fn with_devices(name: &str) -> String {
    let kind = KINDS.iter().find(|kind| kind.name == kind_of(name)).unwrap();
    if kind.words.is_some() {
        return name.to_owned();
    }
    let files = if usual(kind, "files").is_some() { ",files=32M" } else { "" };
    format!("{name},disk=32M,net={}{files}", usual(kind, "net").unwrap())
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

fn panic_is_readable(place: &Place) {
    let layer = layer("uml,args=init=/none rdinit=/none");
    let mut session = place.start(&*layer, None).unwrap();
    let error = session.greet(LONG).unwrap_err();
    let why = layer.explain(&error, &session.console_tail()).why;
    assert!(why.contains("Kernel panic - not syncing"), "{why}");
    drop(session);
    place.assert_clean("a kernel that panics");
}

/// KVM is not required: few machines that run tests have it. Where it fails it must say why, under each monitor.
fn kvm_boots_or_is_explained(place: &Place, settings: &str) {
    let layer = layer(settings);
    let missing = match layer.check(&place.host) {
        Err(missing) => missing,
        Ok(()) => {
            let mut session = place.start(&*layer, None).unwrap();
            let Err(error) = session.greet(Duration::from_secs(15)) else {
                return if settings.contains("vmm=qemu") {
                    drop(session)
                } else {
                    has_no_devices(session)
                };
            };
            layer.explain(&error, &session.console_tail())
        }
    };
    assert!(missing.why.contains("/dev/kvm") && !missing.remedy.is_empty(), "{missing}");
    place.assert_clean("a virtual machine that did not come up");
}

/// What tare's own monitor lacks is said with what has it.
fn has_no_devices(mut session: Session) {
    match session.measure(&null_call(5, 2_000), LONG) {
        Ok(Answer::Series(series, _)) => {
            assert!(series.counters.iter().any(|counter| counter.name == "kvm/vmm_port_io"));
        }
        other => panic!("kvm: {other:?}"),
    }
    for request in [disk_reads(), net_transactions()] {
        let Ok(Answer::Unavailable(why)) = session.measure(&request, LONG) else {
            panic!("{} is no hole", request.bench)
        };
        assert!(why.contains("vmm=qemu"), "{why}");
    }
}

fn dropped_while_measuring(place: &Place, name: &str) {
    let (mut session, _) = booted(place, name);
    let request = null_call(30_000, 60_000);
    let late = session.measure(&request, Duration::from_millis(100));
    assert!(matches!(late, Err(SessionError::NoAnswer(..))), "{name}: {late:?}");
    drop(session);
}

fn main_process_killed(place: &Place, name: &str) {
    let (mut session, _) = booted(place, name);
    let below = layers_common::children(layers_common::children(std::process::id())[0]);
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
    let (mut session, _) = booted(place, name);
    let keeper = layers_common::children(std::process::id())[0];
    kill(Pid::from_raw(keeper as i32), Signal::SIGKILL).unwrap();
    let lost = session.measure(&null_call(30_000, 60_000), LONG);
    assert!(matches!(lost, Err(SessionError::KeeperLost(_))), "{name}: {lost:?}");
    let left = session.abandon().left;
    assert!(left.is_empty(), "{name}: {left:?}");
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
fn this_program(test: &str, place: &Place) -> Command {
    let program = place.folder.join("this-test");
    if !program.exists() {
        copy_program(std::env::current_exe().unwrap(), &program);
    }
    let mut command = Command::new(program);
    command.args(["--exact", test, "--nocapture"]).env(PLACE, &place.folder);
    command.current_dir(&place.folder);
    command
}

/// The kernel that an earlier run of this test has fetched, and the other way round.
fn give_kernel(place: &Place) {
    let kept = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("kernels");
    let cache = place.host.cache.join("kernels");
    copy_all(&kept, &cache);
    layer("qemu,disk=32M").check(&place.host).unwrap_or_else(|missing| panic!("qemu: {missing}"));
    copy_all(&cache, &kept);
}

fn copy_all(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).into_iter().flatten().flatten() {
        fs::create_dir_all(to).unwrap();
        let copy = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_all(&entry.path(), &copy),
            false => drop(fs::copy(entry.path(), copy).unwrap()),
        }
    }
}
