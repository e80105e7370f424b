//! Whose a thread is: as somebody has said before the window, and of threads that began in it as those who began them.

use crate::observer::Trace;
use crate::record::Happened;
use std::collections::HashMap;
use tare_proto::outside::Part;

/// The threads of a layer, each with its part.
#[derive(Debug, Clone, Default)]
pub struct Threads {
    parts: HashMap<u32, Part>,
}

impl Threads {
    /// Of threads by their number.
    pub fn new(known: impl IntoIterator<Item = (u32, Part)>) -> Threads {
        Threads { parts: known.into_iter().collect() }
    }

    /// Those that began in the window belong to whoever began them, unless they are known.
    pub fn follow(&mut self, trace: &Trace) {
        for record in &trace.records {
            if let Happened::Fork { tid, .. } = record.what
                && let Some(part) = self.part(record.tid)
            {
                self.parts.entry(tid).or_insert(part);
            }
        }
    }

    /// Whose this thread is; `None` of one that is not the layer's.
    #[must_use]
    pub fn part(&self, tid: u32) -> Option<Part> {
        self.parts.get(&tid).copied()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}
