//! What a running campaign is made of, and what every part of it needs: which layers run, and warnings.

use crate::allocate::Field;
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
    pub(crate) fn baseline(&self) -> usize {
        self.layers.iter().position(|layer| layer.name == self.plan.baseline).unwrap_or(0)
    }

    /// The layers that can run and have not been given up.
    pub(crate) fn alive(&self) -> Vec<usize> {
        let able = |&layer: &usize| self.layers[layer].trial_s.is_some();
        (0..self.layers.len()).filter(|i| able(i) && !self.history.is_given_up(*i)).collect()
    }

    /// What allocation needs to know of `layers`.
    pub(crate) fn field<'a>(&self, layers: &'a [usize]) -> Field<'a> {
        let (baseline, benches) = (self.baseline(), self.benches.len());
        Field { layers, baseline, benches, target: self.plan.width }
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
