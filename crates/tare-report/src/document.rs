//! A result as one value, before it has a form: sections of statements and tables.
//!
//! Each result makes its document in one place (`scoreboard/`, `compare/document.rs`, `fleet/document.rs`); the writers
//! (`text/`, `markdown.rs`, `html/document.rs`) know documents and no result.

use tare_board::Verdict;

/// A result: its sections in the order of the terminal.
pub(crate) struct Document {
    /// What the result is, for forms that stand alone: a page's heading, Markdown's first line. May be empty.
    pub(crate) title: String,
    pub(crate) sections: Vec<Section>,
}

impl Document {
    pub(crate) fn blocks(&self, place: Place) -> impl Iterator<Item = &Block> {
        let own = self.sections.iter().filter(move |section| section.place == place);
        own.flat_map(|section| &section.blocks)
    }
}

/// Blocks below a heading, which may be empty.
pub(crate) struct Section {
    pub(crate) place: Place,
    pub(crate) heading: String,
    pub(crate) blocks: Vec<Block>,
}

impl Section {
    pub(crate) fn new(place: Place, heading: impl Into<String>, blocks: Vec<Block>) -> Section {
        Section { place, heading: heading.into(), blocks }
    }
}

/// What a section is for. A terminal has no way to fold text and keeps the document's order; Markdown keeps this one: what a
/// reviewer must see comes first, and the rest is folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// What was weighed, and notices: what must be known before anything else is read.
    Title,
    /// Whether the conditions that the user has set hold.
    Gate,
    /// A statement a layer, and what must be known beside it.
    Summary,
    /// What could not be weighed.
    Unavailable,
    /// The rows that were decided, for forms that fold the others.
    Decided,
    /// All ratios at a glance, and what is to be known when reading them.
    Board,
    /// How the figures were made.
    Method,
    /// What else is not the same.
    Differences,
    /// Figures beside the ratios.
    Tables,
    /// Every row; not on a terminal with `--short`.
    Rows,
    /// What went wrong.
    Trouble,
    /// Where the figures come from.
    Provenance,
    /// What `--short` leaves out, for terminals that it was given for.
    Hint,
}

pub(crate) enum Block {
    /// A sentence or more.
    Paragraph(Ink, String),
    /// What must not be overlooked.
    Notice(Ink, String),
    /// Statements about something.
    Item(Item),
    /// Items of which a terminal shows so many at most; a page shows more of them.
    List(Vec<Item>, usize),
    /// A command that repeats the measurement.
    Command(String),
    /// Rows of cells.
    Table(Table),
}

pub(crate) fn paragraphs(ink: Ink, texts: Vec<String>) -> Vec<Block> {
    texts.into_iter().map(|text| Block::Paragraph(ink, text)).collect()
}

pub(crate) struct Item {
    /// The name; without one, a dash stands there.
    pub(crate) about: Option<String>,
    /// What stands between the name and the statements.
    pub(crate) joint: &'static str,
    /// The number of its series in figures, where it has one.
    pub(crate) series: Option<usize>,
    /// The statements, each with what it comes to.
    pub(crate) said: Vec<(Ink, String)>,
    /// The last lines of a console; forms show the end of them.
    pub(crate) console: Vec<String>,
}

impl Item {
    /// Statements about `about`, which has no series.
    pub(crate) fn new(about: Option<String>, said: Vec<(Ink, String)>) -> Item {
        Item { about, joint: ": ", series: None, said, console: Vec::new() }
    }

    /// Statements about a layer that is series number `series` in figures.
    pub(crate) fn of_series(about: String, series: usize, said: Vec<(Ink, String)>) -> Item {
        Item { series: Some(series), ..Item::new(Some(about), said) }
    }
}

/// Rows of cells below titled columns.
pub(crate) struct Table {
    /// What it shows, and what is to be known when reading it.
    pub(crate) title: String,
    pub(crate) note: String,
    /// What all rows are about; Markdown has no captions and shows it above the first column.
    pub(crate) subject: String,
    /// The first names the rows.
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
    /// Fewest columns of a terminal that the first column gets.
    pub(crate) least: usize,
}

