//! The result of many hosts in words, for every written form.

use crate::certainty::{equivalent, shown};
use crate::clean::{clean, fit};
use crate::words::{self, name, percent_of, times_than};
use tare_board::format::{count, percent, ratio_and_interval, short_ratio};
use tare_board::{
    Cause, Fleet, FleetCell, FleetLayer, FleetMean, FleetRow, HostRatio, Measure, PooledRatio,
    Ratio, Spread, Verdict,
};

/// Hosts that are named in a sentence, and rows of an outlier.
const NAMED: usize = 8;
const ROWS: usize = 3;

/// What a mean over hosts is written with.
pub(crate) fn ratio(pooled: &PooledRatio) -> Ratio {
    let PooledRatio { value, low, high, hosts, .. } = *pooled;
    Ratio { value, low: Some(low), high: Some(high), blocks: hosts }
}

fn next(pooled: &PooledRatio) -> String {
    let next = Ratio { low: Some(pooled.next_low), high: Some(pooled.next_high), ..ratio(pooled) };
    ratio_and_interval(&next).1.unwrap_or_default()
}

/// `4 hosts, 1 missing: what each layer costs against native`.
pub(crate) fn title(fleet: &Fleet) -> String {
    let missing = match fleet.missing.len() {
        0 => String::new(),
        n => format!(" ({n} more missing)"),
    };
    let base = name(&fleet.baseline);
    format!("{}{missing}: what each layer costs against {base}", count(fleet.hosts.len(), "host"))
}

/// What a layer's geometric means say, one sentence each.
pub(crate) fn sentences(fleet: &Fleet, layer: &FleetLayer) -> Vec<(Verdict, String)> {
    let said = layer.means.iter().map(|mean| (mean.cost.verdict, mean_said(fleet, layer, mean)));
    let said: Vec<_> = said.collect();
    if said.is_empty() { vec![(Verdict::None, "no figure on any host".into())] } else { said }
}

fn mean_said(fleet: &Fleet, layer: &FleetLayer, mean: &FleetMean) -> String {
    let suite = match mean.measure {
        Measure::Speed => name(&mean.suite),
        measure => format!("{} ({})", name(&mean.suite), measure.words().about),
    };
    let Some(pooled) = &mean.cost.pooled else {
        return alone(fleet, &mean.cost, &suite, mean.measure);
    };
    let confidence = percent_of(fleet.method.confidence);
    let (value, sure) = match &mean.cost.shown {
        Some(tested) => shown(&ratio(pooled), tested),
        None => {
            let (value, interval) = ratio_and_interval(&ratio(pooled));
            (value, format!("{confidence} CI {}", interval.unwrap_or_default()))
        }
    };
    format!(
        "{} (geometric mean of {suite} {value}, {sure}; the next host: {}; I² {}){}",
        costs(fleet, layer, mean, pooled),
        next(pooled),
        percent(100.0 * pooled.i_squared),
        rows_said(fleet, layer, mean).map(|rows| format!("; {rows}")).unwrap_or_default()
    )
}

