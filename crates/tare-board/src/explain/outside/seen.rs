//! What was seen of one benchmark on one layer: means over the boots that were watched, with their spread.

use crate::explain::series::series_of;
use crate::predict::SeenRun;
use std::collections::BTreeMap;
use tare_proto::outside::{
    ASLEEP, ELSEWHERE, LOST, MISSING, OPERATIONS, OUTSIDE, Part, READY, RECORD, STOPPED_BY_QUOTA,
    SYSTEM, Seen, UNWATCHED, USER, WHOLE, WITHOUT_RECORDS, of_unsubtracted,
};
use tare_store::Campaign;

/// The figures of one operation.
#[derive(Debug, Clone, Default)]
pub(in crate::explain) struct One {
    means: BTreeMap<String, f64>,
    scale: f64,
    /// Boots that were watched.
    pub boots: usize,
    /// The largest half of a range over the boots, as a share of the mean, of system calls, signals and faults that belong to an
    /// operation.
    pub spread: f64,
}

/// What happens at least this often in an operation is what the operation does.
const OFTEN: f64 = 0.5;

/// Of an operation that does thousands of things, what is at least this share of all is.
const NOTABLE: f64 = 0.01;

/// Counts below this, once in two hundred operations, are the machine's own.
const LEAST: f64 = 0.005;

/// Which operation of a row from which something is subtracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::explain) enum Of {
    /// What the row's value is of.
    Row,
    /// The whole operation, before anything is subtracted; nothing of a campaign that has not watched it.
    Whole,
}

impl One {
    /// Of layer number `layer`; `None` when no boot of it was watched.
    pub(in crate::explain) fn of(
        campaign: &Campaign,
        (bench, layer): (usize, usize),
        which: Of,
    ) -> Option<One> {
        let mut boots: Vec<BTreeMap<String, f64>> = Vec::new();
        for row in series_of(campaign, bench, layer) {
            let seen = row.counters.iter().filter(|counter| counter.name.starts_with(OUTSIDE));
            let seen: BTreeMap<String, f64> =
                seen.map(|counter| (counter.name.clone(), counter.value)).collect();
            let seen = if which == Of::Whole { whole(seen) } else { seen };
            if seen.contains_key(OPERATIONS) {
                boots.push(seen);
            }
        }
        let count = boots.len() as f64;
        let mut one = One { boots: boots.len(), scale: 1.0, ..One::default() };
        for (name, value) in boots.iter().flatten() {
            *one.means.entry(name.clone()).or_default() += value;
        }
        one.means.values_mut().for_each(|sum| *sum /= count);
        one.spread = one.spread_over(&boots);
        (one.boots > 0).then_some(one)
    }

