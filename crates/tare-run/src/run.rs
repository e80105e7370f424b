//! The campaign's main loop: it runs blocks until the budget is used or the wanted number of blocks is complete.

use crate::decide::allocation::next_block;
use crate::decide::block::Block;
use crate::decide::budget::Budget;
use crate::decide::forecast::{fit, predicted};
use crate::decide::runs::{expected, runs};
use crate::decide::so_far::so_far;
use crate::host::machine::OwnCost;
use crate::measure::alone::boot_alone;
use crate::measure::observed::observe;
use crate::measure::together::Together;
use crate::plan::sandbox_benches::is_row;
use crate::plan::setup::Setup;
use crate::plan::slot::Slot;
use crate::record::history::History;
use crate::record::observer::{Event, Observer};
use crate::record::recorder::{Recorder, RunError, Stop};
use crate::sandbox::{Place, visits};
use tare_store::{Order, Role, Store};

/// How a campaign ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// All blocks are done, or the budget is used.
    Finished,
    /// Somebody interrupted it; `resume` goes on.
    Interrupted,
}

/// Runs blocks until the plan is done, after what `history` holds; the store is closed as one file. How it ended, and what
/// tare itself cost.
///
/// # Errors
/// The store fails.
pub fn run(
    setup: &Setup,
    store: Store,
    history: History,
    observer: &mut dyn Observer,
) -> Result<(Ending, OwnCost), RunError> {
    let mut recorder = Recorder { setup, store, history, observer, own: OwnCost::default() };
    recorder.store.mark_interrupted()?;
    recorder.store.set_state("running")?;
    let ending = match blocks(&mut recorder) {
        Ok(()) => Ending::Finished,
        Err(Stop::Interrupted) => Ending::Interrupted,
        Err(Stop::Error(error)) => return Err(error),
    };
    let state = if ending == Ending::Finished { "finished" } else { "interrupted" };
    recorder.store.set_state(state)?;
    recorder.store.close()?;
    Ok((ending, recorder.own))
}

/// A block belongs to one run of tare: a block that an earlier run left incomplete is not continued.
fn blocks(recorder: &mut Recorder) -> Result<(), Stop> {
    let plan = &recorder.setup.plan;
    let budget = Budget::new(plan.budget_s, plan.blocks, recorder.history.used);
    let mut said = false;
    for number in recorder.history.begun().. {
        let mut wanted = next_block(recorder.setup, &recorder.history);
        recorder.history.runs = runs(recorder.setup, &recorder.history, &wanted, &budget);
        fit(recorder, &mut wanted, &budget)?;
        if wanted.is_empty() {
            return Ok(());
        }
        let planned = Block::plan(recorder.setup, &recorder.history, number, wanted, &budget);
        recorder.store.begin_block(number)?;
        recorder.history.begin_block(number);
        block(recorder, &planned, &budget)?;
        let is_last = plan.blocks.is_some_and(|blocks| recorder.history.whole() + 1 >= blocks);
        if plan.events || !is_last {
            say_so_far(recorder);
        }
        observe(recorder, &planned)?;
        recorder.store.end_block(number)?;
        recorder.history.end_block();
        if !said {
            let expected = expected(recorder.setup, &recorder.history, &budget);
            said = !expected.is_empty();
            expected.iter().for_each(|one| recorder.observer.event(Event::Expected(one)));
        }
    }
    Ok(())
}

/// Makes every boot of `block`.
fn block(recorder: &mut Recorder, block: &Block, budget: &Budget) -> Result<(), Stop> {
    let setup = recorder.setup;
    let is_visited =
        |slot: &Slot| slot.role != Role::OneCpu && block.wants(setup, slot.layer, is_row);
    let visited = slots_of(setup, block, is_visited);
    let booted =
        slots_of(setup, block, |slot| block.wants(setup, slot.layer, |bench| !is_row(bench)));
    let boots = booted.len();
    let all = boots + visited.len();
    say_begin(recorder, block, budget, all);
    let history = &recorder.history;
    let (alone, turning): (Vec<Slot>, Vec<Slot>) =
        booted.into_iter().partition(|slot| is_alone(setup, history, slot));
    let alone = match turning.is_empty() {
        true => alone,
        false => Together::new(alone).run(recorder, block, &turning, budget)?,
    };
    let together = boots - alone.len();
    for (at, slot) in alone.into_iter().enumerate() {
        boot_alone(recorder, block, slot)?;
        block.progress(recorder, budget, together + at + 1, all);
        if together + at + 1 < all {
            say_so_far(recorder);
        }
    }
    if visited.is_empty() {
        return Ok(());
    }
    visits(recorder, block, &visited, budget, Place { done: boots, of: all })
}

fn say_begin(recorder: &mut Recorder, block: &Block, budget: &Budget, boots: usize) {
    let number = block.number + 1;
    let done = recorder.history.whole();
    let predicted = predicted(recorder.setup, &recorder.history, &block.wanted);
    let of = block.number - done + budget.expected_blocks(done, predicted);
    recorder.observer.event(Event::Block { number, of: of.max(number), boots });
}

/// Says what the layers cost by the rows that there are, if there are any.
fn say_so_far(recorder: &mut Recorder) {
    let told = so_far(recorder.setup, &recorder.history);
    if !told.is_empty() {
        recorder.observer.event(Event::SoFar(&told));
    }
}

fn slots_of(setup: &Setup, block: &Block, is_one: impl Fn(&Slot) -> bool) -> Vec<Slot> {
    block.slots(setup).into_iter().filter(is_one).collect()
}

/// Whether a boot has the machine to itself: a layer that is told everything before it starts takes no turns.
fn is_alone(setup: &Setup, history: &History, slot: &Slot) -> bool {
    setup.plan.order == Order::Boots
        || setup.layers[slot.layer].layer.scripted()
        || history.alone.contains(&slot.layer)
}
