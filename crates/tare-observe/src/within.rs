//! In which system calls of the host the time of a window went.

use crate::counts::Figures;
use crate::observer::Trace;
use crate::path::walk;
use crate::record::Happened;
use crate::story::ON_CPU;
use crate::threads::Threads;
use std::collections::HashMap;
use tare_proto::call_name;
use tare_proto::outside::{ASLEEP, Seen, WHOLE};

/// For each thread the moments at which it entered a call, with the call's number, and left it.
type Calls = HashMap<u32, Vec<(u64, Option<u64>)>>;

/// The time of the window's path within each system call, in nanoseconds, and the window's own ([`WHOLE`]), when `reader` is the thread
/// that waited for its end.
#[must_use]
pub fn within(trace: &Trace, threads: &Threads, reader: u32) -> Figures {
    let calls = calls(trace);
    let mut figures = Figures::new();
    let whole = walk(trace, threads, reader, |tid, kind, stretch| {
        let seen = match kind {
            ON_CPU => Seen::RunsIn,
            ASLEEP => Seen::SleepsIn,
            _ => return,
        };
        if let Some(part) = threads.part(tid) {
            for (number, ns) in during(calls.get(&tid).map_or(&[], Vec::as_slice), stretch) {
                *figures.entry(seen.counter(part, &call_name(number))).or_default() += ns as f64;
            }
        }
    });
    figures.extend(whole.map(|ns| (WHOLE.to_owned(), ns)));
    figures
}

/// The same of a window that `took` so many nanoseconds while no call was written down, which takes time of its own.
#[must_use]
pub fn scaled(mut within: Figures, took: f64) -> Figures {
    let whole = within.remove(WHOLE).filter(|ns| *ns > 0.0);
    let scale = whole.map_or(0.0, |ns| took / ns);
    within.values_mut().for_each(|ns| *ns *= scale);
    within
}

fn calls(trace: &Trace) -> Calls {
    let mut calls = Calls::new();
    for record in &trace.records {
        let now = match record.what {
            Happened::Call(number) => Some(number),
            Happened::Registers(_) => Some(libc::SYS_ptrace as u64),
            Happened::Return => None,
            _ => continue,
        };
        calls.entry(record.tid).or_default().push((record.time, now));
    }
    calls
}

/// The calls that a thread was in between two moments, each with its nanoseconds.
fn during(
    changes: &[(u64, Option<u64>)],
    (from, until): (u64, u64),
) -> impl Iterator<Item = (u64, u64)> {
    let first = changes.partition_point(|(time, _)| *time <= from).saturating_sub(1);
    let ends = changes.iter().skip(first + 1).map(|(time, _)| *time).chain([u64::MAX]);
    let all = changes[first.min(changes.len())..].iter().zip(ends);
    let within = all.take_while(move |((begin, _), _)| *begin < until);
    within.filter_map(move |((begin, call), end)| {
        let ns = end.min(until).saturating_sub((*begin).max(from));
        call.filter(|_| ns > 0).map(|number| (number, ns))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;
    use tare_proto::outside::Part;

    #[test]
    fn the_time_of_the_path_is_in_the_call_that_its_thread_was_in() {
        let (close, read) = (libc::SYS_close as u64, libc::SYS_read as u64);
        let at = |time, tid, what| Record { time, cpu: 0, pid: tid, tid, what };
        let switch = |from, state, to| Happened::Switch { from, state, to };
        let records = vec![
            at(100, 10, Happened::Call(close)),
            at(150, 10, switch(10, 2, 0)),
            at(400, 0, Happened::Waking { whom: 10, interrupt: true }),
            at(410, 0, switch(0, 0, 10)),
            at(430, 10, Happened::Return),
            at(600, 10, Happened::Call(read)),
            at(620, 10, Happened::Waking { whom: 99, interrupt: false }),
            at(700, 10, Happened::Return),
        ];
        let trace = Trace { records, begin: 0, end: 1000, ..Trace::default() };
        let threads = Threads::new([(10, Part::Helper)]);
        let expected = [
            ("outside/runs_in/helper/close", (50.0 + 20.0) / 2.0),
            ("outside/runs_in/helper/read", 20.0 / 2.0),
            ("outside/sleeps_in/helper/close", 250.0 / 2.0),
        ];
        let expected = expected.map(|(name, ns)| (name.to_owned(), ns));
        assert_eq!(scaled(within(&trace, &threads, 99), 310.0), Figures::from(expected));
    }

    #[test]
    fn a_thread_of_which_no_call_is_known_is_in_none() {
        assert_eq!(during(&[], (0, 10)).count(), 0);
        assert_eq!(during(&[(5, Some(1))], (0, 5)).count(), 0);
        assert_eq!(during(&[(5, Some(1))], (0, 8)).collect::<Vec<_>>(), [(1, 3)]);
    }
}
