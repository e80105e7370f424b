//! What a protocol finds at the begin of what a service sent.

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
