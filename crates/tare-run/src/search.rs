//! Searches for the loads of a load curve. In one boot of the baseline the load grows until throughput falls or stops rising, or
//! until the layer cannot bear more.
//!
//! The load doubles up to the end of the curve. Two steps between the last two loads say where the end is, and two more
//! loads lie beside the highest point. The measurements of a search serve no other purpose and are thrown away: every
//! layer is measured at the same loads afterwards.

use crate::observe::{Event, FoundLoads, Observer};
use crate::sandbox_benches::is_row;
use crate::slot::{patience, to_greet};
use std::collections::BTreeMap;
use std::time::Duration;
use tare_layers::{Answer, BootName, Host, Keeper, Layer, Session, SessionError, fresh_id};
use tare_proto::{BenchInfo, Machine, Request, Unit, at_load, throughput};

/// The largest load that is tried.
const MOST: u32 = 4096;

/// Throughput below this part of the highest has clearly fallen.
const FALLEN: f64 = 0.8;

/// Throughput has stopped rising when two doublings add less than this part.
const RISE: f64 = 0.05;

/// Samples of a series: enough to tell a fall from noise.
const SAMPLES: u32 = 3;

/// Time for a series of a benchmark that leaves it to the campaign, in milliseconds.
const SERIES_MS: u64 = 250;

/// What a search needs: the layer that it is done on, and how its boots are made.
pub struct Search<'a> {
    /// The layer's name.
    pub name: &'a str,
    /// How it starts.
    pub layer: &'a dyn Layer,
    /// What layers may use of this host.
    pub host: &'a Host,
    /// How keepers are started.
    pub keeper: &'a Keeper,
    /// The machine that it runs on.
    pub machine: Machine,
    /// CPUs that it is pinned to.
    pub cpus: &'a [u32],
    /// Shortest timed batch, in nanoseconds.
    pub batch_ns: u64,
    /// Time that it may take from its start to its greeting.
    pub boot: Duration,
    /// Asked while waiting.
    pub interrupted: fn() -> bool,
}

impl Search<'_> {
    /// Looks for the loads of `bench` in a boot of its own.
    pub fn loads(
        &self,
        bench: &BenchInfo,
        observer: &mut dyn Observer,
    ) -> Result<FoundLoads, SessionError> {
        if is_row(bench) {
            return self.starts_at_once(bench, observer);
        }
        let name = BootName { id: fresh_id(), ..BootName::default() };
        let (cpus, interrupted) = (self.cpus, self.interrupted);
        let mut session =
            Session::start(self.layer, self.host, self.keeper, &name, cpus, None, interrupted)?;
        session.greet(to_greet(self.machine, self.boot))?;
        let mut ended: Option<String> = None; // after that nothing can be asked any more
        let (loads, end) = search(bench.unit == Unit::PerMinute, |load| {
            let row = at_load(&bench.name, load);
            observer.event(Event::Searching { name: &row, layer: self.name });
            if let Some(why) = &ended {
                return Err(why.clone());
            }
            let done = self.once(&mut session, bench, load);
            done.unwrap_or_else(|error| Err(ended.insert(error.to_string()).clone()))
        });
        if (self.interrupted)() {
            return Err(SessionError::Interrupted);
        }
        session.end(Duration::from_secs(5));
        Ok(FoundLoads { benchmark: bench.name.clone(), loads, end })
    }

    /// The total throughput at `load`, or why it cannot be measured.
    fn once(
        &self,
        session: &mut Session,
        bench: &BenchInfo,
        load: u32,
    ) -> Result<Result<f64, String>, SessionError> {
        let limit_ms = if bench.series_ms == 0 { SERIES_MS } else { bench.series_ms };
        let samples = bench.samples.min(SAMPLES);
        let row = at_load(&bench.name, load);
        let request = Request {
            id: load,
            bench: row,
            samples,
            batch_ns: self.batch_ns,
            limit_ms,
            events: false,
            cache_bytes: 0,
            turns: false,
            program: None,
        };
        Ok(match session.measure(&request, patience(self.machine, limit_ms))? {
            Answer::Series(series, _) => {
                let mean = series.samples.iter().sum::<f64>() / series.samples.len().max(1) as f64;
                Ok(throughput(bench.better, load, mean))
            }
            Answer::Unavailable(why) | Answer::Failed(why) => Err(why),
        })
    }
}

/// Loads for a curve and why it ends where it does. `measure` gives the throughput at a load, or why there is none; with
/// `users` it is jobs a minute.
pub(crate) fn search(
    users: bool,
    mut measure: impl FnMut(u32) -> Result<f64, String>,
) -> (Vec<u32>, String) {
    let mut taken = BTreeMap::new();
    let (mut low, mut high) = (0, 1);
    let mut end = loop {
        match measure(high) {
            Ok(done) => taken.insert(high, done),
            Err(why) => break End::Refused(why),
        };
        if let Some(end) = ended(users, &taken) {
            break end;
        }
        if high == MOST {
            break End::Most;
        }
        (low, high) = (high, 2 * high);
    };
    if matches!(end, End::Refused(_) | End::Crossover) {
        for _ in 0..2 {
            let between = (low + high) / 2;
            if between <= low {
                break;
            }
            match measure(between) {
                Ok(done) => {
                    taken.insert(between, done);
                    let crossed = users && done <= f64::from(between);
                    *(if crossed { &mut high } else { &mut low }) = between;
                }
                Err(why) => (high, end) = (between, End::Refused(why)),
            }
        }
    }
    let mut loads: Vec<u32> = taken.keys().copied().collect();
    loads.extend(beside_the_peak(&taken));
    loads.sort_unstable();
    let end = end.said(high);
    (if loads.is_empty() { vec![1] } else { loads }, end)
}

