//! Real processes that misbehave in a layer's place: each is a clear error, bounded in time, memory
//! and log, and leaves nothing.

mod layers_common;

use layers_common::{LONG, Place, disk_reads, layer, null_call};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tare_layers::{Answer, Session, SessionError};

const SOON: Duration = Duration::from_secs(10);

/// Less than this would be too short for a shell on a busy machine.
const SHORT: Duration = Duration::from_millis(700);

struct Fault {
    place: Place,
    log: PathBuf,
    session: Session,
}

fn start(script: &str) -> Fault {
    let place = Place::new();
    let path = place.folder.join("script");
    let log = place.folder.join("log");
    fs::write(&path, script).unwrap();
    let layer = layer(&format!("mock,command=sh {}", path.display()));
    let session = place.start(&*layer, Some(&log)).unwrap();
    Fault { place, log, session }
}

impl Fault {
    fn finish(self) {
        assert!(self.session.end(Duration::from_millis(100)).left.is_empty());
        self.place.assert_clean("the script");
    }
}

#[test]
fn silence_is_no_greeting() {
    let mut fault = start("sleep 1000");
    let error = fault.session.greet(SHORT).unwrap_err();
    assert!(matches!(error, SessionError::NoGreeting(_)), "{error}");
    fault.finish();
}

#[test]
fn death_is_told_with_its_last_words() {
    let mut fault = start("echo out of luck >&2; exit 3");
    let error = fault.session.greet(SOON).unwrap_err();
    assert_eq!(error.to_string(), "the layer ended (exit code 3)");
    assert_eq!(fault.session.console_tail(), "out of luck");
    fault.finish();
}

#[test]
fn garbage_is_made_harmless_in_the_log_too() {
    let mut fault = start(r"printf '\033[31mred\000\377\n\342\200\256turned\n'; exec sleep 1000");
    let error = fault.session.greet(SHORT).unwrap_err();
    assert!(matches!(error, SessionError::NoGreeting(_)), "{error}");
    let tail = fault.session.console_tail();
    assert_eq!(tail, "\\u{1b}[31mred\\u{0}\u{fffd}\n\\u{202e}turned");
    assert!(fs::read_to_string(&fault.log).unwrap().starts_with("\\u{1b}[31mred"));
    fault.finish();
}

#[test]
fn floods_are_bounded() {
    for flood in ["yes | tee /dev/stderr", "tr '\\000' x < /dev/zero"] {
        let mut fault = start(flood);
        let error = fault.session.greet(SHORT).unwrap_err();
        assert!(matches!(error, SessionError::NoGreeting(_)), "{error}");
        assert!(fault.session.console_tail().len() < 8192);
        assert!(fs::metadata(&fault.log).unwrap().len() <= 1 << 20);
        fault.finish();
    }
}

#[test]
fn a_damaged_line_is_not_an_answer() {
    let mut fault = start("echo 'tare1 00000000 {\"type\":\"hello\"}'; exec sleep 1000");
    let error = fault.session.greet(SOON).unwrap_err();
    assert!(matches!(error, SessionError::Damaged(_)), "{error}");
    assert!(fault.session.console_tail().contains("00000000 {\"type\""), "what came is shown");
    fault.finish();
}

#[test]
fn a_daemon_does_not_outlive_its_layer() {
    let mut fault = start("(setsid sleep 1000 &) ; (setsid sh -c 'sleep 1000; true' &) ; exit 0");
    let error = fault.session.greet(SOON).unwrap_err();
    assert_eq!(error.to_string(), "the layer ended (exit code 0)");
    fault.finish();
}

#[test]
fn signals_do_not_save_a_layer() {
    let mut fault = start("trap '' TERM INT HUP; while :; do sleep 1000; done");
    assert!(fault.session.greet(SHORT).is_err());
    fault.finish();
}

