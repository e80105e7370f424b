//! `tare list`: suites, benchmarks and layers, from the tables that everything else reads.

use crate::catalog::Catalog;
use crate::cli::ListArgs;
use crate::usage::wrong_usage;
use crate::{host, output};
use anyhow::Result;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::process::ExitCode;
use tare_layers::{KINDS, LayerKind, Recipe, Tested, other_names};
use tare_proto::BenchInfo;
use tare_report::json_text;

/// Prints everything that can be named on the command line.
pub fn list(args: &ListArgs) -> Result<ExitCode> {
    let catalog = Catalog::load(&host::host()?.probe)?;
    let words: Vec<String> = args.words.iter().map(|word| word.to_lowercase()).collect();
    let wanted = Wanted(&words);
    let text = match args.json {
        true => for_machines(&catalog, &wanted),
        false if output::is_seen() => {
            output::wrapped(&for_people(&catalog, &wanted), output::width())
        }
        false => for_people(&catalog, &wanted),
    };
    if text.is_empty() {
        wrong_usage!(
            "nothing here has the words '{}'; 'tare list' has everything",
            args.words.join(" ")
        );
    }
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Words that narrow a list, in lower case; none wants everything.
struct Wanted<'a>(&'a [String]);

impl Wanted<'_> {
    fn has(&self, name: &str, about: &str) -> bool {
        let all = format!("{name} {about}").to_lowercase();
        self.0.iter().all(|word| all.contains(word.as_str()))
    }

    fn kind(&self, kind: &LayerKind) -> bool {
        self.has(kind.name, kind.about)
            || other_names(kind.name).any(|other| self.has(other, kind.about))
    }

    fn bench(&self, bench: &BenchInfo) -> bool {
        self.has(&format!("{} {}", bench.name, bench.suite), &bench.about)
    }
}

fn for_people(catalog: &Catalog, wanted: &Wanted) -> String {
    let mut text = String::new();
    for suite in &catalog.suites {
        let of = catalog.benches.iter().filter(|bench| bench.suite == suite.name);
        let is_meant = !wanted.0.is_empty() && wanted.has(&suite.name, &suite.about);
        let benches: Vec<_> = of.filter(|bench| is_meant || wanted.bench(bench)).collect();
        if benches.is_empty() && !wanted.has(&suite.name, &suite.about) {
            continue;
        }
        let _ = writeln!(text, "suite {}: {}\n", suite.name, suite.about);
        for bench in benches {
            let _ =
                writeln!(text, "  {:22} {:3}  {}", bench.name, bench.unit.symbol(), bench.about);
        }
        text.push('\n');
    }
    let kinds: Vec<&LayerKind> = KINDS.iter().filter(|kind| wanted.kind(kind)).collect();
    if kinds.is_empty() {
        return text;
    }
    text.push_str("layers (--layers NAME,... or --layer 'name=NAME,KEY=VALUE,...'):\n");
    let mut machine = None;
    for kind in kinds {
        // The table is ordered by machine.
        if kind.machine.is_some() && kind.machine != machine {
            machine = kind.machine;
            let _ = writeln!(text, "\n  on the {} machine:", machine.unwrap_or_default());
        }
        let others: Vec<&str> = other_names(kind.name).collect();
        let also = if others.is_empty() {
            String::new()
        } else {
            format!(" (also: {})", others.join(", "))
        };
        let _ = writeln!(text, "  {:8} {}{also}", kind.name, kind.about);
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

fn for_machines(catalog: &Catalog, wanted: &Wanted) -> String {
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
    let layers: Vec<_> = KINDS.iter().filter(|kind| wanted.kind(kind)).map(layer).collect();
    let suites: Vec<_> = catalog.suites.iter().filter(|s| wanted.has(&s.name, &s.about)).collect();
    let benches: Vec<_> = catalog.benches.iter().filter(|bench| wanted.bench(bench)).collect();
    let all = json!({ "suites": suites, "benchmarks": benches, "layers": layers });
    json_text(&all)
}
