//! What failed and was caught: its text, and what it may cost. Perf events of a benchmark are counted in runs of their own
//! after its samples, which they would disturb; what goes wrong in them costs the events, never the samples.

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
