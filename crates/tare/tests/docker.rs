//! The layer `docker` behind a real daemon of Docker's, which this test starts and ends: no image is pulled, containers reach no
//! network, and nothing is left however a boot ends.

mod common;
mod layers_common;

use common::{Bench, done, flat};
use layers_common::endings::{self, every_ending, this_program};
use layers_common::words::others_say_what_they_need;
use layers_common::{LONG, NOBODY, PLACE, Place, layer};
use nix::mount::{MntFlags, umount2};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The layer, told where its processes are.
const NAMED: &str = "docker,pids=docker inspect -f {{.State.Pid}} {id}";

/// What a daemon may take to start, and to end.
const SOON: Duration = Duration::from_secs(60);

/// A daemon of this test's own: all that it has is in a folder, and its containers are in a control group.
struct Daemon {
    child: Child,
    folder: TempDir,
    group: String,
}

impl Daemon {
    fn start() -> Daemon {
        let folder = tempfile::Builder::new().prefix("dockerd-").tempdir().unwrap();
        let group = format!("dockerd-{}", std::process::id());
        let at = |name: &str| folder.path().join(name).display().to_string();
        let log = File::create(at("log")).unwrap();
        let mut dockerd = Command::new("dockerd");
        dockerd.args(["--bridge=none", "--iptables=false", "--storage-driver=vfs"]);
        dockerd.args(["--exec-opt", "native.cgroupdriver=cgroupfs", "--cgroup-parent"]).arg(&group);
        dockerd.args(["--data-root", &at("data"), "--exec-root", &at("exec")]);
        dockerd.args(["--pidfile", &at("pid"), "--host", &format!("unix://{}", at("socket"))]);
        dockerd.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        let dies_with_this = || -> io::Result<()> { Ok(set_pdeathsig(Signal::SIGTERM)?) };
        // SAFETY: prctl is a system call, as is allowed between fork and exec.
        let child = unsafe { dockerd.pre_exec(dies_with_this) }.spawn();
        let child = child.unwrap_or_else(|e| panic!("dockerd: {e}; cargo xtask packages testing"));
        let mut daemon = Daemon { child, folder, group };
        let begun = Instant::now();
        while !daemon.docker(&["info"]).0 {
            let ended = daemon.child.try_wait().unwrap();
            assert!(ended.is_none() && begun.elapsed() < SOON, "{ended:?}\n{}", daemon.log());
            std::thread::sleep(Duration::from_millis(100));
        }
        daemon
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// Where it listens, as `DOCKER_HOST` has it.
    fn host(&self) -> String {
        format!("unix://{}", self.folder.path().join("socket").display())
    }

    /// Docker's own command: whether it succeeds, and what it prints.
    fn docker(&self, args: &[&str]) -> (bool, String) {
        let mut docker = Command::new("docker");
        let output = docker.args(args).env("DOCKER_HOST", self.host()).output().expect("docker");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Fails unless, within a while, it has neither a container nor an image.
    fn assert_empty(&self, after: &str) {
        let begun = Instant::now();
        loop {
            let left = [["ps", "-aq"], ["images", "-aq"]].map(|args| self.docker(&args).1);
            if left.iter().all(String::is_empty) {
                return;
            }
            assert!(begun.elapsed() < SOON, "{after} left {left:?}\n{}", self.log());
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// This test program once more, for a test of it that finds the daemon.
    fn again(&self, test: &str, place: &Place) -> Command {
        let mut again = this_program(test, place);
        again.env("DOCKER_HOST", self.host()).env("DOCKER_TEST_GROUP", &self.group);
        again.stdout(Stdio::inherit()).stderr(Stdio::inherit());
        again
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = kill(Pid::from_raw(self.child.id() as i32), Signal::SIGTERM);
        let begun = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) && begun.elapsed() < SOON {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
        let own = |place: &&str| Path::new(place).starts_with(self.folder.path());
        let places: Vec<&str> = mounts.lines().filter_map(|line| line.split(' ').nth(1)).collect();
        for place in places.into_iter().rev().filter(own) {
            let _ = umount2(place, MntFlags::MNT_DETACH);
        }
        for group in groups(&self.group) {
            let _ = fs::remove_dir(group);
        }
    }
}

/// The folders of a control group in every hierarchy.
fn groups(name: &str) -> Vec<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    let lines = mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let roots = lines.filter(|words| words[2].starts_with("cgroup"));
    roots.map(|words| Path::new(words[1]).join(name)).filter(|it| it.exists()).collect()
}

#[test]
fn docker_boots_answers_and_leaves_nothing() {
    let daemon = Daemon::start();
    let place = Place::new();
    let status = daemon.again("behind_a_daemon", &place).status().unwrap();
    place.assert_clean("docker's boots");
    assert!(status.success(), "{status}\n{}", daemon.log());
    daemon.assert_empty("boots");
    let mut user = daemon.again("as_user", &place);
    let status = user.uid(NOBODY).gid(NOBODY).status().unwrap();
    assert!(status.success(), "as an ordinary user: {status}");
    a_scoreboard_has_it(&daemon);
    daemon.assert_empty("a campaign");
    for group in groups(&daemon.group) {
        let below = fs::read_dir(&group).unwrap().flatten();
        let left = below.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        assert_eq!(left.count(), 0, "control groups of containers in {}", group.display());
    }
}

/// What the test above starts again, where the environment names the daemon.
#[test]
fn behind_a_daemon() {
    let Some(place) = std::env::var_os(PLACE) else { return };
    let place = Place::at(Path::new(&place));
    every_ending(&place, NAMED, "");
    what_it_uses_is_unknown_unless_it_is_told_where(&place);
}

/// What it starts again as an ordinary user.
#[test]
fn as_user() {
    let Some(place) = std::env::var_os(PLACE) else { return };
    others_say_what_they_need(&Place::at(Path::new(&place)), "docker");
}

/// What is started again as the owner of a session, to kill it.
#[test]
fn owner() {
    endings::own();
}

fn what_it_uses_is_unknown_unless_it_is_told_where(place: &Place) {
    let group = std::env::var("DOCKER_TEST_GROUP").unwrap();
    for (settings, known) in [("docker".into(), false), (format!("docker,cgroup={group}"), true)] {
        let layer = layer(&settings);
        let mut session = place.start(&*layer, None).unwrap_or_else(|e| panic!("{settings}: {e}"));
        session.greet(LONG).unwrap_or_else(|e| panic!("{e}\n{}", session.console_tail()));
        assert_eq!(session.footprint().is_some_and(|it| it > 100_000), known, "{settings}");
        assert_eq!(session.out_of_sight().is_none(), known, "{settings}");
        drop(session);
        drop(layer);
        place.assert_clean(&settings);
    }
}

fn a_scoreboard_has_it(daemon: &Daemon) {
    let bench = Bench::new();
    let line =
        "run --layers native,docker --bench lmbench/null_call --blocks 2 --pin none --require -o c";
    let mut command = bench.command(line);
    let run = done(command.env("DOCKER_HOST", daemon.host()).output().unwrap());
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let said = flat(&run.out);
    for part in ["docker against native", "a message to it and the answer take", "load average"] {
        assert!(said.contains(part), "no '{part}' in\n{}", run.out);
    }
}
