//! What a prediction does not know of its program.

use super::many;
use crate::clean::clean;
use crate::words;
use tare_board::format::short_ratio;
use tare_board::{Expected, LayerPrediction, Predicted, Prediction};

/// Time that is not explained and worth saying, as a share of the whole.
const WORTH: f64 = 0.05;

/// Sentences, of this program first, then of all programs.
pub(super) fn caveats(prediction: &Prediction) -> Vec<String> {
    let program = &prediction.program;
    let mut all = Vec::new();
    if let Some(lacks) = program.lacks {
        all.push(format!("Nothing is known of {lacks}."));
    }
    if program.unknown > 0.0 {
        all.push(format!(
            "{} of its calls belong to no class; each is priced like a call about the process itself.",
            many(program.unknown)
        ));
    }
    let busy = program.user_ns + program.system_ns;
    let waited = 1.0 - busy / program.native_ns;
    if waited > WORTH {
        all.push(format!(
            "It waited for {:.0}% of its time. Waiting is taken to last as long everywhere.",
            100.0 * waited
        ));
    }
    if !program.figures.is_empty() {
        all.push(
            "The figures that it prints are taken to follow its time, or the inverse of it.".into(),
        );
    }
    all.extend(kernel(prediction));
    for layer in &prediction.layers {
        if let Predicted::Ratio(expected) = &layer.outcome {
            all.extend(unpriced(layer, expected));
            all.push(basis(layer, expected));
        }
    }
    all.push(
        "Costs are those of rows that do one thing in a loop: cold caches, huge pages, locks that threads share and work \
         that is done beside other work are not seen."
            .into(),
    );
    all
}

/// How much of its time in the kernel the classes explain.
fn kernel(prediction: &Prediction) -> Option<String> {
    let expected = prediction.layers.iter().find_map(|layer| match &layer.outcome {
        Predicted::Ratio(expected) => Some(expected),
        _ => None,
    })?;
    let counted = expected.terms.iter().filter(|term| term.count.is_some());
    let explained: f64 = counted.map(|term| term.baseline_ns).sum();
    let system = prediction.program.system_ns;
    let missing = (system - explained).abs() / prediction.program.native_ns;
    (missing > WORTH && system > 0.0).then(|| {
        format!(
            "By their rows its operations take {:.0}% of the time that it spends in the kernel here.",
            100.0 * explained / system
        )
    })
}

/// Work that a layer has no price for.
fn unpriced(layer: &LayerPrediction, expected: &Expected) -> Vec<String> {
    let name = words::name(&layer.layer);
    let each = expected.unpriced.iter().map(|missing| {
        format!(
            "{name} has no {} ({}), of which it makes {}: they are taken to cost nothing more.",
            clean(&missing.row),
            clean(&missing.why),
            many(missing.count)
        )
    });
    each.collect()
}

fn basis(layer: &LayerPrediction, expected: &Expected) -> String {
    let name = words::name(&layer.layer);
    match expected.left_out_error {
        Some(error) => format!(
            "{name}: of {} programs measured there, each predicted from the others, half are within a factor of {}.",
            expected.programs,
            short_ratio(error)
        ),
        None => format!(
            "{name}: no program with counted operations was measured there; the interval is that of programs elsewhere."
        ),
    }
}
