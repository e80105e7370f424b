//! Flags, `tare.toml` and the machine, merged: what was said becomes what is to be done. Nothing after this asks who said it.

use super::{ALL, Asked, Config, made, of_kinds, of_table};
use crate::cli::values::percent;
use crate::cli::{GateArgs, ProgramArgs, RunArgs};
use crate::loads::LoadArg;
use crate::pin::Pin;
use crate::policy::{Length, Policy};
use crate::scratch::ScratchArg;
use crate::sweep::{Knobs, Swept};
use crate::usage::{OrUsage, wrong_usage};
use anyhow::{Context, Result, anyhow, bail};
use std::collections::BTreeSet;
use std::env;
use std::time::Duration;
use tare_layers::{LayerKind, Settings, Unnamed, kinds_of};
use tare_proto::{BenchInfo, Machine};
use tare_store::{Counting, Order};

/// Differences up to this are equivalence when nothing is said, in percent.
const MARGIN: f64 = 2.0;

/// Intervals as narrow as this share of the margin need no more of the budget when nothing is said: corrected for all rows
/// together, they are about twice as wide, and equivalence is then shown where the ratio is within half the margin.
const WIDTH: f64 = 0.25;

pub struct Resolved<'a> {
    pub machine: Machine,
    pub policy: &'static Policy,
    /// Suites to measure; empty for the usual one.
    pub suites: &'a [String],
    /// Patterns of benchmarks to measure; empty for all of the suites.
    pub globs: &'a [String],
    pub loads: Vec<LoadArg>,
    /// Time of every series, instead of the benchmarks' own.
    pub series: Option<Duration>,
    pub programs: Vec<&'a ProgramArgs>,
    /// Where what programs write lies.
    pub scratch: ScratchArg,
    pub knobs: Knobs,
    /// The name of the layer that the others are to be divided by.
    pub baseline: Option<&'a str>,
    /// Blocks or time.
    pub length: Length,
    pub order: Order,
    pub seed: u64,
    /// Whether neither a flag nor the file says it.
    pub seed_is_tares: bool,
    pub counting: Counting,
    pub explain: bool,
    /// Whether rows are measured all samples at once, too.
    pub robust: bool,
    /// CPUs of the layers; when nothing is said, what is measured decides.
    pub pin: Option<Pin>,
    /// Equivalence margin, as a fraction.
    pub margin: f64,
    /// The largest share of a series in which a layer may wait for a CPU, where it is said.
    pub most_waited: Option<f64>,
    /// Half-width at which a row needs no more time, as a fraction.
    pub width: f64,
    /// What fails the campaign.
    pub gate: GateArgs,
    /// Time that a layer may take to greet.
    pub boot_limit: Duration,
    /// Layers that flags name, `all` among them.
    layer_names: &'a [String],
    layer_texts: &'a [String],
    file: &'a Config,
}

/// What the environment says of `--most-waited`, for scripts that run beside other work and know it.
fn most_waited_by_default() -> Result<Option<f64>> {
    let Ok(text) = env::var("TARE_MOST_WAITED") else { return Ok(None) };
    Ok(Some(percent(&text).map_err(|why| anyhow!("TARE_MOST_WAITED: {why}")).or_usage()?))
}

