//! Reads and writes of a whole run, which the kernel counts whether a tracer looks on or not.
//!
//! A traced program fills its pipes more slowly than they are emptied. Whoever reads them gets smaller pieces, and reads more
//! often than in a run that nobody disturbs.

use crate::facts;
use tare_proto::{Counter, OPERATION_COUNTER};

/// Operations whose number depends on who is faster, the writer or the reader.
const OF_STREAMS: [&str; 4] = ["pipe_read", "pipe_write", "socket", "socket_unix"];

/// How far a tracer is believed to change them.
const BOUNDS: (f64, f64) = (0.05, 20.0);

/// Reads and writes that process `pid` has made, with the children that it has waited for; `None` where its kernel does not count
/// them. A process that has ended and not been waited for is asked as one that runs.
pub fn of(pid: u32) -> Option<f64> {
    facts::sum(&format!("/proc/{pid}/io"), ["syscr:", "syscw:"]).map(|all| all as f64)
}

/// Makes `counters`, of a run with `traced` reads and writes, those of one with `free`. What the two differ by is of pipes and
/// sockets.
pub fn correct(counters: &mut [Counter], traced: f64, free: f64) {
    let is_stream = |counter: &Counter| {
        let name = counter.name.strip_prefix(OPERATION_COUNTER);
        name.is_some_and(|name| OF_STREAMS.contains(&name))
    };
    let streams = || counters.iter().filter(|counter| is_stream(counter));
    let all: f64 = streams().map(|counter| counter.value).sum();
    if all <= 0.0 {
        return;
    }
    let share = (1.0 + (free - traced) / all).clamp(BOUNDS.0, BOUNDS.1);
    counters.iter_mut().filter(|counter| is_stream(counter)).for_each(|it| it.value *= share);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn the_kernel_counts_reads() {
        let before = of(std::process::id()).expect("a kernel that counts");
        let mut zero = std::fs::File::open("/dev/zero").unwrap();
        let mut byte = [0];
        (0..1000).for_each(|_| zero.read_exact(&mut byte).unwrap());
        let made = of(std::process::id()).unwrap() - before;
        assert!(made >= 1000.0, "{made}");
    }

    #[test]
    fn what_a_tracer_adds_is_taken_from_pipes() {
        let all = |traced, free| {
            let of = |name: &str, value| Counter::new(&format!("op/{name}"), value);
            let mut counters = [of("file", 500.0), of("pipe_read", 900.0), of("socket", 100.0)];
            correct(&mut counters, traced, free);
            counters.map(|counter| counter.value)
        };
        assert_eq!(all(1500.0, 1000.0), [500.0, 450.0, 50.0]);
        assert_eq!(all(1500.0, 1500.0), [500.0, 900.0, 100.0]);
        assert_eq!(all(1500.0, 2500.0), [500.0, 1800.0, 200.0]);
        assert_eq!(all(1e9, 0.0), [500.0, 45.0, 5.0], "whatever a kernel says");
        let mut none = [Counter::new("op/file", 3.0)];
        correct(&mut none, 5.0, 1.0);
        assert_eq!(none[0].value, 3.0);
    }
}
