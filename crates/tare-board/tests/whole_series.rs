//! Layers that take no turns: they are divided by whole series of the baseline's, and bounded by the noise floor of those.

mod common;

use tare_board::{Cell, Options, scoreboard};
use tare_proto::{Turn, Unit};
use tare_store::{Campaign, Role, SeriesRow};

/// A series of the same mean as `sample`, that took turns or not.
fn taken(campaign: &mut Campaign, boot: usize, samples: [f64; 4], in_turns: bool) {
    common::series(campaign, boot, 0, samples.to_vec());
    let row = campaign.series.last_mut().unwrap();
    if in_turns {
        row.turns = vec![Turn { samples: 1, subtracted: 0.0 }; 4];
    }
}

/// Four blocks of native and of two layers that are native, on a machine that is not quiet: turns find 100 ns, whole series 250.
/// `boots` is how far the whole series of the baseline's second boot is from that of its first.
fn campaign(again: bool, boots: f64) -> Campaign {
    let layers = ["native", "turns", "gvisor"].map(|name| common::layer(name, name)).into();
    let mut campaign =
        common::empty(4, layers, vec![common::bench("a/b", "vmi", Unit::Nanoseconds)]);
    for block in 0..4 {
        for (layer, role) in
            [(0, Role::Weigh), (0, Role::Floor), (1, Role::Weigh), (2, Role::Weigh)]
        {
            let boot = common::boot(&mut campaign, block, layer, role, common::hello());
            let shift = 1.0 + 0.001 * common::wobble(boot, 0, 0);
            if layer == 2 {
                taken(&mut campaign, boot, [250.0 * shift; 4], false);
                continue;
            }
            taken(&mut campaign, boot, [100.0 * shift; 4], true);
            if again && layer == 0 {
                let factor = if role == Role::Floor { boots } else { 1.0 };
                let own = campaign.series.last().unwrap().clone();
                let samples = vec![250.0 * shift * factor; 4];
                campaign.whole_series.push(SeriesRow { samples, turns: Vec::new(), ..own });
            }
        }
    }
    campaign
}

fn cells(campaign: &Campaign) -> Vec<Cell> {
    scoreboard(campaign, &Options::from_plan(&campaign.plan)).rows[0].cells.clone()
}

#[test]
fn like_is_divided_by_like() {
    let cells = cells(&campaign(true, 1.0));
    for cell in &cells {
        let ratio = cell.ratio.unwrap().value;
        assert!((ratio - 1.0).abs() < 0.002, "{}: {ratio}", cell.layer.raw());
        assert!(cell.comments.is_empty(), "{:?}", cell.comments);
    }
    let pair = cells[1].pair.unwrap();
    assert!((pair.layer / pair.baseline - 1.0).abs() < 0.002, "{pair:?}");
    assert!(cells[0].floor.is_none() && cells[1].floor.is_some());
}

#[test]
fn the_floor_is_that_of_the_series_that_are_divided() {
    let cells = cells(&campaign(true, 1.3));
    let bound = cells[1].floor.unwrap().bound.unwrap();
    assert!((1.29..1.32).contains(&bound), "{bound}");
    assert!(cells[0].floor.is_none(), "who takes turns has the row's");
}

#[test]
fn an_old_campaign_says_that_its_ratio_is_biased() {
    let cells = cells(&campaign(false, 1.0));
    assert!((cells[1].ratio.unwrap().value - 2.5).abs() < 0.01);
    let kinds: Vec<&str> = cells[1].comments.iter().map(|comment| comment.kind()).collect();
    assert_eq!(kinds, ["unlike_series"]);
    assert!(cells[0].comments.is_empty());
}

/// A boot of the baseline that had to be measured alone is no measure for who takes turns.
#[test]
fn turns_are_divided_by_the_boot_that_took_turns() {
    let mut campaign = campaign(true, 1.0);
    let floors: Vec<usize> =
        (0..campaign.boots.len()).filter(|&at| campaign.boots[at].role == Role::Floor).collect();
    for row in campaign.series.iter_mut().filter(|row| floors.contains(&row.boot)) {
        row.turns.clear();
        row.samples = vec![250.0; 4];
    }
    let ratio = cells(&campaign)[0].ratio.unwrap().value;
    assert!((ratio - 1.0).abs() < 0.002, "{ratio}");
}
