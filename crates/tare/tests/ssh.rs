//! The layer `ssh` against a real sshd on this host's loopback interface: it measures, and leaves nothing however it ends.

mod layers_common;

use layers_common::words::lines;
use layers_common::{LONG, Place, null_call};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tare_layers::{
    Answer, Layer, Processes, Session, SessionError, Settings, Unavailable, configure,
};
use tare_proto::Machine;
use tempfile::TempDir;

const SOON: Duration = Duration::from_secs(20);

/// A server for this test, and how to reach it.
struct Far {
    place: Place,
    server: Child,
    /// Where the probe goes.
    folder: PathBuf,
    /// The server's files.
    own: Option<TempDir>,
}

impl Drop for Far {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The server's configuration.
fn server_says(own: &Path, port: u16, by_key: bool) -> String {
    let (own, yes) = (own.display(), if by_key { "yes" } else { "no" });
    format!(
        "Port {port}\nListenAddress 127.0.0.1\nHostKey {own}/host\nPidFile none\nUsePAM no\nStrictModes no\n\
         AuthorizedKeysFile {own}/user.pub\nPubkeyAuthentication {yes}\nPasswordAuthentication yes\n\
         PermitRootLogin yes\nMaxStartups 100\nLogLevel ERROR\nSetEnv PATH={own}/bin:/usr/bin:/bin\n"
    )
}

/// The client's.
fn client_says(own: &Path, port: u16) -> String {
    let (own, user) = (own.display(), std::env::var("USER").unwrap_or("root".into()));
    format!(
        "Host far\nHostName 127.0.0.1\nPort {port}\nUser {user}\nIdentityFile {own}/user\nIdentitiesOnly yes\n\
         UserKnownHostsFile {own}/known\nStrictHostKeyChecking accept-new\n"
    )
}

fn key(at: &Path) {
    let mut keygen = Command::new("ssh-keygen");
    keygen.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(at);
    assert!(keygen.status().expect("ssh-keygen").success());
}

impl Far {
    /// A server that lets this user in by key, or only by password.
    fn new(by_key: bool) -> Far {
        let place = Place::new();
        let folder = place.folder.join("far");
        fs::create_dir(&folder).unwrap();
        // Elsewhere: what has the place's name belongs to its boots.
        let kept = tempfile::tempdir().unwrap();
        let own = kept.path();
        key(&own.join("host"));
        key(&own.join("user"));
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        fs::write(own.join("sshd"), server_says(own, port, by_key)).unwrap();
        fs::write(place.folder.join("client"), client_says(own, port)).unwrap();
        let _ = fs::create_dir("/run/sshd"); // where its service would have made it
        let mut server = Command::new("/usr/sbin/sshd");
        server.args(["-D", "-e", "-f"]).arg(own.join("sshd"));
        let server = server.stdin(Stdio::null()).stderr(Stdio::null()).spawn().expect("sshd");
        let deadline = Instant::now() + SOON;
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < deadline, "sshd does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        Far { place, server, folder, own: Some(kept) }
    }

    fn layer(&self, more: &[(&str, &str)]) -> Box<dyn Layer> {
        let mut settings = Settings::default();
        let args = format!("-F {}/client", self.place.folder.display());
        let folder = self.folder.display().to_string();
        let all = [("name", "ssh"), ("host", "far"), ("args", &args)];
        all.iter().chain(more).for_each(|(key, value)| settings.set(key, value).unwrap());
        settings.default_to("dir", &folder);
        configure(Machine::Real, &settings).unwrap_or_else(|e| panic!("{e}")).2
    }

    fn booted(&self, layer: &dyn Layer) -> Session {
        let mut session = self.place.start(layer, None).unwrap_or_else(|e| panic!("{e}"));
        let greeted = session.greet(LONG);
        assert!(greeted.is_ok(), "{greeted:?}\n{}", session.console_tail());
        session
    }

    /// Why it does not come up.
    fn refused(&self, layer: &dyn Layer) -> Unavailable {
        let begun = self.place.start(layer, None);
        let (error, console) = match begun {
            Err(error) => (error, String::new()),
            Ok(mut session) => {
                let error = session.greet(LONG).expect_err("it greets");
                (error, session.console_tail())
            }
        };
        layer.explain(&error, &console)
    }

    fn is_empty(&self) -> bool {
        fs::read_dir(&self.folder).unwrap().count() == 0
    }

    fn assert_clean(&self, after: &str) {
        let deadline = Instant::now() + SOON;
        while !self.is_empty() {
            assert!(Instant::now() < deadline, "{after} left a file there");
            std::thread::sleep(Duration::from_millis(20));
        }
        self.place.assert_clean(after);
    }
}

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
    assert!(session.out_of_sight().unwrap().contains("another host"));
    assert_eq!(session.end(SOON).left, [""; 0]);
    assert!(matches!(beside.measure(&null_call(3, 2_000), LONG), Ok(Answer::Series(..))));
    drop(beside);
    assert_eq!(fs::read_dir(&far.folder).unwrap().count(), 1, "the probe, for other boots");
    drop(layer);
    far.assert_clean("a campaign");
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
    let Some(place) = std::env::var_os(layers_common::PLACE) else { return };
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
    command.args(["--exact", "owner", "--nocapture"]).env(layers_common::PLACE, &far.place.folder);
    let mut owner = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    lines(&far.place.folder.join("ready"), 1);
    assert!(!far.is_empty());
    owner.kill().unwrap();
    owner.wait().unwrap();
    far.assert_clean("an owner that was killed");
}
