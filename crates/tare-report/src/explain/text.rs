//! Explanations as documents, for a terminal.

use crate::clean::clean;
use crate::document::{self, Block, Column, Document, Ink, Item, Place, Section, paragraphs};
use crate::text::{ON_PAPER, written};
use crate::words;
use tare_board::format::{digits, short_ratio};
use tare_board::{Alone, Explanation, Help, LayerCauses, Table, TableLine, layer_causes};
use tare_proto::Untrusted;

/// Fewest columns of a line's name, and those of a layer's figures.
const NAME: usize = 46;
const LAYER: usize = 9;

/// All explanations for a terminal, 80 columns. What they have in common is said once, and so is why nothing was counted.
#[must_use]
pub fn explanations_text(all: &[Explanation]) -> String {
    let (counted, bare): (Vec<&Explanation>, Vec<&Explanation>) =
        all.iter().partition(|e| !e.tables.is_empty());
    let several = counted.len() > 1;
    let shared = |note: &&String| several && counted.iter().all(|e| e.notes.contains(note));
    let common: Vec<&String> =
        counted.first().map_or_else(Vec::new, |e| e.notes.iter().filter(shared).collect());
    let own = |e: &Explanation| {
        let notes = e.notes.iter().filter(|note| !common.contains(note)).collect();
        [explained(e), noted("", notes)]
    };
    let mut sections: Vec<Section> = overall(all).into_iter().collect();
    sections.extend(counted.iter().flat_map(|e| own(e)));
    if !common.is_empty() {
        sections.push(noted("All of them", common));
    }
    match bare[..] {
        [] => {}
        [one] => sections.extend([explained(one), noted("", one.notes.iter().collect())]),
        [first, ..] => sections.push(uncounted(first, &bare, all.len())),
    }
    written(&Document { title: String::new(), sections }, &ON_PAPER)
}

/// What rows execute on the only layer of a campaign, for a terminal, 80 columns.
#[must_use]
pub fn alone_text(all: &[Alone]) -> String {
    let section = |one: &Alone| {
        let heading = format!("{}: {} alone", clean(&one.benchmark), words::name(&one.layer));
        let tables = one.tables.iter().filter(|counted| !counted.lines.is_empty());
        let blocks = tables.map(|counted| Block::Table(table(&[&one.layer], counted))).collect();
        Section::new(Place::Rows, heading, blocks)
    };
    let sections = all.iter().map(section).collect();
    written(&Document { title: String::new(), sections }, &ON_PAPER)
}

/// What the cost of each layer is made of over its rows, where several were watched from outside.
fn overall(all: &[Explanation]) -> Option<Section> {
    let blocks = paragraphs(Ink::Plain, of_layers(all));
    (!blocks.is_empty()).then(|| Section::new(Place::Rows, OVERALL, blocks))
}

/// What stands above the sentences of layers.
pub(crate) const OVERALL: &str = "Why, over all rows";

/// A few sentences on each layer of which several rows were watched.
pub(crate) fn of_layers(all: &[Explanation]) -> Vec<String> {
    let mut layers: Vec<&str> = all.iter().map(|e| e.layer.raw()).collect();
    layers.dedup();
    let mut named: Vec<&str> = Vec::new();
    layers.into_iter().for_each(|name| {
        if !named.contains(&name) {
            named.push(name)
        }
    });
    let several = |name: &&str| all.iter().filter(|e| e.layer == **name).count() > 1;
    let told = named.into_iter().filter(several).filter_map(|name| layer_causes(all, name));
    let sentence = |told: LayerCauses| {
        let explained = match told.dearer {
            0 => String::new(),
            of => {
                let [priced, placed, left] = told.known.map(|share| percent(100.0 * share));
                format!(
                    " {priced} of that has a price, {placed} a place alone, {left} is not explained. Of {} of these {of} rows less than a \
                     quarter is not explained, of {} less than a quarter has no price.",
                    told.explained, told.priced
                )
            }
        };
        let helps = helps(&told);
        format!("{}: {}{explained}{helps}", words::name(&told.layer), told.sentence)
    };
    told.map(sentence).collect()
}

/// Without which causes the rows would be the least dear.
fn helps(told: &LayerCauses) -> String {
    let without = |help: &Help| format!("{} without '{}'", short_ratio(help.without), help.cause);
    let each: Vec<String> = told.helps.iter().map(without).collect();
    match each.is_empty() {
        true => String::new(),
        false => format!(
            " The geometric mean of these rows' ratios is {}. What would help most: it would be {}.",
            short_ratio(told.ratio),
            each.join(", ")
        ),
    }
}

/// One ratio, and the tables of what makes it.
fn explained(e: &Explanation) -> Section {
    let [layer, baseline] = [&e.layer, &e.baseline].map(words::name);
    let ratio = short_ratio(e.ratio);
    let heading = format!("{}: {layer} against {baseline} × {ratio}", clean(&e.benchmark));
    let mut blocks = paragraphs(Ink::Plain, vec![clean(&e.sentence)]);
    blocks.extend(
        e.tables.iter().map(|counted| Block::Table(table(&[&e.baseline, &e.layer], counted))),
    );
    Section::new(Place::Rows, heading, blocks)
}

fn noted(heading: &str, notes: Vec<&String>) -> Section {
    let item = |note: &String| Block::Item(Item::new(None, vec![(Ink::Dim, clean(note))]));
    Section::new(Place::Method, heading, notes.into_iter().map(item).collect())
}

/// The ratios beside which nothing was counted.
fn uncounted(first: &Explanation, bare: &[&Explanation], all: usize) -> Section {
    let which = if bare.len() == all { "all".into() } else { format!("{} of", bare.len()) };
    let bench = clean(&first.benchmark);
    let layer = words::name(&first.layer);
    let heading = format!("Not split: {which} {all} ratios, for example {bench} on {layer}");
    let mut said: Vec<&String> = Vec::new();
    for sentence in bare.iter().flat_map(|e| [&e.sentence].into_iter().chain(&e.notes)) {
        if !said.contains(&sentence) {
            said.push(sentence);
        }
    }
    noted(&heading, said)
}

/// A share in whole percents, never `-0%`.
fn percent(share: f64) -> String {
    format!("{:.0}%", share.round() + 0.0)
}

/// A count: whole digits while they fit.
pub(crate) fn count(value: f64) -> String {
    match value {
        0.0 => "0".into(),
        v if v.abs() >= 1e9 => format!("{v:.2e}"),
        v if v.abs() >= 999.5 => format!("{v:.0}"),
        v => digits(v),
    }
}

/// A column of a layer's figures.
pub(super) fn figures(layer: &Untrusted) -> Column {
    Column::numbers(words::name(layer)).of(LAYER)
}

/// A table of counts: of the `sides`, the baseline's and the layer's, and the share that each line has of the difference; of the baseline alone,
/// that of the whole.
pub(crate) fn table(sides: &[&Untrusted], counted: &Table) -> document::Table {
    let mut columns = vec![Column::words("what")];
    columns.extend(sides.iter().map(|side| figures(side)));
    if counted.shares {
        columns.push(Column::numbers("share"));
    }
    let row = |line: &TableLine| {
        let mut cells = vec![clean(&line.name)];
        cells.extend([line.baseline, line.layer].map(count).into_iter().take(sides.len()));
        if counted.shares {
            cells.push(line.share.map(percent).unwrap_or_default());
        }
        cells.into()
    };
    let rows = counted.lines.iter().map(row).collect();
    let title = counted.title.clone();
    document::Table { title, ..document::Table::new(NAME, columns, rows) }
}
