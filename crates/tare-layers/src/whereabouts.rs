//! Where a layer's processes are: below its keeper, or elsewhere, where a command may say which they are.

use crate::keeper::estate::COMMAND;
use crate::keeper::procs;
use crate::{ProcessesAre, Program, programs};
use std::collections::BTreeSet;
use std::process::Command;
use tare_proto::harmless;

/// Where a layer's processes are, as far as that is known.
pub(crate) enum Whereabouts {
    /// Below the keeper.
    Below,
    /// A command will say once the layer is up: the words and their environment.
    Ask(Vec<String>, Vec<(String, String)>),
    /// These, and those below them.
    At(BTreeSet<u32>),
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
        }
    }

    /// Asks the command, if there is one.
    pub(crate) fn find(&mut self) {
        let Whereabouts::Ask(words, env) = self else { return };
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).env_clear().envs(env.iter().cloned());
        let said = programs::output(&mut command, COMMAND);
        *self = match said.and_then(|text| process_ids(&text)) {
            Ok(found) => Whereabouts::At(found),
            Err(why) => Whereabouts::Unknown(format!("pids= does not say where they are: {why}")),
        };
    }
}

/// The process ids that a command has printed; each must live, and the first process of a host is no layer's.
fn process_ids(text: &str) -> Result<BTreeSet<u32>, String> {
    let read = |word: &str| {
        let pid = word.parse().ok().filter(|pid| *pid > 1 && procs::lives(*pid));
        pid.ok_or_else(|| format!("{:?} is no process of this host", harmless(word, 40)))
    };
    let found = text.split_whitespace().map(read).collect::<Result<BTreeSet<u32>, _>>()?;
    if found.is_empty() { Err("it has printed nothing".into()) } else { Ok(found) }
}

#[cfg(test)]
mod tests {
    use super::*;

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
