//! The boot of one layer by itself: it is started, asked for every benchmark and ended, with one retry.
//!
//! In the simulated machine a row depends on all that its boot measured before, so the rows of a block are of one boot: the retry
//! measures all of them.

use super::booting::Booted;
use super::series::{Length, measure};
use crate::decide::block::Block;
use crate::plan::slot::Slot;
use crate::record::observer::Event;
use crate::record::recorder::{Ended, Failure, Recorder, Stop};
use tare_proto::Machine;

/// One boot of a block, with one retry; on a real machine that repeats no benchmark that is recorded.
pub(crate) fn boot_alone(recorder: &mut Recorder, block: &Block, slot: Slot) -> Result<(), Stop> {
    let mut suspect: Option<usize> = None;
    for attempt in 1..=2 {
        let slot = Slot { attempt, ..slot };
        let benches = block.lacking(&recorder.history, &slot, suspect);
        if benches.is_empty() {
            return Ok(());
        }
        match boot_once(recorder, block, slot, &benches) {
            Ok(()) => return Ok(()),
            Err(Ended::Campaign(error)) => return Err(error.into()),
            Err(Ended::Failed(failure)) => {
                recorder.failed(&slot, &failure, suspect)?;
                if attempt == 1 && recorder.setup.plan.machine == Machine::Sim {
                    recorder.store.forget_series(failure.boot)?;
                    recorder.history.forget(&slot);
                }
                suspect = failure.during;
            }
        }
    }
    Ok(())
}

/// Boots once and measures `benches`.
fn boot_once(
    recorder: &mut Recorder,
    block: &Block,
    slot: Slot,
    benches: &[usize],
) -> Result<(), Ended<Failure>> {
    let setup = recorder.setup;
    let mut booted = Booted::start(recorder, slot, benches, &block.samples)?;
    let length = if booted.is_sustained(setup) { Length::Sustained } else { Length::Usual };
    for (index, &bench) in benches.iter().enumerate() {
        if !block.lacks(&recorder.history, &slot, bench) {
            continue; // another row of the same program has filled it
        }
        let name = &setup.benches[bench].name;
        recorder.observer.event(Event::Benchmark { name, number: index + 1, of: benches.len() });
        let recorded = match measure(recorder, &mut booted, bench, &block.samples, length) {
            Ok(recorded) => recorded,
            Err(error) => {
                return Err(Ended::Failed(booted.abandon(recorder, error, Some(bench))?));
            }
        };
        for (bench, recorded) in setup.filled(bench, recorded) {
            if block.lacks(&recorder.history, &slot, bench) {
                recorder.store.record(booted.boot, &recorded)?;
                recorder.note(&slot, bench, &recorded)?;
            }
        }
    }
    Ok(booted.end(recorder, benches)?)
}
