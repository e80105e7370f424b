//! The result of many hosts in every form: what people read, that nothing hostile gets through, and that a page of a thousand
//! hosts stays small.

mod common;
mod driver;

use common::{bench, layer, plan, wobble};
use driver::{BROKEN, Browser, CUT, FAULTS, page};
use serde_json::json;
use tare_board::{
    Fleet, HostEffect, Measure, Merged, MergedCell, MergedHost, MergedLayer, MissingHost, Options,
    Subject, fleet,
};
use tare_proto::Unit;
use tare_report::{FORMS, Paint, TextStyle, fleet_html, fleet_markdown, fleet_text};

const LAYERS: [&str; 5] = ["native", "runc", "runsc", "uml", "qemu"];
const COSTS: [f64; 5] = [1.0, 1.01, 4.0, 12.0, 9.0];
const MODELS: [&str; 2] = ["Example CPU 3000", "Example CPU 5000"];

/// So many hosts of two models of processors, on the second of which gVisor costs half as much. The fourth host is odd.
fn hosts(hosts: usize, rows: usize) -> Merged {
    let layers: Vec<MergedLayer> = LAYERS.iter().map(|name| (&layer(name, name)).into()).collect();
    let host = |at: usize| MergedHost {
        name: format!("node{at:03}").into(),
        created: "2026-01-01T00:00:00Z".into(),
        state: "finished".into(),
        blocks: 20,
        failed_boots: 0,
        cpu_model: MODELS[at % 2].into(),
        kernel: "6.12.1".into(),
        cache_bytes: 32 << 20,
        tare_version: "0.1.0".into(),
        versions: LAYERS.map(Into::into).into(),
    };
    let benchmarks: Vec<_> = (0..rows)
        .map(|row| bench(&format!("kernel/bench{row:02}"), "vmi", Unit::Nanoseconds))
        .collect();
    let mut cells = Vec::new();
    for row in 0..rows {
        for layer in 1..LAYERS.len() {
            let subject = Subject::Row { benchmark: row, layer };
            cells.push(cell(subject, hosts, row, layer));
        }
        cells.push(cell(Subject::Floor { benchmark: row }, hosts, row, 0));
    }
    for layer in 1..LAYERS.len() {
        let subject = Subject::Mean { suite: "vmi".into(), measure: Measure::Speed, layer };
        cells.push(cell(subject, hosts, rows, layer));
    }
    Merged {
        format: "tare-merged".into(),
        version: 1,
        plan: plan(20),
        estimator: None,
        hosts: (0..hosts).map(host).collect(),
        missing: vec![MissingHost {
            name: "node999".into(),
            why: "Slurm says NODE_FAIL of its task".into(),
        }],
        layers,
        benchmarks,
        cells,
    }
}

fn cell(subject: Subject, hosts: usize, row: usize, layer: usize) -> MergedCell {
    let effect = |host: usize| {
        let model = if layer == 2 && host % 2 == 1 { 0.5_f64.ln() } else { 0.0 };
        let odd = if layer == 4 && host == 3 { 0.8 } else { 0.0 };
        let log = COSTS[layer].ln() + model + odd + 0.003 * wobble(row, layer, host);
        let error = Some(0.002 + 0.001 * wobble(row, layer, host + 5000));
        HostEffect { host, log, error, df: Some(19.0), blocks: 20, subtracted: false }
    };
    MergedCell { subject, effects: (0..hosts).map(effect).collect() }
}

fn fleet_of(merged: &Merged) -> Fleet {
    fleet(merged, &Options::from_plan(&merged.plan))
}

fn plain(width: usize, details: bool) -> TextStyle {
    TextStyle { width, paint: Paint::Plain, details, last: false }
}

#[test]
fn what_people_read_of_many_hosts() {
    let fleet = fleet_of(&hosts(8, 3));
    insta::assert_snapshot!("fleet_text", fleet_text(&fleet, &plain(100, true)));
    insta::assert_snapshot!("fleet_markdown", fleet_markdown(&fleet));
}

#[test]
fn causes_and_odd_hosts_are_named() {
    let text = fleet_text(&fleet_of(&hosts(12, 3)), &plain(4000, false));
    let line = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(line("runsc:").contains("depending on the host: processors differ"), "{text}");
    assert!(!line("runc:").contains("depending"), "{text}");
    assert!(
        line("node003").contains("is unlike the other hosts in 3 of 12 ratios: qemu"),
        "{text}"
    );
    assert_eq!(text.matches("is unlike").count(), 1, "{text}");
}

#[test]
fn a_mean_that_says_something_else_than_its_rows_is_not_all_that_is_said() {
    let mut merged = hosts(8, 4);
    for cell in &mut merged.cells {
        let Subject::Row { benchmark, layer: 1 } = cell.subject else { continue };
        // Two rows are slower and two faster, on each host by other amounts, so that the mean is the same on all.
        let sign = if benchmark % 2 == 0 { 1.0 } else { -1.0 };
        for effect in &mut cell.effects {
            effect.log = sign * (0.3 + 0.02 * effect.host as f64);
        }
    }
    let text = fleet_text(&fleet_of(&merged), &plain(4000, false));
    let line = text.lines().find(|line| line.starts_with("runc:")).expect("a sentence");
    assert!(line.contains("equivalent to native within 2%; 8 hosts do not differ"), "{line}");
    let rows = "; its 4 rows: 2 slower, 2 faster; in 4 of its 4 rows hosts differ";
    assert!(line.ends_with(rows), "{line}");
}

