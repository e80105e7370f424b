//! Layers that are words: which of them tests boot, and what the others say.

use super::{LONG, Place, layer, one_on_disk};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use tare_layers::{Answer, KINDS, LayerKind, Session, Tested};

/// Those that are words: all that tests can boot, and those that an ordinary user can start.
pub const WORDS: &[&str] = &["podman", "bwrap", "nspawn", "lxc", "chroot"];
pub const WORDS_OF_USERS: &[&str] = &["bwrap"];

/// The table does not claim more than this test does.
pub fn every_row_that_is_tested_is_here() {
    let is_tested = |kind: &&LayerKind| kind.words.is_some_and(|it| it.tested == Tested::Booted);
    let mut rows: Vec<_> = KINDS.iter().filter(is_tested).map(|kind| kind.name).collect();
    rows.retain(|name| !["command", "ssh", "docker"].contains(name)); // these have tests of their own
    assert_eq!(rows, WORDS);
}

/// A layer that an ordinary user without more cannot start says what is missing, at once or when it is tried.
pub fn others_say_what_they_need(place: &Place, name: &str) {
    let layer = layer(name);
    let missing = match layer.check(&place.host) {
        Err(missing) => missing,
        Ok(()) => {
            let mut session = place.start(&*layer, None).unwrap_or_else(|e| panic!("{name}: {e}"));
            let error = session.greet(LONG).expect_err(name);
            layer.explain(&error, &session.console_tail())
        }
    };
    assert!(missing.remedy.contains("root"), "{name}: {missing}");
    place.assert_clean(&format!("{name}, which this user cannot start,"));
}

/// A layer of words has a folder on the host's disk.
pub fn files_are_on_a_disk(session: &mut Session, name: &str, who: &str) {
    match session.measure(&one_on_disk(), LONG) {
        Ok(Answer::Series(series, _)) => assert!(!series.samples.is_empty(), "{name}{who}"),
        other => panic!("{name}{who}, its files: {other:?}\n{}", session.console_tail()),
    }
}

/// The lines that words have left in a file, once there are that many.
pub fn lines(file: &Path, many: usize) -> Vec<String> {
    let read = || fs::read_to_string(file).unwrap_or_default();
    let deadline = Instant::now() + LONG;
    while read().lines().count() < many {
        assert!(Instant::now() < deadline, "{}: {:?}", file.display(), read());
        std::thread::sleep(Duration::from_millis(10));
    }
    read().lines().map(str::to_owned).collect()
}
