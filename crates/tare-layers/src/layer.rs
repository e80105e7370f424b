//! What a layer is: a check of the host and a description of how to start.

use crate::{Keeper, Launch, Plugin, Session, SessionError, USUAL, Unavailable, Whose};
use serde::{Deserialize, Serialize};
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tare_keeper::Boot;
use tare_proto::Request;

/// A layer with its settings. It starts the probe and gives a byte stream; it measures nothing.
pub trait Layer: Send + Sync {
    /// Whether this host has what the layer needs, without booting it: programs, kernels,
    /// permissions. May take its time the first time (a kernel is extracted into the cache).
    ///
    /// A layer that passes may still fail to boot; only a boot of the probe proves it available.
    fn check(&self, host: &Host) -> Result<(), Unavailable>;

    /// Writes what one boot needs into `boot.folder` and says how to start it. Runs after
    /// [`Layer::check`] has passed.
    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch>;

    /// Whether a running layer of this kind can be saved and restored on this host as it is set up ([`BootSpec::saved`]); why not, and
    /// the remedy, where it cannot.
    fn snapshot(&self, _host: &Host) -> Result<(), Unavailable> {
        Err(Unavailable::new("nothing saves a layer of this kind", SAVED_KINDS))
    }

    /// What the program that saves and restores layers of this kind wrote down of what went wrong with the image in `folder`, after whose
    /// words these are.
    fn said_of_image(&self, _folder: &Path) -> Option<String> {
        None
    }

    /// Makes what all boots of a campaign share and removes it when this layer is dropped. Called before every boot; does its
    /// work once.
    fn prepare(&self, _host: &Host, _keeper: &Keeper) -> Result<(), SessionError> {
        Ok(())
    }

    /// Whether a boot that failed would fail again as long as nothing of this host has changed.
    fn failures_last(&self) -> bool {
        true
    }

    /// Whether [`BootSpec::script`] is all that is ever asked of a boot: nothing is said to it once it runs, since what
    /// the host says, and when, would be seen by its clock.
    fn scripted(&self) -> bool {
        false
    }

    /// Why this layer takes whole series and no turns of a millisecond: it answers otherwise when it has just waited.
    fn whole_series(&self) -> Option<&'static str> {
        None
    }

    /// How many of the campaign's CPUs it runs on.
    fn cpus(&self) -> Cpus {
        Cpus::Usual
    }

    /// Whether it works in several ways where it has several CPUs, which only series that last meet.
    fn has_modes(&self) -> bool {
        false
    }

    /// How the host tells whose this layer's threads are: the program's, those of what acts as its kernel, or helpers.
    fn whose(&self) -> &'static [Whose] {
        USUAL
    }

    /// The folder of this host whose files its programs see as their root; `None` where they have no such root, or nobody knows it.
    fn root(&self) -> Option<&Path> {
        None
    }

    /// Why a boot failed and what to do about it, given the console's last lines.
    fn explain(&self, error: &SessionError, console: &str) -> Unavailable {
        crate::explain(error, console)
    }
}

/// What a reader can do who wants a layer that is saved.
pub(crate) const SAVED_KINDS: &str = "weigh runsc or qemu for it";

/// What a boot has to do with an image of a saved layer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Saved {
    /// Nothing.
    #[default]
    Never,
    /// It starts afresh and can be saved into this folder, which is empty and in which it leaves what restored ones share.
    Into(PathBuf),
    /// It is restored from what a boot has saved into this folder.
    From(PathBuf),
}

/// How many CPUs a layer runs on as people run it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Cpus {
    /// As many as the campaign's other layers.
    #[default]
    Usual,
    /// So many, or more where the others have more: it is made for several, and works in another way on fewer.
    AtLeast(usize),
    /// So many, whatever the others have.
    Only(usize),
}

/// Boots `layer` under `keeper`, pinned to `cpus` (empty: not pinned), its console also written to `log`. `interrupted` is asked
/// while something is waited for.
///
/// # Errors
/// Why it did not start; whatever was made is removed.
pub fn start(
    layer: &dyn Layer,
    host: &Host,
    keeper: &Keeper,
    name: &BootName,
    cpus: &[u32],
    log: Option<&Path>,
    interrupted: fn() -> bool,
) -> Result<Session, SessionError> {
    layer.prepare(host, keeper)?;
    let scripted = layer.scripted();
    let cache = &host.cache;
    let boot = Boot { keeper, id: &name.id, cache, cpus, log, scripted, interrupted };
    Session::start(&boot, |folder| {
        layer.launch(
            host,
            &BootSpec {
                folder,
                id: &name.id,
                number: name.number,
                counts: name.counts.as_deref(),
                script: &name.script,
                cpus,
                perturbation: name.perturbation,
                saved: &name.saved,
            },
        )
    })
}

