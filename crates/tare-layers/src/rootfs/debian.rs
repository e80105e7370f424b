//! Roots of Debian's packages, by mmdebstrap: the same bytes for the same versions.

use super::Maker;
use super::error::{RootError, damaged};
use crate::Program;
use std::fmt::Display;
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;
use tare_keeper::programs;
use tare_proto::harmless;

/// Longest time for downloading and installing.
const BUILDING: Duration = Duration::from_secs(900);

/// The time that files which a package makes itself have.
const TIME: &str = "1700000000";

/// What programs never read, and half of a small root.
const LEFT_OUT: &[&str] =
    &["/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*", "/usr/share/info/*"];

/// What differs from one installation to the next: keys, identities, databases that are made when packages are installed,
/// logs. Programs that need one make their own. The root's /tmp and /run stay to mmdebstrap, which empties them last: its
/// configuration of apt lies there, and without that apt would work on this host.
const REMOVED: &str = "cd \"$1\" && rm -rf var/lib/mysql/* var/lib/postgresql/*/* etc/ssl/private/ssl-cert-snakeoil.key \
    etc/ssl/certs/ssl-cert-snakeoil.pem etc/ssl/certs/*.0 var/cache/debconf/* var/log/* var/lib/apt/lists/* \
    var/cache/apt/* var/cache/ldconfig/* etc/machine-id var/lib/dbus/machine-id etc/*- \
    etc/resolv.conf etc/hostname";

/// Runs a command in the root, and ends what it leaves behind. What it prints goes to a file beside the root.
const COMMAND: &str =
    "unshare --pid --fork --kill-child chroot \"$1\" /bin/sh -ec COMMAND > SAID 2>&1 < /dev/null";

/// Builds the root at `tree`, and runs `commands` in it; the versions of its packages, and those commands.
pub(super) fn build(
    suite: &str,
    packages: &[String],
    commands: &[String],
    tree: &Path,
    by: &Maker,
) -> Result<String, RootError> {
    let program = programs::find("mmdebstrap").map_err(io::Error::from)?;
    let mut program = Program { env: environment(), ..Program::new(program) }
        .args(["--variant=minbase", "--mode=root", "--quiet"])
        .arg("--aptopt=Apt::Install-Recommends \"0\"")
        .args(LEFT_OUT.iter().map(|path| format!("--dpkgopt=path-exclude={path}")));
    let said = tree.with_extension("said");
    for text in commands {
        program = program.arg(format!("--customize-hook={}", in_root(text, &said)?));
    }
    program = program.arg(format!("--customize-hook={REMOVED}"));
    if !packages.is_empty() {
        program = program.arg(format!("--include={}", packages.join(",")));
    }
    let built = by.keeper.run(program.arg(suite).arg(tree), by.cache, by.interrupted, BUILDING);
    let last = fs::read(&said).unwrap_or_default(); // there is none without commands
    let _ = fs::remove_file(&said);
    built.map_err(|why| match last_line(&last) {
        Some(line) => RootError::Command { why, line },
        None => why.into(),
    })?;
    let status = fs::read_to_string(tree.join("var/lib/dpkg/status"));
    let status = status.map_err(|e| damaged(format!("it has no list of packages: {e}")))?;
    let made_of = [versions(&status)].into_iter().chain(commands.iter().cloned());
    Ok(made_of.collect::<Vec<_>>().join("\n"))
}

/// The user's environment, which may name a proxy, but for its language and the time of what is made.
fn environment() -> Vec<(String, String)> {
    let set = [("LC_ALL", "C"), ("SOURCE_DATE_EPOCH", TIME)]
        .map(|(key, value)| (key.into(), value.into()));
    let all = std::env::vars_os()
        .filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?)));
    let kept =
        all.filter(|(key, _)| !["LC_ALL", "LANGUAGE", "SOURCE_DATE_EPOCH"].contains(&key.as_str()));
    kept.chain(set).collect()
}

fn in_root(text: &str, said: &Path) -> Result<String, RootError> {
    let quoted = |text: &str| shlex::try_quote(text).map(|word| word.into_owned());
    let refused = |why: &dyn Display| RootError::Forbidden(why.to_string());
    let text =
        quoted(text).map_err(|why| refused(&format_args!("'{}': {why}", text.escape_debug())))?;
    let said = quoted(&said.to_string_lossy()).map_err(|why| refused(&why))?;
    Ok(COMMAND.replace("SAID", &said).replace("COMMAND", &text))
}

/// The last thing that a command has printed.
fn last_line(said: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(said);
    let line = text.lines().rfind(|line| !line.trim().is_empty())?;
    Some(harmless(line, 300))
}

/// `NAME VERSION` of every package, from dpkg's own list.
fn versions(status: &str) -> String {
    let mut all: Vec<String> = Vec::new();
    for paragraph in status.split("\n\n") {
        let field = |name: &str| paragraph.lines().find_map(|line| line.strip_prefix(name));
        if let (Some(name), Some(version)) = (field("Package: "), field("Version: ")) {
            all.push(format!("{name} {version}"));
        }
    }
    all.sort();
    all.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_one_word_of_its_hook() {
        let hook = in_root("echo 'a b' > /x", Path::new("/some place/tree.said")).unwrap();
        let words = shlex::split(&hook).unwrap();
        assert!(words.contains(&"echo 'a b' > /x".to_owned()), "{words:?}");
        assert!(words.contains(&"/some place/tree.said".to_owned()), "{words:?}");
        assert!(in_root("a\0b", Path::new("/x")).is_err());
        assert_eq!(last_line(b"one\ntwo \x1b[2J\n\n").unwrap(), "two \\u{1b}[2J");
    }

    #[test]
    fn the_versions_of_packages_are_what_a_root_is_made_of() {
        let status =
            "Package: b\nStatus: x\nVersion: 2:1\n\nPackage: a\nVersion: 1-1\nDescription: d\n";
        assert_eq!(versions(status), "a 1-1\nb 2:1");
    }
}
