//! Every suite and benchmark: the probe's own table and the host's, and how people select from them.

use crate::programs::known;
use anyhow::{Context, Result, anyhow, bail};
use globset::{Glob, GlobMatcher};
use serde::Deserialize;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tare_layers::suggestion;
use tare_proto::{BenchInfo, Better, SuiteInfo};
use tare_run::{HOST_BENCHES, HOST_SUITE, HostBench, sandbox_benches as sandbox};

/// The suite that is run when none is named.
const DEFAULT: &str = "vmi";

/// Stands for every suite that is measured inside of layers.
const ALL: &str = "all";

/// The suite of `bench`, if its rows need a root: an ordinary user cannot have one, so they have to be named.
fn rooted(bench: &BenchInfo) -> Option<&'static str> {
    known::SUITES.into_iter().chain(["operations"]).find(|suite| bench.suite == *suite)
}

/// Longest time for the probe's table.
const LISTING: Duration = Duration::from_secs(20);

#[derive(Deserialize)]
pub struct Catalog {
    pub suites: Vec<SuiteInfo>,
    /// The benchmarks in the scoreboard's order, the host's last.
    pub benches: Vec<BenchInfo>,
    /// This host's last-level cache, in bytes.
    #[serde(default)]
    pub cache_bytes: u64,
}

impl Catalog {
    /// Asks the probe for its table and adds the host's.
    pub fn load(probe: &Path) -> Result<Catalog> {
        let mut command = Command::new(probe);
        let listed = tare_layers::output(command.args(["list", "--json"]).env_clear(), LISTING);
        let listed = listed.map_err(|why| anyhow!("cannot run the probe {why}"))?;
        let mut catalog: Catalog = serde_json::from_str(&listed).with_context(|| {
            format!("the probe {} does not list its benchmarks", probe.display())
        })?;
        catalog.benches.extend(known::benches());
        catalog.suites.extend(known::suites());
        catalog.benches.extend(HOST_BENCHES.iter().map(info));
        let (name, about) = HOST_SUITE;
        catalog.suites.push(SuiteInfo { name: name.into(), about: about.into() });
        catalog.benches.extend(sandbox::rows());
        catalog.suites.push(sandbox::suite());
        Ok(catalog)
    }

    /// Whether the probe itself measures `bench`: no program, and nothing that only the host sees.
    pub fn is_of_probe(&self, bench: &BenchInfo) -> bool {
        let suite = bench.suite.as_str();
        !(sandbox::is_row(bench) || known::SUITES.contains(&suite) || suite == HOST_SUITE.0)
    }

    /// The host's benchmarks, which are part of everything.
    pub fn of_host(&self) -> Vec<BenchInfo> {
        self.benches.iter().filter(|bench| bench.suite == HOST_SUITE.0).cloned().collect()
    }

    /// The benchmarks of `suites` (and the host's) that match one of `globs`. No suite: `vmi`, or all
    /// when there are globs; no glob: everything. What takes a root has to be named by its suite or by a glob that begins
    /// with its name.
    pub fn select(&self, suites: &[String], globs: &[String]) -> Result<Vec<BenchInfo>> {
        let names: Vec<&str> = self.suites.iter().map(|suite| suite.name.as_str()).collect();
        for suite in suites.iter().filter(|suite| *suite != ALL) {
            if !names.contains(&suite.as_str()) {
                bail!("no suite '{suite}'; {}", suggestion(suite, &names));
            }
        }
        let default = [if globs.is_empty() { DEFAULT } else { ALL }.to_owned()];
        let suites = if suites.is_empty() { &default } else { suites };
        let all = suites.iter().any(|suite| suite == ALL);
        // Whole layers are started anywhere, the others measure pinned: `all` does not mix them, a name or a pattern may.
        let named = |b: &BenchInfo| suites.contains(&b.suite) || b.suite == HOST_SUITE.0;
        let meant = |b: &BenchInfo| match rooted(b) {
            Some(suite) => globs.iter().any(|glob| glob.starts_with(suite)),
            None => !(globs.is_empty() && sandbox::is_row(b)),
        };
        let asked = |b: &BenchInfo| known::is_usual(&b.name) || globs.contains(&b.name);
        let wanted = |b: &&BenchInfo| asked(b) && (named(b) || (all && meant(b)));
        let wanted: Vec<&BenchInfo> = self.benches.iter().filter(wanted).collect();
        let matchers: Vec<GlobMatcher> =
            globs.iter().map(|glob| matcher(glob, &wanted)).collect::<Result<_>>()?;
        let fits = |m: &GlobMatcher, b: &BenchInfo| {
            let meant = rooted(b).is_none_or(|suite| m.glob().glob().starts_with(suite));
            m.is_match(&b.name) && (meant || named(b))
        };
        let chosen = |b: &&BenchInfo| globs.is_empty() || matchers.iter().any(|m| fits(m, b));
        Ok(wanted.into_iter().filter(chosen).cloned().collect())
    }
}

/// `glob` as something that matches at least one of `benches`.
fn matcher(glob: &str, benches: &[&BenchInfo]) -> Result<GlobMatcher> {
    let matcher = Glob::new(glob).with_context(|| format!("--bench {glob}"))?.compile_matcher();
    if !benches.iter().any(|bench| matcher.is_match(&bench.name)) {
        let names: Vec<&str> = benches.iter().map(|bench| bench.name.as_str()).collect();
        bail!("no benchmark matches '{glob}'; {}", suggestion(glob, &names));
    }
    Ok(matcher)
}

/// One value a boot: the mean is that value.
fn info(bench: &HostBench) -> BenchInfo {
    BenchInfo {
        name: bench.name.into(),
        about: bench.about.into(),
        unit: bench.unit,
        better: Better::Lower,
        suite: HOST_SUITE.0.into(),
        estimator: "mean".into(),
        samples: 1,
        definition: tare_proto::FIRST_DEFINITION,
        ..BenchInfo::default()
    }
}
