//! The host's programs: where they are, the package each comes from, and running one with a deadline.

use crate::{ProgramError, Unavailable};
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::{AccessFlags, Pid, access};
use std::ffi::OsStr;
use std::io::{ErrorKind, Read};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tare_proto::harmless;

/// Debian's package for each program that layers use.
const PACKAGES: &[(&str, &str)] = &[
    ("runc", "runc"),
    ("crun", "crun"),
    ("runsc", "runsc"),
    ("linux.uml", "user-mode-linux"),
    ("qemu-system-x86_64", "qemu-system-x86"),
    ("qemu-system-i386", "qemu-system-x86"),
    ("qemu-system-aarch64", "qemu-system-arm"),
    ("qemu-system-ppc64", "qemu-system-ppc"),
    ("podman", "podman"),
    ("docker", "docker.io"),
    ("bwrap", "bubblewrap"),
    ("systemd-nspawn", "systemd-container"),
    ("lxc-execute", "lxc"),
    ("ssh", "openssh-client"),
    ("apt-cache", "apt"),
    ("apt-get", "apt"),
    ("dpkg-deb", "dpkg"),
    ("unshare", "util-linux"),
    ("xz", "xz-utils"),
    ("gzip", "gzip"),
    ("zstd", "zstd"),
    ("lz4", "lz4"),
    ("bzip2", "bzip2"),
    ("ip", "iproute2"),
    ("mke2fs", "e2fsprogs"),
    ("mkfs.erofs", "erofs-utils"),
    ("mmdebstrap", "mmdebstrap"),
    ("sbatch", "slurm-client"),
    ("scancel", "slurm-client"),
    ("scontrol", "slurm-client"),
    ("sinfo", "slurm-client"),
    ("squeue", "slurm-client"),
];

/// What to know of a distribution's package before it is installed, and what is better.
const OLD: &[(&str, &str)] = &[(
    "runsc",
    "Debian 12's is gVisor of 2022, several times slower than today's: https://gvisor.dev/docs/user_guide/install/ has a \
     current runsc, for a folder of PATH",
)];

/// What to know of `package` before it is installed, if anything.
pub fn before_install(package: &str) -> Option<&'static str> {
    OLD.iter().find(|(name, _)| *name == package).map(|(_, what)| *what)
}

/// Where an ordinary user's `PATH` does not look and runtimes are.
const ALSO: &[&str] = &["/usr/local/sbin", "/usr/sbin", "/sbin"];

/// How often a program is looked after.
const POLL: Duration = Duration::from_millis(2);

/// Longest time that a killed program is waited for.
const DYING: Duration = Duration::from_secs(2);

/// Most bytes that a program may print.
const MOST: usize = 1 << 20;

/// The program that `name` (a name, or a path with a slash) means, or how to get it. The path is absolute, since layers start in
/// folders of their own.
pub fn find(name: &str) -> Result<PathBuf, Unavailable> {
    if name.contains('/') {
        let remedy = "give the path of an executable file in the layer's settings";
        let path = std::path::absolute(name).ok().filter(|path| runs(path));
        return path.ok_or_else(|| Unavailable::new(no_program(name), remedy));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(ALSO.iter().map(PathBuf::from));
    let mut candidates = folders.map(|folder| folder.join(name));
    candidates.find(|path| runs(path)).ok_or_else(|| missing(name))
}

fn runs(path: &Path) -> bool {
    path.is_file() && access(path, AccessFlags::X_OK).is_ok()
}

fn no_program(name: &str) -> String {
    format!("there is no program {name}")
}

/// No folder of programs has `name`; what to do about it.
fn missing(name: &str) -> Unavailable {
    let Some((_, package)) = PACKAGES.iter().find(|(program, _)| *program == name) else {
        let remedy = format!("put {name} into a folder of PATH, or give its whole path");
        return Unavailable::new(no_program(name), remedy);
    };
    if Path::new("/etc/debian_version").exists() {
        let missing = Unavailable::without_package(no_program(name), package);
        let Some(old) = before_install(package) else { return missing };
        return Unavailable { remedy: format!("{}; but {old}", missing.remedy), ..missing };
    }
    let remedy = format!("install {name} (on Debian it is in the package {package})");
    Unavailable::new(no_program(name), remedy)
}

/// A command whose words are read: it speaks the language that tare was written against, not the user's.
pub fn plain(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env("LC_ALL", "C").env_remove("LANGUAGE");
    command
}

/// What `command` prints, if it succeeds `within` that time; else its last words. It and what it
/// started are ended when the time is over; a daemon that it leaves is not waited for.
pub fn output(command: &mut Command, within: Duration) -> Result<String, ProgramError> {
    output_unless(command, within, || false)
}

/// The same, unless it is to be `interrupted` meanwhile.
pub fn output_unless(
    command: &mut Command,
    within: Duration,
    interrupted: impl Fn() -> bool,
) -> Result<String, ProgramError> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Err(ProgramError::Start { name, error }),
    };
    let mut text = Heard::new(child.stdout.take());
    let mut complaint = Heard::new(child.stderr.take());
    let ended = wait_and(&mut child, within, || {
        text.listen();
        complaint.listen();
        interrupted()
    });
    match ended {
        Some(true) => Ok(text.finish()),
        Some(false) => Err(ProgramError::Failed { name, said: last_line(&complaint.finish()) }),
        None if interrupted() => Err(ProgramError::Interrupted),
        None => Err(ProgramError::Late { name, within }),
    }
}

