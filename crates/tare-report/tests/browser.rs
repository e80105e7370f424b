//! The page in a real browser (Debian's chromium and chromium-driver): silent, offline, usable, true to its data, and
//! deaf to what hostile names say. Screenshots stay in `target/tmp/`.

mod common;
mod driver;
mod large;

use driver::{BROKEN, Browser, CUT, FAULTS, page};
use serde_json::{Value, json};
use tare_board::{Extras, Options, scoreboard};
use tare_report::html;
use tare_store::Campaign;

fn written(campaign: &Campaign) -> String {
    let board = scoreboard(campaign, &Options::from_plan(&campaign.plan));
    html(campaign, &board, &Extras::default())
}

#[test]
fn the_page_is_silent_and_asks_for_nothing() {
    page("troubled", &written(&common::troubled()), async |browser: &mut Browser| {
        browser.click_all("summary").await;
        let (messages, requests) = browser.heard().await;
        assert_eq!(messages, Vec::<String>::new());
        assert_eq!(requests.len(), 1, "the page itself and nothing else: {requests:?}");
    });
}

#[test]
fn nothing_can_be_loaded_or_run_from_within() {
    page("policy", &written(&common::full()), async |browser: &mut Browser| {
        let tried = "const done = arguments[0]; window.ran = 0; \
            const script = document.createElement('script'); script.textContent = 'window.ran = 1'; \
            document.body.append(script); \
            const style = document.createElement('div'); style.setAttribute('style', 'color: red'); \
            document.body.append(style); \
            fetch('https://example.org/').then(() => done('fetched'), () => \
            done(window.ran + ' ' + style.style.color));";
        assert_eq!(browser.run_async(tried).await, json!("0 "));
        assert!(!browser.heard().await.0.is_empty(), "the browser says what it refused");
    });
}

/// Text of the first cell of every row that is shown.
const ROWS: &str = "return [...document.querySelectorAll('#board tbody tr[data-name]')]\
    .filter(row => row.offsetParent || row.getClientRects().length).map(row => row.dataset.name)";

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().expect("a list").iter().filter_map(Value::as_str).collect()
}

#[test]
fn the_table_sorts_and_filters() {
    page("table", &written(&common::full()), async |browser: &mut Browser| {
        let before = browser.run(ROWS).await;
        browser.click("#board [data-sort=name]").await;
        let after = browser.run(ROWS).await;
        let mut sorted = strings(&before);
        sorted.sort_unstable();
        assert_eq!(strings(&after), sorted, "one suite, by name");
        browser.click("#board [data-sort='2']").await;
        let costs = "return [...document.querySelectorAll('#board tbody:first-of-type td[data-layer=\"2\"][data-k]')].map(c => +c.dataset.k)";
        let costs: Vec<f64> = serde_json::from_value(browser.run(costs).await).unwrap();
        assert!(costs.len() > 5 && costs.windows(2).all(|pair| pair[0] >= pair[1]), "{costs:?}");
        let sort = "return document.querySelector('#board [aria-sort=descending]').dataset.layer";
        assert_eq!(browser.run(sort).await, "2");
        browser.type_in("#find", "fork").await;
        assert_eq!(strings(&browser.run(ROWS).await), ["proc/fork-exit", "proc/fork-shell"]);
        browser.type_in("#find", "nothing like this").await;
        assert!(strings(&browser.run(ROWS).await).is_empty());
        browser.type_in("#find", "").await;
        browser.choose("#verdict", "equivalent").await;
        let equivalent = browser.run(ROWS).await;
        assert!(
            !strings(&equivalent).is_empty() && strings(&equivalent).len() < 14,
            "{equivalent}"
        );
        browser.choose("#verdict", "").await;
        browser.click(".controls input[data-layer='3']").await;
        let hidden = "return getComputedStyle(document.querySelector('#board td[data-layer=\"3\"]')).display";
        assert_eq!(browser.run(hidden).await, "none");
        browser.click("#raw").await;
        let raw = "return getComputedStyle(document.querySelector('#board .more')).display";
        assert_eq!(browser.run(raw).await, "block");
    });
}

