//! The figures of a row, and series of layers that others kept from their CPU.

mod common;

use tare_board::{Options, Scoreboard, scoreboard};
use tare_proto::counter::{CPU_WAITED, DISK_BYTES};
use tare_proto::{Counter, Turn, Unit};
use tare_stats::Estimator;
use tare_store::{Campaign, Role};

/// Rounds of a series and samples of a turn.
const ROUNDS: usize = 10;
const SAMPLES: usize = 8;

/// Six blocks of native and of a layer that takes as long but for a `burst` in each second turn, which a share of its time `waited` in
/// the first blocks.
fn campaign(burst: f64, waited: &[f64]) -> Campaign {
    let layers = ["native", "layer"].map(|name| common::layer(name, name)).into();
    let bench = common::bench("a/b", "vmi", Unit::Nanoseconds);
    let mut campaign = common::empty(6, layers, vec![bench]);
    for block in 0..6 {
        for (layer, role) in [(0, Role::Weigh), (0, Role::Floor), (1, Role::Weigh)] {
            let boot = common::boot(&mut campaign, block, layer, role, common::hello());
            let sample = |at: usize| {
                let is_hit = layer == 1 && at % (2 * SAMPLES) == 3;
                let shift = 1.0 + 0.001 * common::wobble(boot, at, 0);
                100.0 * shift * if is_hit { burst } else { 1.0 }
            };
            common::series(&mut campaign, boot, 0, (0..ROUNDS * SAMPLES).map(sample).collect());
            let row = campaign.series.last_mut().unwrap();
            row.turns = vec![Turn { samples: SAMPLES as u32, subtracted: 0.0 }; ROUNDS];
            let share = waited.get(block as usize).filter(|_| layer == 1);
            row.counters.extend(share.map(|share| Counter::new(CPU_WAITED, *share)));
        }
    }
    campaign
}

fn board(campaign: &Campaign, estimator: Option<Estimator>) -> Scoreboard {
    scoreboard(campaign, &Options { estimator, ..Options::from_plan(&campaign.plan) })
}

#[test]
fn a_burst_is_in_the_mean_and_not_in_the_best_case() {
    let campaign = campaign(1.8, &[]);
    // One sample in sixteen takes 80% longer: 5% on average.
    let by_best = board(&campaign, None);
    let cell = &by_best.rows[0].cells[0];
    let best = cell.figures.best.unwrap();
    let mean = cell.figures.mean.unwrap();
    assert_eq!(Some(best), cell.ratio);
    assert!((best.value - 1.0).abs() < 0.002, "{best:?}");
    assert!((mean.value - 1.05).abs() < 0.002, "{mean:?}");
    let kinds: Vec<&str> = cell.comments.iter().map(tare_board::Comment::kind).collect();
    assert!(kinds.contains(&"figures_apart"), "{kinds:?}");
    let suite = by_best.geomeans[0].figures;
    assert!(suite.mean.unwrap().value > 1.04 && suite.best.unwrap().value < 1.01);
    let by_mean = board(&campaign, Some(Estimator::Mean));
    let cell = &by_mean.rows[0].cells[0];
    assert_eq!((cell.figures.best, cell.figures.mean), (Some(best), Some(mean)));
    assert_eq!(cell.ratio, Some(mean), "the verdict is about it");
    assert_eq!(cell.verdict, tare_board::Verdict::Worse);
}

#[test]
fn a_burst_is_in_the_slowest_hundredth_where_there_are_a_hundred_samples() {
    let mut campaign = campaign(1.8, &[]);
    assert_eq!(board(&campaign, None).rows[0].cells[0].figures.p99, None);
    for row in &mut campaign.series {
        row.samples = row.samples.repeat(2);
        row.turns = row.turns.repeat(2);
    }
    let said = board(&campaign, None);
    let p99 = said.rows[0].cells[0].figures.p99.unwrap();
    assert!((p99.value - 1.8).abs() < 0.01, "{p99:?}");
    assert_eq!(said.geomeans[0].figures.p99.map(|mean| mean.blocks), Some(6));
    let by_p99 = board(&campaign, Some("p99".parse().unwrap()));
    assert_eq!(by_p99.rows[0].cells[0].ratio, Some(p99));
    let median = board(&campaign, Some(Estimator::Median));
    let ratio = median.rows[0].cells[0].ratio.unwrap();
    assert!((ratio.value - 1.0).abs() < 0.002, "{ratio:?}");
}

#[test]
fn figures_that_agree_say_nothing() {
    let board = board(&campaign(1.0, &[]), None);
    assert!(board.rows[0].cells[0].comments.is_empty(), "{:?}", board.rows[0].cells[0].comments);
    assert_eq!(board.busy, None, "nobody knows how long layers waited");
}

#[test]
fn what_waited_for_a_cpu_is_withheld_and_the_board_says_so() {
    let campaign = campaign(1.0, &[0.5, 0.02, 0.3, 0.0, 0.0, 0.0]);
    let said = board(&campaign, None);
    let busy = said.busy.expect("it was busy");
    assert_eq!((busy.withheld, busy.of), (2, 6));
    let cell = &said.rows[0].cells[0];
    assert_eq!(cell.ratio.unwrap().blocks, 4);
    let why = cell.comments.iter().find(|comment| comment.kind() == "rejected").expect("a remark");
    assert!(why.label().raw().contains("waited for a CPU"), "{:?}", why.label());
    let mut all = campaign.clone();
    all.plan.most_waited = Some(1.0);
    assert_eq!(board(&all, None).rows[0].cells[0].ratio.unwrap().blocks, 6, "as it is told");
}

#[test]
fn one_series_in_many_makes_no_machine_busy() {
    let mut campaign = campaign(1.0, &[0.0; 6]);
    assert_eq!(board(&campaign, None).busy, None);
    campaign.series[2].counters[0].value = f64::NAN;
    assert_eq!(board(&campaign, None).busy, None, "a share that is none is nobody's");
}

#[test]
fn a_layer_that_answers_from_a_cache_is_told_from_a_disk() {
    let kinds = |shares: [f64; 2]| {
        let mut campaign = campaign(1.0, &[]);
        for row in &mut campaign.series {
            let share = shares[campaign.boots[row.boot].layer];
            row.counters.push(Counter::new(DISK_BYTES, share));
        }
        let said = board(&campaign, None);
        let comments = &said.rows[0].cells[0].comments;
        comments.iter().map(tare_board::Comment::kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds([1.0, 0.01]), ["cached"]);
    assert!(kinds([1.0, 0.9]).is_empty(), "both have a disk");
    assert!(kinds([0.0, 0.0]).is_empty(), "both have none");
}
