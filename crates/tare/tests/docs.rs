//! The shell blocks of the documentation that are marked as tested are executed, each in a folder of its own.

mod common;

use common::{Bench, done, row};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tare_board::format::{quantity, short_ratio};
use tare_proto::Unit;

const MARK: &str = "<!-- tested -->\n```sh\n";

fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = [root.clone(), root.join("docs"), root.join("docs/lab")];
    let entries = folders.into_iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "md")).collect()
}

#[test]
fn what_is_marked_as_tested_works() {
    let program = Path::new(env!("CARGO_BIN_EXE_tare")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut ran = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for block in text.split(MARK).skip(1) {
            let script = block.split("```").next().unwrap();
            let bench = Bench::new();
            let mut shell = Command::new("bash");
            shell.args(["-eu", "-o", "pipefail", "-c", script]).current_dir(bench.path(""));
            shell.env("PATH", &path).env("TARE_CACHE", common::cache()).stdin(Stdio::null());
            let done = done(shell.output().unwrap());
            assert_eq!(done.code, 0, "{}\n{script}\n{}\n{}", page.display(), done.out, done.err);
            ran += 1;
        }
    }
    assert!(ran > 0, "no block is marked");
}

/// `cargo xtask figures` draws what is committed.
#[test]
fn figures_are_those_of_their_recorded_campaigns() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/figures");
    let bench = Bench::new();
    let mut drawn = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let campaign = entry.unwrap().path();
        if campaign.join("campaign.db").is_file() {
            let line = format!("report {} --format svg", campaign.display());
            let committed = fs::read_to_string(campaign.with_extension("svg")).unwrap();
            let why = "the figure is not that of its campaign: cargo xtask figures";
            assert!(bench.ok(&line).out == committed, "{}: {why}", campaign.display());
            drawn += 1;
        }
    }
    assert!(drawn > 0, "there is no figure");
}

/// Where a page quotes the whole text of a campaign, where it quotes one figure, and where that ends.
const QUOTED: (&str, &str, &str) = ("<!-- figures: ", "<!--=", "<!--/-->");

/// What every recorded campaign says, in the forms that pages quote.
struct Recorded {
    bench: Bench,
}

impl Recorded {
    fn shown(&self, name: &str, more: &str) -> String {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/figures").join(name);
        self.bench.ok(&format!("show {} --short {more}", folder.display())).out
    }

    /// The sentences and the table, without what explains them.
    fn text(&self, name: &str) -> String {
        let all = self.shown(name, "");
        let (begins, _) = all.split_once("\nRatios to ").expect("a legend");
        begins.trim_end().to_owned()
    }

    /// `blocks`, `rows`, `mean LAYER`, `ratio LAYER BENCHMARK` or `value LAYER BENCHMARK`.
    fn figure(&self, name: &str, what: &str) -> String {
        let board: Value = serde_json::from_str(&self.shown(name, "--format json")).expect("JSON");
        let of = |list: &Value, layer: &str| {
            let list = list.as_array().expect("a list").clone();
            list.into_iter().find(|one| one["layer"] == layer).unwrap_or_else(|| panic!("{layer}"))
        };
        let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{name}: no {what}"));
        match what.split(' ').collect::<Vec<_>>()[..] {
            ["blocks"] => board["counts"]["blocks"].to_string(),
            ["rows"] => board["rows"].as_array().map_or(0, Vec::len).to_string(),
            ["mean", layer] => short_ratio(number(&of(&board["geomeans"], layer)["cost"]["value"])),
            ["ratio", layer, bench] => {
                let cell = of(&row(&board, bench)["cells"], layer);
                short_ratio(number(&cell["ratio"]["value"]))
            }
            ["value", layer, bench] => {
                let row = row(&board, bench);
                let unit: Unit = serde_json::from_value(row["unit"].clone()).expect("a unit");
                let value = match board["baseline"] == layer {
                    true => row["baseline"]["mean"].clone(),
                    false => of(&row["cells"], layer)["mean"]["mean"].clone(),
                };
                quantity(unit, number(&value))
            }
            _ => panic!("{name}: what is '{what}'?"),
        }
    }
}

/// `page` with every quotation as it is recorded.
fn quoting(page: &str, recorded: &Recorded) -> String {
    let (whole, one, end) = QUOTED;
    let mut out = String::new();
    let mut rest = page;
    while let Some(at) = [rest.find(whole), rest.find(one)].into_iter().flatten().min() {
        let (before, from) = rest.split_at(at);
        let (mark, behind) = from.split_once("-->").expect("a mark that ends");
        out += before;
        out += mark;
        out += "-->";
        rest = if let Some(name) = mark.strip_prefix(whole) {
            let (_, behind) = behind.split_once("```\n").expect("a block");
            let (_, behind) = match behind.strip_prefix("```") {
                Some(behind) => ("", behind),
                None => behind.split_once("\n```").expect("its end"),
            };
            out += &format!("\n```\n{}\n```", recorded.text(name.trim()));
            behind
        } else {
            let (name, what) = mark.trim_start_matches(one).split_once(' ').expect("a figure");
            let (_, behind) = behind.split_once(end).expect("the quotation's end");
            out += &recorded.figure(name, what);
            out += end;
            behind
        };
    }
    out + rest
}

/// `cargo xtask figures` writes them (it sets TARE_WRITE_DOCS); here they are compared.
#[test]
fn what_pages_quote_is_what_was_recorded() {
    let recorded = Recorded { bench: Bench::new() };
    let mut quotations = 0;
    for path in pages() {
        let page = fs::read_to_string(&path).unwrap();
        let right = quoting(&page, &recorded);
        quotations += page.matches(QUOTED.0).count() + page.matches(QUOTED.1).count();
        if right != page && std::env::var_os("TARE_WRITE_DOCS").is_some() {
            fs::write(&path, &right).unwrap();
            continue;
        }
        let differs = page.lines().zip(right.lines()).find(|(is, should)| is != should);
        assert!(right == page, "{}: cargo xtask figures: {differs:?}", path.display());
    }
    assert!(quotations > 5, "only {quotations}");
}
