//! What a balloon does to a row: how much memory it moves meanwhile, and what a page of it costs.

use crate::figures::Ratio;
use crate::ratio::weigh::CellAddress;
use crate::remarks::comment::Comment;
use crate::value::measured::best;
use crate::value::values::{BlockResult, Values};
use tare_proto::{BALLOON_COUNTER, Unit};
use tare_stats::{Best, mean};

/// What the balloon of a layer does to a row, where it has one. `ratio` is the row's.
///
/// Where the baseline has a balloon that moves nothing (the control), what the layer's balloon takes away is the part
/// `1 - 1/slowdown` of its time. That part, divided by the pages that moved in the same time, is the cost of one page.
pub(crate) fn moved(
    place: &CellAddress,
    ratio: Option<&Ratio>,
    values: &Values,
) -> Option<Comment> {
    let rate = rate(values, place.layer, place.benchmark)?;
    let control = values.baseline.and_then(|layer| self::rate(values, layer, place.benchmark));
    let clock = clock(place.info.unit)?;
    let cost = |ratio: f64| {
        let slowdown = match best(place.info.better) {
            Best::Lowest => ratio,
            Best::Highest => 1.0 / ratio,
        };
        1e9 * (1.0 - 1.0 / slowdown) / rate
    };
    let cost = ratio.filter(|_| control == Some(0.0) && rate > 0.0).map(|ratio| {
        let mut ends = [ratio.low, ratio.high].map(|end| end.map(cost));
        ends.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        (cost(ratio.value), ends)
    });
    Some(Comment::Moved { rate, clock, cost })
}

/// Pages in 10⁹ ticks, over all boots of a layer; `None` of one without a balloon that knows.
fn rate(values: &Values, layer: usize, benchmark: usize) -> Option<f64> {
    let counted = values.all(layer, benchmark).filter_map(|found| match found {
        BlockResult::Value(_, series) => {
            series.counters.iter().find(|counter| counter.name == BALLOON_COUNTER)
        }
        _ => None,
    });
    let rates: Vec<f64> = counted.map(|counter| counter.value).collect();
    mean(&rates).ok().filter(|rate| rate.is_finite())
}

/// What the clock counts by which a row is measured; `None` of a row that is no time and no rate.
fn clock(unit: Unit) -> Option<Unit> {
    match unit {
        Unit::Nanoseconds | Unit::PerSecond | Unit::PerMinute | Unit::BytesPerSecond => {
            Some(Unit::Nanoseconds)
        }
        Unit::Instructions
        | Unit::PerGigaInstruction
        | Unit::Per60GigaInstructions
        | Unit::BytesPerGigaInstruction => Some(Unit::Instructions),
        Unit::Bytes | Unit::BytesMoved | Unit::Number | Unit::Wakeups => None,
    }
}
