//! The layer `ssh` against a real sshd on this host's loopback interface: it measures, and leaves nothing however it ends; as root
//! and as an ordinary user.

mod common;
mod layers_common;
mod sshd;

use common::{Bench, done, flat};
use layers_common::endings::this_program;
use layers_common::words::lines;
use layers_common::{LONG, NOBODY, PLACE, Place, null_call};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use sshd::{Far, SOON};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use tare_layers::{Answer, Processes, SessionError, Unavailable};

#[test]
fn another_machine_measures_and_keeps_nothing() {
    let far = Far::new(true);
    let layer = far.layer(&[("wrap", "nice -n 1")]);
    layer.check(&far.place.host).unwrap_or_else(|missing| panic!("{missing}"));
    let mut session = far.booted(&*layer);
    // Two boots at once, as in rounds: the probe is there once.
    let mut beside = far.booted(&*layer);
    let names = || fs::read_dir(&far.folder).unwrap().flatten().filter(|it| it.path().is_symlink());
    assert_eq!((fs::read_dir(&far.folder).unwrap().count(), names().count()), (3, 2));
    for session in [&mut session, &mut beside] {
        match session.measure(&null_call(3, 2_000), LONG) {
            Ok(Answer::Series(series, _)) => assert!(!series.samples.is_empty()),
            other => panic!("{other:?}\n{}", session.console_tail()),
        }
    }
    assert_eq!((session.footprint(), session.cpu_time(&Processes::now())), (None, None));
    assert!(session.wire().is_some_and(|way| !way.is_zero()), "how long a message takes");
    assert!(session.out_of_sight().unwrap().contains("another host"));
    assert_eq!(session.end(SOON).left, [""; 0]);
    assert!(matches!(beside.measure(&null_call(3, 2_000), LONG), Ok(Answer::Series(..))));
    drop(beside);
    assert_eq!(fs::read_dir(&far.folder).unwrap().count(), 1, "the probe, for other boots");
    drop(layer);
    far.assert_clean("a campaign");
}

#[test]
fn a_scoreboard_says_what_its_host_is_and_what_the_way_there_takes() {
    let far = Far::new(true);
    let bench = Bench::new();
    // Pinning is what the words do.
    let args = far.args();
    let dir = far.folder.display();
    let layer = format!("name=far,kind=ssh,host=far,args={args},dir={dir},wrap=taskset -c 0");
    let options = "--bench lmbench/null_call --blocks 2 --pin none --require -o c";
    let mut command = bench.command("run --layers native --layer");
    let run = done(command.arg(&layer).args(options.split(' ')).output().unwrap());
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let said = flat(&run.out);
    for part in [
        "far against native",
        "a message to it and the answer take",
        "this latency is in no row but host/start",
        "its own host:",
        "of memory are available",
    ] {
        assert!(said.contains(part), "no '{part}' in\n{}", run.out);
    }
    let campaign = bench.campaign("c");
    let ways =
        campaign.series.iter().flat_map(|row| &row.counters).filter(|it| it.name == "wire_ns");
    assert_eq!(ways.filter(|way| way.value > 0.0).count(), 2, "one of every boot");
    let there = campaign.boots.iter().filter(|boot| campaign.layers[boot.layer].name == "far");
    let pinned: Vec<_> = there.map(|boot| boot.hello.as_ref().unwrap().affinity.clone()).collect();
    assert_eq!(pinned, [[0], [0]]);
    let looked = done(bench.command("doctor").arg(&layer).output().unwrap());
    assert!(
        looked.out.contains("its own host:") && looked.out.contains("load average"),
        "{}",
        looked.out
    );
    far.assert_clean("a campaign with another machine");
}

/// What the test below starts again as an ordinary user, who starts the server, too.
#[test]
fn as_user() {
    let Some(place) = std::env::var_os(PLACE) else { return };
    let far = Far::at(Place::at(Path::new(&place)), true);
    let layer = far.layer(&[]);
    let mut session = far.booted(&*layer);
    assert!(matches!(session.measure(&null_call(3, 2_000), LONG), Ok(Answer::Series(..))));
    assert_eq!(session.end(SOON).left, [""; 0]);
    drop(layer);
    far.assert_clean("an ordinary user's layer");
    let elsewhere = far.layer(&[("dir", "/root")]);
    let why = far.refused(&*elsewhere);
    assert!(why.remedy.contains("dir="), "{why}");
}

