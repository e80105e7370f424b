//! The campaign's main loop: it runs blocks until the budget is used or the wanted number of blocks is complete.

use crate::allocate::Wanted;
use crate::block::Block;
use crate::budget::Budget;
use crate::machine::OwnCost;
use crate::observe::Event;
use crate::runner::{RunError, Runner, Stop};
use crate::sandbox_benches::is_row;
use tare_store::Role;

/// How a campaign ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// All blocks are done, or the budget is used.
    Finished,
    /// Somebody interrupted it; `resume` goes on.
    Interrupted,
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
            self.fit(&mut wanted, &budget)?;
            if wanted.is_empty() {
                return Ok(());
            }
            let block = self.plan_block(number, wanted, &budget);
            self.store.begin_block(number)?;
            self.history.begin_block(number);
            self.block(&block, &budget)?;
            self.store.end_block(number)?;
            self.history.end_block();
        }
        Ok(())
    }

    /// Makes every boot of `block`.
    fn block(&mut self, block: &Block, budget: &Budget) -> Result<(), Stop> {
        let slots = self.slots(block);
        let visited: Vec<(u32, usize, Role)> = self.wanting(block, &slots, is_row);
        let slots = self.wanting(block, &slots, |bench| !is_row(bench));
        let (number, boots) = (block.number + 1, slots.len() + visited.len());
        let (begun, done) = (block.number, self.history.whole());
        let of = begun - done + budget.expected_blocks(done, self.predicted(&block.wanted));
        self.observer.event(Event::Block { number, of: of.max(number), boots });
        let booted = slots.len();
        let mut parted = self.part(slots);
        if !parted.together.is_empty() {
            self.in_turns(block, &mut parted, budget)?;
        }
        let together = booted - parted.alone.len();
        for (at, (slot, layer, role)) in parted.alone.into_iter().enumerate() {
            self.boot_alone(block, slot, layer, role)?;
            self.progress(block, budget, together + at + 1, boots);
        }
        if visited.is_empty() {
            return Ok(());
        }
        self.visits(block, &visited, budget, (booted, boots))
    }

    /// What the next block measures. With a number of blocks that is everything; with a time budget, the rows whose intervals
    /// are still wide.
    fn wanted(&self) -> Wanted {
        let layers = self.alive();
        let field = self.field(&layers);
        match self.plan.blocks {
            Some(_) => field.whole(),
            None => {
                let mut wanted = self.unless_swept(field.wanted(&self.history), || field.whole());
                let left_out = &self.history.left_out;
                wanted.values_mut().for_each(|rows| rows.retain(|row| !left_out.contains(row)));
                wanted
            }
        }
    }

    /// What is `wanted`, or all of it where knobs are turned: their effects are differences between all settings of a block.
    fn unless_swept(&self, wanted: Wanted, whole: impl Fn() -> Wanted) -> Wanted {
        if self.plan.sweep.is_some() && !wanted.is_empty() { whole() } else { wanted }
    }
}
