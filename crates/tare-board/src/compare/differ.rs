//! How two campaigns differ in what should be the same: differences that forbid a comparison, and those that are listed.

use super::board::Difference;
use super::side::{Common, Side, is_same, same_definition};
use crate::format::percent_of;
use crate::options::Options;
use crate::remarks::note::{differences as of_greetings, first_hello, notes};
use crate::remarks::remark::Note;
use std::collections::BTreeSet;
use tare_proto::Untrusted;
use tare_store::{Campaign, LayerRow, Plan, Scratch};

/// The first campaign in the sentences of the greetings' differences.
const FIRST: &str = "the first campaign";
/// Most names in one sentence.
const NAMES: usize = 4;
/// Most characters of a name, and of a layer's settings.
const NAME: usize = 32;
const SETTINGS: usize = 120;

/// Every difference, those that refuse first.
pub(super) fn differences(
    sides: &[Side; 2],
    common: &Common,
    options: &Options,
) -> Vec<Difference> {
    let campaigns = [sides[0].campaign, sides[1].campaign];
    let mut found = Vec::from_iter(probes(campaigns, common));
    found.extend(plans(campaigns, options));
    found.extend(only_in_one(campaigns));
    found.extend(benchmarks(campaigns, options));
    for &layer in common.control.iter().chain(&common.layers) {
        found.extend(layers(campaigns, layer));
    }
    found.sort_by_key(|difference| !difference.refuses); // stable
    found
}

/// A name of bearable length; it is made harmless where it is written out.
fn name(text: &str) -> String {
    cut(text, NAME)
}

