//! How a load grows until throughput falls or stops rising, or until the layer cannot bear more.
//!
//! The load doubles up to the end of the curve. Two steps between the last two loads say where the end is, and two more
//! loads lie beside the highest point.

use std::collections::BTreeMap;

/// The largest load that is tried.
const MOST: u32 = 4096;

/// Throughput below this part of the highest has clearly fallen.
const FALLEN: f64 = 0.8;

/// Throughput has stopped rising when two doublings add less than this part.
const RISE: f64 = 0.05;

/// Loads for a curve and why it ends where it does. `measure` gives the throughput at a load, or why there is none; with
/// `users` it is jobs a minute.
pub(crate) fn climb(
    users: bool,
    mut measure: impl FnMut(u32) -> Result<f64, String>,
) -> (Vec<u32>, String) {
    let mut taken = BTreeMap::new();
    let mut low = 0;
    let mut high = 1;
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

    /// A climb along a curve: the loads that it asks for, what it finds, and why it ends.
    fn over(
        users: bool,
        curve: impl Fn(u32) -> Result<f64, String>,
    ) -> (Vec<u32>, Vec<u32>, String) {
        let mut asked = Vec::new();
        let (loads, end) = climb(users, |load| {
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
