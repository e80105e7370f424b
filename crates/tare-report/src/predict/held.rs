//! Predicted against measured, for the programs that a campaign holds: a table that Markdown shows as one.

use crate::clean::clean;
use crate::words;
use std::fmt::Write;
use tare_board::format::short_ratio;
use tare_board::{Held, HeldCpu};

/// The table, and what it comes to by layer.
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
    let mut layers: Vec<&str> = all.iter().map(|held| held.layer.raw()).collect();
    layers.dedup();
    let mut text = String::new();
    for layer in layers {
        let own: Vec<&Held> = all.iter().filter(|held| held.layer == layer).collect();
        let of_measured = |of: &dyn Fn(&Held) -> Option<f64>| {
            off(own.iter().filter_map(|held| Some(of(held)? / held.measured)).collect())
        };
        let (middle, worst) = of_measured(&|held| Some(held.predicted));
        let (naive, naive_worst) = of_measured(&|held| held.naive.ratio);
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
        text.push_str(&of_cpu_time(&own));
    }
    text.push_str(&against_itself(all));
    text
}

/// The same of the CPU time of the host, where it is known.
fn of_cpu_time(own: &[&Held]) -> String {
    let all: Vec<_> = own.iter().filter_map(|held| held.cpu).collect();
    if all.is_empty() {
        return String::new();
    }
    let ratios = all.iter().map(|cpu| cpu.predicted.ratio / cpu.measured).collect();
    let inside = |cpu: &&HeldCpu| (cpu.predicted.low..=cpu.predicted.high).contains(&cpu.measured);
    let (middle, worst) = off(ratios);
    format!(
        "  Its CPU time of the host is off by {middle:.2} and {worst:.2}; {} of {} intervals hold.\n",
        all.iter().filter(inside).count(),
        all.len()
    )
}

/// How far two measurements of the same program on the same layer are apart, which no prediction can do without.
fn against_itself(all: &[Held]) -> String {
    let mut floors: Vec<(&str, f64)> =
        all.iter().filter_map(|held| Some((held.program.raw(), held.floor?))).collect();
    floors.sort_by(|a, b| a.0.cmp(b.0));
    floors.dedup_by(|a, b| a.0 == b.0);
    if floors.is_empty() {
        return String::new();
    }
    let (middle, worst) = off(floors.into_iter().map(|(_, floor)| floor).collect());
    format!(
        "The baseline against itself (A/A): a factor of {middle:.2} in the middle and {worst:.2} at worst.\n"
    )
}

/// The factor in the middle and the largest one by which `ratios` differ from 1.
fn off(ratios: Vec<f64>) -> (f64, f64) {
    let mut logs: Vec<f64> = ratios.iter().map(|ratio| ratio.ln().abs()).collect();
    logs.sort_by(f64::total_cmp);
    let at = |place: usize| logs.get(place).map_or(f64::NAN, |log| log.exp());
    (at(logs.len().saturating_sub(1) / 2), at(logs.len().saturating_sub(1)))
}
