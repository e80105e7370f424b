//! The Markdown writer: documents for a pull request or a wiki, with what is long folded.

use crate::clean::{clean, fit};
use crate::document::{Block, Column, Document, Ink, Item, Piece, Place, Section, Side, Table};
use tare_proto::Foreign;

/// Most columns of a name, of a text, and of a console's line.
const NAME: usize = 60;
const TEXT: usize = 400;
const LINE: usize = 100;

/// Last lines of a console.
const CONSOLE: usize = 12;

/// Writes a document as GitHub's Markdown.
pub(crate) fn written(document: &Document) -> String {
    let mut sections: Vec<&Section> = document.sections.iter().collect();
    sections.retain(|section| section.place != Place::Hint);
    sections.sort_by_key(|section| section.place);
    let mut out = String::new();
    if !document.title.is_empty() {
        line(&mut out, &format!("**{}**  ", prose(&document.title)));
    }
    for part in sections.chunk_by(|a, b| folded(a.place) == folded(b.place)) {
        let title = match folded(part[0].place) {
            Folded::Not => None,
            Folded::Rows => Some("All rows, and how they were made".to_owned()),
            Folded::Trouble => {
                let headings: Vec<&str> = part.iter().map(|s| s.heading.as_str()).collect();
                Some(headings.join(", "))
            }
        };
        if let Some(title) = &title {
            gap(&mut out);
            line(&mut out, &format!("<details><summary>{}</summary>", prose(title)));
            gap(&mut out);
        }
        for (at, section) in part.iter().enumerate() {
            // A list goes on where the next section has the same place.
            if at > 0 && part[at - 1].place != section.place {
                gap(&mut out);
            }
            // What is folded alone has its heading on the fold.
            if folded(section.place) != Folded::Trouble || part.len() > 1 {
                heading(&mut out, section);
            }
            self::section(&mut out, section);
        }
        gap(&mut out);
        if title.is_some() {
            line(&mut out, "</details>");
        }
    }
    out.truncate(out.trim_end().len());
    out + "\n"
}

/// What a section is folded with.
#[derive(PartialEq, Eq)]
enum Folded {
    Not,
    Rows,
    Trouble,
}

fn folded(place: Place) -> Folded {
    match place {
        Place::Method | Place::Differences | Place::Tables | Place::Rows => Folded::Rows,
        Place::Trouble => Folded::Trouble,
        _ => Folded::Not,
    }
}

fn heading(out: &mut String, section: &Section) {
    // A table's subject stands in its corner and says the same.
    let said = |block: &Block| matches!(block, Block::Table(table) if !table.subject.is_empty());
    if !section.heading.is_empty() && !section.blocks.iter().any(said) {
        gap(out);
        line(out, &format!("**{}**\n", prose(&section.heading)));
    }
}

fn section(out: &mut String, section: &Section) {
    if section.place == Place::Title {
        title(out, &section.blocks);
        return;
    }
    let listed = matches!(section.place, Place::Gate | Place::Summary | Place::Differences);
    for block in &section.blocks {
        match block {
            Block::Paragraph(_, text) if listed => line(out, &format!("- {}", prose(text))),
            Block::Paragraph(_, text) => {
                gap(out);
                line(out, &prose(text));
            }
            Block::Notice(_, text) => line(out, &format!("- **{}**", prose(text))),
            Block::Item(item) => self::item(out, item),
            Block::List(items, most) => {
                items.iter().take(*most).for_each(|item| self::item(out, item));
                if items.len() > *most {
                    line(out, &format!("- and {} more", items.len() - most));
                }
            }
            Block::Command(text) => {
                gap(out);
                line(out, &format!("repeat: {}", code_of(text, TEXT)));
            }
            Block::Table(table) => {
                self::table(out, table);
                gap(out);
            }
        }
    }
}

