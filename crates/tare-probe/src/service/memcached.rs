//! Memcached's text protocol: one command, and where its answer ends.

use super::answer::Answer;

/// Ends of lines that say that a command was not understood or could not be done.
const ERRORS: [&[u8]; 3] = [b"ERROR", b"CLIENT_ERROR", b"SERVER_ERROR"];

/// The command of these words; `version` when there are none.
pub fn request(words: &str) -> Vec<u8> {
    let words: Vec<&str> = words.split_whitespace().collect();
    let words = if words.is_empty() { vec!["version"] } else { words };
    format!("{}\r\n", words.join(" ")).into()
}

/// Reads an answer: a line, or values and a line after them.
pub fn answer(bytes: &[u8]) -> Answer {
    let mut at = 0;
    loop {
        let Some(end) = bytes[at..].windows(2).position(|two| two == b"\r\n") else {
            return Answer::Partial;
        };
        let line = &bytes[at..at + end];
        at += end + 2;
        if !line.starts_with(b"VALUE ") {
            let good = !ERRORS.iter().any(|error| line.starts_with(error));
            return Answer::Whole { length: at, good, closes: false };
        }
        // VALUE KEY FLAGS BYTES, and then so many bytes and the end of their line.
        let size = std::str::from_utf8(line).ok().and_then(|line| line.split(' ').nth(3));
        let size = size.and_then(|size| size.parse::<usize>().ok());
        let Some(after) = size.and_then(|size| at.checked_add(size)?.checked_add(2)) else {
            return Answer::Garbage;
        };
        if after > bytes.len() {
            return Answer::Partial;
        }
        at = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_ends_with_a_line_that_is_no_value() {
        for text in ["VERSION 1.6\r\n", "END\r\n", "VALUE a 0 4\r\n\r\nEN\r\nEND\r\n"] {
            let whole = Answer::Whole { length: text.len(), good: true, closes: false };
            assert_eq!(answer(format!("{text}more\r\n").as_bytes()), whole, "{text}");
            for end in 0..text.len() {
                assert_eq!(answer(&text.as_bytes()[..end]), Answer::Partial, "{text} {end}");
            }
        }
        let error = answer(b"CLIENT_ERROR bad\r\n");
        assert_eq!(error, Answer::Whole { length: 18, good: false, closes: false });
        assert_eq!(answer(b"VALUE a 0 -1\r\n"), Answer::Garbage);
        assert_eq!(answer(b"VALUE a 0 18446744073709551615\r\n"), Answer::Garbage);
        assert_eq!(request(" get  key"), b"get key\r\n");
    }
}