impl Table {
    /// A table without title, note and subject.
    pub(crate) fn new(least: usize, columns: Vec<Column>, rows: Vec<Row>) -> Table {
        let none = String::new;
        Table { title: none(), note: none(), subject: none(), columns, rows, least }
    }
}

pub(crate) struct Column {
    pub(crate) title: String,
    pub(crate) side: Side,
    /// Whether its cells are names from the campaign.
    pub(crate) names: bool,
    /// Whether a terminal shows only the load of a benchmark whose name stands above.
    pub(crate) loads: bool,
    /// The narrowest terminal that has room for it.
    pub(crate) narrowest: usize,
    /// Columns of a terminal that it needs, in which its title stands in several lines; 0: as many as its title.
    pub(crate) room: usize,
    /// Where a terminal is too narrow, such columns are spread over several tables; the others stand in each of these.
    pub(crate) spread: bool,
}

impl Column {
    pub(crate) fn words(title: impl Into<String>) -> Column {
        Column {
            title: title.into(),
            side: Side::Left,
            names: false,
            loads: false,
            narrowest: 0,
            room: 0,
            spread: false,
        }
    }

    pub(crate) fn numbers(title: impl Into<String>) -> Column {
        Column { side: Side::Right, ..Column::words(title) }
    }

    pub(crate) fn names(title: impl Into<String>) -> Column {
        Column { names: true, ..Column::words(title) }
    }

    /// A layer's figures, one of many such columns.
    pub(crate) fn layer(title: impl Into<String>, room: usize) -> Column {
        Column { side: Side::Figures, spread: true, ..Column::words(title).of(room) }
    }

    /// The column in so many columns of a terminal.
    pub(crate) fn of(self, room: usize) -> Column {
        Column { room, ..self }
    }

    /// A column that a terminal of fewer than `width` columns does without.
    pub(crate) fn spare_below(self, width: usize) -> Column {
        Column { narrowest: width, ..self }
    }
}

pub(crate) struct Row {
    /// A cell for each column; a single one is a line across.
    pub(crate) cells: Vec<Piece>,
    /// What stands beside the row, or nothing.
    pub(crate) remark: String,
    pub(crate) verdict: Verdict,
}

impl From<Vec<Piece>> for Row {
    fn from(cells: Vec<Piece>) -> Row {
        Row { cells, remark: String::new(), verdict: Verdict::None }
    }
}

impl From<Vec<String>> for Row {
    fn from(cells: Vec<String>) -> Row {
        let cells: Vec<Piece> =
            cells.into_iter().map(|text| Piece::new(Ink::Plain, text)).collect();
        cells.into()
    }
}

/// A cell: a text in one ink, with what stands behind it.
#[derive(Clone)]
pub(crate) struct Piece {
    pub(crate) text: String,
    /// A figure's verdict and a star, or an arrow behind a name.
    pub(crate) mark: String,
    /// A second figure.
    pub(crate) also: String,
    pub(crate) ink: Ink,
}

impl Piece {
    pub(crate) fn new(ink: Ink, text: impl Into<String>) -> Piece {
        Piece { text: text.into(), mark: String::new(), also: String::new(), ink }
    }

    /// All of it in one text.
    pub(crate) fn whole(&self) -> String {
        let parts = [&self.text, &self.mark, &self.also];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        parts.map(String::as_str).collect::<Vec<_>>().join(" ")
    }
}

/// Which side of its column a cell keeps to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
    /// Figures below each other, and behind them their marks.
    Figures,
}

/// What a piece of text is, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    Plain,
    /// Shown not to matter, which pages colour and terminals do not.
    Equivalent,
    Bold,
    Dim,
    Worse,
    Better,
    Caution,
    /// A reason to stop: as [`Ink::Worse`], and bold where a form has no colours.
    Failed,
}

impl From<Verdict> for Ink {
    fn from(verdict: Verdict) -> Ink {
        match verdict {
            Verdict::Worse => Ink::Worse,
            Verdict::Better => Ink::Better,
            Verdict::Equivalent | Verdict::Identical => Ink::Equivalent,
            Verdict::Undecided => Ink::Caution,
            Verdict::None => Ink::Dim,
        }
    }
}
