//! The index of a suite with published baselines: UnixBench's own arithmetic.

#[allow(unused_imports)] // the fixtures are others'
mod common;

use common::*;
use tare_board::{Options, scoreboard};
use tare_proto::{Counter, Unit};
use tare_report::{Paint, TextStyle, html, markdown, text};
use tare_store::{Campaign, Outcome, Role};

/// Report 003's native POWER8 with one copy: baseline, result, and the index as printed.
const PUBLISHED: [(f64, f64, f64); 12] = [
    (116_700.0, 29_813_165.1, 2554.7),
    (55.0, 4052.8, 736.9),
    (43.0, 1236.7, 287.6),
    (3960.0, 624_721.1, 1577.6),
    (1655.0, 161_424.4, 975.4),
    (5800.0, 1_967_152.4, 3391.6),
    (12_440.0, 1_471_144.3, 1182.6),
    (4000.0, 181_574.9, 453.9),
    (126.0, 9996.8, 793.4),
    (42.4, 4032.4, 951.0),
    (6.0, 1456.7, 2427.9),
    (15_000.0, 1_498_750.4, 999.2),
];

/// The published results on `native`, half of them on `guest`, which lacks the last.
fn campaign() -> Campaign {
    let rows = (0..12).map(|at| bench(&format!("unixbench/b{at}"), "unixbench", Unit::PerSecond));
    let layers = vec![layer("native", "native"), layer("guest", "uml")];
    let mut campaign = empty(1, layers, rows.collect());
    let boots = [0, 1].map(|layer| boot(&mut campaign, 0, layer, Role::Weigh, hello()));
    for (at, (baseline, result, _)) in PUBLISHED.iter().enumerate() {
        for (layer, share) in [1.0, 0.5].into_iter().enumerate() {
            if (layer, at) == (1, 11) {
                absent(&mut campaign, boots[layer], at, Outcome::Unavailable, "no such call");
                continue;
            }
            series(&mut campaign, boots[layer], at, vec![result * share; 3]);
            let counters = &mut campaign.series.last_mut().unwrap().counters;
            counters.push(Counter::new("index_baseline", *baseline));
        }
    }
    campaign
}

#[test]
fn indices_and_score_are_those_that_were_published() {
    let board = scoreboard(&campaign(), &Options::from_plan(&plan(1)));
    let [index] = board.indices.as_slice() else { panic!("{:?}", board.indices) };
    assert_eq!((index.suite.as_str(), index.load), ("unixbench", 1));
    for (row, (baseline, _, printed)) in index.rows.iter().zip(PUBLISHED) {
        assert_eq!(row.baseline, baseline);
        // Results are printed with one decimal.
        let hidden = 0.051 + 0.5 / baseline;
        assert!((row.values[0].unwrap() - printed).abs() <= hidden, "{row:?}");
    }
    let score = index.scores[0].unwrap();
    assert!((score.value - 1088.8).abs() <= 0.051, "{score:?}");
    assert_eq!((score.rows, score.left_out), (12, 0));
    let guest = index.scores[1].unwrap();
    assert_eq!((guest.rows, guest.left_out), (11, 1));
}

#[test]
fn every_form_shows_the_index_and_says_whose_it_is() {
    let campaign = campaign();
    let board = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
    let style = TextStyle { width: 80, paint: Paint::Plain, details: false };
    let forms = [
        text(&board, &style),
        markdown(&board),
        html(&campaign, &board, &tare_board::Extras::default()),
        tare_report::json(&board),
    ];
    for form in &forms[..3] {
        assert!(form.contains("1088.8") && form.contains("(11 of 12)"), "{form}");
        assert!(form.contains("tare's implementation"), "{form}");
    }
    assert!(forms[3].contains("\"indices\""));
}

#[test]
fn a_suite_without_baselines_has_no_index() {
    let mut campaign = campaign();
    campaign.series.iter_mut().for_each(|row| row.counters.clear());
    let board = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
    assert!(board.indices.is_empty());
    assert!(!tare_report::json(&board).contains("indices"));
}
