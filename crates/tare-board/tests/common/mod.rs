//! Campaigns made by hand, boot by boot and series by series; deterministic.

#![allow(dead_code)] // not every test file uses every fixture

mod fixtures;
mod small;

#[allow(unused_imports)] // each test file uses its part
pub use fixtures::*;
#[allow(unused_imports)] // likewise
pub use small::*;
use tare_proto::{BenchInfo, Better, Hello, Mitigation, Unit};
use tare_store::*;

/// A plan of `blocks` blocks.
pub fn plan(blocks: u32) -> Plan {
    Plan {
        machine: tare_proto::Machine::Real,
        seed: 20_060_320,
        baseline: "native".into(),
        budget_s: None,
        blocks: Some(blocks),
        width: 0.01,
        cpus: vec![1],
        wide: Vec::new(),
        robust: false,
        batch_ns: 2_000_000,
        order: Default::default(),
        series_ms: 500,
        counting: tare_store::Counting::Off,
        events: false,
        cache_bytes: 0,
        boot_s: 20.0,
        margin: 0.02,
        most_waited: None,
        created: "2026-01-01T00:00:00Z".into(),
        tare_version: "0.1.0".into(),
        probe_sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".into(),
        command: format!("tare run --layers native,runc,runsc,uml,qemu --blocks {blocks}").into(),
        programs: Vec::new(),
        sweep: None,
        scratch: None,
        neighbours: None,
        saved_state: None,
        definitions: Default::default(),
        initramfs: Default::default(),
        plugin_sha256: None,
    }
}

pub fn layer(name: &str, kind: &str) -> LayerRow {
    let settings = format!("name={kind}");
    LayerRow {
        name: name.into(),
        kind: kind.into(),
        settings: settings.into(),
        unavailable: None,
        artifacts: vec![],
    }
}

pub fn bench(name: &str, suite: &str, unit: Unit) -> BenchInfo {
    let better = if unit == Unit::PerSecond { Better::Higher } else { Better::Lower };
    let (about, estimator) = (format!("what {name} measures"), "mean".to_owned());
    BenchInfo {
        name: name.into(),
        about,
        unit,
        better,
        suite: suite.into(),
        estimator,
        samples: 3,
        ..BenchInfo::default()
    }
}

pub fn hello() -> Hello {
    Hello {
        protocol: 1,
        kernel: "6.12.1".into(),
        kernel_version: "#1 SMP".into(),
        machine: "x86_64".into(),
        cpu_model: "Example CPU 3000".into(),
        cpus: 2,
        affinity: vec![1],
        page_size: 4096,
        thp: "madvise".into(),
        scratch_fs: "ext4".into(),
        clock_source: "tsc".into(),
        mitigations: vec![
            Mitigation { name: "meltdown".into(), state: "Not affected".into() },
            Mitigation { name: "spectre_v2".into(), state: "Mitigation: IBRS".into() },
        ],
        ..Hello::default()
    }
}

/// A number in -1..1 that depends on nothing but its arguments.
pub fn wobble(a: usize, b: usize, c: usize) -> f64 {
    let mut x =
        (a as u64 + 1) * 0x9e37_79b9 + (b as u64 + 7) * 0x85eb_ca6b + (c as u64 + 13) * 0xc2b2_ae35;
    for _ in 0..3 {
        x = (x ^ (x >> 15)).wrapping_mul(0x2c1b_3c6d_297a_2d39);
    }
    (x >> 40) as f64 / (1u64 << 23) as f64 - 1.0
}

/// A campaign without boots.
pub fn empty(blocks: u32, layers: Vec<LayerRow>, benchmarks: Vec<BenchInfo>) -> Campaign {
    let plan = plan(blocks);
    Campaign {
        plan,
        state: "finished".into(),
        open_blocks: vec![],
        layers,
        benchmarks,
        boots: vec![],
        series: vec![],
        whole_series: vec![],
        warnings: vec![],
    }
}

/// Adds a boot; its index.
pub fn boot(campaign: &mut Campaign, block: u32, layer: usize, role: Role, hello: Hello) -> usize {
    let id = campaign.boots.len() as i64 + 1;
    campaign.boots.push(Boot {
        id,
        block,
        slot: 0,
        layer,
        role,
        attempt: 1,
        state: BootState::Done,
        started: "2026-01-01T00:00:00Z".into(),
        seconds: Some(3.0),
        hello: Some(hello),
        failure: None,
        console: None,
    });
    campaign.boots.len() - 1
}

/// Adds a series of a boot.
pub fn series(campaign: &mut Campaign, boot: usize, benchmark: usize, samples: Vec<f64>) {
    campaign.series.push(SeriesRow {
        boot,
        benchmark,
        outcome: Outcome::Measured,
        why: None,
        ops: 1000,
        warmup: 3,
        loop_ns: 0.3,
        subtracted: 0.0,
        short_batch: false,
        probe_ns: 500_000_000,
        host_ns: 501_000_000,
        waited_ns: 0,
        turns: Vec::new(),
        counters: Vec::new(),
        samples,
    });
}

/// Adds that a boot did not measure a benchmark.
pub fn absent(campaign: &mut Campaign, boot: usize, benchmark: usize, outcome: Outcome, why: &str) {
    series(campaign, boot, benchmark, vec![]);
    let row = campaign.series.last_mut().expect("just added");
    (row.outcome, row.why) = (outcome, Some(why.into()));
}

/// Marks a boot as failed.
pub fn fail(campaign: &mut Campaign, boot: usize, why: &str, console: &str) {
    let boot = &mut campaign.boots[boot];
    boot.state = BootState::Failed;
    (boot.failure, boot.console) = (Some(why.into()), Some(console.into()));
}

/// A series as the store takes it.
pub fn recorded(campaign: &Campaign, row: &SeriesRow) -> Recorded {
    Recorded {
        benchmark: campaign.benchmarks[row.benchmark].name.clone(),
        outcome: row.outcome,
        why: row.why.clone().map(tare_proto::Untrusted::into_raw),
        series: tare_proto::Series {
            id: 0,
            samples: row.samples.clone(),
            ops: row.ops,
            warmup: row.warmup,
            loop_ns: row.loop_ns,
            subtracted: row.subtracted,
            turns: row.turns.clone(),
            counters: row.counters.clone(),
            elapsed_ns: row.probe_ns,
            short_batch: row.short_batch,
            note: String::new(),
            outputs: Vec::new(),
        },
        host_ns: row.host_ns,
        waited_ns: row.waited_ns,
    }
}
