//! Boots that are watched from outside while they measure: they say why a row is dearer, and no value comes from them.
//!
//! A row is prepared and waits, as for a turn. Then a short turn and a longer one are watched, and what is told is the difference: the
//! conversation, the waking up and the first, cold samples are in both. Counts and times have turns of their own, since writing every
//! system call down takes more time than a cheap one does.

use super::idling::{is_idle, watch_idle};
use super::observers::{Observers, files};
use super::prices::prices;
use super::started::{Started, is_start, watch_start};
use super::turn_length::Lasts;
use super::turning::WatchedLayer;
use super::watch::{Watched, watch_row};
use crate::decide::block::Block;
use crate::host::cpus::allowed_cpus;
use crate::plan::sandbox_benches::is_row;
use crate::plan::setup::Setup;
use crate::plan::slot::{Key, to_greet};
use crate::record::history::Kept;
use crate::record::observer::Event;
use crate::record::recorder::{Recorder, RunError, Stop};
use crate::sandbox::start::Failed;
use std::time::Duration;
use tare_layers::{BootName, Session, SessionError, fresh_id};
use tare_proto::outside::MISSING;
use tare_proto::{Counter, Machine};
use tare_store::Role;

/// Blocks in which layers are watched: the counts of one boot hardly differ from another's.
const BLOCKS: u32 = 3;

/// A run that takes longer, in seconds, is watched in the first of them alone.
const LONG: f64 = 1.0;

/// Tracepoints that every layer passes; others belong to a device or a module that a host may not have.
const ALWAYS: [&str; 3] =
    ["raw_syscalls/sys_enter", "signal/signal_deliver", "exceptions/page_fault_user"];

/// Primitives are priced before every so many rows: an eighth of a second each time.
const PRICED_EVERY: usize = 3;

/// How long a layer may take to end when asked.
const FAREWELL: Duration = Duration::from_secs(5);

/// Watches every layer of `block` once, in a boot of its own, where the campaign is to be explained. What cannot be watched is said and
/// never fails the campaign.
pub(crate) fn observe(recorder: &mut Recorder, block: &Block) -> Result<(), Stop> {
    let plan = &recorder.setup.plan;
    if !plan.events || plan.machine != Machine::Real || block.number >= BLOCKS {
        return Ok(());
    }
    let cpus = if plan.cpus.is_empty() { allowed_cpus() } else { plan.all_cpus().to_vec() };
    let (mut observers, refused) = Observers::open(&cpus);
    if block.number == 0 {
        if let Some(why) = refused {
            let text = format!(
                "layers are watched only through /proc (context switches and page faults, but no system calls and no times): {why}"
            );
            recorder.warn(None, &text)?;
        }
        say_missing(recorder, &observers)?;
    }
    let layers: Vec<usize> = block.wanted.keys().copied().collect();
    for layer in layers {
        let rows = rows(recorder, block, layer);
        if rows.is_empty() || recorder.setup.layers[layer].layer.scripted() {
            continue;
        }
        match observe_layer(recorder, &mut observers, block.number, layer, &rows) {
            Ok(()) => {}
            Err(Unseen::Store(error)) => return Err(error.into()),
            Err(Unseen::Layer(SessionError::Interrupted)) => return Err(Stop::Interrupted),
            Err(Unseen::Layer(error)) => {
                let text = format!("its boot that was watched from outside ended early: {error}");
                recorder.warn(Some(layer), &text)?;
            }
            Err(Unseen::Hidden(why)) => {
                if block.number == 0 {
                    let text = format!("nothing is seen of it from outside: {why}");
                    recorder.warn(Some(layer), &text)?;
                }
            }
        }
    }
    Ok(())
}

/// Says what cannot be counted on this host, where a layer may do it.
fn say_missing(recorder: &mut Recorder, observers: &Observers) -> Result<(), Stop> {
    let missing = observers.missing().iter().filter(|one| ALWAYS.contains(&one.name));
    let missing: Vec<String> = missing.map(ToString::to_string).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let text = format!(
        "this kernel lacks tracepoints by which layers are watched from outside; what they count is missing: {}",
        missing.join("; ")
    );
    Ok(recorder.warn(None, &text)?)
}

/// Why a layer was not watched, or not to its end.
enum Unseen {
    Store(RunError),
    Layer(SessionError),
    Hidden(String),
}

impl<E: Into<RunError>> From<E> for Unseen {
    fn from(error: E) -> Unseen {
        Unseen::Store(error.into())
    }
}

/// The rows that `layer` has measured in the block and that can be watched: the probe's own, one of each program, starts, and idleness.
fn rows(recorder: &Recorder, block: &Block, layer: usize) -> Vec<usize> {
    let is_one = |bench: &usize| {
        let key = Key { block: block.number, layer, role: Role::Weigh, bench: *bench };
        let shared = recorder.setup.of_one_run(*bench).len();
        let run_s = |kept: &Kept| kept.seconds * shared as f64 / kept.samples.max(1) as f64;
        let is_due = |kept: &Kept| block.number == 0 || run_s(kept) <= LONG;
        block.wanted_of(layer).contains(bench)
            && recorder.is_asked(layer, *bench)
            && is_watched(recorder.setup, *bench)
            && recorder.history.series.get(&key).is_some_and(is_due)
    };
    let starts =
        block.wanted_of(layer).iter().filter(|bench| is_row(&recorder.setup.benches[**bench]));
    block.rows.iter().chain(starts).copied().filter(is_one).collect()
}

