//! Services that are asked at rates: which rows they are.

use crate::board::Row;

/// The suite of their latencies, and of the rates up to which a bound on these holds.
pub const SERVICE: &str = "service";

/// The suite of what runs cost beside their time.
pub const COST: &str = "cost";

/// Whether the load of `row` is a rate at which requests are sent, not a number of copies or users.
pub(crate) fn is_row(row: &Row) -> bool {
    row.suite == SERVICE || row.suite == COST
}
