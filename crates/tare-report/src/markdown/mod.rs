//! The Markdown writer: documents for a pull request or a wiki, with what is long folded.

mod board;

pub use board::markdown;

use crate::clean::{clean, fit};
use crate::document::{Block, Document, Ink, Item, Place, Section, Side, Table};
use tare_proto::Foreign;

/// Most columns of a name and of a text.
const NAME: usize = 60;
const TEXT: usize = 400;

pub(crate) fn written(document: &Document) -> String {
    let mut sections: Vec<&Section> = document.sections.iter().collect();
    sections.sort_by_key(|section| section.place);
    let sight = sections.partition_point(|section| section.place < Place::Method);
    let (seen, folded) = sections.split_at(sight);
    let mut out = String::new();
    for (at, section) in seen.iter().enumerate() {
        // A list goes on where the next section has the same place.
        if at == 0 || seen[at - 1].place != section.place {
            gap(&mut out);
        }
        self::section(&mut out, section);
    }
    gap(&mut out);
    line(&mut out, "<details><summary>All rows, and how they were made</summary>");
    for section in folded {
        gap(&mut out);
        self::section(&mut out, section);
    }
    gap(&mut out);
    line(&mut out, "</details>");
    out
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
            Block::Item(item) => line(out, &self::item(item)),
            Block::Table(table) => self::table(out, table),
        }
    }
}

/// Lines of one paragraph, the first bold.
fn title(out: &mut String, blocks: &[Block]) {
    for (at, block) in blocks.iter().enumerate() {
        if let Block::Paragraph(_, text) = block {
            let text = if at == 0 { format!("**{}**", prose(text)) } else { prose(text) };
            let end = if at + 1 < blocks.len() { "  " } else { "" };
            line(out, &(text + end));
        }
    }
}

fn item(item: &Item) -> String {
    let about =
        item.about.as_ref().map(|name| format!("**{}**: ", prose(name))).unwrap_or_default();
    let said = item.said.iter().map(|(ink, text)| match ink {
        Ink::Failed => format!("**{}**", prose(text)),
        _ => prose(text),
    });
    format!("- {about}{}", said.collect::<Vec<_>>().join("; "))
}

/// A table of pipes. A remark stands behind the last cell of its row.
pub(crate) fn table(out: &mut String, table: &Table) {
    let mut titles: Vec<String> = table.columns.iter().map(|c| prose(&c.title)).collect();
    if !table.subject.is_empty() {
        titles[0] = code(&table.subject);
    }
    gap(out);
    line(out, &format!("| {} |", titles.join(" | ")));
    let sides = table.columns.iter().map(|column| match column.side {
        Side::Left => ":--|",
        Side::Right => "--:|",
    });
    line(out, &format!("|{}", sides.collect::<String>()));
    for row in &table.rows {
        let cells = row.cells.iter().zip(&table.columns);
        let cells = cells.map(|(cell, column)| match column.names {
            true => code(&cell.text),
            false => prose(&cell.text),
        });
        let mut text = cells.collect::<Vec<_>>().join(" | ");
        if !row.remark.is_empty() {
            text += &format!("; {}", prose(&row.remark));
        }
        line(out, &format!("| {text} |"));
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
