//! A small campaign that is made of a large one: the baseline, one of its layers, the same layer with a setting changed, and one row.

use super::{Prepared, TrialBoots, code_of, hold_roots, tried};
use crate::carried::PROBE;
use crate::config::layers;
use crate::pin::Pin;
use crate::progress::Progress;
use crate::usage::OrUsage;
use crate::{host, interrupt, shell};
use anyhow::{Result, bail};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use tare_layers::Settings;
use tare_proto::BenchInfo;
use tare_run::History;
use tare_store::{Campaign, LayerRow, Plan, Store};

/// What is changed of a campaign's layer.
pub struct Changed<'a> {
    pub campaign: &'a Campaign,
    /// The layer as it was.
    pub layer: &'a LayerRow,
    /// The row that is measured.
    pub bench: &'a str,
    /// What is set anew.
    pub change: Settings,
    pub blocks: u32,
}

impl Changed<'_> {
    /// The changed layer's name: what is set stands behind the layer's own, of a path its end.
    pub fn name(&self) -> String {
        let is_other = |c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c));
        let end = |value: &str| value.rsplit('/').next().unwrap_or(value).replace(is_other, "-");
        let change = self.change.iter().map(|(key, value)| format!("+{key}-{}", end(value)));
        format!("{}{}", self.layer.name.raw(), change.collect::<String>())
    }

    /// The baseline, the layer, and the layer with the change.
    fn settings(&self) -> Result<Vec<Settings>> {
        let baseline = self.campaign.plan.baseline.raw();
        let row = self.campaign.layers.iter().find(|row| row.name == baseline);
        let mut all = Vec::new();
        for row in row.into_iter().chain([self.layer]) {
            all.push(Settings::parse(row.settings.raw())?);
        }
        let mut changed = Settings::parse(self.layer.settings.raw())?;
        self.change.iter().for_each(|(key, value)| changed.replace(key, value));
        changed.replace("name", &self.name());
        all.push(changed);
        Ok(all)
    }

    /// Runs it in `out`, every layer watched; the exit code, which is that of success only where it came to its end.
    pub fn run(&self, out: &Path) -> Result<ExitCode> {
        self.measure(out).or_else(code_of)
    }

    fn measure(&self, out: &Path) -> Result<ExitCode> {
        let plan = &self.campaign.plan;
        if plan.probe_sha256 != PROBE.sha256() {
            bail!(
                "the campaign was measured with another probe, whose rows may not be this one's; use the tare that made it (version {}), \
                 or measure it again",
                plan.tare_version.raw()
            );
        }
        let settings = self.settings()?;
        let asked = layers(plan.machine, &settings).or_usage()?;
        interrupt::listen()?;
        let host = host::counting_host(plan.counting)?;
        let keeper = host::keeper()?;
        host::remove_leftovers(&host);
        let names = asked.iter().map(|asked| asked.name.as_str());
        let _roots = hold_roots(names.zip(&settings), &host.cache)?;
        let cpus = plan.cpus.clone();
        let wide = Pin::Auto.wide(&cpus, asked.iter().map(|asked| asked.layer.cpus()));
        let setup = TrialBoots {
            host: &host,
            keeper: &keeper,
            machine: plan.machine,
            cpus: &cpus,
            boot: Duration::from_secs_f64(plan.boot_s),
        };
        let mut progress = Progress::new();
        let tried = tried::every(asked, &setup, true, &mut progress)?;
        let benches = self.benches();
        let plan = Plan {
            seed: plan.seed.wrapping_add(1),
            budget_s: None,
            blocks: Some(self.blocks),
            wide,
            robust: false,
            events: true,
            created: tare_run::now().into(),
            command: shell::own_command().into(),
            sweep: None,
            programs: plan.programs.iter().filter(|one| self.is_of(one)).cloned().collect(),
            ..plan.clone()
        };
        let rows: Vec<_> = tried.iter().map(|tried| tried.row.clone()).collect();
        let store = Store::create(out, &plan, &rows, &benches)?;
        let layers = tried.into_iter().map(|tried| tried.weighed).collect();
        let prepared = Prepared { store, plan, layers, benches, history: History::default() };
        let discard = |_: &anyhow::Error| tare_store::discard_empty(out);
        prepared.run(&host, &keeper, &mut progress, out, None).inspect_err(discard)
    }

    /// Whether a run of `program` fills the row.
    fn is_of(&self, program: &tare_store::PlannedProgram) -> bool {
        program.rows.iter().any(|row| row.benchmark == self.bench)
    }

    /// The row, with those that the same run fills.
    fn benches(&self) -> Vec<BenchInfo> {
        let programs = self.campaign.plan.programs.iter().filter(|one| self.is_of(one));
        let beside: Vec<&str> =
            programs.flat_map(|one| &one.rows).map(|row| row.benchmark.as_str()).collect();
        let all = self.campaign.benchmarks.iter();
        all.filter(|one| one.name == self.bench || beside.contains(&one.name.as_str()))
            .cloned()
            .collect()
    }
}
