//! Predicted against measured, for the programs that a campaign holds: a table that Markdown shows as one.

use crate::clean::clean;
use crate::words;
use std::fmt::Write;
use tare_board::Held;
use tare_board::format::short_ratio;

/// The table, and what it comes to by layer.
#[must_use]
pub fn held_text(all: &[Held]) -> String {
    let mut text = "| program | layer | measured | predicted | interval | off by | naive guess |\n\
                    |---|---|---|---|---|---|---|\n"
        .to_owned();
    for held in all {
        let inside = held.low <= held.measured && held.measured <= held.high;
        let naive = held.naive.ratio.map_or("–".into(), |naive| factor(naive, held.measured));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {}–{}{} | {} | {naive} |",
            clean(&held.program),
            words::name(&held.layer),
            short_ratio(held.measured),
            short_ratio(held.predicted),
            short_ratio(held.low),
            short_ratio(held.high),
            if inside { "" } else { " (misses)" },
            factor(held.predicted, held.measured),
        );
    }
    let _ = write!(text, "\n{}", summary(all));
    text
}

/// How far `guess` is off, as a factor of at least 1.
fn factor(guess: f64, measured: f64) -> String {
    format!("× {:.2}", (guess / measured).ln().abs().exp())
}

/// What the predictions of each layer come to.
fn summary(all: &[Held]) -> String {
    let mut layers: Vec<&str> = all.iter().map(|held| held.layer.as_str()).collect();
    layers.dedup();
    let mut text = String::new();
    for layer in layers {
        let own: Vec<&Held> = all.iter().filter(|held| held.layer == layer).collect();
        let off = |of: &dyn Fn(&Held) -> Option<f64>| {
            let mut logs: Vec<f64> = own
                .iter()
                .filter_map(|held| Some((of(held)? / held.measured).ln().abs()))
                .collect();
            logs.sort_by(f64::total_cmp);
            let at = |share: f64| logs.get((share * (logs.len().max(1) - 1) as f64) as usize);
            (at(0.5).map_or(f64::NAN, |log| log.exp()), at(1.0).map_or(f64::NAN, |log| log.exp()))
        };
        let (middle, worst) = off(&|held| Some(held.predicted));
        let (naive, naive_worst) = off(&|held| held.naive.ratio);
        let inside =
            own.iter().filter(|held| held.low <= held.measured && held.measured <= held.high);
        let _ = writeln!(
            text,
            "{}: off by a factor of {middle:.2} in the middle and {worst:.2} at worst; the naive guess by {naive:.2} and \
             {naive_worst:.2}; {} of {} intervals hold what was measured.",
            words::name(layer),
            inside.count(),
            own.len()
        );
    }
    text
}
