//! What a visit does with one layer at a time: it starts it warm or cold, gives it a task, and starts a second process in it.

use super::limits::One;
use super::start::{Failed, Starter, Up};
use super::visit::{Done, Interrupted, Visit};
use crate::plan::sandbox_benches::{COLD, EXEC, HOST, KERNEL, PROBE, RATE, RUNTIME, TASK, WARM};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tare_layers::{Second, drop_cached};

/// Most warm starts, and most tasks, of one turn.
const MOST: u32 = 5;

/// Longest time for a second process.
const SECOND: Duration = Duration::from_secs(20);

/// What the probe does as a task, and for how many milliseconds; and what it does as a second process.
const WORK: (&str, u64) = ("sysbench/cpu", 10);
const FORK: (&str, u64) = ("lmbench/fork_exec", 100);

impl Visit {
    /// As often as fits into the time, at least once.
    pub(super) fn repeated(
        &mut self,
        within: Duration,
        once: &mut dyn FnMut(&mut Visit) -> Done,
    ) -> Done {
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

    pub(super) fn warm(&mut self, starter: &Starter, number: u32) -> Done {
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

    pub(super) fn cold(&mut self, starter: &Starter, number: u32) -> Done {
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

    pub(super) fn task(&mut self, starter: &Starter, number: u32) -> Done {
        let Some(mut up) = self.up(TASK, starter, number)? else { return Ok(()) };
        let told = up.session.told(TASK);
        let (work, limit_ms) = WORK;
        let failure = match told.map_or_else(|| up.ask(work, limit_ms), Ok) {
            Ok(_) => None,
            Err(Failed::Start(why)) => Some(why),
            Err(Failed::Interrupted) => return Err(Interrupted),
        };
        let asked = up.asked;
        let stopped = up.stop();
        self.left.extend(stopped.left);
        match failure {
            None => self.ledger.add(TASK, told.unwrap_or((stopped.at - asked).as_nanos() as f64)),
            Some(why) => self.ledger.failed(TASK, why),
        }
        Ok(())
    }

    /// A second process in a layer that runs.
    fn second(&mut self, up: &mut Up) -> Done {
        let took = match (up.session.told(EXEC), up.session.second().clone()) {
            (Some(told), _) => Ok(told),
            (_, Second::Command(words)) => {
                let took = up.session.run_second(&words, SECOND).map_err(Failed::Start);
                took.map(|took| took.as_nanos() as f64)
            }
            (_, Second::ByProbe) => up.ask(FORK.0, FORK.1),
            (_, Second::Unknown) => {
                self.ledger
                    .lacks(EXEC, "nothing starts a second process in a running layer of this kind");
                return Ok(());
            }
        };
        match took {
            Ok(ns) => self.ledger.add(EXEC, ns),
            Err(Failed::Start(why)) => self.ledger.failed(EXEC, why),
            Err(Failed::Interrupted) => return Err(Interrupted),
        }
        Ok(())
    }
}
