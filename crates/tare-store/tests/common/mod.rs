//! A campaign made by hand.

#![allow(dead_code)] // each test file uses its part

use std::path::Path;
use tare_proto::BenchInfo;
use tare_store::{LayerRow, Plan, Store};

pub fn plan() -> Plan {
    Plan {
        seed: u64::MAX,
        baseline: "native".into(),
        budget_s: Some(300.0),
        width: 0.01,
        cpus: vec![1],
        wide: Vec::new(),
        robust: false,
        batch_ns: 2_000_000,
        series_ms: 500,
        boot_s: 20.0,
        margin: 0.02,
        created: "2026-01-01T00:00:00Z".into(),
        tare_version: "0.1.0".into(),
        probe_sha256: "00".into(),
        command: "tare run".into(),
        ..Plan::default()
    }
}

pub fn layer(name: &str) -> LayerRow {
    LayerRow {
        name: name.into(),
        kind: name.into(),
        settings: "name=x".into(),
        ..LayerRow::default()
    }
}

pub fn bench(name: &str) -> BenchInfo {
    BenchInfo {
        name: name.into(),
        about: "it's \"odd\"".into(),
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
