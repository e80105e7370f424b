//! The HTML writer: sections, statements and tables of a document as parts of a page.

use super::common::{class, swatch};
use super::table::{RANGE, axis, drawn};
use crate::clean::fit;
use crate::document::{Block, Document, Ink, Item, Place, Row, Section, Table};
use crate::svg::figure::forest::{self, Strip};
use crate::svg::scale::Scale;
use crate::words;
use maud::{Markup, PreEscaped, html};
use tare_proto::Better;

/// How many times as many items as a terminal a page shows of a list, and columns of a console's line.
const ROOMIER: usize = 5;
const LINE: usize = 200;

/// A section in the order of its blocks.
pub(super) fn section(section: &Section) -> Markup {
    html! {
        h3 { (section.heading) }
        @for block in &section.blocks {
            @match block {
                Block::Paragraph(_, text) => p { (text) },
                Block::Notice(_, text) => p.notice { (text) },
                Block::Item(one) => ul { (item(one)) },
                Block::List(items, most) => (list(items, most.saturating_mul(ROOMIER))),
                Block::Command(text) => pre.command tabindex="0" { (text) },
                Block::Table(table) => (plain(table)),
            }
        }
    }
}

fn list(items: &[Item], most: usize) -> Markup {
    html! {
        ul { @for one in items.iter().take(most) { (item(one)) } }
        @if items.len() > most { p { "and " (items.len() - most) " more" } }
    }
}

/// Notices, a list of the statements, then the paragraphs.
pub(super) fn statements<'a>(blocks: impl Iterator<Item = &'a Block>) -> Markup {
    let blocks: Vec<&Block> = blocks.collect();
    let items: Vec<&Item> = blocks
        .iter()
        .filter_map(|block| match block {
            Block::Item(item) => Some(item),
            _ => None,
        })
        .collect();
    html! {
        @for block in &blocks { @if let Block::Notice(_, text) = block { p.notice { (text) } } }
        @if !items.is_empty() { ul.headlines { @for one in items { (item(one)) } } }
        @for block in &blocks { @if let Block::Paragraph(_, text) = block { p { (text) } } }
    }
}

/// Paragraphs in small print.
pub(super) fn quiet<'a>(blocks: impl Iterator<Item = &'a Block>) -> Markup {
    html! { @for block in blocks { @if let Block::Paragraph(_, text) = block { p.quiet { (text) } } } }
}

/// What is said of something, in a list; a console is folded below it.
pub(super) fn item(one: &Item) -> Markup {
    let lines: Vec<String> = one.console.iter().map(|line| fit(line, LINE)).collect();
    html! {
        li {
            @if lines.is_empty() { (statement(one)) } @else {
                details {
                    summary { (statement(one)) }
                    pre tabindex="0" aria-label="Last console lines" { (lines.join("\n")) }
                }
            }
        }
    }
}

/// What is dim comes last, in small print.
fn statement(item: &Item) -> Markup {
    html! {
        @if let Some(series) = item.series { (swatch(series)) " " }
        @if let Some(about) = &item.about { strong { bdi { (about) } } (item.joint) }
        @for (at, (ink, text)) in item.said.iter().enumerate() {
            @if at > 0 && *ink == Ink::Dim { br; small { (text) } } @else {
                @if at > 0 { "; " }
                @if *ink == Ink::Plain { (text) } @else { span class=(class(*ink)) { (text) } }
            }
        }
    }
}

/// A table of words and numbers with its title and note above it.
pub(super) fn plain(table: &Table) -> Markup {
    let of = if table.subject.is_empty() { String::new() } else { format!("{}, ", table.subject) };
    html! {
        div.wide tabindex="0" role="region" aria-label=(format!("{of}{}, scrolls sideways", table.title)) {
            table.counters {
                caption { strong { (table.title) } @if !table.note.is_empty() { ". " (table.note) } }
                thead { tr { @for column in &table.columns { th scope="col" { bdi { (column.title) } } } } }
                tbody { @for row in &table.rows { tr {
                    @for (at, cell) in row.cells.iter().enumerate() {
                        @if at == 0 { th scope="row" { bdi { (cell.whole()) } } } @else { td { bdi { (cell.whole()) } } }
                    }
                } } }
            }
        }
    }
}

/// Each layer's rows, every row beside its strip, all on one scale of costs.
pub(super) fn layers(
    said: &Document,
    strips: &[Vec<(Better, Strip)>],
    margin: f64,
    caption: &str,
) -> Markup {
    let scale = forest::shared(strips.iter().flatten().map(|(_, strip)| strip), margin, RANGE);
    let rows = said.sections.iter().filter(|section| section.place == Place::Rows);
    html! {
        @for (at, (section, strips)) in rows.zip(strips).enumerate() {
            h3 { (swatch(at + 1)) " " bdi { (section.heading) } }
            (quiet(section.blocks.iter()))
            @for block in &section.blocks { @if let Block::Table(table) = block {
                (judged(table, &Drawn { strips, scale: &scale, margin }, caption))
            } }
        }
    }
}

/// What is drawn beside the rows of a table, a strip a row.
struct Drawn<'a> {
    strips: &'a [(Better, Strip)],
    scale: &'a Scale,
    margin: f64,
}

/// A table of judged rows, each beside its strip; `caption` says what the ratios are of.
fn judged(table: &Table, plots: &Drawn, caption: &str) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label=(format!("{}, {caption}, scrolls sideways", table.subject)) {
            table.cards.compared {
                caption { (caption) ". Plots show costs on a log scale, right of 1 is worse; green: equivalent within "
                    (words::percent_of(plots.margin)) "; grey: the noise floor." }
                thead { tr {
                    th scope="col" { (table.columns[0].title) }
                    th.plotted scope="col" { span.sr { "Costs drawn" } (PreEscaped(axis(plots.scale))) }
                    @for column in &table.columns[1..] { th scope="col" { (column.title) } }
                } }
                tbody { @for (row, (better, strip)) in table.rows.iter().zip(plots.strips) {
                    (judged_row(table, row, *better, &drawn(strip, plots.scale, plots.margin)))
                } }
            }
        }
    }
}

fn judged_row(table: &Table, row: &Row, better: Better, strip: &str) -> Markup {
    let last = row.cells.len() - 1;
    html! {
        tr {
            th scope="row" { bdi { (row.cells[0].text) }
                @if better == Better::Higher { span title="higher is better" { " ↑" } } }
            td.plotted { (PreEscaped(strip)) }
            @for (at, (cell, column)) in row.cells.iter().zip(&table.columns).enumerate().skip(1) {
                @match at {
                    1 => td.ratio data-label=(column.title) { b { (cell.text) } },
                    at if at == last => td data-label=(column.title) class=(class(row.verdict)) {
                        (words::mark(row.verdict)) " " (cell.text)
                        @if !row.remark.is_empty() { br; small { (row.remark) } }
                    },
                    _ => td data-label=(column.title) { (cell.text) },
                }
            }
        }
    }
}
