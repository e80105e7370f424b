//! Loads: the same benchmark with more copies, users, threads or requests at once is a row of its own.

use crate::{BenchInfo, Better, Request};

/// The row's name of `bench` at `load`: plain at 1, else `family/name@N`.
pub fn at_load(bench: &str, load: u32) -> String {
    if load == 1 { bench.to_owned() } else { format!("{bench}@{load}") }
}

/// The benchmark and the load that a row's name stands for.
pub fn name_and_load(row: &str) -> (&str, u32) {
    match row.rsplit_once('@').map(|(name, load)| (name, load.parse())) {
        Some((name, Ok(load))) if load > 0 => (name, load),
        _ => (row, 1),
    }
}

/// What all copies do together when one value at `load` is `value`: itself where higher is better, operations a second
/// where it is the nanoseconds that each of them takes.
pub fn throughput(better: Better, load: u32, value: f64) -> f64 {
    match better {
        Better::Higher => value,
        Better::Lower => f64::from(load) * 1e9 / value,
    }
}

impl Request {
    /// The benchmark and its load.
    pub fn name_and_load(&self) -> (&str, u32) {
        name_and_load(&self.bench)
    }
}

impl BenchInfo {
    /// The row of this benchmark at `load`.
    pub fn at(&self, load: u32) -> BenchInfo {
        BenchInfo { name: at_load(&self.name, load), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_carries_its_load() {
        assert_eq!(at_load("a/b", 1), "a/b");
        assert_eq!(at_load("a/b", 16), "a/b@16");
        assert_eq!(name_and_load("a/b@16"), ("a/b", 16));
        for plain in ["a/b", "a/b@", "a/b@x", "a/b@0", "a/b@-1", "a/b@99999999999"] {
            assert_eq!(name_and_load(plain), (plain, 1));
        }
    }
}
