//! The page, the figures and the CSV without a browser: well-formed, escaped, complete, and true for every campaign.

mod common;

use tare_board::format::quantity;
use tare_board::{Counter, Extras, LoadCurve, LoadPoint, Options, Scoreboard, Usage, scoreboard};
use tare_report::{benchmark_svg, csv, history_html, html, load_svg, overview_svg, png};
use tare_store::Campaign;

fn board(campaign: &Campaign) -> Scoreboard {
    scoreboard(campaign, &Options::from_plan(&campaign.plan))
}

fn page(campaign: &Campaign) -> String {
    {
        let board = board(campaign);
        html(campaign, &board, &Extras::of(campaign, &board))
    }
}

/// Every campaign that may be met.
fn all() -> Vec<(&'static str, Campaign)> {
    let layers = || vec![common::layer("native", "native"), common::layer("uml", "uml")];
    let mut running = common::full_of(2);
    running.state = "running".into();
    let mut lost = common::full();
    lost.plan.baseline = "gone".into();
    vec![
        ("full", common::full()),
        ("troubled", common::troubled()),
        ("one_block", common::full_of(1)),
        ("running", running),
        ("empty", common::empty(4, layers(), vec![])),
        ("nothing", common::empty(0, vec![], vec![])),
        ("all_failed", common::all_failed()),
        ("hostile", common::hostile()),
        ("many_layers", common::many_layers(40)),
        ("lost_baseline", lost),
    ]
}

