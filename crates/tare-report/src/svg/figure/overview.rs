//! The whole scoreboard as one forest plot, for a file: suites' geometric means first, then every benchmark.

use super::forest::{self, LINE, Strip};
use super::{key, paper};
use crate::clean::{clean, fit};
use crate::svg::canvas::{Anchor, Canvas};
use crate::svg::scale::Scale;
use crate::words;
use tare_board::format::ratio_with_interval;
use tare_board::{Measure, Row, Scoreboard};
use tare_proto::Better;

/// Where the plot lies between the names and the figures.
const PLOT: (f64, f64) = (230.0, 800.0);
const WIDTH: f64 = 960.0;
const GAP: f64 = 8.0;

/// A line of the plot: what it is called, and its strip.
struct Entry {
    name: String,
    class: &'static str,
    strip: Strip,
}

pub(super) fn file(board: &Scoreboard) -> String {
    let entries = entries(board);
    let margin = board.method.margin;
    let scale = forest::shared(entries.iter().map(|entry| &entry.strip), margin, PLOT);
    let (key, key_height) =
        key(board.others().enumerate().map(|(at, l)| (at + 1, l.name.raw())), WIDTH - 20.0);
    let top = 44.0 + key_height;
    let plots: f64 = entries.iter().map(|entry| entry.strip.height() + GAP).sum();
    let title = format!("What each layer costs against {}", words::name(&board.baseline));
    let mut canvas = paper((WIDTH, top + plots + 58.0), &title);
    canvas.nest((10.0, 32.0), &key);
    forest::axis(&mut canvas, &scale, (top - 4.0, top + plots), 8);
    let mut y = top;
    for entry in &entries {
        draw(&mut canvas, entry, &scale, margin, y);
        y += entry.strip.height() + GAP;
    }
    let text = format!(
        "cost: layer / baseline, inverted where higher is better (↑); right of 1 costs more; log scale; {} CI; \
         green: within {} (equivalent); grey: noise floor",
        words::percent_of(board.method.confidence),
        words::percent_of(margin)
    );
    canvas.text("note", (10.0, y + 32.0), Anchor::Start, &text);
    let from = &board.provenance;
    let text = format!(
        "{} · {} · seed {} · tare {}",
        fit(&clean(&from.cpu_model), 60),
        words::name(&from.created),
        from.seed,
        words::name(&from.tare_version)
    );
    canvas.text("note", (10.0, y + 48.0), Anchor::Start, &text);
    canvas.finish()
}

fn entries(board: &Scoreboard) -> Vec<Entry> {
    let mut groups: Vec<(&str, Measure)> = Vec::new();
    for mean in board.geomeans.iter().filter(|mean| mean.rows + mean.left_out > 1) {
        if !groups.contains(&(mean.suite.raw(), mean.measure)) {
            groups.push((mean.suite.raw(), mean.measure));
        }
    }
    let mean = |(suite, measure): (&str, Measure)| Entry {
        name: format!("{} (geometric mean)", fit(&clean(suite), 12)),
        class: "strong",
        strip: Strip::of_means(board, suite, measure),
    };
    let row = |row: &Row| Entry {
        name: fit(&clean(&row.benchmark), 32)
            + if row.better == Better::Higher { " ↑" } else { "" },
        class: "",
        strip: Strip::of_row(row),
    };
    groups.into_iter().map(mean).chain(board.rows.iter().map(row)).collect()
}

fn draw(canvas: &mut Canvas, entry: &Entry, scale: &Scale, margin: f64, top: f64) {
    canvas.line("grid", (10.0, top - GAP / 2.0), (WIDTH - 10.0, top - GAP / 2.0));
    canvas.text(entry.class, (10.0, top + 13.0), Anchor::Start, &entry.name);
    forest::draw(canvas, &entry.strip, scale, margin, top);
    for (at, (_, ratio)) in entry.strip.marks.iter().enumerate() {
        let text = ratio.as_ref().map_or("–".into(), ratio_with_interval);
        let y = top + 2.0 + LINE * (at as f64 + 0.5) + 3.5;
        canvas.text("tick", (PLOT.1 + 12.0, y), Anchor::Start, &text);
    }
}
