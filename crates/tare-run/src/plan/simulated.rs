//! What a campaign on the simulated machine asks for. It needs fewer samples and blocks, since there is little noise, and its
//! unit is instructions. No clock of the host influences any of it, so the same seed gives the same figures.

use super::sandbox_benches::is_row;
use std::time::Duration;
use tare_layers::Patience;
use tare_proto::{BenchInfo, Machine};

/// Blocks of a simulated campaign: each is another perturbation, and their spread is the error bar.
pub const BLOCKS: u32 = 3;

/// The seed of a campaign that names none, so that two of the same command are the same campaign.
pub const SEED: u64 = 1;

/// Shortest timed batch, in instructions: thousands of times what reading the clock takes.
pub const BATCH: u64 = 500_000;

/// Longest series, in milliseconds of the guest's clock: 2·10⁹ instructions.
pub const SERIES_MS: u64 = 2000;

/// The last-level cache that sizes are chosen by, in bytes: the model's.
pub const CACHE_BYTES: u64 = 16 << 20;

/// The longest CPU time for a boot. Only a boot that hangs reaches it.
pub const BOOT: Duration = Duration::from_secs(600);

/// The most samples in a series. Samples differ by little else than where the timer's tick falls.
const SAMPLES: u32 = 30;

/// How much slower than its own clock a simulated machine is at most, on a slow host: it translates 10 million instructions in
/// a second of CPU time.
const SLOWDOWN: u32 = 100;

/// How long one answer is waited for, when the guest may take `limit_ms` by its own clock.
pub(crate) fn patience(limit_ms: u64) -> Patience {
    let cpu = BOOT.min(Duration::from_millis(limit_ms) * SLOWDOWN) + Duration::from_secs(60);
    Patience::of_progress(cpu)
}

/// The benchmarks as `machine` measures them: in `sim` what the clock counts is instructions, the host measures
/// nothing, and series are short.
pub fn benches(machine: Machine, benches: Vec<BenchInfo>) -> Vec<BenchInfo> {
    if machine == Machine::Real {
        return benches;
    }
    let by_host =
        |bench: &BenchInfo| bench.suite == super::host_benches::HOST_SUITE.0 || is_row(bench);
    let of_guest = benches.into_iter().filter(|bench| !by_host(bench));
    let simulated = |bench: BenchInfo| BenchInfo {
        unit: machine.unit(bench.unit),
        samples: bench.samples.min(SAMPLES),
        ..bench
    };
    of_guest.map(simulated).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tare_proto::Unit;

    fn bench(suite: &str, unit: Unit) -> BenchInfo {
        BenchInfo {
            name: "a/b".into(),
            unit,
            suite: suite.into(),
            estimator: "mean".into(),
            samples: 30,
            ..BenchInfo::default()
        }
    }

    #[test]
    fn nothing_is_a_time_there() {
        let all = vec![
            bench("vmi", Unit::Nanoseconds),
            bench("vmi", Unit::BytesPerSecond),
            bench("host", Unit::Nanoseconds),
        ];
        assert_eq!(benches(Machine::Real, all.clone()), all);
        let units: Vec<Unit> = benches(Machine::Sim, all).iter().map(|b| b.unit).collect();
        assert_eq!(units, [Unit::Instructions, Unit::BytesPerGigaInstruction]);
    }
}
