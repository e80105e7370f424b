//! Makes text from a campaign harmless on a terminal, and measures how wide it prints.

use tare_proto::Foreign;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// `text` on one line without anything that a terminal or a reader's eye obeys: control characters and marks that
/// turn the writing direction are escaped visibly, what takes no space is dropped.
pub fn clean(text: &(impl Foreign + ?Sized)) -> String {
    let text = text.raw();
    let mut out = String::with_capacity(text.len());
    for c in text.trim().chars() {
        match c {
            '\t' | '\n' => out.push(' '),
            '\u{2028}' | '\u{2029}' => out.push(' '),
            _ if steers(c) => out.extend(c.escape_default()),
            _ if c.width().unwrap_or(0) > 0 => out.push(c),
            _ => {}
        }
    }
    out
}

/// Whether a terminal or a reader's eye obeys `c`: a control character, a mark that turns the writing direction or ends
/// a line.
fn steers(c: char) -> bool {
    let marks = ['\u{061c}', '\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}'];
    let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns || marks.contains(&c)
}

pub(crate) fn width(text: &str) -> usize {
    // A string may be narrower than its characters (ligatures); a table must hold either.
    text.chars().filter_map(UnicodeWidthChar::width).sum::<usize>().max(text.width())
}

/// Cleaned text in at most `columns`, its end replaced by an ellipsis when it is longer.
pub(crate) fn fit(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut out = head(text, columns.saturating_sub(1)).0.to_owned();
    out.push('…');
    out
}

/// The longest beginning of `text` in at most `columns`, and the rest.
fn head(text: &str, columns: usize) -> (&str, &str) {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > columns {
            return text.split_at(at);
        }
    }
    (text, "")
}

/// `text` in lines of at most `columns`, broken at spaces where there are any.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    wrap_behind(text, 0, columns)
}

/// [`wrap`] with `taken` columns of the first line already written to.
pub(crate) fn wrap_behind(text: &str, taken: usize, columns: usize) -> Vec<String> {
    // Two columns hold any one character, so every round makes progress.
    let columns = columns.max(2);
    let room = |lines: &[String]| {
        if lines.is_empty() { columns.saturating_sub(taken).max(2) } else { columns }
    };
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        if !line.is_empty() && width(&line) + 1 + width(word) > room(&lines) {
            lines.push(std::mem::take(&mut line));
        }
        let mut rest = word;
        while width(rest) > room(&lines) {
            let (part, after) = head(rest, room(&lines));
            lines.push(part.to_owned());
            rest = after;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(rest);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// The marks behind which a name may be broken.
const BETWEEN: [char; 9] = [' ', '-', '_', '/', '.', ':', '+', '=', ','];

/// A name in lines of at most `columns`, broken behind a mark between words where there is one. Where it needs more than `most`
/// lines, an ellipsis stands for its middle, since the names of a sweep's layers differ at their ends.
pub(crate) fn stack(text: &str, columns: usize, most: usize) -> Vec<String> {
    let columns = columns.max(2);
    let mut lines = Vec::new();
    let mut rest = text;
    while width(rest) > columns {
        let (part, _) = head(rest, columns);
        let between = part.rfind(BETWEEN).map_or(part.len(), |at| at + 1);
        let (line, after) = rest.split_at(between);
        lines.push(line.trim().to_owned());
        rest = after;
    }
    lines.push(rest.trim().to_owned());
    if lines.len() > most {
        lines.truncate(most.saturating_sub(1));
        lines.push(format!("…{}", tail(text, columns - 1)));
    }
    lines
}

/// The longest end of `text` in at most `columns`.
fn tail(text: &str, columns: usize) -> &str {
    let fits = |(at, _): &(usize, char)| width(&text[*at..]) <= columns;
    text.char_indices().find(fits).map_or("", |(at, _)| &text[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_escaped() {
        assert_eq!(clean("a\u{1b}[31mb\tc\r\n"), "a\\u{1b}[31mb c");
        assert_eq!(clean("\u{202e}x\u{200d}y\u{7}"), "\\u{202e}xy\\u{7}");
        assert_eq!(clean("é 漢字 שלום"), "é 漢字 שלום");
    }

    #[test]
    fn no_piece_is_wider_than_asked() {
        for text in ["", "one", "one two three", "漢字漢字漢字", &"x".repeat(100)] {
            for columns in 2..12 {
                assert!(width(&fit(text, columns)) <= columns);
                assert!(wrap(text, columns).iter().all(|line| width(line) <= columns));
                let stacked = stack(text, columns, 4);
                assert!(stacked.len() <= 4 && stacked.iter().all(|line| width(line) <= columns));
            }
        }
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap_behind("one two three", 4, 7), ["one", "two", "three"]);
        assert_eq!(fit("benchmark", 6), "bench…");
    }

    #[test]
    fn names_are_broken_between_their_words_and_keep_their_ends() {
        assert_eq!(stack("runsc-systrap", 8, 4), ["runsc-", "systrap"]);
        assert_eq!(stack("runc+rcu_expedited-0", 10, 4), ["runc+rcu_", "expedited-", "0"]);
        assert_eq!(stack("qemu+memory=1G,vcpus=2", 9, 4), ["qemu+", "memory=", "1G,vcpus=", "2"]);
        let [usual, one] = ["usual", "1"].map(|value| format!("native+halt_poll_ns+thp-{value}"));
        assert_eq!(stack(&usual, 7, 4), ["native+", "halt_", "poll_", "…-usual"]);
        assert_eq!(stack(&one, 7, 4).last().unwrap(), "…+thp-1");
    }
}
