//! What is said of a command before the layers are tried: that it is not there, or that nothing protects files from it.

use super::WantedProgram;
use crate::config::{Asked, ROOT};
use crate::output;
use anyhow::{Result, bail};
use nix::unistd::{AccessFlags, access, geteuid};
use std::path::Path;
use tare_layers::Settings;
use tare_proto::Program;

/// Looks for the commands of `programs` among the files of this host, where the layer `base` sees those.
///
/// # Errors
/// One is missing or cannot be run, and nothing runs before it that could make it.
pub fn present(programs: &[WantedProgram], base: Option<&Asked>) -> Result<()> {
    if base.is_none_or(|base| base.settings.get(ROOT) != Some("host")) {
        return Ok(());
    }
    for WantedProgram { planned, root, .. } in programs {
        let program = &planned.program;
        let is_made = !(program.around.setup.is_empty() && program.around.prepare.is_empty());
        if let Some(why) = lacks(program).filter(|_| root.is_none() && !is_made) {
            bail!("{why}; nothing was measured");
        }
    }
    Ok(())
}

/// What is said where programs run on this host's files and not over them; `None` of any other layer.
pub fn as_they_are(kind: &str, settings: &Settings) -> Option<&'static str> {
    let is_so = kind == "native" && settings.get(ROOT) == Some("host") && !geteuid().is_root();
    is_so.then_some(
        "an ordinary user's command runs natively on this host's files as they are: what it writes stays (as root, or with --root, it \
         vanishes with the boot)",
    )
}

/// Says so before any of `programs` runs.
pub fn say_as_they_are(programs: &[WantedProgram], layers: &[Asked]) {
    let found = layers.iter().find_map(|asked| as_they_are(asked.kind, &asked.settings));
    if let Some(text) = found.filter(|_| !programs.is_empty()) {
        output::note(&format!("Remark: {text}."));
    }
}

fn lacks(program: &Program) -> Option<String> {
    let word = program.command.first()?;
    let own_path = || {
        program.env.iter().any(|(key, value)| {
            key == "PATH" && std::env::var_os("PATH").is_none_or(|own| own != value.as_str())
        })
    };
    if !word.contains('/') {
        return (!own_path()).then(|| tare_layers::program(word).err())?.map(|no| no.why);
    }
    let path = Path::new(&program.folder).join(word);
    match path.is_file() {
        true => access(&path, AccessFlags::X_OK).err().map(|_| format!("{word} is not executable")),
        false => Some(format!("there is no program {word} in {}", program.folder)),
    }
}