/// An ordinary user has a shell only in the mounts of the process that needs it.
#[test]
fn an_ordinary_user_gets_in_as_root_does() {
    let place = Place::new();
    let file = |text: &str| {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        fs::set_permissions(file.path(), PermissionsExt::from_mode(0o644)).unwrap();
        file
    };
    let home = place.folder.display();
    let passwd = file(&format!(
        "root:x:0:0::/root:/bin/sh\nsshd:x:{s}:{s}::/run/sshd:/bin/sh\nnobody:x:{NOBODY}:{NOBODY}::{home}:/bin/sh\n",
        s = NOBODY - 1
    ));
    // No password: sshd takes an account with "!" for a locked one.
    let shadow = file("nobody:*:19000:0:99999:7:::\n");
    let mounts = "mount --bind \"$1\" /etc/passwd && mount --bind \"$2\" /etc/shadow && shift 2 && exec \"$@\"";
    let _ = fs::create_dir("/run/sshd"); // where its service would have made it
    let test = this_program("as_user", &place);
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", mounts, "sh"]).arg(passwd.path()).arg(shadow.path());
    command.args(["setpriv", "--clear-groups"]);
    command.args([format!("--reuid={NOBODY}"), format!("--regid={NOBODY}")]);
    command.arg(test.get_program()).args(test.get_args()).env(PLACE, &place.folder);
    command.env("USER", "nobody").env("HOME", &place.folder).current_dir(&place.folder);
    let status = command.status().unwrap();
    place.assert_clean("an ordinary user's layers");
    assert!(status.success(), "as an ordinary user: {status}");
}

#[test]
fn a_folder_there_is_one_word_of_the_shell_there() {
    let far = Far::new(true);
    let dir = far.folder.join("a b; touch run 'by \"$(touch it)` #");
    fs::create_dir(&dir).unwrap();
    // What words cut at a blank would remove.
    fs::write(far.folder.join("a"), "precious").unwrap();
    let layer = far.layer(&[("dir", dir.to_str().unwrap()), ("wrap", "nice -n '1; touch that'")]);
    assert!(far.refused(&*layer).why.contains("1; touch that"), "one word of wrap=, too");
    drop(layer);
    let layer = far.layer(&[("dir", dir.to_str().unwrap()), ("wrap", "nice -n 1")]);
    let mut session = far.booted(&*layer);
    assert!(matches!(session.measure(&null_call(3, 2_000), LONG), Ok(Answer::Series(..))));
    assert_eq!(session.end(SOON).left, [""; 0]);
    drop(layer);
    fs::remove_dir(&dir).expect("nothing is left in it");
    fs::remove_file(far.folder.join("a")).expect("a file of the user's stays");
    for made in ["run", "it", "that"] {
        assert!(!Path::new(&std::env::var("HOME").unwrap()).join(made).exists(), "{made}");
    }
    far.assert_clean("a folder with an odd name");
    let mut settings = tare_layers::Settings::parse("ssh,host=far,dir=tmp").unwrap();
    for wrong in ["tmp", "~/tmp", "", "/a\nb"] {
        settings.replace("dir", wrong);
        let said = tare_layers::configure(tare_proto::Machine::Real, &settings).err().unwrap();
        assert!(said.to_string().contains("absolute path"), "{said}");
    }
}

#[test]
fn this_host_may_be_that_one() {
    let far = Far::new(true);
    let layer = far.layer(&[("dir", &far.place.folder.join("boots").display().to_string())]);
    let mut session = far.booted(&*layer);
    assert!(matches!(session.measure(&null_call(3, 2_000), LONG), Ok(Answer::Series(..))));
    assert_eq!(session.end(SOON).left, [""; 0]);
    drop(layer);
    far.assert_clean("a layer on this host");
}

