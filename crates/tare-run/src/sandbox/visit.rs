//! One layer's visit in a block: what its rows have so far, and whether its starts succeed.

pub(super) use super::crowd::Interrupted;
use super::image::State;
use super::ledger::Ledger;
use super::limits::{Limits, One};
use super::start::{Failed, Starter, Up};
use crate::plan::sandbox_benches::STOP;
use crate::plan::slot::Slot;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;
use tare_store::{Neighbours, Recorded};

/// Starts that may fail one after the other before the layer is left alone for the rest of the block.
const GIVE_UP: u32 = 2;

/// What the steps of a visit need.
pub(crate) struct Means<'a> {
    pub starter: Starter<'a>,
    /// Time for one turn of repeated starts.
    pub within: Duration,
    /// What is done beside neighbours.
    pub work: Option<&'a Neighbours>,
    /// What layers hold when they are saved.
    pub state: State<'a>,
}

/// A visit.
pub(crate) struct Visit {
    pub slot: Slot,
    /// The boot's row in the store.
    pub boot: i64,
    /// Time that it has taken.
    pub seconds: f64,
    /// What could not be removed.
    pub left: Vec<String>,
    pub(super) ledger: Ledger,
    /// What one layer takes, once one has started.
    pub(super) one: Option<One>,
    /// The files that it is made of, once one has started.
    pub(super) files: BTreeSet<PathBuf>,
    /// Starts that have succeeded, and those that have failed since.
    started: u32,
    failing: u32,
    pub(super) why: String,
}

pub(super) type Done = Result<(), Interrupted>;

impl Visit {
    pub fn new(slot: Slot, boot: i64) -> Visit {
        Visit {
            slot,
            boot,
            seconds: 0.0,
            left: Vec::new(),
            ledger: Ledger::default(),
            one: None,
            files: BTreeSet::new(),
            started: 0,
            failing: 0,
            why: String::new(),
        }
    }

    /// Why the layer is left alone, if it is.
    pub fn failure(&self) -> Option<&str> {
        self.given_up().then_some(self.why.as_str())
    }

    /// Whether it has started at all.
    pub fn started(&self) -> bool {
        self.started > 0
    }

    pub(super) fn given_up(&self) -> bool {
        self.failing >= GIVE_UP
    }

    /// Whether the host has room for `count` layers at once; the limit that they would hit, if not.
    pub(super) fn room(&self, count: u32) -> Result<(), String> {
        self.one.map_or(Ok(()), |one| Limits::now().check(count, &one))
    }

    /// The same of layers that each hold so many bytes more.
    pub(super) fn room_of(&self, count: u32, bytes: u64) -> Result<(), String> {
        let one = self.one.map(|one| one.with(bytes));
        one.map_or(Ok(()), |one| Limits::now().check(count, &one))
    }

    /// A layer that has started, for `row`; nothing when it has failed.
    pub(super) fn up(
        &mut self,
        row: &str,
        starter: &Starter,
        number: u32,
    ) -> Result<Option<Up>, Interrupted> {
        match starter.start(number) {
            Ok(up) => {
                self.ledger.starts(row, 1, 0, None);
                self.started += 1;
                self.failing = 0;
                Ok(Some(up))
            }
            Err(Failed::Interrupted) => Err(Interrupted),
            Err(Failed::Start(why)) => {
                self.failing += 1;
                self.ledger.starts(row, 1, 1, Some(&why));
                self.why = why;
                Ok(None)
            }
        }
    }

    pub(super) fn stop(&mut self, up: Up) {
        let stopped = up.stop();
        self.ledger.add(STOP, stopped.ns);
        self.left.extend(stopped.left);
    }

    /// What `row` has.
    pub fn recorded(&mut self, row: &str) -> Recorded {
        let failure = self.failure().map(str::to_owned);
        self.ledger.recorded(row, failure.as_deref())
    }
}
