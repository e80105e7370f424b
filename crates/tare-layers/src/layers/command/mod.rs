//! `command`: a layer that is words. Whatever carries the probe's line on its standard input and output can be one; podman,
//! bubblewrap and the others in `presets.rs` are nothing else.

mod recipe;
mod steward;
mod values;
mod words;

use crate::settings::suggestion;
use crate::{
    BootSpec, Host, Keeper, Launch, Layer, LayerKind, ProcessesAre, Program, Saved, Saving,
    Session, SessionError, SettingError, Settings, Unavailable, Unnamed, artifacts::kernel,
};
use nix::unistd::geteuid;
pub(crate) use recipe::SETTINGS;
use recipe::complete;
pub use recipe::{Recipe, Tested};
use std::io;
use std::process::Command as Process;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tare_keeper::programs;
use tare_proto::Machine;
use values::Values;
use words::{Words, behind_env};

pub const KIND: LayerKind = LayerKind {
    name: "command",
    about: "any program that carries the probe's line (docs/layers.md): start='mysandbox {probe} serve'",
    machine: Some(Machine::Real),
    settings: SETTINGS,
    defaults: &[],
    unnamed: Unnamed::Ignored,
    words: Some(&Recipe { complete, ..Recipe::TESTED }),
    make,
};

/// Words that run in each boot, and those that run once for all of a campaign.
const OF_BOOTS: &[&str] = &["start", "stop", "save", "restore", "pids", "cgroup"];

/// Words that are no program's: one path.
const PATH: &str = "cgroup";
const OF_CAMPAIGN: &[&str] = &["check", "prepare", "push", "finish"];

/// Variables of the environment that programs need which reach something, beside those of every layer.
const ENVIRONMENT: &[&str] = &[
    "LOGNAME",
    "SSH_AUTH_SOCK",
    "DOCKER_HOST",
    "DOCKER_CONTEXT",
    "DOCKER_CONFIG",
    "CONTAINER_HOST",
    "KUBECONFIG",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "DBUS_SESSION_BUS_ADDRESS",
];

/// Longest time for a `check`.
const CHECK: Duration = Duration::from_secs(10);

pub(crate) struct Command {
    settings: Settings,
    recipe: &'static Recipe,
    start: Words,
    stop: Option<Words>,
    save: Option<Words>,
    restore: Option<Words>,
    pids: Option<Words>,
    cgroup: Option<Words>,
    check: Option<Words>,
    prepare: Option<Words>,
    push: Option<Words>,
    finish: Option<Words>,
    /// What the boots of this campaign share is called.
    campaign: String,
    prepared: Mutex<Option<Session>>,
}

/// Makes a layer from words; what is known of its kind stands in the table of kinds.
pub(crate) fn make(settings: &Settings) -> Result<Box<dyn Layer>, SettingError> {
    let kind = settings.get("kind").unwrap_or(KIND.name);
    let row = super::KINDS.iter().find(|row| row.name == kind);
    let recipe = row.and_then(|row| row.words).unwrap_or(&Recipe::TESTED);
    Ok(Box::new(Command::new(settings, recipe)?))
}

impl Command {
    fn new(settings: &Settings, recipe: &'static Recipe) -> Result<Command, SettingError> {
        if let Some((key, what)) = recipe.needs.iter().find(|(key, _)| settings.get(key).is_none())
        {
            return Err(SettingError(format!("it lacks {key}=: {what}")));
        }
        for (key, path) in recipe.absolute.iter().filter_map(|key| Some((key, settings.get(key)?)))
        {
            if !path.starts_with('/') || path.contains(char::is_control) {
                let what = "it must be an absolute path of the other machine, such as /home/me/tmp";
                return Err(SettingError(format!("{key}={path:?}: {what}")));
            }
        }
        settings.one_of("processes", &["below", "elsewhere"])?;
        settings.one_of("sh", &["true", "false"])?;
        settings.one_of("tty", &["true", "false"])?;
        if settings.get("pids").and(settings.get("cgroup")).is_some() {
            return Err(SettingError("pids= and cgroup= say the same: give one of them".into()));
        }
        settings.number("vcpus", 1, 1, 1024)?;
        settings.mebibytes("memory", 512)?;
        let shell = settings.get("sh") == Some("true");
        let read = |key: &str| Words::read(settings, key, shell);
        let Some(start) = read("start")? else {
            return Err(SettingError(
                "it has no words: say how it starts, such as start='mysandbox {probe} serve'"
                    .into(),
            ));
        };
        let layer = Command {
            settings: settings.clone(),
            recipe,
            start,
            stop: read("stop")?,
            save: read("save")?,
            restore: read("restore")?,
            pids: read("pids")?,
            cgroup: Words::read(settings, PATH, false)?,
            check: read("check")?,
            prepare: read("prepare")?,
            push: read("push")?,
            finish: read("finish")?,
            campaign: crate::fresh_id(),
            prepared: Mutex::new(None),
        };
        layer.check_words()?;
        Ok(layer)
    }

