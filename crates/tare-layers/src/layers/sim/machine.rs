//! The simulated machine: QEMU translates one CPU whose clock counts instructions (`-icount`), so that what a guest
//! measures depends on nothing but its own bits.

use super::Kernel;
use super::board::{Board, PC};
use super::disk::{self, RamDisk};
use super::fork;
use super::root::Tree;
use crate::artifacts::guests_run_here;
use crate::artifacts::initramfs::{self, Initramfs};
use crate::attach::balloon;
use crate::layer::Counting;
use crate::{BootSpec, Host, Program, SettingError, Settings, Unavailable};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tare_keeper::programs;
use tare_proto::{Balloon, DISK};

/// The oldest QEMU that is known to repeat.
const OLDEST: (u32, u32) = (6, 0);

/// How long it may take to say its version, on a host as busy as a campaign's may be.
const SAYS_VERSION: Duration = Duration::from_secs(60);

/// What all kernels of the machine have in common: they must not shuffle addresses. (KASLR is the decompressor's work, which
/// an ELF image does not have.)
pub(super) const ARGUMENTS: &str = "norandmaps quiet panic=-1";

/// A tick of the guest's clock is an instruction; an idle guest's clock jumps to its next timer. That jump is made by another of
/// QEMU's threads than the guest's. Only while QEMU records for a replay do the two exclude each other: otherwise the jump may be
/// computed before the guest's last instructions are counted, and be too long by these. The record itself is not needed.
const CLOCK: &str = "shift=0,sleep=off,rr=record,rrfile=/dev/null";

pub(super) struct Simulated {
    pub(super) kernel: Kernel,
    /// The measured kernel's memory in MiB, with what the root of programs takes.
    pub(super) memory: u64,
    pub(super) disk: Option<RamDisk>,
    pub(super) root: Option<Tree>,
    pub(super) board: &'static Board,
    /// Whether a second kernel serves the measured one.
    pub(super) domains: bool,
    /// Whether the probe waits while the processor is in a virtual machine (its guest mode), in which QEMU saves it and cannot restore it.
    pub(super) waits_in_guest: bool,
    balloon: Option<Balloon>,
    /// What is set of the measured kernel's arguments.
    pub(super) append: Vec<String>,
    cpu: String,
    emulator: String,
}

pub(super) struct Start<'a> {
    pub(super) kernel: &'a Path,
    pub(super) initrd: &'a str,
    pub(super) append: &'a str,
    /// Memory of the whole machine in MiB.
    pub(super) memory: u64,
}

impl Simulated {
    /// `cpu` is the layer's usual model: the simplest that it runs on, since each feature opens other paths in kernels.
    pub(super) fn new(settings: &Settings, cpu: &str) -> Result<Simulated, SettingError> {
        Simulated::emulated(settings, Kernel::new(settings), cpu, "qemu-system-x86_64")
    }

    pub(super) fn emulated(
        settings: &Settings,
        kernel: Kernel,
        cpu: &str,
        emulator: &str,
    ) -> Result<Simulated, SettingError> {
        let text = |key, default: &str| settings.get(key).unwrap_or(default).to_owned();
        let root = Tree::read(settings)?;
        let memory = settings.mebibytes("memory", 512)? + root.as_ref().map_or(0, Tree::memory);
        Ok(Simulated {
            kernel,
            memory,
            board: &PC,
            domains: false,
            waits_in_guest: false,
            balloon: balloon::read(settings, memory)?,
            disk: RamDisk::read(settings)?,
            root,
            append: settings.words("append"),
            cpu: text("cpu", cpu),
            emulator: text("emulator", emulator),
        })
    }

    pub(super) fn check(&self, host: &Host) -> Result<(), Unavailable> {
        self.starts(host)?;
        self.kernel.elf(host).map(drop)
    }

    /// Whether all but the kernel is there, and this host's QEMU is one that repeats.
    pub(super) fn starts(&self, host: &Host) -> Result<(), Unavailable> {
        guests_run_here("the simulated machine")?;
        self.root.as_ref().map_or(Ok(()), Tree::check)?;
        let emulator = programs::find(&self.emulator)?;
        let mut ask = programs::plain(&emulator);
        let said = programs::output(ask.arg("--version"), SAYS_VERSION);
        let said = said.unwrap_or_else(|why| why.to_string());
        if version(&said).is_none_or(|version| version < OLDEST) {
            let (major, minor) = OLDEST;
            let what = said.lines().next().unwrap_or_default();
            return Err(Unavailable::new(
                format!(
                    "{} is no QEMU of version {major}.{minor} or newer: {what}",
                    emulator.display()
                ),
                "install a newer QEMU, or give another one's program (emulator=)",
            ));
        }
        host.plugin.as_ref().map_or(Ok(()), |plugin| plugin.check(&emulator))
    }

