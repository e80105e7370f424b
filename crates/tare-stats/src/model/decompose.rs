//! Why a layer's throughput differs: its log ratio as the sum of the factors' log ratios and an unexplained remainder.
//!
//! Throughput = CPU% × frequency × CPUs / (path length × CPI): transactions per second are the cycles spent per
//! second over the cycles that a transaction takes. Two layers on the same machine share frequency and CPUs.

use crate::check;
use crate::error::StatError;
use serde::Serialize;

/// What one layer measured of a workload; the units cancel, so any will do if both layers use them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Work {
    /// Transactions per second.
    pub throughput: f64,
    /// Share of the CPUs in use.
    pub cpu: f64,
    /// Instructions per transaction.
    pub path_length: f64,
    /// Cycles per instruction.
    pub cpi: f64,
}

/// One factor of a ratio.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Factor {
    /// What it does to throughput: above 1 raises it.
    pub factor: f64,
    /// Its share of the measured log ratio, in percent; negative when it works against it. None when the throughputs
    /// are equal.
    pub share: Option<f64>,
}

/// A throughput ratio and its factors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Decomposition {
    /// Layer / baseline, as measured.
    pub ratio: f64,
    /// More of the CPUs in use.
    pub cpu: Factor,
    /// Fewer instructions per transaction.
    pub path_length: Factor,
    /// Fewer cycles per instruction.
    pub cpi: Factor,
    /// The product of the three.
    pub product: f64,
    /// What they leave: `ratio / product`.
    pub residual: Factor,
}

/// Attributes the throughput ratio layer / baseline to its factors.
///
/// # Errors
/// Values that are not finite and above zero.
pub fn decompose(baseline: &Work, layer: &Work) -> Result<Decomposition, StatError> {
    for work in [baseline, layer] {
        check::positive(&[work.throughput, work.cpu, work.path_length, work.cpi])?;
    }
    let ratio = layer.throughput / baseline.throughput;
    let cpu = layer.cpu / baseline.cpu;
    let path_length = baseline.path_length / layer.path_length;
    let cpi = baseline.cpi / layer.cpi;
    let product = cpu * path_length * cpi;
    check::positive(&[ratio, cpu, path_length, cpi, product])?;
    let factor = |factor: f64| {
        let share = (ratio != 1.0).then(|| 100.0 * factor.ln() / ratio.ln());
        Factor { factor, share }
    };
    let residual = factor(ratio / product);
    let cpu = factor(cpu);
    let path_length = factor(path_length);
    let cpi = factor(cpi);
    Ok(Decomposition { ratio, cpu, path_length, cpi, product, residual })
}
