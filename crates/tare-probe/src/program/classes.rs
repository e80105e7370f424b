//! Which operation each system call is, by its number on this architecture.

use super::call_names;
use std::collections::HashMap;
use tare_proto::{CallClass, call_class};

/// The largest number of a call that is looked for.
const LAST: u64 = 1023;

/// The class of every call.
pub fn table() -> HashMap<u64, CallClass> {
    (0..=LAST).map(|number| (number, call_class(&call_names::of(number)))).collect()
}
