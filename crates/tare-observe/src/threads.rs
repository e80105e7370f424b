//! Whose a thread is: as somebody has said before the window, and of threads that began in it as those who began them. Processes that a
//! layer's kernel starts are where its programs run: User-Mode Linux has one for each address space, gVisor's stubs are such.

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

    /// Those that began in the window belong to whoever began them, unless they are known; a process that a layer's kernel began is the
    /// program's.
    pub fn follow(&mut self, trace: &Trace) {
        for record in &trace.records {
            if let Happened::Fork { pid, tid } = record.what
                && let Some(part) = self.part(record.tid)
            {
                let is_process = pid != record.pid;
                let own = if is_process && part == Part::Kernel { Part::Program } else { part };
                self.parts.entry(tid).or_insert(own);
            }
        }
    }

    /// All but these.
    #[must_use]
    pub fn without(&self, left_out: &[u32]) -> Threads {
        let mut threads = self.clone();
        threads.parts.retain(|tid, _| !left_out.contains(tid));
        threads
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
