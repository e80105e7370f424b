//! Failures that are caught: their text, and what is lost. Perf events are counted in runs of their own after a benchmark's
//! samples, which they would disturb; a failure in them loses the events, never the samples.

use std::any::Any;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tare_proto::Counter;

/// What the events that `count` counts are; or none, and a note that says why.
pub fn counted<E: Display>(
    count: impl FnOnce() -> Result<Vec<Counter>, E>,
) -> (Vec<Counter>, String) {
    let why = match catch_unwind(AssertUnwindSafe(count)) {
        Ok(Ok(counters)) => return (counters, String::new()),
        Ok(Err(error)) => error.to_string(),
        Err(panic) => panic_text(&*panic),
    };
    (Vec::new(), format!("no perf events were counted, since the run for them failed: {why}"))
}

/// The text of a caught panic.
pub fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("panicked").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_while_events_are_counted_is_noted_and_no_more() {
        let (counters, note) = counted(|| Err("no second run"));
        assert!(counters.is_empty() && note.ends_with("failed: no second run"), "{note}");
        let (counters, note) = counted::<String>(|| panic!("used up"));
        assert!(counters.is_empty() && note.ends_with("failed: used up"), "{note}");
        let (counters, note) =
            counted::<String>(|| Ok(vec![Counter::new("perf/page_faults", 1.0)]));
        assert_eq!((counters.len(), note.as_str()), (1, ""));
    }
}
