//! Roots of Debian's packages, by mmdebstrap: the same bytes for the same versions.

use crate::programs;
use std::fs;
use std::path::Path;
use std::time::Duration;

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
    var/cache/apt/* var/cache/ldconfig/* etc/machine-id var/lib/dbus/machine-id etc/*-";

/// Builds the root at `tree`; the versions of its packages.
pub(super) fn build(suite: &str, packages: &[String], tree: &Path) -> Result<String, String> {
    let program = programs::find("mmdebstrap").map_err(|missing| missing.to_string())?;
    let mut command = programs::plain(program);
    command
        .env("SOURCE_DATE_EPOCH", TIME)
        .arg("--variant=minbase")
        .arg("--mode=root")
        .arg("--quiet");
    command.arg("--aptopt=Apt::Install-Recommends \"0\"");
    command.args(LEFT_OUT.iter().map(|path| format!("--dpkgopt=path-exclude={path}")));
    command.arg(format!("--customize-hook={REMOVED}"));
    if !packages.is_empty() {
        command.arg(format!("--include={}", packages.join(",")));
    }
    programs::output(command.arg(suite).arg(tree), BUILDING)?;
    let status = fs::read_to_string(tree.join("var/lib/dpkg/status"));
    let status = status.map_err(|e| format!("it has no list of packages: {e}"))?;
    Ok(versions(&status))
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
    fn the_versions_of_packages_are_what_a_root_is_made_of() {
        let status =
            "Package: b\nStatus: x\nVersion: 2:1\n\nPackage: a\nVersion: 1-1\nDescription: d\n";
        assert_eq!(versions(status), "a 1-1\nb 2:1");
    }
}
