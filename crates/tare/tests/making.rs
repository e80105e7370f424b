//! Roots while they are made: what makes them ends with tare, what is half made is removed, and what would have no end is refused.

mod common;

use common::{Bench, done, flat, path_with, signal, small_root, wait_until};
use nix::sys::signal::Signal;
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command};

/// A program called mmdebstrap that mounts, leaves a process of another session and never ends; what its processes are known by.
fn endless(bench: &Bench) -> String {
    let mark = format!(
        "1000.{}",
        bench
            .path("")
            .display()
            .to_string()
            .bytes()
            .fold(7u64, |sum, byte| sum * 31 % 999_983 + u64::from(byte))
    );
    fs::create_dir(bench.path("bin")).expect("a folder");
    let script = format!(
        "for tree; do :; done\nmkdir -p $tree/proc\nmount -t tmpfs none $tree/proc\nsetsid sleep {mark} &\n\
         echo > {}\nexec sleep {mark}\n",
        bench.path("begun").display()
    );
    bench.script("bin/mmdebstrap", &script);
    mark
}

/// tare that has begun to make a root of packages.
fn making(bench: &Bench) -> Child {
    let _ = fs::remove_file(bench.path("begun"));
    let mut command =
        tare(bench, "run --layers native --blocks 1 --root debian:bookworm --out c -- true");
    let child = command.env("PATH", path_with(&bench.path("bin"))).spawn().expect("tare starts");
    wait_until("the root is being made", || bench.path("begun").exists());
    child
}

fn tare(bench: &Bench, line: &str) -> Command {
    let mut command = bench.command(line);
    command.env("TARE_CACHE", bench.path("cache"));
    command
}

fn run(bench: &Bench, line: &str) -> common::Done {
    done(tare(bench, line).output().expect("tare starts"))
}

/// Whether a process has `word` in its command line.
fn runs(word: &str) -> bool {
    let processes = fs::read_dir("/proc").expect("/proc").flatten();
    let mut lines =
        processes.filter_map(|entry| fs::read_to_string(entry.path().join("cmdline")).ok());
    lines.any(|line| line.split('\0').any(|part| part == word))
}

/// What lies in the cache under names of unfinished roots.
fn unfinished(bench: &Bench) -> Vec<PathBuf> {
    let entries = fs::read_dir(bench.path("cache/roots")).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.display().to_string().contains(".making-"))
        .collect()
}

fn is_mounted(bench: &Bench) -> bool {
    let table = fs::read_to_string("/proc/self/mounts").expect("the mounts");
    table.contains(&bench.path("cache").display().to_string())
}

#[test]
fn what_makes_a_root_ends_with_tare_and_what_it_made_is_removed() {
    let bench = Bench::new();
    let mark = endless(&bench);
    for verb in ["cache clear", "doctor native"] {
        let mut child = making(&bench);
        assert!(!is_mounted(&bench), "what it mounts is its own");
        let living = run(&bench, "cache clear");
        assert!(
            living.out.contains("0 roots removed") && living.out.contains("1 in use"),
            "{}",
            living.out
        );
        assert_eq!(unfinished(&bench).len(), 1, "somebody makes it");
        signal(&child, Signal::SIGKILL);
        child.wait().expect("its end");
        wait_until("nothing of it runs", || !runs(&mark));
        assert_eq!(unfinished(&bench).len(), 1, "nobody could remove it");
        let cleared = run(&bench, verb);
        assert!(unfinished(&bench).is_empty(), "{verb}: {}{}", cleared.out, cleared.err);
        assert!(
            cleared.out.contains("1 roots removed")
                || flat(&cleared.err).contains("left unfinished"),
            "{verb}"
        );
    }
    let child = making(&bench);
    signal(&child, Signal::SIGINT);
    let ended = done(child.wait_with_output().expect("its end"));
    assert_eq!(ended.code, 130, "{}", ended.err);
    assert!(!runs(&mark) && unfinished(&bench).is_empty() && !bench.path("c").exists());
}

#[test]
fn what_has_no_end_or_more_than_a_root_needs_is_no_root() {
    let bench = Bench::new();
    small_root(&bench);
    fs::create_dir(bench.path("layout")).expect("a folder");
    mkfifo(&bench.path("layout/index.json"), Mode::S_IRWXU).expect("a FIFO");
    mkfifo(&bench.path("pipe"), Mode::S_IRWXU).expect("a FIFO");
    File::create(bench.path("holes"))
        .and_then(|file| file.set_len(2 << 30))
        .expect("a file of holes");
    let mut tar = Command::new("tar");
    assert!(
        tar.current_dir(bench.path(""))
            .args(["-cSf", "bomb.tar", "holes"])
            .status()
            .expect("tar")
            .success()
    );
    assert!(bench.path("bomb.tar").metadata().expect("a file").len() < 1 << 20);
    fs::write(bench.path("name.tar"), long_name()).expect("an archive");
    let cases = [
        ("/dev/zero", 2, "neither a folder nor a regular file"),
        ("pipe", 2, "neither a folder nor a regular file"),
        ("oci:layout", 1, "index.json: not a regular file"),
        ("docker-archive:pipe", 1, "not a regular file"),
        (
            "bomb.tar",
            1,
            "more than 64 MiB, 100 times its own size (or 64 MiB); if that is right, unpack it yourself",
        ),
        ("name.tar", 1, "a name in it is longer than 1024 KiB"),
    ];
    for (root, code, why) in cases {
        let mut child =
            tare(&bench, &format!("run --layers native --blocks 1 --out c --root {root} -- true"))
                .spawn()
                .expect("tare starts");
        wait_until("it ends", || child.try_wait().expect("a child").is_some());
        let ran = done(child.wait_with_output().expect("its end"));
        assert_eq!(ran.code, code, "{root}: {}", ran.err);
        assert!(flat(&ran.err).contains(why), "{root}: {}", ran.err);
    }
    let fine = run(
        &bench,
        "run --layers native --blocks 1 --warmup 0 --repeat 1 --out c --root root.tar -- nproc",
    );
    assert_eq!(fine.code, 0, "{}", fine.err);
}

/// An archive whose first name has two megabytes.
fn long_name() -> Vec<u8> {
    let mut header = [0u8; 512];
    header[..13].copy_from_slice(b"././@LongLink");
    header[124..136].copy_from_slice(format!("{:011o}\0", 2 << 20).as_bytes());
    header[156] = b'L';
    header[257..265].copy_from_slice(b"ustar  \0");
    header[148..156].copy_from_slice(b"        ");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    [&header[..], &vec![b'a'; 2 << 20][..], &[0; 1024]].concat()
}
