//! `tare list`: suites, benchmarks and layers, from the tables that everything else reads.

use crate::catalog::Catalog;
use crate::cli::ListArgs;
use crate::{host, output};
use anyhow::Result;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::process::ExitCode;
use tare_layers::{KINDS, LayerKind, Recipe, Tested};
use tare_report::json_text;

/// Prints everything that can be named on the command line.
pub fn list(args: &ListArgs) -> Result<ExitCode> {
    let catalog = Catalog::load(&host::host()?.probe)?;
    output::print(&if args.json { for_machines(&catalog) } else { for_people(&catalog) })?;
    Ok(ExitCode::SUCCESS)
}

fn for_people(catalog: &Catalog) -> String {
    let mut text = String::new();
    for suite in &catalog.suites {
        let _ = writeln!(text, "suite {}: {}\n", suite.name, suite.about);
        for bench in catalog.benches.iter().filter(|bench| bench.suite == suite.name) {
            let _ =
                writeln!(text, "  {:22} {:3}  {}", bench.name, bench.unit.symbol(), bench.about);
        }
        text.push('\n');
    }
    text.push_str("layers (--layers NAME,... or --layer 'name=NAME,KEY=VALUE,...'):\n");
    let mut machine = None;
    for kind in KINDS {
        // The table is ordered by machine.
        if kind.machine.is_some() && kind.machine != machine {
            machine = kind.machine;
            let _ = writeln!(text, "\n  on the {} machine:", machine.unwrap_or_default());
        }
        let _ = writeln!(text, "  {:8} {}", kind.name, kind.about);
        if let Some(recipe) = kind.words.filter(|_| !kind.defaults.is_empty()) {
            text.push_str(&of_words(kind, recipe));
            continue;
        }
        for setting in kind.settings {
            let _ =
                writeln!(text, "           {:10} {}", format!("{}=", setting.key), setting.about);
        }
    }
    text
}

/// A kind that is words known to tare: whether tests boot it, and the words.
fn of_words(kind: &LayerKind, recipe: &Recipe) -> String {
    let tested = match recipe.tested {
        Tested::Booted => "tested: tare's tests boot it".to_owned(),
        Tested::Words(why) => {
            format!("written from its documentation, and run with a stand-in: {why}")
        }
    };
    let mut text =
        format!("           {tested}; every setting of command can overrule its words:\n");
    for (key, words) in kind.defaults {
        let _ = writeln!(text, "           {key}={words}");
    }
    text
}

fn for_machines(catalog: &Catalog) -> String {
    let setting = |s: &tare_layers::Setting| json!({ "key": s.key, "about": s.about });
    let layer = |kind: &tare_layers::LayerKind| {
        let settings: Vec<_> = kind.settings.iter().map(setting).collect();
        let tested = kind.words.map(|recipe| recipe.tested == Tested::Booted);
        let words: Map<String, Value> =
            kind.defaults.iter().map(|(key, words)| ((*key).to_owned(), json!(words))).collect();
        json!({
            "name": kind.name, "machine": kind.machine, "about": kind.about, "settings": settings,
            "defaults": words, "booted_by_tests": tested.unwrap_or(true),
        })
    };
    let layers: Vec<_> = KINDS.iter().map(layer).collect();
    let all = json!({ "suites": catalog.suites, "benchmarks": catalog.benches, "layers": layers });
    json_text(&all)
}