/// Lines of one paragraph, the first bold unless the document's title stands there; then notices.
fn title(out: &mut String, blocks: &[Block]) {
    let bold = out.is_empty();
    for (at, block) in blocks.iter().enumerate() {
        match block {
            Block::Paragraph(_, text) => {
                let text =
                    if at == 0 && bold { format!("**{}**", prose(text)) } else { prose(text) };
                let on = matches!(blocks.get(at + 1), Some(Block::Paragraph(..)));
                line(out, &(text + if on { "  " } else { "" }));
            }
            Block::Notice(_, text) => {
                gap(out);
                line(out, &format!("**{}**", prose(text)));
            }
            _ => {}
        }
    }
}

fn item(out: &mut String, item: &Item) {
    let about = item.about.as_ref();
    let about = about.map(|name| format!("**{}**{}", prose(name), item.joint)).unwrap_or_default();
    let said = item.said.iter().map(|(ink, text)| match ink {
        Ink::Failed => format!("**{}**", prose(text)),
        _ => prose(text),
    });
    line(out, &format!("- {about}{}", said.collect::<Vec<_>>().join("; ")));
    console(out, &item.console[item.console.len().saturating_sub(CONSOLE)..]);
}

fn console(out: &mut String, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    line(out, "\n<pre>");
    for text in lines {
        // The first `<pre>` ends at `</pre>`, which cannot stand in escaped text.
        let text = fit(text, LINE).replace('&', "&amp;");
        line(out, &text.replace('<', "&lt;").replace('>', "&gt;"));
    }
    line(out, "</pre>\n");
}

/// A table of pipes below its title. A remark stands behind the last cell of its row.
fn table(out: &mut String, table: &Table) {
    gap(out);
    if !table.title.is_empty() {
        let title = prose(&table.title);
        let note = Some(prose(&table.note)).filter(|note| !note.is_empty());
        let note = note.map(|note| format!(". {note}")).unwrap_or_default();
        line(out, &format!("**{title}**{note}\n"));
    }
    let titles = table.columns.iter().map(|column| prose(&fit(&column.title, NAME)));
    let mut titles: Vec<String> = titles.collect();
    if !table.subject.is_empty() {
        titles[0] = code(&table.subject);
    }
    line(out, &format!("| {} |", titles.join(" | ")));
    let sides = table.columns.iter().map(|column| match column.side {
        Side::Left => ":--|",
        Side::Right | Side::Figures => "--:|",
    });
    line(out, &format!("|{}", sides.collect::<String>()));
    for row in &table.rows {
        let cells = row.cells.iter().zip(&table.columns);
        let mut text = cells.map(|(piece, column)| cell(column, piece)).collect::<Vec<_>>();
        text.resize(table.columns.len(), String::new());
        let mut text = text.join(" | ");
        if !row.remark.is_empty() {
            text += &format!("; {}", prose(&row.remark));
        }
        line(out, &format!("| {text} |"));
    }
}

fn cell(column: &Column, piece: &Piece) -> String {
    match piece.ink {
        Ink::Bold => format!("**{}**", prose(&piece.whole())),
        Ink::Plain if column.names => {
            let marked = Piece { text: code(&piece.text), ..piece.clone() };
            marked.whole()
        }
        _ => prose(&piece.whole()),
    }
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

/// An empty line, never two.
fn gap(out: &mut String) {
    if !out.is_empty() && !out.ends_with("\n\n") {
        out.push('\n');
    }
}

/// A name: in a code span nothing is markup, and nobody is mentioned.
fn code(text: &(impl Foreign + ?Sized)) -> String {
    code_of(text, NAME)
}

fn code_of(text: &(impl Foreign + ?Sized), most: usize) -> String {
    let text = fit(&clean(text), most).replace('`', "'").replace('|', "\\|");
    if text.is_empty() { "–".into() } else { format!("`{text}`") }
}

/// A sentence with everything that is markup made plain.
fn prose(text: &(impl Foreign + ?Sized)) -> String {
    let mut out = String::new();
    for c in fit(&clean(text), 2 * TEXT).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '@' => out.push_str("@<!-- -->"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '!' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out
}