#[test]
fn the_plots_match_the_data_on_every_scale() {
    let campaign = common::full();
    let board = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
    page("plots", &written(&campaign), async |browser: &mut Browser| {
        for range in ["", "0.5 2"] {
            browser.choose("#range", range).await;
            for (row, layer) in [(0, 1), (4, 2), (6, 3)] {
                let read = format!(
                    "const row = [...document.querySelectorAll('#board tr[data-name]')].find(r => r.querySelector('a').hash === '#b{row}'); \
                     const svg = row.querySelector('.strip'); \
                     const mark = svg.querySelector('[data-s=\"{series}\"]'); \
                     const x = +mark.querySelector('.dot').getAttribute('transform').match(/[-\\d.]+/)[0]; \
                     const line = mark.querySelector('.ci'); \
                     const [low, high] = '{range}' ? '{range}'.split(' ').map(Number) : svg.dataset.x.split(' ').map(Number); \
                     const [from, to] = svg.dataset.r.split(' ').map(Number); \
                     const value = x => low * Math.exp((x - from) / (to - from) * Math.log(high / low)); \
                     return [value(x), value(+line.getAttribute('x1')), value(+line.getAttribute('x2')), low, high]",
                    series = layer + 1
                );
                let drawn: Vec<f64> = serde_json::from_value(browser.run(&read).await).unwrap();
                let ratio = board.rows[row].cells[layer].ratio.expect("measured");
                let ends = [ratio.value, ratio.low.unwrap(), ratio.high.unwrap()];
                for (drawn, exact) in drawn.iter().zip(ends.map(|v| v.clamp(drawn[3], drawn[4]))) {
                    assert!(
                        (drawn / exact).ln().abs() < 0.004,
                        "{row} {layer}: {drawn} for {exact}"
                    );
                }
            }
        }
    });
}

#[test]
fn histograms_answer_zoom_and_come_back() {
    page("zoom", &written(&common::full()), async |browser: &mut Browser| {
        browser.run("location.hash = '#b2'").await;
        let ticks = "return [...document.querySelectorAll('#b2 .zooms .axis text')].map(t => t.textContent)";
        let home = browser.run(ticks).await;
        let drag = "const svg = document.querySelector('#b2 .zooms'), box = svg.getBoundingClientRect(); \
            const at = (kind, share) => svg.dispatchEvent(new PointerEvent(kind, { bubbles: true, \
            clientX: box.left + share * box.width, clientY: box.top + 100 })); \
            at('pointermove', 0.4); const tip = document.querySelector('#tip').textContent; \
            at('pointerdown', 0.3); at('pointerup', 0.5); return tip";
        let tip = browser.run(drag).await;
        assert!(tip.as_str().is_some_and(|tip| tip.contains(" to ")), "{tip}");
        assert_ne!(browser.run(ticks).await, home);
        browser.run("dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))").await;
        let back = browser.run(ticks).await;
        assert!(back.as_array().is_some_and(|ticks| ticks.len() > 2), "{back}");
    });
}

/// Text of the axis of a benchmark's histogram.
fn ticks(at: usize) -> String {
    format!(
        "return [...document.querySelectorAll('#b{at} .zooms .axis text')].map(t => t.textContent)"
    )
}

#[test]
fn histograms_of_every_unit_answer_the_mouse() {
    let campaign = common::every_unit();
    page("units", &written(&campaign), async |browser: &mut Browser| {
        browser.click_all("summary").await;
        let tip = "return document.querySelector('#tip').textContent";
        for (at, bench) in campaign.benchmarks.iter().enumerate() {
            let plot = format!("#b{at} .zooms");
            let home = browser.run(&ticks(at)).await;
            browser.drag(&plot, &[0.4]).await;
            let said = browser.run(tip).await;
            assert!(
                said.as_str().is_some_and(|said| said.contains(" to ")),
                "{}: {said}",
                bench.name
            );
            browser.drag(&plot, &[0.3, 0.4, 0.7]).await;
            let zoomed = browser.run(&ticks(at)).await;
            let symbol = bench.unit.symbol().rsplit('/').next().unwrap_or_default();
            let sign = if symbol == "ns" { "s" } else { symbol };
            for ticks in [&home, &zoomed] {
                let ticks = strings(ticks);
                let mut apart = ticks.clone();
                apart.dedup();
                assert!(ticks.len() > 1 && apart == ticks, "{}: {ticks:?}", bench.name);
                assert!(
                    ticks.iter().all(|tick| *tick == "0" || tick.ends_with(sign)),
                    "{ticks:?} {sign}"
                );
            }
            assert_ne!(home, zoomed, "{}", bench.name);
            browser.click(&format!("#b{at} .whole")).await;
            assert_eq!(browser.run(&ticks(at)).await.as_array().map(|t| t.len() > 1), Some(true));
        }
    });
}

#[test]
fn a_flame_graph_shows_one_function_and_is_searched() {
    page("flames", &written(&common::watched()), async |browser: &mut Browser| {
        browser.click_all("summary").await;
        let widths = "return [...document.querySelectorAll('.flame')].map(svg => \
            [...svg.querySelectorAll('.frame')].filter(g => g.getClientRects().length)\
            .map(g => Math.round(g.querySelector('rect').getAttribute('width'))))";
        let slow = ".flame [data-n$=\"<slow>\"] rect";
        assert_eq!(browser.run(widths).await, json!([[1000, 1000, 1000], [1000, 1000, 1000, 500]]));
        browser.click(slow).await;
        assert_eq!(
            browser.run(widths).await,
            json!([[1000, 1000, 1000], [1000, 1000, 1000, 1000]])
        );
        browser.click(".flame [data-n=runc] rect").await;
        browser.type_in(".seek", "SLOW").await;
        let seen = browser.run("return document.querySelector('output.seen').textContent").await;
        assert_eq!(seen, json!("native: 0.0%, runc: 50.0%"));
        assert_eq!(browser.heard().await.0, Vec::<String>::new());
    });
}

