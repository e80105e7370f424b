//! PostgreSQL's protocol 3.0: a greeting without a password, one simple query, and where its answer ends.

use super::answer::{Answer, Greeted, first_line};

/// The version of the protocol, and the user without a name of its own.
const VERSION: i32 = 3 << 16;
const USER: &str = "postgres";

/// The query of a URL without one.
const QUERY: &str = "SELECT 1";

/// What a server says before it takes queries: authentication, its parameters, a key, notices, an error, its version, that it is ready.
const GREETING: &[u8] = b"RSKNEvZ";

/// What it says to a query that copies nothing: columns, rows, the end of a command, notices, an error, that it is ready.
const ANSWER: &[u8] = b"TDCINSAEZ";

/// Most bytes of a greeting, and of a message of an answer.
const LONGEST_GREETING: usize = 64 << 10;
const LONGEST: usize = 64 << 20;

/// Severities after which a server closes the connection.
const LAST_WORDS: [&[u8]; 2] = [b"FATAL", b"PANIC"];

/// SQLSTATE of a server that is starting up.
const STARTING: &[u8] = b"57P03";

/// One message of the server.
struct Message<'a> {
    kind: u8,
    body: &'a [u8],
    /// Where the next one begins.
    end: usize,
}

/// The message with which a connection to `database` as `user` begins. The server takes the user's name for a database without one.
pub fn greeting(user: &str, database: &str) -> Vec<u8> {
    let user = if user.is_empty() { USER } else { user };
    let mut body = VERSION.to_be_bytes().to_vec();
    for (key, value) in [("user", user), ("database", database), ("application_name", "tare")] {
        if !value.is_empty() {
            body.extend_from_slice(format!("{key}\0{value}\0").as_bytes());
        }
    }
    body.push(0);
    [&length(body.len()), &body[..]].concat()
}

/// The message of a simple query.
pub fn request(query: &str) -> Vec<u8> {
    let query = if query.is_empty() { QUERY } else { query };
    [b"Q", &length(query.len() + 1)[..], query.as_bytes(), b"\0"].concat()
}

/// The length of a message, which counts its own bytes.
fn length(body: usize) -> [u8; 4] {
    (body as u32 + 4).to_be_bytes()
}

/// Reads what a server says to a greeting.
pub fn greeted(bytes: &[u8]) -> Greeted {
    let refused = |why: String| Greeted::Refused { why, early: false };
    let unlike =
        || refused(format!("it does not speak PostgreSQL's protocol 3: {}", first_line(bytes)));
    let mut at = 0;
    loop {
        let message = match message(bytes, at, GREETING, LONGEST_GREETING) {
            Some(Some(message)) => message,
            Some(None) if bytes.len() < LONGEST_GREETING => return Greeted::Partial,
            _ => return unlike(),
        };
        at = message.end;
        match (message.kind, message.body) {
            (b'R', [0, 0, 0, 0]) => {}
            (b'R', body) => return refused(wanted(body)),
            (b'E', body) => {
                let early = field(body, b'C') == Some(STARTING);
                return Greeted::Refused { why: error(body), early };
            }
            (b'Z', [_]) if at == bytes.len() => return Greeted::Ready,
            (b'Z', _) => return unlike(),
            _ => {}
        }
    }
}

/// What a server wants that asks for more than a name.
fn wanted(body: &[u8]) -> String {
    let (code, rest) = body.split_at_checked(4).unwrap_or_default();
    let method = match code.last() {
        Some(3) => "a password in clear text".to_owned(),
        Some(5) => "a password hashed by MD5".into(),
        Some(7 | 8) => "GSSAPI".into(),
        Some(9) => "SSPI".into(),
        Some(10) => {
            let name = rest.split(|byte| *byte == 0).next().unwrap_or_default();
            format!("a password by SASL ({})", first_line(name))
        }
        _ => "an authentication that is not known here".into(),
    };
    format!(
        "it asks for {method}, and only connections that it trusts are supported: see `trust` in its pg_hba.conf"
    )
}

/// Reads the answer to a query, which ends when the server is ready for the next one, or with an error after which it closes.
pub fn answer(bytes: &[u8]) -> Answer {
    let (mut at, mut good) = (0, true);
    loop {
        let message = match message(bytes, at, ANSWER, LONGEST) {
            Some(Some(message)) => message,
            Some(None) => return Answer::Partial,
            None => return Answer::Garbage,
        };
        at = message.end;
        match (message.kind, message.body) {
            (b'Z', [_]) => return Answer::Whole { length: at, good, closes: false },
            (b'Z', _) => return Answer::Garbage,
            (b'E', body) => {
                let severity = field(body, b'V').or(field(body, b'S')).unwrap_or_default();
                if LAST_WORDS.contains(&severity) {
                    return Answer::Whole { length: at, good: false, closes: true };
                }
                good = false;
            }
            _ => {}
        }
    }
}

/// What an answer that is not good says: its error, or its first line where it is none of this protocol.
pub fn refusal(bytes: &[u8]) -> String {
    let mut at = 0;
    while let Some(Some(message)) = message(bytes, at, ANSWER, LONGEST) {
        if message.kind == b'E' {
            return error(message.body);
        }
        at = message.end;
    }
    // The kind of a message that copies, and of any other that a query does not end with.
    match bytes.get(at) {
        Some(b'G' | b'H' | b'W') => "a query that copies (COPY) is not supported".into(),
        _ => first_line(bytes),
    }
}

