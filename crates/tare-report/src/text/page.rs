//! The terminal's writer: documents, paragraphs that wrap and grids of cells in lines of a given width.

use super::TextStyle;
use crate::clean::{fit, stack, width, wrap, wrap_behind};
use crate::document::{
    Block, Column, Document, Ink, Item, Piece, Place, Row, Section, Side, Table,
};
use tare_proto::name_and_load;

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

/// Two columns between cells.
const GAP: usize = 2;

/// Most columns of a name in a table, and where the load behind it stands at most in a row below one of the same name.
const NAME: usize = 40;
const LOAD_AT: usize = 24;

/// Fewest columns that figures with marks take: `12.3 ▲*`.
const FIGURE: usize = 5;

/// Most lines of a column's title, and last lines of a console.
const TITLE_LINES: usize = 3;
const CONSOLE: usize = 12;

/// Writes a document for a terminal.
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
    for section in document.sections.iter().filter(|section| !absent(section.place)) {
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
            Block::Command(text) => self.paragraph(Ink::Dim, "", &format!("repeat: {text}")),
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
        for (at, columns) in parts(table, self.width).iter().enumerate() {
            if at > 0 {
                self.gap();
            }
            self.table(table, columns);
        }
    }

    /// The `shown` columns of a table below their titles.
    fn table(&mut self, table: &Table, shown: &[usize]) {
        let columns: Vec<&Column> = shown.iter().map(|&at| &table.columns[at]).collect();
        let figures: Vec<[usize; 3]> = shown.iter().map(|&at| figures(table, at)).collect();
        let mut rows = titles(&columns, &figures);
        let mut above = "";
        for row in &table.rows {
            let cell = |(place, &at): (usize, &usize)| {
                cell(columns[place], &row.cells[at], figures[place])
            };
            let mut cells: Vec<Piece> = match row.cells.len() {
                1 => row.cells.clone(),
                _ => shown.iter().enumerate().map(cell).collect(),
            };
            if let (true, Some(name)) = (columns[0].loads, row.cells.first()) {
                let (base, load) = name_and_load(&name.text);
                if base == above && load != 1 {
                    let behind = width(base).min(LOAD_AT);
                    cells[0].text = format!("{:behind$}@{load} {}", "", name.mark);
                }
                above = base;
            }
            rows.push(Row { cells, remark: row.remark.clone(), verdict: row.verdict });
        }
        let sides: Vec<Side> = columns.iter().map(|column| column.side).collect();
        self.grid(&sides, &rows, table.least);
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

/// The columns of each table that `table` becomes on a page of `width` columns.
fn parts(table: &Table, width: usize) -> Vec<Vec<usize>> {
    let columns = &table.columns;
    let shown: Vec<usize> =
        (0..columns.len()).filter(|&at| columns[at].narrowest <= width).collect();
    let (spread, fixed): (Vec<usize>, Vec<usize>) =
        shown.iter().partition(|&&at| columns[at].spread);
    let room = |at: &usize| match columns[*at].room {
        0 => self::width(&columns[*at].title) + GAP,
        room => room + GAP,
    };
    let taken = table.least + fixed.iter().skip(1).map(room).sum::<usize>();
    let widest = spread.iter().map(room).max().unwrap_or(1);
    let beside = (width.saturating_sub(taken) / widest).max(1);
    let tables = spread.len().div_ceil(beside);
    if tables < 2 {
        return vec![shown];
    }
    let part = |part: &[usize]| {
        let own = |at: &usize| !columns[*at].spread || part.contains(at);
        shown.iter().copied().filter(own).collect()
    };
    spread.chunks(spread.len().div_ceil(tables)).map(part).collect()
}

/// Widths of the figures, marks and second figures in column `at`.
fn figures(table: &Table, at: usize) -> [usize; 3] {
    let cells = || table.rows.iter().filter(|row| row.cells.len() > 1).map(|row| &row.cells[at]);
    let of = |part: fn(&Piece) -> &str| cells().map(|cell| width(part(cell))).max().unwrap_or(0);
    let marked = cells().filter(|cell| !cell.mark.is_empty() || !cell.also.is_empty());
    let figure = marked.map(|cell| width(&cell.text)).max().unwrap_or(0).max(FIGURE);
    [figure, of(|cell| &cell.mark), of(|cell| &cell.also)]
}

/// A cell as a terminal shows it.
fn cell(column: &Column, piece: &Piece, [figure, mark, also]: [usize; 3]) -> Piece {
    let text = match column.side {
        Side::Figures => {
            let mut text = format!("{:>figure$}", piece.text);
            if mark > 0 {
                text += &format!(" {:mark$}", piece.mark);
            }
            if also > 0 {
                text += &format!(" {:>also$}", piece.also);
            }
            text.trim_end().to_owned()
        }
        _ if column.names => {
            let behind = if piece.mark.is_empty() { 0 } else { 1 + width(&piece.mark) };
            Piece { text: fit(&piece.text, NAME - behind), ..piece.clone() }.whole()
        }
        _ => piece.whole(),
    };
    Piece::new(piece.ink, text)
}

/// The columns' titles, those that need several lines stacked; each stands on the line above the rows.
fn titles(columns: &[&Column], figures: &[[usize; 3]]) -> Vec<Row> {
    let lines = |(column, [figure, mark, also]): (&&Column, &[usize; 3])| {
        let mut lines = match column.room {
            0 => vec![column.title.clone()],
            room => stack(&column.title, room),
        };
        lines.truncate(TITLE_LINES);
        if column.side == Side::Figures {
            // A short name stands over its numbers, not left of them.
            let over = if *also > 0 { figure + mark + 1 + also } else { *figure };
            lines.iter_mut().for_each(|line| *line = format!("{line:>over$}"));
        }
        lines
    };
    let stacked: Vec<Vec<String>> = columns.iter().zip(figures).map(lines).collect();
    let height = stacked.iter().map(Vec::len).max().unwrap_or(0);
    let row = |y: usize| {
        let word = |lines: &Vec<String>| {
            let line = (y + lines.len()).checked_sub(height).and_then(|at| lines.get(at));
            Piece::new(Ink::Bold, line.cloned().unwrap_or_default())
        };
        stacked.iter().map(word).collect::<Vec<_>>().into()
    };
    (0..height).map(row).collect()
}
