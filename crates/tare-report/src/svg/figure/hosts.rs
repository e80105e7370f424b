//! One ratio on every host: a forest with a line a host, and the pooled mean below. Where hosts are many, they stand in the
//! order of their ratios, as thin lines in two paths, so that a page of a thousand hosts stays small.

use super::WIDTH;
use super::forest;
use crate::clean::{clean, fit};
use crate::svg::canvas::{Anchor, Canvas, num};
use crate::svg::marks;
use crate::svg::scale::Scale;
use crate::words::cost_of;
use std::fmt::Write;
use tare_board::{Fleet, FleetCell, Ratio};
use tare_proto::Better;

const NAMED: usize = 40;

/// The height of all lines together where they have none.
const DENSE: f64 = 400.0;

/// Room for names, and the right edge.
const EDGES: (f64, f64) = (150.0, WIDTH - 14.0);

/// Letters of a name that fit there.
const LETTERS: usize = 22;

/// A host's cost, its place among the hosts, and whether it is unlike the others.
struct Line {
    host: usize,
    cost: Ratio,
    outlier: bool,
}

pub(crate) fn figure(
    fleet: &Fleet,
    cell: &FleetCell,
    better: Better,
    n: usize,
    label: &str,
) -> String {
    let mut lines: Vec<Line> = cell
        .hosts
        .iter()
        .map(|host| Line {
            host: host.host,
            cost: cost_of(host.ratio, better),
            outlier: host.outlier.is_some(),
        })
        .collect();
    lines.sort_by(|a, b| a.cost.value.total_cmp(&b.cost.value));
    let step = if lines.len() <= NAMED { forest::LINE } else { DENSE / lines.len() as f64 };
    let bottom = 4.0 + step * lines.len() as f64 + 2.0 * forest::LINE;
    let scale = scale(fleet, cell, better, &lines);
    let mut canvas = Canvas::new("plot", (WIDTH, bottom + 20.0), label);
    forest::axis(&mut canvas, &scale, (0.0, bottom), 6);
    let margin = 1.0 + fleet.method.margin;
    marks::band(&mut canvas, "delta", &scale, (1.0 / margin, margin), (0.0, bottom));
    marks::rule(&mut canvas, "one", &scale, 1.0, (0.0, bottom));
    canvas.group(&marks::class(n), &[]);
    match lines.len() <= NAMED {
        true => named(&mut canvas, fleet, &lines, &scale, n),
        false => dense(&mut canvas, fleet, &lines, &scale, step),
    }
    pooled(&mut canvas, cell, better, &scale, (n, bottom));
    canvas.end();
    canvas.finish()
}

/// Every host's cost, the pooled interval, and other intervals as far as a factor of 3 beyond them.
fn scale(fleet: &Fleet, cell: &FleetCell, better: Better, lines: &[Line]) -> Scale {
    let margin = (1.0 + fleet.method.margin).min(2.0);
    let values = || lines.iter().map(|line| line.cost.value).filter(|value| value.is_normal());
    let low = values().fold(1.0 / margin, f64::min);
    let high = values().fold(margin, f64::max);
    let mut ends: Vec<Ratio> = lines.iter().map(|line| line.cost).collect();
    ends.extend(together(cell, better));
    let least = ends.iter().filter_map(|ratio| ratio.low).fold(low, f64::min).max(low / 3.0);
    let most = ends.iter().filter_map(|ratio| ratio.high).fold(high, f64::max).min(high * 3.0);
    let room = (most / least).powf(0.03);
    Scale::log(least / room, most * room, EDGES)
}

/// The pooled cost with its interval, and with where the next host lies.
fn together(cell: &FleetCell, better: Better) -> Vec<Ratio> {
    let Some(pooled) = &cell.pooled else { return Vec::new() };
    let ratio = |low, high| Ratio {
        value: pooled.value,
        low: Some(low),
        high: Some(high),
        blocks: pooled.hosts,
    };
    let both = [ratio(pooled.low, pooled.high), ratio(pooled.next_low, pooled.next_high)];
    both.map(|ratio| cost_of(ratio, better)).into()
}

fn named(canvas: &mut Canvas, fleet: &Fleet, lines: &[Line], scale: &Scale, n: usize) {
    for (at, line) in lines.iter().enumerate() {
        let y = 2.0 + forest::LINE * (at as f64 + 0.5);
        if let Some((low, high)) = line.cost.low.zip(line.cost.high) {
            canvas.line("ci", (scale.at(low), y), (scale.at(high), y));
        }
        marks::dot(canvas, n, (scale.at(line.cost.value), y));
        name(canvas, fleet, line, y);
    }
}

fn name(canvas: &mut Canvas, fleet: &Fleet, line: &Line, y: f64) {
    let name = fit(&clean(&fleet.hosts[line.host].name), LETTERS);
    let class = if line.outlier { "strong" } else { "note" };
    canvas.text(class, (EDGES.0 - 6.0, y + 3.5), Anchor::End, &name);
}

/// Intervals and costs of all hosts in one path each; only hosts that are unlike the others are named, where there is room.
fn dense(canvas: &mut Canvas, fleet: &Fleet, lines: &[Line], scale: &Scale, step: f64) {
    let mut whiskers = String::new();
    let mut specks = String::new();
    let mut free = 0.0;
    for (at, line) in lines.iter().enumerate() {
        let y = 2.0 + step * (at as f64 + 0.5);
        let place = |value: f64| scale.at(value).round();
        if let Some((low, high)) = line.cost.low.zip(line.cost.high) {
            let _ = write!(whiskers, "M{} {}h{}", place(low), num(y), place(high) - place(low));
        }
        let _ = write!(specks, "M{} {}h1", place(line.cost.value), num(y));
        if line.outlier && y >= free {
            name(canvas, fleet, line, y);
            free = y + forest::LINE;
        }
    }
    canvas.path("whisker", &whiskers, &[]);
    canvas.path("curve", &specks, &[]);
}

/// The mean over hosts, and where the next one lies.
fn pooled(
    canvas: &mut Canvas,
    cell: &FleetCell,
    better: Better,
    scale: &Scale,
    (n, bottom): (usize, f64),
) {
    let names = ["all hosts", "next host"];
    for (at, (ratio, text)) in together(cell, better).iter().zip(names).enumerate() {
        let y = bottom - forest::LINE * (1.5 - at as f64);
        canvas.text("strong", (EDGES.0 - 6.0, y + 3.5), Anchor::End, text);
        if let Some((low, high)) = ratio.low.zip(ratio.high) {
            let class = if at == 0 { "ci" } else { "whisker" };
            canvas.line(class, (scale.at(low), y), (scale.at(high), y));
        }
        if at == 0 {
            marks::dot(canvas, n, (scale.at(ratio.value), y));
        }
    }
}
