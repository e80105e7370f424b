//! A scoreboard as a document: what it says, in the order of the terminal.

use super::{details, loads, matrix, provenance, trouble};
use crate::document::{Block, Document, Ink, Place, Section, Table, paragraphs};
use crate::{choices, headline, index, notices, ranking, sandbox, sweep, words};
use tare_board::format::count;
use tare_board::{Scoreboard, Sweep};

/// Benchmarks that a ranking shows.
const RANKED: usize = 8;

/// Benchmarks of a sweep whose tables are always shown; of the others the sentence is.
const SWEPT: usize = 4;

/// Everything that is said of a scoreboard.
pub(crate) fn document(board: &Scoreboard) -> Document {
    let title = about(board);
    let mut sections = vec![opening(board)];
    sections.push(Section::new(Place::Summary, "", items(sandbox::sentences(board))));
    sections.push(Section::new(Place::Summary, "", items(headline::headlines(board))));
    let hangs_on = items(choices::items(board));
    if !hangs_on.is_empty() {
        sections.push(Section::new(Place::Board, "What these figures hang on", hangs_on));
    }
    for found in board.sweeps.iter().filter(|sweep| !sweep.responses.is_empty()) {
        sections.extend(swept(found));
    }
    sections.extend(matrix::sections(board));
    sections.extend(written(board));
    sections.extend(apart(Place::Tables, sandbox::tables(board)));
    sections.extend(apart(Place::Board, index::tables(board)));
    if board.counts.series > 0 {
        let floor = Block::Paragraph(Ink::Plain, headline::floor(board));
        sections.push(Section::new(Place::Board, "", vec![floor]));
    }
    sections.extend(loads::curves(board));
    sections.extend(rankings(board));
    sections.extend(trouble::differences(board));
    sections.extend(details::sections(board));
    sections.extend(choices::table(board).map(|table| {
        Section::new(
            Place::Rows,
            "What the figures hang on, option by option",
            vec![Block::Table(table)],
        )
    }));
    sections.extend(trouble::warnings(board));
    sections.extend(trouble::failed_boots(board));
    sections.extend(trouble::unavailable(board));
    sections.push(provenance::section(board));
    Document { title, sections }
}

/// Most layers and suites that a title names.
const NAMED: usize = 4;

/// `runc, uml against native: vmi`.
fn about(board: &Scoreboard) -> String {
    let mut suites: Vec<String> = Vec::new();
    for row in board.rows.iter().filter(|row| row.suite != "host") {
        let suite = words::name(&row.suite);
        if !suites.contains(&suite) {
            suites.push(suite);
        }
    }
    let few = |names: Vec<String>, what: &str| match names.len() {
        0..=NAMED => names.join(", "),
        many => format!("{many} {what}"),
    };
    let layers: Vec<String> = board.others().map(|layer| words::name(&layer.name)).collect();
    let baseline = words::name(&board.baseline);
    let layers = match layers.is_empty() {
        true => baseline,
        false => format!("{} against {baseline}", few(layers, "layers")),
    };
    match suites.is_empty() {
        true => layers,
        false => format!("{layers}: {}", few(suites, "suites")),
    }
}

/// What was weighed, and what must be known before anything else is read.
fn opening(board: &Scoreboard) -> Section {
    let mut blocks = vec![Block::Paragraph(Ink::Bold, weighed(board))];
    let notices = notices::notices(board).into_iter();
    blocks.extend(notices.map(|text| Block::Notice(Ink::Caution, text)));
    Section::new(Place::Title, "", blocks)
}

/// Where programs have written, below the rows that this decides.
fn written(board: &Scoreboard) -> Option<Section> {
    let (ink, text) = notices::written(board)?;
    Some(Section::new(Place::Board, "", vec![Block::Paragraph(ink, text)]))
}

/// `4 layers against native, 15 benchmarks, 4 blocks`.
fn weighed(board: &Scoreboard) -> String {
    let measured = board.others().filter(|layer| layer.measured > 0).count();
    let baseline = words::name(&board.baseline);
    let layers = match board.others().count() {
        0 => format!("{baseline} alone, compared with nothing"),
        _ if board.others().all(|layer| layer.unavailable.is_some()) => {
            format!("{baseline} alone: no other layer runs here")
        }
        _ => format!("{} against {baseline}", count(measured, "layer")),
    };
    let rows = count(board.rows.len(), "benchmark");
    format!("{layers}, {rows}, {}", headline::replicates(board))
}

fn items(items: Vec<crate::document::Item>) -> Vec<Block> {
    items.into_iter().map(Block::Item).collect()
}

/// Each table as a section.
fn apart(place: Place, tables: impl IntoIterator<Item = Table>) -> impl Iterator<Item = Section> {
    tables.into_iter().map(move |table| Section::new(place, "", vec![Block::Table(table)]))
}

/// For each benchmark of a sweep a sentence, and tables of the settings, the effects and the largest interactions.
fn swept(found: &Sweep) -> Vec<Section> {
    let title = sweep::title(found);
    let note = Block::Paragraph(Ink::Dim, sweep::note(found));
    let mut sections = vec![
        Section::new(Place::Summary, &title, Vec::new()),
        Section::new(Place::Method, &title, vec![note]),
    ];
    for (at, response) in found.responses.iter().enumerate() {
        let heading = sweep::heading(response);
        let sentence = Block::Paragraph(Ink::Plain, sweep::sentence(response));
        let tables = sweep::tables(response).into_iter().map(Block::Table).collect();
        let place = if at < SWEPT { Place::Tables } else { Place::Rows };
        sections.push(Section::new(Place::Summary, &heading, vec![sentence]));
        sections.push(Section::new(place, heading, tables));
    }
    if found.responses.len() > SWEPT {
        let hint = "--long also prints the tables of the other benchmarks.".to_owned();
        sections.push(Section::new(Place::Hint, "", paragraphs(Ink::Dim, vec![hint])));
    }
    sections
}

/// What to look at first on each layer.
fn rankings(board: &Scoreboard) -> Option<Section> {
    let mut blocks = paragraphs(Ink::Dim, vec![ranking::NOTE.to_owned()]);
    blocks.extend(ranking::rankings(board).map(|(_, layer, all)| {
        let title = format!("{}: {}", words::name(&layer.name), ranking::sentence(&all));
        Block::Table(Table { title, ..ranking::table(&all, RANKED) })
    }));
    (blocks.len() > 1).then(|| Section::new(Place::Tables, "Where to optimise", blocks))
}
