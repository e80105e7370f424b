//! What an operation costs more on a layer, made of causes of three kinds. Some have a price: how often the host did something for the
//! operation, times what that costs natively. Others have a place: whose threads spent the time, in which mode, and what they asked the
//! kernel for. The rest nobody explains.

use super::prices::Prices;
use super::primitives::{PRIMITIVES, Primitive};
use super::seen::One;
use serde::Serialize;
use std::collections::BTreeMap;
use tare_proto::outside::{ASLEEP, IN_KERNEL, Part, READY, STOPPED_BY_QUOTA, SYSTEM, Seen, USER};

/// One cause of the added time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CostPart {
    /// What it is.
    pub name: String,
    /// How well it is known.
    pub known: Known,
    /// How often more than on the baseline it happens in an operation; `None` of what is measured as time.
    pub count: Option<f64>,
    /// What one costs on the baseline, in nanoseconds; `None` where nobody has measured it.
    pub price_ns: Option<f64>,
    /// Its part of the added time, in nanoseconds.
    pub ns: f64,
}

/// How well a cause is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Known {
    /// Counted, and what one costs is measured natively.
    Priced,
    /// Whose threads took the time is measured, in which mode, and for what; not what one such thing costs.
    Placed,
    /// Neither.
    Unexplained,
}

/// A row that is this much dearer than on the baseline, as a share, has something to explain.
pub(super) const DEARER: f64 = 0.1;

/// The name of what is left.
pub(in crate::explain) const REMAINDER: &str = "not explained";

/// The name of time in the host's kernel of threads that asked it for nothing that is counted.
const FOR_NOTHING: &str = "host's kernel, for nothing that is counted";

/// The name of what a layer's own kernel does of the work for which a program asks the host's natively.
const LESS_WORK: &str = "host's kernel: less of the program's own work";

/// What the host's kernel is asked for at least so often in an operation is named.
const NAMED: f64 = 0.02;

/// A call in which at least this share of a place's time went is named there.
const NOTABLE: f64 = 0.1;

/// A file is named where this share of a part's time in user mode is in its code.
const OFTEN: f64 = 0.3;

/// Most names that stand beside a place.
const MOST_NAMES: usize = 2;

/// The causes of `added` nanoseconds that `layer` takes more than `baseline` for an operation; the last is what is left.
pub(super) fn causes(prices: &Prices, baseline: &One, layer: &One, added: f64) -> Vec<CostPart> {
    // The host sees one thread run program and kernel of a guest, and natively both of them.
    let is_guest = layer.is_guest();
    let nothing = One::default();
    let less = if is_guest { &nothing } else { baseline };
    let mut causes = priced(prices, less, layer);
    let in_kernel = Part::ALL.map(|part| layer.time(part, SYSTEM));
    let natively: f64 = Part::ALL.iter().map(|part| less.time(*part, SYSTEM)).sum();
    let kernel = in_kernel.iter().sum::<f64>() - natively;
    // The part of the baseline's own time in the kernel that has no price: a layer's kernel may do that work itself, in user mode.
    let own = layer.time(Part::Kernel, USER);
    let work = (natively - priced_of(prices, less)).max(0.0).min(own);
    if layer.is_on_several_cpus() {
        leave_off_beside(&mut causes, (kernel + work).max(0.0));
    }
    let all_priced: f64 = causes.iter().map(|cause| cause.ns).sum();
    let beyond = (kernel - all_priced).max(0.0);
    let saved = (all_priced - kernel).max(0.0).min(work);
    causes.push(placed(LESS_WORK, -saved));
    let whole: f64 = in_kernel.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    for (part, ns) in Part::ALL.into_iter().zip(in_kernel) {
        // Nobody sees how the priced part of the kernel's time is spread over the threads: as all of it is.
        causes.push(in_hosts_kernel(less, layer, part, beyond * ns / whole));
    }
    for part in Part::ALL {
        let user = layer.time(part, USER) - less.time(part, USER);
        let natively = if is_guest && part == Part::Kernel { baseline.on_cpu() } else { 0.0 };
        causes.push(placed(&own_code(part, layer), user - natively));
        for (state, words) in [
            (READY, "ready, without a CPU"),
            (STOPPED_BY_QUOTA, "ready, stopped by a quota of CPU time"),
            (ASLEEP, &*asleep(baseline, layer, part)),
        ] {
            let name = format!("{}: {words}", who(part));
            causes.push(placed(&name, layer.time(part, state) - baseline.time(part, state)));
        }
    }
    causes.retain(|cause| cause.ns.abs() >= 0.005 * added.abs() || cause.count.is_some());
    causes.sort_by_key(|cause| cause.known);
    let explained: f64 = causes.iter().map(|cause| cause.ns).sum();
    causes.push(CostPart { known: Known::Unexplained, ..placed(REMAINDER, added - explained) });
    causes
}

/// What has a price.
fn priced(prices: &Prices, less: &One, layer: &One) -> Vec<CostPart> {
    let mut causes = Vec::new();
    for primitive in &PRIMITIVES {
        let count = (primitive.count)(layer) - (primitive.count)(less);
        if count.abs() < 0.005 {
            continue;
        }
        let price_ns = prices.one(primitive);
        let known = if price_ns.is_some() { Known::Priced } else { Known::Unexplained };
        let (name, ns) = (primitive.name.into(), count * price_ns.unwrap_or(0.0));
        causes.push(CostPart { name, known, count: Some(count), price_ns, ns });
    }
    causes
}

/// What is counted of `one`, by its prices, in nanoseconds.
fn priced_of(prices: &Prices, one: &One) -> f64 {
    let of = |primitive: &Primitive| Some((primitive.count)(one) * prices.one(primitive)?);
    PRIMITIVES.iter().filter_map(of).sum()
}

