//! A campaign that was cut off at any instant can be read.

mod common;

use common::new_store;
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};
use nix::unistd::geteuid;
use rusqlite::Connection;
use std::fs;
use std::os::unix::fs::chown;
use std::path::Path;
use tare_store::{FILE, Store, StoreError, load};

/// Makes a campaign in `directory` as a kill in the middle of a write with a journal leaves it.
fn cut_off(directory: &Path) {
    let place = tempfile::tempdir().unwrap();
    new_store(place.path()).close().unwrap();
    let writer = Connection::open(place.path().join(FILE)).unwrap();
    writer
        .execute_batch("BEGIN; UPDATE campaign SET value = '\"half\"' WHERE key = 'state'")
        .unwrap();
    writer.cache_flush().unwrap();
    for end in ["", "-journal"] {
        let name = format!("{FILE}{end}");
        fs::copy(place.path().join(&name), directory.join(&name)).unwrap();
    }
}

#[test]
fn what_a_kill_left_of_a_journal_is_rolled_back_by_whoever_reads() {
    let home = tempfile::tempdir().unwrap();
    cut_off(home.path());
    assert_eq!(load(home.path()).unwrap().state, "interrupted");
    assert!(!home.path().join(format!("{FILE}-journal")).exists());
    cut_off(home.path());
    Store::open(home.path()).unwrap().set_state("finished").unwrap();
    assert_eq!(load(home.path()).unwrap().state, "finished");
}

#[test]
fn a_journal_of_another_user_is_left_alone_and_it_is_said_who_can_undo_it() {
    if !geteuid().is_root() {
        return; // only root can make another user's file
    }
    let home = tempfile::tempdir().unwrap();
    cut_off(home.path());
    chown(home.path().join(format!("{FILE}-journal")), Some(12345), None).unwrap();
    let error = load(home.path()).unwrap_err();
    assert!(matches!(error, StoreError::CutOff(_)), "{error}");
    assert!(error.to_string().contains("as that user"), "{error}");
    assert!(home.path().join(format!("{FILE}-journal")).exists());
}

#[test]
fn no_instant_of_a_campaign_has_a_journal_beside_its_file() {
    let home = tempfile::tempdir().unwrap();
    let watch = Inotify::init(InitFlags::IN_NONBLOCK).unwrap();
    watch.add_watch(home.path(), AddWatchFlags::IN_CREATE).unwrap();
    let mut store = new_store(home.path());
    store.set_state("interrupted").unwrap();
    store.close().unwrap();
    Store::open(home.path()).unwrap().close().unwrap();
    let made: Vec<String> = std::iter::from_fn(|| watch.read_events().ok())
        .flatten()
        .filter_map(|event| Some(event.name?.to_string_lossy().into_owned()))
        .collect();
    assert!(made.contains(&format!("{FILE}-wal")), "{made:?}");
    assert!(!made.contains(&format!("{FILE}-journal")), "{made:?}");
}

#[test]
fn a_reader_who_does_not_let_go_ends_no_campaign() {
    let home = tempfile::tempdir().unwrap();
    let mut store = new_store(home.path());
    let reader = Connection::open(home.path().join(FILE)).unwrap();
    reader.execute_batch("BEGIN; SELECT * FROM campaign").unwrap();
    store.set_state("finished").unwrap();
    store.close().unwrap();
    assert_eq!(load(home.path()).unwrap().state, "finished");
}