fn is_watched(setup: &Setup, bench: usize) -> bool {
    if is_row(&setup.benches[bench]) {
        return is_start(&setup.benches[bench]) || is_idle(&setup.benches[bench]);
    }
    let name = &setup.benches[bench].name;
    setup
        .program(bench)
        .is_none_or(|planned| planned.watched().is_some_and(|row| row.benchmark == *name))
}

fn observe_layer(
    recorder: &mut Recorder,
    observers: &mut Observers,
    block: u32,
    layer: usize,
    rows: &[usize],
) -> Result<(), Unseen> {
    let setup = recorder.setup;
    let (of_sandboxes, rows): (Vec<usize>, Vec<usize>) =
        rows.iter().partition(|bench| is_row(&setup.benches[**bench]));
    for bench in of_sandboxes {
        let name = &setup.benches[bench].name;
        let watched = match is_start(&setup.benches[bench]) {
            true => watch_start(recorder, observers, layer, bench),
            false => watch_idle(recorder, observers, layer),
        };
        match watched {
            Ok(Started { counters, left }) => {
                recorder.warn_not_removed(layer, &left)?;
                let all: Vec<Counter> = counters.into_iter().chain(missing(observers)).collect();
                let layer = &setup.layers[layer].name;
                recorder.store.at_once(|store| store.add_seen(block, layer, name, &all))?;
            }
            Err(Failed::Interrupted) => return Err(Unseen::Layer(SessionError::Interrupted)),
            Err(Failed::Start(why)) => say_unseen(recorder, (block, layer), name, &why)?,
        }
    }
    if rows.is_empty() {
        return Ok(());
    }
    let mut session = boot(recorder, layer)?;
    let watched = watch_rows(recorder, &mut session, observers, block, layer, &rows);
    let left = match &watched {
        Ok(()) => session.end(FAREWELL).left,
        Err(_) => session.abandon().left,
    };
    recorder.warn_not_removed(layer, &left)?;
    watched
}

/// Says in the first block why a row was not watched.
fn say_unseen(
    recorder: &mut Recorder,
    (block, layer): (u32, usize),
    row: &str,
    why: &str,
) -> Result<(), RunError> {
    let text = format!("{row}: not watched from outside: {why}");
    if block == 0 { recorder.warn(Some(layer), &text) } else { Ok(()) }
}

/// What no row has, since the kernel does not count it.
fn missing(observers: &Observers) -> Vec<Counter> {
    let missing = observers.missing().iter();
    missing.map(|one| Counter::new(&format!("{MISSING}{}", one.name), 1.0)).collect()
}

fn boot(recorder: &mut Recorder, layer: usize) -> Result<Session, Unseen> {
    let setup = recorder.setup;
    let number = recorder.history.count_boot(layer);
    let name = BootName { id: fresh_id(), number, ..BootName::default() };
    let made = &*setup.layers[layer].layer;
    // On as many CPUs as where its values come from.
    let cpus = setup.cpus(layer, Role::Weigh);
    let started =
        tare_layers::start(made, setup.host, setup.keeper, &name, cpus, None, setup.interrupted);
    let mut session = started.map_err(Unseen::Layer)?;
    let within = Duration::from_secs_f64(setup.plan.boot_s);
    session.greet(to_greet(setup.plan.machine, within)).map_err(Unseen::Layer)?;
    Ok(session)
}

fn watch_rows(
    recorder: &mut Recorder,
    session: &mut Session,
    observers: &mut Observers,
    block: u32,
    layer: usize,
    rows: &[usize],
) -> Result<(), Unseen> {
    if let Some(why) = session.out_of_sight() {
        return Err(Unseen::Hidden(why.to_owned()));
    }
    let setup = recorder.setup;
    let cpus = setup.cpus(layer, Role::Weigh).len();
    let made = &*setup.layers[layer].layer;
    let lasts = match session.cpu_quota() {
        Some(quota) if quota < cpus as f64 => Lasts::Quota,
        _ if setup.has_modes(layer) => Lasts::AllModes,
        _ if setup.whole_series(layer).is_some() => Lasts::BeyondPauses,
        _ => Lasts::Shortly,
    };
    let watched =
        WatchedLayer { whose: made.whose(), files: files(made), on_one_cpu: cpus == 1, lasts };
    let mut id = 0;
    let is_baseline = layer == setup.baseline();
    let layer_name = &setup.layers[layer].name;
    for (at, &bench) in rows.iter().enumerate() {
        let name = &setup.benches[bench].name;
        let (number, of) = (at + 1, rows.len());
        recorder.observer.event(Event::Watching { layer: layer_name, name, number, of });
        let mut beside = missing(observers);
        if is_baseline && at % PRICED_EVERY == 0 {
            beside.extend(prices(setup, session, bench, &mut id).map_err(Unseen::Layer)?);
        }
        let watched = Watched { setup, bench, layer: watched.clone() };
        match watch_row(&watched, session, observers, &mut id).map_err(Unseen::Layer)? {
            Ok(counters) => recorder.store.at_once(|store| {
                store.add_seen(block, layer_name, name, &beside)?;
                store.add_seen(block, layer_name, name, &counters)
            })?,
            Err(why) => say_unseen(recorder, (block, layer), name, &why)?,
        }
    }
    Ok(())
}
