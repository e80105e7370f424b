//! Making text of an untrusted origin harmless on a terminal, in a log and on a page.

/// `text` on one line, in at most `most` characters; a longer text ends in `…`. Characters that could control a terminal or
/// mislead a reader are written as escapes: control characters (C0 and C1), marks that change the direction of writing,
/// and invisible ones.
#[must_use]
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

/// Control characters, and the invisible ones that separate lines, turn the direction of text or hide in it.
fn steers(c: char) -> bool {
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