    fn words(&self) -> impl Iterator<Item = (&'static str, &Words)> {
        let Command { start, stop, save, restore, pids, cgroup, .. } = self;
        let Command { check, prepare, push, finish, .. } = self;
        let boots = [stop, save, restore, pids, cgroup].map(Option::as_ref);
        let boots = [Some(start)].into_iter().chain(boots);
        let campaign = [check, prepare, push, finish].map(Option::as_ref);
        let boots = OF_BOOTS.iter().copied().zip(boots);
        let all = boots.chain(OF_CAMPAIGN.iter().copied().zip(campaign));
        all.filter_map(|(key, words)| Some((key, words?)))
    }

    /// Placeholders and settings must belong to each other, and the probe must come with some words.
    fn check_words(&self) -> Result<(), SettingError> {
        let known: Vec<&str> = SETTINGS.iter().map(|setting| setting.key).collect();
        let own = self.settings.iter().map(|(key, _)| key);
        let own: Vec<&str> = own.filter(|key| !["name", "kind"].contains(key)).collect();
        let own: Vec<&str> = own.into_iter().filter(|key| !known.contains(key)).collect();
        for (key, words) in self.words() {
            words.check(key, &own, OF_BOOTS.contains(&key))?;
        }
        let used: Vec<&str> = self.words().flat_map(|(_, words)| words.places()).collect();
        if let Some(idle) =
            own.iter().find(|key| !used.contains(key) && !words::LISTS.contains(key))
        {
            return Err(SettingError(format!(
                "no setting '{idle}'; {} (a setting of your own must be used in the words: {{{idle}}})",
                suggestion(idle, &known)
            )));
        }
        if !self.words().any(|(_, words)| words.bring_the_probe()) {
            return Err(SettingError(format!(
                "start={} does not bring the probe: put {{probe}} (its file on this host) or {{root}} (a root folder that has \
                 it at /tare-probe) where your program takes what it is to run, or copy it there with push=",
                self.settings.get("start").unwrap_or_default()
            )));
        }
        Ok(())
    }

    /// A program with these words, as it is found on this host.
    fn program(&self, words: &[String]) -> Result<Program, Unavailable> {
        let (name, args) = words.split_first().map_or(("", &[][..]), |(a, b)| (a.as_str(), b));
        let mut program = Program::new(programs::find(name)?).args(args);
        for key in ENVIRONMENT {
            if let Ok(value) = std::env::var(key) {
                program = program.env(key, value);
            }
        }
        Ok(program)
    }

    fn processes(&self, values: &mut Values) -> io::Result<ProcessesAre> {
        if let Some(words) = &self.pids {
            return Ok(ProcessesAre::Printed(words.fill(|name| values.value(name))?));
        }
        if let Some(path) = &self.cgroup {
            return Ok(ProcessesAre::InGroup(path.fill(|name| values.value(name))?.concat()));
        }
        Ok(match self.settings.get("processes") {
            Some("elsewhere") => ProcessesAre::Elsewhere(ELSEWHERE.into()),
            _ => ProcessesAre::Below,
        })
    }

    /// Whether the host has the programs, the rights and the kernel that the words need.
    fn look(&self, host: &Host) -> Result<(), Unavailable> {
        let name = self.settings.get("kind").unwrap_or(KIND.name);
        if self.recipe.root && !geteuid().is_root() {
            let why = format!("{name} can be started only by root");
            return Err(Unavailable::new(why, "run tare as root, or weigh bwrap instead"));
        }
        let needed = self.words().filter(|(key, _)| !["check", PATH].contains(key));
        needed
            .filter_map(|(_, words)| words.program())
            .try_for_each(|it| programs::find(it).map(drop))?;
        if self.start.places().any(|place| ["kernel", "vmlinux"].contains(&place)) {
            kernel::find(self.settings.get("kernel"), host)?;
        }
        Ok(())
    }

