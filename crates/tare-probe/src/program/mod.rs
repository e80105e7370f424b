//! Programs of the reader's: what the host asks to be run is run once a sample, from start to end.
//!
//! The host's table has the row; the probe knows only what it is told in the request. Whatever goes wrong is a failure
//! with the last lines of the output, never a sample.

mod filter;
mod foreign;
mod listen;
mod names;
#[cfg_attr(target_pointer_width = "32", path = "uncounted.rs")]
pub mod operations;
mod others;
mod output;
mod place;
mod proc;
pub mod root;
mod run;
mod server;
pub mod stage;
mod talk;
mod transfers;
mod usage;

use crate::bench::Refusal;
use crate::clock::now_ns;
use crate::facts;
use crate::harness;
use crate::mark;
use crate::service::outside;
use crate::sys::uid;
use crate::turns::Turns;
use crate::watch::Watch;
use others::Others;
pub use place::is_tmpfs;
use root::Root;
use run::{Ran, Surroundings};
use server::Server;
pub use talk::Talk;
use tare_proto::counter::COUNTING_SLOWDOWN;
use tare_proto::{
    COUNT_OPERATIONS, Counter, ITSELF, MAX_OUTPUTS, OPERATION_COUNTER, Program, Request, Series,
};
use usage::Usage;

/// Runs `program` as often as `request` asks, in `turns`.
pub fn measure(program: &Program, request: &Request, turns: Turns) -> Result<Series, Refusal> {
    harness::guarded(request, || series(program, request, turns))
}

fn series(program: &Program, request: &Request, turns: Turns) -> Result<Series, Refusal> {
    has_memory(program.memory_mib, facts::memory_kib("MemTotal") / 1024)?;
    if outside::is_asked_by(&program.command) {
        outside::peer().map_err(Refusal::Unavailable)?;
    }
    let root = root::root(program.own_network).map_err(Refusal::Unavailable)?;
    root::forget_files();
    let mut place = Surroundings { program, root, others: Others::now() };
    let around = &program.around;
    shell(&place, "setup", &around.setup)?;
    let mut server = Server::start(&mut place)?;
    let mut last = 0;
    for _ in 0..program.warmup {
        shell(&place, "prepare", &around.prepare)?;
        last = beside(&mut server, || once(&place, None))?.ns;
    }
    turns.prepared(last);
    let watch = Watch::marking(request.id, turns);
    let mut samples = Vec::new();
    let mut outputs = Vec::new();
    let mut usage = Usage::default();
    // A run that is watched from outside has a turn of its own, after that in which it is prepared.
    let apart = request.term.is_some() && !around.prepare.is_empty();
    for _ in 0..request.samples.max(1) {
        watch.turn();
        shell(&place, "prepare", &around.prepare)?;
        if apart {
            watch.turn();
        }
        let ran = beside(&mut server, || once(&place, Some(&watch)))?;
        samples.push(ran.ns as f64);
        usage.add(&ran.usage, ran.transfers);
        if program.outputs {
            outputs.push(ran.output);
        }
        if watch.is_over() {
            break;
        }
    }
    mark::end_of_series();
    let mut counters = usage.counters(samples.len());
    if request.events {
        counters.extend(explained(&place)?);
    }
    if is_bare(&place, request.events) {
        counters.extend(operations(&place, &samples, &usage)?);
    }
    drop(server);
    shell(&place, "teardown", &around.teardown)?;
    let turns = watch.turns(samples.len());
    output::share(&mut outputs, MAX_OUTPUTS);
    Ok(Series {
        samples,
        turns,
        ops: 1,
        warmup: program.warmup,
        counters,
        outputs,
        ..Series::default()
    })
}

/// What came of a `run` beside a server. That the server has failed explains more than what the program says of it.
fn beside(server: &mut Server, run: impl FnOnce() -> Result<Ran, Refusal>) -> Result<Ran, Refusal> {
    let ran = run();
    server.has_not_failed()?;
    ran
}

/// What is counted in a run of its own: perf events.
fn explained(place: &Surroundings) -> Result<Vec<Counter>, Refusal> {
    let watch = Watch::events();
    shell(place, "prepare", &place.program.around.prepare)?;
    once(place, Some(&watch))?;
    Ok(watch.counters())
}

