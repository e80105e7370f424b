//! What a campaign on the simulated machine asks for. It needs fewer samples and blocks, since there is little noise, and its
//! unit is instructions. No clock of the host influences any of it, so the same seed gives the same figures.

use crate::order::draw;
use crate::sandbox_benches::is_row;
use std::time::Duration;
use tare_layers::Patience;
use tare_proto::{BenchInfo, Machine};
use tare_store::Role;

/// Blocks of a simulated campaign: each is another perturbation, and their spread is the error bar.
pub const BLOCKS: u32 = 3;

/// Shortest timed batch, in instructions: thousands of times what reading the clock takes.
pub const BATCH: u64 = 500_000;

/// Longest series, in milliseconds of the guest's clock: 2·10⁹ instructions.
pub const SERIES_MS: u64 = 2000;

/// The last-level cache that sizes are chosen by, in bytes: the model's.
pub const CACHE_BYTES: u64 = 16 << 20;

/// The longest CPU time for a boot. Only a boot that hangs reaches it.
pub const BOOT: Duration = Duration::from_secs(600);

/// The most samples in a series. Samples differ by little else than where the timer's tick falls.
const SAMPLES: u32 = 10;

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
    let by_host = |bench: &BenchInfo| bench.suite == crate::HOST_SUITE.0 || is_row(bench);
    let of_guest = benches.into_iter().filter(|bench| !by_host(bench));
    let simulated = |bench: BenchInfo| BenchInfo {
        unit: machine.unit(bench.unit),
        samples: bench.samples.min(SAMPLES),
        ..bench
    };
    of_guest.map(simulated).collect()
}

/// The perturbation of a boot. All layers of a block get the same one, but the baseline's second boot gets another, so that A/A
/// shows the effect of a perturbation alone. Two boots under one perturbation would be identical.
pub(crate) fn perturbation(seed: u64, block: u32, role: Role) -> u64 {
    draw(seed, 2 * u64::from(block) + u64::from(role == Role::Floor))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use tare_proto::{Better, Unit};

    fn bench(suite: &str, unit: Unit) -> BenchInfo {
        let (name, about, suite) = ("a/b".into(), String::new(), suite.into());
        let (better, estimator) = (Better::Lower, "mean".into());
        BenchInfo {
            name,
            about,
            unit,
            better,
            suite,
            estimator,
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

    #[test]
    fn perturbations_differ_between_boots_and_repeat_between_campaigns() {
        let of = |seed| -> Vec<u64> {
            let roles = [Role::Weigh, Role::Floor];
            (0..5).flat_map(|b| roles.map(|role| perturbation(seed, b, role))).collect()
        };
        assert_eq!(of(7), of(7));
        assert_eq!(of(7).into_iter().chain(of(8)).collect::<BTreeSet<_>>().len(), 20);
    }
}
