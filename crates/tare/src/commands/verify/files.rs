//! The files that decide what a simulated campaign measures: those of the record beside those of this host.

use crate::carried::{PLUGIN, PROBE};
use crate::config::Asked;
use anyhow::{Context, Result};
use serde::Serialize;
use std::collections::BTreeMap;
use tare_layers::Host;
use tare_proto::Untrusted;
use tare_run::{Made, made_of};
use tare_store::{Campaign, Counting, StoredArtifact};

/// All of them.
pub(super) struct Files {
    made: BTreeMap<String, Made>,
    /// Each kind of file of the record once, with the layers that have the same.
    pub(super) compared: Vec<Compared>,
}

/// A file of the record beside this host's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Compared {
    /// `kernel`, `emulator`, `initramfs`, `probe`, ...
    pub(super) role: String,
    /// The layers that it is of; none where it is of all.
    pub(super) layers: Vec<String>,
    pub(super) recorded: FileId,
    pub(super) here: FileId,
    pub(super) state: State,
    /// How the record's can be had, where this host has another one.
    pub(super) remedy: Option<String>,
}

/// Which file it is; empty texts where nothing is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(super) struct FileId {
    pub(super) sha256: Untrusted,
    /// What it says of itself.
    pub(super) version: Untrusted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    Same,
    Different,
    /// The record is of a tare that did not keep it.
    NotRecorded,
}

impl Files {
    /// Looks at what `layers` would boot here.
    ///
    /// # Errors
    /// A file that a layer needs is missing.
    pub(super) fn look<'a>(
        recorded: &Campaign,
        layers: impl Iterator<Item = &'a Asked>,
        host: &Host,
    ) -> Result<Files> {
        let of = |asked: &Asked| {
            let made = made_of(&*asked.layer, host);
            Ok((
                asked.name.clone(),
                made.with_context(|| format!("cannot look at {}", asked.name))?,
            ))
        };
        let made: BTreeMap<String, Made> = layers.map(of).collect::<Result<_>>()?;
        let compared = compared(recorded, &made);
        Ok(Files { made, compared })
    }

    pub(super) fn differ(&self) -> bool {
        self.compared.iter().any(|file| file.state == State::Different)
    }

    /// The files of a layer on this host.
    pub(super) fn of_layer(&self, name: &str) -> Vec<StoredArtifact> {
        self.made.get(name).map(|made| made.files.clone()).unwrap_or_default()
    }

    /// What each layer boots with on this host.
    pub(super) fn initramfs(&self) -> BTreeMap<String, String> {
        let of = |(name, made): (&String, &Made)| Some((name.clone(), made.initramfs.clone()?));
        self.made.iter().filter_map(of).collect()
    }
}

fn compared(recorded: &Campaign, made: &BTreeMap<String, Made>) -> Vec<Compared> {
    let plan = &recorded.plan;
    let mut all = vec![compare("probe", &hash(plan.probe_sha256.raw()), &hash(&PROBE.sha256()))];
    if plan.counting != Counting::Off {
        let kept = plan.plugin_sha256.as_ref().map_or("", Untrusted::raw);
        all.push(compare("plugin", &hash(kept), &hash(&PLUGIN.sha256())));
    }
    for row in &recorded.layers {
        let Some(here) = made.get(row.name.raw()) else { continue };
        let mut of_layer = |role: &str, own: FileId, here: FileId| {
            let mut file = compare(role, &own, &here);
            let alike = |known: &&mut Compared| {
                !known.layers.is_empty()
                    && (&known.role, &known.recorded, &known.here) == (&file.role, &own, &here)
            };
            let name = row.name.raw().to_owned();
            match all.iter_mut().find(alike) {
                Some(known) => known.layers.push(name),
                None => {
                    file.layers.push(name);
                    all.push(file);
                }
            }
        };
        for file in &here.files {
            let own = row.artifacts.iter().find(|own| own.role == file.role);
            of_layer(file.role.raw(), own.map(id).unwrap_or_default(), id(file));
        }
        if let Some(here) = &here.initramfs {
            let own = plan.initramfs.get(row.name.raw()).map_or("", String::as_str);
            of_layer("initramfs", hash(own), hash(here));
        }
    }
    for file in all.iter_mut().filter(|file| file.state == State::Different) {
        file.remedy = Some(remedy(file, recorded));
    }
    all
}

fn hash(sha256: &str) -> FileId {
    FileId { sha256: sha256.into(), ..FileId::default() }
}

fn id(file: &StoredArtifact) -> FileId {
    FileId { sha256: file.sha256.clone(), version: file.version.clone() }
}

/// Two builds of one version of QEMU translate alike: only what a guest executes has to be the same to the byte.
fn compare(role: &str, recorded: &FileId, here: &FileId) -> Compared {
    let same_version =
        role == "emulator" && !recorded.version.is_empty() && recorded.version == here.version;
    let state = match () {
        () if recorded.sha256.is_empty() => State::NotRecorded,
        () if recorded.sha256 == here.sha256 || same_version => State::Same,
        () => State::Different,
    };
    Compared {
        role: role.to_owned(),
        layers: Vec::new(),
        recorded: recorded.clone(),
        here: here.clone(),
        state,
        remedy: None,
    }
}

