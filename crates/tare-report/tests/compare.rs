//! The forms of comparisons, whatever the campaigns hold.

mod common;

use tare_board::{By, CompareOptions, Options, compare};
use tare_report::{Paint, TextStyle, compare_json, compare_markdown, compare_text};
use unicode_width::UnicodeWidthStr;

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
                let style = TextStyle { width, paint: Paint::Plain, details: true, last: false };
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
    let campaign = common::hostile();
    let options = Options::from_plan(&campaign.plan);
    let wanted =
        CompareOptions { options, by: Some(By::Value), fail_if: vec![], fail_undecided: false };
    let said = compare(("x", &campaign), ("y", &campaign), &wanted).expect("comparable");
    let text = compare_markdown(&said);
    for line in text.lines().filter(|line| line.starts_with('|')) {
        assert!([4, 7].contains(&line.replace("\\|", "").matches('|').count()), "{line}");
    }
}
