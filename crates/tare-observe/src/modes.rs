//! The time on CPUs: how much of it was in user mode and how much in the kernel, by where the clock found the threads in other windows.

use crate::counts::Figures;
use crate::observer::Trace;
use crate::story::ON_CPU;
use crate::threads::Threads;
use tare_proto::outside::{Part, RECORD, SYSTEM, Seen, UNWATCHED, USER, WHOLE};

/// Where the clock found a part.
const SEEN_IN_USER: &str = "seen_user";
const SEEN_IN_KERNEL: &str = "seen_kernel";

/// The name of a figure that stands beside [`ON_CPU`] until [`split`].
const RECORDS: &str = "records";

/// A record takes at most so many nanoseconds; what is more is a busy machine's doing.
const LONGEST_RECORD: f64 = 3_000.0;

/// Parts the time on a CPU of each part of the layer into user mode and the kernel, by where the clock found it in all of the `looks`,
/// which are of other windows.
///
/// Where the operation took only `unwatched` nanoseconds while nobody watched, the rest went into records: it is taken from each part's
/// time, by how many records its threads made, before that is parted. The windows of the looks have no records. Returns the nanoseconds that
/// were taken.
pub fn split(figures: &mut Figures, looks: &Figures, unwatched: Option<f64>) -> f64 {
    let name = |part: Part, kind: &str| Seen::Time.counter(part, kind);
    let mut take =
        |part: Part, kind: &str| figures.remove(&name(part, kind)).unwrap_or(0.0).max(0.0);
    let records = Part::ALL.map(|part| take(part, RECORDS));
    let on_cpu = Part::ALL.map(|part| take(part, ON_CPU));
    let whole = figures.get(WHOLE).copied().unwrap_or(0.0);
    let all: f64 = records.iter().sum();
    let too_much = unwatched.map_or(0.0, |unwatched| (whole - unwatched).max(0.0));
    let record = if all >= 0.01 { (too_much / all).min(LONGEST_RECORD) } else { 0.0 };
    let mut taken = 0.0;
    for (part, (on_cpu, records)) in Part::ALL.into_iter().zip(on_cpu.into_iter().zip(records)) {
        let found = |kind: &str| looks.get(&name(part, kind)).copied().unwrap_or(0.0);
        let (user, kernel) = (found(SEEN_IN_USER), found(SEEN_IN_KERNEL));
        let share = if user + kernel > 0.0 { user / (user + kernel) } else { 0.5 };
        if on_cpu > 0.0 {
            let own = (on_cpu - records * record).max(0.0);
            taken += on_cpu - own;
            figures.insert(name(part, USER), own * share);
            figures.insert(name(part, SYSTEM), own * (1.0 - share));
        }
    }
    if let Some(unwatched) = unwatched {
        figures.insert(UNWATCHED.into(), unwatched);
        figures.insert(RECORD.into(), record);
    }
    taken
}

/// Nanoseconds that each part had of any CPU, where no path is walked, for [`split`].
#[must_use]
pub fn on_cpu(used: impl IntoIterator<Item = (Part, f64)>) -> Figures {
    let mut figures = Figures::new();
    for (part, ns) in used {
        *figures.entry(Seen::Time.counter(part, ON_CPU)).or_default() += ns;
        *figures.entry(WHOLE.to_owned()).or_default() += ns;
    }
    figures
}

/// How many records the layer's threads made.
pub(crate) fn records(trace: &Trace, threads: &Threads) -> Figures {
    let mut figures = Figures::new();
    for part in trace.records.iter().filter_map(|record| threads.part(record.tid)) {
        *figures.entry(Seen::Time.counter(part, RECORDS)).or_default() += 1.0;
    }
    figures
}

/// In which mode the CPUs' clock found the layer's threads, for [`split`].
#[must_use]
pub fn looks(trace: &Trace, threads: &Threads) -> Figures {
    let mut figures = Figures::new();
    for look in &trace.looks {
        let kind = if look.user { SEEN_IN_USER } else { SEEN_IN_KERNEL };
        if let Some(part) = threads.part(look.tid) {
            *figures.entry(Seen::Time.counter(part, kind)).or_default() += 1.0;
        }
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_writing_records_took_is_taken_from_the_time_of_who_made_them() {
        let name = |part, kind: &str| Seen::Time.counter(part, kind);
        let figures = [
            (WHOLE.to_owned(), 1000.0),
            (name(Part::Program, ON_CPU), 400.0),
            (name(Part::Kernel, ON_CPU), 600.0),
            (name(Part::Program, RECORDS), 1.0),
            (name(Part::Kernel, RECORDS), 3.0),
        ];
        let looks = [SEEN_IN_USER, SEEN_IN_KERNEL].map(|kind| (name(Part::Kernel, kind), 1.0));
        let looks = Figures::from(looks);
        let mut figures = Figures::from(figures);
        assert_eq!(split(&mut figures, &looks, Some(800.0)), 200.0);
        assert_eq!(figures[RECORD], 50.0);
        let of =
            |part, kinds: &[&str]| kinds.iter().map(|kind| figures[&name(part, kind)]).sum::<f64>();
        assert_eq!(of(Part::Program, &[USER, SYSTEM]), 400.0 - 50.0);
        assert_eq!(of(Part::Kernel, &[USER]), (600.0 - 150.0) / 2.0);
        assert_eq!(of(Part::Kernel, &[SYSTEM]), (600.0 - 150.0) / 2.0);
    }
}
