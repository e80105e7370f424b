//! The campaign's main loop: it runs blocks until the budget is used or the wanted number of blocks is complete.

use crate::allocate::{Field, Wanted};
use crate::budget::Budget;
use crate::history::History;
use crate::machine::OwnCost;
use crate::observe::{Event, Observer};
use tare_layers::{Host, Keeper, Layer};
use tare_proto::BenchInfo;
use tare_store::{Plan, Store, StoreError, Warning};

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
pub struct CampaignLayer {
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
    pub layers: Vec<CampaignLayer>,
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
pub(crate) enum Stop {
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
        self.store.mark_interrupted()?;
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

    /// A block belongs to one run of tare: a block that an earlier run left incomplete is not continued.
    fn blocks(&mut self) -> Result<(), Stop> {
        let budget = Budget::new(self.plan.budget_s, self.plan.blocks, self.history.used);
        for number in self.history.begun().. {
            let mut wanted = self.wanted();
            self.fit(&mut wanted, &budget);
            if wanted.is_empty() {
                return Ok(());
            }
            let block = self.plan_block(number, wanted);
            self.store.begin_block(number)?;
            self.history.begin_block(number);
            self.block(&block, &budget)?;
            self.store.end_block(number)?;
            self.history.end_block();
        }
        Ok(())
    }

    /// What the next block measures. With a number of blocks that is everything; with a time budget, the rows whose intervals
    /// are still wide.
    fn wanted(&self) -> Wanted {
        let layers = self.alive();
        let field = self.field(&layers);
        match self.plan.blocks {
            Some(_) => field.whole(),
            None => self.unless_swept(field.wanted(&self.history), || field.whole()),
        }
    }

    /// What is `wanted`, or all of it where knobs are turned: their effects are differences between all settings of a block.
    fn unless_swept(&self, wanted: Wanted, whole: impl Fn() -> Wanted) -> Wanted {
        if self.plan.sweep.is_some() && !wanted.is_empty() { whole() } else { wanted }
    }

    /// What allocation needs to know of `layers`.
    pub(crate) fn field<'a>(&self, layers: &'a [usize]) -> Field<'a> {
        let (baseline, benches) = (self.baseline(), self.benches.len());
        Field { layers, baseline, benches, target: self.plan.width }
    }

    /// The layers that can run and have not been given up.
    fn alive(&self) -> Vec<usize> {
        let able = |&layer: &usize| self.layers[layer].trial_s.is_some();
        (0..self.layers.len()).filter(|i| able(i) && !self.history.is_given_up(*i)).collect()
    }

    pub(crate) fn baseline(&self) -> usize {
        self.layers.iter().position(|layer| layer.name == self.plan.baseline).unwrap_or(0)
    }

    /// Records what the probe remarks of a series; nothing when it is empty.
    pub(crate) fn remark(
        &mut self,
        layer: usize,
        bench: usize,
        note: &str,
    ) -> Result<(), RunError> {
        if note.is_empty() {
            return Ok(());
        }
        let layer = Some(self.layers[layer].name.clone());
        let benchmark = Some(self.benches[bench].name.clone());
        Ok(self.store.warn(&Warning { layer, benchmark, text: note.to_owned() })?)
    }

    /// Records a warning and shows it.
    pub(crate) fn warn(&mut self, layer: Option<usize>, text: &str) -> Result<(), RunError> {
        let layer = layer.map(|layer| self.layers[layer].name.clone());
        let said = layer.as_ref().map(|layer| format!("{layer}: {text}"));
        self.observer.event(Event::Warning(said.as_deref().unwrap_or(text)));
        Ok(self.store.warn(&Warning { layer, benchmark: None, text: text.to_owned() })?)
    }
}