    /// The largest half of a range over the boots, as a share of the mean, of what an operation surely does.
    fn spread_over(&self, boots: &[BTreeMap<String, f64>]) -> f64 {
        let counted = [Seen::Calls, Seen::Signals, Seen::Faults];
        let least = OFTEN.max(NOTABLE * self.all(Seen::Calls));
        let is_steady = |name: &str, mean: f64| {
            mean >= least && Seen::read(name).is_some_and(|(seen, ..)| counted.contains(&seen))
        };
        let steady = self.means.iter().filter(|(name, mean)| is_steady(name, **mean));
        let shares = steady.map(|(name, mean)| {
            let values = boots.iter().map(|boot| boot.get(name).copied().unwrap_or(0.0));
            let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |(low, high), value| {
                (low.min(value), high.max(value))
            });
            (high - low) / 2.0 / mean
        });
        shares.fold(0.0, f64::max)
    }

    /// How often one kind of what is seen happened, of any part.
    pub(in crate::explain) fn all(&self, seen: Seen) -> f64 {
        self.kinds(seen).into_values().sum()
    }

    /// The kinds of what is seen, of all parts together, without what is too rare to be the layer's.
    pub(in crate::explain) fn kinds(&self, seen: Seen) -> BTreeMap<&str, f64> {
        let mut kinds: BTreeMap<&str, f64> = BTreeMap::new();
        for (name, value) in &self.means {
            if let Some((_, _, kind)) = Seen::read(name).filter(|(what, ..)| *what == seen) {
                *kinds.entry(kind).or_default() += value;
            }
        }
        kinds.retain(|_, value| *value >= LEAST);
        kinds
    }

    /// Nanoseconds of `part` in one of its states, scaled.
    pub(in crate::explain) fn time(&self, part: Part, state: &str) -> f64 {
        self.raw_time(part, state) * self.scale
    }

    /// Scales the times as a row's value `ns` is to what an operation took in the same boots while nobody watched. Where they do not
    /// sum to that, they do not sum to the value: nothing hides what they miss. Of a layer that works in several ways, whose unwatched
    /// turns met other shares of them, they are scaled from what was watched. Where the difference of a row's two terms drowned in
    /// noise, so that no time is left, nothing is known of them.
    #[must_use]
    pub(in crate::explain) fn scaled_to(mut self, ns: Option<f64>) -> One {
        // What took longer unwatched than watched was disturbed then: records make nothing quicker.
        let undisturbed = match self.whole() {
            whole if whole > 0.0 => self.unwatched().min(whole),
            _ => self.unwatched(),
        };
        let took = self.means.get(WITHOUT_RECORDS).copied().unwrap_or(undisturbed);
        self.scale = match ns {
            Some(ns) if took > 0.0 && ns > 0.0 => ns / took,
            Some(_) => 0.0,
            None => 1.0,
        };
        self
    }

    /// How often one kind happened of one part.
    pub(in crate::explain) fn count(&self, seen: Seen, part: Part, kind: &str) -> f64 {
        self.get(&seen.counter(part, kind))
    }

    /// All kinds of what is seen of one part.
    pub(in crate::explain) fn of_part(&self, seen: Seen, part: Part) -> BTreeMap<String, f64> {
        let own = self.means.iter().filter_map(|(name, value)| {
            let (what, whose, kind) = Seen::read(name)?;
            (what == seen && whose == part).then(|| (kind.to_owned(), *value))
        });
        own.collect()
    }

    /// Whether the host sees no thread of the program, since a guest runs it within those of its virtual CPUs.
    pub(in crate::explain) fn is_guest(&self) -> bool {
        let of_program =
            |name: &String| Seen::read(name).is_some_and(|(_, part, _)| part == Part::Program);
        !self.means.keys().any(of_program) && self.raw_time(Part::Kernel, USER) > 0.0
    }

    /// Whether a quota of CPU time stopped it while it was watched, for more than a stray moment.
    pub(in crate::explain) fn is_stopped_by_quota(&self) -> bool {
        let stopped: f64 =
            Part::ALL.iter().map(|part| self.raw_time(*part, STOPPED_BY_QUOTA)).sum();
        stopped > 0.0 && stopped >= NOTABLE * self.raw_sum()
    }

    /// Whether the layer works in several ways, of which its turns met more or less.
    pub(in crate::explain) fn has_modes(&self) -> bool {
        self.means.contains_key(WITHOUT_RECORDS)
    }

    /// Whether its threads ran on several CPUs at once, for more than a stray moment. Layers with several modes are those that do.
    pub(in crate::explain) fn is_on_several_cpus(&self) -> bool {
        if self.has_modes() {
            return true;
        }
        let elsewhere = Part::ALL.map(|part| self.count(Seen::Wakeups, part, ELSEWHERE));
        elsewhere.iter().sum::<f64>() >= LEAST.max(NOTABLE * self.all(Seen::Wakeups))
    }

    /// Nanoseconds within each system call of the host, scaled: of `part`, while it ran ([`Seen::RunsIn`]) or slept
    /// ([`Seen::SleepsIn`]). A call in which a virtual CPU runs its guest is none.
    pub(in crate::explain) fn within(&self, seen: Seen, part: Part) -> BTreeMap<String, f64> {
        let runs_guest = part == Part::Kernel && self.all(Seen::Exits) >= OFTEN;
        let mut all = self.of_part(seen, part);
        all.retain(|name, _| !(runs_guest && name == "ioctl"));
        all.values_mut().for_each(|ns| *ns *= self.scale);
        all
    }

    /// Nanoseconds on a CPU of all parts, scaled.
    pub(in crate::explain) fn on_cpu(&self) -> f64 {
        Part::ALL.iter().map(|part| self.time(*part, USER) + self.time(*part, SYSTEM)).sum()
    }

    /// A run of a program, where it was watched within its calls and has no kernel but the host's.
    pub(in crate::explain) fn run(&self) -> Option<SeenRun> {
        let all = |state| Part::ALL.iter().map(|part| self.time(*part, state)).sum::<f64>();
        let own_kernel = self.raw_time(Part::Kernel, USER) + self.raw_time(Part::Kernel, SYSTEM);
        let mut calls: BTreeMap<String, f64> = BTreeMap::new();
        for (call, ns) in Part::ALL.iter().flat_map(|part| self.within(Seen::RunsIn, *part)) {
            *calls.entry(call).or_default() += ns;
        }
        let waits = all(READY) + all(STOPPED_BY_QUOTA) + all(ASLEEP);
        let run = SeenRun { user: all(USER), kernel: all(SYSTEM), waits, calls };
        (own_kernel == 0.0 && !run.calls.is_empty()).then_some(run)
    }

    /// All times together, as they were in the watched boots.
    pub(in crate::explain) fn raw_sum(&self) -> f64 {
        let of = |part: Part| {
            [USER, SYSTEM, READY, STOPPED_BY_QUOTA, ASLEEP].map(|state| self.raw_time(part, state))
        };
        Part::ALL.into_iter().flat_map(of).sum()
    }

    /// A difference of two turns may be a little below zero, which is zero.
    fn raw_time(&self, part: Part, state: &str) -> f64 {
        self.get(&Seen::Time.counter(part, state)).max(0.0)
    }

    /// Tracepoints that the host's kernel lacks.
    pub(in crate::explain) fn missing(&self) -> Vec<String> {
        let names = self.means.keys().filter_map(|name| name.strip_prefix(MISSING));
        names.map(str::to_owned).collect()
    }

    /// Nanoseconds that an operation took while it was watched.
    pub(in crate::explain) fn whole(&self) -> f64 {
        self.get(WHOLE)
    }

    /// The same of an operation that nobody watched, in the same boot.
    pub(in crate::explain) fn unwatched(&self) -> f64 {
        self.means.get(UNWATCHED).copied().unwrap_or(self.whole())
    }

    /// Nanoseconds that writing one record took.
    pub(in crate::explain) fn record(&self) -> f64 {
        self.get(RECORD)
    }

    /// Operations that were watched, and records that were lost.
    pub(in crate::explain) fn watched(&self) -> (f64, f64) {
        (self.get(OPERATIONS), self.get(LOST))
    }

    fn get(&self, name: &str) -> f64 {
        self.means.get(name).copied().unwrap_or(0.0)
    }
}

/// The figures of the whole operation in the place of those that are of the row's own; none where nobody watched it.
fn whole(mut seen: BTreeMap<String, f64>) -> BTreeMap<String, f64> {
    let whole: BTreeMap<String, f64> =
        seen.iter().filter_map(|(name, value)| Some((of_unsubtracted(name)?, *value))).collect();
    if whole.is_empty() {
        return whole;
    }
    let is_code = |seen| matches!(seen, Seen::Found | Seen::Functions | Seen::Stacks);
    seen.retain(|name, _| Seen::read(name).is_none_or(|(seen, ..)| is_code(seen)));
    seen.extend(whole);
    seen
}
