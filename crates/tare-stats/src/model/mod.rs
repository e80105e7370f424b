//! Models of what was measured: settings and their contrasts, factors of throughput, costs of programs, lines and ranks.

pub mod contrasts;
pub mod cost;
pub mod decompose;
pub mod factorial;
pub mod line;
pub mod rank;
