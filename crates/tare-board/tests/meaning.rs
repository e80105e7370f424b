//! What the numbers of a scoreboard mean, on campaigns small enough to check by hand.

mod common;

use common::{absent, bench, boot, empty, fail, hello, layer, series};
use tare_board::{Cell, Comment, Options, Presence, Scoreboard, Verdict, scoreboard};
use tare_proto::{Better, Counter, Unit, Untrusted};
use tare_store::{BootState, Campaign, Outcome, Role};

/// A baseline and one layer, one benchmark.
fn pair() -> Campaign {
    let layers = vec![layer("native", "native"), layer("uml", "uml")];
    empty(4, layers, vec![bench("mock/one", "mock", Unit::Nanoseconds)])
}

/// One boot with one series.
fn measure(campaign: &mut Campaign, block: u32, layer: usize, role: Role, value: f64) -> usize {
    let at = boot(campaign, block, layer, role, hello());
    series(campaign, at, 0, vec![value; 3]);
    at
}

fn board(campaign: &Campaign) -> Scoreboard {
    scoreboard(campaign, &Options::from_plan(&campaign.plan))
}

fn only(board: &Scoreboard) -> &Cell {
    &board.rows[0].cells[0]
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9 * b.abs()
}

#[test]
fn the_baseline_is_the_geometric_mean_of_its_two_boots() {
    let mut campaign = pair();
    for block in 0..2 {
        measure(&mut campaign, block, 0, Role::Weigh, 100.0);
        measure(&mut campaign, block, 0, Role::Floor, 121.0);
        measure(&mut campaign, block, 1, Role::Weigh, 220.0);
    }
    let board = board(&campaign);
    let (cell, floor) = (only(&board), board.rows[0].floor.unwrap());
    assert!(near(cell.ratio.unwrap().value, 2.0), "{:?}", cell.ratio);
    assert!(near(cell.pair.unwrap().baseline, 110.0));
    assert!(near(floor.ratio.value, 1.21) && near(floor.bound.unwrap(), 1.21));
    assert!(floor.called_different && board.floor.called_different == 1);
    assert!(
        board.warnings.iter().any(|w| w.text.raw().contains("A/A check failed")),
        "{:?}",
        board.warnings
    );
}

#[test]
fn a_layer_that_worked_on_less_memory_is_told_apart() {
    let mut campaign = pair();
    for (layer, mebibytes) in [(0, 64.0), (1, 16.0)] {
        measure(&mut campaign, 0, layer, Role::Weigh, 100.0);
        let size = Counter::new("working_set_bytes", mebibytes * 1_048_576.0);
        campaign.series.last_mut().unwrap().counters.push(size);
    }
    let label = |campaign: &Campaign| {
        let board = board(campaign);
        only(&board).comments.iter().find(|c| c.kind() == "other_size").map(|c| c.label())
    };
    assert_eq!(label(&campaign).as_ref().map(Untrusted::raw), Some("worked on 16 MiB, not 64"));
    campaign.series[1].counters[0].value *= 4.0;
    assert_eq!(label(&campaign), None);
}

#[test]
fn the_first_boot_that_measured_counts_even_if_it_failed_later() {
    let mut campaign = pair();
    for block in 0..2 {
        measure(&mut campaign, block, 0, Role::Weigh, 100.0);
        let first = measure(&mut campaign, block, 1, Role::Weigh, 300.0);
        fail(&mut campaign, first, "died", "");
        let retry = measure(&mut campaign, block, 1, Role::Weigh, 999.0);
        campaign.boots[retry].attempt = 2;
    }
    let board = board(&campaign);
    assert!(near(only(&board).ratio.unwrap().value, 3.0));
    assert_eq!((board.failed_boots.len(), board.counts.failed_boots), (2, 2));
}

#[test]
fn a_retry_measures_what_the_failed_boot_could_not() {
    let mut campaign = pair();
    for block in 0..2 {
        measure(&mut campaign, block, 0, Role::Weigh, 100.0);
        let first = boot(&mut campaign, block, 1, Role::Weigh, hello());
        absent(&mut campaign, first, 0, Outcome::Failed, "hung");
        measure(&mut campaign, block, 1, Role::Weigh, 400.0);
    }
    assert!(near(only(&board(&campaign)).ratio.unwrap().value, 4.0));
}

