//! Starts of a layer, watched from outside: what they do, and where their time goes.
//!
//! A layer that is to start has no threads yet. What is known before is the keeper that waits for it, and whatever begins below that
//! belongs to the start. What lives when the layer has greeted belongs to the part that the layer's own table says. What has ended by
//! then, as a runtime that only prepares has, is the helpers'.

use super::figures::{add, keep_shorter};
use super::observers::{Observers, files, not_enabled};
use super::prices::prices;
use super::turn_length::tries;
use crate::plan::sandbox_benches::WARM;
use crate::plan::setup::Setup;
use crate::record::recorder::Recorder;
use crate::sandbox::start::{Failed, Starter, Up};
use nix::unistd::gettid;
use tare_layers::Whose;
use tare_observe::{
    Figures, Observer, Threads, Trace, counts, looks, path, places, processor, scaled, shares,
    split, within,
};
use tare_proto::outside::{LOST, OPERATIONS, Part};
use tare_proto::{BenchInfo, Counter};

/// Whether `bench` is about what is watched here.
pub(super) fn is_start(bench: &BenchInfo) -> bool {
    bench.name == WARM
}

/// What the starts of a layer showed.
pub(super) struct Started {
    pub counters: Vec<Counter>,
    /// What was not removed of them.
    pub left: Vec<String>,
}

/// What one start of `layer` showed: of several, one is counted, and of those that are timed the ones that the machine disturbed least
/// are told. The baseline's has the prices beside it; `bench` is the row of starts.
pub(super) fn watch_start(
    recorder: &mut Recorder,
    observers: &mut Observers,
    layer: usize,
    bench: usize,
) -> Result<Started, Failed> {
    let setup = recorder.setup;
    let Observers::Traced(traced) = observers else {
        return Err(Failed::Start("only tracepoints show what a start does".into()));
    };
    let made = &*setup.layers[layer].layer;
    let files = files(made);
    let mut starts = Starts {
        starter: Starter::of(setup, layer),
        whose: made.whose(),
        number: &mut || recorder.history.count_boot(layer),
        left: Vec::new(),
        lost: 0,
    };
    let prices_of = (layer == setup.baseline()).then_some(bench);
    let (mut unwatched, priced) = starts.unwatched(setup, prices_of)?;
    let mut figures = starts.watched(&mut traced.counts, counts)?;
    if let Some(observer) = &mut traced.processor {
        figures.extend(starts.watched(observer, processor)?);
    }
    let reader = gettid().as_raw() as u32;
    let (mut times, mut inside) = (Figures::new(), Figures::new());
    let (mut modes, mut found) = (Figures::new(), Figures::new());
    for again in 0..tries(unwatched as u64) {
        if again > 0 {
            unwatched = unwatched.min(starts.unwatched(setup, None)?.0);
        }
        let on_path = |trace: &Trace, threads: &Threads| path(trace, threads, reader);
        keep_shorter(&mut times, starts.watched(&mut traced.times, on_path)?);
        let seen = |trace: &Trace, threads: &Threads| {
            (looks(trace, threads), places(trace, threads, &files))
        };
        let (mode, place) = starts.watched(&mut traced.clock, seen)?;
        add(&mut modes, mode);
        add(&mut found, place);
        if traced.calls.missing().is_empty() {
            let in_calls = |trace: &Trace, threads: &Threads| within(trace, threads, reader);
            keep_shorter(&mut inside, starts.watched(&mut traced.calls, in_calls)?);
        }
    }
    split(&mut times, &modes, Some(unwatched));
    figures.extend(times);
    figures.extend(scaled(inside, unwatched));
    figures.extend(shares(found));
    figures.retain(|_, value| *value != 0.0);
    let lost = (starts.lost > 0).then_some((LOST.to_owned(), starts.lost as f64));
    let all = figures.into_iter().chain([(OPERATIONS.to_owned(), 1.0)]).chain(lost);
    let counters = all.map(|(name, value)| Counter::new(&name, value)).chain(priced).collect();
    Ok(Started { counters, left: starts.left })
}

/// Starts of one layer, each of which is ended again.
struct Starts<'a> {
    starter: Starter<'a>,
    whose: &'static [Whose],
    number: &'a mut dyn FnMut() -> u32,
    /// What was not removed.
    left: Vec<String>,
    /// Records that the kernel had no room for.
    lost: u64,
}

impl Starts<'_> {
    /// One that nobody watches: its nanoseconds, and the prices, measured in it in the way of row `prices_of`.
    fn unwatched(
        &mut self,
        setup: &Setup,
        prices_of: Option<usize>,
    ) -> Result<(f64, Vec<Counter>), Failed> {
        let mut up = self.starter.start((self.number)())?;
        let priced = match prices_of {
            Some(bench) => prices(setup, &mut up.session, bench, &mut 0)?,
            None => Vec::new(),
        };
        let ns = up.start_ns;
        self.end(up);
        Ok((ns, priced))
    }

    /// One under the eyes of `observer`: what `told` makes of it while its processes live.
    fn watched<T>(
        &mut self,
        observer: &mut Observer,
        told: impl FnOnce(&Trace, &Threads) -> T,
    ) -> Result<T, Failed> {
        self.starter.prepare(1)?;
        let keepers = self.starter.keeper.waiting();
        let number = (self.number)();
        let watched = observer.watch(true, || self.starter.start_now(number));
        let (up, trace) = watched.map_err(|error| Failed::Start(not_enabled(&error)))?;
        let up = up?;
        let living = up.session.parts(self.whose).unwrap_or_default();
        let below = keepers.into_iter().map(|keeper| (keeper, Part::Helper));
        let mut threads = Threads::new(below.chain(living));
        threads.follow(&trace);
        self.lost += trace.lost;
        let told = told(&trace, &threads);
        self.end(up);
        Ok(told)
    }

    fn end(&mut self, up: Up) {
        self.left.extend(up.stop().left);
    }
}
