//! Xen's toolstack, as dom0 has it: programs and libraries out of the distribution's packages, and how they start a domain.

use super::disk;
use super::inside::{C_LIBRARY, Files};
use crate::{Host, Unavailable, artifacts::package};
use std::path::PathBuf;
use tare_proto::Inner;

/// The package that depends on the newest toolstack.
const GENERAL: &str = "xen-system-amd64";

/// How packages of the toolstack are called; the version follows.
const PREFIX: &str = "xen-utils-";

const PROGRAMS: &[&str] = &[
    "./usr/lib/xen-*/bin/xl",
    "./usr/lib/xen-*/bin/xen-init-dom0",
    "./usr/lib/xen-*/bin/xenstored",
    "./usr/lib/xen-*/bin/xenconsoled",
    "./usr/lib/xen-*/bin/xenconsole",
];
/// All that its packages depend on, as apt says: no parser of ELF headers, and right for the next release, too.
const LIBRARIES: &[&str] = &["./*lib/x86_64-linux-gnu/l*.so*"];

/// What dom0's kernel needs for guests and their disks, in the order of loading.
pub(super) const MODULES: &[&str] = &[
    "xen_privcmd",
    "xenfs",
    "xen_evtchn",
    "xen_gntdev",
    "xen_gntalloc",
    "xen_blkback",
    disk::MODULE,
];

/// File systems of dom0: what the toolstack talks to, and the folders that it writes to.
const MOUNTS: &[(&str, &str)] = &[
    ("xenfs", "/proc/xen"),
    ("devpts", "/dev/pts"),
    ("tmpfs", "/var/run/xen"),
    ("tmpfs", "/var/run/xenstored"),
    ("tmpfs", "/var/lib/xen"),
    ("tmpfs", "/var/log/xen"),
    ("tmpfs", "/var/lock"),
];

/// Where dom0 has the description of the domain.
pub(super) const DOMAIN: &str = "/domain";

/// What the toolstack runs when a domain's disk comes and goes.
pub(super) const BLOCK: &str = "/etc/xen/scripts/block";

/// The distribution's script wants a whole distribution; all that the driver needs is the device's numbers.
pub(super) fn block() -> String {
    format!(
        "#!/bin/dash\n[ \"$1\" != add ] || xenstore write \"$XENBUS_PATH/physical-device\" {}\n",
        disk::NUMBERS
    )
}

/// How the toolstack's error ends when Xen lacks what a type of domain takes (xl 4.17 of Debian, for a PVH domain with `hap = 0`).
const NOT_BUILT: &str = "domain creation fail: Operation not supported";

/// What the toolstack says when it cannot start the domain; the first error is the cause of the others.
pub(super) fn refusal(console: &str) -> Option<Unavailable> {
    let told = ["xc: error: ", "libxl: error: "];
    let said = console.lines().find(|line| told.iter().any(|told| line.contains(told)))?;
    let remedy = if said.ends_with(NOT_BUILT) {
        "this Xen is built without CONFIG_SHADOW_PAGING, as Debian's is: leave paging=shadow out, or give one that has it (xen=)"
    } else {
        "look at its console's log; kernel=, memory=, append= and tsc= say which domain it is"
    };
    Some(Unavailable::new(
        format!("Xen's toolstack cannot start the domain: {}", said.trim()),
        remedy,
    ))
}

pub(super) struct Toolstack {
    utils: String,
    libraries: Vec<String>,
}

impl Toolstack {
    /// The newest that the distribution has.
    pub(super) fn find() -> Result<Toolstack, Unavailable> {
        let utils = package::behind(GENERAL, PREFIX).ok_or_else(|| {
            let why = format!("apt knows no package {GENERAL}");
            Unavailable::new(why, "as root: apt-get update")
        })?;
        let libraries = package::libraries(&utils)?;
        Ok(Toolstack { utils, libraries })
    }

    /// What dom0 needs of them.
    pub(super) fn files(&self) -> Vec<Files<'_>> {
        let libraries = self.libraries.iter().filter(|name| *name != C_LIBRARY.package);
        let libraries = libraries.map(|package| Files { package, members: LIBRARIES });
        let own = [
            C_LIBRARY,
            Files { package: &self.utils, members: PROGRAMS },
            Files { package: "xenstore-utils", members: &["./usr/bin/xenstore"] },
            Files { package: "dash", members: &["./*bin/dash"] },
        ];
        own.into_iter().chain(libraries).collect()
    }

    /// Its main program on this host, for the record.
    pub(super) fn xl(&self, host: &Host) -> Result<PathBuf, Unavailable> {
        let programs = Files { package: &self.utils, members: PROGRAMS };
        Ok(programs.tree(host)?.join(self.folder()).join("xl"))
    }

    fn folder(&self) -> String {
        format!("usr/lib/xen-{}/bin", self.utils.trim_start_matches(PREFIX))
    }

    /// How dom0 starts [`DOMAIN`] and stays until its end, the domain's console on its own standard output. It then
    /// sleeps: whatever dom0 did while the domain measures would be measured.
    pub(super) fn inner(&self) -> Inner {
        let folder = self.folder();
        let words = |line: &str| -> Vec<String> {
            format!("/{folder}/{line}").split(' ').map(str::to_owned).collect()
        };
        Inner {
            mounts: MOUNTS.iter().map(|(kind, at)| ((*kind).into(), (*at).into())).collect(),
            steps: ["xenstored", "xen-init-dom0", "xenconsoled"].map(words).into(),
            program: words(&format!("xl create -F -c {DOMAIN}")),
            env: vec![("PATH".into(), "/usr/bin".into())],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_toolstacks_first_error_is_the_reason() {
        // What xl 4.17 says of a script that is not there.
        let said = "Parsing config from /domain\n\
            libxl: error: libxl_exec.c:117:libxl_report_child_exitstatus: /etc/xen/scripts/block add [95] exited\n\
            libxl: error: libxl_domain.c:1183:libxl__destroy_domid: Domain 1:Non-existant domain\n";
        let why = refusal(said).unwrap();
        assert!(why.why.ends_with("/etc/xen/scripts/block add [95] exited"), "{why}");
        let large = format!("xc: error: panic: kernel too large\n{said}");
        assert!(refusal(&large).unwrap().why.ends_with("kernel too large"));
        let shadow = "libxl: error: libxl_create.c:711:libxl__domain_make: domain creation fail: Operation not supported\n";
        assert!(refusal(shadow).unwrap().remedy.contains("CONFIG_SHADOW_PAGING"));
        assert!(refusal("Kernel panic - not syncing: no init").is_none());
    }
}
