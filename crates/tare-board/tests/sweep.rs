//! What a sweep says of a campaign made by hand, whose effects are known.

mod common;

use common::{bench, boot, hello, layer, series, wobble};
use tare_board::{Options, Response, Scoreboard, Verdict, scoreboard};
use tare_proto::{BenchInfo, Counter, Unit};
use tare_store::{Campaign, Design, Knob, Role, Sweep, SweptLayer, Turned};

/// What a setting costs against the first: the knob `size` 1, 1.5 or 3, the knob `mode` 1 or 2, together a tenth more at the last
/// of both. `load` doubles.
fn truth(levels: &[usize], load: usize) -> f64 {
    let together = if levels == [2, 1] { 1.1 } else { 1.0 };
    [1.0, 1.5, 3.0][levels[0]] * [1.0, 2.0][levels[1]] * together * [1.0, 2.0][load]
}

fn knob(name: &str, of: Turned, values: &[&str]) -> Knob {
    let values = values.iter().map(|value| (*value).into()).collect();
    Knob { name: name.into(), of, values, ordered: false }
}

fn points() -> Vec<Vec<usize>> {
    (0..3).flat_map(|a| (0..2).map(move |b| vec![a, b])).collect()
}

/// `native`, and `uml` in six settings, over four blocks with `noise`, one benchmark at two loads and one without.
fn campaign(noise: f64) -> Campaign {
    let uml = || Turned::Layer("uml".into());
    let mut layers = vec![layer("native", "native")];
    let mut swept = Vec::new();
    for (at, levels) in points().into_iter().enumerate() {
        let name = format!("uml+{at}");
        layers.push(layer(&name, "uml"));
        swept.push(SweptLayer { name: name.into(), of: "uml".into(), levels });
    }
    let with_load =
        |name: &str| BenchInfo { load: "copies".into(), ..bench(name, "vmi", Unit::Nanoseconds) };
    let benches =
        vec![with_load("a/loop"), with_load("a/loop@4"), bench("b/plain", "vmi", Unit::PerSecond)];
    let mut campaign = common::empty(4, layers, benches);
    campaign.plan.sweep = Some(Sweep {
        design: Design::Full,
        knobs: vec![
            knob("size", uml(), &["1k", "2k", "8k"]),
            knob("append.mode", uml(), &["off", "on"]),
            knob("load", Turned::Load, &["1", "4"]),
        ],
        layers: swept,
    });
    for block in 0..4 {
        for role in [Role::Weigh, Role::Floor] {
            let at = boot(&mut campaign, block, 0, role, hello());
            for (row, value) in [100.0, 200.0, 50.0].into_iter().enumerate() {
                series(&mut campaign, at, row, vec![value]);
            }
        }
        for (at, levels) in points().iter().enumerate() {
            let made = boot(&mut campaign, block, at + 1, Role::Weigh, hello());
            for load in 0..2 {
                let shift = 1.0 + noise * wobble(made, load, 3);
                series(&mut campaign, made, load, vec![130.0 * truth(levels, load) * shift]);
            }
            series(&mut campaign, made, 2, vec![50.0 / truth(levels, 0)]);
        }
    }
    campaign
}

fn board(campaign: &Campaign) -> Scoreboard {
    scoreboard(campaign, &Options::from_plan(&campaign.plan))
}

fn response(board: &Scoreboard, name: &str) -> Response {
    let all = board.sweeps.iter().flat_map(|sweep| &sweep.responses);
    all.into_iter().find(|response| response.benchmark == name).expect(name).clone()
}

#[track_caller]
fn near(got: f64, want: f64) {
    assert!((got / want - 1.0).abs() < 1e-9, "got {got}, want {want}");
}

