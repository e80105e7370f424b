//! The campaign's loop: blocks until the budget is used, boots within a block, one retry each.

use crate::boot::{Failure, Slot};
use crate::budget::Budget;
use crate::observe::{Event, Observer};
use crate::order::{block_order, shuffled};
use std::collections::{HashMap, HashSet};
use tare_layers::{Host, Keeper, Layer, SessionError};
use tare_proto::BenchInfo;
use tare_store::{Campaign, Outcome, Plan, Recorded, Role, Store, StoreError, Warning};

/// A layer that failed to boot in this many blocks in a row is not booted any more.
const GIVE_UP: u32 = 2;

/// Why a campaign could not go on. What is recorded stays.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The campaign's directory failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How a campaign ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// All blocks are done, or the budget is used.
    Finished,
    /// Somebody interrupted it; `resume` goes on.
    Interrupted,
}

/// A layer of the campaign that can be booted.
pub struct Weighed {
    /// Its name.
    pub name: String,
    /// How it starts.
    pub layer: Box<dyn Layer>,
    /// Seconds that a boot takes without measuring; `None` when the layer cannot run here.
    pub trial_s: Option<f64>,
}

/// Everything that a running campaign needs.
pub struct Runner<'a> {
    /// Where everything is recorded.
    pub store: Store,
    /// What was asked for.
    pub plan: Plan,
    /// Every layer, in the scoreboard's order, the baseline among them.
    pub layers: Vec<Weighed>,
    /// Every benchmark, in the scoreboard's order.
    pub benches: Vec<BenchInfo>,
    /// What layers may use of this host.
    pub host: &'a Host,
    /// How keepers are started.
    pub keeper: &'a Keeper,
    /// Who watches.
    pub observer: &'a mut dyn Observer,
    /// Asked between steps and while waiting.
    pub interrupted: fn() -> bool,
    /// What has happened so far.
    pub history: History,
}

/// What has happened so far in a campaign, recorded by earlier runs or this one.
#[derive(Default)]
pub struct History {
    /// Benchmarks that need no more measuring, by block, layer and role.
    pub(crate) recorded: HashSet<(u32, usize, Role, String)>,
    /// Benchmarks that ended a layer twice, by layer.
    pub(crate) fatal: HashSet<(usize, String)>,
    /// Boots of each layer.
    boots: HashMap<usize, u32>,
    /// Seconds that whole boots of each layer took, and their number.
    seconds: HashMap<usize, (f64, u32)>,
    /// Blocks in a row in which a layer did not boot.
    dead: HashMap<usize, u32>,
    /// Seconds that earlier runs used.
    used: f64,
}

impl History {
    /// What `campaign` holds.
    pub fn of(campaign: &Campaign) -> History {
        let mut history = History::default();
        for boot in &campaign.boots {
            history.note_boot(boot.layer, boot.seconds.unwrap_or(0.0));
            *history.boots.entry(boot.layer).or_default() += 1;
            history.used += boot.seconds.unwrap_or(0.0);
        }
        for series in &campaign.series {
            let boot = &campaign.boots[series.boot];
            let bench = campaign.benchmarks[series.benchmark].name.clone();
            history.recorded.insert((boot.block, boot.layer, boot.role, bench));
        }
        history
    }

    fn note_boot(&mut self, layer: usize, seconds: f64) {
        let (sum, count) = self.seconds.entry(layer).or_default();
        *sum += seconds;
        *count += 1;
    }

    /// Mean seconds of a boot of `layer`; `None` before the first.
    fn boot_seconds(&self, layer: usize) -> Option<f64> {
        self.seconds.get(&layer).map(|(sum, count)| sum / f64::from(*count))
    }
}

/// Ends the campaign from deep inside.
enum Stop {
    Interrupted,
    Error(RunError),
}

impl<E: Into<RunError>> From<E> for Stop {
    fn from(error: E) -> Stop {
        Stop::Error(error.into())
    }
}

