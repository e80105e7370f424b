//! Predictions written out: of one program for a terminal, and how good predictions of a campaign's own programs are.

mod caveats;
mod held;

pub use held::held_text;

use crate::clean::clean;
use crate::document::{Block, Column, Document, Ink, Item, Place, Row, Section, Table, paragraphs};
use crate::text::{ON_PAPER, written};
use crate::words;
use caveats::caveats;
use tare_board::format::{quantity, short_ratio};
use tare_board::{
    Band, Expected, LayerPrediction, PRICES, Predicted, Prediction, Printed, Profile, Term,
};
use tare_proto::{Better, Unit};

/// Terms that are shown of each layer, and fewest columns of their words.
const SHOWN: usize = 5;
const TERM: usize = 32;

/// A term that makes less of the added cost is not worth a word in a sentence.
const WORTH: f64 = 0.15;

/// A ratio of which people would say that it is 1, whatever makes it.
const NOTHING: f64 = 0.02;

/// A prediction for a terminal, 80 columns; `from` is the campaign, and `layers` the flags of
/// its layers, as commands take them.
#[must_use]
pub fn prediction_text(prediction: &Prediction, from: &str, layers: &str) -> String {
    let statements = prediction.layers.iter().flat_map(|layer| statements(prediction, layer));
    let mut sections = vec![
        Section::new(Place::Title, "", paragraphs(Ink::Plain, vec![natively(prediction)])),
        Section::new(Place::Summary, "", statements.collect()),
    ];
    for layer in &prediction.layers {
        if let Predicted::Ratio(expected) = &layer.outcome {
            sections.extend(details(layer, expected));
        }
    }
    let rows = absent(prediction).join(", ");
    if !rows.is_empty() {
        let lacks = format!(
            "The campaign {from} lacks {rows}. Measure what operations cost on these layers:"
        );
        let run = format!("tare run --suite {PRICES} {layers}");
        let blocks = paragraphs(Ink::Plain, vec![lacks, run]);
        sections.push(Section::new(Place::Unavailable, "", blocks));
    }
    let caveat = |text| Block::Item(Item::new(None, vec![(Ink::Plain, text)]));
    let caveats = caveats(prediction).into_iter().map(caveat).collect();
    sections.push(Section::new(Place::Method, "What this does not know", caveats));
    written(&Document { title: String::new(), sections }, &ON_PAPER)
}

/// What the program takes where it was counted.
fn natively(prediction: &Prediction) -> String {
    let program = &prediction.program;
    let time = |ns: f64| quantity(Unit::Nanoseconds, ns);
    let text = format!(
        "{} takes {} on {}: {} in its own code, {} in the kernel.",
        clean(&program.name),
        time(program.native_ns),
        words::name(&prediction.baseline),
        time(program.user_ns),
        time(program.system_ns)
    );
    text + &how_counted(program)
}

/// What is said of a layer: how long the program would take, what it would print, and what it cannot do there.
fn statements(prediction: &Prediction, layer: &LayerPrediction) -> Vec<Block> {
    let name = words::name(&layer.layer);
    let mut said = vec![sentence(layer, prediction.confidence)];
    said.extend(prediction.program.figures.iter().filter_map(|figure| printed(layer, figure)));
    if !layer.lacks.is_empty() {
        let calls: Vec<String> = layer.lacks.iter().map(clean).collect();
        let calls = calls.join(", ");
        said.push(format!("it will not run as it does here: {name} lacks {calls}."));
    }
    let item = |text| Block::Item(Item::new(Some(name.clone()), vec![(Ink::Plain, text)]));
    said.into_iter().map(item).collect()
}

/// How much longer a program took while it was counted, and what was looked at.
fn how_counted(program: &Profile) -> String {
    let Some(slowdown) = program.slowdown else { return String::new() };
    let mut text =
        format!(" The run in which it was counted took {} times as long.", short_ratio(slowdown));
    if let Some(share) = program.looked_at.filter(|share| *share < 0.995) {
        text += &format!(
            " {:.0}% of its calls were looked at then, and stand for the others.",
            100.0 * share
        );
    }
    text
}

/// Rows that the campaign does not have.
fn absent(prediction: &Prediction) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for layer in &prediction.layers {
        if let Predicted::Unpriced { rows: absent } = &layer.outcome {
            rows.extend(absent.iter().map(clean));
        }
    }
    rows.sort();
    rows.dedup();
    rows
}

