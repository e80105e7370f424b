//! Remembers layers that did not boot on this host, so that only the first campaign waits for their deadline, and layers of
//! the simulated machine that did, since their boots repeat. The outcome is kept in the cache under a hash of everything that
//! may change it. On the real machine, a layer that boots is tried every time.

use super::made::look;
use super::one::{Candidate, Trials};
use crate::record::found::Trial;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::cell::OnceCell;
use std::env;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use tare_layers::{Host, Unavailable};
use tare_proto::Machine;

/// The folder in the cache.
const FOLDER: &str = "trials";

/// What decides on the host whether a guest boots, besides the files that make the layer.
const HOST_FILES: &[&str] = &[
    "/proc/sys/kernel/osrelease",
    "/proc/sys/kernel/version",
    "/proc/sys/kernel/hostname",
    "/etc/machine-id",
    "/sys/module/kvm_intel/parameters/nested",
    "/sys/module/kvm_amd/parameters/nested",
];

/// Devices and modules whose mere presence matters.
const HOST_PATHS: &[&str] = &[
    "/dev/kvm",
    "/sys/module/kvm",
    "/sys/module/kvm_intel",
    "/sys/module/kvm_amd",
    "/sys/module/kvm_pvm",
];

/// What came of a trial.
#[derive(Serialize, Deserialize)]
struct Remembered {
    /// UTC, ISO 8601.
    since: String,
    outcome: Outcome,
}

#[derive(Serialize, Deserialize)]
enum Outcome {
    Failed { why: String, remedy: String },
    Booted(Box<Trial>),
}

/// What is remembered of a layer.
pub(crate) struct Memory<'a> {
    candidate: &'a Candidate<'a>,
    trials: &'a Trials<'a>,
    /// [`identity`], which costs what beginning a boot costs.
    identity: OnceCell<Option<String>>,
}

impl<'a> Memory<'a> {
    pub(crate) fn of(candidate: &'a Candidate, trials: &'a Trials) -> Memory<'a> {
        Memory { candidate, trials, identity: OnceCell::new() }
    }

    /// What came of it, as long as nothing has changed that matters.
    pub(crate) fn recall(&self) -> Option<Result<Trial, Unavailable>> {
        let Candidate { kind, machine, .. } = self.candidate;
        // What the layer is made of is looked at only where something is remembered of its kind.
        files_of(self.trials.host, kind).next()?;
        let text = fs::read_to_string(self.place()?).ok()?;
        let Remembered { since, outcome } = serde_json::from_str(&text).ok()?;
        let (why, remedy) = match outcome {
            Outcome::Booted(trial) => return (!self.trials.anew).then_some(Ok(*trial)),
            Outcome::Failed { why, remedy } => (why, remedy),
        };
        let on = if *machine == Machine::Sim { "--machine sim " } else { "" };
        Some(Err(Unavailable::new(
            format!("{why} (tried {since}, remembered)"),
            format!("{remedy}; to try it again: tare doctor --again {on}{kind}"),
        )))
    }

    /// Remembers what `came` of trying it. Failing to costs time, nothing else.
    pub(crate) fn keep(&self, came: Result<&Trial, &Unavailable>) {
        let Some(place) = self.place() else { return };
        let outcome = match came {
            Ok(trial) => Outcome::Booted(Box::new(trial.clone())),
            Err(Unavailable { why, remedy, .. }) => {
                Outcome::Failed { why: why.clone(), remedy: remedy.clone() }
            }
        };
        let _ = write(&place, &Remembered { since: crate::host::machine::now(), outcome });
    }

    /// Its file, whether it is there or not.
    fn place(&self) -> Option<PathBuf> {
        let identity = self.identity.get_or_init(|| identity(self.candidate, self.trials).ok());
        let name = format!("{}@{}.json", self.candidate.kind, identity.as_ref()?);
        Some(self.trials.host.cache.join(FOLDER).join(name))
    }
}