impl Runner<'_> {
    /// Runs blocks until the plan is done; the store is closed as one file.
    pub fn run(mut self) -> Result<Ending, RunError> {
        self.store.bury_running()?;
        self.store.set_state("running")?;
        let ending = match self.blocks() {
            Ok(()) => Ending::Finished,
            Err(Stop::Interrupted) => Ending::Interrupted,
            Err(Stop::Error(error)) => return Err(error),
        };
        let state = if ending == Ending::Finished { "finished" } else { "interrupted" };
        self.store.set_state(state)?;
        self.store.close()?;
        Ok(ending)
    }

    fn blocks(&mut self) -> Result<(), Stop> {
        let budget = Budget::new(self.plan.budget_s, self.plan.blocks, self.history.used);
        let mut block = 0;
        while budget.allows(block, self.predicted_block()) || self.has_begun(block) {
            self.block(block, &budget)?;
            block += 1;
        }
        Ok(())
    }

    fn block(&mut self, block: u32, budget: &Budget) -> Result<(), Stop> {
        let slots = self.slots(block);
        let (number, boots) = (block + 1, slots.len());
        let of = budget.expected_blocks(block, self.predicted_block());
        self.observer.event(Event::Block { number, of: of.max(number), boots });
        for (slot, (layer, role)) in slots.iter().enumerate() {
            self.weigh(block, slot as u32, *layer, *role)?;
            let (done, left) = budget.progress(block, slot + 1, boots, self.predicted_block());
            self.observer.event(Event::Progress { done, left });
        }
        Ok(())
    }

    /// The boots of a block that can be made.
    fn slots(&self, block: u32) -> Vec<(usize, Role)> {
        let can_run = |&layer: &usize| self.layers[layer].trial_s.is_some();
        let all: Vec<usize> = (0..self.layers.len()).filter(can_run).collect();
        let order = block_order(self.plan.seed, block, &all, self.baseline());
        let alive = |layer| self.history.dead.get(&layer).is_none_or(|&blocks| blocks < GIVE_UP);
        order.into_iter().filter(|(layer, _)| alive(*layer)).collect()
    }

    /// One layer's boot in a block, with one retry; benchmarks that are recorded are not repeated.
    fn weigh(&mut self, block: u32, slot: u32, layer: usize, role: Role) -> Result<(), Stop> {
        let mut suspect: Option<String> = None;
        for attempt in 1..=2 {
            let benches = self.lacking(block, layer, role, suspect.as_deref());
            if benches.is_empty() {
                return Ok(());
            }
            let begin = std::time::Instant::now();
            let slot = Slot { block, slot, layer, role, attempt, benches: &benches };
            let outcome = self.boot(&slot)?;
            self.history.note_boot(layer, begin.elapsed().as_secs_f64());
            let Err(failure) = outcome else {
                self.history.dead.remove(&layer);
                return Ok(());
            };
            if matches!(failure.error, SessionError::Interrupted) {
                return Err(Stop::Interrupted);
            }
            let why = failure.error.to_string();
            let (name, again) = (&self.layers[layer].name, attempt == 1);
            self.observer.event(Event::BootFailed { layer: name, why: &why, again });
            if attempt == 2 {
                self.give_up(&slot, &failure, suspect.as_deref())?;
            }
            suspect = failure.during;
        }
        Ok(())
    }

    /// After the second failure in a block: what is to blame is not tried again and again.
    fn give_up(
        &mut self,
        slot: &Slot,
        failure: &Failure,
        suspect: Option<&str>,
    ) -> Result<(), Stop> {
        let Some(bench) = &failure.during else {
            *self.history.dead.entry(slot.layer).or_default() += 1;
            if self.history.dead[&slot.layer] == GIVE_UP {
                let text = "did not boot in two blocks running, and is left out from there on";
                self.warn(Some(slot.layer), text)?;
            }
            return Ok(());
        };
        if suspect == Some(bench) {
            let recorded =
                Recorded::without_samples(bench, Outcome::Failed, &failure.error.to_string());
            self.store.record(failure.boot, &recorded)?;
            self.history.fatal.insert((slot.layer, bench.clone()));
        }
        Ok(())
    }

    /// The benchmarks that a slot still lacks, in the block's order; what ended the boot before comes
    /// last, so that everything else is measured first.
    fn lacking(&self, block: u32, layer: usize, role: Role, suspect: Option<&str>) -> Vec<String> {
        let names = self.benches.iter().map(|bench| bench.name.clone());
        let order = shuffled(self.plan.seed, 2 * u64::from(block) + 1, names.collect());
        let recorded = &self.history.recorded;
        let mut lacking: Vec<String> = order
            .into_iter()
            .filter(|bench| !recorded.contains(&(block, layer, role, bench.clone())))
            .collect();
        lacking.sort_by_key(|bench| Some(bench.as_str()) == suspect); // stable
        lacking
    }

    /// Whether an earlier run has begun this block.
    fn has_begun(&self, block: u32) -> bool {
        self.history.recorded.iter().any(|(begun, ..)| *begun == block)
    }

    /// Seconds that the next block should take.
    fn predicted_block(&self) -> f64 {
        let measuring = self.benches.len() as f64 * self.plan.series_ms as f64 / 1000.0 / 2.0;
        let boot = |layer: usize| {
            let seen = self.history.boot_seconds(layer);
            seen.unwrap_or_else(|| self.layers[layer].trial_s.unwrap_or(0.0) + measuring)
        };
        self.slots(0).iter().map(|(layer, _)| boot(*layer)).sum()
    }

    fn baseline(&self) -> usize {
        self.layers.iter().position(|layer| layer.name == self.plan.baseline).unwrap_or(0)
    }

    /// Counts a boot of `layer`: its number, from 0.
    pub(crate) fn count_boot(&mut self, layer: usize) -> u32 {
        let count = self.history.boots.entry(layer).or_default();
        *count += 1;
        *count - 1
    }

    /// Records a warning and shows it.
    pub(crate) fn warn(&mut self, layer: Option<usize>, text: &str) -> Result<(), RunError> {
        let layer = layer.map(|layer| self.layers[layer].name.clone());
        self.observer.event(Event::Warning(text));
        Ok(self.store.warn(&Warning { layer, benchmark: None, text: text.to_owned() })?)
    }
}