/// Why a curve has no larger loads.
enum End {
    Crossover,
    Fallen,
    Level,
    Refused(String),
    Most,
}

impl End {
    /// The reason in words, when `load` was the first load too many.
    fn said(&self, load: u32) -> String {
        match self {
            End::Crossover => {
                format!("the crossover is reached: no more jobs a minute than users at {load}")
            }
            End::Fallen => format!("at {load} less than 80% of the most was done"),
            End::Level => format!("throughput does not rise any more up to {load}"),
            End::Refused(why) => format!("{load} cannot be measured: {why}"),
            End::Most => format!("no load above {load} is tried"),
        }
    }
}

/// Whether the curve ends with its largest load.
fn ended(users: bool, taken: &BTreeMap<u32, f64>) -> Option<End> {
    let (&load, &done) = taken.last_key_value()?;
    let most =
        |of: &mut dyn Iterator<Item = (&u32, &f64)>| of.map(|(_, done)| *done).fold(0.0, f64::max);
    if users && done <= f64::from(load) {
        return Some(End::Crossover);
    }
    if done < FALLEN * most(&mut taken.iter()) {
        return Some(End::Fallen);
    }
    let before = most(&mut taken.range(..=load / 4));
    let since = most(&mut taken.range(load / 4 + 1..));
    (!users && before > 0.0 && since < (1.0 + RISE) * before).then_some(End::Level)
}

/// The loads halfway between the one with the highest throughput and its neighbours.
fn beside_the_peak(taken: &BTreeMap<u32, f64>) -> Vec<u32> {
    let Some((&peak, _)) = taken.iter().rev().max_by(|a, b| a.1.total_cmp(b.1)) else {
        return Vec::new();
    };
    let lower = taken.range(..peak).next_back();
    let higher = taken.range(peak + 1..).next();
    let middles = lower.into_iter().chain(higher).map(|(other, _)| (peak + other) / 2);
    middles.filter(|load| !taken.contains_key(load)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A search over a curve: the loads that it asks for, what it finds, and why it ends.
    fn over(
        users: bool,
        curve: impl Fn(u32) -> Result<f64, String>,
    ) -> (Vec<u32>, Vec<u32>, String) {
        let mut asked = Vec::new();
        let (loads, end) = search(users, |load| {
            asked.push(load);
            curve(load)
        });
        (asked, loads, end)
    }

    #[test]
    fn users_grow_until_there_are_no_fewer_than_jobs_a_minute() {
        let (asked, loads, end) = over(true, |_| Ok(50.0));
        assert_eq!(asked, [1, 2, 4, 8, 16, 32, 64, 48, 56]);
        assert_eq!(loads, [1, 2, 4, 8, 16, 32, 48, 56, 64]);
        assert!(end.contains("crossover") && end.ends_with("at 56"), "{end}");
    }

    #[test]
    fn copies_grow_until_that_adds_nothing() {
        let two_cpus = |load: u32| Ok(f64::from(load.min(2)));
        let (asked, loads, end) = over(false, two_cpus);
        assert_eq!(asked, [1, 2, 4, 8]);
        assert_eq!(loads, [1, 2, 3, 4, 8]);
        assert!(end.contains("does not rise"), "{end}");
    }

    #[test]
    fn a_clear_fall_ends_a_curve_and_the_peak_has_neighbours() {
        let thrashes = |load: u32| Ok(f64::from(if load <= 16 { 100 * load } else { 900 }));
        let (asked, loads, end) = over(true, thrashes);
        assert_eq!(asked, [1, 2, 4, 8, 16, 32]);
        assert_eq!(loads, [1, 2, 4, 8, 12, 16, 24, 32]);
        assert!(end.contains("80%"), "{end}");
    }

    #[test]
    fn what_is_refused_is_not_among_the_loads_and_the_reason_is_kept() {
        let room = |load: u32| match load {
            0..=20 => Ok(1000.0 * f64::from(load)),
            _ => Err(format!("no room for {load}")),
        };
        let (asked, loads, end) = over(true, room);
        assert_eq!(asked, [1, 2, 4, 8, 16, 32, 24, 20]);
        assert_eq!(loads, [1, 2, 4, 8, 16, 18, 20]);
        assert_eq!(end, "24 cannot be measured: no room for 24");
        let (asked, loads, end) = over(true, |_| Err("no disk".into()));
        assert_eq!((asked, loads), (vec![1], vec![1]));
        assert!(end.contains("no disk"), "{end}");
    }
}
