//! What is said of a geometric mean is what its rows say.

mod common;

use tare_board::{Options, Verdict, scoreboard};
use tare_proto::Unit;
use tare_store::{Campaign, Role};

/// Five blocks of 28 rows. On 16 of them a busy machine makes the layer 30% faster give or take a factor of two, in turns, so that
/// their mean is steady; on the others it is the same, or differs by `rest` of its logarithm.
fn busy(rest: f64) -> Campaign {
    let layers = vec![common::layer("native", "native"), common::layer("runc", "runc")];
    let benches = (0..28).map(|row| common::bench(&format!("a/{row}"), "vmi", Unit::Nanoseconds));
    let mut campaign = common::empty(5, layers, benches.collect());
    for block in 0..5 {
        for (layer, role) in [(0, Role::Weigh), (0, Role::Floor), (1, Role::Weigh)] {
            let boot = common::boot(&mut campaign, block, layer, role, common::hello());
            for row in 0..28 {
                let swing = if (row + block as usize).is_multiple_of(2) { 0.7 } else { -0.7 };
                let log: f64 = match (layer, row) {
                    (0, _) => 0.0,
                    (_, 0..16) => swing - 0.35,
                    _ => rest,
                };
                let value = 100.0 * log.exp() * (1.0 + 0.0005 * common::wobble(boot, row, 0));
                common::series(&mut campaign, boot, row, vec![value; 3]);
            }
        }
    }
    campaign
}

#[test]
fn a_mean_is_not_faster_where_open_rows_carry_it() {
    let campaign = busy(-0.001);
    let board = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
    let mean = &board.geomeans[0];
    assert!(mean.cost.high.unwrap() < 0.9, "by itself it is sure: {:?}", mean.cost);
    assert_eq!((mean.verdict, mean.undecided, mean.rows), (Verdict::Undecided, 16, 28));
    assert!(mean.carried < 0.1, "{}", mean.carried);
}

#[test]
fn a_mean_that_decided_rows_carry_is_said() {
    let campaign = busy(-1.2);
    let board = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
    let mean = &board.geomeans[0];
    assert_eq!((mean.verdict, mean.undecided), (Verdict::Better, 16));
    assert!(mean.carried > 0.5, "{}", mean.carried);
}
