//! `tare doctor`: reports what on this machine disturbs measurements, boots every layer once, and says which run here and
//! what the others lack.

use crate::cli::{DoctorArgs, LAYER_MISSING};
use crate::config::{Asked, Config, layers, most_vcpus};
use crate::environment::arguments::without_parameter;
use crate::environment::{self, View, far};
use crate::pin::Pin;
use crate::policy::{Policy, REAL};
use crate::progress::Progress;
use crate::usage::OrUsage;
use crate::{host, interrupt, output};
use anyhow::Result;
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Duration;
use tare_board::identity::{Identity, Known};
use tare_layers::{Host, Settings, Unavailable, before_install};
use tare_report::json_text;
use tare_run::{Candidate, Event, Observer, Trial, Trials};

/// Looks at the machine and tries the named layers, or all.
pub fn doctor(args: &DoctorArgs) -> Result<ExitCode> {
    interrupt::listen()?;
    let host = host::host()?;
    let keeper = host::keeper()?;
    host::remove_leftovers(&host);
    let config = if args.layers.is_empty() { Config::default() } else { Config::read(None)? };
    let asked: Vec<Settings> =
        args.layers.iter().map(|text| config.named(text).or_usage()).collect::<Result<_>>()?;
    let layers = layers(args.machine, &asked).or_usage()?;
    let machine =
        environment::look(&View::of_this_host(&Pin::Auto.cpus(&REAL, most_vcpus(&layers))?));
    if !args.json {
        output::print(&format!(
            "{}\nLayers ({} machine)\n",
            environment::for_people(&machine),
            args.machine
        ))?;
    }
    if args.again {
        layers.iter().for_each(|asked| tare_run::forget(&host, asked.kind));
    }
    let within = args.boot_limit.unwrap_or(Policy::for_machine(args.machine).boot_limit);
    let interrupted = interrupt::interrupted;
    let trials = Trials { host: &host, keeper: &keeper, within, anew: true, interrupted };
    let candidates: Vec<Candidate> =
        layers.iter().map(|asked| asked.candidate(args.machine)).collect();
    let mut watcher = Watcher {
        layers: &layers,
        host: &host,
        json: args.json,
        progress: Progress::new(),
        printed: Ok(()),
    };
    let tried = trials.all(&candidates, &mut watcher);
    watcher.progress.finish();
    watcher.printed?;
    if interrupt::interrupted() {
        return Ok(crate::cli::INTERRUPTED.into());
    }
    let tried: Vec<_> = layers.iter().zip(tried.iter().flatten()).collect();
    if args.json {
        let found: Vec<Value> =
            tried.iter().map(|(asked, tried)| for_machines(asked, tried, &host)).collect();
        let all = json!({ "machine": environment::for_machines(&machine), "layers": found });
        output::print(&json_text(&all))?;
    } else if let [_, _, ..] = tried[..] {
        let missing = |tried: &Result<Trial, Unavailable>| tried.as_ref().err().cloned();
        let layers = tried.iter().map(|(asked, tried)| (asked.name.clone(), missing(tried)));
        output::print(&in_short(&layers.collect::<Vec<_>>()))?;
    }
    let missing = tried.iter().any(|(asked, tried)| asked.named && tried.is_err());
    Ok(if missing { LAYER_MISSING.into() } else { ExitCode::SUCCESS })
}

/// Prints what comes of each trial as it ends.
struct Watcher<'a> {
    layers: &'a [Asked],
    host: &'a Host,
    json: bool,
    progress: Progress,
    printed: Result<()>,
}

impl Observer for Watcher<'_> {
    fn event(&mut self, event: Event) {
        match event {
            Event::Tried { at, outcome, .. } if !self.json => {
                let text = for_people(&self.layers[at], outcome, self.host);
                if self.printed.is_ok() {
                    self.printed = self.progress.aside(|| output::print(&text));
                }
            }
            Event::Tried { .. } => {}
            other => self.progress.event(other),
        }
    }
}

fn identity(asked: &Asked, trial: &Trial) -> Identity {
    let settings = asked.settings.to_string();
    Identity::of(Known {
        kind: asked.kind,
        settings: &settings,
        artifacts: &trial.artifacts,
        hello: Some(&trial.hello),
    })
}

/// Whether the layer can be saved and restored: `can be saved and restored`, or why not, and what to do about it.
fn saved(asked: &Asked, host: &Host) -> String {
    match asked.layer.snapshot(host) {
        Ok(()) => "can be saved and restored".into(),
        Err(Unavailable { why, remedy, .. }) => format!("not saved and restored: {why}; {remedy}"),
    }
}

