//! Starts of a layer, watched from outside: what they do, and where their time goes.
//!
//! A layer that is to start has no threads yet. What is known before is the keeper that waits for it, and whatever begins below that belongs
//! to the start. What lives when the layer has greeted belongs to the part that the layer's own table says. What has ended by then, as a
//! runtime that only prepares has, is the helpers'.

use super::prices::prices;
use super::turning::Observers;
use crate::plan::sandbox_benches::WARM;
use crate::record::recorder::Recorder;
use crate::sandbox::start::{Failed, Starter, Up};
use nix::unistd::gettid;
use std::time::Duration;
use tare_layers::Whose;
use tare_observe::{Figures, Observer, Threads, Trace, counts, path, split};
use tare_proto::outside::{LOST, OPERATIONS, Part};
use tare_proto::{BenchInfo, Counter};
use tare_store::Role;

/// Whether `bench` is about what is watched here.
pub(super) fn is_start(bench: &BenchInfo) -> bool {
    bench.name == WARM
}

/// What one start of `layer` showed, of three: one that nobody watches, one that is counted, and one that is timed. The baseline's has
/// the prices beside it; `bench` is the row of starts.
pub(super) fn watch_start(
    recorder: &mut Recorder,
    observers: &mut Observers,
    layer: usize,
    bench: usize,
) -> Result<Vec<Counter>, Failed> {
    let setup = recorder.setup;
    let made = &*setup.layers[layer].layer;
    let starter = Starter {
        layer: made,
        host: setup.host,
        keeper: setup.keeper,
        cpus: setup.cpus(layer, Role::Weigh),
        within: Duration::from_secs_f64(setup.plan.boot_s),
        interrupted: setup.interrupted,
    };
    let Observers::Traced { counts: for_counts, times: for_times } = observers else {
        return Err(Failed::Start("only tracepoints show what a start does".into()));
    };
    let mut left = Vec::new();
    let mut number = || recorder.history.count_boot(layer);
    let mut up = starter.start(number())?;
    let unwatched = up.start_ns;
    let is_baseline = layer == setup.baseline();
    let prices = match is_baseline {
        true => prices(setup, &mut up.session, bench, &mut 0)?,
        false => Vec::new(),
    };
    left.extend(up.stop().left);

    let mut watch = |observer: &mut Observer, number: u32| {
        let (up, trace, threads) = watched(&starter, observer, made.whose(), number)?;
        left.extend(up.stop().left);
        Ok::<(Trace, Threads), Failed>((trace, threads))
    };
    let (counted, of_counted) = watch(for_counts, number())?;
    let (timed, of_timed) = watch(for_times, number())?;
    let mut times = path(&timed, &of_timed, gettid().as_raw() as u32);
    let looks = times.clone();
    split(&mut times, &looks, Some(unwatched));
    let figures: Figures = counts(&counted, &of_counted).into_iter().chain(times).collect();
    let told = figures.into_iter().filter(|(_, value)| *value != 0.0);
    let told = told.map(|(name, value)| Counter::new(&name, value));
    let lost = counted.lost + timed.lost;
    let lost = (lost > 0).then(|| Counter::new(LOST, lost as f64));
    let all = told.chain([Counter::new(OPERATIONS, 1.0)]).chain(lost).chain(prices).collect();
    if let Some(left) = left.first() {
        return Err(Failed::Start(format!("something of it was not removed: {left}")));
    }
    Ok(all)
}

/// A start under the eyes of `observer`.
fn watched(
    starter: &Starter,
    observer: &mut Observer,
    whose: &[Whose],
    number: u32,
) -> Result<(Up, Trace, Threads), Failed> {
    starter.prepare(1)?;
    let keepers = starter.keeper.waiting();
    let refused =
        |error| Failed::Start(format!("the kernel refuses to enable its events: {error}"));
    let (up, trace) = observer.watch(true, || starter.start_now(number)).map_err(refused)?;
    let up = up?;
    let living = up.session.parts(whose).unwrap_or_default();
    let below = keepers.into_iter().map(|keeper| (keeper, Part::Helper));
    let mut threads = Threads::new(below.chain(living));
    threads.follow(&trace);
    Ok((up, trace, threads))
}