#[test]
fn a_layer_that_does_not_listen_is_given_up() {
    let mut fault = start("exec <&-; sleep 1000");
    let error = fault.session.measure(&null_call(1, 100), SHORT).unwrap_err();
    assert!(matches!(error, SessionError::NoAnswer(..) | SessionError::Ended(_)), "{error}");
    fault.finish();
}

#[test]
fn what_cannot_be_started_is_named() {
    let place = Place::new();
    let layer = layer("mock,command=/no/such/program");
    let error = place.start(&*layer, None).err().expect("it cannot start").to_string();
    assert!(error.contains("/no/such/program"), "{error}");
    place.assert_clean("a program that is not there");
}

/// A place whose boots are in a folder of this name.
fn place_with(folder: &std::ffi::OsStr) -> (Place, PathBuf) {
    let mut place = Place::new();
    let odd = place.folder.join(folder);
    fs::create_dir(&odd).unwrap();
    fs::set_permissions(&odd, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let args = std::mem::take(&mut place.keeper.args);
    let link = place.folder.join("temporary");
    std::os::unix::fs::symlink(&odd, &link).unwrap();
    place.keeper.args = vec![format!("TMPDIR={}", link.display())];
    place.keeper.args.extend(args.into_iter().skip(1));
    (place, odd)
}

#[test]
fn no_name_of_a_folder_keeps_a_layer_from_starting() {
    let (place, odd) = place_with("a,b:c d=e'f\"é".as_ref());
    let disk = format!("disk=32M:{}", odd.display()).replace(',', "\\,");
    let others = ["native", "runc", "crun", "runsc"].map(str::to_owned);
    let disks = ["uml", "qemu"].map(|name| format!("{name},files=32M,{disk}"));
    for name in disks.into_iter().chain(others) {
        let layer = layer(&name);
        if layer.check(&place.host).is_err() {
            continue;
        }
        let mut session = place.start(&*layer, None).unwrap();
        if let Err(error) = session.greet(LONG) {
            // On some hosts UML is there and cannot run anything, wherever that is.
            let elsewhere = Place::new();
            let name = name.split(',').next().unwrap_or_default();
            let mut same = elsewhere.start(&*layers_common::layer(name), None).unwrap();
            assert!(same.greet(LONG).is_err(), "{name}: {error}\n{}", session.console_tail());
        } else if name.contains("disk=") {
            let answer = session.measure(&disk_reads(), LONG).unwrap();
            assert!(matches!(answer, Answer::Series(..)), "{name}: {answer:?}");
        }
        assert_eq!(session.end(SOON).left, [""; 0], "{name}");
        place.assert_clean(&name);
        assert_eq!(fs::read_dir(&odd).unwrap().count(), 0, "{name}");
    }
}

#[test]
fn a_folder_whose_name_is_not_utf8_is_refused_with_the_remedy() {
    use std::os::unix::ffi::OsStrExt;
    let (place, _) = place_with(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    let error = place.start(&*layer("native"), None).err().expect("refused").to_string();
    assert!(error.contains("not UTF-8") && error.contains("set TMPDIR"), "{error}");
}

#[test]
fn a_keeper_that_is_none_is_named() {
    let mut place = Place::new();
    place.keeper = tare_layers::Keeper { program: "true".into(), ..Default::default() };
    let error = place.start(&*layer("native"), None).err().expect("no keeper").to_string();
    assert!(error.contains("keeper"), "{error}");
}

#[test]
fn a_helper_that_is_never_ready_is_named() {
    let mut place = Place::new();
    place.host.probe = place.program("probe", "exec sleep 1000");
    let error = place.start(&*layer("native,net=host"), None).err().expect("it cannot start");
    assert!(error.to_string().contains("did not say that it is ready within"), "{error}");
    place.assert_clean("a peer that says nothing");
    place.host.probe = place.program("other-probe", "echo no luck");
    let error = place.start(&*layer("native,net=host"), None).err().expect("it cannot start");
    assert!(error.to_string().contains("network: no luck"), "{error}");
    place.assert_clean("a peer that refuses");
}

#[test]
fn a_keeper_that_is_killed_is_missed_and_its_work_done() {
    let mut fault = start("echo $PPID >../keeper; (setsid sleep 1000 &); exec sleep 1000");
    let file = fault.place.folder.join("boots/keeper");
    wait_for(&file);
    let keeper: i32 = fs::read_to_string(&file).unwrap().trim().parse().unwrap();
    fs::remove_file(&file).unwrap();
    kill(Pid::from_raw(keeper), Signal::SIGKILL).unwrap();
    let error = fault.session.greet(LONG).unwrap_err();
    assert!(matches!(error, SessionError::KeeperLost(_)), "{error}");
    assert!(error.to_string().contains("SIGKILL"), "{error}");
    fault.finish();
}

#[test]
fn what_was_there_before_is_refused_and_stays() {
    let place = Place::new();
    let refused = |what: &str, id: &str, path: &Path| {
        let error =
            place.start_as(id, 0, &*layer(what), None).err().expect("it exists").to_string();
        assert!(error.contains("exists"), "{what}: {error}");
        assert!(path.exists(), "{what}: {} was removed", path.display());
    };
    let found = |path: PathBuf| {
        fs::create_dir(&path).unwrap();
        fs::write(path.join("precious"), "data").unwrap();
        path
    };
    let id = |number: u32| format!("tare-found-{}-{number}", std::process::id());
    let own = found(place.folder.join("boots").join(id(0)));
    refused("native", &id(0), &own.join("precious"));
    fs::remove_dir_all(own).unwrap();
    let folder = place.folder.join("images");
    fs::create_dir(&folder).unwrap();
    let disk = found(folder.join(format!("{}-disk", id(1))));
    let settings = format!("native,disk=32M:{}", folder.display());
    refused(&settings, &id(1), &disk.join("precious"));
    if geteuid().is_root() {
        let group = cgroup().join(id(2));
        fs::create_dir(&group).unwrap();
        refused("runc", &id(2), &group);
        fs::remove_dir(&group).unwrap();
        let ip = |verb: &str| Command::new("ip").args(["netns", verb, &id(3)]).status().unwrap();
        assert!(ip("add").success());
        refused("runc,net=veth", &id(3), &Path::new("/run/netns").join(id(3)));
        assert!(ip("del").success());
    }
    place.assert_clean("what was refused");
}

#[test]
fn what_a_layer_mounts_is_unmounted_and_not_entered() {
    if !geteuid().is_root() {
        return;
    }
    let precious = tempfile::tempdir().unwrap();
    fs::write(precious.path().join("file"), "data").unwrap();
    let script = format!(
        "mkdir -p state 'a b/c' && touch state/null-netns &&
         mount --bind /proc/self/ns/net state/null-netns && mount -t tmpfs none 'a b' &&
         mkdir 'a b/c' && mount --bind {} 'a b/c' && echo mounted >&2; exit 3",
        precious.path().display()
    );
    let mut fault = start(&script);
    assert!(fault.session.greet(SOON).is_err());
    assert_eq!(fault.session.console_tail(), "mounted");
    fault.finish();
    assert!(precious.path().join("file").exists(), "what was mounted was emptied");
}

/// Where some hierarchy of control groups is mounted.
fn cgroup() -> PathBuf {
    let mounts = fs::read_to_string("/proc/mounts").unwrap();
    let mut lines = mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let found = lines.find(|words| words[2].starts_with("cgroup")).expect("control groups");
    PathBuf::from(found[1])
}

fn wait_for(file: &Path) {
    let deadline = Instant::now() + LONG;
    while !fs::read_to_string(file).is_ok_and(|text| text.ends_with('\n')) {
        assert!(Instant::now() < deadline, "{} never came", file.display());
        std::thread::sleep(Duration::from_millis(10));
    }
}
