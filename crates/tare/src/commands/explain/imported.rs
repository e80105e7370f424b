//! The metrics of a decomposition from a campaign: a throughput, and perf's counts beside it.

use super::{Measured, Metrics};
use crate::usage::{OrUsage, wrong_usage};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::Path;
use tare_layers::suggestion;
use tare_proto::Unit;
use tare_store::Campaign;

/// What to run beside the workload, said where a count is missing.
const REMEDY: &str = "import 'perf stat -x, -e instructions,cycles,task-clock,duration_time,...' of every layer \
                      beside its throughput";

/// Names that perf has for a count; with `:u` and the like they are slugs.
const INSTRUCTIONS: &[&str] = &["instructions", "instructions_u"];
const CYCLES: &[&str] = &["cycles", "cpu-cycles", "cycles_u", "cpu-cycles_u"];
const CPU_TIME: &[&str] = &["task-clock", "cpu-clock", "task-clock_u"];
const DURATION: &[&str] = &["duration_time"];

/// Every layer of the campaign in `dir` that has all counts; `throughput` names the benchmark that was worked on.
pub(super) fn metrics(dir: &Path, throughput: Option<&str>) -> Result<Metrics> {
    let campaign = tare_store::load(dir)?;
    let means = means(&campaign);
    let bench = benchmark(&campaign, throughput)?;
    let baseline = campaign.plan.baseline.raw().to_owned();
    let mut layer = BTreeMap::new();
    for row in &campaign.layers {
        let of = |name: &str| means.get(&(row.name.raw(), name)).copied();
        match measured(&of, &campaign, bench) {
            Ok(measured) => drop(layer.insert(row.name.raw().to_owned(), measured)),
            Err(missing) if row.name == baseline || campaign.layers.len() == 2 => {
                bail!("layer '{}' has no {missing}; {REMEDY}", row.name.raw())
            }
            // One of several layers without counts does not keep the others from being explained.
            Err(_) => {}
        }
    }
    Ok(Metrics { baseline, layer })
}

/// The mean of every benchmark on every layer, over all samples.
fn means(campaign: &Campaign) -> BTreeMap<(&str, &str), f64> {
    let mut sums: BTreeMap<(&str, &str), (f64, f64)> = BTreeMap::new();
    for sample in campaign.samples() {
        let (sum, count) = sums.entry((sample.layer, sample.benchmark)).or_default();
        (*sum, *count) = (*sum + sample.value, *count + 1.0);
    }
    sums.into_iter().map(|(key, (sum, count))| (key, sum / count)).collect()
}

/// The benchmark that the counts belong to: the one named, or the only one that is a rate.
fn benchmark<'a>(campaign: &'a Campaign, named: Option<&'a str>) -> Result<&'a str> {
    let names: Vec<&str> = campaign.benchmarks.iter().map(|bench| bench.name.as_str()).collect();
    if let Some(name) = named {
        let known = names.contains(&name).then_some(name);
        let known = known.with_context(|| {
            format!("no benchmark '{name}' in this campaign; {}", suggestion(name, &names))
        });
        return known.or_usage();
    }
    let rates = campaign.benchmarks.iter().filter(|bench| bench.unit == Unit::PerSecond);
    match rates.map(|bench| bench.name.as_str()).collect::<Vec<_>>()[..] {
        [one] => Ok(one),
        [] => wrong_usage!("which benchmark is the throughput? Name it with --throughput"),
        ref several => wrong_usage!(
            "which benchmark is the throughput? Name one with --throughput: {}",
            several.join(", ")
        ),
    }
}

/// One layer's metrics, or what is missing.
fn measured(
    of: &impl Fn(&str) -> Option<f64>,
    campaign: &Campaign,
    bench: &str,
) -> Result<Measured, String> {
    let count = |names: &[&str]| {
        let found = names.iter().find_map(|name| of(&format!("perf-stat/{name}")));
        found.filter(|count| *count > 0.0).ok_or_else(|| format!("perf-stat/{}", names[0]))
    };
    let value = of(bench).ok_or_else(|| bench.to_owned())?;
    let time = campaign.benchmarks.iter().any(|b| b.name == bench && b.unit == Unit::Nanoseconds);
    // A time per operation is a throughput turned over.
    let throughput = if time { 1e9 / value } else { value };
    let instructions = count(INSTRUCTIONS)?;
    let cycles = count(CYCLES)?;
    let cpu = count(CPU_TIME)?;
    let wall = count(DURATION).or_else(|e| of("time/real").ok_or(e))?;
    let transactions = throughput * wall / 1e9;
    let misses = campaign.benchmarks.iter().filter_map(|b| b.name.strip_prefix("perf-stat/"));
    let misses = misses.filter(|name| name.contains("miss"));
    let mpki = misses.filter_map(|name| {
        Some((
            format!("{name} per 1000 instr."),
            1e3 * of(&format!("perf-stat/{name}"))? / instructions,
        ))
    });
    Ok(Measured {
        throughput,
        cpu_percent: 100.0 * cpu / wall,
        path_length: instructions / transactions,
        cpi: cycles / instructions,
        mpki: mpki.collect(),
    })
}