/// At most `most` characters of `text`.
fn cut(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

fn tell(kind: &'static str, text: String) -> Difference {
    Difference { kind, layer: None, text: text.into(), refuses: false }
}

/// "WHAT: AFTER; before, BEFORE" where the two are not the same.
fn unlike(kind: &'static str, what: &str, before: &str, after: &str) -> Option<Difference> {
    let said = |text: &str| if text.is_empty() { "none".into() } else { name(text) };
    (before != after)
        .then(|| tell(kind, format!("{what}: {} before, {} after", said(before), said(after))))
}

/// What another build of the probe means for the rows: only those whose definitions are alike can be compared.
fn probes([before, after]: [&Campaign; 2], common: &Common) -> Option<Difference> {
    let plans = [&before.plan, &after.plan];
    if plans[0].probe_sha256 == plans[1].probe_sha256 {
        return None;
    }
    let short = |plan: &Plan| name(&plan.probe_sha256.raw().chars().take(12).collect::<String>());
    let builds = format!("{} before, {} after", short(plans[0]), short(plans[1]));
    let alike = |bench: &&[usize; 2]| same_definition(plans, &before.benchmarks[bench[0]].name);
    if !common.benches.iter().any(|bench| alike(&bench)) {
        let text = format!(
            "the probes differ ({builds}), and nothing says which benchmarks they define alike: their figures are not comparable"
        );
        return Some(Difference { kind: "probe", layer: None, text: text.into(), refuses: true });
    }
    let both =
        before.benchmarks.iter().filter(|a| after.benchmarks.iter().any(|b| b.name == a.name));
    let others = both.filter(|bench| !same_definition(plans, &bench.name));
    let others: BTreeSet<Untrusted> = others.map(|bench| bench.name.clone().into()).collect();
    Some(tell(
        "probe",
        match others.is_empty() {
            true => format!("two builds of the probe ({builds}) define these benchmarks alike"),
            false => format!(
                "two builds of the probe ({builds}) define some benchmarks differently, which are left out: {}",
                some(&others)
            ),
        },
    ))
}

fn plans([before, after]: [&Campaign; 2], options: &Options) -> Vec<Difference> {
    let (a, b) = (&before.plan, &after.plan);
    let mut found = Vec::new();
    if a.machine != b.machine {
        let text = format!(
            "a simulated machine counts instructions, a real one takes time: {} before, {} after",
            a.machine, b.machine
        );
        found.push(Difference { kind: "machine", layer: None, text: text.into(), refuses: true });
    }
    if is_same(a, b) {
        found.push(tell("same_campaign", "both are the same campaign".into()));
    }
    let milliseconds = |ns: u64| format!("{} ms", ns as f64 / 1e6);
    let cpus = |plan: &Plan| match plan.cpus.len() {
        0 => "not pinned".to_owned(),
        n => format!("{n} CPUs"),
    };
    found.extend(unlike("tare", "tare", a.tare_version.raw(), b.tare_version.raw()));
    found.extend(unlike("baseline", "baseline", a.baseline.raw(), b.baseline.raw()));
    found.extend(unlike("pinning", "pinned to", &cpus(a), &cpus(b)));
    found.extend(unlike("order", "order", &a.order.to_string(), &b.order.to_string()));
    let (short, long) = (milliseconds(a.batch_ns), milliseconds(b.batch_ns));
    found.extend(unlike("batch", "shortest batch", &short, &long));
    let held = [a, b].map(|plan| plan.state_command().unwrap_or_default());
    found.extend(unlike("state", "what saved layers hold (--state)", held[0], held[1]));
    let written = [a, b].map(|plan| match &plan.scratch {
        Some(Scratch::Disk { folder, file_system }) => {
            format!("a disk ({} at {})", name(file_system.raw()), name(folder.raw()))
        }
        Some(Scratch::Memory) | None => "memory".to_owned(),
    });
    if written[0] != written[1] {
        let [before, after] = written;
        found.push(tell(
            "scratch",
            format!("programs write to {before} before, to {after} after (--scratch)"),
        ));
    }
    if a.margin != b.margin && ![a.margin, b.margin].contains(&options.margin) {
        return found;
    }
    let margin = |plan: &Plan| percent_of(plan.margin);
    found.extend(unlike("margin", "planned margin", &margin(a), &margin(b)));
    found
}

/// Layers and benchmarks that cannot be compared since a campaign lacks them.
fn only_in_one([before, after]: [&Campaign; 2]) -> Vec<Difference> {
    let layers = |c: &Campaign| c.layers.iter().map(|l| l.name.clone()).collect::<BTreeSet<_>>();
    let benches = |c: &Campaign| c.benchmarks.iter().map(|b| b.name.clone().into()).collect();
    let mut found = Vec::new();
    let mut alone = |kind, what: &str, these: BTreeSet<Untrusted>, those: BTreeSet<Untrusted>| {
        for (when, only) in [("before", &these - &those), ("after", &those - &these)] {
            if !only.is_empty() {
                found.push(tell(kind, format!("{what} only {when}: {}", some(&only))));
            }
        }
    };
    alone("layers", "layers", layers(before), layers(after));
    alone("benchmarks", "benchmarks", benches(before), benches(after));
    found
}

/// A few names and how many more there are.
fn some(names: &BTreeSet<Untrusted>) -> String {
    let mut text: Vec<String> = names.iter().take(NAMES).map(|n| name(n.raw())).collect();
    if names.len() > NAMES {
        text.push(format!("and {} more", names.len() - NAMES));
    }
    text.join(", ")
}

/// Benchmarks of the same name that are not the same measurement.
fn benchmarks([before, after]: [&Campaign; 2], options: &Options) -> Vec<Difference> {
    let mut found = Vec::new();
    for a in &before.benchmarks {
        let Some(b) = after.benchmarks.iter().find(|b| b.name == a.name) else { continue };
        if (a.unit, a.better) != (b.unit, b.better) {
            let text =
                format!("{} has a different unit or direction and is left out", name(&a.name));
            found.push(tell("unit", text));
        } else if a.estimator != b.estimator && options.estimator.is_none() {
            let text = format!(
                "{} is reduced by {} before and by {} after; give one --estimator for both",
                name(&a.name),
                name(&a.estimator),
                name(&b.estimator)
            );
            found.push(Difference {
                kind: "estimator",
                layer: None,
                text: text.into(),
                refuses: true,
            });
        }
        if a.suite != b.suite {
            found.extend(unlike(
                "suite",
                &format!("suite of {}", name(&a.name)),
                &a.suite,
                &b.suite,
            ));
        }
    }
    found
}

fn layers([before, after]: [&Campaign; 2], layer: [usize; 2]) -> Vec<Difference> {
    let (a, b) = (&before.layers[layer[0]], &after.layers[layer[1]]);
    let mut found = Vec::new();
    if let Some(mut kind) = unlike("kind", "kind", a.kind.raw(), b.kind.raw()) {
        kind.refuses = true;
        found.push(kind);
    }
    let settings = |row: &LayerRow| cut(row.settings.raw(), SETTINGS);
    if a.settings != b.settings {
        let text = format!("settings: {} before, {} after", settings(a), settings(b));
        found.push(tell("settings", text));
    }
    for artifact in &a.artifacts {
        let other = b.artifacts.iter().find(|other| other.role == artifact.role);
        if let Some(other) = other.filter(|other| other.sha256 != artifact.sha256) {
            let text = format!("another {}: ", name(artifact.role.raw()));
            let said = |version: &str, hash: &str| {
                format!("{} ({})", name(version), name(&hash.chars().take(8).collect::<String>()))
            };
            let before = said(artifact.version.raw(), artifact.sha256.raw());
            let after = said(other.version.raw(), other.sha256.raw());
            found.push(tell("artifact", format!("{text}{before} before, {after} after")));
        }
    }
    found.extend(greetings([before, after], layer));
    found.into_iter().map(|d| Difference { layer: Some(a.name.clone()), ..d }).collect()
}

fn greetings([before, after]: [&Campaign; 2], layer: [usize; 2]) -> Vec<Difference> {
    let (a, b) = (first_hello(before, layer[0]), first_hello(after, layer[1]));
    let (Some(a), Some(b)) = (a, b) else { return Vec::new() };
    let differing = of_greetings(b, a, FIRST).into_iter();
    let mut found: Vec<Difference> =
        differing.filter_map(|(kind, text)| Some(tell(kind, text?))).collect();
    found.extend(unlike("cpu_model", "CPU", &a.cpu_model, &b.cpu_model));
    if a.kernel == b.kernel {
        found.extend(unlike("kernel_build", "kernel build", &a.kernel_version, &b.kernel_version));
    }
    found.extend(unlike("governor", "frequency governor", &a.governor, &b.governor));
    found
}

/// What a scoreboard of either campaign would say of the layer's own running.
pub(super) fn notes_of_both(sides: &[Side; 2], layer: [usize; 2]) -> Vec<Note> {
    let mut all = Vec::new();
    for (at, when) in [(0, "before"), (1, "after")] {
        let own = notes(sides[at].campaign, layer[at]).into_iter();
        let own = own.filter(|n| ["kernel_changed", "pinning", "clock_drift"].contains(&n.kind));
        all.extend(
            own.map(|note| Note { text: format!("{when}: {}", note.text.raw()).into(), ..note }),
        );
    }
    all
}