#[test]
fn without_noise_effects_are_what_was_put_in() {
    let board = board(&campaign(0.0));
    assert_eq!((board.sweeps.len(), board.sweeps[0].layer.raw()), (1, "uml"));
    let found = response(&board, "a/loop");
    let names: Vec<&str> = found.knobs.iter().map(|knob| knob.name.raw()).collect();
    assert_eq!(names, ["size", "append.mode", "load"]);
    assert_eq!(found.knobs[0].numbers, Some(vec![1024.0, 2048.0, 8192.0]));
    assert_eq!(found.knobs[1].numbers, None);
    near(found.first.expect("a mean"), 130.0);
    assert_eq!((found.blocks, found.left_out, found.settings.len()), (4, 0, 12));
    let effect = |knob, level| {
        let of = found.effects.iter().find(|one| (one.knob, one.level) == (knob, level));
        of.expect("an effect").ratio.value
    };
    near(effect(0, 1), 1.5);
    near(effect(0, 2), 3.0 * 1.1_f64.sqrt());
    near(effect(1, 1), 2.0 * 1.1_f64.cbrt());
    near(effect(2, 1), 2.0);
    let of = |knobs, levels| {
        let pair = found.interactions.iter().find(|one| one.knobs == knobs && one.levels == levels);
        pair.expect("an interaction")
    };
    near(of([0, 1], [2, 1]).ratio.value, 1.1);
    assert_eq!(of([0, 1], [2, 1]).verdict, Verdict::Worse);
    near(of([0, 2], [2, 1]).ratio.value, 1.0);
    assert_eq!(of([0, 2], [2, 1]).verdict, Verdict::Equivalent);
    let explained = found.explained.expect("they differ");
    assert!(explained.alone > 0.99 && explained.alone < 1.0, "{explained:?}");
    near(explained.pairs.expect("a model of pairs"), 1.0);
    let best = found.best.clone().expect("a best setting");
    assert_eq!((best.levels, best.alike.len()), (vec![0, 0, 0], 0));
    // Along the size, one curve for each mode, which the size interacts with more than with the load.
    let curves: Vec<_> = found.curves.iter().filter(|curve| curve.knob == 0).collect();
    assert_eq!(
        curves.iter().map(|curve| curve.at).collect::<Vec<_>>(),
        [Some((1, 0)), Some((1, 1))]
    );
    near(curves[1].points[2].ratio.value, 6.6);
    assert_eq!(curves[1].points[2].x, 8192.0);
}

#[test]
fn a_benchmark_without_loads_has_only_the_layers_knobs_and_the_other_end_is_best() {
    let found = response(&board(&campaign(0.0)), "b/plain");
    assert_eq!(found.knobs.len(), 2);
    near(found.effects[0].ratio.value, 1.0 / 1.5);
    assert_eq!(found.effects[0].verdict, Verdict::Worse, "a rate that falls");
    assert_eq!(found.best.expect("a best setting").levels, [0, 0]);
}

#[test]
fn intervals_are_those_of_the_blocks() {
    let campaign = campaign(0.02);
    let found = response(&board(&campaign), "b/plain");
    assert_eq!(found.effects[0].ratio.low, Some(found.effects[0].ratio.value), "no noise there");
    let found = response(&board(&campaign), "a/loop");
    // The effect of the load, block by block and by hand: the mean over six settings of the log of one row over the other.
    let mut logs = Vec::new();
    for block in 0..4_u32 {
        let value = |layer: usize, row: usize| {
            let of = |s: &&tare_store::SeriesRow| {
                let boot = &campaign.boots[s.boot];
                (boot.block, boot.layer, s.benchmark) == (block, layer, row)
            };
            campaign.series.iter().find(of).expect("a series").samples[0]
        };
        logs.push((1..7).map(|layer| (value(layer, 1) / value(layer, 0)).ln()).sum::<f64>() / 6.0);
    }
    let want = tare_stats::ratio_of_logs(&logs, 0.95).expect("four blocks");
    let load = found.effects.iter().find(|one| one.knob == 2).expect("the load's effect");
    near(load.ratio.value, want.ratio);
    near(load.ratio.low.expect("an interval"), want.low);
    near(load.ratio.high.expect("an interval"), want.high);
    assert_eq!(load.ratio.blocks, 4);
    assert!(load.verdict == Verdict::Worse && want.high > want.low);
}

#[test]
fn a_setting_that_cannot_run_is_left_out_and_a_block_that_lacks_one_too() {
    let mut campaign = campaign(0.0);
    // The last size never runs with the mode on; one block lacks the first setting.
    let never = 6;
    campaign.layers[never].unavailable = Some(("it never reports".into(), "more memory".into()));
    let lost = |boots: &[tare_store::Boot], s: &tare_store::SeriesRow| {
        boots[s.boot].layer == never || (boots[s.boot].layer, boots[s.boot].block) == (1, 2)
    };
    let boots = campaign.boots.clone();
    campaign.series.retain(|s| !lost(&boots, s));
    let found = response(&board(&campaign), "b/plain");
    assert_eq!((found.blocks, found.left_out, found.settings.len()), (3, 1, 5));
    // Five settings cannot hold six terms: main effects alone, by least squares over what there is.
    assert!(found.interactions.is_empty() && found.why.is_none());
    near(found.effects[0].ratio.value, 1.0 / 1.5);
    assert_eq!(found.explained.expect("they differ").pairs, None);
}

