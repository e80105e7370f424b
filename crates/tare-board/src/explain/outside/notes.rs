//! What the figures rest on, and how they are to be read, in sentences.

use super::watched::{REQUEST, SECOND};
use super::{Outside, causes};
use crate::format::{count, quantity};
use tare_proto::Unit;

/// How the figures are to be read.
const METHOD: &str = "The host watched boots of their own, from which no value comes, with perf tracepoints and the software clock. Times \
    are of the path from the end of an operation back to its beginning, so that each moment is told once. A price is what the \
    baseline measured of that primitive.";

/// The same of an idle layer, which has no operations.
const OF_IDLENESS: &str = "For some seconds the host watched an idle layer, with perf tracepoints and the software clock. No value comes from \
    that boot. Times are what the layer's threads had of any CPU.";

/// What figures of a service are.
const OF_SERVICE: &str = "Figures are of one request: what the layer did in a run at this rate, by the number of requests that were due. The \
    client's own work is among them where it runs inside the layer.";

/// The same of what `/proc` told.
const TALLIED: &str = "The host watched boots of their own, from which no value comes, by what /proc counts: switches and page faults, no \
    system calls and no times. As root it sees those too.";

/// What is said where something has no price.
const NO_PRICE: &str =
    "What has no price here could not be measured natively: its time has a place alone.";

/// A share that is rounded to the whole.
const WHOLLY: f64 = 0.995;

/// What the three groups of causes are.
const GROUPS: &str = "What has a price was counted, and one was measured natively. What has a place is time of the watched path: whose threads \
    took it, in which mode, and what they asked the kernel for. The rest is not explained: what the parts of the path miss of the \
    operation's time, or prices that are more than the kernel took.";

impl Outside {
    /// What the figures rest on.
    pub(in crate::explain) fn notes(&self) -> Vec<String> {
        let boots = match self.boots {
            1 => "1 boot".to_owned(),
            several => format!("each of {several} boots"),
        };
        let watched = count(self.operations.round() as usize, self.per);
        let spread = match self.boots {
            0 | 1 => String::new(),
            _ => format!("; counts differ between boots by ± {:.1}% at most", 100.0 * self.spread),
        };
        let mut notes = Vec::new();
        let time = |ns| quantity(Unit::Nanoseconds, ns);
        if let (Some(_), Some((native, own))) = (&self.run_of, self.measured_ns) {
            notes.push(match self.per {
                REQUEST => OF_SERVICE.into(),
                _ => format!(
                    "The row is a figure that the program prints. Times and causes are of its whole run, which takes {} on the baseline \
                     and {} on the layer.",
                    time(native),
                    time(own)
                ),
            });
        }
        if let (true, Some((native, own))) = (self.by_mean, self.measured_ns) {
            notes.push(format!(
                "A quota of CPU time stops the layer, and the row's value is of a time between two stops. Times and causes are of the mean: \
                 in the watched boots an operation took {} on the baseline and {} on the layer.",
                time(native),
                time(own)
            ));
        }
        if let (true, Some((native, own))) = (self.is_whole, self.measured_ns) {
            notes.push(format!(
                "The row's value is what is left of this operation when something else is subtracted. Times, counts and causes are of the whole operation, which took {} \
                 on the baseline and {} on the layer.",
                time(native),
                time(own)
            ));
        }
        notes.push(format!("Watched {watched} in {boots}{spread}."));
        if self.lost > 0.0 {
            notes.push(format!(
                "The kernel had no room for {:.0} records or more: these counts are too low.",
                self.lost
            ));
        }
        if !self.missing.is_empty() {
            let names = self.missing.join(", ");
            notes.push(format!(
                "Not counted, since this host's kernel lacks the tracepoint: {names}."
            ));
        }
        notes.extend(self.of_watched_boots());
        let on_path = causes::on_path(&self.causes);
        if on_path < WHOLLY {
            notes.push(format!(
                "Counts are of all threads. By its prices, {:.0}% of that work is on the path; the rest ran beside it, on another CPU, \
                 and is left off.",
                100.0 * on_path
            ));
        }
        if self.causes.iter().any(|cause| cause.count.is_some() && cause.price_ns.is_none()) {
            notes.push(NO_PRICE.into());
        }
        if !self.causes.is_empty() {
            notes.push(GROUPS.into());
        }
        let method = match self.summed_ns.1 > 0.0 {
            true if self.per == SECOND => OF_IDLENESS,
            true => METHOD,
            false => TALLIED,
        };
        notes.push(method.into());
        notes
    }
}
