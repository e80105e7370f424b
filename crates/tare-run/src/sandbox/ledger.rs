//! What a visit has found so far, row by row, and what becomes of it.

use super::alive::Point;
use crate::plan::sandbox_benches::{CLONE_MEMORY, CLONE_WRITTEN, MEMORY, PSS};
use std::collections::BTreeMap;
use tare_proto::Counter;
use tare_stats::line;
use tare_store::{Outcome, Recorded};

/// What one row has so far.
#[derive(Debug, Default)]
struct Taken {
    samples: Vec<f64>,
    counters: BTreeMap<String, f64>,
    /// Why there is nothing, or not all.
    why: Option<(Outcome, String)>,
    /// Starts that were wanted, and those that failed.
    wanted: u32,
    failed: u32,
}

/// What layers of one image took of the host that were alive together, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clones {
    pub alive: usize,
    /// When they had been restored.
    pub lost: f64,
    /// When each had written into all of its state, where it can.
    pub written: Option<f64>,
}

/// All rows of a visit. Of a counter the last value is kept.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    taken: BTreeMap<String, Taken>,
    points: Vec<Point>,
    clones: Vec<Clones>,
    notes: BTreeMap<String, String>,
}

impl Ledger {
    pub fn add(&mut self, row: &str, sample: f64) {
        self.taken.entry(row.into()).or_default().samples.push(sample);
    }

    pub fn count(&mut self, row: &str, name: &str, value: f64) {
        self.taken.entry(row.into()).or_default().counters.insert(name.into(), value);
    }

    pub fn lacks(&mut self, row: &str, why: &str) {
        self.taken.entry(row.into()).or_default().why = Some((Outcome::Unavailable, why.into()));
    }

    pub fn failed(&mut self, row: &str, why: String) {
        self.taken.entry(row.into()).or_default().why = Some((Outcome::Failed, why));
    }

    /// Notes starts for `row`, of which some failed, the first of them for this reason.
    pub fn starts(&mut self, row: &str, wanted: u32, failed: u32, why: Option<&str>) {
        let taken = self.taken.entry(row.into()).or_default();
        taken.wanted += wanted;
        taken.failed += failed;
        if let Some(why) = why {
            taken.why = Some((Outcome::Failed, why.to_owned()));
        }
    }

    /// Notes what layers take that are alive together. All of it stands beside the row that is hardly ever without a value.
    pub fn alive(&mut self, point: Point) {
        self.count(PSS, &format!("lost/{}", point.alive), point.lost);
        self.count(PSS, &format!("pss/{}", point.alive), point.pss);
        self.points.push(point);
    }

    /// Notes what clones took.
    pub fn cloned(&mut self, clones: Clones) {
        self.clones.push(clones);
    }

    /// Notes a remark on `row`.
    pub fn note(&mut self, row: &str, text: String) {
        self.notes.insert(row.into(), text);
    }

    /// What `row` has; of a visit that ended in `failure`, that is why a row has nothing.
    pub fn recorded(&mut self, row: &str, failure: Option<&str>) -> Recorded {
        self.draw_lines();
        let mut taken = self.taken.remove(row).unwrap_or_default();
        if taken.samples.is_empty() {
            let usual = match failure {
                Some(why) => (Outcome::Failed, why.to_owned()),
                None => (Outcome::Unavailable, "nothing of this block tells it".to_owned()),
            };
            let (outcome, why) = taken.why.unwrap_or(usual);
            return Recorded::without_samples(row, outcome, &why);
        }
        if taken.wanted > 0 {
            taken.counters.insert("failed_starts".into(), f64::from(taken.failed));
        }
        let mut recorded = Recorded::by_host(row, taken.samples);
        let counters = taken.counters.iter();
        recorded.series.counters =
            counters.map(|(name, value)| Counter::new(name, *value)).collect();
        recorded.series.note = self.notes.remove(row).unwrap_or_default();
        if let Some((_, why)) = taken.why.filter(|_| taken.failed > 0) {
            recorded.series.note =
                format!("{} of {} starts failed in a block: {why}", taken.failed, taken.wanted);
        }
        recorded
    }

