//! From figures to a campaign: repeats become blocks.

use crate::{Figure, Parsed};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use tare_proto::BenchInfo;
use tare_store::{LayerRow, Plan, Recorded, Role, Store, StoreError, Warning};

/// The kind of an imported layer.
pub const KIND: &str = tare_store::IMPORTED;

/// What is known of an import besides its figures.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Origin {
    /// The layer that the others are divided by.
    pub baseline: String,
    /// The command line.
    pub command: String,
    /// UTC, ISO 8601.
    pub created: String,
    /// The tare that imports.
    pub version: String,
    /// Equivalence margin, as a fraction.
    pub margin: f64,
}

/// Layers with their figures, to be stored.
#[derive(Debug, Default)]
pub struct Import {
    layers: Vec<Layer>,
    benches: Vec<BenchInfo>,
    index: HashMap<Arc<str>, usize>,
}

/// One layer's figures: for every benchmark, the values in the order read.
#[derive(Debug, Default)]
struct Layer {
    name: String,
    files: usize,
    formats: Vec<&'static str>,
    values: Vec<(usize, Vec<f64>)>,
    place: HashMap<usize, usize>,
    notes: Vec<String>,
}

impl Import {
    /// Adds what a file of `layer` held, after what that layer's earlier files held.
    pub fn add(&mut self, layer: &str, format: &'static str, parsed: Parsed) {
        let at = self.layers.iter().position(|l| l.name == layer).unwrap_or_else(|| {
            self.layers.push(Layer { name: layer.into(), ..Layer::default() });
            self.layers.len() - 1
        });
        for figure in parsed.figures {
            match self.benchmark(&figure, format) {
                Some(bench) => self.layers[at].push(bench, figure.value),
                None => self.layers[at]
                    .note(format!("{} has another unit than before: left out", figure.name)),
            }
        }
        let layer = &mut self.layers[at];
        layer.files += 1;
        if !layer.formats.contains(&format) {
            layer.formats.push(format);
        }
        parsed.notes.into_iter().for_each(|note| layer.note(note));
    }

    /// The layers' names, in the order given.
    pub fn layers(&self) -> impl Iterator<Item = &str> {
        self.layers.iter().map(|layer| layer.name.as_str())
    }

    /// The benchmark of a figure; none when one of the name has another unit.
    fn benchmark(&mut self, figure: &Figure, format: &str) -> Option<usize> {
        if let Some(&at) = self.index.get(&figure.name) {
            let known = &self.benches[at];
            return ((known.unit, known.better) == (figure.unit, figure.better)).then_some(at);
        }
        self.index.insert(figure.name.clone(), self.benches.len());
        self.benches.push(BenchInfo {
            name: figure.name.to_string(),
            about: format!("imported from {format}"),
            unit: figure.unit,
            better: figure.better,
            suite: figure.suite.to_string(),
            estimator: "mean".into(),
            samples: 1,
            ..BenchInfo::default()
        });
        Some(self.benches.len() - 1)
    }

    /// Writes the campaign into `directory`.
    ///
    /// # Errors
    /// A directory that holds a campaign already, or that cannot be written.
    pub fn store(&self, directory: &Path, origin: &Origin) -> Result<(), StoreError> {
        let blocks = self.layers.iter().map(Layer::blocks).max().unwrap_or(0);
        let rows: Vec<LayerRow> = self.layers.iter().map(Layer::row).collect();
        let mut store = Store::create(directory, &plan(origin, blocks), &rows, &self.benches)?;
        store.at_once(|store| {
            for block in 0..blocks {
                for (slot, layer) in
                    self.layers.iter().enumerate().filter(|(_, l)| block < l.blocks())
                {
                    let (block_id, name) = (block as u32, &layer.name);
                    let created = &origin.created;
                    let boot =
                        store.begin_boot(block_id, slot as u32, name, Role::Weigh, 1, created)?;
                    for (bench, value) in layer.block(block) {
                        let name = &self.benches[bench].name;
                        store.record(boot, &Recorded::by_host(name, vec![value]))?;
                    }
                    store.end_boot(boot, 0.0, None)?;
                }
            }
            for layer in &self.layers {
                for text in &layer.notes {
                    let layer = Some(layer.name.as_str().into());
                    let text = text.as_str().into();
                    store.warn(&Warning { layer, benchmark: None, text })?;
                }
            }
            store.set_state("finished")
        })?;
        store.close()
    }
}

impl Layer {
    fn push(&mut self, bench: usize, value: f64) {
        let at = *self.place.entry(bench).or_insert_with(|| {
            self.values.push((bench, Vec::new()));
            self.values.len() - 1
        });
        self.values[at].1.push(value);
    }

    fn note(&mut self, text: String) {
        if !self.notes.contains(&text) && self.notes.len() < 50 {
            self.notes.push(text);
        }
    }

    fn blocks(&self) -> usize {
        self.values.iter().map(|(_, values)| values.len()).max().unwrap_or(0)
    }

    fn block(&self, block: usize) -> impl Iterator<Item = (usize, f64)> {
        self.values.iter().filter_map(move |(bench, values)| Some((*bench, *values.get(block)?)))
    }

    fn row(&self) -> LayerRow {
        let settings = format!("formats={},files={}", self.formats.join("+"), self.files);
        LayerRow {
            name: self.name.clone().into(),
            kind: KIND.into(),
            settings: settings.into(),
            ..LayerRow::default()
        }
    }
}

fn plan(origin: &Origin, blocks: usize) -> Plan {
    Plan {
        baseline: origin.baseline.clone().into(),
        blocks: Some(blocks as u32),
        width: 0.01,
        margin: origin.margin,
        created: origin.created.clone().into(),
        tare_version: origin.version.clone().into(),
        command: origin.command.clone().into(),
        ..Plan::default()
    }
}
