//! The plan that a campaign keeps.

use super::Tried;
use crate::carried::{PLUGIN, PROBE};
use crate::config::Resolved;
use crate::policy::{FixedSeries, Length};
use crate::programs::WantedProgram;
use crate::shell;
use std::collections::BTreeMap;
use tare_proto::{BenchInfo, Untrusted, name_and_load};
use tare_run::BATCH_NS;
use tare_store::{Counting, Neighbours, Order, Plan, Scratch, Sweep};

/// Shortest timed batch where layers take turns: the best of several short batches escapes interruptions more surely.
const TURN_BATCH_NS: u64 = 100_000;

/// What has been found out of a campaign beside what was asked for.
pub struct Contents<'a> {
    pub baseline: String,
    pub cpus: Vec<u32>,
    pub wide: Vec<u32>,
    /// The last-level cache of this host, in bytes.
    pub cache_bytes: u64,
    pub tried: &'a [Tried],
    /// Every row, loads and programs included.
    pub benches: &'a [BenchInfo],
    /// The programs as they were rehearsed.
    pub programs: &'a [WantedProgram],
    pub sweep: Option<Sweep>,
    pub neighbours: Option<Neighbours>,
    /// Where programs write, if there are any and that is known.
    pub scratch: Option<Scratch>,
    pub state: Option<WantedProgram>,
    /// SHA-256 of what each simulated layer boots with.
    pub initramfs: BTreeMap<String, String>,
    /// What of a time budget has been used already, in seconds.
    pub spent_s: f64,
}

/// The definitions of `benches`, as far as they are known.
fn definitions(benches: &[BenchInfo]) -> BTreeMap<String, u32> {
    let known = benches.iter().filter(|bench| bench.definition > 0);
    known.map(|bench| (name_and_load(&bench.name).0.to_owned(), bench.definition)).collect()
}

/// SHA-256 of the plugin that counts, if anything does.
pub fn plugin_sha256(counting: Counting) -> Option<Untrusted> {
    (counting != Counting::Off).then(|| PLUGIN.sha256().into())
}

/// All that is kept of what was asked for.
pub fn plan(resolved: &Resolved, contents: Contents) -> Plan {
    let tried = contents.tried;
    let (blocks, budget_s) = match resolved.length {
        Length::Blocks(blocks) => (Some(blocks), None),
        Length::Budget(budget) => (None, Some(budget.as_secs_f64())),
    };
    let series = resolved.policy.series.as_ref();
    let fixed = |own: fn(&FixedSeries) -> u64| series.map(own);
    let batch_ns = if resolved.order == Order::Rounds { TURN_BATCH_NS } else { BATCH_NS };
    let starts: f64 = tried.iter().filter_map(|tried| tried.weighed.trial_s).sum();
    let boots = 1 + tried.iter().filter(|tried| tried.weighed.trial_s.is_some()).count();
    let series_ms = || tare_run::series_ms(budget_s, starts, boots, contents.benches);
    let has_events = |tried: &Tried| (resolved.policy.has_perf_events)(tried.row.kind.raw());
    let command = match resolved.seed_is_tares {
        true => shell::own_command_with_seed(resolved.seed),
        false => shell::own_command(),
    };
    Plan {
        machine: resolved.machine,
        order: resolved.order,
        seed: resolved.seed,
        baseline: contents.baseline.into(),
        budget_s: budget_s.map(|budget| match contents.spent_s {
            0.0 => budget,
            spent => (budget - spent).max(1.0),
        }),
        blocks,
        width: resolved.width,
        cpus: contents.cpus,
        wide: contents.wide,
        batch_ns: fixed(|own| own.batch).unwrap_or(batch_ns),
        series_ms: fixed(|own| own.series_ms).unwrap_or_else(series_ms),
        robust: resolved.robust,
        counting: resolved.counting,
        events: resolved.explain && tried.iter().all(has_events),
        cache_bytes: fixed(|own| own.cache_bytes).unwrap_or(contents.cache_bytes),
        boot_s: resolved.boot_limit.as_secs_f64(),
        margin: resolved.margin,
        most_waited: resolved.most_waited,
        created: tare_run::now().into(),
        tare_version: env!("CARGO_PKG_VERSION").into(),
        probe_sha256: PROBE.sha256().into(),
        command: command.into(),
        programs: contents.programs.iter().map(|program| program.planned.clone()).collect(),
        sweep: contents.sweep,
        neighbours: contents.neighbours,
        scratch: contents.scratch,
        saved_state: contents.state.map(|state| state.planned.program),
        definitions: definitions(contents.benches),
        initramfs: contents.initramfs,
        plugin_sha256: plugin_sha256(resolved.counting),
    }
}