#[test]
fn a_broken_connection_ends_the_boot_and_what_runs_there() {
    let far = Far::new(true);
    let layer = far.layer(&[]);
    let mut session = far.booted(&*layer);
    // The children of sshd are connections; each has one of its own in turn.
    for connection in layers_common::children(far.server.id()) {
        for pid in layers_common::children(connection).into_iter().chain([connection]) {
            let probe = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
            if probe.starts_with("sshd") {
                let _ = kill(Pid::from_raw(pid as i32), Signal::SIGKILL);
            }
        }
    }
    let error = session.measure(&null_call(30_000, 60_000), LONG).unwrap_err();
    assert!(matches!(error, SessionError::Ended(_)), "{error}");
    assert_eq!(session.abandon().left, [""; 0]);
    drop(layer);
    far.assert_clean("a broken connection");
    let living = Command::new("pgrep").args(["-f", "layers-test-.* [s]erve"]).output().unwrap();
    let marks = format!("layers-test-{}-", std::process::id());
    let text = String::from_utf8_lossy(&living.stdout).into_owned();
    for pid in text.split_whitespace() {
        let words = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let own = words.contains(&marks) && words.contains(&far.folder.display().to_string());
        assert!(!own, "process {pid} runs on");
    }
}

#[test]
fn what_keeps_it_from_coming_up_is_said_with_the_remedy() {
    let mut far = Far::new(true);
    let remedy = |why: &Unavailable, part: &str| {
        assert!(why.remedy.contains(part), "{part}: {why}");
    };
    let nowhere = far.layer(&[("dir", "/no/such/folder")]);
    let why = far.refused(&*nowhere);
    assert!(why.why.contains("/no/such/folder"), "{why}");
    drop(nowhere);
    let uname = far.place.program("uname", "echo sparc64");
    let bin = far.own.as_ref().unwrap().path().join("bin");
    fs::create_dir(&bin).unwrap();
    fs::rename(uname, bin.join("uname")).unwrap();
    let other = far.layer(&[]);
    let why = far.refused(&*other);
    assert!(why.why.contains("architecture (sparc64)"), "{why}");
    remedy(&why, "another architecture");
    drop(other);
    fs::remove_file(bin.join("uname")).unwrap();
    far.assert_clean("layers that did not come up");
    far.server.kill().unwrap();
    far.server.wait().unwrap();
    let refused = far.layer(&[("stop", "true"), ("finish", "true")]);
    remedy(&far.refused(&*refused), "start sshd there");
}

#[test]
fn a_full_disk_there_is_said() {
    let far = Far::new(true);
    let full = far.folder.join("full");
    fs::create_dir(&full).unwrap();
    let mount = |args: &[&str]| Command::new(args[0]).args(&args[1..]).arg(&full).status().unwrap();
    assert!(mount(&["mount", "-t", "tmpfs", "-o", "size=64k", "none"]).success());
    let layer = far.layer(&[("dir", &full.display().to_string())]);
    let why = far.refused(&*layer);
    drop(layer);
    let left = fs::read_dir(&full).unwrap().count();
    assert!(mount(&["umount"]).success());
    fs::remove_dir(&full).unwrap();
    assert!(why.remedy.contains("make room there"), "{why}");
    assert_eq!(left, 0, "half of the probe stays there");
    far.assert_clean("a full disk");
}

#[test]
fn a_server_that_wants_a_password_gets_none_and_the_remedy_is_said() {
    let far = Far::new(false);
    let layer = far.layer(&[("stop", "true"), ("finish", "true")]);
    let why = far.refused(&*layer);
    assert!(
        why.why.contains("Permission denied") && why.remedy.contains("without a password"),
        "{why}"
    );
    far.place.assert_clean("a server that wants a password");
}

/// What the test below starts again, to kill it.
#[test]
fn owner() {
    let Some(place) = std::env::var_os(PLACE) else { return };
    let place = Place::at(Path::new(&place));
    let folder = place.folder.join("far");
    let server = Command::new("true").spawn().unwrap();
    let far = Far { place, server, folder, own: None };
    let layer = far.layer(&[]);
    let mut session = far.booted(&*layer);
    fs::write(far.place.folder.join("ready"), "yes\n").unwrap();
    let _ = session.measure(&null_call(30_000, 60_000), LONG);
    panic!("nobody has killed the owner");
}

#[test]
fn nothing_stays_there_when_tare_is_killed() {
    let far = Far::new(true);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "owner", "--nocapture"]).env(PLACE, &far.place.folder);
    let mut owner = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    lines(&far.place.folder.join("ready"), 1);
    assert!(!far.is_empty());
    owner.kill().unwrap();
    owner.wait().unwrap();
    far.assert_clean("an owner that was killed");
}