fn sentence(layer: &LayerPrediction, confidence: f64) -> String {
    match &layer.outcome {
        Predicted::Translated => "not predicted. It translates every instruction, which costs each program something else: compressing \
             took 6 times as long there and compiling 32 times. Measure it with tare run."
            .into(),
        Predicted::Unpriced { .. } => "not predicted, see below.".into(),
        Predicted::Ratio(expected) => {
            let Expected { ratio, low, high, .. } = **expected;
            format!(
                "it would take {} ({}–{}, {:.0}%) times as long{}.{}",
                short_ratio(ratio),
                short_ratio(low),
                short_ratio(high),
                100.0 * confidence,
                mostly(expected),
                expected.cpu.map(|cpu| cpu_time(&cpu)).unwrap_or_default()
            )
        }
    }
}

/// What a layer's processes would use, with those that work beside the program.
fn cpu_time(cpu: &Band) -> String {
    let [ratio, low, high] = [cpu.ratio, cpu.low, cpu.high].map(short_ratio);
    format!(" It would use {ratio} ({low}–{high}) times as much CPU time of the host.")
}

/// What becomes of a figure that the program prints; nothing where its time is not predicted.
fn printed(layer: &LayerPrediction, figure: &Printed) -> Option<String> {
    let Predicted::Ratio(expected) = &layer.outcome else { return None };
    let Expected { ratio, low, high, .. } = **expected;
    let [ratio, low, high] = match figure.better {
        Better::Lower => [ratio, low, high],
        Better::Higher => [1.0 / ratio, 1.0 / high, 1.0 / low],
    };
    let figure = words::name(&figure.name);
    let [ratio, low, high] = [ratio, low, high].map(short_ratio);
    Some(format!("{figure} would be {ratio} ({low}–{high}) times as large."))
}

fn mostly(expected: &Expected) -> String {
    let worth = |term: &&Term| term.share >= WORTH;
    let all: Vec<&str> =
        expected.terms.iter().filter(worth).take(3).map(|term| term.words.as_str()).collect();
    match (all.as_slice(), expected.ratio - 1.0 > NOTHING) {
        (_, false) | ([], _) => String::new(),
        ([one], _) => format!(", mostly for {one}"),
        ([others @ .., last], _) => format!(", mostly for {} and {last}", others.join(", ")),
    }
}

/// The terms that make a ratio, and what the largest one is worth.
fn details(layer: &LayerPrediction, expected: &Expected) -> Option<Section> {
    let time = |ns: f64| quantity(Unit::Nanoseconds, ns);
    let row = |term: &Term| {
        let count = term.count.map_or_else(String::new, many);
        let [natively, there] = [term.baseline_ns, term.layer_ns].map(time);
        vec![term.words.clone(), count, natively, there, format!("{:.0}%", 100.0 * term.share)]
            .into()
    };
    let shown = expected.terms.iter().filter(|term| term.share.abs() >= 0.005).take(SHOWN);
    let rows: Vec<Row> = shown.map(row).collect();
    let mut columns = vec![Column::words(words::name(&layer.layer))];
    columns.extend(["how many", "natively", "there", "share"].map(Column::numbers));
    let any = !rows.is_empty();
    let mut blocks = vec![Block::Table(Table::new(TERM, columns, rows))];
    blocks.extend(paragraphs(Ink::Plain, help(expected).into_iter().collect()));
    any.then(|| Section::new(Place::Tables, "", blocks))
}

/// What the largest term is worth.
fn help(expected: &Expected) -> Option<String> {
    let first = expected.terms.first().filter(|term| term.share >= WORTH)?;
    let count = first.count?;
    let added: f64 =
        expected.terms.iter().map(|term| (term.layer_ns - term.baseline_ns).abs()).sum();
    if expected.ratio - 1.0 <= NOTHING || added <= 0.0 {
        return None;
    }
    let all: f64 = expected.terms.iter().map(|term| term.layer_ns - term.baseline_ns).sum();
    let part = (first.layer_ns - first.baseline_ns) / all;
    let without = 1.0 + (expected.ratio - 1.0) * (1.0 - part);
    Some(format!(
        "Without the {} {} it would be {}.",
        many(count),
        first.words,
        short_ratio(without)
    ))
}

fn many(count: f64) -> String {
    match count {
        n if n >= 1e9 => format!("{:.1} G", n / 1e9),
        n if n >= 1e6 => format!("{:.1} M", n / 1e6),
        n if n >= 1e4 => format!("{:.0} k", n / 1e3),
        n => format!("{n:.0}"),
    }
}
