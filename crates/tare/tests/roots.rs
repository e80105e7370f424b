//! Roots of programs: where they come from, what every layer sees of them, and what is refused.

mod common;

use common::{Bench, done, flat, samples, set_mode, small_root};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// An ordinary user and group.
const NOBODY: u32 = 65534;

/// Shell: no route leads anywhere but to the loopback interface.
const NO_ROUTE: &str = "while read name rest; do test $name = Iface || test $name = lo || away=1; done < /proc/net/route && \
                        test -z \"$away\"";

fn run(bench: &Bench, line: &str, words: &[&str]) -> common::Done {
    let mut command = bench.command(line);
    command.env("TARE_CACHE", bench.path("cache"));
    done(command.args(words).output().expect("tare starts"))
}

#[test]
fn every_layer_runs_a_program_in_a_root_of_its_own() {
    let bench = Bench::new();
    small_root(&bench);
    // What it writes is there, this host's files are not, its own name is known, and no route leads away.
    let script = format!(
        "echo hello > /tmp-file && n=$(cat /tmp-file | wc -c) && test ! -e /work && read own < /etc/hostname && \
         while read address name; do test $name = $own && known=1; done < /etc/hosts; \
         test $known = 1 && {NO_ROUTE} && echo count $n $PATH"
    );
    let line = "run --layers native,runc,runsc,uml,qemu --blocks 1 --warmup 0 --repeat 1 --root root.tar --out c \
                --metric count.([0-9]+)./usr/local/sbin --unit number --better higher";
    let mut command = bench.command(line);
    let ran = done(command.args(["--", "/bin/sh", "-c", &script]).output().expect("tare starts"));
    assert_eq!(ran.code, 0, "{}\n{}", ran.out, ran.err);
    let campaign = bench.campaign("c");
    for layer in ["native", "runc", "runsc", "uml", "qemu"] {
        let boots = if layer == "native" { 2 } else { 1 };
        let counted = samples(&campaign, "program/echo", layer).concat();
        assert_eq!(counted, vec![6.0; boots], "{layer}\n{}", ran.out);
        let made = campaign.layers.iter().find(|row| row.name == layer).expect("the layer");
        let roots = made.artifacts.iter().filter(|file| file.role == "root");
        assert_eq!(roots.count(), 1, "{layer}: {:?}", made.artifacts);
    }
}

#[test]
fn a_program_has_the_cpus_of_its_layer() {
    let bench = Bench::new();
    small_root(&bench);
    let line = "run --layers native,runc,runsc,uml --layer qemu,vcpus=2,append=mitigation=off --blocks 1 --warmup 0 --repeat 1 --root root.tar --out c \
                --metric ^([0-9]+)$ --better higher -- nproc";
    let ran = run(&bench, line, &[]);
    assert_eq!(ran.code, 0, "{}\n{}", ran.out, ran.err);
    let campaign = bench.campaign("c");
    for (layer, cpus) in
        [("native", 2.0), ("runc", 2.0), ("runsc", 2.0), ("uml", 1.0), ("qemu", 2.0)]
    {
        let found = samples(&campaign, "program/nproc", layer).concat();
        assert!(!found.is_empty() && found.iter().all(|seen| *seen == cpus), "{layer}: {found:?}");
    }
    let said = flat(&ran.out);
    assert!(said.contains("has no parameter for mitigation=off; unless"), "{said}");
}

