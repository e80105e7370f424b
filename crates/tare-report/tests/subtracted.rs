//! Rows of which most is subtracted: what is said of them has to hold for the whole operation, too.

mod common;

use common::{bench, boot, empty, hello, layer, series, wobble};
use tare_board::{Cell, Extras, Options, Scoreboard, Verdict, scoreboard};
use tare_proto::{Counter, Machine, Unit};
use tare_report::{Paint, TextStyle, csv, markdown, text};
use tare_store::{Campaign, Role};

/// What is left of an operation, and what was subtracted, on the baseline and on the layer; a second row that needs no
/// subtraction is twice as slow on the layer.
fn campaign(base: (f64, f64), other: (f64, f64)) -> Campaign {
    let layers = vec![layer("native", "native"), layer("runsc", "runsc")];
    let benches = ["lmbench/ctx", "lmbench/null"].map(|b| bench(b, "lmbench", Unit::Nanoseconds));
    let mut campaign = empty(8, layers, benches.to_vec());
    for block in 0..8 {
        for (at, role, (left, subtracted)) in
            [(0, Role::Weigh, base), (0, Role::Floor, base), (1, Role::Weigh, other)]
        {
            let boot = boot(&mut campaign, block, at, role, hello());
            let noise = 1.0 + 0.001 * wobble(boot, 0, 0);
            series(&mut campaign, boot, 0, vec![left * noise; 3]);
            campaign.series.last_mut().expect("a series").subtracted = subtracted;
            series(&mut campaign, boot, 1, vec![(1.0 + at as f64) * 100.0 * noise; 3]);
        }
    }
    campaign
}

fn board(campaign: &Campaign) -> Scoreboard {
    scoreboard(campaign, &Options::from_plan(&campaign.plan))
}

fn first(board: &Scoreboard) -> &Cell {
    &board.rows[0].cells[0]
}

#[test]
fn a_small_difference_of_large_numbers_is_never_faster() {
    let board = board(&campaign((1440.0, 2300.0), (730.0, 27_700.0)));
    let cell = first(&board);
    assert!((cell.ratio.expect("a ratio").value - 0.51).abs() < 0.01);
    assert_eq!((cell.verdict, cell.more_blocks), (Verdict::Undecided, None));
    let said = cell.subtracted.expect("most is subtracted");
    assert!((said.whole.value - 7.6).abs() < 0.05 && said.layer > 0.97, "{said:?}");
    let mean = &board.geomeans[0];
    assert_eq!((mean.rows, mean.left_out, mean.subtracted), (1, 0, 1));
    assert!((mean.cost.value - 2.0).abs() < 0.01, "{mean:?}");
}

#[test]
fn it_is_slower_where_the_whole_operation_is_slower_too() {
    let slower = board(&campaign((100.0, 300.0), (200.0, 600.0)));
    assert_eq!(first(&slower).verdict, Verdict::Worse);
    assert!(first(&slower).subtracted.is_some());
    let only_the_difference = board(&campaign((100.0, 300.0), (110.0, 290.0)));
    assert_eq!(first(&only_the_difference).verdict, Verdict::Undecided);
}

#[test]
fn where_less_than_half_is_subtracted_the_row_counts() {
    let board = board(&campaign((100.0, 90.0), (50.0, 45.0)));
    assert_eq!((first(&board).verdict, first(&board).subtracted), (Verdict::Better, None));
    assert_eq!((board.geomeans[0].rows, board.geomeans[0].subtracted), (2, 0));
}

#[test]
fn every_form_says_so() {
    let campaign = campaign((1440.0, 2300.0), (730.0, 27_700.0));
    let board = board(&campaign);
    let page = tare_report::html(&campaign, &board, &Extras::of(&campaign, &board));
    assert!(markdown(&board).contains("ctx 0.51, whole operation 7.60"));
    for form in [csv(&board), tare_report::json(&board), page] {
        assert!(form.contains("97% subtracted; whole operation 7.6"), "{form}");
    }
    for details in [false, true] {
        let style = TextStyle { width: 240, paint: Paint::Plain, details };
        let text = text(&board, &style);
        assert!(text.contains("ctx 0.51, whole operation 7.60"), "{text}");
        assert!(
            text.contains("leave out rows where most of the measurement is subtracted"),
            "{text}"
        );
    }
}

#[test]
fn places_that_need_not_sum_to_the_value_say_so() {
    let explained = |subtracted: f64| {
        let mut campaign = campaign((100.0, subtracted), (200.0, subtracted));
        campaign.plan.machine = Machine::Sim;
        campaign.benchmarks[0].unit = Unit::Instructions;
        for row in &mut campaign.series {
            row.counters.push(Counter::new("kernel/instructions", row.samples[0] * 0.98));
        }
        let board = board(&campaign);
        tare_board::explain(&campaign, &board, 0, "runsc").expect("an explanation")
    };
    let notes = |subtracted: f64| explained(subtracted).notes.join(" ");
    assert!(notes(30.0).contains("within -2.0% on the baseline"), "{}", notes(30.0));
    assert!(!notes(0.0).contains("subtracted"), "{}", notes(0.0));
}
