//! `tare init`: a commented `tare.toml` for this host, with the layers that run here.

use crate::catalog::Catalog;
use crate::cli::{INTERRUPTED, InitArgs};
use crate::config::{Asked, layers, most_vcpus};
use crate::policy::REAL;
use crate::progress::Progress;
use crate::usage::{OrUsage, wrong_usage};
use crate::{files, host, interrupt, output};
use anyhow::Result;
use serde_json::json;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use tare_layers::{KINDS, Settings, Unavailable, Unnamed};
use tare_proto::{Machine, SuiteInfo};
use tare_run::Trials;

/// Tries the layers and writes the file.
pub fn init(args: &InitArgs) -> Result<ExitCode> {
    if args.out.exists() && !args.force {
        wrong_usage!("{} exists; --force replaces it", args.out.display());
    }
    interrupt::listen()?;
    let host = host::host()?;
    let keeper = host::keeper()?;
    host::remove_leftovers(&host);
    let catalog = Catalog::load(&host.probe)?;
    let given: Vec<Settings> =
        args.layers.iter().map(|text| Settings::parse(text).or_usage()).collect::<Result<_>>()?;
    let layers = layers(Machine::Real, &given).or_usage()?;
    let within = args.boot_limit.unwrap_or(REAL.boot_limit);
    let interrupted = interrupt::interrupted;
    let trials = Trials { host: &host, keeper: &keeper, within, anew: false, interrupted };
    let candidates: Vec<_> = layers.iter().map(|asked| asked.candidate(Machine::Real)).collect();
    let mut progress = Progress::new();
    let tried = trials.all(&candidates, &mut progress);
    progress.finish();
    if interrupt::interrupted() {
        return Ok(INTERRUPTED.into());
    }
    let found: Vec<Found> = layers
        .iter()
        .enumerate()
        .zip(tried.into_iter().flatten())
        .map(|((at, asked), tried)| Found {
            asked,
            given: given.get(at).cloned().unwrap_or_default(),
            missing: tried.err(),
        })
        .collect();
    let cpus = tare_run::allowed_cpus();
    let pinned = tare_run::pick_cpus(Path::new("/"), &cpus, || cpus.clone(), most_vcpus(&layers));
    let text = text(&catalog.suites, &found, (&cpus, &pinned));
    files::put(&args.out, |file| Ok(file.write_all(text.as_bytes())?))?;
    let out = args.out.display();
    output::note(&format!(
        "Written to {out}. 'tare run' in this folder reads tare.toml by itself."
    ));
    Ok(ExitCode::SUCCESS)
}

struct Found<'a> {
    asked: &'a Asked,
    /// The settings that were named on the command line.
    given: Settings,
    missing: Option<Unavailable>,
}

/// The file: what is set, and as comments what could be.
fn text(suites: &[SuiteInfo], found: &[Found], (cpus, pinned): (&[u32], &[u32])) -> String {
    let mut text = String::from(
        "# What 'tare run' measures in this folder. Flags of the command take precedence.\n\
         # 'tare list' describes every suite, benchmark, layer and setting.\n\n\
         # Suites of benchmarks:\n",
    );
    for suite in suites {
        let _ = writeln!(text, "#   {:10} {}", suite.name, line(&suite.about));
    }
    let cpu = pinned.first().or(cpus.first()).copied().unwrap_or(0);
    let usual = match pinned {
        [] => "no CPU in particular, because there are too few".to_owned(),
        pinned => format!("CPU {}", numbers(pinned)),
    };
    let _ = write!(
        text,
        "suite = [\"vmi\"]\n\n\
         # Only some benchmarks of these suites:\n# bench = [\"lmbench/ctx*\"]\n\n\
         # How long to measure, or instead how many blocks (one boot of every layer each):\n\
         budget = \"5m\"\n# blocks = 10\n\n\
         # The layer that the others are compared with:\n{}\n\n\
         # Layers may use the CPUs {} here. By default they are pinned to {usual}.\n# pin = \"{cpu}\"\n\n\
         # Differences up to this many percent count as equivalent:\n# margin = 2.0\n\n\
         # A row whose interval is this narrow (in percent) needs no more of the budget:\n# width = 0.5\n\n\
         # The seed decides the order of layers and benchmarks; without one it comes from the clock (simulated: 1):\n# seed = 1\n\n\
         # The layers. Settings such as memory = \"512M\" stand in the layer's table.\n",
        baseline(found),
        numbers(cpus),
    );
    found.iter().for_each(|one| text.push_str(&table(one)));
    text
}