#[test]
fn a_folder_and_both_kinds_of_images_are_roots_and_the_cache_lists_and_forgets_them() {
    let bench = Bench::new();
    small_root(&bench);
    let folder = bench.path("folder");
    fs::create_dir(&folder).expect("a folder");
    let mut tar = Command::new("tar");
    assert!(
        tar.arg("-xf")
            .arg(bench.path("root.tar"))
            .arg("-C")
            .arg(&folder)
            .status()
            .expect("tar")
            .success()
    );
    layout(&bench);
    saved(&bench);
    for root in ["folder", "root.tar", "oci:layout", "docker-archive:saved.tar"] {
        let line = format!(
            "run --layers native,runc --blocks 1 --warmup 0 --repeat 1 --root {root} --out {}",
            &root[..3]
        );
        // No file of it gives the rights of its owner.
        let script = "while read from place kind how; do test $place = / && set -- $how; done < /proc/mounts; \
                      case $1 in *nosuid*) echo a | wc -c;; esac";
        let ran = run(&bench, &line, &["--ok", "^2$", "--", "/bin/sh", "-c", script]);
        assert_eq!(ran.code, 0, "{root}: {}\n{}", ran.out, ran.err);
        assert_eq!(
            samples(&bench.campaign(&root[..3]), "program/while", "runc").concat().len(),
            1,
            "{root}"
        );
    }
    let mode = fs::metadata(bench.path("cache/roots")).expect("roots").permissions().mode();
    assert_eq!(mode & 0o777, 0o700, "nobody else runs what is in them");
    let listed = run(&bench, "cache list", &[]);
    for root in ["folder", "root.tar", "oci:", "docker-archive:"] {
        assert!(listed.out.contains(root), "{}", listed.out);
    }
    let cleared = run(&bench, "cache clear", &[]);
    assert!(cleared.out.contains("4 roots removed"), "{}", cleared.out);
    assert!(run(&bench, "cache list", &[]).out.contains("No roots"), "all are gone");
    assert!(folder.join("bin/sh").exists(), "a folder of the reader's stays");
}

#[test]
fn a_root_that_a_resumed_campaign_needs_is_held_and_one_that_is_gone_says_so() {
    let bench = Bench::new();
    small_root(&bench);
    let line = "run --layers native,runc --blocks 1 --warmup 0 --repeat 1 --root root.tar --out c";
    let ran = run(&bench, line, &["--", "/bin/sh", "-c", "echo a | wc -c"]);
    assert_eq!(ran.code, 0, "{}\n{}", ran.out, ran.err);
    let again = run(&bench, "resume c --blocks 2", &[]);
    assert_eq!(again.code, 0, "{}\n{}", again.out, again.err);
    assert_eq!(samples(&bench.campaign("c"), "program/echo", "runc").len(), 2);
    run(&bench, "cache clear", &[]);
    let gone = run(&bench, "resume c --blocks 3", &[]);
    assert_eq!(gone.code, 1, "{}", gone.err);
    assert!(flat(&gone.err).contains("not in tare's cache any more"), "{}", gone.err);
    assert!(flat(&gone.err).contains("begin a new campaign"), "{}", gone.err);
}

#[test]
fn where_no_image_can_be_made_only_the_layers_that_take_one_are_blank() {
    let bench = Bench::new();
    small_root(&bench);
    fs::create_dir(bench.path("bin")).expect("a folder");
    symlink("/usr/bin/linux.uml", bench.path("bin/linux.uml")).expect("a link");
    let run = |layers: &str| {
        let line = format!("run {layers} --blocks 1 --warmup 0 --repeat 1 --root root.tar --out c");
        let mut command = bench.command(&line);
        command.env("TARE_CACHE", bench.path("cache")).env("PATH", bench.path("bin"));
        done(command.args(["--", "/bin/sh", "-c", "echo a"]).output().expect("tare starts"))
    };
    for vital in ["--layers uml,native --baseline uml", "--layers native,uml --require"] {
        let ran = run(vital);
        assert_eq!(ran.code, 4, "{}\n{}", ran.out, ran.err);
        assert!(ran.err.contains("Nothing was measured: uml"), "{}", ran.err);
        assert!(!bench.path("cache/roots").exists(), "nothing was unpacked");
    }
    let ran = run("--layers native,uml --layer name=other,kind=native");
    assert_eq!(ran.code, 0, "{}\n{}", ran.out, ran.err);
    let campaign = bench.campaign("c");
    assert_eq!(samples(&campaign, "program/echo", "other").len(), 1, "{}", ran.out);
    let uml = campaign.layers.iter().find(|layer| layer.name == "uml").expect("the layer");
    let (why, remedy) = uml.unavailable.clone().expect("a reason");
    assert!(why.raw().contains("there is no program mkfs.erofs"), "{why:?}");
    assert!(remedy.raw().contains("erofs-utils"), "{remedy:?}");
}