/// Runs `command`, whose standard input and output are files, to its end or until the time is over.
pub fn run(command: &mut Command, within: Duration) -> Result<(), ProgramError> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.stderr(Stdio::null()).process_group(0).spawn() {
        Err(error) => Err(ProgramError::Start { name, error }),
        Ok(mut child) => match wait(&mut child, within) {
            Some(true) => Ok(()),
            Some(false) => Err(ProgramError::Unheard(name)),
            None => Err(ProgramError::Late { name, within }),
        },
    }
}

/// Whether the child succeeded; `None` when it had to be ended.
pub fn wait(child: &mut Child, within: Duration) -> Option<bool> {
    wait_and(child, within, || false)
}

/// The same, with something to do meanwhile, which also says whether it is to be ended.
fn wait_and(
    child: &mut Child,
    within: Duration,
    mut meanwhile: impl FnMut() -> bool,
) -> Option<bool> {
    let deadline = Instant::now() + within;
    while Instant::now() < deadline {
        let is_enough = meanwhile();
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.success()),
            Ok(None) if is_enough => break,
            Ok(None) => thread::sleep(POLL),
            Err(_) => return Some(false),
        }
    }
    let _ = killpg(Pid::from_raw(child.id() as i32), Signal::SIGKILL);
    let _ = child.kill(); // it may lead no group
    let deadline = Instant::now() + DYING;
    while matches!(child.try_wait(), Ok(None)) && Instant::now() < deadline {
        thread::sleep(POLL);
    }
    None
}

/// What has come through a pipe so far. It is never waited for: whoever holds the other end may keep it.
pub(crate) struct Heard<R> {
    pipe: Option<R>,
    bytes: Vec<u8>,
}

impl<R: Read + AsFd> Heard<R> {
    pub fn new(pipe: Option<R>) -> Heard<R> {
        let set = |pipe: &R| fcntl(pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).is_ok();
        Heard { pipe: pipe.filter(set), bytes: Vec::new() }
    }

    /// Takes what is there; the pipe is closed at its end and when it has brought too much.
    pub fn listen(&mut self) {
        let mut chunk = [0; 1 << 16];
        while let Some(pipe) = &mut self.pipe {
            match pipe.read(&mut chunk) {
                Ok(n) if n > 0 && self.bytes.len() + n <= MOST => {
                    self.bytes.extend_from_slice(&chunk[..n]);
                }
                Err(e) if e.kind() == ErrorKind::WouldBlock => return,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                _ => self.pipe = None,
            }
        }
    }

    pub fn finish(mut self) -> String {
        self.listen();
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// The last words of what a program printed, harmless.
pub fn last_line(text: &str) -> String {
    let said = text.lines().rfind(|line| !line.trim().is_empty());
    harmless(said.unwrap_or("it failed without a message"), 500)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_comes_with_its_package() {
        assert!(find("sh").is_ok());
        assert!(missing("linux.uml").remedy.contains("user-mode-linux"));
        let missing = find("not-there").unwrap_err();
        assert_eq!(missing.why, "there is no program not-there");
        assert!(missing.remedy.contains("whole path"), "{missing}");
        assert!(find("/etc/passwd").is_err(), "it is not executable");
        let upwards = "../".repeat(30) + "bin/sh";
        assert!(find(&upwards).unwrap().is_absolute());
    }

    #[test]
    fn output_is_what_was_printed_or_why_not() {
        let run =
            |script: &str, ms| output(plain("sh").args(["-c", script]), Duration::from_millis(ms));
        assert_eq!(run("echo yes", 10_000).unwrap(), "yes\n");
        let failed = |script: &str, ms| run(script, ms).unwrap_err();
        assert_eq!(failed("echo no >&2; exit 1", 10_000).to_string(), "sh: no");
        let late = failed("sleep 1000 | sleep 1000", 100);
        assert!(matches!(late, ProgramError::Late { .. }), "{late}");
        let harmless = failed("printf '\\033[2Jno' >&2; exit 1", 10_000);
        assert_eq!(harmless.to_string(), "sh: \\u{1b}[2Jno");
        let flood = failed("cat /dev/zero", 60_000);
        assert!(matches!(flood, ProgramError::Failed { .. }), "it was not cut off: {flood}");
    }

    #[test]
    fn whose_words_are_read_speaks_no_language_of_the_users() {
        // What a user's environment says is overruled, not merely completed.
        let mut command = plain("sh");
        command.args(["-c", "echo $LC_ALL; echo ${LANGUAGE-unset}"]);
        assert_eq!(output(&mut command, Duration::from_secs(10)).unwrap(), "C\nunset\n");
    }

    #[test]
    fn a_daemon_that_holds_the_pipes_is_not_waited_for() {
        let script = "setsid sleep 5 & echo yes";
        let (told, heard) = std::sync::mpsc::channel();
        thread::spawn(move || {
            told.send(output(Command::new("sh").args(["-c", script]), Duration::from_secs(600)))
        });
        let said = heard.recv_timeout(Duration::from_secs(4)).expect("it waited for the daemon");
        assert_eq!(said.unwrap(), "yes\n");
    }

    #[test]
    fn a_program_without_a_group_of_its_own_is_ended_too() {
        let mut child = Command::new("sleep").arg("1000").spawn().unwrap();
        assert_eq!(wait(&mut child, Duration::from_millis(50)), None);
        assert!(child.try_wait().unwrap().is_some(), "it still runs");
        let mut command = Command::new("sleep");
        let late = super::run(command.arg("1000"), Duration::from_millis(50)).unwrap_err();
        assert!(late.to_string().contains("did not finish within"), "{late}");
    }
}
