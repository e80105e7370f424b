//! `tare doctor`: says what of this machine disturbs, boots every layer once and says which run here, and what the
//! others lack.

use crate::cli::{DoctorArgs, LAYER_MISSING};
use crate::config::{Asked, layers};
use crate::environment::{self, View};
use crate::usage::OrUsage;
use crate::{host, interrupt, output};
use anyhow::Result;
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use tare_board::identity::{Identity, Known};
use tare_layers::{Settings, Unavailable};
use tare_proto::Machine;
use tare_report::json_text;
use tare_run::{Trial, simulated, trial};

/// Looks at the machine and tries the named layers, or all.
pub fn doctor(args: &DoctorArgs) -> Result<ExitCode> {
    interrupt::listen()?;
    let (host, keeper) = (host::host()?, host::keeper()?);
    host::sweep(&host);
    let asked: Vec<Settings> =
        args.layers.iter().map(|text| Settings::parse(text).or_usage()).collect::<Result<_>>()?;
    let layers = layers(args.machine, &asked, &[]).or_usage()?;
    let machine = environment::look(&View::of_this_host(&cpus_of(&layers)));
    if !args.json {
        output::print(&format!(
            "{}\nLayers ({} machine)\n",
            environment::for_people(&machine),
            args.machine
        ))?;
    }
    let mut found = Vec::new();
    let mut missing = false;
    for asked in layers {
        let within = args.boot_limit.unwrap_or(usual_limit(args.machine));
        let tried = trial(&*asked.layer, &host, &keeper, within, interrupt::interrupted);
        missing |= asked.named && tried.is_err();
        match args.json {
            true => found.push(for_machines(&asked, &tried)),
            false => output::print(&for_people(&asked, &tried))?,
        }
        if interrupt::interrupted() {
            return Ok(crate::cli::INTERRUPTED.into());
        }
    }
    if args.json {
        let all = json!({ "machine": environment::for_machines(&machine), "layers": found });
        output::print(&json_text(&all))?;
    }
    Ok(if missing { LAYER_MISSING.into() } else { ExitCode::SUCCESS })
}

fn usual_limit(machine: Machine) -> Duration {
    match machine {
        Machine::Real => super::run::BOOT,
        Machine::Sim => simulated::BOOT,
    }
}

/// The CPUs that `tare run` would pin these layers to.
fn cpus_of(layers: &[Asked]) -> Vec<u32> {
    let vcpus = layers.iter().filter_map(|asked| asked.settings.number("vcpus", 1, 1, 1024).ok());
    let count = vcpus.max().unwrap_or(1) as usize;
    tare_run::pick_cpus(Path::new("/"), &tare_run::allowed_cpus(), count)
}

/// What the layer is that booted.
fn identity(asked: &Asked, trial: &Trial) -> Identity {
    let settings = asked.settings.to_string();
    Identity::of(Known {
        kind: asked.kind,
        settings: &settings,
        artifacts: &trial.artifacts,
        hello: Some(&trial.hello),
    })
}

fn for_people(asked: &Asked, tried: &Result<Trial, Unavailable>) -> String {
    match tried {
        Ok(trial) => {
            let mut text = format!(
                "{:8} runs here: greets in {:.3} s, kernel {}, {} CPU, {} MiB\n",
                asked.name,
                trial.start.as_secs_f64(),
                trial.hello.kernel,
                trial.hello.cpus,
                trial.hello.memory_kib >> 10,
            );
            let identity = identity(asked, trial);
            if !identity.what.is_empty() {
                text.push_str(&format!("         {}\n", identity.what));
            }
            if let Some(remark) = &identity.remark {
                text.push_str(&format!("         note: {}\n", remark.text));
            }
            for artifact in &trial.artifacts {
                text.push_str(&format!(
                    "         {} {} {}\n",
                    artifact.role, artifact.path, artifact.version
                ));
            }
            for path in &trial.left {
                text.push_str(&format!("         not removed: {path}\n"));
            }
            text
        }
        Err(Unavailable { why, remedy }) => {
            format!("{:8} cannot run here: {why}\n         remedy: {remedy}\n", asked.name)
        }
    }
}

fn for_machines(asked: &Asked, tried: &Result<Trial, Unavailable>) -> Value {
    let (name, settings) = (&asked.name, asked.settings.to_string());
    match tried {
        Ok(trial) => json!({
            "layer": name, "kind": asked.kind, "settings": settings, "available": true,
            "what": identity(asked, trial).what,
            "start_s": trial.start.as_secs_f64(), "hello": trial.hello, "artifacts": trial.artifacts,
            "not_removed": trial.left,
        }),
        Err(Unavailable { why, remedy }) => json!({
            "layer": name, "kind": asked.kind, "settings": settings, "available": false,
            "why": why, "remedy": remedy,
        }),
    }
}
