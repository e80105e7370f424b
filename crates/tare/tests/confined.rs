//! What programs of a layer cannot reach: this host's files, by a guest's own mounts, and the rights of those who own files.

mod common;

use common::{Bench, done, root_of, samples};
use std::process::Command;

/// Runs `script` natively and in User-Mode Linux; the count that it prints there.
fn counted(bench: &Bench, out: &str, root: &str, script: &str) -> f64 {
    let line = format!(
        "run --layers native,uml --blocks 1 --warmup 0 --repeat 1 {root} --out {out} --metric ^count.([0-9]+) --unit number \
         --better higher"
    );
    let mut command: Command = bench.command(&line);
    command.env("TARE_CACHE", bench.path("cache")).args(["--", "/bin/sh", "-c", script]);
    let ran = done(command.output().expect("tare starts"));
    assert_eq!(ran.code, 0, "{}\n{}", ran.out, ran.err);
    let found = samples(&bench.campaign(out), "program/mkdir", "uml").concat();
    assert_eq!(found.len(), 1, "{}\n{}", ran.out, ran.err);
    found[0]
}

/// Whoever is root in User-Mode Linux can mount this host's files (hostfs).
#[test]
fn a_program_in_user_mode_linux_writes_nothing_to_this_host() {
    let bench = Bench::new();
    let here = bench.path("");
    let here = here.display();
    let other = std::process::id(); // whose mounts are not the guest's, if a link of procfs led to them
    let h = format!("/tmp/tare-confined-{other}");
    // Each name below which it could find this host's root, and each kind of place: a folder, memory, the kernel's settings.
    let script = format!(
        "mkdir -p {h}; n=1; for at in / . ../../../../../../.. /proc/{other}/root/. /proc/{other}/cwd/.; do mount -t hostfs none {h} -o $at || continue; n=$((n + 1)); \
         for to in {here}/outside tmp/outside dev/shm/outside run/outside proc/sys/kernel/domainname; do \
         echo outside > {h}/$to; done; umount {h}; done; echo count $n"
    );
    assert_eq!(counted(&bench, "host", "", &script), 4.0, "it has mounted all of them");
    root_of(&bench, &["/bin/sh", "/bin/mount", "/bin/mkdir", "/bin/umount"]);
    let image = counted(&bench, "image", "--root root.tar", &script);
    assert_eq!(image, 1.0, "over an image it has mounted none of them");
    for place in [
        &*bench.path("outside").display().to_string(),
        "/tmp/outside",
        "/dev/shm/outside",
        "/run/outside",
    ] {
        assert!(!std::path::Path::new(place).exists(), "{place}");
    }
    let name = std::fs::read_to_string("/proc/sys/kernel/domainname").expect("a name");
    assert_ne!(name.trim(), "outside");
}
