//! "Cannot run here" as a value: most hosts lack most layers, and each has a reason and a remedy.

use nix::unistd::geteuid;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

/// Why a layer cannot run on this host, and what would change that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unavailable {
    /// What is missing or refused, by name.
    pub why: String,
    /// What to do about it: a command or a sentence.
    pub remedy: String,
    /// The package of this distribution whose installation alone is the remedy, if one is.
    pub package: Option<String>,
}

impl Unavailable {
    /// A reason with its remedy. Root is not told to become root.
    pub fn new(why: impl Into<String>, remedy: impl Into<String>) -> Unavailable {
        let remedy = remedy.into();
        let remedy = if geteuid().is_root() { of_root(&remedy) } else { remedy };
        Unavailable { why: why.into(), remedy, package: None }
    }

    /// A reason that Debian's `package` removes.
    pub fn without_package(why: impl Into<String>, package: &str) -> Unavailable {
        let remedy = format!("install it: apt-get install {package}");
        Unavailable { package: Some(package.to_owned()), ..Unavailable::new(why, remedy) }
    }
}

impl From<Unavailable> for io::Error {
    fn from(missing: Unavailable) -> io::Error {
        io::Error::other(missing.to_string())
    }
}

/// A remedy that root has taken already.
const AS_ROOT: &str = "run tare as root";

/// What is left to do when that does not help.
const ALREADY: &str = "tare runs as root already: in a container, start that with --privileged; elsewhere a security module, a \
                       mount (noexec, nosuid, read-only) or a limit forbids it, which the console's log or dmesg may name";

fn of_root(remedy: &str) -> String {
    if remedy.starts_with(AS_ROOT) {
        return ALREADY.into();
    }
    let others = [", or ", "; or "].iter();
    others.fold(remedy.to_owned(), |remedy, or| remedy.replace(&format!("{or}{AS_ROOT}"), ""))
}

/// Whether an ordinary user may make user namespaces.
pub fn user_namespaces() -> Result<(), Unavailable> {
    for switch in ["user/max_user_namespaces", "kernel/unprivileged_userns_clone"] {
        let value = fs::read_to_string(Path::new("/proc/sys").join(switch));
        if value.is_ok_and(|value| value.trim() == "0") {
            let name = switch.replace('/', ".");
            let enough = if name.starts_with("user") { 10000 } else { 1 };
            return Err(Unavailable::new(
                format!("ordinary users may not create user namespaces ({name} is 0)"),
                format!("as root: sysctl -w {name}={enough}; or run tare as root"),
            ));
        }
    }
    Ok(())
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.why, self.remedy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_is_not_told_to_become_root() {
        assert_eq!(of_root("set HOME, or run tare as root"), "set HOME");
        assert_eq!(of_root("usermod -aG kvm USER; or run tare as root"), "usermod -aG kvm USER");
        assert_eq!(of_root("make room"), "make room");
        for all in ["run tare as root", "run tare as root, or join the group docker"] {
            assert!(of_root(all).starts_with("tare runs as root already"));
        }
    }
}