/// Forgets what is remembered of layers of `kind`.
pub fn forget(host: &Host, kind: &str) {
    files_of(host, kind).for_each(|path| drop(fs::remove_file(path)));
}

fn write(path: &Path, remembered: &Remembered) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(serde_json::to_string(remembered)?.as_bytes())?;
    file.persist(path)?;
    Ok(())
}

fn files_of(host: &Host, kind: &str) -> impl Iterator<Item = PathBuf> {
    let begin = format!("{kind}@");
    let entries = fs::read_dir(host.cache.join(FOLDER)).into_iter().flatten().flatten();
    let of_kind =
        move |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(&begin);
    entries.filter(of_kind).map(|entry| entry.path())
}

/// A hash of everything that may change how `candidate` boots: this tare with what it carries, the kernel and the CPU,
/// KVM, the layer's settings, and the files that they name and that a boot would use.
///
/// # Errors
/// It cannot be said what a boot would use: a file is missing, or the layer has to be prepared first.
pub fn identity(candidate: &Candidate, trials: &Trials) -> io::Result<String> {
    let Trials { host, keeper, within, .. } = trials;
    let settings = candidate.settings.to_string();
    let mut facts = vec![candidate.machine.to_string(), settings, format!("{within:?}"), of_cpu()];
    facts.push(fs::metadata("/proc/self")?.uid().to_string());
    facts.extend(HOST_FILES.iter().map(|file| fs::read_to_string(file).unwrap_or_default()));
    facts.extend(HOST_PATHS.iter().map(|path| Path::new(path).exists().to_string()));
    // The plugin is not among them: nothing is counted in a trial.
    let own = [Some(keeper.program.clone()), Some(host.probe.clone()), host.vmm.clone()];
    facts.extend(own.into_iter().flatten().map(|path| of_file(&path)));
    let values = candidate.settings.iter().map(|(_, value)| value);
    let words = values.flat_map(|value| value.split_whitespace().chain([value]));
    facts.extend(words.map(Path::new).filter(|path| path.is_file()).map(of_file));
    facts.extend(of_boot(candidate, host)?);
    let mut hash = Sha256::new();
    for fact in facts {
        hash.update((fact.len() as u64).to_le_bytes());
        hash.update(fact);
    }
    Ok(format!("{:.32x}", hash.finalize()))
}

/// What a boot would start, and with which files; none is started.
fn of_boot(candidate: &Candidate, host: &Host) -> io::Result<Vec<String>> {
    let folder = tempfile::tempdir()?;
    let Some(program) = look(candidate.layer, host, folder.path())? else { return Ok(Vec::new()) };
    let named = program.args.iter().map(Path::new);
    let outside = |path: &&Path| path.is_absolute() && !path.starts_with(folder.path());
    let mut facts = vec![of_file(&in_path(&program.program))];
    facts.extend(named.filter(outside).map(of_file));
    facts.extend(program.artifacts.iter().map(|artifact| of_file(&artifact.path)));
    facts.extend(program.env.iter().map(|(key, value)| format!("{key}={value}")));
    Ok(facts)
}

/// A program as it is found: by its path, or its name in `PATH`.
fn in_path(program: &Path) -> PathBuf {
    let folders = env::var_os("PATH").unwrap_or_default();
    let mut found = env::split_paths(&folders).map(|folder| folder.join(program));
    let by_name = program.components().count() == 1 && !program.is_absolute();
    found.find(|path| by_name && path.is_file()).unwrap_or_else(|| program.to_owned())
}

/// Which file it is, without reading it.
fn of_file(path: &Path) -> String {
    let found = path.metadata().map(|m| (m.dev(), m.ino(), m.size(), m.mtime(), m.mtime_nsec()));
    format!("{} {:?}", path.display(), found.ok())
}

/// The CPU's model and what it can do.
fn of_cpu() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let of =
        |key: &str| text.lines().find(|line| line.starts_with(key)).unwrap_or_default().to_owned();
    ["model name", "flags", "Features"].map(of).concat()
}
