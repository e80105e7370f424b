//! One benchmark on one booted layer: what is asked, and what is recorded of the answer.

use super::booting::Booted;
use super::held::held_in_one_more_run;
use super::meter::Meter;
use super::one_run::counted;
use crate::decide::samples::Samples;
use crate::host::machine::Since;
use crate::plan::host_benches::HOST_BENCHES;
use crate::record::recorder::Recorder;
use tare_layers::{Processes, SessionError};
use tare_proto::Request;
use tare_proto::counter::HOST_MEMORY;
use tare_stats::Estimator;
use tare_store::{Outcome, Recorded};

/// The largest number of series that are combined into one when the estimator asks for a narrow interval.
const MOST_SERIES: u32 = 10;

/// How long a series of all samples at once lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    /// As the plan says.
    Usual,
    /// Batches of a millisecond: the baseline's beside a sustained series, which has one mode and no quota, but ticks and bursts.
    Beside,
    /// Batches of 10 ms: 30 of them meet three periods of the usual quota of CPU time (100 ms), and both modes of gVisor's systrap,
    /// which begins with the slow one and looks every few milliseconds for whether the fast one pays.
    Sustained,
}

impl Length {
    /// The same request, for a series of this length.
    fn of(self, request: Request) -> Request {
        let (batch_ms, limit_ms) = match self {
            Length::Usual => return request,
            Length::Beside => (1, 200),
            Length::Sustained => (10, 1000),
        };
        let batch_ns = request.batch_ns.max(batch_ms * 1_000_000);
        Request { batch_ns, limit_ms: request.limit_ms.max(limit_ms), ..request }
    }
}

/// Measures a benchmark on a booted layer: all samples at once.
pub(crate) fn measure(
    recorder: &mut Recorder,
    booted: &mut Booted,
    bench: usize,
    samples: &Samples,
    length: Length,
) -> Result<Recorded, SessionError> {
    let setup = recorder.setup;
    let id = booted.next_id();
    if let Some(known) = known(recorder, booted, bench) {
        return Ok(known);
    }
    let request = length.of(setup.request(id, bench, samples.get(&bench).copied()));
    // A scripted layer runs what its script says and no more.
    let held = match setup.wants(bench, HOST_MEMORY) && !booted.session.scripted() {
        true => held_in_one_more_run(recorder, booted, &request)?,
        false => None,
    };
    let counters = counted(setup, booted, bench, &request)?;
    let mut recorded = ask(recorder, booted, &request, held)?;
    recorded.series.counters.extend(counters);
    // "Until the interval is within p%" asks again; the other estimators are content at once.
    let estimator = setup.benches[bench].estimator.parse().ok();
    let until = estimator.filter(|estimator| matches!(estimator, Estimator::MeanUntil { .. }));
    let Some(estimator) = until.filter(|_| request.program.is_none()) else { return Ok(recorded) };
    for _ in 1..if booted.session.scripted() { 1 } else { MOST_SERIES } {
        let samples = &recorded.series.samples;
        if samples.is_empty() || estimator.satisfied(samples) {
            break;
        }
        let again = ask(recorder, booted, &request, None)?;
        recorded.series.samples.extend(again.series.samples);
        recorded.series.elapsed_ns += again.series.elapsed_ns;
        recorded.host_ns += again.host_ns;
    }
    Ok(recorded)
}

/// Answers that need no probe: what only the host can measure, and benchmarks that have ended this layer before.
pub(crate) fn known(recorder: &Recorder, booted: &Booted, bench: usize) -> Option<Recorded> {
    let name = &recorder.setup.benches[bench].name;
    if recorder.history.fatal.contains(&(booted.slot.layer, bench)) {
        let why = "not tried again: it ended the layer twice in an earlier block";
        return Some(Recorded::without_samples(name, Outcome::Failed, why));
    }
    let host = HOST_BENCHES.iter().find(|host| host.name == name)?;
    Some(match (host.measure)(&booted.session, booted.start_ns) {
        Ok(value) => Recorded::by_host(name, vec![value]),
        Err(why) => Recorded::without_samples(name, Outcome::Unavailable, &why),
    })
}

/// Asks the probe once, of a layer that has `held` so many bytes of memory.
fn ask(
    recorder: &mut Recorder,
    booted: &mut Booted,
    request: &Request,
    held: Option<u64>,
) -> Result<Recorded, SessionError> {
    let within = recorder.setup.within(request);
    let mut meter = Meter::begin(booted, &request.bench, &Processes::now());
    meter.held(held);
    let since = Since::now();
    let answer = meter.turn(|| booted.session.measure(request, within))?;
    recorder.own.add(&since);
    booted.busy += meter.busy();
    Ok(meter.recorded(&request.bench, answer, booted, &Processes::now()))
}
