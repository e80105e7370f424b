//! Load curves and the ranking of a weighted suite, as tables.

use super::page::{Ink, Page, Piece, Side};
use crate::clean::{clean, fit};
use crate::words;
use tare_board::format::{digits, percent, quantity};
use tare_board::load::{Family, curve, families};
use tare_board::ranking::{ranking, sum};
use tare_board::{LayerSummary, Scoreboard};
use tare_proto::Unit;

/// Columns of the load's, and of one layer with the gap before it.
const LOAD: usize = 8;
const COLUMN: usize = 18;
/// Benchmarks that a ranking shows.
const SHOWN: usize = 8;
/// Most columns of a name.
const NAME: usize = 32;

/// A table a benchmark that was measured at several loads.
pub(super) fn curves(page: &mut Page, board: &Scoreboard) {
    let measured = |family: &Family| {
        let points = |layer| curve(board, family, layer).points.len();
        (0..board.layers.len()).any(|layer| points(layer) > 1)
    };
    let families: Vec<Family> = families(board).into_iter().filter(measured).collect();
    if families.is_empty() {
        return;
    }
    page.heading("Load curves");
    let text = "Total throughput of all copies or users, and its efficiency: at 100% throughput grows in proportion to the \
                load. ^ marks the peak, x the first load with no more jobs a minute than users (AIM's crossover).";
    page.paragraph(Ink::Dim, "", text);
    for family in &families {
        one(page, board, family);
    }
}

fn one(page: &mut Page, board: &Scoreboard, family: &Family) {
    let measured = |layer: &LayerSummary| layer.measured > 0;
    let layers: Vec<usize> =
        (0..board.layers.len()).filter(|&at| measured(&board.layers[at])).collect();
    let fit_in = (page.width.saturating_sub(LOAD) / COLUMN).max(1);
    let parts = layers.len().div_ceil(fit_in).max(1);
    for part in layers.chunks(layers.len().div_ceil(parts).max(1)) {
        page.gap();
        page.paragraph(Ink::Bold, "", &fit(&clean(family.name), NAME));
        let mut head = vec![Piece::new(Ink::Bold, "load")];
        let name = |&at: &usize| fit(&words::name(&board.layers[at].name), COLUMN - 2);
        head.extend(part.iter().map(|at| Piece::new(Ink::Bold, name(at))));
        let mut rows = vec![head];
        let curves: Vec<_> = part.iter().map(|&layer| curve(board, family, layer)).collect();
        for (load, _) in &family.rows {
            let mut line = vec![Piece::new(Ink::Plain, load.to_string())];
            line.extend(curves.iter().map(|curve| {
                let Some(point) = curve.points.iter().find(|p| p.load == f64::from(*load)) else {
                    return Piece::new(Ink::Dim, "–");
                };
                let mark = match Some(point.load) {
                    load if load == curve.crossover(family.unit) => "x",
                    load if load == curve.peak() => "^",
                    _ => " ",
                };
                let part =
                    curve.efficiency(point).map_or("–".into(), |part| percent(100.0 * part));
                let value = quantity(family.unit, point.value);
                Piece::new(Ink::Plain, format!("{value}{mark} {part:>4}"))
            }));
            rows.push(line);
        }
        page.grid(&vec![Side::Right; part.len() + 1], &rows, LOAD - 2);
    }
}

/// What to look at first on each layer.
pub(super) fn rankings(page: &mut Page, board: &Scoreboard) {
    let with_some = |(at, _): &(usize, &LayerSummary)| !ranking(board, *at).is_empty();
    for (place, (at, layer)) in board.others().enumerate().filter(with_some).enumerate() {
        if place == 0 {
            page.heading("Where to optimise");
            let text = "What a layer adds to each test of a mix, multiplied by how often the mix runs it, largest first. \
                        ▲ significant, ? not significant.";
            page.paragraph(Ink::Dim, "", text);
        }
        let all = ranking(board, at);
        let (total, baseline) = sum(&all);
        page.gap();
        let text = format!(
            "{} on top of the {} that the mix takes ({})",
            signed(total),
            quantity(Unit::Nanoseconds, baseline),
            tare_board::format::count(all.len(), "test")
        );
        page.labelled(&format!("{}: ", words::name(&layer.name)), Ink::Plain, &text);
        let titles = ["test", "runs", "adds per run", "adds in total", "share of total", ""];
        let mut rows: Vec<Vec<Piece>> =
            vec![titles.map(|title| Piece::new(Ink::Bold, title)).into_iter().collect()];
        let positive: f64 = all.iter().map(|one| one.total().max(0.0)).sum();
        for one in all.iter().filter(|one| one.total() > 0.0).take(SHOWN) {
            let cells = [
                fit(&clean(&one.row.benchmark), NAME),
                digits(one.weight).trim_end_matches(".00").to_owned(),
                signed(one.layer - one.baseline),
                signed(one.total()),
                percent(100.0 * one.total() / positive),
                words::mark(one.verdict).to_string(),
            ];
            rows.push(cells.into_iter().map(|text| Piece::new(Ink::Plain, text)).collect());
        }
        let right = Side::Right;
        let sides = [Side::Left, right, right, right, right, Side::Left];
        page.grid(&sides, &rows, 12);
    }
}

/// A time with its sign.
pub(crate) fn signed(ns: f64) -> String {
    format!("{}{}", if ns < 0.0 { "−" } else { "+" }, quantity(Unit::Nanoseconds, ns.abs()))
}