    /// The same of clones.
    fn draw_clones(&mut self) {
        let clones = std::mem::take(&mut self.clones);
        if clones.is_empty() {
            return;
        }
        let lost: Vec<_> = clones.iter().map(|one| (one.alive as f64, one.lost)).collect();
        let written = |one: &Clones| Some((one.alive as f64, one.written?));
        let written: Vec<_> = clones.iter().filter_map(written).collect();
        for (row, taken) in [(CLONE_MEMORY, lost), (CLONE_WRITTEN, written)] {
            if taken.is_empty() {
                continue;
            }
            let (alive, taken): (Vec<f64>, Vec<f64>) = taken.into_iter().unzip();
            match line(&alive, &taken) {
                Ok(line) if line.slope > 0.0 => self.add(row, line.slope),
                Ok(_) => self.lacks(row, "the host's memory did not shrink with more clones"),
                Err(_) => self.lacks(row, "it takes two numbers of clones at least: --load 1,4"),
            }
        }
    }

    /// Makes the slopes of the points, once all are there. A slope that is not positive is no size, but it counts where slopes are
    /// averaged: leaving it out would make the others too large.
    fn draw_lines(&mut self) {
        self.draw_clones();
        let points = std::mem::take(&mut self.points);
        if points.is_empty() {
            return;
        }
        let alive: Vec<f64> = points.iter().map(|point| point.alive as f64).collect();
        let lost: Vec<f64> = points.iter().map(|point| point.lost).collect();
        let pss: Vec<f64> = points.iter().map(|point| point.pss).collect();
        for (row, taken) in [(MEMORY, lost), (PSS, pss)] {
            let line = line(&alive, &taken);
            if let (MEMORY, Ok(line)) = (row, &line) {
                self.count(PSS, "lost_slope", line.slope);
            }
            match line {
                Ok(line) if line.slope > 0.0 => self.add(row, line.slope),
                Ok(_) => self.lacks(row, "the host's memory did not shrink with more layers"),
                Err(_) => self.lacks(row, "it takes two numbers of layers at least: --load 1,4"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_more_is_the_slope_of_what_many_take() {
        let mut ledger = Ledger::default();
        for alive in [1, 2, 4, 8] {
            let lost = 5e6 + 2e6 * alive as f64; // the first costs more: what all share comes with it
            ledger.alive(Point { alive, lost, pss: 1e6 * alive as f64 });
        }
        let memory = ledger.recorded(MEMORY, None);
        assert_eq!(memory.series.samples, [2e6]);
        let pss = ledger.recorded(PSS, None);
        assert_eq!(pss.series.samples, [1e6]);
        for (name, value) in [("lost/8", 2.1e7), ("pss/2", 2e6), ("lost_slope", 2e6)] {
            assert!(pss.series.counters.contains(&Counter::new(name, value)), "{name}");
        }
    }

    #[test]
    fn what_cannot_be_told_is_a_hole_with_its_reason() {
        let mut ledger = Ledger::default();
        ledger.alive(Point { alive: 1, lost: 1e6, pss: 1e6 });
        let memory = ledger.recorded(MEMORY, None);
        assert_eq!(memory.outcome, Outcome::Unavailable);
        assert!(memory.why.unwrap().contains("--load 1,4"));
        for (alive, lost) in [(1, 3e6), (4, 0.0)] {
            ledger.alive(Point { alive, lost, pss: 1e6 * alive as f64 });
        }
        assert!(ledger.recorded(MEMORY, None).why.unwrap().contains("did not shrink"));
        let counters = ledger.recorded(PSS, None).series.counters;
        assert!(counters.contains(&Counter::new("lost_slope", -1e6)), "it counts all the same");
        let failed = ledger.recorded("start/cold", Some("it burnt"));
        assert_eq!((failed.outcome, failed.why.as_deref()), (Outcome::Failed, Some("it burnt")));
    }

    #[test]
    fn starts_that_failed_are_counted_and_told() {
        let mut ledger = Ledger::default();
        ledger.starts("start/rate@8", 8, 2, Some("no room"));
        ledger.add("start/rate@8", 12.5);
        let found = ledger.recorded("start/rate@8", None);
        assert_eq!(found.series.counters, [Counter::new("failed_starts", 2.0)]);
        assert_eq!(found.series.note, "2 of 8 starts failed in a block: no room");
    }
}
