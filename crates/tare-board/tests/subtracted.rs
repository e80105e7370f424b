//! Rows of which most is subtracted: what is said of them has to hold for the whole operation, too.

mod common;

use common::with_subtracted;
use tare_board::{
    By, Cell, CompareOptions, Condition, Gate, Options, Scoreboard, Verdict, compare, limits,
    scoreboard,
};
use tare_proto::{Counter, Machine, Unit};
use tare_store::Campaign;

fn board(campaign: &Campaign) -> Scoreboard {
    scoreboard(campaign, &Options::from_plan(&campaign.plan))
}

fn first(board: &Scoreboard) -> &Cell {
    &board.rows[0].cells[0]
}

#[test]
fn a_small_difference_of_large_numbers_is_never_faster() {
    let board = board(&with_subtracted((1440.0, 2300.0), (730.0, 27_700.0)));
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
    let slower = board(&with_subtracted((100.0, 300.0), (200.0, 600.0)));
    assert_eq!(first(&slower).verdict, Verdict::Worse);
    assert!(first(&slower).subtracted.is_some());
    let only_the_difference = board(&with_subtracted((100.0, 300.0), (110.0, 290.0)));
    assert_eq!(first(&only_the_difference).verdict, Verdict::Undecided);
}

#[test]
fn where_less_than_half_is_subtracted_the_row_counts() {
    let board = board(&with_subtracted((100.0, 90.0), (50.0, 45.0)));
    assert_eq!((first(&board).verdict, first(&board).subtracted), (Verdict::Better, None));
    assert_eq!((board.geomeans[0].rows, board.geomeans[0].subtracted), (2, 0));
}

#[test]
fn places_that_need_not_sum_to_the_value_say_so() {
    let explained = |subtracted: f64| {
        let mut campaign = with_subtracted((100.0, subtracted), (200.0, subtracted));
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

#[test]
fn what_one_layer_executes_is_told_without_another_one() {
    let mut campaign = with_subtracted((100.0, 0.0), (200.0, 0.0));
    assert_eq!(tare_board::alone(&campaign, 0), None, "nobody counted");
    let counted = [
        ("kernel/instructions", 300.0),
        ("probe/instructions", 100.0),
        ("function/kernel/small", 30.0),
        ("function/kernel/large", 270.0),
        ("called/kernel;entry;large", 270.0),
    ];
    for row in &mut campaign.series {
        row.counters = counted.map(|(name, value)| Counter::new(name, value)).into();
    }
    let alone = tare_board::alone(&campaign, 0).expect("counts");
    let lines = |at: usize| {
        let lines = alone.tables[at].lines.iter();
        lines.map(|line| (line.name.raw(), line.baseline, line.share)).collect::<Vec<_>>()
    };
    let [probe, kernel] = [("probe", 100.0, Some(25.0)), ("kernel", 300.0, Some(75.0))];
    assert_eq!(lines(0), [probe, kernel, ("whole", 400.0, Some(100.0))]);
    let large = ("kernel: large", 270.0, Some(67.5));
    assert_eq!(lines(1), [large, ("kernel: small", 30.0, Some(7.5))], "the largest first");
    assert_eq!(alone.executed.expect("calls").stacks[0].baseline, 1.0);
}

/// What a gate of 3% in either direction says of the row that is mostly subtracted: the rows that fail, and those undecided.
fn gated(gate: impl Fn(&[Condition]) -> Gate) -> [(usize, usize); 2] {
    ["slower > 3%", "faster > 3%"].map(|text| {
        let gate = gate(&[text.parse().expect("a condition")]);
        let failing =
            gate.conditions[0].failing.iter().filter(|row| row.benchmark == "lmbench/ctx");
        let failing = failing.count();
        assert_eq!(gate.passed, failing + gate.undecided == 0, "{gate:?}");
        (failing, gate.undecided)
    })
}

const UNDECIDED: [(usize, usize); 2] = [(0, 1), (0, 1)];

/// Both the difference and the whole operation differ in that way.
const SLOWER: [(usize, usize); 2] = [(1, 0), (0, 0)];

#[test]
fn a_gate_on_two_campaigns_is_not_decided_by_the_difference_alone() {
    let before = with_subtracted((100.0, 300.0), (200.0, 600.0));
    let said = |left: f64, subtracted: f64| {
        let after = with_subtracted((100.0, 300.0), (left, subtracted));
        gated(|conditions| {
            let options = Options::from_plan(&before.plan);
            let (by, fail_if) = (Some(By::Value), conditions.to_vec());
            let wanted = CompareOptions { options, by, fail_if, fail_undecided: true };
            let said = compare(("before", &before), ("after", &after), &wanted);
            said.expect("comparable").gate.expect("asked")
        })
    };
    assert_eq!(said(260.0, 540.0), UNDECIDED, "30% more is left of the same whole");
    assert_eq!(said(140.0, 660.0), UNDECIDED, "30% less");
    assert_eq!(said(200.0, 900.0), UNDECIDED, "the whole is slower, what is left is the same");
    assert_eq!(said(200.0, 300.0), UNDECIDED, "the whole is faster");
    assert_eq!(said(260.0, 780.0), SLOWER);
    assert_eq!(said(200.0, 600.0), [(0, 0); 2], "nothing changed");
}

#[test]
fn a_gate_on_one_campaign_is_not_decided_by_the_difference_alone() {
    let said = |left: f64, subtracted: f64| {
        let campaign = with_subtracted((100.0, 300.0), (left, subtracted));
        let options = Options::from_plan(&campaign.plan);
        // Only the first row: the other is twice as slow on the layer.
        let mut alone = campaign.clone();
        alone.series.retain(|row| row.benchmark == 0);
        gated(|conditions| limits(&alone, &options, conditions, true))
    };
    assert_eq!(said(130.0, 270.0), UNDECIDED);
    assert_eq!(said(70.0, 330.0), UNDECIDED);
    assert_eq!(said(100.0, 400.0), UNDECIDED);
    assert_eq!(said(130.0, 390.0), SLOWER);
    assert_eq!(said(100.0, 300.0), [(0, 0); 2]);
}
