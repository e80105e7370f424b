//! A failed run for perf events costs the events and nothing else. The probe has an entry point of its own, so its file is
//! taken in here.

#[path = "../src/caught.rs"]
mod caught;

use caught::counted;
use tare_proto::Counter;

#[test]
fn what_fails_while_events_are_counted_is_noted_and_no_more() {
    let (counters, note) = counted(|| Err("no second run"));
    assert!(counters.is_empty() && note.ends_with("failed: no second run"), "{note}");
    let (counters, note) = counted::<String>(|| panic!("used up"));
    assert!(counters.is_empty() && note.ends_with("failed: used up"), "{note}");
    let (counters, note) = counted::<String>(|| Ok(vec![Counter::new("perf/page_faults", 1.0)]));
    assert_eq!((counters.len(), note.as_str()), (1, ""));
}