#[test]
fn blocks_without_both_are_left_out_and_said() {
    let mut campaign = pair();
    for block in 0..4 {
        measure(&mut campaign, block, 0, Role::Weigh, 100.0 + f64::from(block));
        let at = measure(&mut campaign, block, 1, Role::Weigh, 200.0 + 2.0 * f64::from(block));
        if block == 2 {
            campaign.series.retain(|row| row.boot != at);
        }
    }
    let left_out = board(&campaign);
    let missing = |comment: &Comment| matches!(comment, Comment::MissingBlocks { .. });
    assert!(!only(&left_out).comments.iter().any(missing), "the block did not ask for it");
    let lost = campaign.boots.iter_mut().find(|boot| boot.block == 2 && boot.layer == 1);
    lost.unwrap().state = BootState::Failed;
    let board = board(&campaign);
    let cell = only(&board);
    assert!(near(cell.ratio.unwrap().value, 2.0));
    assert_eq!(cell.ratio.unwrap().blocks, 3);
    assert!(
        cell.comments.contains(&Comment::MissingBlocks { have: 3, of: 4 }),
        "{:?}",
        cell.comments
    );
}

#[test]
fn one_block_has_a_ratio_and_no_interval() {
    let mut campaign = pair();
    measure(&mut campaign, 0, 0, Role::Weigh, 100.0);
    measure(&mut campaign, 0, 1, Role::Weigh, 250.0);
    let board = board(&campaign);
    let cell = only(&board);
    assert!(near(cell.ratio.unwrap().value, 2.5) && cell.ratio.unwrap().low.is_none());
    assert_eq!(
        (cell.verdict, cell.comments.as_slice()),
        (Verdict::None, [Comment::OneBlock].as_slice())
    );
    assert!(near(board.geomeans[0].cost.value, 2.5));
}

#[test]
fn samples_that_are_no_times_give_no_number() {
    for samples in [vec![], vec![0.0], vec![1.0, -1.0], vec![f64::NAN], vec![f64::INFINITY, 1.0]] {
        let mut campaign = pair();
        for block in 0..2 {
            measure(&mut campaign, block, 0, Role::Weigh, 100.0);
            let at = boot(&mut campaign, block, 1, Role::Weigh, hello());
            series(&mut campaign, at, 0, samples.clone());
        }
        let board = board(&campaign);
        let cell = only(&board);
        assert_eq!((cell.presence, cell.ratio), (Presence::Rejected, None), "{samples:?}");
        assert!(cell.why.is_some(), "{samples:?}");
    }
}

#[test]
fn a_baseline_without_a_value_leaves_the_layer_alone_and_warns() {
    let mut campaign = pair();
    for block in 0..2 {
        measure(&mut campaign, block, 0, Role::Weigh, -1.0);
        measure(&mut campaign, block, 1, Role::Weigh, 100.0);
    }
    let board = board(&campaign);
    assert_eq!(only(&board).presence, Presence::Unpaired);
    assert!(near(only(&board).mean.unwrap().mean, 100.0));
    assert!(board.warnings.iter().any(|w| w.text.raw().contains("baseline was rejected")));
    campaign.plan.baseline = "gone".into();
    let board = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
    assert_eq!(board.rows[0].cells.len(), 2, "every layer is weighed, against nothing");
    assert!(board.warnings.iter().any(|w| w.text.raw().contains("not among the layers")));
}

#[test]
fn higher_is_better_turns_the_verdict_and_the_cost() {
    let mut campaign = pair();
    campaign.benchmarks[0].unit = Unit::PerSecond;
    campaign.benchmarks[0].better = Better::Higher;
    for block in 0..4 {
        let wobble = 1.0 + 0.001 * f64::from(block % 3);
        measure(&mut campaign, block, 0, Role::Weigh, 100.0);
        measure(&mut campaign, block, 1, Role::Weigh, 50.0 * wobble);
    }
    let board = board(&campaign);
    assert_eq!(only(&board).verdict, Verdict::Worse);
    assert!(only(&board).ratio.unwrap().value < 0.51);
    assert!(board.geomeans[0].cost.value > 1.99);
}

