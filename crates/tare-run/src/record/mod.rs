//! Keeps what happens: in the store, in the history that decisions are made from, and before an observer.

pub(crate) mod counts;
pub(crate) mod found;
pub(crate) mod functions;
pub(crate) mod history;
pub(crate) mod observer;
pub(crate) mod recorder;
