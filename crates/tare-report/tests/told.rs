//! What is out of the ordinary about a campaign is told in every form.

mod common;

use common::{
    ONE, TWO, bench, full_of, imported, pair_of, published, series, with_subtracted, wobble,
};
use tare_board::{Extras, Options, Scoreboard, scoreboard};
use tare_proto::{Machine, Unit};
use tare_report::{Paint, TextStyle, csv, history_html, html, json, markdown, text};
use tare_store::Campaign;

fn board(campaign: &Campaign) -> Scoreboard {
    scoreboard(campaign, &Options::from_plan(&campaign.plan))
}

/// A layer whose boots failed in all blocks but `left`, of a campaign of five.
fn mostly_failed(left: u32) -> Scoreboard {
    let mut campaign = full_of(5);
    let boots = &campaign.boots;
    campaign.series.retain(|row| boots[row.boot].layer != 1 || boots[row.boot].block < left);
    board(&campaign)
}

#[test]
fn of_a_layer_with_fewer_than_three_blocks_only_what_is_missing_is_said() {
    let said = |left| {
        let style = TextStyle { width: 240, paint: Paint::Plain, details: false, last: false };
        let text = text(&mostly_failed(left), &style);
        let line = text.lines().find(|line| line.starts_with("runc: ")).map(str::to_owned);
        line.unwrap_or_else(|| panic!("{text}"))
    };
    for (left, blocks) in [(1, "1 block"), (2, "2 blocks")] {
        let line = said(left);
        let missing = format!("{blocks} of at least 3 (tare resume DIR --blocks {}", 8 - left);
        assert!(line.contains(&missing) && !line.contains("native"), "{line}");
    }
    assert!(said(3).contains("native"), "{}", said(3));
}

#[test]
fn a_layer_that_is_as_fast_and_takes_twice_the_cpu_does_not_look_free() {
    let said = |slower: f64| {
        let mut campaign = pair_of(["native", "runsc"], 12, |block, layer| {
            let noise = 1.0 + 0.0005 * wobble(block as usize, layer, 0);
            if layer == 0 { 1e8 * noise } else { 1e8 * slower * noise }
        });
        campaign.benchmarks[0] = bench("program/x", "program", Unit::Nanoseconds);
        campaign.benchmarks.push(bench("program/x.cpu", "cost", Unit::Nanoseconds));
        for boot in 0..campaign.boots.len() {
            let twice = if campaign.boots[boot].layer == 0 { 1.0 } else { 2.0 };
            let own = 5e7 * twice * (1.0 + 0.0005 * wobble(boot, 1, 2));
            series(&mut campaign, boot, 1, vec![own; 4]);
        }
        let style = TextStyle { width: 240, paint: Paint::Plain, details: false, last: false };
        text(&board(&campaign), &style)
    };
    let text = said(1.0);
    assert!(text.contains("as fast as native, but takes 2.0"), "{text}");
    assert!(text.contains("times its CPU time on program/x"), "{text}");
    assert!(!said(1.5).contains("as fast as"), "it is slower");
}

#[test]
fn every_form_says_that_most_is_subtracted() {
    let campaign = with_subtracted((1440.0, 2300.0), (730.0, 27_700.0));
    let board = board(&campaign);
    let page = html(&campaign, &board, &Extras::of(&campaign, &board));
    assert!(markdown(&board).contains("ctx 0.51, whole operation 7.60"));
    for form in [csv(&board), json(&board), page] {
        assert!(form.contains("97% subtracted; whole operation 7.6"), "{form}");
    }
    for details in [false, true] {
        let style = TextStyle { width: 240, paint: Paint::Plain, details, last: false };
        let text = text(&board, &style);
        assert!(text.contains("ctx 0.51, whole operation 7.60"), "{text}");
        assert!(
            text.contains("leave out rows where most of the measurement is subtracted"),
            "{text}"
        );
    }
}

