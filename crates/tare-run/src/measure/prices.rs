//! What primitives cost natively: measured between the rows of the baseline's boots that are watched, so that no campaign lacks a price.
//! A shared machine is slower by a third for moments of milliseconds to seconds, so that a price of one moment would be of that
//! moment alone.

use crate::plan::setup::Setup;
use tare_board::measured::series_value;
use tare_layers::{Answer, Session, SessionError};
use tare_proto::outside::{PRICED, price_of};
use tare_proto::{BenchInfo, Better, Counter, Request};

/// The few samples of one moment.
const ESTIMATOR: &str = "median";
const SAMPLES: u32 = 4;

/// Milliseconds that a price may take.
const LIMIT_MS: u64 = 300;

/// One counter a primitive that `session` could measure; `like` is any row of the campaign.
pub(super) fn prices(
    setup: &Setup,
    session: &mut Session,
    like: usize,
    id: &mut u32,
) -> Result<Vec<Counter>, SessionError> {
    let mut prices = Vec::new();
    for row in PRICED {
        *id += 1;
        let request = Request {
            bench: (*row).into(),
            samples: SAMPLES,
            limit_ms: LIMIT_MS,
            events: false,
            program: None,
            ..setup.request(*id, like, None)
        };
        let Answer::Series(series, _) = session.measure(&request, setup.within(&request))? else {
            continue; // an older probe lacks it, or the kernel refuses it: then it has no price
        };
        let about = BenchInfo {
            estimator: ESTIMATOR.into(),
            better: Better::Lower,
            ..BenchInfo::default()
        };
        if let Ok(ns) = series_value(&about, &series.samples, series.subtracted, None) {
            prices.push(Counter::new(&price_of(row), ns));
        }
    }
    Ok(prices)
}
