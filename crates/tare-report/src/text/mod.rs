//! The terminal form: headlines in words, the matrix, and below them the details and provenance.

mod details;
mod ending;
mod loads;
mod matrix;
mod page;
mod sandbox;
mod sweep;

pub(crate) use loads::signed;
pub use page::Paint;
pub(crate) use page::{Ink, Page, Piece, Side};

use crate::clean::{clean, fit};
use crate::headline;
use crate::index;
use crate::words;
use tare_board::format::count;
use tare_board::{Scoreboard, Verdict};

/// How the terminal form looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextStyle {
    /// Columns; no line is wider. Fewer than [`TextStyle::NARROWEST`] are taken as that.
    pub width: usize,
    /// Colour or none.
    pub paint: Paint,
    /// With a table of intervals, raw pairs and comments for every layer.
    pub details: bool,
}

impl TextStyle {
    /// The fewest columns that a table needs.
    pub const NARROWEST: usize = 60;
}

/// Writes the scoreboard for a terminal.
#[must_use]
pub fn text(board: &Scoreboard, style: &TextStyle) -> String {
    let mut page = Page::new(style.width.max(TextStyle::NARROWEST), style.paint);
    title(&mut page, board);
    sandbox::lead(&mut page, board);
    headlines(&mut page, board);
    sweep::sweeps(&mut page, board, style);
    matrix::matrix(&mut page, board);
    sandbox::tables(&mut page, board);
    indices(&mut page, board);
    ending::floor(&mut page, board);
    loads::curves(&mut page, board);
    loads::rankings(&mut page, board);
    ending::notes(&mut page, board);
    if style.details {
        details::details(&mut page, board);
    }
    ending::warnings(&mut page, board);
    ending::failed_boots(&mut page, board);
    ending::unavailable(&mut page, board);
    ending::provenance(&mut page, board);
    page.finish()
}

fn title(page: &mut Page, board: &Scoreboard) {
    let measured = board.others().filter(|layer| layer.measured > 0).count();
    let baseline = words::name(&board.baseline);
    let what = match board.others().count() {
        0 => format!("{baseline} alone"),
        _ => format!("{} against {baseline}", count(measured, "layer")),
    };
    let summary = format!(
        "{what}, {}, {}",
        count(board.rows.len(), "benchmark"),
        headline::replicates(board),
    );
    page.paragraph(Ink::Bold, "", &summary);
    for notice in [headline::simulated(board), headline::unfinished(board)].into_iter().flatten() {
        page.paragraph(Ink::Caution, "", &notice);
    }
    if let Some(limits) = headline::limits(board) {
        page.paragraph(Ink::Caution, "", &limits);
    }
    if board.counts.series == 0 {
        page.paragraph(Ink::Caution, "", "Nothing was measured.");
    }
}

fn headlines(page: &mut Page, board: &Scoreboard) {
    let headlines = headline::headlines(board);
    if !headlines.is_empty() {
        page.gap();
    }
    for headline in headlines {
        for (at, (verdict, sentence)) in headline.sentences.iter().enumerate() {
            let label = if at == 0 { format!("{}: ", headline.layer) } else { "  ".into() };
            page.labelled(&label, verdict_ink(*verdict), sentence);
        }
        let alone = headline.sentences.is_empty();
        let label = if alone { format!("{}: ", headline.layer) } else { "  ".into() };
        page.labelled(&label, Ink::Plain, &headline.besides);
        let label = if alone && headline.besides.is_empty() { &label } else { "  " };
        page.labelled(label, Ink::Dim, &headline.tally);
    }
}

fn indices(page: &mut Page, board: &Scoreboard) {
    for found in &board.indices {
        page.heading(&index::title(found));
        page.paragraph(Ink::Dim, "", index::NOTE);
        let mut sides = vec![Side::Left];
        sides.extend(found.layers.iter().map(|_| Side::Right));
        let line = |words: Vec<String>| {
            words.into_iter().map(|word| Piece::new(Ink::Plain, word)).collect::<Vec<_>>()
        };
        let rows: Vec<_> = index::grid(found).into_iter().map(line).collect();
        page.grid(&sides, &rows, NAME);
    }
}

/// Fewest columns that a benchmark's name gets in an index.
const NAME: usize = 12;

/// Red costs more, cyan costs less (told apart by every kind of colour vision), yellow is open.
pub(crate) const fn verdict_ink(verdict: Verdict) -> Ink {
    match verdict {
        Verdict::Worse => Ink::Worse,
        Verdict::Better => Ink::Better,
        Verdict::Equivalent | Verdict::Identical => Ink::Plain,
        Verdict::Undecided => Ink::Caution,
        Verdict::None => Ink::Dim,
    }
}

/// Longest text of the campaign's that is printed in one place.
const REASON: usize = 400;

/// A sentence from the campaign, harmless and of bearable length.
fn reason(text: &str) -> String {
    fit(&clean(text), REASON)
}
