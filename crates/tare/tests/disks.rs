//! Disks of layers: one that does not fit is a hole with its reason, and nobody's file is overwritten.

mod layers_common;

use layers_common::{LONG, Place, disk_reads, layer, null_call, too_many_on_disk};
use std::fs;
use std::time::{Duration, Instant};
use tare_layers::Answer;

const SOON: Duration = Duration::from_secs(10);

#[test]
fn a_disk_that_does_not_fit_is_a_hole_and_not_a_failure() {
    let mut place = Place::new();
    // A limit that the keeper's files run into, as they would into the end of a disk.
    let words = "trap '' XFSZ; exec prlimit --fsize=16777216 env \"$@\"";
    let mut args = vec!["-c".to_owned(), words.to_owned(), "sh".to_owned()];
    args.extend(place.keeper.args.clone());
    place.keeper = tare_layers::Keeper { program: "sh".into(), args, ..Default::default() };
    for name in ["native", "runc"] {
        let mut session = place.start(&*layer(&format!("{name},disk=32M")), None).unwrap();
        session.greet(LONG).unwrap();
        match session.measure(&disk_reads(), LONG).unwrap() {
            Answer::Unavailable(why) => assert!(why.contains("an image of 32 MiB"), "{why}"),
            other => panic!("{name}: {other:?}"),
        }
        assert!(matches!(session.measure(&null_call(3, 100), LONG), Ok(Answer::Series(..))));
        assert!(session.end(SOON).left.is_empty());
        place.assert_clean(&format!("{name}, its disk too large,"));
    }
    let mut session = place.start(&*layer("qemu,files=32M"), None).unwrap();
    session.greet(LONG).unwrap();
    match session.measure(&too_many_on_disk(), LONG).unwrap() {
        Answer::Unavailable(why) => assert!(why.contains("an image of 32 MiB"), "{why}"),
        other => panic!("qemu: {other:?}"),
    }
    assert!(session.end(SOON).left.is_empty());
    place.assert_clean("qemu, its files too large,");
}

#[test]
fn a_precious_file_is_not_a_disk() {
    let place = Place::new();
    let file = place.folder.join("precious");
    fs::write(&file, "data").unwrap();
    for name in ["native", "runc", "uml", "qemu"] {
        let layer = layer(&format!("{name},disk={}", file.display()));
        let refused = layer.check(&place.host).unwrap_err();
        assert!(refused.remedy.contains("--destroy-disk-contents"), "{refused}");
        let error = place.start(&*layer, None).err().expect("refused too").to_string();
        assert!(error.contains("would be overwritten"), "{error}");
    }
    assert_eq!(fs::read(&file).unwrap(), b"data");
}

#[test]
fn a_guests_disk_is_served_by_tare_with_the_segments_that_are_asked_for() {
    let place = Place::new();
    let machine = "qemu,disk=32M,backend=tare,backend_args=--segments 11";
    let mut session = place.start(&*layer(machine), None).unwrap();
    session.greet(LONG).unwrap();
    let late = Instant::now() + LONG;
    loop {
        match session.measure(&disk_reads(), LONG).unwrap() {
            Answer::Series(series, _) => assert!(!series.samples.is_empty()),
            other => panic!("{machine}: {other:?}\n{}", session.console_tail()),
        }
        // CPU time comes in ticks, so one series may be too short to show it.
        if session.peer_cpu_time().is_some_and(|used| !used.is_zero()) {
            break;
        }
        assert!(Instant::now() < late, "the back end did nothing");
    }
    assert!(session.end(SOON).left.is_empty());
    place.assert_clean(machine);
    let wrong = "qemu,disk=32M,backend=tare,backend_args=--segmnts 11";
    let why = place.start(&*layer(wrong), None).map(|_| ()).unwrap_err().to_string();
    assert!(why.contains("the disk's back end") && why.contains("--segmnts"), "{why}");
    place.assert_clean(wrong);
}
