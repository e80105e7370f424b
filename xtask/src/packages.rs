//! Installs the layers: Debian's and Ubuntu's packages, or says what to install elsewhere.

use crate::shell::{has_program, run};
use crate::{apt, criu, go::GVISOR, python};
use anyhow::{Result, bail};

/// A program that a layer needs, and the package that brings it.
const NEEDED: &[(&str, &str)] = &[
    ("runc", "runc"),
    ("crun", "crun"),
    ("runsc", "runsc"),
    ("ip", "iproute2"),
    ("xz", "xz-utils"),
];

/// What layers need whose guests are x86-64's.
const GUESTS: &[(&str, &str)] =
    &[("linux.uml", "user-mode-linux"), ("qemu-system-x86_64", "qemu-system-x86")];

/// What simulated machines of other architectures need on x86-64.
const MACHINES: &[(&str, &str)] =
    &[("qemu-system-aarch64", "qemu-system-arm"), ("qemu-system-ppc64", "qemu-system-ppc")];

/// What links the probes for them, with their C libraries.
const LINKERS: &[(&str, &str)] = &[
    ("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"),
    ("aarch64-linux-gnu-gcc", "libc6-dev-arm64-cross"),
    ("powerpc64le-linux-gnu-gcc", "gcc-powerpc64le-linux-gnu"),
    ("powerpc64le-linux-gnu-gcc", "libc6-dev-ppc64el-cross"),
];

/// What only tests need: engines of containers; a server of SSH; a scheduler of jobs; a browser for the page, and its driver; a reader of
/// databases; what makes an empty Debian and roots of programs.
const TESTING: &[(&str, &str)] = &[
    ("mkfs.erofs", "erofs-utils"),
    ("qemu-storage-daemon", "qemu-system-common"),
    ("podman", "podman"),
    ("dockerd", "docker.io"),
    ("bwrap", "bubblewrap"),
    ("systemd-nspawn", "systemd-container"),
    ("lxc-execute", "lxc"),
    ("sshd", "openssh-server"),
    ("chromium", "chromium"),
    ("chromedriver", "chromium-driver"),
    ("sqlite3", "sqlite3"),
    ("python3", "python3"),
    ("munged", "munge"),
    ("slurmctld", "slurmctld"),
    ("slurmd", "slurmd"),
    ("sbatch", "slurm-client"),
    ("mmdebstrap", "mmdebstrap"),
    ("dpkg-deb", "dpkg"),
];

/// What the probes for them are built for.
const FOREIGN: &[&str] =
    &["i686-unknown-linux-musl", "aarch64-unknown-linux-gnu", "powerpc64le-unknown-linux-gnu"];

/// What the suites are compared with.
const ORIGINALS: &[(&str, &str)] = &[
    ("hackbench", "rt-tests"),
    ("sysbench", "sysbench"),
    ("perf", "linux-perf"),
    ("gcc", "gcc"),
    ("fio", "fio"),
    ("iperf", "iperf"),
];

/// The chore: the layers' packages, with `testing` the tests' too.
pub fn chore(args: &[String]) -> Result<()> {
    match args {
        [] => install(),
        [testing] if testing == "testing" => {
            install_for_tests()?;
            GVISOR.build()
        }
        _ => bail!("cargo xtask packages [testing]"),
    }
}

/// Installs what layers lack. Guest kernels need no package: tare extracts one into its cache.
pub fn install() -> Result<()> {
    install_all(needed())
}

pub fn install_for_tests() -> Result<()> {
    let is_x86 = cfg!(target_arch = "x86_64");
    let other = MACHINES.iter().chain(LINKERS).filter(|_| is_x86);
    install_all(needed().chain(TESTING).chain(other))?;
    apt::know_packages()?;
    foreign_machines();
    if is_x86 {
        criu::install()?;
    }
    python::install()
}

/// What the probes for other architectures are built with, which a release carries.
pub fn install_for_release() -> Result<()> {
    install_all(LINKERS.iter().filter(|_| cfg!(target_arch = "x86_64")))?;
    foreign_machines();
    Ok(())
}

/// Rust's libraries for the probes of other architectures, which tare's build takes if they are there. Without one the test of
/// its machine fails and says so.
fn foreign_machines() {
    for target in FOREIGN.iter().filter(|_| cfg!(target_arch = "x86_64")) {
        if let Err(why) = run("rustup", &["target", "add", target], &[]) {
            eprintln!("Rust's library for {target} cannot be had: {why}");
        }
    }
}

/// What the layers of this architecture need.
fn needed() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    let guests = if cfg!(target_arch = "x86_64") { GUESTS } else { &[] };
    NEEDED.iter().chain(guests)
}

pub fn install_originals() -> Result<()> {
    install_all(ORIGINALS.iter())
}

fn install_all<'a>(needed: impl Iterator<Item = &'a (&'a str, &'a str)>) -> Result<()> {
    let missing: Vec<_> = needed.filter(|(program, _)| !has_program(program)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let packages: Vec<&str> = missing.iter().map(|(_, package)| *package).collect();
    if !has_program("apt-get") {
        let programs: Vec<&str> = missing.iter().map(|(program, _)| *program).collect();
        bail!(
            "this is not Debian or Ubuntu: install {} with your own package manager, then run this \
             again (or weigh what you have: cargo run --release -- run)",
            programs.join(", ")
        );
    }
    apt::install(&packages)
}
