//! Redis' protocol (RESP2): a command as an array of strings, and where its answer ends.

use super::answer::Answer;

/// Most arrays within each other.
const DEPTH: u32 = 8;

/// The command of these words; `PING` when there are none.
pub fn request(words: &str) -> Vec<u8> {
    let words: Vec<&str> = words.split_whitespace().collect();
    let words = if words.is_empty() { vec!["PING"] } else { words };
    let mut bytes = format!("*{}\r\n", words.len());
    for word in words {
        bytes += &format!("${}\r\n{word}\r\n", word.len());
    }
    bytes.into()
}

/// Reads an answer.
pub fn answer(bytes: &[u8]) -> Answer {
    match value(bytes, 0) {
        Some(Some(length)) => {
            Answer::Whole { length, good: bytes.first() != Some(&b'-'), closes: false }
        }
        Some(None) => Answer::Partial,
        None => Answer::Garbage,
    }
}

/// The length of the value at the begin of `bytes`; `Some(None)` when it is not all there, `None` when it is none.
fn value(bytes: &[u8], depth: u32) -> Option<Option<usize>> {
    let Some(kind) = bytes.first() else { return Some(None) };
    if !b"+-:$*".contains(kind) || depth > DEPTH {
        return None;
    }
    let Some(line) = bytes.windows(2).position(|two| two == b"\r\n") else { return Some(None) };
    let mut at = line + 2;
    if b"+-:".contains(kind) {
        return Some(Some(at));
    }
    let count: i64 = std::str::from_utf8(&bytes[1..line]).ok()?.parse().ok()?;
    let Ok(count) = usize::try_from(count) else { return Some(Some(at)) }; // -1: nothing
    if *kind == b'$' {
        at = at.checked_add(count)?.checked_add(2)?;
        return Some((at <= bytes.len()).then_some(at));
    }
    for _ in 0..count {
        match value(&bytes[at..], depth + 1)? {
            Some(length) => at += length,
            None => return Some(None),
        }
    }
    Some(Some(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_answer_has_its_end() {
        for text in ["+PONG\r\n", ":12\r\n", "$3\r\nabc\r\n", "$-1\r\n", "*2\r\n:1\r\n$1\r\nx\r\n"]
        {
            let whole = Answer::Whole { length: text.len(), good: true, closes: false };
            assert_eq!(answer(format!("{text}+more").as_bytes()), whole, "{text}");
            for end in 0..text.len() {
                assert_eq!(answer(&text.as_bytes()[..end]), Answer::Partial, "{text} {end}");
            }
        }
        let error = answer(b"-ERR no\r\n");
        assert_eq!(error, Answer::Whole { length: 9, good: false, closes: false });
        assert_eq!(answer(b"HTTP/1.1 400\r\n"), Answer::Garbage);
        assert_eq!(answer("*1\r\n".repeat(20).as_bytes()), Answer::Garbage);
    }
}
