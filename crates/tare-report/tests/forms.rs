//! What people read: the written forms of a full, a short, an empty and a failed campaign, and of a hostile one.

mod common;

use tare_board::{Options, Scoreboard, scoreboard};
use tare_report::{Paint, TextStyle, json, markdown, text, vmi_tables};
use tare_store::Campaign;
use unicode_width::UnicodeWidthStr;

fn board(campaign: &Campaign) -> Scoreboard {
    scoreboard(campaign, &Options::from_plan(&campaign.plan))
}

fn plain(campaign: &Campaign, width: usize, details: bool) -> String {
    text(&board(campaign), &TextStyle { width, paint: Paint::Plain, details, last: false })
}

fn fixtures() -> Vec<(&'static str, Campaign)> {
    let layers = vec![common::layer("native", "native"), common::layer("uml", "uml")];
    vec![
        ("troubled", common::troubled()),
        ("one_block", common::full_of(1)),
        ("empty", common::empty(4, layers, vec![])),
        ("all_failed", common::all_failed()),
    ]
}

#[test]
fn every_form_of_every_campaign_reads_as_before() {
    for (name, campaign) in fixtures() {
        insta::assert_snapshot!(format!("{name}_text"), plain(&campaign, 80, true));
        insta::assert_snapshot!(format!("{name}_markdown"), markdown(&board(&campaign)));
        insta::assert_snapshot!(format!("{name}_vmi"), vmi_tables(&board(&campaign), 80));
    }
    insta::assert_snapshot!("short_text", plain(&common::full(), 80, false));
    insta::assert_snapshot!("hostile_text", plain(&common::hostile(), 80, true));
    insta::assert_snapshot!("hostile_markdown", markdown(&board(&common::hostile())));
    insta::assert_snapshot!("one_block_json", json(&board(&common::full_of(1))));
}

/// Fixtures and a campaign of nine layers, to be split.
fn all() -> Vec<(&'static str, Campaign)> {
    let mut all = fixtures();
    all.push(("hostile", common::hostile()));
    all.push(("two_blocks", common::full_of(2)));
    all.push(("many_layers", common::many_layers(9)));
    all
}

#[test]
fn no_line_is_wider_than_asked() {
    for (name, campaign) in all() {
        for width in [60, 72, 80, 81, 120, 200] {
            let texts = [
                plain(&campaign, width, true),
                plain(&campaign, width, false),
                vmi_tables(&board(&campaign), width),
            ];
            for line in texts.iter().flat_map(|text| text.lines()) {
                assert!(
                    line.width() <= width || line.starts_with("repeat: "),
                    "{name}, {width}: {} columns in {line:?}",
                    line.width()
                );
            }
        }
    }
}

#[test]
fn nothing_from_a_campaign_reaches_the_terminal() {
    let campaign = common::hostile();
    for text in
        [plain(&campaign, 80, true), vmi_tables(&board(&campaign), 80), markdown(&board(&campaign))]
    {
        let bad = |c: &char| {
            (c.is_control() && *c != '\n')
                || ('\u{202a}'..='\u{202e}').contains(c)
                || *c == '\u{301}'
        };
        assert_eq!(text.chars().find(bad), None);
    }
}

#[test]
fn colour_changes_no_letter() {
    for (name, campaign) in all() {
        let style = TextStyle { width: 80, paint: Paint::Ansi, details: true, last: false };
        let coloured = text(&board(&campaign), &style);
        assert!(coloured.contains("\u{1b}["), "{name}");
        assert_eq!(without_colour(&coloured), plain(&campaign, 80, true), "{name}");
    }
}

fn without_colour(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or("").to_owned();
    parts.fold(first, |out, part| out + part.split_once('m').map_or(part, |(_, rest)| rest))
}

#[test]
fn many_layers_are_split_and_none_is_lost() {
    let text = plain(&common::many_layers(9), 80, false);
    let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("benchmark ")).collect();
    assert_eq!(heads.len(), 2, "{text}");
    for layer in 1..9 {
        assert!(
            heads.iter().any(|head| head.contains(&format!("layer-{layer}"))),
            "layer-{layer} in {heads:?}"
        );
    }
}

#[test]
fn markdown_cells_stay_cells() {
    let text = markdown(&board(&common::hostile()));
    let bars = |line: &str| line.replace("\\|", "").matches('|').count();
    let lines: Vec<&str> = text.lines().collect();
    let tables = lines.split(|line| !line.starts_with('|')).filter(|table| !table.is_empty());
    for table in tables {
        assert!(table.iter().all(|line| bars(line) == bars(table[0])), "{table:#?}");
        assert!([5, 6, 8].contains(&bars(table[0])), "{table:#?}");
    }
    let without_console =
        text.split("<pre>").map(|part| part.rsplit("</pre>").next().unwrap_or(""));
    let markup: String = without_console.collect::<String>().replace("\\`", "");
    let outside_code: String = markup.split('`').step_by(2).collect();
    for tag in ["<script", "<img"] {
        assert!(!outside_code.contains(tag), "{tag}");
    }
}

#[test]
fn json_has_its_name_and_no_nan() {
    for (name, campaign) in all() {
        let text = json(&board(&campaign));
        let value: serde_json::Value = serde_json::from_str(&text).expect(name);
        assert_eq!(value["format"], "tare-scoreboard", "{name}");
        assert_eq!(value["version"], 1, "{name}");
    }
    let text = json(&board(&common::troubled()));
    let value: serde_json::Value = serde_json::from_str(&text).expect("troubled");
    let cell = &value["rows"][3]["cells"][0];
    assert_eq!((&cell["layer"], &cell["verdict"]), (&"runc".into(), &"slower".into()));
    assert!(cell["ratio"]["low"].as_f64() < cell["ratio"]["value"].as_f64());
    assert_eq!(value["rows"][10]["cells"][1]["presence"], "rejected");
    assert_eq!(value["rows"][11]["cells"][1]["presence"], "unavailable");
    assert_eq!(value["rows"][1]["cells"][2]["comments"][0]["kind"], "short_batch");
    assert_eq!(
        value["layers"][5]["unavailable"]["remedy"],
        "run on a host whose KVM is not nested, or use accel=tcg"
    );
}
