//! One cell of the table: ratio, interval, verdict in words; raw pair, widths and remarks on demand.

use super::common::class;
use crate::certainty::shown;
use crate::clean::{clean, fit};
use crate::words;
use maud::{Markup, html};
use tare_board::format::{count, pair, percent, ratio_and_interval};
use tare_board::{Cell, Geomean, Measure, Ratio, Row, Verdict};

pub(super) fn cell(row: &Row, cell: &Cell, at: usize) -> Markup {
    let class = if cell.ratio.is_some() { class(cell.verdict) } else { "absent" };
    let measure = Measure::of(row.unit);
    html! {
        td class=(format!("layer {class}")) role="cell" data-layer=(at) data-label=(words::name(&cell.layer))
            data-k=[words::cost(row, cell).map(|cost| cost.value)] data-verdict=(class) {
            @if let Some(ratio) = cell.ratio {
                (figures(&ratio, cell.verdict, words::word(cell.verdict, measure), Some(cell)))
                (more(row, cell))
            } @else { (absent(cell)) }
        }
    }
}

/// A suite's geometric mean, which is a cost.
pub(super) fn mean(mean: &Geomean) -> Markup {
    html! {
        div class=(class(mean.verdict)) {
            (figures(&mean.cost, mean.verdict, words::word(mean.verdict, mean.measure), None))
            div.more { "over " (count(mean.rows, "row"))
                @if mean.undecided > 0 { ", " (mean.undecided) " undecided" }
                @if let Some(tested) = &mean.shown { ", equivalent by its " (shown(&mean.cost, tested).1) }
                @if mean.left_out > 0 { ", " (mean.left_out) " left out" }
                @if mean.subtracted > 0 { ", " (mean.subtracted) " left out for most of them is subtracted" } }
        }
    }
}

fn figures(ratio: &Ratio, verdict: Verdict, word: &str, cell: Option<&Cell>) -> Markup {
    let (value, interval) = ratio_and_interval(ratio);
    html! {
        span.mark aria-hidden="true" { (words::mark(verdict)) } " "
        b { (value) } " " span.word { (word) }
        @if let Some(cell) = cell.filter(|cell| !cell.comments.is_empty()) { (hint(cell)) }
        @if let Some(interval) = interval { " " small.interval { (interval) } }
    }
}

/// A star that says on pointing what the remarks say in full.
fn hint(cell: &Cell) -> Markup {
    let labels: Vec<String> = cell.comments.iter().map(|c| clean(&c.label())).collect();
    html! { sup.hint tabindex="0" title=(fit(&labels.join("; "), 400)) { "*" } }
}

fn more(row: &Row, cell: &Cell) -> Markup {
    html! {
        div.more {
            @if let Some(raw) = &cell.pair { (pair(row.unit, raw)) }
            @if let Some(width) = cell.mean.and_then(|mean| mean.ci_width_percent) { " CI width " (percent(width)) }
            @if let (Some(ratio), Some(tested)) = (&cell.ratio, &cell.shown) { " equivalent by its " (shown(ratio, tested).1) }
            @if let Some(blocks) = cell.more_blocks { " " (words::more_blocks(blocks)) }
            @for comment in &cell.comments { p title=(fit(&clean(&comment.sentence()), 400)) { (fit(&clean(&comment.label()), 120)) } }
        }
    }
}

fn absent(cell: &Cell) -> Markup {
    let why = cell.why.as_ref().map(|why| fit(&clean(why), 400));
    html! {
        span title=[why.as_deref()] { (words::absent_in_words(cell.presence)) }
        @if let Some(why) = &why { div.more { (fit(why, 160)) } }
    }
}
