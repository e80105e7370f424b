//! The CSV form of the result of many hosts: one line per benchmark, layer and host, and one for all hosts together.

use crate::csv::{csv_field, number};
use crate::words;
use tare_board::{Fleet, FleetCell, FleetRow, HostRatio, Measure};
use tare_proto::Better;

/// The columns. New ones come last; none changes its meaning.
const COLUMNS: &str = "suite,benchmark,unit,better,baseline,layer,host,cpu_model,kernel,ratio,ratio_low,ratio_high,blocks,\
    hosts,next_low,next_high,i_squared,tau,verdict,outlier_p";

/// Writes the result as CSV (RFC 4180), with a header. The line of all hosts together has no host. What is not known is empty.
pub fn fleet_csv(fleet: &Fleet) -> String {
    let mut out = String::from(COLUMNS);
    out.push_str("\r\n");
    for row in &fleet.rows {
        for (layer, cell) in fleet.layers.iter().zip(&row.cells) {
            let first = first(fleet, row, layer.name.raw());
            for line in [vec![together(row, cell)], alone(fleet, cell)].concat() {
                out.push_str(&[first.clone(), line].concat().join(","));
                out.push_str("\r\n");
            }
        }
    }
    out
}

/// What all lines of a cell begin with.
fn first(fleet: &Fleet, row: &FleetRow, layer: &str) -> Vec<String> {
    vec![
        csv_field(&row.suite),
        csv_field(&row.benchmark),
        row.unit.name().into(),
        if row.better == Better::Lower { "lower".into() } else { "higher".into() },
        csv_field(&fleet.baseline),
        csv_field(layer),
    ]
}

fn together(row: &FleetRow, cell: &FleetCell) -> Vec<String> {
    let pooled = cell.pooled.as_ref();
    let verdict = words::word(cell.verdict, Measure::of(row.unit));
    vec![
        String::new(),
        String::new(),
        String::new(),
        number(pooled.map(|p| p.value)),
        number(pooled.map(|p| p.low)),
        number(pooled.map(|p| p.high)),
        String::new(),
        pooled.map_or(String::new(), |p| p.hosts.to_string()),
        number(pooled.map(|p| p.next_low)),
        number(pooled.map(|p| p.next_high)),
        number(pooled.map(|p| p.i_squared)),
        number(pooled.map(|p| p.tau)),
        verdict.into(),
        String::new(),
    ]
}

fn alone(fleet: &Fleet, cell: &FleetCell) -> Vec<Vec<String>> {
    let line = |one: &HostRatio| {
        let host = &fleet.hosts[one.host];
        let mut line = vec![csv_field(&host.name), csv_field(&host.cpu_model)];
        line.extend([
            csv_field(&host.kernel),
            number(Some(one.ratio.value)),
            number(one.ratio.low),
            number(one.ratio.high),
            one.ratio.blocks.to_string(),
        ]);
        line.extend(std::iter::repeat_n(String::new(), 6));
        line.push(number(one.outlier));
        line
    };
    cell.hosts.iter().map(line).collect()
}
