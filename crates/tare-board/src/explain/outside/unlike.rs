//! What an operation took in the watched boots, beside the row's value.

use super::Outside;
use super::watched::SECOND;
use crate::format::quantity;
use tare_proto::Unit;

impl Outside {
    /// What the watched boots say of the time, in sentences; nothing where nobody can compare it.
    pub(super) fn of_watched_boots(&self) -> Vec<String> {
        if self.unwatched_ns.1 <= 0.0 || self.by_mean || self.per == SECOND {
            return Vec::new();
        }
        let value = self.measured_ns.map(|(_, own)| own);
        let what = if self.is_whole { "What the whole operation takes" } else { "The row's value" };
        let unlike = value.and_then(|value| unlike(what, value, self.unwatched_ns.1, self.per));
        let summed = (self.summed_ns.1 > 0.0).then(|| {
            format!(
                "In the watched boots one {} took {} while nobody watched, and {} while it was watched; the parts sum to {}, \
                 without {:.0} ns for each record, and are scaled {}.",
                self.per,
                quantity(Unit::Nanoseconds, self.unwatched_ns.1),
                quantity(Unit::Nanoseconds, self.watched_ns.1),
                quantity(Unit::Nanoseconds, self.summed_ns.1),
                self.record_ns,
                match self.has_modes {
                    true => "from there to the row's value. The layer works in several ways, and turns differ in how much of each they meet",
                    false => "as the row's value is to the shorter of the two",
                }
            )
        });
        summed.into_iter().chain(unlike).collect()
    }
}

/// How many times as long one of two operations takes that are not alike.
const UNLIKE: f64 = 2.0;

/// That `what` a row has as its value is of another operation than the one that took so many nanoseconds in the watched boots.
fn unlike(what: &str, value: f64, watched: f64, per: &str) -> Option<String> {
    let apart = (value / watched).max(watched / value);
    let [value, watched] = [value, watched].map(|ns| quantity(Unit::Nanoseconds, ns));
    (apart > UNLIKE).then(|| {
        format!(
            "{what} on the layer is {value}, but in the watched boots one {per} took {watched} while nobody watched. The layer has done it \
             in another way there, or was disturbed: causes and ratio are of different operations."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watched_operation_that_is_unlike_the_rows_is_told() {
        assert_eq!(unlike("The value", 100.0, 60.0, "operation"), None);
        for (value, watched) in [(4611.0, 353.9), (353.9, 4611.0)] {
            let said = unlike("The value", value, watched, "operation").unwrap();
            assert!(said.contains("4.61 µs") && said.contains("354 ns"), "{said}");
        }
    }
}