    /// What to do about a text that tells.
    fn known(&self, text: &str) -> Option<&'static str> {
        let known = self.recipe.remedies.iter().find(|(part, _)| text.contains(part));
        known.map(|(_, remedy)| *remedy)
    }
}

/// Why CPU time and memory are not known of what a client has started.
const ELSEWHERE: &str =
    "the layer's processes are behind a daemon or on another host, where tare does not look";

/// What to do about words that know no images.
const WORDS_OF_IMAGES: &str = "give it save= and restore= (docs/sandbox.md)";

/// What to do about words that end and say nothing.
const ENDED: &str = "its words ended before the probe spoke: they must run it ({probe} serve, or /tare-probe serve in {root}), hand it their \
     standard input and output, and stay until it ends, so start nothing in the background; try them in a shell";

impl Layer for Command {
    fn check(&self, host: &Host) -> Result<(), Unavailable> {
        self.look(host)?;
        let Some(words) = &self.check else { return Ok(()) };
        let other = |e: &dyn std::fmt::Display| {
            Unavailable::new(format!("check= says: {e}"), "see to what it says, or change check=")
        };
        let words =
            words.fill(|name| values::everywhere(self, host, name)).map_err(|e| other(&e))?;
        let Program { program, args, env, .. } = self.program(&words)?;
        let mut command = Process::new(program);
        command.args(args).env_clear().envs(env);
        programs::output(&mut command, CHECK).map(drop).map_err(|error| {
            let said = error.to_string();
            let remedy = self.known(&said);
            remedy.map_or_else(|| other(&said), |remedy| Unavailable::new(said.clone(), remedy))
        })
    }

    fn prepare(&self, host: &Host, keeper: &Keeper) -> Result<(), SessionError> {
        let mut prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if prepared.is_none() && (self.prepare.is_some() || self.push.is_some()) {
            *prepared = Some(steward::start(self, host, keeper)?);
        }
        Ok(())
    }

    /// What words reach is not this host alone.
    fn failures_last(&self) -> bool {
        false
    }

    fn snapshot(&self, _host: &Host) -> Result<(), Unavailable> {
        match self.save.as_ref().and(self.restore.as_ref()) {
            Some(_) => Ok(()),
            None => Err(Unavailable::new("its words do not say how it is saved", WORDS_OF_IMAGES)),
        }
    }

    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        let mut values = Values::new(self, host, boot);
        let restored = self.restore.as_ref().filter(|_| matches!(boot.saved, Saved::From(_)));
        let words = restored.unwrap_or(&self.start).fill(|name| values.value(name))?;
        let mut filled = |words: &Option<Words>| {
            words.as_ref().map(|words| words.fill(|name| values.value(name))).transpose()
        };
        let stop = filled(&self.stop)?;
        let saving = match boot.saved {
            Saved::Into(_) => filled(&self.save)?.map_or(Saving::Unknown, Saving::Command),
            _ => Saving::Unknown,
        };
        let processes = self.processes(&mut values)?;
        let runtime = self.program(behind_env(&words))?.program;
        let Program { program, args, env, .. } = self.program(&words)?;
        let stop = stop.into_iter().collect();
        let terminal = self.settings.get("tty") == Some("true");
        let whole =
            Program { program, args, env, stop, saving, processes, terminal, ..values.program };
        Ok(Launch::Program(whole.made_of("runtime", runtime, self.recipe.version)))
    }

    fn explain(&self, error: &SessionError, console: &str) -> Unavailable {
        let usual = crate::explain(error, console);
        let silent = matches!(error, SessionError::Ended(_)) && console.trim().is_empty();
        let usual = if silent { Unavailable::new(usual.why, ENDED) } else { usual };
        let remedy = self.known(console).or_else(|| self.known(&error.to_string()));
        remedy.map_or(usual.clone(), |remedy| Unavailable::new(usual.why, remedy))
    }
}
