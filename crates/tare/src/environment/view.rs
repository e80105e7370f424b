//! The input of the checks: a tree with `proc` and `sys` in it, and the CPUs of a campaign.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;
use tare_run::Ticks;

/// A CPU that is busy for more than this disturbs what is measured on it.
pub const BUSY: f64 = 0.10;

/// How long CPU times are sampled: twenty of the kernel's usual ticks.
const SAMPLE: Duration = Duration::from_millis(200);

/// A machine as its files show it.
pub struct View {
    root: PathBuf,
    /// CPUs that tare may use.
    pub allowed: Vec<u32>,
    /// CPUs that layers are pinned to; empty when they are not.
    pub pinned: Vec<u32>,
    before: BTreeMap<u32, Ticks>,
    after: BTreeMap<u32, Ticks>,
}

impl View {
    /// This host, its CPU times sampled over 200 ms.
    pub fn of_this_host(pinned: &[u32]) -> View {
        let stat = || std::fs::read_to_string("/proc/stat").unwrap_or_default();
        let before = stat();
        thread::sleep(SAMPLE);
        let allowed = tare_run::allowed_cpus();
        View::new("/".into(), allowed, pinned.to_vec(), [&before, &stat()])
    }

    /// Any tree, with two readings of its `/proc/stat`.
    pub fn new(root: PathBuf, allowed: Vec<u32>, pinned: Vec<u32>, stat: [&str; 2]) -> View {
        let [before, after] = stat.map(Ticks::of_each);
        View { root, allowed, pinned, before, after }
    }

    /// The tree's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A file's text without the white space around it; `None` when there is none.
    pub fn read(&self, path: &str) -> Option<String> {
        let text = std::fs::read_to_string(self.root.join(path)).ok()?;
        Some(text.trim().to_owned())
    }

    /// The names in a folder, in order.
    pub fn names(&self, path: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.root.join(path)).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// The CPUs that layers will run on: the pinned ones, or all that are allowed.
    pub fn measured(&self) -> &[u32] {
        if self.pinned.is_empty() { &self.allowed } else { &self.pinned }
    }

    /// Share of its time that `cpu` was busy while it was sampled; `None` when that is not known.
    pub fn busy(&self, cpu: u32) -> Option<f64> {
        let sampled = self.sampled(cpu)?;
        let (busy, all) = (sampled.busy()?, sampled.all());
        (all > 0).then(|| busy as f64 / all as f64)
    }

    /// The CPUs that tare may use and that were not busy while they were sampled, as far as that is known.
    pub fn idle(&self) -> Vec<u32> {
        let idle = |cpu: &u32| self.busy(*cpu).is_none_or(|share| share <= BUSY);
        self.allowed.iter().copied().filter(idle).collect()
    }

    /// Share of its time that the hypervisor took `cpu` away: while it was sampled, and since it started.
    pub fn stolen(&self, cpu: u32) -> Option<(f64, f64)> {
        let share = |ticks: &Ticks| Some(ticks.stolen()? as f64 / ticks.all().max(1) as f64);
        Some((share(&self.sampled(cpu)?)?, share(self.after.get(&cpu)?)?))
    }

    /// What `cpu` did while it was sampled.
    fn sampled(&self, cpu: u32) -> Option<Ticks> {
        Some(self.after.get(&cpu)?.since(self.before.get(&cpu)?))
    }
}

/// `CPU 1`, `CPUs 1, 2`.
pub fn named(cpus: &[u32]) -> String {
    let numbers: Vec<String> = cpus.iter().map(u32::to_string).collect();
    format!("CPU{} {}", if cpus.len() == 1 { "" } else { "s" }, numbers.join(", "))
}

/// `12%`.
pub fn percent(share: f64) -> String {
    format!("{:.0}%", 100.0 * share)
}
