//! A layer that a quota of CPU time stops for three quarters of its time.

use crate::common::{Bench, count, series};
use std::fs;
use std::path::{Path, PathBuf};

/// A control group with a quota of a quarter of a CPU.
struct Group(PathBuf);

impl Group {
    fn new() -> Group {
        let first = Path::new("/sys/fs/cgroup/cpu");
        let parent = if first.is_dir() { first } else { Path::new("/sys/fs/cgroup") };
        let folder = parent.join(format!("quarter-{}", std::process::id()));
        fs::create_dir(&folder).expect("a control group");
        let both = [("cpu.cfs_period_us", "100000"), ("cpu.cfs_quota_us", "25000")];
        let given: &[_] = if first.is_dir() { &both } else { &[("cpu.max", "25000 100000")] };
        for (file, value) in given {
            fs::write(folder.join(file), value).expect("the controller of CPUs");
        }
        Group(folder)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let removed = fs::remove_dir(&self.0);
        assert!(
            removed.is_ok() || std::thread::panicking(),
            "left in its control group: {removed:?}"
        );
    }
}

/// Three quarters of each second are the quota's, in the explanation too.
pub fn is_told(bench: &Bench) {
    let group = Group::new();
    let quarter = format!(
        "name=quarter,kind=command,start=sh -c 'echo $$ >{}/cgroup.procs; exec {{probe}} serve'",
        group.0.display()
    );
    let line = "run --layers native --bench kernel/getppid --blocks 1 --seed 1 --explain --require --out q --layer";
    let ran = bench.tare_with(line, &[&quarter]);
    assert_eq!(ran.code, 0, "{}\n{}", ran.out, ran.err);
    let campaign = bench.campaign("q");
    let row = series(&campaign, "quarter", "kernel/getppid");
    let part = |name: &str| row.counters.iter().any(|it| it.name == name).then(|| count(row, name));
    let stopped = count(row, "outside/time/program/stopped_by_quota");
    // While a neighbour has the CPU, the layer uses nothing of its quota up.
    let waited = part("outside/time/program/ready").unwrap_or(0.0);
    let whole = count(row, "outside/whole");
    let lacked = (stopped + waited) / whole;
    assert!((0.65..0.85).contains(&lacked), "stopped for {stopped} of {whole} ns, {waited} waited");
    assert!(stopped > whole / 4.0, "stopped for {stopped} of {whole} ns");
    let told = bench.ok("explain q kernel/getppid").out;
    assert!(told.contains("ready, stopped by a quota of CPU time"), "{told}");
    assert!(told.contains("Times and causes are of the mean"), "{told}");
}
