//! Figures that stand beside each other agree: kinds of means, clocks, samples, loads, history.

mod common;

use common::{bench, boot, empty, hello, layer, series};
use tare_board::{Extras, Options, Scoreboard, scoreboard};
use tare_proto::{Machine, Unit};
use tare_report::{Paint, TextStyle, csv, history_html, json, markdown, text};
use tare_store::{Campaign, Role};

/// A baseline and one layer on one benchmark, `value(block, layer)`.
fn campaign(kinds: [&str; 2], blocks: u32, value: impl Fn(u32, usize) -> f64) -> Campaign {
    let layers = kinds.map(|kind| layer(kind, kind)).to_vec();
    let mut campaign = empty(blocks, layers, vec![bench("a/b", "a", Unit::Nanoseconds)]);
    for block in 0..blocks {
        for (at, role) in [(0, Role::Weigh), (0, Role::Floor), (1, Role::Weigh)] {
            let boot = boot(&mut campaign, block, at, role, hello());
            series(&mut campaign, boot, 0, vec![value(block, at); 4]);
        }
    }
    campaign
}

fn board(campaign: &Campaign) -> Scoreboard {
    scoreboard(campaign, &Options::from_plan(&campaign.plan))
}

#[test]
fn the_means_beside_a_ratio_are_those_that_it_is_of() {
    let loud = campaign(["native", "uml"], 3, |block, at| match at {
        0 => 1.0,
        _ => [1.0, 2.0, 40.0][block as usize],
    });
    let board = board(&loud);
    let cell = &board.rows[0].cells[0];
    let (ratio, pair) = (cell.ratio.expect("a ratio").value, cell.pair.expect("a pair"));
    assert!((pair.layer / pair.baseline - ratio).abs() < 1e-9, "{pair:?} {ratio}");
    let (own, base) = (cell.mean.expect("a mean").mean, board.rows[0].baseline.expect("one").mean);
    assert!((own / base - ratio).abs() < 1e-9, "{own} {base} {ratio}");
}

#[test]
fn the_clock_of_the_host_cannot_drift_and_a_late_message_is_no_drift() {
    let drifts = |kind: &str, slow: &dyn Fn(usize) -> bool| {
        let mut campaign = campaign(["native", kind], 3, |_, _| 100.0);
        let benches = ["a/c", "a/d", "a/e"].map(|name| bench(name, "a", Unit::Nanoseconds));
        campaign.benchmarks.extend(benches);
        for at in 0..campaign.boots.len() {
            (1..4).for_each(|bench| series(&mut campaign, at, bench, vec![100.0; 4]));
        }
        for row in campaign.series.iter_mut().filter(|row| slow(row.benchmark)) {
            row.host_ns = 1_200_000_000;
        }
        let board = board(&campaign);
        let noted = |at: usize| board.layers[at].notes.iter().any(|n| n.kind == "clock_drift");
        let remarked = |c: &tare_board::Comment| c.kind() == "clock_drift";
        let cells = board.rows.iter().flat_map(|row| &row.cells[0].comments).any(remarked);
        (noted(0), noted(1), cells)
    };
    assert_eq!(drifts("runc", &|_| true), (false, false, false));
    assert_eq!(drifts("uml", &|_| true), (false, true, false));
    let late = drifts("uml", &|bench| bench == 2);
    assert_eq!((late.0, late.1), (false, false), "one series of four was late");
}

#[test]
fn figures_of_samples_are_of_all_of_them() {
    let mut campaign = campaign(["native", "uml"], 4, |_, at| 10.0 * (at + 1) as f64);
    for row in campaign.series.iter_mut().filter(|row| campaign.boots[row.boot].layer == 1) {
        (row.samples, row.subtracted) = (vec![-5.0, 20.0, 21.0, 44.0, 45.0], 30.0);
    }
    let board = board(&campaign);
    let (row, cell) = (&board.rows[0], &board.rows[0].cells[0]);
    let own = cell.samples.expect("samples");
    assert_eq!((own.samples, own.boots, own.not_positive), (20, 4, 4));
    assert_eq!((own.median, row.samples.expect("samples").median), (21.0, 10.0));
    let page = tare_report::html(&campaign, &board, &Extras::of(&campaign, &board));
    assert!(page.contains("20<br><small>4 not above zero"), "{page}");
    let style = TextStyle { width: 120, paint: Paint::Plain, details: true };
    for form in [page, text(&board, &style), csv(&board), markdown(&board), json(&board)] {
        assert!(form.contains("4 of 20 samples not above zero"), "{form}");
    }
    assert!((cell.shape.expect("a shape").shift.mean - 11.0).abs() < 1e-9, "{:?}", cell.shape);
}

#[test]
fn one_benchmark_at_several_loads_is_told_load_by_load() {
    let mut campaign = campaign(["native", "uml"], 3, |_, at| 100.0 / (at + 1) as f64);
    campaign.benchmarks = ["aim7/mix", "aim7/mix@2", "aim7/mix@4"]
        .map(|name| bench(name, "aim7", Unit::PerMinute))
        .to_vec();
    for at in 0..campaign.boots.len() {
        let value = campaign.series[at].samples[0];
        (1..3).for_each(|load| series(&mut campaign, at, load, vec![value; 4]));
    }
    let style = TextStyle { width: 120, paint: Paint::Plain, details: false };
    let text = text(&board(&campaign), &style);
    assert!(!text.contains("nothing to compare"), "{text}");
    assert!(text.contains("aim7/mix@4 50.0 /min"), "{text}");
}

#[test]
fn history_says_what_it_cannot_know_and_keeps_machines_apart() {
    let one = |at: usize, machine: Machine| {
        let mut campaign = campaign(["native", "uml"], 3, |_, at| 10.0 + at as f64);
        campaign.plan.machine = machine;
        campaign.plan.created = format!("2026-01-{:02}T00:00:00Z", at + 1);
        (format!("c{at}"), board(&campaign))
    };
    let mixed = |at| one(at, if at % 2 == 0 { Machine::Real } else { Machine::Sim });
    let page = history_html(&(0..9).map(mixed).collect::<Vec<_>>());
    assert!(!page.contains("No benchmark changed"), "five campaigns of one machine at most");
    assert!(page.contains("the longest has 5"), "{page}");
    assert_eq!(page.matches("<figcaption").count(), 2, "real and simulated apart");
    let page = history_html(&(0..8).map(|at| one(at, Machine::Real)).collect::<Vec<_>>());
    assert!(page.contains("No benchmark changed significantly") && !page.contains("(simulated"));
}
