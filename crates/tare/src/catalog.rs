//! Every suite and benchmark: the probe's own table and the host's, and how people select from them.

use anyhow::{Context, Result, bail};
use globset::Glob;
use serde::Deserialize;
use std::path::Path;
use std::process::Command;
use tare_layers::suggestion;
use tare_proto::{BenchInfo, Better, SuiteInfo};
use tare_run::{HOST_BENCHES, HostBench};

/// All there is to run.
#[derive(Deserialize)]
pub struct Catalog {
    /// The suites.
    pub suites: Vec<SuiteInfo>,
    /// The benchmarks in the scoreboard's order, the host's last.
    pub benches: Vec<BenchInfo>,
}

impl Catalog {
    /// Asks the probe for its table and adds the host's.
    pub fn load(probe: &Path) -> Result<Catalog> {
        let output = Command::new(probe).args(["list", "--json"]).env_clear().output();
        let output = output.with_context(|| format!("cannot run the probe {}", probe.display()))?;
        let mut catalog: Catalog = serde_json::from_slice(&output.stdout).with_context(|| {
            format!("the probe {} does not list its benchmarks", probe.display())
        })?;
        catalog.benches.extend(HOST_BENCHES.iter().map(info));
        Ok(catalog)
    }

    /// The benchmarks of `suites` that match one of `globs` (no glob: all; a glob alone searches
    /// every suite).
    pub fn select(&self, suites: &[String], globs: &[String]) -> Result<Vec<BenchInfo>> {
        let names: Vec<&str> = self.suites.iter().map(|suite| suite.name.as_str()).collect();
        for suite in suites.iter().filter(|suite| *suite != "all") {
            if !names.contains(&suite.as_str()) {
                bail!("no suite '{suite}'; {}", suggestion(suite, &names));
            }
        }
        let everything =
            suites.iter().any(|s| s == "all") || (suites.is_empty() && !globs.is_empty());
        let default = ["vmi".to_owned()];
        let suites = if suites.is_empty() { &default } else { suites };
        let of_suite = |b: &&BenchInfo| everything || suites.contains(&b.suite);
        let wanted: Vec<&BenchInfo> = self.benches.iter().filter(of_suite).collect();
        if globs.is_empty() {
            return Ok(wanted.into_iter().cloned().collect());
        }
        let mut chosen = vec![false; wanted.len()];
        for text in globs {
            let glob =
                Glob::new(text).with_context(|| format!("--bench {text}"))?.compile_matcher();
            let mut hits = 0;
            for (bench, chosen) in
                wanted.iter().zip(&mut chosen).filter(|(b, _)| glob.is_match(&b.name))
            {
                *chosen = true;
                hits += usize::from(!bench.name.is_empty());
            }
            if hits == 0 {
                let names: Vec<&str> = wanted.iter().map(|bench| bench.name.as_str()).collect();
                bail!("no benchmark matches '{text}'; {}", suggestion(text, &names));
            }
        }
        let kept = wanted.into_iter().zip(chosen).filter(|(_, chosen)| *chosen);
        Ok(kept.map(|(bench, _)| bench.clone()).collect())
    }
}

/// One value a boot: the mean is that value.
fn info(bench: &HostBench) -> BenchInfo {
    BenchInfo {
        name: bench.name.into(),
        about: bench.about.into(),
        unit: bench.unit,
        better: Better::Lower,
        suite: bench.suite.into(),
        estimator: "mean".into(),
        samples: 1,
    }
}
