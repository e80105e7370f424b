//! What a scoreboard says of the samples behind a ratio: shift, spread, the bootstrap, and what is off.

#[allow(unused_imports)] // the fixtures in it
mod common;

use tare_board::{Cell, Options, scoreboard};
use tare_proto::Unit;
use tare_store::{Campaign, Role};

/// Ten blocks of thirty samples; `layer` makes sample `n` of block `b` from the baseline's value.
fn campaign(layer: impl Fn(f64, usize, usize) -> f64) -> Campaign {
    let layers = vec![common::layer("native", "native"), common::layer("uml", "uml")];
    let mut campaign =
        common::empty(10, layers, vec![common::bench("a/b", "a", Unit::Nanoseconds)]);
    for block in 0..10_usize {
        for (at, role) in [(0, Role::Weigh), (0, Role::Floor), (1, Role::Weigh)] {
            let boot = common::boot(&mut campaign, block as u32, at, role, common::hello());
            let level = 100.0 * (1.0 + 0.01 * common::wobble(boot, 0, 0));
            let value = |n: usize| level * (1.0 + 0.01 * common::wobble(boot, n, 1));
            let made = |n: usize| if at == 0 { value(n) } else { layer(value(n), block, n) };
            common::series(&mut campaign, boot, 0, (0..30).map(made).collect());
        }
    }
    campaign
}

fn cell(campaign: &Campaign) -> Cell {
    scoreboard(campaign, &Options::from_plan(&campaign.plan)).rows[0].cells[0].clone()
}

fn kinds(cell: &Cell) -> Vec<&str> {
    cell.findings.iter().map(|finding| finding.kind).collect()
}

#[test]
fn a_shift_is_told_from_jitter() {
    let shifted = cell(&campaign(|value, _, _| value + 10.0));
    let shape = shifted.shape.expect("ten blocks");
    assert!(shape.shift.low < 10.0 && 10.0 < shape.shift.high, "{shape:?}");
    let spread = shape.spread_ratio.expect("samples vary");
    assert!((0.7..1.4).contains(&spread.ratio), "{spread:?}");
    assert_eq!(kinds(&shifted), [""; 0], "{:?}", shifted.findings);

    let loud =
        cell(&campaign(|value, block, n| value * (1.0 + 0.05 * common::wobble(block, n, 2))));
    let spread = loud.shape.expect("ten blocks").spread_ratio.expect("samples vary");
    assert!(spread.low > 2.0, "{spread:?}");
}

#[test]
fn the_bootstrap_stands_beside_t_and_agrees() {
    let cell = cell(&campaign(|value, _, _| 1.3 * value));
    let (t, bootstrap) = (cell.ratio.expect("t"), cell.bootstrap.expect("a bootstrap"));
    assert_eq!(bootstrap.blocks, 10);
    let (low, high) = (bootstrap.low.expect("low"), bootstrap.high.expect("high"));
    assert!(low < t.value && t.value < high, "{bootstrap:?} {t:?}");
    assert!(!kinds(&cell).contains(&"intervals_disagree"), "{:?}", cell.findings);
}

#[test]
fn what_misleads_is_found_and_remarked_beside_the_number() {
    let rising = |value: f64, _: usize, n: usize| value * (1.0 + 0.01 * n as f64);
    let two_modes = |value: f64, _: usize, n: usize| value * [1.0, 1.4][n % 2];
    let changed = |value: f64, block: usize, _: usize| value * if block < 5 { 1.0 } else { 1.3 };
    for (kind, campaign) in [
        ("trend", campaign(rising)),
        ("bimodal", campaign(two_modes)),
        ("change_point", campaign(changed)),
    ] {
        let cell = cell(&campaign);
        assert!(kinds(&cell).contains(&kind), "{kind}: {:?}", cell.findings);
        let comment = cell.comments.iter().find(|comment| comment.kind() == kind);
        let comment = comment.unwrap_or_else(|| panic!("{kind}: {:?}", cell.comments));
        assert!(comment.sentence().raw().ends_with('.') && !comment.label().is_empty());
    }
    let change = cell(&campaign(changed));
    assert!(change.findings.iter().any(|f| f.text.contains("from block 6 on")), "{change:?}");
}

#[test]
fn too_little_gives_neither_shape_nor_bootstrap_nor_panic() {
    for blocks in [1, 2] {
        let mut campaign = campaign(|value, _, _| value);
        campaign.boots.retain(|boot| boot.block < blocks);
        campaign.series.retain(|row| row.boot < campaign.boots.len());
        let cell = cell(&campaign);
        assert_eq!(cell.shape.is_some(), blocks > 1);
        assert_eq!(cell.bootstrap.is_some(), blocks > 1);
    }
}