#[test]
fn a_host_of_two_blocks_that_seems_not_to_vary_does_not_decide() {
    let mut merged = hosts(5, 1);
    for effect in merged.cells.iter_mut().flat_map(|cell| &mut cell.effects) {
        // The first host is 3% off, and its two blocks are alike by chance.
        let (log, error) = if effect.host == 0 { (0.03, 1e-5) } else { (0.0, 0.02) };
        (effect.log, effect.error) = (log + 0.002 * effect.host as f64, Some(error));
        (effect.df, effect.blocks) = (Some(1.0), 2);
    }
    merged.hosts.iter_mut().for_each(|host| host.blocks = 2);
    let fleet = fleet_of(&merged);
    let pooled = fleet.rows[0].cells[0].pooled.expect("pooled");
    assert!(pooled.low < 1.0 && pooled.value < 1.027, "{pooled:?}");
    assert!(fleet.warnings.iter().any(|text| text.raw().contains("fewer than 3 blocks: node000")));
}

#[test]
fn a_merged_result_with_numbers_that_no_campaign_has_is_damaged() {
    let text = hosts(3, 1).to_json();
    Merged::from_json(&text).expect("as it is, it is read");
    for (field, value) in
        [("log", 1e300), ("error", 1e300), ("error", -1.0), ("df", 5e-324), ("df", 1e300)]
    {
        let mut json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        json["cells"][0]["effects"][0][field] = json!(value);
        let error = Merged::from_json(&json.to_string()).expect_err(field);
        assert!(error.to_string().contains("it is damaged"), "{field}: {error}");
    }
}

#[test]
fn no_line_is_wider_than_asked() {
    for width in [60, 80, 92, 120] {
        for line in fleet_text(&fleet_of(&hosts(12, 3)), &plain(width, true)).lines() {
            assert!(unicode_width::UnicodeWidthStr::width(line) <= width, "{width}: {line}");
        }
    }
}

#[test]
fn nothing_hostile_gets_through() {
    let evil = "<script>alert(1)</script>\u{1b}[2J\u{202e}=cmd()";
    let mut merged = hosts(5, 2);
    merged.hosts.iter_mut().for_each(|host| {
        host.cpu_model = format!("{evil}{}", host.name.raw()).into();
        host.kernel = evil.into();
    });
    merged.hosts[0].name = evil.into();
    merged.missing[0].why = evil.into();
    merged.layers[1].name = evil.into();
    merged.benchmarks[0].name = evil.into();
    merged.hosts[1].state = evil.into();
    let fleet = fleet_of(&merged);
    let page = fleet_html(&fleet);
    assert_eq!(page.matches("<script").count(), 1, "only our script");
    for form in FORMS {
        let text = (form.fleet)(&fleet, &plain(100, true));
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{}", form.name);
    }
    assert!(!page.contains(['\u{1b}', '\u{202e}']));
}

#[test]
fn hosts_that_say_nothing_break_nothing() {
    let mut one = hosts(1, 2);
    one.cells.retain(|cell| !matches!(cell.subject, Subject::Floor { .. }));
    let mut single = hosts(3, 2);
    let effects = single.cells.iter_mut().flat_map(|cell| &mut cell.effects);
    effects.for_each(|effect| effect.error = None);
    let mut same = hosts(3, 2);
    same.cells.iter_mut().flat_map(|cell| &mut cell.effects).for_each(|effect| {
        (effect.log, effect.error, effect.df) = (0.5, Some(0.0), None);
    });
    let mut gone = hosts(3, 2);
    gone.plan.baseline = "gone".into();
    for merged in [one, single, same, gone, hosts(3, 0)] {
        let fleet = fleet_of(&merged);
        for form in FORMS {
            let text = (form.fleet)(&fleet, &plain(80, true));
            assert!(!text.contains("NaN") && !text.contains("inf,"), "{text}");
        }
        let page = fleet_html(&fleet);
        let text = page.split("<script>").next().unwrap_or_default();
        assert!(!text.contains("NaN") && !text.contains("\"inf"));
        for tag in ["table", "tr", "td", "svg", "g", "details", "section", "bdi", "li", "figure"] {
            let opened = page.matches(&format!("<{tag} ")).count()
                + page.matches(&format!("<{tag}>")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "<{tag}>");
        }
    }
}

#[test]
fn the_page_reads_on_a_phone_and_on_a_desk() {
    let merged = hosts(12, 6);
    page("fleet", &fleet_html(&fleet_of(&merged)), async |browser: &mut Browser| {
        let forests = "return document.querySelectorAll('#forests details').length";
        assert_eq!(browser.run(forests).await, json!(6 + 4), "of every row, and of every mean");
        browser.click_all("#forests details:not([open]) summary").await;
        for (width, dark) in [(1280, false), (1280, true), (390, false)] {
            browser.screen(width, 1800, dark).await;
            let shade = if dark { "-dark" } else { "" };
            browser.picture(&format!("fleet-{width}{shade}")).await;
            let wide = "return document.documentElement.scrollWidth";
            assert_eq!(browser.run(wide).await, width, "the page scrolls sideways");
            assert_eq!(browser.run(CUT).await, json!([]), "at {width}");
            assert_eq!(browser.run(BROKEN).await, json!([]), "at {width}");
        }
        assert_eq!(browser.run(FAULTS).await, json!([]));
        let named = "return [...document.querySelectorAll('#forests svg text')].filter(text => \
            text.textContent === 'node003').length";
        assert_eq!(browser.run(named).await, json!(6 * 4 + 4), "a host has a line in every forest");
        let (messages, requests) = browser.heard().await;
        assert_eq!((messages, requests.len()), (vec![], 1));
    });
}

#[test]
fn a_page_of_a_thousand_hosts_is_small() {
    let bytes = fleet_html(&fleet_of(&hosts(1000, 26))).len();
    assert!(bytes < 5_000_000, "{bytes} bytes");
}
