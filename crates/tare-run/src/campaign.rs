//! The campaign's loop: blocks until the budget is used, boots within a block, one retry each.

use crate::allocate::{self, Field, Wanted};
use crate::boot::{Failure, Slot};
use crate::budget::Budget;
use crate::history::History;
use crate::machine::OwnCost;
use crate::observe::{Event, Observer};
use crate::order::{block_order, shuffled};
use tare_layers::{Host, Keeper, Layer, SessionError};
use tare_proto::BenchInfo;
use tare_store::{Outcome, Plan, Recorded, Role, Store, StoreError, Warning};

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
    /// What tare itself has cost while layers measured.
    pub own: OwnCost,
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
    /// Runs blocks until the plan is done; the store is closed as one file. How it ended, and what tare
    /// itself cost.
    pub fn run(mut self) -> Result<(Ending, OwnCost), RunError> {
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
        Ok((ending, self.own))
    }

    fn blocks(&mut self) -> Result<(), Stop> {
        let budget = Budget::new(self.plan.budget_s, self.plan.blocks, self.history.used);
        for block in 0.. {
            let mut wanted = self.wanted(block);
            if !self.history.has_begun(block) {
                self.fit(&mut wanted, block, &budget);
            }
            if wanted.is_empty() {
                return Ok(());
            }
            self.block(block, &wanted, &budget)?;
        }
        Ok(())
    }

    /// What a block measures: everything when blocks are counted, what is still wide when time is.
    fn wanted(&self, block: u32) -> Wanted {
        let layers = self.alive();
        let (baseline, benches) = (self.baseline(), self.benches.len());
        let field = Field { layers: &layers, baseline, benches, target: self.plan.width };
        match self.plan.blocks {
            Some(_) => field.whole(),
            None => field.wanted(&self.history, block),
        }
    }

    /// Leaves out the dearest layers until the block fits into the budget; empty when none does.
    /// Whole blocks stay whole or are not begun.
    fn fit(&self, wanted: &mut Wanted, block: u32, budget: &Budget) {
        while !wanted.is_empty() && !budget.allows(block, self.predicted(wanted)) {
            let others = wanted.iter().filter(|(layer, _)| **layer != self.baseline());
            let cost =
                |(layer, benches): &(&usize, &Vec<usize>)| self.boot_seconds(**layer, benches);
            let dearest =
                others.max_by(|a, b| cost(a).total_cmp(&cost(b))).map(|(layer, _)| *layer);
            match dearest {
                Some(layer) if block >= allocate::WHOLE_BLOCKS && wanted.len() > 2 => {
                    wanted.remove(&layer);
                }
                _ => wanted.clear(),
            }
        }
    }

    fn block(&mut self, block: u32, wanted: &Wanted, budget: &Budget) -> Result<(), Stop> {
        let slots = self.slots(block, wanted);
        let (number, boots) = (block + 1, slots.len());
        let of = budget.expected_blocks(block, self.predicted(wanted));
        self.observer.event(Event::Block { number, of: of.max(number), boots });
        for (slot, (layer, role)) in slots.iter().enumerate() {
            self.weigh(block, slot as u32, *layer, *role, &wanted[layer])?;
            let (done, left) = budget.progress(block, slot + 1, boots, self.predicted(wanted));
            self.observer.event(Event::Progress { done, left });
        }
        Ok(())
    }

    /// The boots of a block in order. Layers that are left out do not change the others' order.
    fn slots(&self, block: u32, wanted: &Wanted) -> Vec<(usize, Role)> {
        let can_run = |&layer: &usize| self.layers[layer].trial_s.is_some();
        let all: Vec<usize> = (0..self.layers.len()).filter(can_run).collect();
        let order = block_order(self.plan.seed, block, &all, self.baseline());
        order.into_iter().filter(|(layer, _)| wanted.contains_key(layer)).collect()
    }

    /// The layers that can run and have not been given up.
    fn alive(&self) -> Vec<usize> {
        let dead =
            |layer: usize| self.history.dead.get(&layer).is_some_and(|&blocks| blocks >= GIVE_UP);
        (0..self.layers.len()).filter(|&i| self.layers[i].trial_s.is_some() && !dead(i)).collect()
    }

    /// One layer's boot in a block, with one retry; benchmarks that are recorded are not repeated.
    fn weigh(
        &mut self,
        block: u32,
        slot: u32,
        layer: usize,
        role: Role,
        wanted: &[usize],
    ) -> Result<(), Stop> {
        let mut suspect: Option<usize> = None;
        for attempt in 1..=2 {
            let benches = self.lacking(block, layer, role, wanted, suspect);
            if benches.is_empty() {
                return Ok(());
            }
            let slot = Slot { block, slot, layer, role, attempt, benches: &benches };
            let outcome = self.boot(&slot)?;
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
                self.give_up(&slot, &failure, suspect)?;
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
        suspect: Option<usize>,
    ) -> Result<(), Stop> {
        let Some(bench) = failure.during else {
            *self.history.dead.entry(slot.layer).or_default() += 1;
            if self.history.dead[&slot.layer] == GIVE_UP {
                let text = "did not boot in two blocks running, and is left out from there on";
                self.warn(Some(slot.layer), text)?;
            }
            return Ok(());
        };
        if suspect == Some(bench) {
            let (name, why) = (&self.benches[bench].name, failure.error.to_string());
            let recorded = Recorded::without_samples(name, Outcome::Failed, &why);
            self.record(failure.boot, slot, bench, &recorded)?;
            self.history.fatal.insert((slot.layer, bench));
        }
        Ok(())
    }

    /// The benchmarks that a slot still lacks, in the block's order; what ended the boot before comes
    /// last, so that everything else is measured first.
    fn lacking(
        &self,
        block: u32,
        layer: usize,
        role: Role,
        wanted: &[usize],
        suspect: Option<usize>,
    ) -> Vec<usize> {
        let all = (0..self.benches.len()).collect();
        let order = shuffled(self.plan.seed, 2 * u64::from(block) + 1, all);
        let recorded =
            |bench: usize| self.history.series.contains_key(&(block, layer, role, bench));
        let mut lacking: Vec<usize> =
            order.into_iter().filter(|bench| wanted.contains(bench) && !recorded(*bench)).collect();
        lacking.sort_by_key(|bench| Some(*bench) == suspect); // stable
        lacking
    }

    /// Seconds that a block should take.
    fn predicted(&self, wanted: &Wanted) -> f64 {
        let seconds = |(layer, benches): (&usize, &Vec<usize>)| {
            let boots = if *layer == self.baseline() { 2.0 } else { 1.0 };
            boots * self.boot_seconds(*layer, benches)
        };
        wanted.iter().map(seconds).sum()
    }

    /// Seconds that a boot of `layer` should take that measures `benches`.
    fn boot_seconds(&self, layer: usize, benches: &[usize]) -> f64 {
        let usual = |bench: usize| self.limit_ms(bench) as f64 / 1000.0 / 2.0;
        let known = |bench: usize| self.history.series_seconds(layer, bench);
        let series = |&bench: &usize| known(bench).unwrap_or_else(|| usual(bench));
        let start = self.history.overhead(layer).or(self.layers[layer].trial_s).unwrap_or(0.0);
        start + benches.iter().map(series).sum::<f64>()
    }

    /// Time for one series of a benchmark, in milliseconds: its own, or the plan's.
    pub(crate) fn limit_ms(&self, bench: usize) -> u64 {
        match self.benches[bench].series_ms {
            0 => self.plan.series_ms,
            own => own,
        }
    }

    /// Records a series in the store and in the history.
    pub(crate) fn record(
        &mut self,
        boot: i64,
        slot: &Slot,
        bench: usize,
        recorded: &Recorded,
    ) -> Result<(), RunError> {
        self.store.record(boot, recorded)?;
        let key = (slot.block, slot.layer, slot.role, bench);
        self.history.note(key, &self.benches[bench], recorded);
        Ok(())
    }

    fn baseline(&self) -> usize {
        self.layers.iter().position(|layer| layer.name == self.plan.baseline).unwrap_or(0)
    }

    /// Records a warning and shows it.
    pub(crate) fn warn(&mut self, layer: Option<usize>, text: &str) -> Result<(), RunError> {
        let layer = layer.map(|layer| self.layers[layer].name.clone());
        self.observer.event(Event::Warning(text));
        Ok(self.store.warn(&Warning { layer, benchmark: None, text: text.to_owned() })?)
    }
}