/// Whether the program runs without a layer, so that its operations are what `tare predict` prices, and they are asked for.
fn is_bare(place: &Surroundings, events: bool) -> bool {
    // An ordinary user's program sees the host's files as they are; whoever is in a container is root there.
    let as_it_is = matches!(place.root, Root::Here) && uid() != 0;
    let on_host = as_it_is || matches!(place.root, Root::Namespaces(..));
    (on_host && events) || counts_operations()
}

fn counts_operations() -> bool {
    let set = std::env::var(COUNT_OPERATIONS);
    set.or_else(|_| std::fs::read_to_string(format!("/{COUNT_OPERATIONS}")))
        .is_ok_and(|set| set == "1")
}

/// What is counted in a run of its own: the program's system calls, and the operations that `tare predict` prices. Switches are
/// those of the runs that took `samples`.
fn operations(
    place: &Surroundings,
    samples: &[f64],
    usage: &Usage,
) -> Result<Vec<Counter>, Refusal> {
    shell(place, "prepare", &place.program.around.prepare)?;
    let ns = harness::median(samples).max(1.0);
    let begin = now_ns();
    let counted = operations::count(place, ns, usage.transfers(samples.len()));
    let slowdown = (now_ns() - begin) as f64 / ns;
    let mut counters = counted.map_err(|why| Refusal::Failed(format!("its operations: {why}")))?;
    let switches = usage.all_switches(samples.len());
    counters.push(Counter::new(&format!("{OPERATION_COUNTER}switch"), switches));
    counters.push(Counter::new(COUNTING_SLOWDOWN, slowdown));
    Ok(counters)
}

/// Refuses a layer that has clearly less memory than is needed. A guest's kernel keeps some of what the guest is given.
fn has_memory(needed_mib: u64, mib: u64) -> Result<(), Refusal> {
    if mib == 0 || 4 * mib >= 3 * needed_mib {
        return Ok(());
    }
    Err(Refusal::Unavailable(format!(
        "it needs {needed_mib} MiB of memory and this layer has {mib}: give it memory={needed_mib}M"
    )))
}

/// One run of the program, under a `watch`; what it leaves behind is ended, outside of its time.
fn once(place: &Surroundings, watch: Option<&Watch>) -> Result<Ran, Refusal> {
    let Program { command: words, input, .. } = place.program;
    let ran = run::run(place, words, input.as_deref(), watch);
    let refusal = match ran.map(|ran| (ran.ended.why(), ran)) {
        Ok((None, ran)) => return Ok(ran),
        Ok((Some(why), ran)) => {
            let what = if words[0] == ITSELF { "tare's client" } else { &words[0] };
            failed(what, &why, &ran.output)
        }
        Err(why) => Refusal::Failed(why.to_string()),
    };
    Err(match foreign::is_refused(place, &words[0]) {
        true => Refusal::Unavailable(format!(
            "{} is a 32-bit program, and this layer's kernel runs none (gVisor's and User-Mode Linux's never do)",
            words[0]
        )),
        false => refusal,
    })
}

/// Runs `text` in the root's shell, unless it is empty.
fn shell(place: &Surroundings, what: &str, text: &str) -> Result<(), Refusal> {
    if text.is_empty() {
        return Ok(());
    }
    let ran = run::run(place, &run::in_shell(text), None, None);
    let ran = ran.map_err(|why| Refusal::Failed(format!("{what}: {why}")))?;
    match ran.ended.why() {
        None => Ok(()),
        Some(why) => Err(failed(what, &why, &ran.output)),
    }
}

/// A failure, with the last lines of what was printed; the console gets more of them.
fn failed(what: &str, why: &str, output: &str) -> Refusal {
    eprintln!("tare-probe: {what} {why}; the last of what it printed:\n{}", output::end(output));
    let lines = output::last_lines(output);
    let is_full = output.to_lowercase().contains(FULL);
    let room = is_full.then(root::room).flatten();
    let room = room.map(|room| format!("; {room}")).unwrap_or_default();
    Refusal::Failed(match lines.is_empty() {
        true => format!("{what} {why} and printed nothing"),
        false => format!("{what} {why}; its last lines: {lines}{room}"),
    })
}

/// What programs print, in one case or another, where a file system is full.
const FULL: &str = "no space left on device";

/// When a step that begins now has taken too long.
fn deadline(program: &Program) -> u64 {
    now_ns().saturating_add(program.limit_ms.saturating_mul(1_000_000))
}

/// What is said of a step that took too long.
fn too_long(program: &Program) -> String {
    format!("did not end within {} s (--timeout)", program.limit_ms as f64 / 1000.0)
}