#[test]
fn every_campaign_makes_a_page_with_every_part() {
    for (name, campaign) in all() {
        let page = page(&campaign);
        for part in
            ["id=\"scoreboard\"", "id=\"benchmarks\"", "id=\"trouble\"", "id=\"provenance\""]
        {
            assert!(page.contains(part), "{name}: {part}");
        }
        assert_eq!(page.matches("<script").count(), 1, "{name}: only our script");
        for tag in ["table", "tr", "td", "svg", "g", "details", "section", "bdi", "li"] {
            let opened = page.matches(&format!("<{tag} ")).count()
                + page.matches(&format!("<{tag}>")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{name}: <{tag}>");
        }
        let text = page.split("<script>").next().unwrap_or_default();
        assert!(!text.contains("NaN") && !text.contains("\"inf"), "{name}");
    }
}

#[test]
fn what_is_missing_is_said() {
    let says = |campaign: &Campaign, words: &str| {
        let page = page(campaign);
        assert!(page.contains(words), "not said: {words}");
    };
    let mut running = common::full_of(2);
    running.state = "running".into();
    says(&running, "still running");
    says(&common::full_of(1), "1 block of at least 3: too few to say what a layer costs");
    says(&common::all_failed(), "Nothing was measured.");
    says(&common::all_failed(), "the baseline never booted");
    says(&common::full(), "No counters were recorded.");
    says(&common::full(), "No benchmark has a load curve.");
    says(&common::full(), "CPU utilisation was not measured.");
    says(&common::troubled(), "BUG: soft lockup");
    says(&common::troubled(), "run on a host whose KVM is not nested");
}

#[test]
fn hostile_names_are_text_everywhere() {
    let campaign = common::hostile();
    let board = board(&campaign);
    let history =
        history_html(&[("<i>\u{202e}".into(), board.clone()), ("\"".into(), board.clone())]);
    let figures = campaign.benchmarks.iter().filter_map(|b| benchmark_svg(&campaign, &b.name));
    let mut texts = vec![page(&campaign), history, overview_svg(&board)];
    texts.extend(figures);
    for text in texts {
        for bad in ["<script>alert", "<img", "<i>", "\u{202e}", "\u{1b}"] {
            assert!(!text.contains(bad), "{bad:?}");
        }
        let longest = text.split(['<', '>']).map(str::len).max();
        assert!(longest < Some(60_000), "a name of 10 kB is not repeated: {longest:?}");
    }
}

#[test]
fn what_was_measured_beside_the_samples_is_shown() {
    let campaign = common::full();
    let point = |load: f64| LoadPoint {
        load,
        value: 900.0 * load,
        ci: Some((800.0 * load, 1000.0 * load)),
    };
    let extras = Extras {
        counters: vec![Counter {
            benchmark: 0,
            layer: 1,
            name: "page-faults".into(),
            mean: 12.5,
            ci: Some((12.0, 13.0)),
        }],
        curves: vec![(
            1,
            LoadCurve {
                layer: 1,
                unit: tare_proto::Unit::PerSecond,
                points: [1.0, 2.0, 4.0].map(point).to_vec(),
            },
        )],
        usage: vec![(2, Usage { layer: 1, user: 0.2, system: 0.5, idle: 0.3 })],
    };
    let page = html(&campaign, &board(&campaign), &extras);
    assert!(page.contains("page-faults") && page.contains("12.5"));
    assert!(page.contains("Throughput against load") && page.contains("70% busy"));
    assert!(!page.contains("No counters were recorded"));
}

#[test]
fn shapes_and_findings_on_the_page_are_the_boards() {
    for campaign in [common::full(), common::troubled(), common::every_unit()] {
        let (board, page) = (board(&campaign), page(&campaign));
        let sections: Vec<&str> = page.split("<details class=\"bench\"").skip(1).collect();
        assert_eq!(sections.len(), board.rows.len());
        for (row, section) in board.rows.iter().zip(sections) {
            let own = row.cells.iter().flat_map(|cell| &cell.findings);
            let findings: Vec<&str> =
                row.findings.iter().chain(own).map(|f| f.text.as_str()).collect();
            let list = section.split("<ul class=\"findings\">").nth(1).unwrap_or_default();
            let list = list.split("</ul>").next().unwrap_or_default();
            assert_eq!(list.matches("<li>").count(), findings.len(), "{}", row.benchmark.raw());
            assert!(findings.iter().all(|text| list.contains(text)), "{}", row.benchmark.raw());
            let samples = row.cells.iter().filter_map(|cell| cell.samples).chain(row.samples);
            for samples in samples {
                let (count, boots) = (samples.samples, samples.boots);
                let median = quantity(row.unit, samples.median);
                let cells = [
                    ("Samples", count.to_string()),
                    ("Boots", boots.to_string()),
                    ("Median", median),
                ]
                .map(|(label, text)| format!("<td data-label=\"{label}\">{text}</td>"))
                .concat();
                assert!(section.contains(&cells), "{}: {cells}", row.benchmark.raw());
            }
            for shape in row.cells.iter().filter_map(|cell| cell.shape.as_ref()) {
                let percent = match shape.shift_percent {
                    large if large >= 1000.0 => String::new(), // said as how many times it is
                    percent => format!("{percent:+.1}%)"),
                };
                let shift = format!("{} ({percent}", quantity(row.unit, shape.shift.mean.abs()));
                assert!(section.contains(&shift), "{}: {shift}", row.benchmark.raw());
            }
        }
    }
    // A series that cannot be reduced, for a sample below zero, is on neither.
    let row = &board(&common::troubled()).rows[9];
    assert_eq!(row.cells[0].samples.map(|samples| (samples.samples, samples.boots)), Some((9, 3)));
    assert_eq!(row.samples.map(|samples| (samples.samples, samples.boots)), Some((24, 8)));
}

#[test]
fn histories_of_machines_are_apart_and_short_ones_say_so() {
    let one = |at: usize, machine: tare_proto::Machine| {
        let mut campaign = common::many_layers(2);
        campaign.plan.machine = machine;
        campaign.plan.created = format!("2026-01-{:02}T00:00:00Z", at + 1).into();
        (format!("c{at}"), board(&campaign))
    };
    let machines = [tare_proto::Machine::Real, tare_proto::Machine::Sim];
    let mixed: Vec<_> = (0..12).map(|at| one(at, machines[at % 2])).collect();
    let page = history_html(&mixed);
    assert!(page.contains("</strong> (simulated machine)"), "the machines are in one plot");
    assert!(page.contains("the longest has 6"), "six of each cannot say");
    assert!(!page.contains("No benchmark changed significantly"));
    let long: Vec<_> = (0..9).map(|at| one(at, machines[0])).collect();
    assert!(history_html(&long).contains("No benchmark changed significantly"));
}

#[test]
fn a_change_between_campaigns_is_marked_at_its_place() {
    let one = |at: usize| {
        let mut campaign = common::many_layers(2);
        campaign.plan.created = format!("2026-01-{:02}T00:00:00Z", at + 1).into();
        let slower = if at < 7 { 1.0 } else { 1.3 };
        for row in campaign.series.iter_mut().filter(|row| row.boot % 2 == 1) {
            row.samples
                .iter_mut()
                .for_each(|v| *v *= slower * (1.0 + 0.001 * common::wobble(at, 1, 1)));
        }
        (format!("c{}", at + 1), board(&campaign))
    };
    // Given in no order: the page puts them in that of their making.
    let page = history_html(&(0..14).rev().map(one).collect::<Vec<_>>());
    assert!(
        page.contains("30% slower") && page.contains("from campaign 8 on"),
        "the change is not said"
    );
    assert_eq!(page.matches("class=\"change\"").count(), 1);
}

#[test]
fn figures_are_files_and_pictures() {
    let campaign = common::troubled();
    let overview = overview_svg(&board(&campaign));
    assert!(overview.starts_with("<svg xmlns") && !overview.contains("var(--"));
    let name = &campaign.benchmarks[3].name;
    for svg in [overview, benchmark_svg(&campaign, name).expect("it has samples")] {
        let picture = png(&svg, 1.0).expect("this system has fonts (Debian: fonts-dejavu-core)");
        assert!(picture.starts_with(b"\x89PNG"));
    }
    assert_eq!(benchmark_svg(&campaign, "no/such"), None);
}

#[test]
fn a_benchmark_at_several_loads_has_a_figure_of_its_curve() {
    let mut campaign = common::full();
    for (at, load) in [(0, 1), (1, 4)] {
        campaign.benchmarks[at].name = format!("aim7/mix@{load}");
        campaign.benchmarks[at].load = "users".into();
    }
    let svg = load_svg(&campaign, &board(&campaign), "aim7/mix").expect("it has two loads");
    assert!(svg.starts_with("<svg xmlns") && !svg.contains("var(--"));
    assert!(svg.contains("users; bands") && svg.contains("Throughput against load"));
    for layer in &campaign.layers {
        assert!(svg.contains(layer.name.raw()), "{}", layer.name.raw());
    }
    assert_eq!(load_svg(&campaign, &board(&campaign), "aim7/mix@1"), None);
}

#[test]
fn the_csv_reads_as_before() {
    insta::assert_snapshot!("troubled_csv", csv(&board(&common::troubled())).replace("\r\n", "\n"));
    for (name, campaign) in all() {
        let text = csv(&board(&campaign));
        let fields = |line: &str| {
            line.split('"').step_by(2).map(|part| part.matches(',').count()).sum::<usize>()
        };
        assert!(text.lines().all(|line| fields(line) == 25), "{name}");
    }
}