#[test]
fn the_search_finds_descriptions_suites_and_layers() {
    page("search", &written(&common::every_unit()), async |browser: &mut Browser| {
        for (typed, rows) in [
            ("context switch", vec!["ctx/2p-0k"]),
            ("Gather disk", vec![]),
            ("SUITE-of-aim7 mix", vec!["aim7/mix"]),
        ] {
            browser.type_in("#find", typed).await;
            assert_eq!(strings(&browser.run(ROWS).await), rows, "{typed}");
        }
        browser.type_in("#find", "gvisor context").await;
        assert_eq!(strings(&browser.run(ROWS).await), ["ctx/2p-0k"]);
        let columns = "return [...document.querySelectorAll('#board thead th.layer')].filter(h => !h.hidden).map(h => h.textContent)";
        assert_eq!(browser.run(columns).await, json!(["runsc-systrap"]));
        browser.type_in("#find", "").await;
        assert_eq!(browser.run(columns).await.as_array().map(Vec::len), Some(4));
    });
}

#[test]
fn no_caption_is_cut_and_no_word_broken() {
    for (name, campaign) in [
        ("units", common::every_unit()),
        ("troubled", common::troubled()),
        ("hostile", common::hostile()),
    ] {
        page(name, &written(&campaign), async |browser: &mut Browser| {
            browser.click_all("summary").await;
            for width in [1280, 390] {
                browser.screen(width, 1800, false).await;
                assert_eq!(browser.run(CUT).await, json!([]), "{name} at {width}");
                browser.run("location.hash = '#b6'").await;
                browser.picture(&format!("{name}-{width}")).await;
                if name != "hostile" {
                    assert_eq!(browser.run(BROKEN).await, json!([]), "{name} at {width}");
                }
            }
        });
    }
}

#[test]
fn it_looks_right_in_light_and_dark_and_on_a_phone() {
    page("looks", &written(&common::troubled()), async |browser: &mut Browser| {
        browser.screen(1280, 1600, false).await;
        browser.picture("report-light").await;
        let paper = "return getComputedStyle(document.body).backgroundColor";
        let light = browser.run(paper).await;
        browser.screen(1280, 1600, true).await;
        browser.picture("report-dark").await;
        assert_ne!(browser.run(paper).await, light);
        browser.screen(390, 844, false).await;
        browser.click_all("summary").await;
        browser.picture("report-390").await;
        let wide = "return document.documentElement.scrollWidth";
        assert_eq!(browser.run(wide).await, 390, "the page does not scroll sideways on a phone");
    });
}

#[test]
fn hostile_names_are_inert() {
    page("hostile", &written(&common::hostile()), async |browser: &mut Browser| {
        browser.click_all("summary").await;
        let strange = "return [document.querySelectorAll('script').length, \
            document.querySelectorAll('img, iframe, object, link').length, \
            [...document.querySelectorAll('*')].flatMap(e => [...e.attributes]).filter(a => a.name.startsWith('on')).length]";
        assert_eq!(browser.run(strange).await, json!([1, 0, 0]));
        let (messages, requests) = browser.heard().await;
        assert_eq!((messages, requests.len()), (vec![], 1));
        browser.screen(390, 844, false).await;
        assert_eq!(browser.run("return document.documentElement.scrollWidth").await, 390);
    });
}

#[test]
fn keys_reach_everything_and_every_table_says_what_it_is() {
    page("keys", &written(&common::troubled()), async |browser: &mut Browser| {
        assert_eq!(browser.run(FAULTS).await, json!([]));
    });
}

#[test]
fn a_million_samples_stay_small_and_open() {
    let campaign = large::large(60, 6, 10, 250);
    let written = written(&campaign);
    assert!(written.len() < 3_000_000, "{} bytes", written.len());
    page("large", &written, async |browser: &mut Browser| {
        let rows =
            browser.run("return document.querySelectorAll('#board tr[data-name]').length").await;
        assert_eq!(rows, 60);
        let took = browser
            .run("const t = performance.timing; return t.loadEventEnd - t.navigationStart")
            .await;
        // Said, not asserted: how long it takes is this machine's business.
        println!("{} bytes, loaded in {took} ms", written.len());
    });
}
