//! Predictions written out: of one program for a terminal, and how good predictions of a campaign's own programs are.

mod caveats;
mod held;

pub use held::held_text;

use crate::clean::clean;
use crate::words;
use caveats::caveats;
use std::fmt::Write;
use tare_board::format::{quantity, short_ratio};
use tare_board::{
    Band, Expected, LayerPrediction, PRICES, Predicted, Prediction, Printed, Profile, Term,
};
use tare_proto::{Better, Unit};

/// Terms that are shown of each layer.
const SHOWN: usize = 5;

/// A term that makes less of the added cost is not worth a word in a sentence.
const WORTH: f64 = 0.15;

/// A ratio of which people would say that it is 1, whatever makes it.
const NOTHING: f64 = 0.02;

/// A prediction for a terminal; `from` is the campaign, as it is named in commands.
pub fn prediction_text(prediction: &Prediction, from: &str) -> String {
    let mut text = String::new();
    let program = &prediction.program;
    let name = clean(&program.name);
    let baseline = words::name(&prediction.baseline);
    let time = |ns: f64| quantity(Unit::Nanoseconds, ns);
    let _ = write!(
        text,
        "{name} takes {} on {baseline}: {} in its own code, {} in the kernel.",
        time(program.native_ns),
        time(program.user_ns),
        time(program.system_ns)
    );
    text.push_str(&how_counted(program));
    text.push_str("\n\n");
    for layer in &prediction.layers {
        let _ = writeln!(text, "{}", sentence(layer, prediction.confidence));
        for figure in &program.figures {
            text.push_str(&printed(layer, figure));
        }
        if !layer.lacks.is_empty() {
            let calls: Vec<String> = layer.lacks.iter().map(clean).collect();
            let name = words::name(&layer.layer);
            let _ = writeln!(
                text,
                "{name}: it will not run as it does here: {name} lacks {}.",
                calls.join(", ")
            );
        }
    }
    for layer in &prediction.layers {
        if let Predicted::Ratio(expected) = &layer.outcome {
            details(&mut text, layer, expected);
        }
    }
    let rows = absent(prediction);
    if !rows.is_empty() {
        let _ = writeln!(
            text,
            "\nThe campaign {from} lacks {}. Measure what operations cost on these layers:\n  tare run --suite {PRICES} \
             --layers {}",
            rows.join(", "),
            layers(prediction)
        );
    }
    text.push_str("\nWhat this does not know:\n");
    for caveat in caveats(prediction) {
        let _ = writeln!(text, "- {caveat}");
    }
    text
}

/// How much longer a program took while it was counted, and what was looked at.
fn how_counted(program: &Profile) -> String {
    let Some(slowdown) = program.slowdown else { return String::new() };
    let mut text =
        format!(" The run in which it was counted took {} times as long.", short_ratio(slowdown));
    if let Some(share) = program.looked_at.filter(|share| *share < 0.995) {
        let _ = write!(
            text,
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

/// All layers, as `--layers` takes them.
fn layers(prediction: &Prediction) -> String {
    let others = prediction.layers.iter().map(|layer| clean(&layer.layer));
    [clean(&prediction.baseline)].into_iter().chain(others).collect::<Vec<_>>().join(",")
}

fn sentence(layer: &LayerPrediction, confidence: f64) -> String {
    let name = words::name(&layer.layer);
    match &layer.outcome {
        Predicted::Translated => format!(
            "{name}: not predicted. It translates every instruction, which costs each program something else: compressing \
             took 6 times as long there and compiling 32 times. Measure it: tare run --layers native,{name} -- COMMAND"
        ),
        Predicted::Unpriced { .. } => format!("{name}: not predicted, see below."),
        Predicted::Ratio(expected) => {
            let Expected { ratio, low, high, .. } = **expected;
            format!(
                "{name}: it would take {} ({}–{}, {:.0}%) times as long{}.{}",
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
fn printed(layer: &LayerPrediction, figure: &Printed) -> String {
    let Predicted::Ratio(expected) = &layer.outcome else { return String::new() };
    let Expected { ratio, low, high, .. } = **expected;
    let [ratio, low, high] = match figure.better {
        Better::Lower => [ratio, low, high],
        Better::Higher => [1.0 / ratio, 1.0 / high, 1.0 / low],
    };
    let layer = words::name(&layer.layer);
    let figure = words::name(&figure.name);
    let [ratio, low, high] = [ratio, low, high].map(short_ratio);
    format!("{layer}: {figure} would be {ratio} ({low}–{high}) times as large.\n")
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

fn details(text: &mut String, layer: &LayerPrediction, expected: &Expected) {
    let shown: Vec<&Term> =
        expected.terms.iter().filter(|term| term.share.abs() >= 0.005).take(SHOWN).collect();
    if shown.is_empty() {
        return;
    }
    let name = words::name(&layer.layer);
    let _ = writeln!(
        text,
        "\n{name:<34} {:>9} {:>10} {:>10} {:>6}",
        "how many", "natively", "there", "share"
    );
    for term in shown {
        let count = term.count.map_or_else(String::new, many);
        let time = |ns: f64| quantity(Unit::Nanoseconds, ns);
        let _ = writeln!(
            text,
            "  {:<32} {count:>9} {:>10} {:>10} {:>5.0}%",
            term.words,
            time(term.baseline_ns),
            time(term.layer_ns),
            100.0 * term.share
        );
    }
    if let Some(help) = help(expected) {
        let _ = writeln!(text, "  {help}");
    }
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