/// An archive, which is unpacked as its own; what it may not have is said.
#[test]
fn an_ordinary_user_has_roots_too() {
    let bench = Bench::new();
    small_root(&bench);
    let open = |path: &Path| set_mode(path, 0o777);
    open(&bench.path("."));
    let tare = bench.path("tare"); // where it was built nobody else may look
    fs::copy(env!("CARGO_BIN_EXE_tare"), &tare).expect("a copy");
    let run = |line: &str, words: &[&str]| {
        let mut command = Command::new(&tare);
        command.args(line.split(' ')).args(words).current_dir(bench.path("."));
        command
            .env("TARE_CACHE", bench.path("cache"))
            .env("HOME", bench.path("."))
            .stdin(Stdio::null());
        done(command.uid(NOBODY).gid(NOBODY).output().expect("tare starts"))
    };
    let script =
        format!("echo hello > /tmp-file && {NO_ROUTE} && echo count $(cat /tmp-file | wc -c)");
    let one = "--blocks 1 --warmup 0 --repeat 1 --metric ^count.([0-9]+) --better higher";
    let line = format!("run --layers native,uml,qemu,runc --root root.tar {one} --out own --");
    let ran = run(&line, &["/bin/sh", "-c", &script]);
    assert_eq!(ran.code, 0, "{}\n{}", ran.out, ran.err);
    let campaign = bench.campaign("own");
    for layer in ["native", "uml", "qemu"] {
        let found = samples(&campaign, "program/echo", layer).concat();
        let same = !found.is_empty() && found.iter().all(|count| *count == 6.0);
        assert!(same, "{layer}: {found:?}");
    }
    let refused = campaign.layers.iter().find(|layer| layer.name == "runc");
    let why = refused.and_then(|layer| layer.unavailable.clone()).expect("a reason").0;
    assert!(why.raw().contains("ordinary user"), "{why:?}");
    let line = "run --layers native,runc --blocks 1 --warmup 0 --repeat 1 --out c --";
    let host = run(line, &["sh", "-c", "true"]);
    assert_eq!(host.code, 4, "{}", host.err);
    assert!(flat(&host.err).contains("a root of its own (--root DIR)"), "{}", host.err);
    let ran =
        run("run --layers native --blocks 1 --out c --root debian:bookworm+xz-utils -- true", &[]);
    assert!(
        flat(&ran.err).contains("an ordinary user may not make; run tare as root"),
        "{}",
        ran.err
    );
    assert!(!bench.path("c").exists());
    let line = "run --layers native --blocks 1 --warmup 0 --repeat 1 --out own-files --";
    let host = run(line, &["sh", "-c", "id -u > left"]);
    assert_eq!(host.code, 0, "{}\n{}", host.out, host.err);
    assert!(flat(&host.err).contains("files as they are"), "{}", host.err);
    assert!(flat(&host.out).contains("files as they are"), "{}", host.out);
    let left = fs::read_to_string(bench.path("left")).expect("what it wrote stays");
    assert_eq!(left.trim(), "65534");
}

/// `root.tar` as the one layer of an OCI layout.
fn layout(bench: &Bench) {
    let blobs = bench.path("layout/blobs/sha256");
    fs::create_dir_all(&blobs).expect("folders");
    let put = |bytes: &[u8]| {
        let hash = sha256(bytes);
        fs::write(blobs.join(&hash), bytes).expect("a blob");
        format!("sha256:{hash}")
    };
    let layer = put(&fs::read(bench.path("root.tar")).expect("the archive"));
    let manifest =
        put(serde_json::json!({ "layers": [{ "digest": layer }] }).to_string().as_bytes());
    let index = serde_json::json!({ "manifests": [{ "digest": manifest }] });
    bench.write("layout/index.json", &index.to_string());
}