#[test]
fn nothing_within_the_noise_floor_is_called_different() {
    let mut campaign = pair();
    for block in 0..8 {
        let wobble = 1.0 + 0.001 * f64::from(block % 3);
        measure(&mut campaign, block, 0, Role::Weigh, 100.0);
        measure(&mut campaign, block, 0, Role::Floor, 120.0 * wobble);
        measure(&mut campaign, block, 1, Role::Weigh, 118.0 * wobble);
    }
    let board = board(&campaign);
    assert_eq!(only(&board).verdict, Verdict::Undecided);
    assert!(only(&board).comments.contains(&Comment::WithinFloor), "{:?}", only(&board).comments);
}

#[test]
fn an_estimator_may_be_overridden() {
    let mut campaign = pair();
    for block in 0..2 {
        measure(&mut campaign, block, 0, Role::Weigh, 10.0);
        let at = boot(&mut campaign, block, 1, Role::Weigh, hello());
        series(&mut campaign, at, 0, vec![20.0, 20.0, 80.0]);
    }
    let options =
        Options { estimator: "median".parse().ok(), ..Options::from_plan(&campaign.plan) };
    let board = scoreboard(&campaign, &options);
    assert!(near(only(&board).ratio.unwrap().value, 2.0));
    assert_eq!(board.rows[0].estimator, "median");
}

#[test]
fn useless_options_are_named() {
    let mut campaign = pair();
    for block in 0..3 {
        measure(&mut campaign, block, 0, Role::Weigh, 10.0);
        measure(&mut campaign, block, 1, Role::Weigh, 20.0);
    }
    let base = Options::from_plan(&campaign.plan);
    for options in [Options { margin: f64::NAN, ..base }, Options { confidence: 1.0, ..base }] {
        let board = scoreboard(&campaign, &options);
        assert_eq!(only(&board).verdict, Verdict::None);
        assert!(board.warnings[0].text.raw().starts_with("no "), "{:?}", board.warnings);
    }
}

#[test]
fn a_clock_is_suspected_beyond_what_messages_take() {
    // Probe and host in milliseconds, and whether the layer is noted.
    for (probe, host, noted) in
        [(500, 501, false), (500, 509, false), (470, 501, true), (530, 501, true), (2, 6, false)]
    {
        let mut campaign = pair();
        measure(&mut campaign, 0, 0, Role::Weigh, 10.0);
        measure(&mut campaign, 0, 1, Role::Weigh, 20.0);
        let row = &mut campaign.series[1];
        (row.probe_ns, row.host_ns) = (probe * 1_000_000, host * 1_000_000);
        let board = board(&campaign);
        assert_eq!(
            board.layers[1].notes.iter().any(|n| n.kind == "clock_drift"),
            noted,
            "{probe} {host}"
        );
    }
}

#[test]
fn a_layer_on_the_hosts_kernel_must_be_where_the_plan_put_it() {
    let mut campaign = pair();
    measure(&mut campaign, 0, 0, Role::Weigh, 10.0);
    let at = measure(&mut campaign, 0, 1, Role::Weigh, 20.0);
    campaign.boots[at].hello.as_mut().unwrap().affinity = vec![0, 1];
    let kinds = |campaign: &Campaign| {
        board(campaign).layers[1].notes.iter().map(|note| note.kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&campaign), ["cpus", "pinning"]);
    campaign.boots[at].hello.as_mut().unwrap().kernel = "6.1.0-guest".into();
    assert_eq!(kinds(&campaign), ["kernel", "cpus"], "a guest numbers its own CPUs");
}

#[test]
fn what_the_host_measured_is_in_no_mean() {
    let campaign = common::full();
    let board = board(&campaign);
    let rows: Vec<_> =
        board.rows.iter().filter(|row| row.by_host).map(|r| r.benchmark.raw()).collect();
    assert_eq!(rows, ["host/start", "host/footprint"]);
    assert_eq!(
        board.geomeans.len(),
        4,
        "one suite, one measure, four layers: {:?}",
        board.geomeans
    );
    assert_eq!(board.geomeans[0].rows, 12);
}

#[test]
fn indices_out_of_range_are_survived() {
    let mut campaign = pair();
    let at = measure(&mut campaign, 0, 1, Role::Weigh, 20.0);
    campaign.series[0].boot = 99;
    series(&mut campaign, at, 77, vec![1.0]);
    campaign.boots[at].layer = 55;
    let board = board(&campaign);
    assert_eq!(only(&board).presence, Presence::Missing);
}