/// What a boot is called, and what its layer is told of it.
#[derive(Debug, Clone, Default)]
pub struct BootName {
    /// See [`BootSpec::id`].
    pub id: String,
    /// See [`BootSpec::number`].
    pub number: u32,
    /// See [`BootSpec::counts`].
    pub counts: Option<PathBuf>,
    /// See [`BootSpec::script`].
    pub script: Vec<Request>,
    /// See [`BootSpec::perturbation`].
    pub perturbation: u64,
    /// See [`BootSpec::saved`].
    pub saved: Saved,
}

/// What every layer may use of this host.
#[derive(Debug, Clone)]
pub struct Host {
    /// The static probe, an executable file that every user may read.
    pub probe: PathBuf,
    /// Where extracted kernels and built images are kept between campaigns.
    pub cache: PathBuf,
    /// The probe for 32-bit x86, if tare was built with it.
    pub probe32: Option<PathBuf>,
    /// The probe for 64-bit ARM, if tare was built with it.
    pub probe_arm: Option<PathBuf>,
    /// The probe for 64-bit POWER, if tare was built with it.
    pub probe_power: Option<PathBuf>,
    /// tare's own virtual machine monitor, a static executable file.
    pub vmm: Option<PathBuf>,
    /// What counts instructions on a simulated machine, when that is asked for.
    pub plugin: Option<Plugin>,
    /// tare's own program, which serves disks.
    pub tare: Option<PathBuf>,
    /// Whether devices and files that a layer is given as its disk may be overwritten.
    pub destroy_disks: bool,
}

impl Host {
    /// A host with no more than the least.
    pub fn new(probe: PathBuf, cache: PathBuf) -> Host {
        Host {
            probe,
            cache,
            probe32: None,
            probe_arm: None,
            probe_power: None,
            vmm: None,
            plugin: None,
            tare: None,
            destroy_disks: false,
        }
    }
}

/// How QEMU counts a boot.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Counting {
    /// The argument of `-plugin`.
    pub(crate) plugin: String,
    /// The file that it writes at its end, as that argument calls it.
    pub(crate) file: String,
}

impl Counting {
    /// QEMU's arguments.
    pub(crate) fn arguments(&self) -> [&str; 2] {
        ["-plugin", &self.plugin]
    }
}

/// One boot of a layer.
#[derive(Debug, Clone)]
pub struct BootSpec<'a> {
    /// The boot's own empty folder, removed when the boot ends.
    pub folder: &'a Path,
    /// A name no other boot has, of lower-case letters, digits and dashes.
    pub id: &'a str,
    /// Counts a layer's boots within a campaign, from 0; scripted layers use it.
    pub number: u32,
    /// The file for what was counted, if the host counts and it is to be kept.
    pub counts: Option<&'a Path>,
    /// What will be asked, in order; only a [scripted](Layer::scripted) layer reads it.
    pub script: &'a [Request],
    /// The CPUs that the layer is pinned to; empty when it is not.
    pub cpus: &'a [u32],
    /// Chooses one of a simulated machine's perturbations: all layers of a block get the same.
    pub perturbation: u64,
    /// Whether it is to be saved, or is restored; only of a layer that can be ([`Layer::snapshot`]).
    pub saved: &'a Saved,
}

impl BootSpec<'_> {
    /// The folder that holds what this boot and those restored from its image share: its own, where nothing is saved.
    pub(crate) fn shared_folder(&self) -> &Path {
        match self.saved {
            Saved::Never => self.folder,
            Saved::Into(folder) | Saved::From(folder) => folder,
        }
    }

    /// A name for `file` without any of what lists of options are separated by, however its folder is called: `name`, a
    /// link in the boot's folder, in which the layer's program starts. The file itself may be made later.
    pub(crate) fn short_name(&self, file: &Path, name: &str) -> io::Result<String> {
        symlink(file, self.folder.join(name))?;
        Ok(name.to_owned())
    }

    /// How QEMU counts the boot, if anything counts; `domains` where a second kernel serves the measured one.
    pub(crate) fn counted_by(
        &self,
        plugin: Option<&Plugin>,
        domains: bool,
    ) -> io::Result<Option<Counting>> {
        let Some(plugin) = plugin else { return Ok(None) };
        let file = self.counts_file()?;
        let plugin = plugin.argument(&file, domains);
        Ok(Some(Counting { plugin, file }))
    }

    /// The name that the layer's program has for the file where the plugin's counts go: what [`BootSpec::counts`] says, in a
    /// folder that may be called anything, or a file of the boot's folder.
    fn counts_file(&self) -> io::Result<String> {
        let Some((folder, name)) = self.counts.and_then(|path| path.parent().zip(path.file_name()))
        else {
            return Ok("counts".to_owned());
        };
        Ok(format!("{}/{}", self.short_name(folder, "counted")?, name.to_string_lossy()))
    }

    /// The name that the layer's program has for a `file` that was made in the boot's folder, in which it starts.
    pub(crate) fn own_name(&self, file: &Path) -> String {
        file.strip_prefix(self.folder).unwrap_or(file).display().to_string()
    }
}
