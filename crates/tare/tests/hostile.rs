//! A probe is as untrusted as its layer: nothing that it says reaches a terminal or a report raw, however it is said.

mod common;

use common::{Bench, Done, assert_harmless};
use tare_proto::Untrusted;

fn harmless(what: &str, text: &str) {
    assert_harmless(what, text, &['\n']);
}

/// Runs a campaign with a layer of this `fault`, and looks at everything that says something about it.
fn weigh(bench: &Bench, fault: &str, more: &str) -> Done {
    let done = bench.tare(&format!(
        "run --layer name=base,kind=mock --layer name=bad,kind=mock,fault={fault}{more} --baseline base \
         --bench lmbench/null_call --bench lmbench/stat --blocks 2 --boot-limit 5s --out {fault}"
    ));
    harmless(fault, &done.out);
    harmless(fault, &done.err);
    assert!(done.out.len() + done.err.len() < 20_000, "{fault} is long-winded");
    for form in ["text", "json", "markdown"] {
        let shown = bench.tare(&format!("show {fault} --format {form}"));
        harmless(fault, &shown.out);
        harmless(fault, &shown.err);
    }
    done
}

#[test]
fn no_text_of_a_probe_reaches_a_terminal_raw() {
    let bench = Bench::new();
    for fault in ["hostile", "hostile-panic", "hostile-name", "hostile-type"] {
        weigh(&bench, fault, "");
    }
    // What it says is kept, as something to read.
    let campaign = bench.campaign("hostile");
    let why = campaign
        .series
        .iter()
        .find_map(|series| series.why.as_ref().map(Untrusted::raw))
        .expect("a reason");
    assert!(why.starts_with("\\u{1b}[2J") && why.chars().count() <= 500, "{why}");
    let page = std::fs::read_to_string(bench.path("hostile/report.html")).expect("the page");
    assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'));
}

#[test]
fn a_reason_for_a_hole_is_harmless_too() {
    let bench = Bench::new();
    let done = weigh(&bench, "hostile", ",lacks=lmbench/stat");
    assert!(done.out.contains("\\u{1b}"), "{}", done.out);
}

#[test]
fn what_is_no_greeting_is_named_by_its_kind() {
    let bench = Bench::new();
    let done = weigh(&bench, "chatty", "");
    assert!(done.err.contains("it said a series instead of a greeting"), "{}", done.err);
}