    /// The measured kernel's arguments: `own` (its console, line and disk), the usual ones, those that are set.
    pub(super) fn measured(&self, own: &str) -> String {
        let root = self.root.as_ref().map(Tree::argument);
        let balloon = self.balloon.as_ref().map(balloon::of_its_own);
        let usual = [own, ARGUMENTS].into_iter().chain(root.as_deref()).chain(balloon.as_deref());
        usual.chain(self.append.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
    }

    /// The same of one that the machine boots itself, with `more` (each word after a space).
    pub(super) fn arguments(&self, more: &str) -> String {
        let disk = self.disk.map(|disk| format!(" {} {DISK}={}", disk.arguments(), disk::DEVICE));
        let Board { console, line, .. } = self.board;
        self.measured(&format!("console={console}{more} {line}{}", disk.unwrap_or_default()))
    }

    /// The same of a kernel that has the machine to itself.
    pub(super) fn bare_arguments(&self) -> String {
        self.arguments(self.board.bare)
    }

    pub(super) fn initramfs(&self, host: &Host, boot: &BootSpec) -> io::Result<PathBuf> {
        self.archive(host, boot)?.finish()
    }

    /// The same, to be finished.
    pub(super) fn archive(&self, host: &Host, boot: &BootSpec) -> io::Result<Initramfs> {
        self.measured_archive(host, boot, self.disk.map_or(&[][..], |_| &[disk::MODULE]))
    }

    /// The initramfs of the measured kernel, wherever that runs: with its `drivers`, its script and the root of programs.
    pub(super) fn measured_initramfs(
        &self,
        host: &Host,
        boot: &BootSpec,
        drivers: &[&str],
    ) -> io::Result<PathBuf> {
        self.measured_archive(host, boot, drivers)?.finish()
    }

    fn measured_archive(
        &self,
        host: &Host,
        boot: &BootSpec,
        drivers: &[&str],
    ) -> io::Result<Initramfs> {
        let modules = self.kernel.modules(drivers, host, boot)?;
        let mut archive = initramfs::scripted(host, boot, &modules, &self.script(host, boot))?;
        self.root.as_ref().map_or(Ok(()), |root| root.add_to(&mut archive))?;
        Ok(archive)
    }

    /// What the probe finds in the guest: all that it will be asked, or nothing where each copy of the machine is told its own.
    pub(super) fn script(&self, host: &Host, boot: &BootSpec) -> String {
        if self.copies(host).is_some() { String::new() } else { initramfs::script(boot) }
    }

    /// What makes copies of the machine, one for each row.
    fn copies<'a>(&self, host: &'a Host) -> Option<&'a Path> {
        host.tare.as_deref().filter(|_| !self.waits_in_guest)
    }

    /// Memory that a kernel needs which holds the measured one's initramfs as a file, in MiB.
    pub(super) fn root_beside(&self) -> u64 {
        self.root.as_ref().map_or(0, Tree::memory)
    }

    /// The machine as a program. The console is the first serial line, the probe's line the second.
    pub(super) fn program(
        &self,
        host: &Host,
        boot: &BootSpec,
        start: &Start,
    ) -> io::Result<Program> {
        let emulator = programs::find(&self.emulator)?;
        let memory = format!("{}M", start.memory);
        let counted = boot.counted_by(host.plugin.as_ref(), self.domains)?;
        let machine = Program::new(&emulator)
            .args(["-accel", "tcg", "-icount", CLOCK])
            // Without clock=vm the guest would read this host's time.
            .args(["-rtc", &format!("base={},clock=vm", start_date(boot.perturbation))])
            .args(["-cpu", &self.cpu, "-smp", "1", "-machine", self.board.machine, "-m", &memory])
            .args(["-nodefaults", "-no-user-config", "-display", "none", "-monitor", "none"])
            .args(["-no-reboot"])
            .args(["-chardev", "file,id=console,path=/dev/stderr"])
            .args(["-chardev", "stdio,id=line,signal=off"])
            .args(self.board.fixed)
            .args(self.board.serial)
            .arg("-kernel")
            .arg(start.kernel)
            .args(["-initrd", start.initrd, "-append", start.append]);
        let mut program = match self.copies(host) {
            Some(tare) => {
                fork::program(tare, boot, &machine, self.board.parts(start.memory << 20), counted)?
            }
            None => machine.args(counted.iter().flat_map(Counting::arguments)),
        };
        program.usual_share = true;
        program.record("emulator", emulator, Some("--version"));
        if let Some(root) = &self.root {
            root.record(&mut program);
        }
        Ok(program)
    }
}

/// The date that the machine's clock starts at: what a perturbation is. Days of 28-day months, so that every one exists.
fn start_date(perturbation: u64) -> String {
    let mut rest = perturbation;
    let mut part = |of: u64| {
        let value = rest % of;
        rest /= of;
        value
    };
    let second = part(60);
    let minute = part(60);
    let hour = part(24);
    let day = 1 + part(28);
    let month = 1 + part(12);
    format!("2020-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
}

/// The version in what `qemu-system-x86_64 --version` says.
fn version(said: &str) -> Option<(u32, u32)> {
    let number = said.strip_prefix("QEMU emulator version ")?;
    let mut parts = number.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(version("QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg)\n"), Some((7, 2)));
        assert_eq!(version("QEMU emulator version 10.0\n"), Some((10, 0)));
        assert_eq!(version("bash, version 5.2"), None);
    }

    #[test]
    fn every_perturbation_is_a_date() {
        assert_eq!(start_date(0), "2020-01-01T00:00:00");
        assert_eq!(start_date(61), "2020-01-01T00:01:01");
        for perturbation in [u64::MAX, 1 << 40, 999_999_937] {
            assert_eq!(start_date(perturbation).len(), "2020-01-01T00:00:00".len());
        }
        assert_ne!(start_date(86_400), start_date(0));
    }
}
