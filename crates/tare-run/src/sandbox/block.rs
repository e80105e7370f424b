//! The visits of a block: which rows they fill, in which order their steps are taken, and what is recorded.

use super::image::{STATE, State};
use super::start::Starter;
use super::steps::{Step, TURNS, said, steps};
use super::visit::{Interrupted, Means, Visit};
use crate::decide::block::Block;
use crate::decide::budget::Budget;
use crate::decide::order::{draw, shuffled};
use crate::host::machine::now;
use crate::plan::sandbox_benches::{SERIES_MS, TASK, WARM, is_row};
use crate::plan::slot::Slot;
use crate::record::observer::Event;
use crate::record::recorder::{Recorder, RunError, Stop};
use std::time::Duration;
use tare_proto::BenchInfo;
use tare_store::CUT_OFF;

/// Where something stands in a sequence.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// How many parts are done before.
    pub done: usize,
    /// How many there are.
    pub of: usize,
}

/// Visits the layers of `slots`, which have the machine to themselves by then. `place` is where the block stands before.
pub(crate) fn visits(
    recorder: &mut Recorder,
    block: &Block,
    slots: &[Slot],
    budget: &Budget,
    place: Place,
) -> Result<(), Stop> {
    let mut visits = Vec::new();
    for &slot in slots {
        let name = &recorder.setup.layers[slot.layer].name;
        let Slot { place, role, attempt, .. } = slot;
        let boot = recorder.store.begin_boot(block.number, place, name, role, attempt, &now())?;
        visits.push(Visit::new(slot, boot));
    }
    let ended = all_steps(recorder, block, &mut visits, budget, place);
    for visit in visits {
        if matches!(ended, Err(Stop::Interrupted)) {
            recorder.warn_not_removed(visit.slot.layer, &visit.left)?;
            recorder.store.end_boot(visit.boot, visit.seconds, Some((CUT_OFF, "")))?;
        } else {
            end_visit(recorder, block, visit)?;
        }
    }
    ended
}

fn all_steps(
    recorder: &mut Recorder,
    block: &Block,
    visits: &mut [Visit],
    budget: &Budget,
    before: Place,
) -> Result<(), Stop> {
    let setup = recorder.setup;
    let all = steps_of(&setup.benches, block.wanted.values().flatten());
    for (at, &step) in all.iter().enumerate() {
        // The second highest bit keeps these draws apart from those of rows and perturbations.
        let order = draw(setup.plan.seed, u64::from(block.number) << 32 | at as u64 | 1 << 62);
        for place in shuffled(order, 0, (0..visits.len()).collect()) {
            let visit = &mut visits[place];
            if steps_of(&setup.benches, block.wanted_of(visit.slot.layer)).contains(&step) {
                take_step(recorder, visit, step, Place { done: at, of: all.len() })?;
            }
        }
        let part = (visits.len() * (at + 1)) / all.len();
        block.progress(recorder, budget, before.done + part, before.of);
    }
    Ok(())
}

/// The steps that fill `rows` of `benches`.
fn steps_of<'a>(benches: &[BenchInfo], rows: impl IntoIterator<Item = &'a usize>) -> Vec<Step> {
    steps(&rows.into_iter().map(|&at| &benches[at]).collect::<Vec<_>>())
}

fn take_step(
    recorder: &mut Recorder,
    visit: &mut Visit,
    step: Step,
    place: Place,
) -> Result<(), Stop> {
    let setup = recorder.setup;
    let layer = &setup.layers[visit.slot.layer];
    recorder.observer.event(Event::Visit {
        layer: &layer.name,
        step: &said(step),
        number: place.done + 1,
        of: place.of,
    });
    let row = if step == Step::Task { TASK } else { WARM };
    let row = setup.benches.iter().find(|bench| bench.name == row);
    let time = row.map_or(SERIES_MS, |bench| bench.series_ms);
    let means = Means {
        starter: Starter::of(setup, visit.slot.layer),
        within: Duration::from_millis(time) / TURNS,
        work: setup.plan.neighbours.as_ref(),
        state: setup.plan.saved_state.as_ref().map_or(STATE, State::Program),
    };
    let at = visit.slot.layer;
    let number = &mut || recorder.history.count_boot(at);
    visit.step(step, &means, number).map_err(|Interrupted| Stop::Interrupted)
}

/// Records what a visit found, and its end.
fn end_visit(recorder: &mut Recorder, block: &Block, mut visit: Visit) -> Result<(), RunError> {
    let Visit { slot, boot, seconds, .. } = visit;
    let benches = &recorder.setup.benches;
    recorder.warn_not_removed(slot.layer, &visit.left)?;
    let fills = |&at: &usize| is_row(&benches[at]) && block.lacks(&recorder.history, &slot, at);
    let rows: Vec<usize> = (0..benches.len()).filter(fills).collect();
    let found: Vec<_> =
        rows.into_iter().map(|at| (at, visit.recorded(&benches[at].name))).collect();
    recorder
        .store
        .at_once(|store| found.iter().try_for_each(|(_, one)| store.record(boot, one)))?;
    for (bench, recorded) in &found {
        recorder.note(&slot, *bench, recorded)?;
    }
    recorder.history.note_visit(slot.layer, seconds);
    let failure = visit.failure();
    recorder.store.end_boot(boot, seconds, failure.map(|why| (why, "")))?;
    let Some(why) = failure else {
        recorder.history.booted(slot.layer);
        return Ok(());
    };
    let layer = &recorder.setup.layers[slot.layer].name;
    recorder.observer.event(Event::BootFailed { layer, why, again: false });
    if !visit.started() && recorder.history.did_not_boot(slot.layer, slot.block) {
        let text = "did not start in two blocks running, and is left out from there on";
        recorder.warn(Some(slot.layer), text)?;
    }
    Ok(())
}
