//! `uml` of the simulated machine: User-Mode Linux as a program of the kernel on the bare machine.

use super::inside::{C_LIBRARY, Files, Inside};
use super::machine::Simulated;
use super::root::Tree;
use super::{APPEND, CPU, EMULATOR, KERNEL, MEMORY, root};
use crate::layers::uml::arguments;
use crate::{
    BootSpec, Host, Launch, Layer, LayerKind, Setting, SettingError, Settings, Unavailable, Unnamed,
};
use std::io;
use std::path::PathBuf;
use tare_keeper::programs;
use tare_proto::{Inner, Machine};

pub const KIND: LayerKind = LayerKind {
    name: "uml",
    about: "User-Mode Linux on the same kernel",
    machine: Some(Machine::Sim),
    settings: &[KERNEL, APPEND, MEMORY, root::SETTING, UML, UML_ARGS, CPU, EMULATOR],
    defaults: &[],
    unnamed: Unnamed::Weighed,
    words: None,
    make,
};

const UML: Setting = Setting {
    key: "uml",
    about: "User-Mode Linux's kernel, a program (default: of the package user-mode-linux)",
};
const UML_ARGS: Setting = Setting { key: "uml_args", about: "more arguments of that kernel" };

const PACKAGE: Files<'static> =
    Files { package: "user-mode-linux", members: &["./usr/bin/linux.uml"] };

/// Memory that the machine has beside twice User-Mode Linux's own, in MiB: that is a file in a tmpfs, and those take half.
const BESIDE: u64 = 256;

const PROGRAM: &str = "/usr/bin/linux.uml";
const INITRAMFS: &str = "/initramfs";

struct Uml {
    machine: Simulated,
    kernel: Option<String>,
    args: Vec<String>,
}

fn make(settings: &Settings) -> Result<Box<dyn Layer>, SettingError> {
    let machine = Simulated::new(settings, "qemu64")?;
    let kernel = settings.get("uml").map(str::to_owned);
    Ok(Box::new(Uml { machine, kernel, args: settings.words("uml_args") }))
}

impl Uml {
    /// The program that is User-Mode Linux's kernel.
    fn kernel(&self, host: &Host) -> Result<PathBuf, Unavailable> {
        match &self.kernel {
            Some(given) => programs::find(given),
            None => Ok(PACKAGE.tree(host)?.join(PROGRAM.trim_start_matches('/'))),
        }
    }
}

impl Layer for Uml {
    fn check(&self, host: &Host) -> Result<(), Unavailable> {
        self.machine.check(host)?;
        C_LIBRARY.tree(host)?;
        self.kernel(host).map(drop)
    }

    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        let kernel = self.kernel(host)?;
        let own = arguments(self.machine.memory, INITRAMFS, "/tmp");
        let fixed = ["norandmaps".to_owned(), "umid=tare".to_owned()];
        let told = self.machine.root.as_ref().map(Tree::argument);
        let words = [PROGRAM.to_owned()].into_iter().chain(own).chain(fixed).chain(told);
        let inner = Inner {
            mounts: vec![("devpts".into(), "/dev/pts".into())], // it tries what terminals can do
            program: words.chain(self.args.iter().cloned()).collect(),
            ..Inner::default()
        };
        let files = vec![
            (PROGRAM, kernel.clone()),
            (INITRAMFS, self.machine.measured_initramfs(host, boot, &[])?),
        ];
        let inside = Inside {
            machine: &self.machine,
            modules: &[],
            packages: &[C_LIBRARY],
            files,
            inner,
            root: None,
        };
        let program = inside.program(
            host,
            boot,
            2 * self.machine.memory + BESIDE + self.machine.root_beside(),
        )?;
        Ok(Launch::Program(program.made_of("uml", kernel, Some("--version"))))
    }

    fn scripted(&self) -> bool {
        true
    }
}
