//! `runsc` of the simulated machine: gVisor's sandbox on the kernel of the bare machine.

use super::inside::{Files, Inside};
use super::machine::Simulated;
use super::{APPEND, CPU, EMULATOR, KERNEL, MEMORY, root};
use crate::layers::oci::PLATFORM;
use crate::{
    BootSpec, Host, Launch, Layer, LayerKind, Setting, SettingError, Settings, Unavailable,
    Unnamed, artifacts::bundle,
};
use std::io;
use std::path::{Path, PathBuf};
use tare_keeper::programs;
use tare_proto::{Inner, Machine};

pub const KIND: LayerKind = LayerKind {
    name: "runsc",
    about: "a sandbox of gVisor on the same kernel",
    machine: Some(Machine::Sim),
    settings: &[KERNEL, APPEND, MEMORY, root::SETTING, RUNSC, PLATFORM, RUNSC_ARGS, CPU, EMULATOR],
    defaults: &[],
    unnamed: Unnamed::Weighed,
    words: None,
    make,
};

const RUNSC: Setting =
    Setting { key: "runsc", about: "gVisor's static program (default: of the package runsc)" };
const RUNSC_ARGS: Setting = Setting { key: "runsc_args", about: "more global arguments of runsc" };

const PACKAGE: Files<'static> = Files { package: "runsc", members: &["./usr/bin/runsc"] };

/// Memory that the machine has beside what the layer is given, in MiB: for its program, which is in the root folder.
const BESIDE: u64 = 256;

const PROGRAM: &str = "/usr/bin/runsc";
const BUNDLE: &str = "/bundle";

struct Runsc {
    machine: Simulated,
    program: Option<String>,
    flags: Vec<String>,
}

fn make(settings: &Settings) -> Result<Box<dyn Layer>, SettingError> {
    let machine = Simulated::new(settings, "qemu64")?;
    let program = settings.get("runsc").map(str::to_owned);
    let platform = settings.get("platform").map(|platform| format!("--platform={platform}"));
    let usual = ["--ignore-cgroups", "--network=none", "--root=/run"].map(str::to_owned);
    let flags = usual.into_iter().chain(platform).chain(settings.words("runsc_args")).collect();
    Ok(Box::new(Runsc { machine, program, flags }))
}

impl Runsc {
    fn program(&self, host: &Host) -> Result<PathBuf, Unavailable> {
        match &self.program {
            Some(given) => programs::find(given),
            None => Ok(PACKAGE.tree(host)?.join(PROGRAM.trim_start_matches('/'))),
        }
    }
}

impl Layer for Runsc {
    fn check(&self, host: &Host) -> Result<(), Unavailable> {
        self.machine.check(host)?;
        self.program(host).map(drop)
    }

    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        let program = self.program(host)?;
        let command = [PROGRAM].map(str::to_owned).into_iter().chain(self.flags.iter().cloned());
        let run = ["run", "--bundle", BUNDLE, "tare"].map(str::to_owned);
        let inner = Inner { program: command.chain(run).collect(), ..Inner::default() };
        let root = self.machine.root.as_ref().map(|_| Path::new(root::PLACE));
        let programs = root.map(|root| (root, Path::new(BUNDLE)));
        let machine = &self.machine;
        let script = machine.script(host, boot);
        let files = vec![
            (PROGRAM, program.clone()),
            (BUNDLE, bundle::write_scripted(host, boot, programs, &script)?),
        ];
        let root = self.machine.root.as_ref();
        let inside = Inside { machine, modules: &[], packages: &[], files, inner, root };
        let machine = inside.program(host, boot, self.machine.memory + BESIDE)?;
        Ok(Launch::Program(machine.made_of("runtime", program, Some("--version"))))
    }

    fn scripted(&self) -> bool {
        true
    }
}
