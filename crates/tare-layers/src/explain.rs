//! Says what to do about a boot that failed, from its error and its console's last lines.

use crate::{SessionError, Unavailable};
use tare_keeper::threads::MORE_PROCESSES;

/// Texts on consoles and in errors, and what to do about them.
const KNOWN: &[(&str, &str)] = &[
    ("No space left on device", "make room in the folder for temporary files, or set TMPDIR"),
    ("Resource temporarily unavailable", MORE_PROCESSES),
    ("Cannot allocate memory", "close other programs, or give the layer less (memory=)"),
    (
        "assword",
        "it asks for a password, and nobody is there to type one: let it log in without (a key in ssh-agent, sudo -n)",
    ),
    (
        "Exec format error",
        "the machine there cannot run this probe, which is for another architecture",
    ),
    ("Unable to mount root fs", "the kernel has no initramfs support: give another (kernel=)"),
    (
        "must be not mounted noexec",
        "let programs run from /dev/shm: mount -o remount,exec /dev/shm; if tare runs in a container itself, start that with \
         --tmpfs /dev/shm:exec,size=1g",
    ),
    (
        "unable to apply cgroup configuration",
        "tare may make no control groups here: if it runs in a container itself, start that with --privileged",
    ),
    ("ermission denied", RIGHTS),
    ("peration not permitted", RIGHTS),
    (
        "error while loading shared libraries",
        "install the missing library; inside the simulated machine, use a program that needs only the C library",
    ),
    ("unknown platform", "use a platform that this runsc has (platform=), or a newer runsc"),
];

/// What to do where something is forbidden.
const RIGHTS: &str = "run tare as root (in a container: one with --privileged), or allow users to create user namespaces: \
                      sysctl -w kernel.apparmor_restrict_unprivileged_userns=0";

/// Parts of words that mark the most informative line of a console.
const TELLING: &[&str] = &["panic", "atal", "rror", "ailed", "annot", "denied"];

/// Why the boot failed and what to do, for any layer.
pub fn explain(error: &SessionError, console: &str) -> Unavailable {
    let told = error.to_string();
    let known = KNOWN.iter().find(|(text, _)| console.contains(text) || told.contains(text));
    let remedy = match (known, error) {
        (Some((_, remedy)), _) => remedy,
        (None, SessionError::NoGreeting(_)) => {
            "give it more time (--boot-limit), or look at its console's log"
        }
        (None, SessionError::Ended(_)) if console.is_empty() => {
            "its console was empty: give it more memory (memory=) or another kernel (kernel=), if it has these settings"
        }
        (None, _) => "look at its console's log and at the layer's settings",
    };
    Unavailable::new(format!("{error}{}", telling_line(console)), remedy)
}

fn telling_line(console: &str) -> String {
    let tells = |line: &&str| TELLING.iter().any(|word| line.contains(word));
    let line = console.lines().rev().find(tells).or_else(|| console.lines().last());
    line.map(|line| format!(": {}", line.trim())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Waited;
    use std::time::Duration;

    #[test]
    fn the_line_that_tells_most_is_shown() {
        let ended = SessionError::Ended("signal SIGABRT".into());
        let console = "Kernel panic - not syncing: Unable to mount root fs\nCPU: 0\nCall Trace:";
        let why = explain(&ended, console);
        assert!(why.why.ends_with("Unable to mount root fs"), "{why}");
        assert!(why.remedy.contains("kernel="), "{why}");
    }

    #[test]
    fn a_container_that_tare_runs_in_is_told_the_flag_that_it_lacks() {
        let ended = SessionError::Ended("exit code 1".into());
        let remedy = |console: &str| explain(&ended, console).remedy;
        // What User-Mode Linux says, which first warns of a file that it may not map.
        assert!(
            remedy("map failed: Permission denied\n/dev/shm must be not mounted noexec")
                .contains("--tmpfs")
        );
        let cgroup = "runc run failed: unable to start container process: unable to apply cgroup configuration: mkdir \
                      /sys/fs/cgroup/cpuset/tare: read-only file system";
        assert!(remedy(cgroup).contains("--privileged"));
    }

    #[test]
    fn silence_has_a_remedy_too() {
        let late = SessionError::NoGreeting(Waited::Host(Duration::from_secs(20)));
        assert!(explain(&late, "").remedy.contains("more time"));
        let ended = SessionError::Ended("exit code 0".into());
        assert!(explain(&ended, "").remedy.contains("memory"));
    }
}