/// `root.tar` as `docker save` would write it.
fn saved(bench: &Bench) {
    bench.write("manifest.json", r#"[{"Layers": ["layer/layer.tar"]}]"#);
    fs::create_dir(bench.path("layer")).expect("a folder");
    fs::copy(bench.path("root.tar"), bench.path("layer/layer.tar")).expect("the layer");
    let mut tar = Command::new("tar");
    tar.current_dir(bench.path("")).args(["-cf", "saved.tar", "manifest.json", "layer/layer.tar"]);
    assert!(tar.status().expect("tar").success());
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    format!("{:x}", Sha256::digest(bytes))
}

#[test]
fn what_is_no_root_is_refused_before_anything_is_measured() {
    let bench = Bench::new();
    bench.write("text.tar", "this is no archive");
    small_root(&bench);
    layout(&bench);
    let blobs = fs::read_dir(bench.path("layout/blobs/sha256")).expect("blobs");
    let largest =
        blobs.flatten().max_by_key(|entry| entry.metadata().map_or(0, |found| found.len()));
    fs::write(largest.expect("a blob").path(), "another").expect("a changed blob");
    device(&bench.path("device.tar"));
    let cases = [
        ("text.tar", 1, "not a whole tar archive"),
        ("oci:layout", 1, "not what its digest says"),
        ("device.tar", 1, "is a device"),
        ("nothing.tar", 2, "No such file"),
        ("docker:redis", 2, "no roots of kind 'docker'"),
        ("debian:bookworm+--hook=x", 2, "no name of a suite or package"),
    ];
    for (root, code, why) in cases {
        let ran = run(
            &bench,
            &format!("run --layers native --blocks 1 --out c --root {root}"),
            &["--", "true"],
        );
        assert_eq!(ran.code, code, "{root}: {}", ran.err);
        assert!(flat(&ran.err).contains(why), "{root}: {}", ran.err);
        assert!(!bench.path("c").exists(), "{root}");
    }
    assert!(run(&bench, "cache list", &[]).out.contains("No roots"), "nothing half made is kept");
}

fn device(path: &Path) {
    let mut tar = Command::new("tar");
    assert!(
        tar.args(["-C", "/", "-cf"]).arg(path).arg("dev/null").status().expect("tar").success()
    );
}

/// Needs Debian's mirror, as the packages of the tests do. What is run in a root is part of it, and what it leaves is ended.
#[test]
fn a_root_of_packages_has_the_same_bytes_whenever_it_is_made() {
    let bench = Bench::new();
    let hash = |cache: &str| {
        let mut command = bench.command("run --layers native,uml --blocks 1 --warmup 0 --repeat 1 --root debian:bookworm+xz-utils");
        command.env("TARE_CACHE", bench.path(cache)).args(["--out", &format!("{cache}-c")]);
        command.args([
            "--root-run",
            "sleep 1000.75 & echo 'it is' made > /srv/made",
            "--ok",
            "XZ Utils.*\n.*\nit is made",
        ]);
        command.args(["--", "/bin/sh", "-c", "xz --version && cat /srv/made"]);
        let ran = done(command.output().expect("tare starts"));
        assert_eq!(ran.code, 0, "{}\n{}", ran.out, ran.err);
        let roots = fs::read_dir(bench.path(cache).join("roots")).expect("roots");
        let root = roots.flatten().next().expect("one root").path();
        let made_of = fs::read_to_string(root.join("made-of")).expect("versions");
        assert!(made_of.lines().any(|line| line.starts_with("xz-utils ")), "{made_of}");
        sha256(&fs::read(root.join("image.erofs")).expect("the image"))
    };
    let lists = || fs::read_dir("/var/lib/apt/lists").expect("apt's lists").count();
    let before = lists();
    assert_eq!(hash("one"), hash("two"));
    assert_eq!(lists(), before, "the host's own packages are left alone");
    let left = Command::new("pgrep").args(["-f", "sleep 1000.75"]).output().expect("pgrep");
    assert!(left.stdout.is_empty(), "{}", String::from_utf8_lossy(&left.stdout));
    let fails = "run --layers native --blocks 1 --root debian:bookworm --root-run";
    let mut command = bench.command(fails);
    command.env("TARE_CACHE", bench.path("one")).args(["echo not here; exit 3", "--", "true"]);
    let ran = done(command.output().expect("tare starts"));
    assert!(ran.code == 1 && flat(&ran.err).contains("said last: not here"), "{}", ran.err);
}
