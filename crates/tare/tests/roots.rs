//! Roots of programs: where they come from, what every layer sees of them, and what is refused.

mod common;

use common::{Bench, done, flat, samples};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Programs of this host that make a root.
const PROGRAMS: &[&str] = &["/bin/sh", "/bin/cat", "/usr/bin/wc"];

/// An archive with a shell and little else, made of this host's files.
fn small(bench: &Bench) {
    let mut files: Vec<String> = PROGRAMS.iter().map(|path| path.to_string()).collect();
    for program in PROGRAMS {
        let listed = Command::new("ldd").arg(program).output().expect("ldd");
        let text = String::from_utf8(listed.stdout).expect("text");
        let words = text.split_whitespace().filter(|word| word.starts_with('/'));
        files.extend(words.map(str::to_owned));
    }
    files.sort();
    files.dedup();
    let names = files.iter().map(|file| file.trim_start_matches('/'));
    let mut tar = Command::new("tar");
    tar.args(["-C", "/", "-ch", "-f"]).arg(bench.path("root.tar")).args(names);
    assert!(tar.status().expect("tar").success());
}

fn run(bench: &Bench, line: &str, words: &[&str]) -> common::Done {
    let mut command = bench.command(line);
    command.env("TARE_CACHE", bench.path("cache"));
    done(command.args(words).output().expect("tare starts"))
}

#[test]
fn every_layer_runs_a_program_in_a_root_of_its_own() {
    let bench = Bench::new();
    small(&bench);
    let script = "echo hello > /tmp-file && n=$(cat /tmp-file | wc -c) && test ! -e /work && echo count $n $PATH";
    let line = "run --layers native,runc,runsc,uml,qemu --blocks 1 --warmup 0 --repeat 1 --root root.tar --out c \
                --metric count.([0-9]+)./usr/local/sbin --unit number --better higher";
    let mut command = bench.command(line);
    let ran = done(command.args(["--", "/bin/sh", "-c", script]).output().expect("tare starts"));
    assert_eq!(ran.code, 0, "{}\n{}", ran.out, ran.err);
    let campaign = bench.campaign("c");
    for layer in ["native", "runc", "runsc", "uml", "qemu"] {
        let boots = if layer == "native" { 2 } else { 1 };
        assert_eq!(
            samples(&campaign, "program/echo", layer).concat(),
            vec![6.0; boots],
            "{layer}\n{}",
            ran.out
        );
        let made = campaign.layers.iter().find(|row| row.name == layer).expect("the layer");
        assert!(
            made.artifacts.iter().any(|file| file.role == "root"),
            "{layer}: {:?}",
            made.artifacts
        );
    }
}

#[test]
fn a_folder_and_both_kinds_of_images_are_roots_and_the_cache_lists_and_forgets_them() {
    let bench = Bench::new();
    small(&bench);
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
        let ran = run(&bench, &line, &["--ok", "^2$", "--", "/bin/sh", "-c", "echo a | wc -c"]);
        assert_eq!(ran.code, 0, "{root}: {}\n{}", ran.out, ran.err);
        assert_eq!(
            samples(&bench.campaign(&root[..3]), "program/echo", "runc").concat().len(),
            1,
            "{root}"
        );
    }
    let listed = run(&bench, "cache list", &[]);
    for root in ["folder", "root.tar", "oci:", "docker-archive:"] {
        assert!(listed.out.contains(root), "{}", listed.out);
    }
    let cleared = run(&bench, "cache clear", &[]);
    assert!(cleared.out.contains("4 roots removed"), "{}", cleared.out);
    assert!(run(&bench, "cache list", &[]).out.contains("No roots"), "all are gone");
    assert!(folder.join("bin/sh").exists(), "a folder of the reader's stays");
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
    small(&bench);
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

/// An archive with a device in it.
fn device(path: &Path) {
    let mut tar = Command::new("tar");
    assert!(
        tar.args(["-C", "/", "-cf"]).arg(path).arg("dev/null").status().expect("tar").success()
    );
}

/// Needs Debian's mirror, as the packages of the tests do.
#[test]
fn a_root_of_packages_has_the_same_bytes_whenever_it_is_made() {
    let bench = Bench::new();
    let hash = |cache: &str| {
        let mut command = bench.command("run --layers native,uml --blocks 1 --warmup 0 --repeat 1 --root debian:bookworm+xz-utils");
        command.env("TARE_CACHE", bench.path(cache)).args([
            "--out",
            &format!("{cache}-c"),
            "--ok",
            "XZ Utils",
        ]);
        let ran = done(command.args(["--", "xz", "--version"]).output().expect("tare starts"));
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
}