fn remedy(file: &Compared, recorded: &Campaign) -> String {
    let version = file.recorded.version.raw();
    match file.role.as_str() {
        "probe" | "plugin" | "monitor" => {
            let tare = recorded.plan.tare_version.raw();
            format!("tare carries it: use the build of tare {tare} that measured the campaign")
        }
        "emulator" => format!("install {version}, or give its program with --set emulator=FILE"),
        "kernel" => match release(file, recorded) {
            Some((release, build)) => {
                format!("it was {release} ({build}): --set kernel=linux-image-{release}, or --set kernel=FILE")
            }
            None => "give the record's kernel with --set kernel=FILE".into(),
        },
        "initramfs" => "it holds the probe, the kernel's modules and the layer's own packages: install the versions of the record, with \
                        the tare that measured it"
            .into(),
        "xen" | "uml" => format!("give the record's file with --set {}=FILE", file.role),
        "runtime" => format!("give the record's file ({version}) with --set runsc=FILE"),
        _ => "install the version of its package that the record was made with".into(),
    }
}

/// Kinds whose probe runs on another kernel than that of the machine.
const OWN_KERNELS: &[&str] = &["uml", "runsc"];

/// `uname -r` and `-v` of a boot of the record on that kernel.
fn release(file: &Compared, recorded: &Campaign) -> Option<(String, String)> {
    let of_it = |boot: &&tare_store::Boot| {
        let row = &recorded.layers[boot.layer];
        let is_it = |own: &StoredArtifact| {
            own.role == file.role.as_str() && own.sha256 == file.recorded.sha256
        };
        row.artifacts.iter().any(is_it) && !OWN_KERNELS.contains(&row.kind.raw())
    };
    let hello = recorded.boots.iter().filter(of_it).find_map(|boot| boot.hello.as_ref())?;
    Some((hello.kernel.clone(), hello.kernel_version.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tare_proto::Hello;
    use tare_store::{Boot, BootState, LayerRow, Plan, Role};

    fn file(role: &str, sha256: &str, version: &str) -> StoredArtifact {
        let path = "/somewhere".into();
        StoredArtifact { role: role.into(), path, sha256: sha256.into(), version: version.into() }
    }

    /// `xen` and `native`, both of the same kernel and QEMU, and what each booted with.
    fn record() -> Campaign {
        let files = vec![file("emulator", "q1", "QEMU 7.2.22"), file("kernel", "k1", "")];
        let layer = |name: &str| LayerRow {
            name: name.into(),
            kind: name.into(),
            artifacts: files.clone(),
            ..LayerRow::default()
        };
        let hello = Hello {
            kernel: "6.1.0-56-amd64".into(),
            kernel_version: "#1 SMP Debian 6.1.192-2".into(),
            ..Hello::default()
        };
        let boot = Boot {
            id: 1,
            block: 0,
            slot: 0,
            layer: 1,
            role: Role::Weigh,
            attempt: 1,
            state: BootState::Done,
            started: String::new().into(),
            seconds: None,
            hello: Some(hello),
            failure: None,
            console: None,
        };
        let initramfs = ["native", "xen-pv"].map(|name| (name.to_owned(), "i1".to_owned()));
        let plan = Plan {
            probe_sha256: PROBE.sha256().into(),
            initramfs: initramfs.into(),
            counting: Counting::Counts,
            ..Plan::default()
        };
        Campaign {
            plan,
            state: "finished".into(),
            open_blocks: Vec::new(),
            layers: vec![layer("native"), layer("xen-pv")],
            benchmarks: Vec::new(),
            boots: vec![boot],
            series: Vec::new(),
            whole_series: Vec::new(),
            warnings: Vec::new(),
        }
    }

    fn made(kernel: &str, emulator: StoredArtifact) -> BTreeMap<String, Made> {
        let files = vec![emulator, file("kernel", kernel, "")];
        let made = Made { files, initramfs: Some("i1".into()) };
        ["native", "xen-pv"].map(|name| (name.to_owned(), made.clone())).into()
    }

    fn states(found: &[Compared]) -> Vec<(&str, usize, State)> {
        found.iter().map(|file| (file.role.as_str(), file.layers.len(), file.state)).collect()
    }

    #[test]
    fn another_kernel_is_named_once_with_the_package_that_it_was_of() {
        let found = compared(&record(), &made("k2", file("emulator", "q2", "QEMU 7.2.22")));
        let expected = [
            ("probe", 0, State::Same),
            ("plugin", 0, State::NotRecorded),
            ("emulator", 2, State::Same),
            ("kernel", 2, State::Different),
            ("initramfs", 2, State::Same),
        ];
        assert_eq!(states(&found), expected);
        let remedy = found[3].remedy.as_deref().expect("a remedy");
        assert!(remedy.contains("--set kernel=linux-image-6.1.0-56-amd64"), "{remedy}");
        assert!(remedy.contains("Debian 6.1.192-2"), "{remedy}");
    }

    #[test]
    fn another_version_of_qemu_and_what_an_earlier_tare_did_not_keep_are_told_apart() {
        let mut record = record();
        record.plan.initramfs.clear();
        let found = compared(&record, &made("k1", file("emulator", "q2", "QEMU 9.2.0")));
        assert_eq!(
            states(&found)[2..],
            [
                ("emulator", 2, State::Different),
                ("kernel", 2, State::Same),
                ("initramfs", 2, State::NotRecorded),
            ]
        );
        let remedy = found[2].remedy.as_deref().expect("a remedy");
        assert!(remedy.contains("install QEMU 7.2.22"), "{remedy}");
    }
}