fn baseline(found: &[Found]) -> String {
    match found.iter().find(|one| why_not(one).is_none()) {
        Some(one) => format!("baseline = \"{}\"", one.asked.name),
        None => "# baseline = \"native\"".into(),
    }
}

/// A layer's table; as a comment when it is not weighed, with the reason.
fn table(one: &Found) -> String {
    let kind = KINDS.iter().find(|kind| kind.name == one.asked.kind);
    let about = kind.map_or("", |kind| kind.about);
    let mut text = format!("\n# {}: {about}.\n", one.asked.name);
    let reason = why_not(one);
    let off = if reason.is_some() { "# " } else { "" };
    if let Some(reason) = reason {
        let _ = writeln!(text, "# {}", line(&reason));
    }
    let _ = writeln!(text, "{off}[[layer]]\n{off}name = \"{}\"", one.asked.name);
    for (key, value) in one.given.iter().filter(|(key, _)| *key != "name") {
        let _ = writeln!(text, "{off}{key} = {}", json!(value)); // TOML reads JSON's texts
    }
    text
}

/// Why a layer is not weighed, or `None`.
fn why_not(one: &Found) -> Option<String> {
    if let Some(Unavailable { why, remedy, .. }) = &one.missing {
        return Some(format!("It cannot run here: {why}. Remedy: {remedy}."));
    }
    let kind = KINDS.iter().find(|kind| kind.name == one.asked.kind)?;
    match kind.unnamed {
        Unnamed::Tried(why) if !one.asked.named => {
            Some(format!("It runs here. Campaigns leave it out by default: {why}."))
        }
        _ => None,
    }
}

/// `text` in one line of a comment.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `0, 1, 3`.
fn numbers(cpus: &[u32]) -> String {
    cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn sample() -> String {
        let asked = layers(Machine::Real, &[]).unwrap();
        let missing = |asked: &Asked| {
            (asked.kind == "kvm").then(|| Unavailable::new("no /dev/kvm\nhere", "load kvm"))
        };
        let found: Vec<Found> = asked
            .iter()
            .map(|asked| Found { asked, given: Settings::default(), missing: missing(asked) })
            .collect();
        let suites = [SuiteInfo { name: "vmi".into(), about: "two\nlines".into() }];
        text(&suites, &found, (&[0, 1], &[1]))
    }

    #[test]
    fn only_what_runs_here_and_is_usually_weighed_is_set() {
        let text = sample();
        let config: Config = toml::from_str(&text).unwrap();
        assert_eq!(config.layer_names(), ["native", "runc", "runsc"]);
        assert_eq!(config.baseline.as_deref(), Some("native"));
        assert!(
            text.contains("# It cannot run here: no /dev/kvm here. Remedy: load kvm."),
            "{text}"
        );
        assert!(text.contains("leave it out by default: emulates every instruction."), "{text}");
    }

    /// A comment that shows a setting is one, as it stands there.
    #[test]
    fn every_setting_that_is_a_comment_is_valid_without_its_mark() {
        let bare = |line: &str| {
            let rest = line.strip_prefix("# ").unwrap_or(line);
            let setting = rest.contains(" = ") && !rest.contains("  ") && !rest.ends_with('.');
            (setting || rest == "[[layer]]").then(|| rest.to_owned())
        };
        let all: Vec<String> = sample().lines().filter_map(bare).collect();
        let config: Config = toml::from_str(&all.join("\n")).unwrap();
        assert_eq!(config.layer_names().len(), layers(Machine::Real, &[]).unwrap().len());
        assert!(config.pin.is_some() && config.blocks.is_some() && config.seed.is_some());
        assert!(config.margin.is_some() && config.width.is_some() && !config.bench.is_empty());
    }
}
