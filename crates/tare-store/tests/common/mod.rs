//! A campaign made by hand.

#![allow(dead_code)] // each test file uses its part

use std::path::Path;
use tare_proto::{BenchInfo, Better, Unit};
use tare_store::{LayerRow, Plan, Store};

pub fn plan() -> Plan {
    Plan {
        machine: tare_proto::Machine::Real,
        seed: u64::MAX,
        baseline: "native".into(),
        budget_s: Some(300.0),
        blocks: None,
        width: 0.01,
        cpus: vec![1],
        batch_ns: 2_000_000,
        order: Default::default(),
        series_ms: 500,
        counting: tare_store::Counting::Off,
        events: false,
        cache_bytes: 0,
        boot_s: 20.0,
        margin: 0.02,
        most_waited: 0.1,
        created: "2026-01-01T00:00:00Z".into(),
        tare_version: "0.1.0".into(),
        probe_sha256: "00".into(),
        command: "tare run".into(),
        programs: Vec::new(),
        sweep: None,
        neighbours: None,
    }
}

pub fn layer(name: &str) -> LayerRow {
    let (name, kind) = (name.to_owned(), name.to_owned());
    LayerRow {
        name: name.into(),
        kind: kind.into(),
        settings: "name=x".into(),
        unavailable: None,
        artifacts: Vec::new(),
    }
}

pub fn bench(name: &str) -> BenchInfo {
    BenchInfo {
        name: name.into(),
        about: "it's \"odd\"".into(),
        unit: Unit::Nanoseconds,
        better: Better::Lower,
        suite: "vmi".into(),
        estimator: "mean".into(),
        samples: 3,
        ..BenchInfo::default()
    }
}

pub fn new_store(directory: &Path) -> Store {
    Store::create(directory, &plan(), &[layer("native"), layer("uml")], &[bench("a"), bench("b")])
        .expect("an empty directory takes a campaign")
}