#[test]
fn settings_that_do_not_differ_are_named_beside_the_best() {
    let mut campaign = campaign(0.0);
    // The modes make no difference in this row, but for noise.
    for row in campaign.series.iter_mut().filter(|row| row.benchmark == 2) {
        let boot = &campaign.boots[row.boot];
        if boot.layer > 0 {
            let size = [1.0, 1.5, 3.0][(boot.layer - 1) / 2];
            row.samples = vec![50.0 / size * (1.0 + 0.01 * wobble(row.boot, 1, 1))];
        }
    }
    let best = response(&board(&campaign), "b/plain").best.expect("a best setting");
    assert_eq!((best.levels[0], best.alike.len()), (0, 1), "{best:?}");
    assert_eq!(best.alike[0][0], 0);
}

#[test]
fn one_knob_at_a_time_has_no_interactions_and_one_block_no_intervals() {
    let mut campaign = campaign(0.0);
    let sweep = campaign.plan.sweep.as_mut().expect("a sweep");
    sweep.design = Design::OneAtATime;
    sweep.layers.retain(|layer| layer.levels.iter().filter(|level| **level > 0).count() < 2);
    let found = response(&board(&campaign), "b/plain");
    assert!(found.interactions.is_empty() && found.effects.len() == 3);
    near(found.effects[1].ratio.value, 1.0 / 3.0);
    campaign.boots.retain(|boot| boot.block == 0);
    let boots = campaign.boots.len();
    campaign.series.retain(|row| row.boot < boots);
    let found = response(&board(&campaign), "b/plain");
    assert_eq!((found.blocks, found.effects[1].ratio.low), (1, None));
    assert_eq!(found.effects[1].verdict, Verdict::None);
}

#[test]
fn sizes_in_names_are_a_knob_and_every_layer_is_swept_where_none_has_one() {
    let names = ["disk/read_4k", "disk/read_64k", "net/ping"];
    let benches = names.iter().map(|name| bench(name, "disk", Unit::PerSecond)).collect();
    let layers = vec![layer("native", "native"), layer("uml", "uml")];
    let mut campaign = common::empty(2, layers, benches);
    campaign.plan.sweep = Some(Sweep {
        knobs: vec![knob("disk.size", Turned::Size("disk".into()), &["4k", "64k"])],
        ..Sweep::default()
    });
    for block in 0..2 {
        for at in 0..2 {
            let made = boot(&mut campaign, block, at, Role::Weigh, hello());
            let values = [[100.0, 300.0, 7.0], [50.0, 75.0, 7.0]][at];
            for (row, value) in values.into_iter().enumerate() {
                series(&mut campaign, made, row, vec![value]);
            }
        }
    }
    let board = board(&campaign);
    let layers: Vec<&str> = board.sweeps.iter().map(|sweep| sweep.layer.raw()).collect();
    assert_eq!(layers, ["native", "uml"]);
    for (sweep, effect) in board.sweeps.iter().zip([3.0, 1.5]) {
        assert_eq!(sweep.responses.len(), 1, "a row without a size is no response");
        assert_eq!(sweep.responses[0].benchmark, "disk/read");
        near(sweep.responses[0].effects[0].ratio.value, effect);
        assert_eq!(sweep.responses[0].best.as_ref().expect("a best setting").levels, [1]);
    }
}

#[test]
fn a_sweep_that_makes_no_sense_says_nothing_and_breaks_nothing() {
    let mut campaign = campaign(0.0);
    let sweep = campaign.plan.sweep.as_mut().expect("a sweep");
    sweep.layers.iter_mut().for_each(|layer| layer.levels = vec![usize::MAX, 0, 7]);
    assert!(board(&campaign).sweeps.iter().all(|sweep| sweep.responses.is_empty()));
    let sweep = campaign.plan.sweep.as_mut().expect("a sweep");
    sweep.layers.iter_mut().for_each(|layer| layer.levels = vec![0, 0]);
    let found = response(&board(&campaign), "b/plain");
    assert!(found.why.is_some() && found.effects.is_empty(), "{found:?}");
}

#[test]
fn of_many_counters_none_is_shown_for_what_is_chance() {
    let mut campaign = campaign(0.001);
    for (at, row) in campaign.series.iter_mut().enumerate() {
        let layer = campaign.boots[row.boot].layer;
        let calls = if layer > 3 { 9.0 } else { 3.0 };
        row.counters.push(Counter::new("hypercall/real", calls + 0.01 * wobble(at, 1, 9)));
        for call in 0..40 {
            let value = 1000.0 * (1.0 + 0.05 * wobble(at, call, layer));
            row.counters.push(Counter::new(&format!("hypercall/{call}"), value));
        }
    }
    let board = board(&campaign);
    let all = board.sweeps.iter().flat_map(|sweep| &sweep.responses);
    let shown: Vec<&str> = all.flat_map(|r| &r.counted).map(|c| c.counter.raw()).collect();
    assert!(shown.contains(&"hypercall/real"), "{shown:?}");
    assert!(shown.iter().all(|name| *name == "hypercall/real"), "{shown:?}");
}