fn for_people(asked: &Asked, tried: &Result<Trial, Unavailable>, host: &Host) -> String {
    match tried {
        Ok(trial) => {
            let mut text = format!(
                "{:8} runs here: boots in {}, kernel {}, {} CPU, {} MiB\n",
                asked.name,
                within(trial.start),
                trial.hello.kernel,
                trial.hello.cpus,
                trial.hello.memory_kib >> 10,
            );
            let identity = identity(asked, trial);
            if !identity.what.is_empty() {
                text.push_str(&format!("         {}\n", identity.what));
            }
            let identified = identity.remark.as_ref().map(|remark| remark.text.raw());
            let unknown = without_parameter(&asked.settings, &trial.hello);
            for note in identified.into_iter().chain(unknown.as_deref()) {
                text.push_str(&format!("         note: {note}\n"));
            }
            if far::is_far(&asked.settings) {
                for comment in far::comments(&trial.hello) {
                    text.push_str(&format!("         {comment}\n"));
                }
            }
            for artifact in &trial.artifacts {
                text.push_str(&format!(
                    "         {} {} {}\n",
                    artifact.role.raw(),
                    artifact.path.raw(),
                    artifact.version.raw()
                ));
            }
            text.push_str(&format!("         {}\n", saved(asked, host)));
            for path in &trial.left {
                text.push_str(&format!("         not removed: {path}\n"));
            }
            text
        }
        Err(Unavailable { why, remedy, .. }) => {
            format!("{:8} cannot run here: {why}\n         remedy: {remedy}\n", asked.name)
        }
    }
}

/// What can be weighed now, what one command would add, and what needs more than that.
fn in_short(layers: &[(String, Option<Unavailable>)]) -> String {
    let here = layers.iter().filter(|(_, missing)| missing.is_none());
    let here: Vec<&str> = here.map(|(name, _)| name.as_str()).collect();
    let mut names = Vec::new();
    let mut packages = Vec::new();
    let mut more = String::new();
    for (name, missing) in layers {
        let Some(Unavailable { why, package, .. }) = missing else { continue };
        match package {
            Some(package) => {
                names.push(name.as_str());
                packages.push(package.as_str());
            }
            None => more.push_str(&format!("  needs more than that: {name}: {why}\n")),
        }
    }
    packages.dedup();
    let here = if here.is_empty() { "nothing".into() } else { here.join(", ") };
    let mut text = format!("\nIn short\n  can be weighed now: {here}\n");
    if !names.is_empty() {
        let names = names.join(", ");
        let packages = packages.join(" ");
        text.push_str(&format!(
            "  one command adds {names}; as root: apt-get install {packages}\n"
        ));
        for old in packages.split(' ').filter_map(before_install) {
            text.push_str(&format!("    before that: {old}\n"));
        }
    }
    text + &more
}

/// `2 ms`, `640 ms`, `2.4 s`.
fn within(time: Duration) -> String {
    match time.as_millis() {
        ms @ 0..1000 => format!("{ms} ms"),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}

fn for_machines(asked: &Asked, tried: &Result<Trial, Unavailable>, host: &Host) -> Value {
    let name = &asked.name;
    let settings = asked.settings.to_string();
    match tried {
        Ok(trial) => json!({
            "layer": name, "kind": asked.kind, "settings": settings, "available": true,
            "what": identity(asked, trial).what,
            "start_s": trial.start.as_secs_f64(), "hello": trial.hello, "artifacts": trial.artifacts,
            "not_removed": trial.left, "saved_and_restored": saved(asked, host),
            "its_host": far::is_far(&asked.settings).then(|| far::for_machines(&trial.hello)),
        }),
        Err(Unavailable { why, remedy, .. }) => json!({
            "layer": name, "kind": asked.kind, "settings": settings, "available": false,
            "why": why, "remedy": remedy,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_short_it_says_what_runs_what_to_install_and_what_needs_more() {
        let lacks = |program: &str, package: &str| {
            Some(Unavailable::without_package(format!("there is no program {program}"), package))
        };
        let no = |why: &str, remedy: &str| Some(Unavailable::new(why, remedy));
        let layers = [
            ("native".to_owned(), None),
            ("crun".into(), lacks("crun", "crun")),
            ("uml".into(), lacks("linux.uml", "user-mode-linux")),
            ("kvm".into(), no("there is no /dev/kvm", "enable virtualization in the firmware")),
        ];
        let expected = "\nIn short\n  can be weighed now: native\n  \
                        one command adds crun, uml; as root: apt-get install crun user-mode-linux\n  \
                        needs more than that: kvm: there is no /dev/kvm\n";
        assert_eq!(in_short(&layers), expected);
        let old = in_short(&[("runsc".to_owned(), lacks("runsc", "runsc"))]);
        assert!(
            old.contains("apt-get install runsc\n    before that: Debian 12's is gVisor of 2022"),
            "{old}"
        );
        assert!(in_short(&layers[1..2]).contains("can be weighed now: nothing"));
    }
}
