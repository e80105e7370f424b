//! Making text of an untrusted origin harmless on a terminal, in a log and on a page.

/// `text` on one line, in at most `most` characters; a longer text ends in `…`. Characters that could control a terminal or
/// mislead a reader are written as escapes: control characters (C0 and C1), marks that change the direction of writing,
/// and invisible ones.
pub fn harmless(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut written = 0;
    let mut rest = text.trim_end().chars();
    while let Some(c) = rest.next() {
        let c = if matches!(c, '\t' | '\n') { ' ' } else { c };
        let wide = if steers(c) { c.escape_unicode().count() } else { 1 };
        written += wide;
        if written > most || (written == most && !rest.as_str().is_empty()) {
            out.push('…');
            break;
        }
        if steers(c) { out.extend(c.escape_unicode()) } else { out.push(c) }
    }
    out
}

/// `text` line by line, made harmless likewise: at most `lines` of them, each of at most `most` characters. Of what is longer the
/// beginning and the end are kept: a reason often stands behind what it is the reason for.
pub fn harmless_lines(text: &str, most: usize, lines: usize) -> String {
    let mut all = text.trim_end().split('\n');
    let mut kept: Vec<String> =
        all.by_ref().take(lines).map(|line| both_ends(line, most)).collect();
    if all.next().is_some() {
        kept.push("…".into());
    }
    kept.join("\n")
}

/// A line in at most `most` characters, the middle left out where it is longer.
fn both_ends(line: &str, most: usize) -> String {
    let line = line.trim_end_matches('\r');
    if line.len() <= most && !line.contains(steers) {
        return line.to_owned();
    }
    let whole = harmless(line, most);
    if !whole.ends_with('…') || line.trim_end().ends_with('…') {
        return whole;
    }
    let (head, tail) = (most * 2 / 3, most / 3);
    let end: Vec<char> = line.chars().rev().take(tail).collect();
    let end: Vec<char> =
        harmless(&end.iter().rev().collect::<String>(), 10 * tail).chars().collect();
    let end: String = end[end.len().saturating_sub(tail)..].iter().collect();
    harmless(line, head) + &end
}

/// Whether a terminal or a reader's eye obeys `c`: control characters, and the invisible ones that separate lines, turn the direction
/// of text or hide in it.
pub fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_or_an_eye_obeys_is_escaped() {
        assert_eq!(harmless("a\u{1b}[2Jb\u{9b}c\u{7f}\0", 99), "a\\u{1b}[2Jb\\u{9b}c\\u{7f}\\u{0}");
        assert_eq!(harmless("\u{202e}x\u{2066}y\u{61c}", 99), "\\u{202e}x\\u{2066}y\\u{61c}");
        assert_eq!(harmless("two\nlines\r\n", 99), "two lines");
        assert_eq!(harmless("é 漢字 שלום", 99), "é 漢字 שלום");
    }

    #[test]
    fn of_lines_that_are_long_or_many_both_ends_are_kept() {
        assert_eq!(harmless_lines("\na\u{1b}b\r\n  c\n\n", 99, 9), "\na\\u{1b}b\n  c");
        let long = format!("begin{}the reason", "\u{1b}é".repeat(100_000));
        let short = harmless_lines(&long, 60, 9);
        assert!(short.starts_with("begin") && short.ends_with("the reason"), "{short}");
        assert!(short.chars().count() <= 61 && !short.contains('\u{1b}'), "{short}");
        assert_eq!(harmless_lines("a\nb\nc", 9, 2), "a\nb\n…");
    }

    #[test]
    fn what_is_long_is_cut_and_its_escapes_are_counted() {
        assert_eq!(harmless("abcdef", 4), "abc…");
        assert_eq!(harmless("\u{1b}\u{1b}", 8), "\\u{1b}…");
        assert!(harmless(&"\u{1b}".repeat(9_000), 500).chars().count() <= 500);
    }

    #[test]
    fn what_is_harmless_stays_as_it_is() {
        for text in ["", "plain", "\u{1b}]0;title\u{7}", &"x".repeat(600)] {
            let once = harmless(text, 500);
            assert_eq!(harmless(&once, 500), once);
        }
    }
}
