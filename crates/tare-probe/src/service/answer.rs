//! What a protocol finds at the begin of what a service sent.

/// Most bytes of a line that is shown.
const LINE: usize = 80;

/// What stands at the begin of some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Not yet a whole answer.
    Partial,
    /// An answer.
    Whole {
        /// Its bytes.
        length: usize,
        /// The service says that it is the answer to the request, not an error.
        good: bool,
        /// The service closes the connection after it.
        closes: bool,
    },
    /// No answer of this protocol.
    Garbage,
}

/// What a service said to the greeting with which a connection begins, in protocols that have one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Greeted {
    /// Not yet all.
    Partial,
    /// It takes requests now; all bytes that have come belong to its greeting.
    Ready,
    /// It takes none on this connection.
    Refused {
        /// What it said.
        why: String,
        /// It is only starting, and may take requests later.
        early: bool,
    },
}

/// What is said of an answer of more than `most` bytes.
pub fn too_long(most: usize) -> String {
    format!("an answer of more than {} KiB", most >> 10)
}

/// The first line of bytes from a service, as far as it is shown.
pub fn first_line(bytes: &[u8]) -> String {
    let line = bytes.split(|byte| b"\r\n".contains(byte)).next().unwrap_or_default();
    let text = String::from_utf8_lossy(&line[..line.len().min(LINE)]).into_owned();
    text.chars().filter(|c| !c.is_control()).collect()
}
