//! tare's cache: layers run what is in it, so nobody else may write to it.

mod common;

use common::{Bench, done, set_mode};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

/// `tare list` with a cache of the bench's own, under a umask.
fn list(bench: &Bench, umask: &str) -> common::Done {
    let mut command = Command::new("sh");
    let tare = env!("CARGO_BIN_EXE_tare");
    command.args(["-c", "umask $0; exec $1 list", umask, tare]);
    done(command.env("TARE_CACHE", bench.path("deep/cache")).output().unwrap())
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o777
}

#[test]
fn the_umask_gives_nobody_else_the_cache() {
    for (umask, folder) in [("000", 0o755), ("002", 0o755), ("077", 0o700)] {
        let bench = Bench::new();
        let listed = list(&bench, umask);
        assert_eq!(listed.code, 0, "{}", listed.err);
        let cache = bench.path("deep/cache");
        assert_eq!((mode(&bench.path("deep")), mode(&cache)), (folder, folder), "{umask}");
        for entry in fs::read_dir(&cache).unwrap() {
            assert_eq!(mode(&entry.unwrap().path()) & 0o022, 0, "{umask}");
        }
    }
}

#[test]
fn a_cache_that_others_may_write_to_is_refused() {
    let bench = Bench::new();
    let cache = bench.path("deep/cache");
    fs::create_dir_all(cache.join("kernels")).unwrap();
    for path in [cache.clone(), cache.join("kernels")] {
        set_mode(&path, 0o777);
        let refused = list(&bench, "022");
        assert_eq!(refused.code, 1, "{}", refused.err);
        assert!(refused.err.contains("others may write to"), "{}", refused.err);
        assert!(refused.err.contains(&path.display().to_string()), "{}", refused.err);
        set_mode(&path, 0o755);
    }
    assert_eq!(list(&bench, "022").code, 0);
}
