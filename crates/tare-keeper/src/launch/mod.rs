//! How a boot starts: a program for the keeper, or a scripted conversation in this process.

pub mod affinity;
pub(crate) mod image;
pub mod mounts;
pub(crate) mod open_files;
pub(crate) mod pages;
pub mod registers;
pub(crate) mod saving;
pub(crate) mod terminal;
mod version;

use image::Image;
use mounts::Mounts;
use pages::Pages;
use saving::Saving;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{BufRead, Write};
use std::path::PathBuf;

/// How a boot starts.
#[expect(clippy::large_enum_variant, reason = "there is one a boot")]
pub enum Launch {
    /// A program: the probe's line is its standard input and output, the console its standard error.
    Program(Program),
    /// A conversation scripted in this process (the mock layer), and figures that stand for what the host would measure
    /// around a real layer, by the names of their rows.
    Script(Conversation, HashMap<String, f64>),
}

/// The layer's side of a scripted conversation, given the line's two ends.
pub type Conversation = Box<dyn FnOnce(&mut dyn BufRead, &mut dyn Write) + Send>;

/// A program that the keeper starts and ends.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Its path, or a name to look up in `PATH`.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its whole environment.
    pub env: Vec<(String, String)>,
    /// It is denied registers that it cannot keep (see `registers.rs`).
    pub older_registers: bool,
    /// It may have as many files open as this user is allowed (see `open_files.rs`).
    #[serde(default)]
    pub many_files: bool,
    /// Nobody measures its time, as that of a machine that counts instructions: its share of the CPUs is everybody's (see `share.rs`).
    #[serde(default)]
    pub usual_share: bool,
    /// The knobs of this host that it has, by name (see `host/knobs.rs`); [`crate::Keeper::take_knobs`] comes first.
    #[serde(default)]
    pub knobs: Vec<(String, String)>,
    /// Its standard input and output are a terminal (see `terminal.rs`).
    #[serde(default)]
    pub terminal: bool,
    /// How the host keeps its memory.
    #[serde(default)]
    pub pages: Pages,
    /// Which of this host's mounts its processes have.
    #[serde(default)]
    pub mounts: Mounts,
    /// Commands that remove what the layer leaves outside its processes (a container's state); run
    /// when it was started and all of its processes have ended, in order, each ignored if it fails.
    pub cleanup: Vec<Vec<String>>,
    /// Commands that end what the layer has started elsewhere, behind a daemon or on another host; run on every ending, even
    /// when it was not started, after all of its processes here have ended. Each that fails is reported.
    pub stop: Vec<Vec<String>>,
    /// Where the layer's processes are.
    pub processes: ProcessesAre,
    /// How a second process starts in the layer once it runs.
    #[serde(default)]
    pub second: Second,
    /// How it is saved.
    #[serde(default)]
    pub saving: Saving,
    /// Folders outside the boot's folder that the keeper makes at the start and removes at the end.
    pub folders: Vec<PathBuf>,
    /// Files that the keeper copies, from where to where, before all that follows. A program that tare had written itself could be busy
    /// when it is to run: a child that tare starts at that moment, for another boot, holds it open for a while.
    #[serde(default)]
    pub copies: Vec<(PathBuf, PathBuf)>,
    /// What the layer needs beside folders; made before it starts, in order. The first step that fails ends
    /// the boot.
    pub setup: Vec<Step>,
    /// Programs of tare's own that run beside the layer and are no part of it, started before it on the
    /// keeper's CPUs.
    pub helpers: Vec<Helper>,
    /// Disks that the keeper fills before the layer starts, in those folders.
    pub images: Vec<Image>,
    /// What the campaign records of this layer's making: kernels, runtimes.
    pub artifacts: Vec<Artifact>,
}

/// Where a layer's processes are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProcessesAre {
    /// Below the program that the keeper starts.
    #[default]
    Below,
    /// Somewhere else, so that nobody here knows what they use; and why.
    Elsewhere(String),
    /// This command prints their ids.
    Printed(Vec<String>),
    /// In this control group and those below it.
    InGroup(String),
}

/// How a second process starts in a layer that runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Second {
    /// Nobody has said how.
    #[default]
    Unknown,
    /// From inside alone, by the probe: a guest takes no orders from its host.
    ByProbe,
    /// By this command, which ends when that process does.
    Command(Vec<String>),
}

/// A command that makes something, and the one that removes it again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Makes it, and fails if it is there already.
    pub make: Vec<String>,
    /// Removes it; run only after it was made. Empty when it goes with something else.
    pub undo: Vec<String>,
    /// The seconds that making it may take, where that is more than usual.
    pub seconds: Option<u32>,
}

/// A program that runs beside a layer, in the boot's folder. The first line that it prints is `ready`, or says why it is not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Helper {
    /// What it is, in words.
    #[serde(default)]
    pub what: String,
    /// Its path.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its whole environment.
    pub env: Vec<(String, String)>,
}

/// A file that decides what a layer is; recorded with its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// What it is to the layer: `kernel`, `runtime`, `emulator`.
    pub role: String,
    /// Where it is.
    pub path: PathBuf,
    /// The argument that makes it print its version, if it has one.
    pub version_argument: Option<String>,
}

impl Program {
    /// `program` with an environment that holds what host programs expect and nothing else.
    pub fn new(program: impl Into<PathBuf>) -> Program {
        let kept = ["PATH", "HOME", "USER", "XDG_RUNTIME_DIR", "TMPDIR"];
        let env = kept.iter().filter_map(|key| Some((key.to_string(), std::env::var(key).ok()?)));
        Program { program: program.into(), env: env.collect(), ..Program::default() }
    }

    /// Adds one argument.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Program {
        self.args.push(arg.as_ref().to_string_lossy().into_owned());
        self
    }

    /// Adds arguments.
    pub fn args<S: AsRef<OsStr>>(self, args: impl IntoIterator<Item = S>) -> Program {
        args.into_iter().fold(self, Program::arg)
    }

    /// Sets or replaces a variable of the environment.
    pub fn env(mut self, key: &str, value: impl Into<String>) -> Program {
        self.env.retain(|(name, _)| name != key);
        self.env.push((key.to_owned(), value.into()));
        self
    }

    /// Says how a second process starts in the layer.
    pub fn with_second(self, second: Second) -> Program {
        Program { second, ..self }
    }

    /// Records a file that decides what the layer is.
    pub fn made_of(
        mut self,
        role: &str,
        path: impl Into<PathBuf>,
        version: Option<&str>,
    ) -> Program {
        self.record(role, path, version);
        self
    }

    /// The same in place; `version` is the argument that makes the file print its version.
    pub fn record(&mut self, role: &str, path: impl Into<PathBuf>, version: Option<&str>) {
        let version_argument = version.map(str::to_owned);
        let artifact = Artifact { role: role.to_owned(), path: path.into(), version_argument };
        self.artifacts.push(artifact);
    }
}
