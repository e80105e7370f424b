//! HTTP/1.1: one GET, and where its answer ends (RFC 9112, section 6).

use super::answer::Answer;
use httparse::{EMPTY_HEADER, Response, Status, parse_chunk_size};

/// Most headers of an answer.
const HEADERS: usize = 64;

/// A request for `path`, on a connection that stays.
pub fn request(host: &str, path: &str) -> Vec<u8> {
    format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: tare\r\nAccept: */*\r\n\r\n")
        .into()
}

/// Reads an answer. One whose end is only the end of the connection is not understood.
pub fn answer(bytes: &[u8]) -> Answer {
    let mut headers = [EMPTY_HEADER; HEADERS];
    let mut response = Response::new(&mut headers);
    let head = match response.parse(bytes) {
        Ok(Status::Complete(head)) => head,
        Ok(Status::Partial) => return Answer::Partial,
        Err(_) => return Answer::Garbage,
    };
    let code = response.code.unwrap_or(0);
    let value = |name: &str| {
        let mut found = response.headers.iter().filter(|it| it.name.eq_ignore_ascii_case(name));
        found.next().and_then(|header| std::str::from_utf8(header.value).ok())
    };
    let says = |name: &str, word: &str| {
        value(name).is_some_and(|value| value.to_ascii_lowercase().contains(word))
    };
    let body = match value("content-length").map(|text| text.trim().parse::<usize>()) {
        _ if says("transfer-encoding", "chunked") => chunks(&bytes[head..]),
        _ if matches!(code, 204 | 304) => Some(Some(0)),
        Some(Ok(length)) => Some((bytes.len() - head >= length).then_some(length)),
        Some(Err(_)) | None => None,
    };
    match body {
        None => Answer::Garbage,
        Some(None) => Answer::Partial,
        Some(Some(body)) => Answer::Whole {
            length: head + body,
            good: (200..400).contains(&code),
            closes: says("connection", "close") || response.version == Some(0),
        },
    }
}

/// The length of a body in chunks; `Some(None)` when it is not all there, `None` when these are no chunks.
fn chunks(bytes: &[u8]) -> Option<Option<usize>> {
    let mut at = 0;
    loop {
        let (begin, size) = match parse_chunk_size(&bytes[at..]) {
            Ok(Status::Complete(found)) => found,
            Ok(Status::Partial) => return Some(None),
            Err(_) => return None,
        };
        // Its bytes and the end of its line; what follows the last chunk is that line only, as trailers are not asked for.
        let end =
            at.checked_add(begin)?.checked_add(usize::try_from(size).ok()?)?.checked_add(2)?;
        if end > bytes.len() {
            return Some(None);
        }
        at = end;
        if size == 0 {
            return Some(Some(at));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(length: usize, good: bool, closes: bool) -> Answer {
        Answer::Whole { length, good, closes }
    }

    #[test]
    fn an_answer_ends_where_its_length_or_its_last_chunk_says() {
        let text = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP";
        assert_eq!(answer(text), whole(text.len() - 4, true, false));
        assert_eq!(answer(&text[..text.len() - 5]), Answer::Partial);
        assert_eq!(answer(&text[..10]), Answer::Partial);
        let text = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
        assert_eq!(answer(text), whole(text.len(), true, false));
        assert_eq!(answer(&text[..text.len() - 2]), Answer::Partial);
        let text = b"HTTP/1.1 503 Busy\r\nConnection: Close\r\nContent-Length: 0\r\n\r\n";
        assert_eq!(answer(text), whole(text.len(), false, true));
    }

    #[test]
    fn what_has_no_end_or_is_no_answer_is_garbage() {
        for wrong in [
            &b"SSH-2.0-x\r\n"[..],
            b"HTTP/1.1 200 OK\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffe\r\n",
        ] {
            assert_eq!(answer(wrong), Answer::Garbage, "{}", wrong.escape_ascii());
        }
    }
}
