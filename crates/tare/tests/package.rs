//! The Debian package in an empty Debian: it is installed, weighs native, and is removed without a trace. The same package in a
//! container, by the repository's Dockerfile.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tare_dist::{Release, pack, program, said};

/// Enters the root `$1` with what every system has mounted, and runs `$2` there. Mounts and processes end with it.
const ENTER: &str = r#"
set -eu
mount -t proc proc "$1/proc"
mount -t tmpfs tmpfs "$1/dev/shm"
exec chroot "$1" sh -c "$2"
"#;

/// What happens in the empty root.
const INSIDE: &str = r#"
set -eu
export HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C
find / -xdev | sort > /before
dpkg -i /tare.deb > /dev/null
dpkg -s tare | grep -q '^Homepage: http'
tare --version
cd /root
tare run --layers native --budget 20s --out campaign
tare open campaign
test -s /usr/share/man/man1/tare-run.1.gz
grep -q 'Permission is hereby granted' /usr/share/doc/tare/copyright
dpkg --purge tare > /dev/null
rm -r campaign .cache/tare
rmdir .cache
find / -xdev | sort > /after
"#;

/// An empty root of the system that this host runs, since the program is linked with this host's C library.
fn empty_root(folder: &Path) -> PathBuf {
    let release = fs::read_to_string("/etc/os-release").unwrap();
    let codename = release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    let root = folder.join("root");
    let mut make = Command::new("mmdebstrap");
    make.args(["--quiet", "--variant=essential", codename.expect("a Debian or Ubuntu")]);
    program(make.arg(&root)).expect("an empty root");
    root
}

fn package(folder: &Path) -> PathBuf {
    let binary = folder.join("tare");
    let built = Path::new(env!("CARGO_BIN_EXE_tare"));
    program(Command::new("strip").arg(built).arg("-o").arg(&binary)).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let release = Release { root, binary, version, epoch: 1_700_000_000, is_static: false };
    let packed = pack(&release, &folder.join("out")).expect("a release");
    let sums = Command::new("sha256sum")
        .args(["-c", "SHA256SUMS"])
        .current_dir(folder.join("out"))
        .status();
    assert!(sums.unwrap().success());
    packed.into_iter().find(|file| file.extension().is_some_and(|end| end == "deb")).unwrap()
}

#[test]
fn the_package_weighs_in_an_empty_system_and_leaves_nothing() {
    if !nix::unistd::geteuid().is_root() {
        return; // Only root may make and enter a root file system with devices; CI is root.
    }
    let folder = tempfile::tempdir().unwrap();
    let root = empty_root(folder.path());
    let package = package(folder.path());
    in_a_container(folder.path(), &root, &package);
    fs::copy(package, root.join("tare.deb")).unwrap();
    let mut inside = Command::new("timeout");
    inside.args(["180", "unshare", "--mount", "--pid", "--fork", "--kill-child"]);
    inside.args(["sh", "-c", ENTER, "enter"]).arg(&root).arg(INSIDE);
    let said = said(&mut inside).expect("all of it works");
    assert!(said.starts_with(concat!("tare ", env!("CARGO_PKG_VERSION"))), "{said}");
    assert!(
        said.contains("lmbench/null_call") && said.contains("/root/campaign/report.html"),
        "{said}"
    );
    let names = |file: &str| -> BTreeSet<String> {
        let text = fs::read_to_string(root.join(file)).unwrap();
        text.lines().filter(|name| !is_of_dpkg(name)).map(str::to_owned).collect()
    };
    let before = names("before");
    let after = names("after");
    let left: Vec<_> = after.difference(&before).collect();
    assert!(left.is_empty(), "left behind: {left:?}");
    assert!(before.is_subset(&after), "removed: {:?}", before.difference(&after));
    assert!(said.contains("native alone, compared with nothing, 28 benchmarks"), "{said}");
}

/// The Dockerfile makes an image of the package, without the layers that it would download, which weighs native.
fn in_a_container(folder: &Path, root: &Path, package: &Path) {
    let base = folder.join("base.tar");
    program(Command::new("tar").arg("-C").arg(root).args(["-c", "-f"]).arg(&base).arg("."))
        .unwrap();
    // Everything of podman is in the test's folder and ends with it; nothing is mounted.
    let podman = |words: &[&str]| {
        let mut podman = Command::new("podman");
        podman.arg("--root").arg(folder.join("images")).arg("--runroot").arg(folder.join("state"));
        podman.args(["--storage-driver=vfs", "--cgroup-manager=cgroupfs", "--runtime=runc"]);
        podman.args(words);
        podman
    };
    said(podman(&["import", "-q"]).arg(&base).arg("base")).expect("a base image");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Dockerfile");
    let mut build = podman(&["build", "-q", "--isolation=chroot", "--network=host", "-t", "tare"]);
    build.args(["--build-arg", "BASE=localhost/base", "--build-arg", "LAYERS=", "-f"]).arg(file);
    said(build.arg(package.parent().unwrap())).expect("the image");
    // Limits that also a runner may set which is a container itself.
    let limits = ["--ulimit=nofile=1024:1024", "--ulimit=nproc=1000:1000"];
    let mut run = podman(&["run", "--rm", "--network=none"]);
    run.args(limits).args(["localhost/tare", "run", "--layers", "native", "--blocks", "2"]);
    let board = said(run.args(["--bench", "lmbench/null_call", "--out", "c"])).expect("a campaign");
    assert!(board.contains("lmbench/null_call"), "{board}");
}

/// What the package manager keeps for itself.
fn is_of_dpkg(name: &str) -> bool {
    ["/var/lib/dpkg", "/var/log", "/after", "/before"].iter().any(|own| name.starts_with(own))
}
