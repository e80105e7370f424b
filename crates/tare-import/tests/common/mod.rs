//! What the tests share: the committed outputs, and reading them.

#![allow(dead_code)] // each test file uses its part

use std::path::PathBuf;
use tare_import::{Parsed, parse, recognise};

pub fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"))
}

pub fn outputs() -> Vec<(String, String)> {
    let files = std::fs::read_dir(folder()).expect("the folder").flatten();
    let mut all: Vec<(String, String)> = files
        .map(|f| {
            (
                f.file_name().to_string_lossy().into_owned(),
                std::fs::read_to_string(f.path()).unwrap(),
            )
        })
        .collect();
    all.sort();
    all
}

/// The text of one of them.
pub fn output(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).expect(name)
}

/// Reads text as whatever it is recognised as.
pub fn read(text: &str, stem: &str) -> (&'static str, Parsed) {
    let format = recognise(text).unwrap_or_else(|| panic!("{stem} is not recognised"));
    (format.name, parse(format, text, stem, "layer").unwrap_or_else(|e| panic!("{stem}: {e}")))
}

/// The values of the figure `name`, in order.
pub fn values(parsed: &Parsed, name: &str) -> Vec<f64> {
    parsed.figures.iter().filter(|f| *f.name == *name).map(|f| f.value).collect()
}

/// Whether the figure `name` came once, with this value to ten digits.
pub fn assert_figure(parsed: &Parsed, name: &str, value: f64) {
    let found = values(parsed, name);
    let names: Vec<&str> = parsed.figures.iter().map(|f| &*f.name).collect();
    assert_eq!(found.len(), 1, "{name} in {names:?}");
    assert!((found[0] / value - 1.0).abs() < 1e-10, "{name}: {} is not {value}", found[0]);
}