#[test]
fn every_form_says_that_it_is_unpaired() {
    let campaign = imported([ONE, TWO]);
    let board = board(&campaign);
    let style = TextStyle { width: 80, paint: Paint::Plain, details: true, last: false };
    let page = html(&campaign, &board, &Default::default());
    for form in [text(&board, &style), markdown(&board), page] {
        assert!(form.contains("unpaired"), "{form}");
        assert!(form.contains("up to 5 runs"), "{form}");
    }
}

#[test]
fn every_form_shows_the_index_and_says_whose_it_is() {
    let campaign = published();
    let judged = board(&campaign);
    let style = TextStyle { width: 80, paint: Paint::Plain, details: false, last: false };
    let forms = [
        text(&judged, &style),
        markdown(&judged),
        html(&campaign, &judged, &Extras::default()),
        json(&judged),
    ];
    for form in &forms[..3] {
        assert!(form.contains("1088.8") && form.contains("(11 of 12)"), "{form}");
        assert!(form.contains("tare's implementation"), "{form}");
    }
    assert!(forms[3].contains("\"indices\""));
    let mut plain = published();
    plain.series.iter_mut().for_each(|row| row.counters.clear());
    assert!(!json(&board(&plain)).contains("indices"));
}

#[test]
fn every_form_says_that_samples_are_not_above_zero() {
    let mut campaign = pair_of(["native", "uml"], 4, |_, at| 10.0 * (at + 1) as f64);
    for row in campaign.series.iter_mut().filter(|row| campaign.boots[row.boot].layer == 1) {
        (row.samples, row.subtracted) = (vec![-5.0, 20.0, 21.0, 44.0, 45.0], 30.0);
    }
    let board = board(&campaign);
    let page = html(&campaign, &board, &Extras::of(&campaign, &board));
    assert!(page.contains("20<br><small>4 not above zero"), "{page}");
    let style = TextStyle { width: 120, paint: Paint::Plain, details: true, last: false };
    for form in [page, text(&board, &style), csv(&board), markdown(&board), json(&board)] {
        assert!(form.contains("4 of 20 samples not above zero"), "{form}");
    }
}

#[test]
fn one_benchmark_at_several_loads_is_told_load_by_load() {
    let mut campaign = pair_of(["native", "uml"], 3, |_, at| 100.0 / (at + 1) as f64);
    campaign.benchmarks = ["aim7/mix", "aim7/mix@2", "aim7/mix@4"]
        .map(|name| bench(name, "aim7", Unit::PerMinute))
        .to_vec();
    for at in 0..campaign.boots.len() {
        let value = campaign.series[at].samples[0];
        (1..3).for_each(|load| series(&mut campaign, at, load, vec![value; 4]));
    }
    let style = TextStyle { width: 120, paint: Paint::Plain, details: false, last: false };
    let text = text(&board(&campaign), &style);
    assert!(!text.contains("nothing to compare"), "{text}");
    assert!(text.contains("aim7/mix@4 50.0 /min"), "{text}");
}

#[test]
fn history_says_what_it_cannot_know_and_keeps_machines_apart() {
    let one = |at: usize, machine: Machine| {
        let mut campaign = pair_of(["native", "uml"], 3, |_, at| 10.0 + at as f64);
        campaign.plan.machine = machine;
        campaign.plan.created = format!("2026-01-{:02}T00:00:00Z", at + 1).into();
        (format!("c{at}"), board(&campaign))
    };
    let mixed = |at| one(at, if at % 2 == 0 { Machine::Real } else { Machine::Sim });
    let page = history_html(&(0..9).map(mixed).collect::<Vec<_>>());
    assert!(!page.contains("No benchmark changed"), "five campaigns of one machine at most");
    assert!(page.contains("the longest has 5"), "{page}");
    assert_eq!(page.matches("<figcaption").count(), 2, "real and simulated apart");
    let page = history_html(&(0..8).map(|at| one(at, Machine::Real)).collect::<Vec<_>>());
    assert!(page.contains("No benchmark changed significantly") && !page.contains("(simulated"));
}
