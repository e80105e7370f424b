//! What a campaign says does not depend on whether it was stored in between.

mod common;

use tare_board::{Options, Scoreboard, scoreboard};
use tare_proto::Untrusted;
use tare_store::{Campaign, Store, load};

fn board(campaign: &Campaign) -> Scoreboard {
    scoreboard(campaign, &Options::from_plan(&campaign.plan))
}

#[test]
fn a_stored_campaign_comes_out_the_same() {
    let made = common::troubled();
    let home = tempfile::tempdir().unwrap();
    let mut store = Store::create(home.path(), &made.plan, &made.layers, &made.benchmarks).unwrap();
    for (at, boot) in made.boots.iter().enumerate() {
        let layer = &made.layers[boot.layer].name;
        let id = store
            .begin_boot(
                boot.block,
                boot.slot,
                layer.raw(),
                boot.role,
                boot.attempt,
                boot.started.raw(),
            )
            .unwrap();
        store.greet(id, boot.hello.as_ref().unwrap()).unwrap();
        for row in made.series.iter().filter(|row| row.boot == at) {
            store.record(id, &common::recorded(&made, row)).unwrap();
        }
        let failure = boot
            .failure
            .as_ref()
            .map(Untrusted::raw)
            .zip(boot.console.as_ref().map(Untrusted::raw));
        store.end_boot(id, 3.0, failure).unwrap();
    }
    made.warnings.iter().for_each(|warning| store.warn(warning).unwrap());
    store.set_state("finished").unwrap();
    store.close().unwrap();
    assert_eq!(board(&load(home.path()).unwrap()), board(&made));
}
