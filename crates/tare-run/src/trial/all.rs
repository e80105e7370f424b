//! Trials of several layers. Quick ones run one after the other; while a slow one waits, the next one begins.

use super::one::{Candidate, Failed, Trials, boot};
use super::remembered::Memory;
use crate::host::cpus::allowed_cpus;
use crate::record::found::Trial;
use crate::record::observer::{Event, Observer};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};
use tare_layers::{SessionError, Unavailable, no_thread};

/// When a trial takes longer than this, the next one begins beside it. Most trials take less, and so run undisturbed.
const HEAD_START: Duration = Duration::from_secs(3);

/// The interval at which running trials are checked, and the interval at which their progress is reported.
const LOOK: Duration = Duration::from_millis(10);
const SAY: Duration = Duration::from_secs(1);

/// A running trial.
struct Trying<'scope> {
    at: usize,
    since: Instant,
    thread: ScopedJoinHandle<'scope, Result<Trial, Unavailable>>,
}

impl Trials<'_> {
    /// Tries every candidate; the outcomes in their order, without those that an interrupt cut short.
    pub fn all(
        &self,
        candidates: &[Candidate],
        observer: &mut dyn Observer,
    ) -> Vec<Option<Result<Trial, Unavailable>>> {
        let mut outcomes: Vec<_> = candidates.iter().map(|_| None).collect();
        let mut said: Option<Instant> = None;
        thread::scope(|scope| {
            let mut open: Vec<Trying> = Vec::new();
            let mut begun = 0;
            loop {
                if begun < candidates.len() && self.may_begin(candidates, begun, &open) {
                    let one = &candidates[begun];
                    match thread::Builder::new().spawn_scoped(scope, move || self.one(one)) {
                        Ok(thread) => {
                            open.push(Trying { at: begun, since: Instant::now(), thread })
                        }
                        Err(why) => {
                            let layer = one.name;
                            let outcome = Err(no_thread(&why));
                            observer.event(Event::Tried { layer, at: begun, outcome: &outcome });
                            outcomes[begun] = Some(outcome);
                        }
                    }
                    (begun, said) = (begun + 1, None);
                }
                let Some(longest) = open.first() else { break };
                if said.is_none_or(|at| at.elapsed() >= SAY) {
                    let layer = candidates[longest.at].name;
                    let since = longest.since.elapsed();
                    observer.event(Event::Trying { layer, since, within: self.within });
                    said = Some(Instant::now());
                }
                match open.iter().position(|trying| trying.thread.is_finished()) {
                    Some(ended) => {
                        let Trying { at, thread, .. } = open.remove(ended);
                        let outcome =
                            thread.join().unwrap_or_else(|e| std::panic::resume_unwind(e));
                        if !(self.interrupted)() {
                            let layer = candidates[at].name;
                            observer.event(Event::Tried { layer, at, outcome: &outcome });
                            outcomes[at] = Some(outcome);
                        }
                    }
                    None => thread::sleep(LOOK),
                }
            }
        });
        outcomes
    }

    /// Whether trial `next` may begin while those that are `open` go on.
    fn may_begin(&self, candidates: &[Candidate], next: usize, open: &[Trying]) -> bool {
        let slow = |trying: &Trying| {
            trying.since.elapsed() >= HEAD_START && !candidates[trying.at].alone()
        };
        let beside =
            !candidates[next].alone() && open.len() < allowed_cpus().len() && open.iter().all(slow);
        !(self.interrupted)() && (open.is_empty() || beside)
    }

    /// Boots one layer, unless it is remembered what comes of that.
    fn one(&self, candidate: &Candidate) -> Result<Trial, Unavailable> {
        let layer = candidate.layer;
        layer.check(self.host)?;
        let memory = Memory::of(candidate, self);
        if layer.failures_last()
            && let Some(known) = memory.recall()
        {
            return known;
        }
        let booted = boot(layer, candidate.machine, self).map_err(|failed| {
            let Failed { error, console, left } = failed;
            let mut failed = layer.explain(&error, &console);
            if lasts(&error) && layer.failures_last() {
                memory.keep(Err(&failed));
            }
            left.iter().for_each(|path| failed.why += &format!("; not removed: {path}"));
            failed
        })?;
        // What is never spoken to boots the same way again.
        if layer.scripted() && booted.left.is_empty() {
            memory.keep(Ok(&booted));
        }
        Ok(booted)
    }
}

/// Whether a failure is worth remembering: the layer was started and did not come up.
fn lasts(error: &SessionError) -> bool {
    use SessionError::{Damaged, Ended, NoGreeting, Panic, Protocol};
    matches!(error, NoGreeting(_) | Ended(_) | Panic(_) | Protocol(_) | Damaged(_))
}
