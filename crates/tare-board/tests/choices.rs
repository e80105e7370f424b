//! What a layer's figure hangs on: the same mean under each option that the campaign has series for.

mod common;

use tare_board::{ChoiceOf, HangsOn, Options, scoreboard};
use tare_proto::{Turn, Unit};
use tare_store::{Campaign, Role, SeriesRow};

/// Four blocks of native and of a layer on two CPUs: twice native's time in the first row and eight times in the second, and in the first
/// row sixteen times on one CPU.
fn on_two_cpus() -> Campaign {
    let layers = vec![common::layer("native", "native"), common::layer("gvisor", "runsc")];
    let benches = ["a/one", "a/two"].map(|name| common::bench(name, "a", Unit::Nanoseconds));
    let mut campaign = common::empty(4, layers, benches.to_vec());
    campaign.plan.wide = vec![1, 0];
    for block in 0..4 {
        for (layer, role) in
            [(0, Role::Weigh), (0, Role::Floor), (1, Role::Weigh), (1, Role::OneCpu)]
        {
            let boot = common::boot(&mut campaign, block, layer, role, common::hello());
            let factors: &[f64] = match (layer, role) {
                (0, _) => &[1.0, 1.0],
                (_, Role::OneCpu) => &[16.0],
                _ => &[2.0, 8.0],
            };
            for (row, factor) in factors.iter().enumerate() {
                let shift = 1.0 + 0.001 * common::wobble(boot, row, 0);
                common::series(&mut campaign, boot, row, vec![100.0 * factor * shift; 4]);
                if layer == 0 {
                    let usual = campaign.series.last_mut().unwrap();
                    let whole = SeriesRow { turns: Vec::new(), ..usual.clone() };
                    usual.turns = vec![Turn { samples: 1, subtracted: 0.0 }; 4];
                    campaign.whole_series.push(whole);
                }
            }
        }
    }
    campaign
}

fn hangs_on(campaign: &Campaign) -> HangsOn {
    let board = scoreboard(campaign, &Options::from_plan(&campaign.plan));
    assert_eq!(board.hangs_on.len(), 1, "one layer, one suite");
    board.hangs_on.into_iter().next().unwrap()
}

fn near(value: f64, expected: f64) -> bool {
    (value / expected - 1.0).abs() < 0.005
}

#[test]
fn the_number_of_cpus_is_told_over_the_rows_that_both_have() {
    let found = hangs_on(&on_two_cpus());
    let cpus = found.choices.iter().find(|choice| choice.by == ChoiceOf::Cpus).unwrap();
    let said: Vec<(&str, usize)> =
        cpus.options.iter().map(|option| (option.option.raw(), option.rows)).collect();
    assert_eq!(said, [("2 CPUs", 1), ("one CPU", 1)]);
    assert!(near(cpus.options[0].cost.value, 2.0), "{cpus:?}");
    assert!(near(cpus.options[1].cost.value, 16.0), "{cpus:?}");
    assert_eq!(found.choices[0].by, ChoiceOf::Cpus, "it moves the figure most");
    // The mean over both rows is 4; on one CPU it would be eight times that.
    assert!(near(found.high, 32.0) && near(found.low, 2.0), "{} to {}", found.low, found.high);
}

#[test]
fn the_rows_are_all_and_all_but_the_ones_that_move_it_most() {
    let found = hangs_on(&on_two_cpus());
    let rows = found.choices.iter().find(|choice| choice.by == ChoiceOf::Rows).unwrap();
    let said: Vec<&str> = rows.options.iter().map(|option| option.option.raw()).collect();
    assert_eq!(said, ["all its rows", "all but a/one", "all but a/two"]);
    let costs: Vec<f64> = rows.options.iter().map(|option| option.cost.value).collect();
    assert!(near(costs[0], 4.0) && near(costs[1], 8.0) && near(costs[2], 2.0), "{costs:?}");
}

#[test]
fn a_boot_on_one_cpu_is_in_no_ratio() {
    let board = |campaign: &Campaign| scoreboard(campaign, &Options::from_plan(&campaign.plan));
    let mut campaign = on_two_cpus();
    let with = board(&campaign).rows;
    let alone = |boot: usize, campaign: &Campaign| campaign.boots[boot].role == Role::OneCpu;
    let series = std::mem::take(&mut campaign.series);
    campaign.series = series.into_iter().filter(|row| !alone(row.boot, &campaign)).collect();
    assert_eq!(board(&campaign).rows, with);
}
