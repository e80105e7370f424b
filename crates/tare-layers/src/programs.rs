//! The host's programs: where they are, the package each comes from, and running one with a deadline.

use crate::Unavailable;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::{AccessFlags, Pid, access};
use std::ffi::OsStr;
use std::io::Read;
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
];

/// Where an ordinary user's `PATH` does not look and runtimes are.
const ALSO: &[&str] = &["/usr/local/sbin", "/usr/sbin", "/sbin"];

/// The program that `name` (a name, or a path with a slash) means, or how to get it.
pub(crate) fn find(name: &str) -> Result<PathBuf, Unavailable> {
    if name.contains('/') {
        let path = Path::new(name);
        let fix = "give the path of an executable file in the layer's settings";
        return if runs(path) { Ok(path.to_owned()) } else { Err(missing(name, fix.into())) };
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(ALSO.iter().map(PathBuf::from));
    let mut candidates = folders.map(|folder| folder.join(name));
    candidates.find(|path| runs(path)).ok_or_else(|| missing(name, install(name)))
}

fn runs(path: &Path) -> bool {
    path.is_file() && access(path, AccessFlags::X_OK).is_ok()
}

fn missing(name: &str, remedy: String) -> Unavailable {
    Unavailable::new(format!("there is no program {name}"), remedy)
}

/// How to install the program called `name`.
fn install(name: &str) -> String {
    let Some((_, package)) = PACKAGES.iter().find(|(program, _)| *program == name) else {
        return format!("put {name} into a folder of PATH, or give its whole path");
    };
    if Path::new("/etc/debian_version").exists() {
        format!("install it: apt-get install {package}")
    } else {
        format!("install {name} (on Debian it is in the package {package})")
    }
}

/// A command whose words are read: it speaks the language that tare was written against, not the user's.
pub(crate) fn plain(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env("LC_ALL", "C").env_remove("LANGUAGE");
    command
}

/// What `command` prints, if it succeeds `within` that time; else its last words. It and what it
/// started are ended when the time is over.
pub(crate) fn output(command: &mut Command, within: Duration) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().map_err(|e| format!("{name}: {e}"))?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let complaint = thread::spawn(move || read(err));
    let text = thread::spawn(move || read(out));
    let ended = wait(&mut child, within).ok_or(format!("{name}: not done within {within:?}"))?;
    let text = text.join().unwrap_or_default();
    let complaint = complaint.join().unwrap_or_default();
    if ended { Ok(text) } else { Err(format!("{name}: {}", last_line(&complaint))) }
}

/// Whether the child succeeded; `None` when it had to be ended.
pub(crate) fn wait(child: &mut Child, within: Duration) -> Option<bool> {
    let deadline = Instant::now() + within;
    while Instant::now() < deadline {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.success()),
            Ok(None) => thread::sleep(Duration::from_millis(2)),
            Err(_) => return Some(false),
        }
    }
    let _ = killpg(Pid::from_raw(child.id() as i32), Signal::SIGKILL);
    let _ = child.wait();
    None
}

fn read(stream: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        let _ = stream.take(1 << 20).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn last_line(text: &str) -> String {
    let said = text.lines().rfind(|line| !line.trim().is_empty());
    harmless(said.unwrap_or("it failed and said nothing"), 500)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_comes_with_its_package() {
        assert!(find("sh").is_ok());
        assert!(install("linux.uml").contains("user-mode-linux"));
        let missing = find("not-there").unwrap_err();
        assert_eq!(missing.why, "there is no program not-there");
        assert!(missing.remedy.contains("whole path"), "{missing}");
        assert!(find("/etc/passwd").is_err(), "it is not executable");
    }

    #[test]
    fn output_is_what_was_printed_or_why_not() {
        let run =
            |script: &str, ms| output(plain("sh").args(["-c", script]), Duration::from_millis(ms));
        assert_eq!(run("echo yes", 10_000).unwrap(), "yes\n");
        assert_eq!(run("echo no >&2; exit 1", 10_000).unwrap_err(), "sh: no");
        let late = run("sleep 1000 | sleep 1000", 100).unwrap_err();
        assert!(late.contains("not done within"), "{late}");
        assert_eq!(run("printf '\\033[2Jno' >&2; exit 1", 10_000).unwrap_err(), "sh: \\u{1b}[2Jno");
    }

    #[test]
    fn whose_words_are_read_speaks_no_language_of_the_users() {
        // What a user's environment says is overruled, not merely completed.
        let mut command = plain("sh");
        command.args(["-c", "echo $LC_ALL; echo ${LANGUAGE-unset}"]);
        assert_eq!(output(&mut command, Duration::from_secs(10)).unwrap(), "C\nunset\n");
    }

    /// The keeper starts layers, which get an environment of their own; all others are read.
    #[test]
    fn every_program_is_started_through_it() {
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                if entry.path().is_dir() {
                    folders.push(entry.path());
                    continue;
                }
                let text = std::fs::read_to_string(entry.path()).unwrap();
                let code = text.split("#[cfg(test)]").next().unwrap_or_default();
                let name = entry.file_name();
                let starts = ["keep.rs", "keeper.rs", "programs.rs"].iter().any(|own| name == *own);
                assert!(starts || !code.contains("Command::new("), "{}", entry.path().display());
            }
        }
    }
}
