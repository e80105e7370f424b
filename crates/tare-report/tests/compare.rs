//! Comparisons of campaigns made by hand: their forms, and the gate's directions.

mod common;

use tare_board::{By, CompareOptions, Comparison, Condition, Options, compare};
use tare_proto::Unit;
use tare_report::{Paint, TextStyle, compare_json, compare_markdown, compare_text};
use tare_store::{Campaign, Role};
use unicode_width::UnicodeWidthStr;

fn compared(before: &Campaign, after: &Campaign, by: Option<By>, fail_if: &[&str]) -> Comparison {
    let fail_if = fail_if.iter().map(|text| text.parse().expect("a condition")).collect();
    let options = Options::from_plan(&before.plan);
    let wanted = CompareOptions { options, by, fail_if, fail_undecided: false };
    compare(("before", before), ("after", after), &wanted).expect("comparable")
}

/// Eight blocks of a time, a rate and a size; `change` multiplies what `uml` shows.
fn campaign(salt: usize, change: f64) -> Campaign {
    let layers = vec![common::layer("native", "native"), common::layer("uml", "uml")];
    let benches = vec![
        common::bench("a/time", "a", Unit::Nanoseconds),
        common::bench("a/rate", "a", Unit::PerSecond),
        common::bench("a/size", "a", Unit::Bytes),
    ];
    let mut campaign = common::empty(8, layers, benches);
    for block in 0..8_usize {
        for (layer, role) in [(0, Role::Weigh), (0, Role::Floor), (1, Role::Weigh)] {
            let at = common::boot(&mut campaign, block as u32, layer, role, common::hello());
            for bench in 0..3 {
                let noise = 1.0 + 0.005 * common::wobble(at + 1000 * salt, bench, 0);
                let value = 1000.0 * noise * if layer == 1 { change } else { 1.0 };
                common::series(&mut campaign, at, bench, vec![value; 3]);
            }
        }
    }
    campaign
}

#[test]
fn times_rates_and_sizes_fail_in_their_own_words() {
    let conditions = ["slower > 3%", "faster > 3%", "heavier > 3%", "lighter > 3%"];
    let failing = |change: f64| -> Vec<Vec<String>> {
        let said = compared(&campaign(1, 1.0), &campaign(2, change), None, &conditions);
        let gate = said.gate.expect("asked");
        let names = |judged: &tare_board::Judged| {
            judged.failing.iter().map(|row| row.benchmark.clone()).collect()
        };
        gate.conditions.iter().map(names).collect()
    };
    let (time, rate, size) = (["a/time"], ["a/rate"], ["a/size"]);
    let none: [&str; 0] = [];
    let up: [&[&str]; 4] = [&time, &rate, &size, &none];
    let down: [&[&str]; 4] = [&rate, &time, &none, &size];
    assert_eq!(failing(1.1), up);
    assert_eq!(failing(1.0 / 1.1), down);
    assert_eq!(failing(1.0), [none; 4]);
}

#[test]
fn a_condition_reads_as_it_was_written() {
    for text in ["slower > 3%", "different > 0%", "lighter > 12.5%"] {
        assert_eq!(text.parse::<Condition>().expect(text).to_string(), text);
    }
    assert_eq!(" faster>2 % ".parse::<Condition>().expect("spaces").to_string(), "faster > 2%");
    for wrong in ["", "slower", "slower > ", "slower > x%", "slower > inf%", "lighter > 100%"] {
        assert!(wrong.parse::<Condition>().is_err(), "{wrong}");
    }
}

#[test]
fn no_form_is_wide_or_dangerous_whatever_the_campaign_holds() {
    let fixtures =
        [common::troubled(), common::hostile(), common::full_of(1), common::all_failed()];
    for (before, after) in fixtures.iter().zip(fixtures.iter().cycle().skip(1)) {
        for (before, after) in [(before, before), (before, after)] {
            let options = Options::from_plan(&before.plan);
            let fail_if = vec!["different > 1%".parse().expect("a condition")];
            let wanted =
                CompareOptions { options, by: Some(By::Value), fail_if, fail_undecided: false };
            let Ok(said) = compare(("x\u{1b}[2J", before), ("y", after), &wanted) else { continue };
            for width in [60, 80, 120] {
                let style = TextStyle { width, paint: Paint::Plain, details: true };
                let text = compare_text(&said, &style);
                assert!(text.lines().all(|line| line.width() <= width), "{width}\n{text}");
                let steers =
                    |c: char| c.is_control() && c != '\n' || ('\u{202a}'..='\u{202e}').contains(&c);
                assert!(!text.contains(steers) && !compare_markdown(&said).contains(steers));
            }
            let json: serde_json::Value = serde_json::from_str(&compare_json(&said)).expect("JSON");
            assert_eq!((&json["format"], &json["version"]), (&"tare-comparison".into(), &1.into()));
        }
    }
}

#[test]
fn markdown_cells_stay_cells() {
    let said = compared(&common::hostile(), &common::hostile(), Some(By::Value), &[]);
    let text = compare_markdown(&said);
    for line in text.lines().filter(|line| line.starts_with('|')) {
        assert!([4, 7].contains(&line.replace("\\|", "").matches('|').count()), "{line}");
    }
}

/// Two figures of docs/statistics.md, "Power".
#[test]
fn the_blocks_that_the_docs_promise() {
    let blocks = |half_width| tare_stats::blocks_needed(0.02 * 1.5_f64.sqrt(), half_width, 0.95);
    let docs = include_str!("../../../docs/statistics.md");
    let (two, one) = (blocks(0.02).expect("some"), blocks(0.01).expect("some"));
    assert!(docs.contains(&format!("± 2% takes {two} blocks, ± 1% takes {one}")), "{two}, {one}");
}