/// Counts are of all threads, also of those that ran beside the path on another CPU. What has a price takes no more of the path than the
/// `kernel` took of it.
fn leave_off_beside(priced: &mut [CostPart], kernel: f64) {
    let all: f64 = priced.iter().map(|cause| cause.ns).sum();
    if all > kernel {
        priced.iter_mut().for_each(|cause| cause.ns *= kernel / all);
    }
}

/// The share of what is counted, by its prices, that is on the path; below 1 where the rest ran beside it.
pub(super) fn on_path(causes: &[CostPart]) -> f64 {
    let by_price = |one: &CostPart| Some((one.ns, one.count? * one.price_ns?));
    let sums = causes
        .iter()
        .filter_map(by_price)
        .fold((0.0, 0.0), |(ns, all), one| (ns + one.0, all + one.1));
    if sums.1 > 0.0 { sums.0 / sums.1 } else { 1.0 }
}

fn placed(name: &str, ns: f64) -> CostPart {
    CostPart { name: name.into(), known: Known::Placed, count: None, price_ns: None, ns }
}

/// Whose threads, in few words.
const fn who(part: Part) -> &'static str {
    match part {
        Part::Program => "program",
        Part::Kernel => "layer's kernel",
        Part::Helper => "helpers",
    }
}

/// User mode of a part's threads.
fn own_code(part: Part, layer: &One) -> String {
    let whose = match part {
        Part::Program => "program: user mode",
        Part::Kernel if layer.is_guest() && layer.all(Seen::Exits) < NAMED => {
            "emulation of program and guest's kernel"
        }
        Part::Kernel if layer.is_guest() => "program and guest's kernel, in the guest",
        Part::Kernel => "layer's kernel: its own code",
        Part::Helper => "helpers: their own code",
    };
    let mut files = layer.of_part(Seen::Found, part);
    files.retain(|name, _| !name.starts_with(IN_KERNEL));
    let all: f64 = files.values().sum();
    let mostly = largest(files, &BTreeMap::new(), OFTEN * all);
    match mostly.is_empty() {
        true => whose.to_owned(),
        false => format!("{whose} ({})", mostly.join(", ")),
    }
}

/// What a part's threads do that sleep until something else wakes them, with the calls in which they do it, where those are known.
fn asleep(baseline: &One, layer: &One, part: Part) -> String {
    let more = layer.time(part, ASLEEP) - baseline.time(part, ASLEEP);
    let calls = longest(baseline, layer, (Seen::SleepsIn, part), more);
    match calls.is_empty() {
        true => "asleep, woken from outside".into(),
        false => format!("asleep, woken from outside ({})", calls.join(", ").replace('_', " ")),
    }
}

/// The names of the calls in which the layer was longer than the baseline by a notable share of `all` nanoseconds.
fn longest(baseline: &One, layer: &One, (seen, part): (Seen, Part), all: f64) -> Vec<String> {
    largest(layer.within(seen, part), &baseline.within(seen, part), NOTABLE * all)
}

/// The names of the largest of which there is more than on the baseline, at least `least`.
fn largest(
    own: BTreeMap<String, f64>,
    natively: &BTreeMap<String, f64>,
    least: f64,
) -> Vec<String> {
    let more = |(name, value): (String, f64)| {
        let more = value - natively.get(&name).copied().unwrap_or(0.0);
        (more > 0.0 && more >= least).then_some((name, more))
    };
    let mut all: Vec<(String, f64)> = own.into_iter().filter_map(more).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all.into_iter().take(MOST_NAMES).map(|(name, _)| name).collect()
}

/// The host's kernel on behalf of a part's threads, beyond all prices; what they asked it for more often than natively is told.
fn in_hosts_kernel(less: &One, layer: &One, part: Part, ns: f64) -> CostPart {
    let calls = |one: &One| one.of_part(Seen::Calls, part);
    let mut words = match layer.within(Seen::RunsIn, part).is_empty() {
        true => largest(calls(layer), &calls(less), NAMED),
        false => longest(less, layer, (Seen::RunsIn, part), ns),
    };
    let often = |seen| layer.of_part(seen, part).values().sum::<f64>() >= NAMED;
    let others = [(Seen::Faults, "faults"), (Seen::Signals, "signals"), (Seen::Exits, "exits")];
    words.iter_mut().for_each(|call| *call = call.replace('_', " "));
    words.extend(others.into_iter().filter(|(seen, _)| often(*seen)).map(|(_, word)| word.into()));
    if words.is_empty() && calls(layer).values().sum::<f64>() >= NAMED {
        words.push("the same calls take longer".into());
    }
    if words.is_empty() && often(Seen::Switches) {
        words.push("switches".into());
    }
    let name = format!("{}: host's kernel ({})", who(part), words.join(", "));
    match words.is_empty() {
        false => placed(&name, ns),
        true => CostPart { known: Known::Unexplained, ..placed(FOR_NOTHING, ns) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_beside_the_path_takes_no_more_of_it_than_the_kernel_did() {
        let priced = |count: f64, price: f64| CostPart {
            name: String::new(),
            known: Known::Priced,
            count: Some(count),
            price_ns: Some(price),
            ns: count * price,
        };
        let mut causes = vec![priced(10.0, 30.0), priced(1.0, 100.0)];
        leave_off_beside(&mut causes, 500.0);
        assert_eq!(on_path(&causes), 1.0);
        leave_off_beside(&mut causes, 100.0);
        let ns: Vec<f64> = causes.iter().map(|cause| cause.ns).collect();
        assert_eq!(ns, [75.0, 25.0]);
        causes.push(placed("elsewhere", 7.0));
        assert_eq!(on_path(&causes), 0.25);
        assert_eq!(on_path(&[]), 1.0);
    }
}
