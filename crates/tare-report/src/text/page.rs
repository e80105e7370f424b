//! The terminal's writer: documents, paragraphs that wrap and grids of cells in lines of a given width.

use super::TextStyle;
use super::table::{GAP, grids};
use crate::clean::{fit, width, wrap, wrap_behind};
use crate::document::{Block, Document, Ink, Item, Piece, Place, Row, Section, Side, Table};

/// Whether the text carries colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// None: for pipes and files.
    Plain,
    /// ANSI escape sequences.
    Ansi,
}

impl Ink {
    fn apply(self, paint: Paint, text: &str) -> String {
        let code = match self {
            Ink::Bold => "1",
            Ink::Dim => "2",
            Ink::Worse | Ink::Failed => "31",
            Ink::Better => "36",
            Ink::Caution => "33",
            Ink::Plain | Ink::Equivalent => "",
        };
        if paint == Paint::Plain || code.is_empty() || text.is_empty() {
            return text.to_owned();
        }
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

/// Last lines of a console.
const CONSOLE: usize = 12;

pub(crate) fn written(document: &Document, style: &TextStyle) -> String {
    let mut page = Page::new(style.width.max(TextStyle::NARROWEST), style.paint);
    // A terminal shows the rows themselves instead of those that were decided.
    let absent = |place| match place {
        Place::Decided => true,
        Place::Rows => !style.details,
        Place::Hint => style.details,
        _ => false,
    };
    let mut above: Option<&Section> = None;
    let shown = document.sections.iter().filter(|section| !absent(section.place));
    let (ends, begins): (Vec<&Section>, Vec<&Section>) =
        shown.partition(|section| style.last && is_the_answer(section));
    for section in begins.into_iter().chain(ends) {
        // What Markdown folds apart stands below one heading here.
        match above.filter(|above| above.heading == section.heading) {
            Some(above) if above.blocks.is_empty() => {}
            Some(_) => page.gap(),
            None => page.heading(&section.heading),
        }
        section.blocks.iter().for_each(|block| page.block(block));
        above = Some(section);
    }
    page.finish()
}

/// Whether a section says what the whole comes to.
fn is_the_answer(section: &Section) -> bool {
    [Place::Title, Place::Gate, Place::Summary].contains(&section.place)
        && section.heading.is_empty()
}

/// Text under construction.
struct Page {
    out: String,
    width: usize,
    paint: Paint,
}

impl Page {
    fn new(width: usize, paint: Paint) -> Page {
        Page { out: String::new(), width, paint }
    }

    fn finish(self) -> String {
        self.out
    }

    /// An empty line, never two.
    fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// A heading with an empty line before it.
    fn heading(&mut self, text: &str) {
        self.gap();
        self.paragraph(Ink::Bold, "", text);
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Paragraph(ink, text) | Block::Notice(ink, text) => {
                self.paragraph(*ink, "", text);
            }
            Block::Item(item) => self.item(item),
            Block::List(items, most) => {
                items.iter().take(*most).for_each(|item| self.item(item));
                if items.len() > *most {
                    self.paragraph(Ink::Dim, "  ", &format!("and {} more", items.len() - most));
                }
            }
            // Not wrapped: who copies it wants every space, and no others.
            Block::Command(text) => {
                self.line(&Ink::Dim.apply(self.paint, &format!("repeat: {text}")));
            }
            Block::Table(table) => self.titled(table),
        }
    }

    /// Wrapped text, every line behind `indent`.
    fn paragraph(&mut self, ink: Ink, indent: &str, text: &str) {
        for line in wrap(text, self.width - width(indent)) {
            self.line(&format!("{indent}{}", ink.apply(self.paint, &line)));
        }
    }

    /// Wrapped text whose first line stands behind a bold label and the rest behind two spaces.
    fn labelled(&mut self, label: &str, ink: Ink, text: &str) {
        let label = fit(label, self.width / 2);
        let taken = width(&label).saturating_sub(2);
        for (at, line) in wrap_behind(text, taken, self.width - 2).iter().enumerate() {
            let lead = if at == 0 { Ink::Bold.apply(self.paint, &label) } else { "  ".into() };
            self.line(&format!("{lead}{}", ink.apply(self.paint, line)));
        }
    }

    /// One line in at most the page's width, cut if need be.
    fn verbatim(&mut self, ink: Ink, indent: &str, text: &str) {
        let line = fit(text, self.width - width(indent));
        self.line(&format!("{indent}{}", ink.apply(self.paint, &line)));
    }

    /// Rows of cells in aligned columns. The first column gives way (down to `least`) when all do not fit; a row
    /// with a single cell is a line across. A remark stands behind its row where there is room for it, else below.
    fn grid(&mut self, sides: &[Side], rows: &[Row], least: usize) {
        let widths = self.widths(sides, rows, least);
        let taken = widths.iter().map(|w| w + GAP).sum::<usize>();
        for Row { cells, remark, .. } in rows {
            let line = self.row(sides, &widths, cells);
            if taken + width(remark) <= self.width {
                let remark = Ink::Caution.apply(self.paint, remark);
                self.line(&format!("{line}  {remark}"));
            } else {
                self.line(&line);
                self.paragraph(Ink::Caution, "    ", remark);
            }
        }
    }

    /// A table below its title and note, its columns over several tables if need be.
    fn titled(&mut self, table: &Table) {
        if !table.title.is_empty() {
            self.heading(&table.title);
        }
        self.paragraph(Ink::Dim, "", &table.note);
        for (at, (sides, rows)) in grids(table, self.width).iter().enumerate() {
            if at > 0 {
                self.gap();
            }
            self.grid(sides, rows, table.least);
        }
    }

    /// Statements behind the name of what they are about, one below the other, and the end of a console.
    fn item(&mut self, item: &Item) {
        for (at, (ink, text)) in item.said.iter().enumerate() {
            let label = match &item.about {
                _ if at > 0 => "  ".into(),
                Some(about) => format!("{about}{}", item.joint),
                None => "- ".into(),
            };
            self.labelled(&label, *ink, text);
        }
        for line in &item.console[item.console.len().saturating_sub(CONSOLE)..] {
            self.verbatim(Ink::Dim, "    | ", line);
        }
    }

    fn widths(&self, sides: &[Side], rows: &[Row], least: usize) -> Vec<usize> {
        let mut widths = vec![0; sides.len()];
        for row in rows.iter().filter(|row| row.cells.len() > 1) {
            for (column, piece) in widths.iter_mut().zip(&row.cells) {
                *column = (*column).max(width(&piece.text));
            }
        }
        let rest: usize = widths.iter().skip(1).map(|w| w + GAP).sum();
        if let Some(first) = widths.first_mut() {
            *first = (*first).min(self.width.saturating_sub(rest).max(least));
        }
        // Numbers of a sane size never need this; others are cut rather than let out of the page.
        let taken: usize = widths.iter().map(|w| w + GAP).sum();
        for _ in 0..taken.saturating_sub(GAP + self.width) {
            match widths.iter_mut().skip(1).max() {
                Some(widest) if *widest > 1 => *widest -= 1,
                _ => break,
            }
        }
        widths
    }

    fn row(&self, sides: &[Side], widths: &[usize], row: &[Piece]) -> String {
        if let [only] = row {
            return only.ink.apply(self.paint, &fit(&only.text, self.width));
        }
        let mut line = String::new();
        for (at, ((piece, side), column)) in row.iter().zip(sides).zip(widths).enumerate() {
            let text = fit(&piece.text, *column);
            let space = " ".repeat(column.saturating_sub(width(&text)));
            let painted = piece.ink.apply(self.paint, &text);
            line.push_str(if at == 0 { "" } else { "  " });
            line.push_str(&match side {
                Side::Left | Side::Figures => painted + &space,
                Side::Right => space + &painted,
            });
        }
        line
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }
}
