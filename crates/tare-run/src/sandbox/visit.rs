//! One layer's visit in a block: the starts that are made of it, step by step, and what each row has of them.

use super::ledger::Ledger;
use super::limits::{Limits, One};
use super::start::{Failed, Starter, Up};
use super::steps::Step;
use crate::sandbox_benches::{COLD, EXEC, HOST, KERNEL, PROBE, RATE, RUNTIME, STOP, TASK, WARM};
use crate::slot::Slot;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tare_layers::{Second, drop_cached};
use tare_store::{Neighbours, Recorded};

/// Most warm starts, and most tasks, of one turn.
const MOST: u32 = 5;

/// Starts that may fail one after the other before the layer is left alone for the rest of the block.
const GIVE_UP: u32 = 2;

/// Longest time for a second process.
const SECOND: Duration = Duration::from_secs(20);

/// What the probe does as a task, and for how many milliseconds; and what it does as a second process.
const WORK: (&str, u64) = ("sysbench/cpu", 10);
const FORK: (&str, u64) = ("lmbench/fork_exec", 100);

/// A visit is over: the campaign is interrupted.
#[derive(Debug)]
pub(crate) struct Interrupted;

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
    one: Option<One>,
    files: BTreeSet<PathBuf>,
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

    /// Takes one step. `within` is the time for one turn of repeated starts, `work` what is done beside neighbours; `number` counts
    /// the layer's starts.
    pub fn step(
        &mut self,
        step: Step,
        starter: &Starter,
        (within, work): (Duration, Option<&Neighbours>),
        number: &mut dyn FnMut() -> u32,
    ) -> Done {
        let begin = Instant::now();
        let done = match step {
            Step::Warm => self.repeated(within, &mut |visit| visit.warm(starter, number())),
            Step::Task => self.repeated(within, &mut |visit| visit.task(starter, number())),
            Step::Cold if self.given_up() => Ok(()),
            Step::Cold => self.cold(starter, number()),
            Step::Crowd { .. } | Step::Beside { .. } if self.given_up() => Ok(()),
            Step::Crowd { count, watch } => self.crowd(count, watch, starter, number),
            Step::Beside { count } => self.beside(count, work, starter, number),
        };
        self.seconds += begin.elapsed().as_secs_f64();
        done
    }

    /// Why the layer is left alone, if it is.
    pub fn failure(&self) -> Option<&str> {
        self.given_up().then_some(self.why.as_str())
    }

    /// Whether it has started at all.
    pub fn started(&self) -> bool {
        self.started > 0
    }

    fn given_up(&self) -> bool {
        self.failing >= GIVE_UP
    }

    /// As often as fits into the time, at least once.
    fn repeated(&mut self, within: Duration, once: &mut dyn FnMut(&mut Visit) -> Done) -> Done {
        let begin = Instant::now();
        for done in 1..=MOST {
            if self.given_up() {
                break;
            }
            once(self)?;
            if begin.elapsed() * (done + 1) > within * done {
                break;
            }
        }
        Ok(())
    }

    fn warm(&mut self, starter: &Starter, number: u32) -> Done {
        let Some(up) = self.up(WARM, starter, number)? else { return Ok(()) };
        self.ledger.add(WARM, up.start_ns);
        self.ledger.add(RATE, 1e9 / up.start_ns);
        self.ledger.add(HOST, up.phases.host);
        let parts =
            [(RUNTIME, up.phases.runtime), (KERNEL, up.phases.kernel), (PROBE, up.phases.probe)];
        for (row, part) in parts {
            match part {
                Ok(ns) => self.ledger.add(row, ns),
                Err(why) => self.ledger.lacks(row, why),
            }
        }
        let mut up = up;
        if self.one.is_none() {
            self.one = Some(One::of(&up));
            self.files = up.session.files();
        }
        self.second(&mut up)?;
        self.stop(up);
        Ok(())
    }

    fn cold(&mut self, starter: &Starter, number: u32) -> Done {
        let probe = starter.host.probe.as_path();
        let dropped = drop_cached(self.files.iter().map(PathBuf::as_path).chain([probe]));
        let Some(up) = self.up(COLD, starter, number)? else { return Ok(()) };
        match (up.session.told(COLD), up.session.out_of_sight(), dropped.cached) {
            (Some(told), ..) => self.ledger.add(COLD, told),
            (_, Some(why), _) => {
                let why = format!("its files are not known here: {why}");
                self.ledger.lacks(COLD, &why);
            }
            (_, _, Some((before, after))) if before == 0 || after >= before => {
                self.ledger
                    .lacks(COLD, "nothing of its files could be dropped from the page cache");
            }
            (_, _, cached) => {
                self.ledger.add(COLD, up.start_ns);
                self.ledger.count(COLD, "files", dropped.files as f64);
                self.ledger.count(COLD, "file_bytes", dropped.bytes as f64);
                if let Some((before, after)) = cached {
                    self.ledger.count(COLD, "dropped_bytes", before.saturating_sub(after) as f64);
                    self.ledger.count(COLD, "kept_bytes", after as f64);
                }
            }
        }
        self.left.extend(up.stop().left);
        Ok(())
    }

    fn task(&mut self, starter: &Starter, number: u32) -> Done {
        let Some(mut up) = self.up(TASK, starter, number)? else { return Ok(()) };
        let told = up.session.told(TASK);
        let (work, limit_ms) = WORK;
        let did = if told.is_some() { Ok(0.0) } else { asked(up.ask(work, limit_ms))? };
        let asked = up.asked;
        let stopped = up.stop();
        match did {
            Ok(_) => self.ledger.add(TASK, told.unwrap_or((stopped.at - asked).as_nanos() as f64)),
            Err(why) => self.ledger.failed(TASK, why),
        }
        self.left.extend(stopped.left);
        Ok(())
    }

    /// A second process in a layer that runs.
    fn second(&mut self, up: &mut Up) -> Done {
        let took = match (up.session.told(EXEC), up.session.second().clone()) {
            (Some(told), _) => Ok(told),
            (_, Second::Command(words)) => {
                up.session.run_second(&words, SECOND).map(|took| took.as_nanos() as f64)
            }
            (_, Second::ByProbe) => asked(up.ask(FORK.0, FORK.1))?,
            (_, Second::Unknown) => {
                self.ledger
                    .lacks(EXEC, "nothing starts a second process in a running layer of this kind");
                return Ok(());
            }
        };
        match took {
            Ok(ns) => self.ledger.add(EXEC, ns),
            Err(why) => self.ledger.failed(EXEC, why),
        }
        Ok(())
    }

    /// Whether the host has room for `count` layers at once; the limit that they would hit, if not.
    pub(super) fn room(&self, count: u32) -> Result<(), String> {
        self.one.map_or(Ok(()), |one| Limits::now().check(count, &one))
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
                (self.started, self.failing) = (self.started + 1, 0);
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

    fn stop(&mut self, up: Up) {
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

/// What came of asking the probe; an interrupt ends the visit.
fn asked(answer: Result<f64, Failed>) -> Result<Result<f64, String>, Interrupted> {
    match answer {
        Ok(sample) => Ok(Ok(sample)),
        Err(Failed::Start(why)) => Ok(Err(why)),
        Err(Failed::Interrupted) => Err(Interrupted),
    }
}
