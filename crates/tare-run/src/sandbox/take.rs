//! The steps of a visit, taken.

use super::start::Starter;
use super::steps::Step;
use super::visit::{Done, Visit};
use std::time::{Duration, Instant};
use tare_store::Neighbours;

impl Visit {
    /// Takes one step. `within` is the time for one turn of repeated starts, `work` what is done beside neighbours; `number` counts
    /// the layer's starts.
    pub fn step(
        &mut self,
        step: Step,
        starter: &Starter,
        (within, work): (Duration, Option<&Neighbours>),
        number: &mut dyn FnMut() -> u32,
    ) -> Done {
        let begin = Instant::now();
        let done = match step {
            Step::Warm => self.repeated(within, &mut |visit| visit.warm(starter, number())),
            Step::Task => self.repeated(within, &mut |visit| visit.task(starter, number())),
            Step::Cold if self.given_up() => Ok(()),
            Step::Cold => self.cold(starter, number()),
            Step::Crowd { .. } | Step::Beside { .. } if self.given_up() => Ok(()),
            Step::Crowd { count, watch } => self.crowd(count, watch, starter, number),
            Step::Beside { count } => self.beside(count, work, starter, number),
        };
        self.seconds += begin.elapsed().as_secs_f64();
        done
    }
}
