//! What the suite `sandbox` says of a campaign made by hand.

mod common;

use tare_board::{Beside, Options, SANDBOX, Scoreboard, scoreboard};
use tare_proto::{Counter, Unit, Untrusted};
use tare_store::{Campaign, Outcome, Role};

const MIB: f64 = 1_048_576.0;

/// Four blocks of a baseline and a layer: ten starts a boot, phases, and what one more takes. The host has room for 1000 MiB.
fn campaign() -> Campaign {
    let names = ["start/warm", "start/host", "start/kernel", "sandbox/pss", "beside/busy@2"];
    let units =
        [Unit::Nanoseconds, Unit::Nanoseconds, Unit::Nanoseconds, Unit::Bytes, Unit::Number];
    let benches = names.iter().zip(units).map(|(name, unit)| common::bench(name, SANDBOX, unit));
    let layers = vec![common::layer("native", "native"), common::layer("uml", "uml")];
    let mut campaign = common::empty(4, layers, benches.collect());
    for block in 0..4 {
        for (layer, role) in [(0, Role::Weigh), (0, Role::Floor), (1, Role::Weigh)] {
            let boot = common::boot(&mut campaign, block, layer, role, common::hello());
            let times = [1.0, 100.0][layer];
            let starts = (1..=10).map(|n| times * 1e6 * f64::from(n)).collect();
            by_host(&mut campaign, boot, 0, starts);
            by_host(&mut campaign, boot, 1, vec![5e5]);
            match layer {
                0 => common::absent(&mut campaign, boot, 2, Outcome::Unavailable, "the host's"),
                _ => by_host(&mut campaign, boot, 2, vec![3e7]),
            }
            by_host(&mut campaign, boot, 3, vec![[2.0, 25.0][layer] * MIB]);
            let counters = &mut campaign.series.last_mut().expect("just added").counters;
            for (name, value) in [
                ("memory_room", 1000.0 * MIB),
                ("lost_slope", [2.0, 25.0][layer] * MIB),
                ("idle_cpu", 0.5),
                ("lost/8", 200.0 * MIB),
                ("lost/2", 50.0 * MIB),
            ] {
                counters.push(Counter::new(name, value));
            }
            by_host(&mut campaign, boot, 4, vec![[1.5, 4.5][layer]]);
        }
    }
    campaign
}

fn by_host(campaign: &mut Campaign, boot: usize, bench: usize, samples: Vec<f64>) {
    common::series(campaign, boot, bench, samples);
    let row = campaign.series.last_mut().expect("just added");
    (row.probe_ns, row.host_ns) = (0, 0);
}

fn board() -> Scoreboard {
    let campaign = campaign();
    scoreboard(&campaign, &Options::from_plan(&campaign.plan))
}

#[test]
fn tails_are_of_all_starts() {
    let board = board();
    let native = board.rows[0].tails.expect("the baseline's");
    assert_eq!((native.starts, native.p50.value), (80, 5.5e6));
    let uml = board.rows[0].cells[0].tails.expect("the layer's");
    assert_eq!((uml.starts, uml.p50.value, uml.p99.value), (40, 5.5e8, 1e9));
    assert_eq!(uml.p99.high, None, "forty starts cannot tell");
    assert!(uml.p50.low < Some(5.5e8) && uml.p50.high > Some(5.5e8));
    assert_eq!(board.rows[3].tails, None, "memory has none");
}

#[test]
fn every_layer_has_its_summary() {
    let board = board();
    let [native, uml] = &board.sandboxes[..] else { panic!("{:?}", board.sandboxes) };
    assert_eq!((native.layer.raw(), native.ratio), ("native", None));
    assert!((uml.ratio.expect("paired").value - 100.0).abs() < 1e-9);
    let phases: Vec<_> = uml.phases.iter().map(|phase| (phase.name, phase.ns)).collect();
    assert_eq!(phases, [("host", Some(5e5)), ("kernel", Some(3e7))]);
    assert_eq!(native.phases[1].ns, None);
    let near = |found: f64, wanted: f64| (found / wanted - 1.0).abs() < 1e-9;
    assert!(near(uml.one_more.expect("a slope").value, 25.0 * MIB));
    assert_eq!(uml.fits.expect("room").value, 40.0);
    assert_eq!(native.fits.expect("room").value, 500.0);
    let alive: Vec<_> = uml.alive.iter().map(|at| (at.count, at.lost.value / MIB)).collect();
    assert_eq!(alive, [(2, 50.0), (8, 200.0)]);
    assert_eq!(uml.idle_cpu.expect("counted").value, 0.5);
}

#[test]
fn other_campaigns_have_none() {
    let campaign = common::troubled();
    let board = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
    assert!(board.sandboxes.is_empty());
    let json = serde_json::to_string(&board).expect("JSON");
    assert!(!json.contains("sandboxes") && !json.contains("tails"));
}

#[test]
fn what_neighbours_do_is_of_each_layer_by_their_number() {
    let board = board();
    let busy = |at: usize| board.sandboxes[at].beside.clone();
    let near = |found: &[Beside], times: f64| matches!(found, [Beside { neighbours: 2, idle: None, busy: Some(busy) }] if (busy - times).abs() < 1e-9);
    assert!(near(&busy(0), 1.5) && near(&busy(1), 4.5), "{:?}", (busy(0), busy(1)));
}

/// The campaign with `sandbox/memory`: slopes of native by block, and 20 MiB of the layer.
fn with_slopes(native: [f64; 4]) -> Scoreboard {
    let mut campaign = campaign();
    campaign.benchmarks.push(common::bench("sandbox/memory", SANDBOX, Unit::Bytes));
    for boot in 0..campaign.boots.len() {
        let slope = match campaign.boots[boot].layer {
            0 => native[campaign.boots[boot].block as usize],
            _ => 20.0,
        };
        match slope > 0.0 {
            true => by_host(&mut campaign, boot, 5, vec![slope * MIB]),
            false => common::absent(&mut campaign, boot, 5, Outcome::Unavailable, "not shrunk"),
        }
    }
    scoreboard(&campaign, &Options::from_plan(&campaign.plan))
}

#[test]
fn slopes_of_which_only_the_positive_ones_are_left_have_no_mean_and_no_ratio() {
    let sure = with_slopes([4.0, 5.0, 4.5, 4.2]);
    let ratio = sure.rows[5].cells[0].ratio.expect("all of them are positive");
    assert!((4.0..5.0).contains(&ratio.value), "{ratio:?}");
    let noisy = with_slopes([4.0, -3.0, 6.0, -1.0]);
    let row = &noisy.rows[5];
    assert!(row.baseline.is_none() && row.cells[0].ratio.is_none(), "{row:?}");
    let why = row.cells[0].why.as_ref().map(Untrusted::raw).expect("a reason");
    assert!(
        why.contains("the baseline has no value that can be used: it is lost in noise"),
        "{why}"
    );
    assert!(why.contains("in 4 of 8 boots it was not above zero"), "{why}");
    assert_eq!(row.cells[0].mean.expect("the layer's own").mean, 20.0 * MIB);
}