/// An error in words: `ERROR: relation "x" does not exist (42P01)`.
fn error(body: &[u8]) -> String {
    let text = |code| first_line(field(body, code).unwrap_or_default());
    format!("{}: {} ({})", text(b'S'), text(b'M'), text(b'C'))
}

/// The field `code` of an error.
fn field(body: &[u8], code: u8) -> Option<&[u8]> {
    body.split(|byte| *byte == 0).find_map(|field| field.strip_prefix(&[code]))
}

/// The message at `at`, of one of `kinds` and with `longest` bytes at most; `Some(None)` when it is not all there, `None` when it is none.
fn message<'a>(
    bytes: &'a [u8],
    at: usize,
    kinds: &[u8],
    longest: usize,
) -> Option<Option<Message<'a>>> {
    let rest = bytes.get(at..)?;
    let Some(kind) = rest.first() else { return Some(None) };
    if !kinds.contains(kind) {
        return None;
    }
    let Some(length) = rest.get(1..5) else { return Some(None) };
    let length = u32::from_be_bytes(length.try_into().ok()?) as usize;
    if !(4..=longest).contains(&length) {
        return None;
    }
    let message = |body| Message { kind: *kind, body, end: at + 1 + length };
    Some(rest.get(5..1 + length).map(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(kind: u8, body: &[u8]) -> Vec<u8> {
        [&[kind], &length(body.len())[..], body].concat()
    }

    const READY: &[u8] = b"Z\0\0\0\x05I";
    const MISSING: &[u8] = b"SERROR\0VERROR\0C42P01\0Mrelation \"x\" does not exist\0\0";

    #[test]
    fn a_greeting_ends_when_the_server_is_ready() {
        let begin = b"\0\0\0\x2d\0\x03\0\0user\0postgres\0application_name\0tare\0\0";
        assert_eq!(greeting("", ""), begin);
        let text = greeting("me", "shop");
        assert!(text.ends_with(b"user\0me\0database\0shop\0application_name\0tare\0\0"));
        let parameter = said(b'S', b"server_version\x0015\0");
        let all = [&said(b'R', &[0; 4])[..], &parameter, &said(b'K', &[1; 8]), READY].concat();
        assert_eq!(greeted(&all), Greeted::Ready);
        for end in 0..all.len() {
            assert_eq!(greeted(&all[..end]), Greeted::Partial, "{end}");
        }
    }

    #[test]
    fn a_server_that_refuses_says_why() {
        let why = |bytes: &[u8]| match greeted(bytes) {
            Greeted::Refused { why, early } => (why, early),
            other => panic!("{other:?}"),
        };
        let (scram, _) = why(&said(b'R', b"\0\0\0\x0aSCRAM-SHA-256\0\0"));
        assert!(scram.contains("asks for a password by SASL (SCRAM-SHA-256), and only"), "{scram}");
        assert!(why(&said(b'R', b"\0\0\0\x05salt")).0.contains("hashed by MD5"));
        assert!(why(&said(b'R', b"\0")).0.contains("not known here"));
        let starting = said(b'E', b"SFATAL\0C57P03\0Mthe database system is starting up\0\0");
        let text = "FATAL: the database system is starting up (57P03)".to_owned();
        assert_eq!(why(&starting), (text, true));
        for wrong in [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], b"SSH-2.0-x\r\n", b"Z\0\0\0\x04"] {
            let (text, early) = why(wrong);
            assert!(text.starts_with("it does not speak PostgreSQL's protocol 3") && !early);
        }
        let endless = said(b'N', &[b'x'; 60]).repeat(2000);
        assert!(why(&endless[..LONGEST_GREETING + 1]).0.contains("does not speak"));
    }

    #[test]
    fn an_answer_ends_when_the_server_is_ready_or_closes() {
        assert_eq!(request(""), b"Q\0\0\0\x0dSELECT 1\0");
        let row = said(b'D', b"\0\x01\0\0\0\x011");
        let good = [&said(b'T', b"\0\0")[..], &row, &said(b'C', b"SELECT 1\0"), READY].concat();
        let length = good.len();
        let whole = Answer::Whole { length, good: true, closes: false };
        assert_eq!(answer(&[&good[..], b"more"].concat()), whole);
        for end in 0..length {
            assert_eq!(answer(&good[..end]), Answer::Partial, "{end}");
        }
        let bad = [&row[..], &said(b'E', MISSING), READY].concat();
        assert_eq!(answer(&bad), Answer::Whole { length: bad.len(), good: false, closes: false });
        assert_eq!(refusal(&bad), "ERROR: relation \"x\" does not exist (42P01)");
        let last = said(b'E', b"SFATAL\0C57P01\0Mterminating connection\0\0");
        assert_eq!(answer(&last), Answer::Whole { length: last.len(), good: false, closes: true });
    }

    #[test]
    fn what_is_no_answer_is_garbage() {
        let copy = said(b'G', b"\0\0\0");
        for wrong in [&b"HTTP/1.1 200"[..], b"D\xff\xff\xff\xff", b"D\0\0\0\x03", &copy] {
            assert_eq!(answer(wrong), Answer::Garbage, "{}", wrong.escape_ascii());
        }
        assert!(refusal(&copy).contains("COPY"));
        assert_eq!(refusal(&said(b'E', b"")), ":  ()");
    }
}