impl<'a> Resolved<'a> {
    /// Of `flags`, which win over the `file`.
    ///
    /// # Errors
    /// Wrong usage: what the machine has not, loads and knobs that cannot be read.
    pub fn new(flags: &'a RunArgs, file: &'a Config) -> Result<Resolved<'a>> {
        let machine = flags.machine.or(file.machine).unwrap_or_default();
        let policy = Policy::for_machine(machine);
        if !policy.host_matters && (flags.budget.is_some() || file.budget.is_some()) {
            wrong_usage!(
                "--budget is time on this host, which must not influence what --machine {machine} measures; give --blocks"
            );
        }
        let explain = flags.explain || file.explain;
        let counting = match () {
            () if flags.model || file.model => Counting::Model,
            () if explain && policy.explained_by != Counting::Off => policy.explained_by,
            () if flags.count || file.count => Counting::Counts,
            () => Counting::Off,
        };
        let margin = flags.margin.or(file.margin).unwrap_or(MARGIN);
        let most_waited = flags.most_waited.or(file.most_waited).or(most_waited_by_default()?);
        let width = flags.width.or(file.width).unwrap_or(WIDTH * margin);
        let said_seed = flags.seed.or(file.seed);
        let order = order(flags.order.or(file.order), policy, counting).or_usage()?;
        let knobs =
            if flags.sweep.is_empty() { file.sweeps().or_usage()? } else { flags.sweep.clone() };
        Ok(Resolved {
            machine,
            policy,
            suites: either(&flags.suite, &file.suite),
            globs: either(&flags.bench, &file.bench),
            loads: loads(flags, file, policy).or_usage()?,
            series: flags.series.or(file.series),
            programs: programs(flags, file),
            scratch: flags.scratch.clone().or_else(|| file.scratch.clone()).unwrap_or_default(),
            knobs: Knobs::new(knobs, flags.design.or(file.design)).or_usage()?,
            baseline: flags.baseline.as_deref().or(file.baseline.as_deref()),
            length: length(flags, file, policy),
            order,
            seed: said_seed.or(policy.seed).unwrap_or_else(seed_from_clock),
            seed_is_tares: said_seed.is_none(),
            counting,
            explain,
            robust: flags.robust || file.robust,
            pin: flags.pin.clone().or_else(|| file.pin.clone()),
            margin: margin / 100.0,
            width: width / 100.0,
            most_waited: most_waited.map(|percent| percent / 100.0),
            gate: GateArgs {
                fail_if: either(&flags.gate.fail_if, &file.fail_if).to_vec(),
                fail_undecided: flags.gate.fail_undecided || file.fail_undecided,
            },
            boot_limit: flags.boot_limit.unwrap_or(policy.boot_limit),
            layer_names: &flags.layers,
            layer_texts: &flags.layer,
            file,
        })
    }

    /// The layers of the flags, or else the file's, or else those that are swept, or those that are weighed without being
    /// named; with what `benches` need, and with a layer for each setting of the knobs.
    pub fn layers(&self, benches: &[BenchInfo]) -> Result<(Vec<Asked>, Swept)> {
        let mut all = Vec::new();
        for name in self.layer_names {
            match name.as_str() {
                ALL => all.extend(of_kinds(self.machine, |kind| kind.unnamed != Unnamed::Ignored)?),
                name => all.push(self.file.named(name)?),
            }
        }
        for text in self.layer_texts {
            all.push(Settings::parse(text).with_context(|| format!("--layer {text}"))?);
        }
        if all.is_empty() {
            all = self.file.layer.iter().map(of_table).collect::<Result<_>>()?;
        }
        let needs = benches.iter().flat_map(|bench| bench.needs.split_whitespace());
        let needs: BTreeSet<&str> = needs.collect();
        let chosen = !all.is_empty() || self.knobs.turns_layers();
        let named = chosen && !self.layer_names.iter().any(|name| name == ALL);
        if !chosen {
            all = of_kinds(self.machine, |kind| kind.unnamed == Unnamed::Weighed)?;
        }
        let swept = self.knobs.layers(all, |name| self.file.named(name))?;
        Ok((made(self.machine, &swept.layers, named, &needs)?, swept))
    }

    /// Which layers are left out because none was chosen, and how to have them; `None` when none is.
    pub fn left_out(&self) -> Option<String> {
        let named = [self.layer_names, self.layer_texts].iter().any(|said| !said.is_empty())
            || !self.file.layer.is_empty()
            || self.knobs.turns_layers();
        let other = |kind: &LayerKind| match kind.unnamed {
            Unnamed::Tried(why) => Some((kind.name, why)),
            Unnamed::Weighed | Unnamed::Ignored => None,
        };
        let others: Vec<(&str, &str)> = kinds_of(self.machine).filter_map(other).collect();
        let (with, _) = others.first().filter(|_| !named)?;
        let usual = kinds_of(self.machine).filter(|kind| kind.unnamed == Unnamed::Weighed);
        let usual: Vec<&str> = usual.map(|kind| kind.name).collect();
        // Neighbours with the same reason share it.
        let alike = others.chunk_by(|(_, a), (_, b)| a == b);
        let others = alike.map(|alike| {
            let names: Vec<&str> = alike.iter().map(|(name, _)| *name).collect();
            format!("{} ({})", names.join(", "), alike[0].1)
        });
        Some(format!(
            "Weighing those of {} that run here. Left out: {}. To choose: --layers native,{with}, or --layers {ALL}.",
            usual.join(", "),
            others.collect::<Vec<_>>().join(", ")
        ))
    }
}

fn either<'a, T>(flags: &'a [T], file: &'a [T]) -> &'a [T] {
    if flags.is_empty() { file } else { flags }
}

/// How layers take turns. What is counted is told apart by boots.
fn order(asked: Option<Order>, policy: &Policy, counting: Counting) -> Result<Order> {
    if policy.is_interactive && counting == Counting::Off {
        return Ok(asked.unwrap_or(Order::Rounds));
    }
    match asked {
        None | Some(Order::Boots) => Ok(Order::Boots),
        Some(_) => {
            bail!(
                "--machine sim, --count and --model boot one layer after the other: omit --order, or give --order boots"
            )
        }
    }
}

/// The loads that were asked for: the flags', or else the file's.
fn loads(flags: &RunArgs, file: &Config, policy: &Policy) -> Result<Vec<LoadArg>> {
    let load =
        |text: &String| text.parse().map_err(|why| anyhow!("tare.toml, load = {text}: {why}"));
    let asked: Vec<LoadArg> = match flags.load.is_empty() {
        false => flags.load.clone(),
        true => file.load.iter().map(load).collect::<Result<_>>()?,
    };
    if !policy.is_interactive && asked.iter().any(LoadArg::is_auto) {
        bail!(
            "--load auto has to ask a running layer, which --machine sim does not allow; list the loads: --load 1,2,4"
        );
    }
    Ok(asked)
}

/// The programs that were given. Suites and benchmarks that flags name take the place of the file's programs.
fn programs<'a>(flags: &'a RunArgs, file: &'a Config) -> Vec<&'a ProgramArgs> {
    let named = !(flags.suite.is_empty() && flags.bench.is_empty());
    match flags.program.command.is_empty() {
        false => vec![&flags.program],
        true if named => Vec::new(),
        true => file.program.iter().collect(),
    }
}

/// What flags say wins over the file, and in the file blocks win over a budget (flags cannot say both).
fn length(flags: &RunArgs, file: &Config, policy: &Policy) -> Length {
    let of_flags = flags.blocks.map(Length::Blocks).or(flags.budget.map(Length::Budget));
    let blocks_of_file = file.blocks.map(|blocks| Length::Blocks(blocks.get()));
    of_flags.or(blocks_of_file).or(file.budget.map(Length::Budget)).unwrap_or(policy.length)
}

/// Small enough to be typed again.
fn seed_from_clock() -> u64 {
    let now =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::from(now.subsec_nanos()) % 1_000_000
}
