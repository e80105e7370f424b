//! Measures the benchmarks of a block on booted layers: in turns while all are alive, or boot by boot.

pub(crate) mod alone;
mod booting;
mod figures;
mod held;
mod idle;
mod idling;
mod meter;
pub(crate) mod observed;
mod observers;
pub(crate) mod one_run;
mod prices;
mod row;
mod series;
mod started;
pub(crate) mod together;
mod turn_length;
mod turning;
mod watch;
mod whole;
