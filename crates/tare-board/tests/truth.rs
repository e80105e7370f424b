//! Figures that stand beside each other agree: kinds of means, clocks, samples.

mod common;

use common::{bench, pair_of, series};
use tare_board::{Options, Scoreboard, scoreboard};
use tare_proto::{Counter, Unit};
use tare_store::{Campaign, WIRE};

fn board(campaign: &Campaign) -> Scoreboard {
    scoreboard(campaign, &Options::from_plan(&campaign.plan))
}

#[test]
fn the_means_beside_a_ratio_are_those_that_it_is_of() {
    let loud = pair_of(["native", "uml"], 3, |block, at| match at {
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
        let mut campaign = pair_of(["native", kind], 3, |_, _| 100.0);
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
    for container in ["runc", "crun", "podman", "docker", "command"] {
        assert_eq!(drifts(container, &|_| true), (false, false, false), "{container}");
    }
    assert_eq!(drifts("uml", &|_| true), (false, true, false));
    let late = drifts("uml", &|bench| bench == 2);
    assert_eq!((late.0, late.1), (false, false), "one series of four was late");
}

#[test]
fn a_clock_behind_a_wire_is_suspected_beyond_what_the_wire_takes() {
    // The way there and back in milliseconds, if it is known, the probe's time and whether its clock is noted.
    for (wire, probe, noted) in [
        (None, 400, false),
        (Some(1.0), 494, false),
        (Some(1.0), 400, true),
        (Some(150.0), 400, false),
    ] {
        let mut campaign = pair_of(["native", "ssh"], 3, |_, _| 100.0);
        campaign.layers[1].settings = "kind=ssh,host=far,processes=elsewhere".into();
        for row in campaign.series.iter_mut().filter(|row| campaign.boots[row.boot].layer == 1) {
            (row.probe_ns, row.host_ns) = (probe * 1_000_000, 500_000_000);
            row.counters.extend(wire.map(|ms: f64| Counter::new(WIRE, ms * 1e6)));
        }
        let board = board(&campaign);
        let note = |kind| board.layers[1].notes.iter().find(|note| note.kind == kind);
        assert_eq!(note("clock_drift").is_some(), noted, "{wire:?} {probe}");
        assert_eq!(note("wire").is_some(), wire.is_some());
        if wire == Some(150.0) {
            let text = &note("wire").unwrap().text;
            assert!(text.raw().contains("take 150 ms (median of 3 messages)"), "{text:?}");
        }
    }
}

#[test]
fn figures_of_samples_are_of_all_of_them() {
    let mut campaign = pair_of(["native", "uml"], 4, |_, at| 10.0 * (at + 1) as f64);
    for row in campaign.series.iter_mut().filter(|row| campaign.boots[row.boot].layer == 1) {
        (row.samples, row.subtracted) = (vec![-5.0, 20.0, 21.0, 44.0, 45.0], 30.0);
    }
    let board = board(&campaign);
    let (row, cell) = (&board.rows[0], &board.rows[0].cells[0]);
    let own = cell.samples.expect("samples");
    assert_eq!((own.samples, own.boots, own.not_positive), (20, 4, 4));
    assert_eq!((own.median, row.samples.expect("samples").median), (21.0, 10.0));
    assert!((cell.shape.expect("a shape").shift.mean - 11.0).abs() < 1e-9, "{:?}", cell.shape);
}

#[test]
fn a_quota_of_cpu_time_that_can_stop_a_layer_is_noted() {
    for (quota, noted) in [(0.0, false), (0.25, true), (1.0, false), (1.5, false)] {
        let mut campaign = pair_of(["native", "docker"], 3, |_, _| 100.0);
        let boot = campaign.boots.iter_mut().rfind(|boot| boot.layer == 1).expect("a boot");
        boot.hello.as_mut().expect("a greeting").cpu_quota = quota;
        let board = board(&campaign);
        let note = board.layers[1].notes.iter().find(|note| note.kind == "cpu_quota");
        assert_eq!(note.map(|note| note.text.raw().contains("0.25 CPUs")), noted.then_some(true));
    }
}
