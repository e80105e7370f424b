//! Where a layer's processes are: below its keeper, or elsewhere, where a command or a control group may say which they are.

use crate::keeper::estate::COMMAND;
use crate::keeper::mounts;
use crate::processes::{self, Processes, processes_in};
use crate::{ProcessesAre, Program, programs};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use tare_proto::harmless;

/// Where a layer's processes are, as far as that is known.
#[derive(Clone)]
pub(crate) enum Whereabouts {
    /// Below the keeper.
    Below,
    /// A command will say once the layer is up: the words and their environment.
    Ask(Vec<String>, Vec<(String, String)>),
    /// A control group of this name will hold them once the layer is up.
    Expect(String),
    /// These, and those below them.
    At(BTreeSet<u32>),
    /// Those in the control group that is this folder, and in those below it.
    In(PathBuf),
    /// Nobody knows, and why.
    Unknown(String),
}

impl Whereabouts {
    /// Of what `program` starts.
    pub(crate) fn of(program: &Program) -> Whereabouts {
        match &program.processes {
            ProcessesAre::Below => Whereabouts::Below,
            ProcessesAre::Elsewhere(why) => Whereabouts::Unknown(why.clone()),
            ProcessesAre::Printed(words) => Whereabouts::Ask(words.clone(), program.env.clone()),
            ProcessesAre::InGroup(name) => Whereabouts::Expect(name.clone()),
        }
    }

    /// The processes, where they are known; `below` the keeper are these.
    pub(crate) fn processes(
        &self,
        below: impl FnOnce(&Processes) -> BTreeSet<u32>,
        now: &Processes,
    ) -> Option<BTreeSet<u32>> {
        match self {
            Whereabouts::Below => Some(below(now)),
            Whereabouts::At(roots) => {
                let below = roots.iter().flat_map(|pid| now.descendants(*pid));
                Some(below.chain(roots.iter().copied()).collect())
            }
            Whereabouts::In(group) => Some(processes_in(group)),
            Whereabouts::Ask(..) | Whereabouts::Expect(_) | Whereabouts::Unknown(_) => None,
        }
    }

    /// Asks the command or looks for the control group, if there is one.
    pub(crate) fn find(&mut self) {
        let found = match self {
            Whereabouts::Ask(words, env) => {
                let mut command = Command::new(&words[0]);
                command.args(&words[1..]).env_clear().envs(env.iter().cloned());
                let said = programs::output(&mut command, COMMAND).map_err(|e| e.to_string());
                said.and_then(|text| process_ids(&text))
                    .map(Whereabouts::At)
                    .map_err(|why| format!("pids= does not say where they are: {why}"))
            }
            Whereabouts::Expect(name) => {
                group(name, &mounts::of_cgroups()).map(Whereabouts::In).map_err(|why| {
                    format!("cgroup={} does not say where they are: {why}", harmless(name, 200))
                })
            }
            _ => return,
        };
        *self = found.unwrap_or_else(Whereabouts::Unknown);
    }
}

/// The folder of the control group `name`, which is one's path or, as `/proc/PID/cgroup` has it, the part of it below its
/// hierarchy. It must hold processes, and neither this one nor, as the root of a hierarchy does, everybody's.
fn group(name: &str, hierarchies: &[PathBuf]) -> Result<PathBuf, String> {
    let path = Path::new(name);
    if path.components().any(|part| part == Component::ParentDir) {
        return Err("a path without '..' is wanted".into());
    }
    let below = |root: &PathBuf| match path.strip_prefix(root) {
        Ok(_) => path.to_owned(),
        Err(_) => root.join(name.trim_start_matches('/')),
    };
    if hierarchies.iter().any(|root| below(root) == *root) {
        return Err("that is every process of this host".into());
    }
    let folders = hierarchies.iter().map(below).map(|folder| (processes_in(&folder), folder));
    let found = folders.max_by_key(|(pids, _)| pids.len()).filter(|(pids, _)| !pids.is_empty());
    match found {
        None => Err("there is no such control group with a process".into()),
        Some((pids, _)) if pids.contains(&std::process::id()) => Err("tare itself is in it".into()),
        Some((_, folder)) => Ok(folder),
    }
}

/// The process ids that a command has printed; each must live, and the first process of a host is no layer's.
fn process_ids(text: &str) -> Result<BTreeSet<u32>, String> {
    let read = |word: &str| {
        let pid = word.parse().ok().filter(|pid| *pid > 1 && processes::lives(*pid));
        pid.ok_or_else(|| format!("{:?} is no process of this host", harmless(word, 40)))
    };
    let found = text.split_whitespace().map(read).collect::<Result<BTreeSet<u32>, _>>()?;
    if found.is_empty() { Err("it has printed nothing".into()) } else { Ok(found) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A hierarchy made of plain files.
    #[test]
    fn a_control_group_is_found_by_its_path_and_holds_what_is_below_it() {
        let mounted = tempfile::tempdir().unwrap();
        let [first, second] = ["cpu", "memory"].map(|name| mounted.path().join(name));
        let make = |path: &str, pids: &str| {
            let folder = mounted.path().join(path);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("cgroup.procs"), pids).unwrap();
        };
        make("cpu/box", "");
        make("memory/box", "7\n");
        make("memory/box/inner", "9\n0\n");
        make("memory/empty", "");
        make("memory/own", &format!("{}\n", std::process::id()));
        let roots = [first, second.clone()];
        for name in ["box", "/box", &second.join("box").display().to_string()] {
            assert_eq!(group(name, &roots), Ok(second.join("box")), "{name}");
        }
        assert_eq!(processes_in(&second.join("box")), BTreeSet::from([7, 9]));
        for (name, part) in [
            ("", "every process"),
            ("/", "every process"),
            (&*second.display().to_string(), "every process"),
            ("empty", "no such"),
            ("nothing", "no such"),
            ("box/../own", "'..'"),
            ("own", "tare itself"),
        ] {
            let why = group(name, &roots).unwrap_err();
            assert!(why.contains(part), "{name}: {why}");
        }
    }

    #[test]
    fn what_is_printed_must_be_processes() {
        let own = std::process::id();
        assert_eq!(process_ids(&format!("{own}\n")), Ok(BTreeSet::from([own])));
        for (text, part) in
            [("", "nothing"), ("0", "\"0\""), ("1", "\"1\""), ("4194999", "no process")]
        {
            let why = process_ids(text).unwrap_err();
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}
