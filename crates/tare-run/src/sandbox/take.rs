//! The steps of a visit, taken.

use super::steps::Step;
use super::visit::{Done, Means, Visit};
use std::time::Instant;

impl Visit {
    /// Takes one step; `number` counts the layer's starts.
    pub fn step(&mut self, step: Step, means: &Means, number: &mut dyn FnMut() -> u32) -> Done {
        let &Means { ref starter, within, work, state } = means;
        let begin = Instant::now();
        let done = match step {
            Step::Warm => self.repeated(within, &mut |visit| visit.warm(starter, number())),
            Step::Task => self.repeated(within, &mut |visit| visit.task(starter, number())),
            Step::Cold if self.given_up() => Ok(()),
            Step::Cold => self.cold(starter, number()),
            Step::Restore | Step::Clones { .. } if self.given_up() => Ok(()),
            Step::Restore => self.restores(state, starter, number),
            Step::Clones { count } => self.clones(count, state, starter, number),
            Step::Crowd { .. } | Step::Beside { .. } if self.given_up() => Ok(()),
            Step::Crowd { count, watch } => self.crowd(count, watch, starter, number),
            Step::Beside { count } => self.beside(count, work, starter, number),
        };
        self.seconds += begin.elapsed().as_secs_f64();
        done
    }
}
