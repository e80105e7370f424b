//! What is recorded of a running campaign: series, warnings, and failures with what is to blame for them.

use super::history::History;
use super::observer::{Event, Observer};
use crate::host::machine::OwnCost;
use crate::plan::setup::Setup;
use crate::plan::slot::Slot;
use tare_layers::SessionError;
use tare_store::{CUT_OFF, Outcome, Recorded, Store, StoreError, Warning};

/// Why a campaign could not go on. What is recorded stays.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The campaign's directory failed.
    #[error(transparent)]
    Store(#[from] StoreError),
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

/// Why a part of a campaign did not come to its end.
pub(crate) enum Ended<F> {
    /// It has failed in this way; the campaign goes on.
    Failed(F),
    /// The campaign cannot go on.
    Campaign(RunError),
}

impl<F, E: Into<RunError>> From<E> for Ended<F> {
    fn from(error: E) -> Ended<F> {
        Ended::Campaign(error.into())
    }
}

/// A boot that ended early.
pub(crate) struct Failure {
    /// The boot's row.
    pub boot: i64,
    pub error: SessionError,
    pub console: String,
    /// The benchmark that was being measured.
    pub during: Option<usize>,
}

impl Failure {
    /// What the store keeps of it.
    pub(crate) fn why(&self) -> String {
        match self.error {
            SessionError::Interrupted => CUT_OFF.into(),
            _ => self.error.to_string(),
        }
    }
}

/// Keeps what happens in a campaign.
pub(crate) struct Recorder<'a> {
    pub setup: &'a Setup<'a>,
    pub store: Store,
    pub history: History,
    pub observer: &'a mut dyn Observer,
    /// What tare itself has cost while layers measured.
    pub own: OwnCost,
}

impl Recorder<'_> {
    /// Notes what the store has of a benchmark, with what the probe remarks of it.
    pub(crate) fn note(
        &mut self,
        slot: &Slot,
        bench: usize,
        recorded: &Recorded,
    ) -> Result<(), RunError> {
        let setup = self.setup;
        self.history.note(
            slot.key(bench),
            &setup.benches[bench],
            recorded,
            setup.plan.most_waited(),
        );
        let note = &recorded.series.note;
        if note.is_empty() {
            return Ok(());
        }
        let layer = Some(self.setup.layers[slot.layer].name.as_str().into());
        let benchmark = Some(self.setup.benches[bench].name.as_str().into());
        Ok(self.store.warn(&Warning { layer, benchmark, text: note.as_str().into() })?)
    }

    /// Records a warning and shows it.
    pub(crate) fn warn(&mut self, layer: Option<usize>, text: &str) -> Result<(), RunError> {
        let layer = layer.map(|layer| self.setup.layers[layer].name.as_str());
        let said = layer.map(|layer| format!("{layer}: {text}"));
        self.observer.event(Event::Warning(said.as_deref().unwrap_or(text)));
        let layer = layer.map(Into::into);
        Ok(self.store.warn(&Warning { layer, benchmark: None, text: text.into() })?)
    }

    /// Warns of what has been left of a layer that has ended.
    pub(crate) fn warn_not_removed(
        &mut self,
        layer: usize,
        left: &[String],
    ) -> Result<(), RunError> {
        left.iter().try_for_each(|path| self.warn(Some(layer), &format!("not removed: {path}")))
    }

    /// A boot has ended early. After a second failure in a block, what is to blame is not tried again: the `suspect`, which
    /// is the benchmark that was being measured both times, or else the layer.
    pub(crate) fn failed(
        &mut self,
        slot: &Slot,
        failure: &Failure,
        suspect: Option<usize>,
    ) -> Result<(), Stop> {
        if matches!(failure.error, SessionError::Interrupted) {
            return Err(Stop::Interrupted);
        }
        let why = failure.error.to_string();
        let layer = &self.setup.layers[slot.layer].name;
        let again = slot.attempt == 1;
        self.observer.event(Event::BootFailed { layer, why: &why, again });
        if again {
            return Ok(());
        }
        let Some(during) = failure.during else {
            if self.history.did_not_boot(slot.layer, slot.block) {
                let text = "did not boot in two blocks running, and is left out from there on";
                self.warn(Some(slot.layer), text)?;
            }
            return Ok(());
        };
        if suspect == Some(during) {
            for bench in self.setup.of_one_run(during) {
                let name = &self.setup.benches[bench].name;
                let recorded = Recorded::without_samples(name, Outcome::Failed, &why);
                self.store.record(failure.boot, &recorded)?;
                self.note(slot, bench, &recorded)?;
                self.history.fatal.insert((slot.layer, bench));
            }
        }
        Ok(())
    }

    /// Whether the probe of `layer` is asked for this benchmark at all.
    pub(crate) fn is_asked(&self, layer: usize, bench: usize) -> bool {
        !self.setup.is_of_host(bench) && !self.history.fatal.contains(&(layer, bench))
    }
}
