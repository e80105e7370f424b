//! A layer that is alive and idle, watched from outside: what it does in a second in which nobody asks anything of it. No path is walked,
//! since there is no operation: the time is what the layer's threads had of any CPU.

use super::observers::{Observers, Traced, files, not_enabled};
use super::started::Started;
use crate::plan::sandbox_benches::IDLE_CPU;
use crate::record::recorder::Recorder;
use crate::sandbox::alive::{SETTLE, WATCH, idle};
use crate::sandbox::start::{Failed, Starter, Up};
use std::collections::HashMap;
use std::fs;
use std::thread;
use tare_layers::Layer;
use tare_observe::{
    Figures, Happened, Observer, Threads, Trace, counts, looks, on_cpu, places, processor, shares,
    split,
};
use tare_proto::outside::{LOST, OPERATIONS, Part, Seen, UNWATCHED, USER};
use tare_proto::{BenchInfo, Counter};

/// Whether `bench` is about what is watched here.
pub(super) fn is_idle(bench: &BenchInfo) -> bool {
    bench.name == IDLE_CPU
}

/// What an idle layer showed: it is started, left alone, watched for some seconds, and ended.
pub(super) fn watch_idle(
    recorder: &mut Recorder,
    observers: &mut Observers,
    layer: usize,
) -> Result<Started, Failed> {
    let setup = recorder.setup;
    let Observers::Traced(traced) = observers else {
        return Err(Failed::Start("only tracepoints show what an idle layer does".into()));
    };
    let up = Starter::of(setup, layer).start(recorder.history.count_boot(layer))?;
    thread::sleep(SETTLE);
    let watched = look(&up, traced, &*setup.layers[layer].layer);
    let left = up.stop().left;
    let counters = watched?.into_iter().map(|(name, value)| Counter::new(&name, value)).collect();
    Ok(Started { counters, left })
}

/// The figures of one second.
fn look(up: &Up, traced: &mut Traced, layer: &dyn Layer) -> Result<Figures, Failed> {
    let parts = up.session.parts(layer.whose()).unwrap_or_default();
    let before = ran(&parts);
    let (share, _) = idle(std::slice::from_ref(up));
    let after = ran(&parts);
    let (acts, counting) = second(&mut traced.counts, &parts)?;
    let (ticks, ticking) = second(&mut traced.clock, &parts)?;
    let mut used: Vec<(Part, f64)> = parts
        .iter()
        .map(|(tid, part)| {
            let of = |side: &HashMap<u32, f64>| side.get(tid).copied().unwrap_or(0.0);
            (*part, (of(&after) - of(&before)).max(0.0))
        })
        .collect();
    let all = share.map(|share| 1e9 * share);
    // What threads had that have come and gone meanwhile belongs to the parts that began such ones.
    let rest = all.unwrap_or(0.0) - used.iter().map(|(_, ns)| ns).sum::<f64>();
    let born = born(&acts, &counting, &parts);
    used.extend(born.iter().map(|part| (*part, rest.max(0.0) / born.len() as f64)));
    let mut times = on_cpu(used);
    split(&mut times, &looks(&ticks, &ticking), all);
    let mut figures = counts(&acts, &counting);
    if let Some(observer) = &mut traced.processor {
        let (counted, threads) = second(observer, &parts)?;
        figures.extend(processor(&counted, &threads));
    }
    figures.extend(times);
    figures.extend(shares(places(&ticks, &ticking, &files(layer))));
    figures.retain(|name, value| *value != 0.0 || name == UNWATCHED);
    // A part that has threads is there, also where they do nothing: what has none is a guest's program.
    for (_, part) in &parts {
        figures.entry(Seen::Time.counter(*part, USER)).or_default();
    }
    figures.insert(OPERATIONS.into(), 1.0);
    let lost = acts.lost + ticks.lost;
    if lost > 0 {
        figures.insert(LOST.into(), lost as f64);
    }
    Ok(figures)
}

/// A second under the eyes of `observer`, and whose the threads are that lived in it.
fn second(observer: &mut Observer, parts: &[(u32, Part)]) -> Result<(Trace, Threads), Failed> {
    let watched = observer.watch(true, || thread::sleep(WATCH));
    let (_, trace) = watched.map_err(|error| Failed::Start(not_enabled(&error)))?;
    let mut threads = Threads::new(parts.iter().copied());
    threads.follow(&trace);
    Ok((trace, threads))
}

/// The part of each thread that began in the window.
fn born(trace: &Trace, threads: &Threads, parts: &[(u32, Part)]) -> Vec<Part> {
    let is_new = |tid: u32| parts.iter().all(|(known, _)| *known != tid);
    let begun = trace.records.iter().filter_map(|record| match record.what {
        Happened::Fork { tid, .. } if is_new(tid) => threads.part(tid),
        _ => None,
    });
    begun.collect()
}

/// Nanoseconds that each thread has had of a CPU so far.
fn ran(parts: &[(u32, Part)]) -> HashMap<u32, f64> {
    let of = |tid: u32| {
        let text = fs::read_to_string(format!("/proc/{tid}/schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    };
    parts.iter().filter_map(|(tid, _)| Some((*tid, of(*tid)?))).collect()
}