/// What the mean leaves out: `of its 12 rows 7 are slower, 5 faster; hosts differ in 9`. Nothing where all rows say what it says.
fn rows_said(fleet: &Fleet, layer: &FleetLayer, mean: &FleetMean) -> Option<String> {
    let at = fleet.layers.iter().position(|own| own.name == layer.name)?;
    let of = |row: &&FleetRow| row.suite == mean.suite && Measure::of(row.unit) == mean.measure;
    let rows: Vec<&FleetCell> = fleet.rows.iter().filter(of).map(|row| &row.cells[at]).collect();
    let pooled: Vec<&FleetCell> = rows.into_iter().filter(|cell| cell.pooled.is_some()).collect();
    let saying = |verdict| pooled.iter().filter(|cell| cell.verdict == verdict).count();
    let differ =
        pooled.iter().filter(|cell| matches!(cell.spread, Spread::Little | Spread::Wide)).count();
    let mut parts = Vec::new();
    if saying(mean.cost.verdict) < pooled.len() {
        let all = [Verdict::Worse, Verdict::Better, Verdict::Equivalent, Verdict::Undecided];
        let some = all.into_iter().map(|verdict| (verdict, saying(verdict)));
        let some = some.filter(|(_, many)| *many > 0);
        let said: Vec<String> = some
            .map(|(verdict, many)| format!("{many} {}", words::word(verdict, mean.measure)))
            .collect();
        parts.push(format!("its {}: {}", count(pooled.len(), "row"), said.join(", ")));
    }
    if differ > 0 && mean.cost.spread != Spread::Wide {
        parts.push(format!("in {differ} of its {} hosts differ", count(pooled.len(), "row")));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Where nothing could be pooled.
fn alone(fleet: &Fleet, cell: &FleetCell, suite: &str, measure: Measure) -> String {
    let one = |host: &HostRatio| {
        let than = times_than(host.ratio.value, measure, &name(&fleet.baseline));
        format!("{than} on {}", name(&fleet.hosts[host.host].name))
    };
    let hosts: Vec<String> = cell.hosts.iter().take(NAMED).map(one).collect();
    format!(
        "{} (geometric mean of {suite}; not pooled: too few hosts of two blocks)",
        hosts.join(", ")
    )
}

/// `costs 2.1 to 9.8 times native, depending on the host: processors differ`.
fn costs(fleet: &Fleet, layer: &FleetLayer, mean: &FleetMean, pooled: &PooledRatio) -> String {
    let base = name(&fleet.baseline);
    let margin = percent_of(fleet.method.margin);
    if mean.cost.spread == Spread::Wide {
        let least = short_ratio(pooled.least);
        let most = short_ratio(pooled.most);
        let why = cause(&mean.cost, layer.name.raw());
        return format!("costs {least} to {most} times {base}, depending on the host{why}");
    }
    let said = match mean.cost.verdict {
        Verdict::Equivalent => format!("equivalent to {base} within {margin}"),
        Verdict::Worse | Verdict::Better => times_than(pooled.value, mean.measure, &base),
        _ => {
            let (seen, most) = words::open(&ratio(pooled), mean.measure, fleet.method.margin);
            format!("{seen}, {most}")
        }
    };
    let hosts = count(pooled.hosts, "host");
    match mean.cost.spread {
        Spread::Little => format!("{said}; {hosts} differ, but by less than {margin}"),
        _ => format!("{said}; {hosts} do not differ beyond their noise"),
    }
}

/// What hosts differ by, as far as that is known.
fn cause(cell: &FleetCell, layer: &str) -> String {
    let what = |cause| match cause {
        Cause::Processor => "processors differ".to_owned(),
        Cause::Kernel => "kernels differ".to_owned(),
        Cause::Version => format!("versions of {} differ", name(layer)),
    };
    let explaining = cell.properties.iter().filter(|property| property.explains);
    let all: Vec<String> = explaining.map(|property| what(property.cause)).collect();
    match all.is_empty() {
        false => format!(": {}", all.join(", ")),
        true if cell.properties.is_empty() => String::new(),
        true => ", and by no property that tare compares".into(),
    }
}

/// The hosts without figures, a sentence each.
pub(crate) fn missing(fleet: &Fleet) -> Vec<String> {
    let one = |host: &tare_board::MissingHost| {
        format!("{} is missing: {}", name(&host.name), fit(&clean(&host.why), 300))
    };
    fleet.missing.iter().map(one).collect()
}

/// The hosts that are unlike all others, the most often first: `n7 is unlike the other hosts in 24 of 104 ratios: ...`.
pub(crate) fn outliers(fleet: &Fleet) -> Vec<String> {
    let mut found: Vec<(usize, usize, Vec<String>)> =
        (0..fleet.hosts.len()).map(|host| (host, 0, Vec::new())).collect();
    for (row, layer, cell) in cells(fleet) {
        for host in cell.hosts.iter().filter(|host| host.outlier.is_some()) {
            let (_, many, rows) = &mut found[host.host];
            *many += 1;
            let all = cell.pooled.map_or(1.0, |pooled| pooled.value);
            if rows.len() < ROWS {
                let own = short_ratio(host.ratio.value);
                let all = short_ratio(all);
                rows.push(format!(
                    "{} {} {own} (all hosts {all})",
                    name(layer),
                    name(&row.benchmark)
                ));
            }
        }
    }
    found.retain(|(_, many, _)| *many > 0);
    found.sort_by_key(|(_, many, _)| std::cmp::Reverse(*many));
    let of: usize = cells(fleet).filter(|(.., cell)| cell.pooled.is_some()).count();
    let more = found.len().saturating_sub(NAMED);
    let say = |(host, many, rows): &(usize, usize, Vec<String>)| {
        let rest = if *many > rows.len() { ", ..." } else { "" };
        let host = name(&fleet.hosts[*host].name);
        format!(
            "{host} is unlike the other hosts in {many} of {of} ratios: {}{rest}",
            rows.join(", ")
        )
    };
    let mut said: Vec<String> = found.iter().take(NAMED).map(say).collect();
    said.extend(
        (more > 0)
            .then(|| format!("{} more are unlike the others in some ratio", count(more, "host"))),
    );
    said
}

/// Every ratio with its row and layer.
pub(crate) fn cells(fleet: &Fleet) -> impl Iterator<Item = (&FleetRow, &str, &FleetCell)> {
    fleet.rows.iter().flat_map(move |row| {
        let cells = fleet.layers.iter().zip(&row.cells);
        cells.map(move |(layer, cell)| (row, layer.name.raw(), cell))
    })
}

pub(crate) fn how(fleet: &Fleet) -> Vec<String> {
    let method = &fleet.method;
    vec![format!(
        "A host is a level above the block: each host's log ratios are pooled by a random-effects meta-analysis (variance between \
         hosts by restricted maximum likelihood, {} CI by Hartung and Knapp, modified; what blocks vary by is told from all hosts \
         together). \"Next host\" is where the ratio of another host lies; I² is the part of the variance that is between hosts. Verdicts are about the mean over hosts: {} correction \
         over {}, equivalence within {}.",
        percent_of(method.confidence),
        words::correction(method.correction),
        count(method.comparisons, "comparison"),
        percent_of(method.margin),
    )]
}

pub(crate) fn titles(fleet: &Fleet) -> [String; 6] {
    let interval = format!("{} CI", percent_of(fleet.method.confidence));
    ["ratio", &interval, "next host", "I²", "hosts", "verdict"].map(str::to_owned)
}

/// Ratio, interval, next host, I², hosts and verdict of a cell.
pub(crate) fn columns(row: &FleetRow, cell: &FleetCell, margin: f64) -> [String; 6] {
    let none = || "–".to_owned();
    let Some(pooled) = &cell.pooled else {
        let alone = cell.hosts.first().filter(|_| cell.hosts.len() == 1);
        let value = alone.map_or_else(none, |host| short_ratio(host.ratio.value));
        let said = if cell.hosts.is_empty() { "not measured" } else { "not pooled" };
        return [value, none(), none(), none(), cell.hosts.len().to_string(), said.into()];
    };
    let (value, interval) = ratio_and_interval(&ratio(pooled));
    let verdict = match cell.verdict {
        Verdict::Undecided if cell.subtracted > 0 => "undecided: mostly subtracted".into(),
        Verdict::Undecided => words::undecided(cell.more_hosts),
        Verdict::Equivalent => equivalent(Some(&ratio(pooled)), cell.shown.as_ref(), margin),
        verdict => words::word(verdict, Measure::of(row.unit)).into(),
    };
    [
        value,
        interval.unwrap_or_else(none),
        next(pooled),
        percent(100.0 * pooled.i_squared),
        pooled.hosts.to_string(),
        verdict,
    ]
}
