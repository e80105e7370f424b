//! What a boot makes on this host beside its processes, and how it is removed. All of it carries the boot's id,
//! which is random: what has that name was made by this boot and by nobody else.

use crate::host::before::Before;
use crate::keeper::id::is_id;
use crate::{Program, keeper::mark, keeper::mounts, keeper::share, programs};
use serde::{Deserialize, Serialize};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use std::{fs, io, thread};
use tare_proto::harmless;

/// Longest time that one command may take that makes or removes something.
pub(crate) const COMMAND: Duration = Duration::from_secs(8);

/// Longest time until killed processes and their control groups are gone.
const DYING: Duration = Duration::from_secs(5);

/// What one boot has made, or is about to make.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Estate {
    pub id: String,
    pub folders: Vec<PathBuf>,
    /// Commands that end what runs elsewhere; first of all, and each that fails is named.
    #[serde(default)]
    pub stop: Vec<Vec<String>>,
    /// Commands that remove what is no folder, in the order of running.
    pub commands: Vec<Vec<String>>,
    /// Their environment.
    pub env: Vec<(String, String)>,
    /// Whether control groups of its name are its own.
    pub cgroups: bool,
    /// Knobs of this host, as they were.
    #[serde(default)]
    pub knobs: Vec<Before>,
}

impl Estate {
    /// A boot that has made nothing yet.
    pub fn new(id: &str) -> Estate {
        Estate { id: id.to_owned(), ..Estate::default() }
    }

    /// Everything that a boot of `program` can make, `folder` being its own.
    pub fn whole(id: &str, folder: &Path, program: &Program) -> Estate {
        let folders = [folder.to_owned()].into_iter().chain(program.folders.iter().cloned());
        let undo = program.setup.iter().rev().map(|step| step.undo.clone());
        let commands = program.cleanup.iter().cloned().chain(undo);
        let needs_env = commands.clone().any(|words| !words.is_empty()) || !program.stop.is_empty();
        Estate {
            id: id.to_owned(),
            folders: folders.collect(),
            commands: commands.filter(|words| !words.is_empty()).collect(),
            stop: program.stop.clone(),
            env: if needs_env { program.env.clone() } else { Vec::new() },
            cgroups: true,
            knobs: Vec::new(),
        }
    }

    /// Makes a folder that is removed with the boot, for this user alone. One that is there already is refused.
    pub fn make_folder(&mut self, folder: &Path) -> io::Result<()> {
        let made = fs::DirBuilder::new().mode(0o700).create(folder);
        made.map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", folder.display())))?;
        self.folders.push(folder.to_owned());
        Ok(())
    }

    /// Takes the control groups of the boot's name for its own, which the keeper or a runtime will make. Those that are there
    /// already are refused.
    pub fn claim_cgroups(&mut self) -> io::Result<()> {
        let found = self.control_groups().into_iter().find(|path| path.exists());
        self.cgroups = found.is_none();
        let refused =
            |path: PathBuf| Err(io::Error::other(format!("{} exists already", path.display())));
        found.map_or(Ok(()), refused)
    }

    /// Ends the boot's processes, whoever their parent is now, and removes all else; names what is left.
    pub fn end_and_clear(&self) -> Vec<String> {
        share::Groups::of(&self.id).thaw();
        let mut living = mark::end_marked(mark::mark(&self.id), DYING);
        living.extend(share::end_members(&self.id, DYING));
        let mut left: Vec<String> =
            living.into_iter().map(|pid| format!("process {pid} does not end")).collect();
        left.extend(self.clear());
        left
    }

    /// Removes what was made, when all processes have ended; names what is left.
    pub fn clear(&self) -> Vec<String> {
        let stopped = self.stop.iter().filter_map(|words| stop(words, &self.env).err());
        let running: Vec<String> =
            stopped.map(|e| format!("what a command was to end ({e})")).collect();
        for words in &self.commands {
            let _ = run(words, &self.env, COMMAND); // nothing to remove is an error for some
        }
        share::leave(&self.id);
        let cgroups = if self.cgroups { self.control_groups() } else { Vec::new() };
        let cgroups = cgroups.into_iter().map(|path| (remove_cgroup(&path), path));
        let folders = self.folders.iter().map(|path| (mounts::remove(path), path.clone()));
        let left = cgroups.chain(folders).filter_map(|(result, path)| Some((result.err()?, path)));
        let left = left.map(|(e, path)| format!("{}: {e}", path.display()));
        let turned = self.knobs.iter().filter_map(|before| before.restore().err());
        let turned = turned.map(|e| format!("the knob {e}"));
        running.into_iter().chain(left).chain(turned).collect()
    }

    /// Whether everything that would be removed carries the boot's id.
    pub fn is_sound(&self) -> bool {
        let own = |name: &str| name.starts_with(&self.id);
        let named =
            |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).is_some_and(own);
        is_id(&self.id) && self.folders.iter().all(named)
    }

    fn control_groups(&self) -> Vec<PathBuf> {
        let names = [self.id.clone(), share::name(&self.id)];
        let of_mount = |mount: PathBuf| names.iter().map(move |name| mount.join(name));
        mounts::of_cgroups().into_iter().flat_map(of_mount).collect()
    }
}

/// How long a command that stops something is tried again after a failure: a container that has just been killed may not be
/// removed before its engine has noticed.
const AGAIN: Duration = Duration::from_secs(3);

/// Most characters of a command in the message of its failure.
const SHOWN: usize = 160;

/// Runs a command that ends something elsewhere.
fn stop(words: &[String], env: &[(String, String)]) -> io::Result<()> {
    let begin = Instant::now();
    loop {
        match run(words, env, COMMAND) {
            Err(_) if begin.elapsed() < AGAIN => thread::sleep(Duration::from_millis(100)),
            done => return done,
        }
    }
}

/// Runs a command that makes or removes something.
pub(crate) fn run(words: &[String], env: &[(String, String)], within: Duration) -> io::Result<()> {
    let Some((name, args)) = words.split_first() else { return Ok(()) };
    let mut command = Command::new(name);
    command.args(args).env_clear().envs(env.iter().cloned());
    let why = |why| {
        io::Error::other(format!("{why}; the command: {}", harmless(&words.join(" "), SHOWN)))
    };
    programs::output(&mut command, within).map(drop).map_err(why)
}

/// Removes a control group and those in it, as soon as the last process in it has died.
fn remove_cgroup(path: &Path) -> io::Result<()> {
    let deadline = Instant::now() + DYING;
    loop {
        match remove_groups(path) {
            Err(e) if e.raw_os_error() == Some(libc::EBUSY) && Instant::now() < deadline => {
                thread::sleep(Duration::from_millis(5));
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            done => return done,
        }
    }
}

/// The kernel's files in a control group go with it.
fn remove_groups(path: &Path) -> io::Result<()> {
    for entry in fs::read_dir(path)?.flatten() {
        if entry.file_type()?.is_dir() {
            remove_groups(&entry.path())?;
        }
    }
    fs::remove_dir(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_stands_before_the_command_which_is_shortened() {
        let long = "x".repeat(600);
        let words = ["sh", "-c", "echo no room >&2; exit 1", &long].map(str::to_owned);
        let env = [("PATH".to_owned(), "/usr/bin:/bin".to_owned())];
        let said = run(&words, &env, COMMAND).expect_err("it fails").to_string();
        assert!(said.starts_with("sh: no room; the command: sh -c echo no room"), "{said}");
        assert!(said.chars().count() < 250, "{said}");
    }
}
