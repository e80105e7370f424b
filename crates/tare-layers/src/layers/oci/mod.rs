//! `runc`, `crun`, `runsc`: the probe in a container, from a bundle made for each boot. No daemon,
//! no image; an ordinary user's container is in a user namespace with one mapped id.
//!
//! There are no limits to set: those need cgroups, which need root or a delegation. gVisor counts
//! the CPUs that it is pinned to.

mod kinds;

use crate::artifacts::bundle::Inside;
use crate::attach::Attachments;
use crate::attach::net::Net;
use crate::attach::root::Root;
use crate::snapshot::{IMAGE, attached, criu};
use crate::{
    BootSpec, Cpus, Host, Launch, Layer, Mounts, Program, Saved, Saving, Second, SettingError,
    Settings, Sign, USUAL, Unavailable, Whose, artifacts::bundle,
};
use kinds::{CHECKPOINT, RESTORE, Runtime};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;
use std::{fs, io};
use tare_keeper::programs;
use tare_keeper::user_namespaces;
use tare_proto::outside::Part;

pub(super) use kinds::PLATFORM;
pub use kinds::{CRUN, RUNC, RUNSC};

/// What turns would change of gVisor. In turns, its page faults (systrap) cost 1.95 times the host's, without them 1.5 to 1.65.
const PAUSES: &str = "gVisor's kernel gives memory back and sleeps while it waits, and pays for that in the next turn";

const ROOT_AS_USER: &str = "an ordinary user's container is in a user namespace already, and cannot have an overlay for its root as well";

/// On fewer, systrap's fast path for system calls is off for good.
const SYSTRAP_CPUS: usize = 2;

/// How long the runtime may take to print its flags.
const HELP: Duration = Duration::from_secs(5);

struct Oci {
    runtime: Runtime,
    program: String,
    flags: Vec<String>,
    checkpoint: Vec<String>,
    restore: Vec<String>,
    rootless: bool,
    /// gVisor's, where it was said.
    platform: Option<String>,
    /// How many CPUs it is to run on.
    cpus: Option<usize>,
    /// Whether it is gVisor's systrap, once that is known.
    is_systrap: OnceLock<bool>,
    attachments: Attachments,
}

impl Oci {
    fn new(settings: &Settings) -> Result<Oci, SettingError> {
        let kind = settings.get("kind").unwrap_or_default();
        let runtime = Runtime::named(kind);
        let rootless = !nix::unistd::geteuid().is_root();
        let mut flags = runtime.flags(rootless);
        flags.extend(settings.get("platform").map(|platform| format!("--platform={platform}")));
        flags.extend(settings.words("args"));
        let [checkpoint, restore] = [CHECKPOINT, RESTORE].map(|it| settings.words(it.key));
        let program = settings.get("runtime").unwrap_or(kind).to_owned();
        let attachments = Attachments::read(settings, &[Net::Veth], 0)?;
        let platform = settings.get("platform").map(str::to_owned);
        let cpus = match settings.get("cpus") {
            Some(_) => Some(settings.number("cpus", 1, 1, 1024)? as usize),
            None => None,
        };
        Ok(Oci {
            runtime,
            program,
            flags,
            checkpoint,
            restore,
            rootless,
            platform,
            cpus,
            is_systrap: OnceLock::new(),
            attachments,
        })
    }

    fn is_systrap(&self) -> bool {
        let platform = || self.platform.clone().or_else(|| usual_platform(&self.program));
        let is_it = || self.runtime == Runtime::Runsc && platform().as_deref() == Some("systrap");
        *self.is_systrap.get_or_init(is_it)
    }

    /// crun refuses hosts with both versions of cgroups even when told to leave them alone; it
    /// then runs in a mount namespace of its own where the second is not to be seen.
    fn hides_cgroups(&self) -> bool {
        let second = fs::read_to_string("/sys/fs/cgroup/unified/cgroup.controllers");
        self.runtime == Runtime::Crun && second.is_ok_and(|text| !text.trim().is_empty())
    }

    /// The folder that the runtime may not see: for crun the cgroups; for runsc with a network what it takes
    /// for the mark of the host's own network namespace and, since Linux 6.12, is in every one.
    fn hidden(&self) -> Option<&'static str> {
        if self.hides_cgroups() {
            return Some("/sys/fs/cgroup/unified");
        }
        let of_runsc = self.runtime == Runtime::Runsc && !self.rootless;
        (of_runsc && self.attachments.net.is_some()).then_some("/proc/sys/net")
    }

    /// runsc makes its user namespace itself, and `unshare` has made crun's.
    fn maps_user(&self) -> bool {
        self.rootless && self.runtime != Runtime::Runsc && !self.hides_cgroups()
    }

    /// The root of programs, if there is one.
    fn staged(&self, host: &Host, boot: &BootSpec, needs: &mut Program) -> io::Result<Staged> {
        let Some(root) = &self.attachments.root else { return Ok(Staged::default()) };
        let (stage, mib) = (root.stage(boot, needs)?, root.mib()?);
        // CRIU saves processes and no files: what they write stays beside the image.
        let keeps = self.runtime != Runtime::Runsc && matches!(boot.saved, Saved::Into(_));
        let before = root.before(&host.probe, if keeps { 0 } else { mib }, &stage);
        Ok(Staged { before, root: Some((stage.join("root"), mib)) })
    }

    /// The argument that keeps gVisor from an overlay of its own, in memory or in a file, where programs write to a disk. Its releases
    /// until 2023 have none unless told so.
    fn without_its_overlay(&self) -> Option<String> {
        let has = || flags_of(&self.program).is_some_and(|flags| flags.contains("-overlay2"));
        let on_disk = self.runtime == Runtime::Runsc && self.attachments.scratch().is_some();
        (on_disk && has()).then(|| "--overlay2=none".into())
    }

    /// The arguments that name the image of a saved container.
    fn image(&self, boot: &BootSpec) -> Vec<String> {
        let folder = boot.shared_folder();
        let image = ["--image-path".to_owned(), folder.join(IMAGE).display().to_string()];
        let work = ["--work-path".to_owned(), self.criu_folder(boot).display().to_string()];
        let work = if self.runtime == Runtime::Runsc { &[][..] } else { &work };
        [&image, work].concat()
    }

    /// Where CRIU may write: beside the image, or where it restores in the boot's own folder.
    fn criu_folder(&self, boot: &BootSpec) -> PathBuf {
        match boot.saved {
            Saved::From(_) => boot.folder.join("criu"),
            _ => criu::work(boot.shared_folder(), boot.id),
        }
    }

    fn command(&self) -> Result<Vec<String>, Unavailable> {
        let runtime = programs::find(&self.program)?.to_string_lossy().into_owned();
        let Some(hidden) = self.hidden() else { return Ok(vec![runtime]) };
        let unshare = programs::find("unshare")?.to_string_lossy().into_owned();
        let flags = if self.rootless { "-rm" } else { "-m" };
        let script = format!("mount -t tmpfs none {hidden} && exec \"$0\" \"$@\"");
        Ok([unshare, flags.into(), "sh".into(), "-c".into(), script, runtime].into())
    }
}

/// How the root of programs comes to be.
#[derive(Default)]
struct Staged {
    /// The words before the runtime's.
    before: Vec<String>,
    /// Where it is then, and how many MiB it may grow by.
    root: Option<(PathBuf, u64)>,
}

/// The platform that gVisor's `program` uses unless told otherwise, as its help says.
fn usual_platform(program: &str) -> Option<String> {
    let said = flags_of(program)?;
    let flag = said.split("-platform ").nth(1)?;
    let (_, usual) = flag.split_once("(default \"")?;
    Some(usual.split_once('"')?.0.to_owned())
}

/// What gVisor's `program` says of its flags.
fn flags_of(program: &str) -> Option<String> {
    let program = programs::find(program).ok()?;
    // It prints its help on standard error.
    let script = "exec \"$0\" flags 2>&1";
    programs::output(programs::plain("sh").args(["-c", script]).arg(program), HELP).ok()
}

/// gVisor's sentry acts as the kernel, the gofer serves files, and programs run in processes without a name of their own.
const WHOSE_GVISOR: &[Whose] = &[
    Whose::new(Sign::Program("runsc-sandbox"), Part::Kernel),
    Whose::new(Sign::Program("runsc-gofer"), Part::Helper),
    Whose::new(Sign::Thread("runsc"), Part::Helper),
    Whose::new(Sign::Any, Part::Program),
];

impl Layer for Oci {
    fn cpus(&self) -> Cpus {
        match self.cpus {
            Some(number) => Cpus::Only(number),
            // As many as it needs to be as fast as people know it.
            None if self.is_systrap() => Cpus::AtLeast(SYSTRAP_CPUS),
            None => Cpus::Usual,
        }
    }

    fn has_modes(&self) -> bool {
        self.is_systrap()
    }

    fn whose(&self) -> &'static [Whose] {
        if self.runtime == Runtime::Runsc { WHOSE_GVISOR } else { USUAL }
    }

    fn root(&self) -> Option<&Path> {
        self.attachments.root.as_ref().map(|root| root.lower.as_path())
    }

    fn whole_series(&self) -> Option<&'static str> {
        (self.runtime == Runtime::Runsc).then_some(PAUSES)
    }

    fn check(&self, host: &Host) -> Result<(), Unavailable> {
        self.command()?;
        self.attachments.root.as_ref().map_or(Ok(()), Root::check)?;
        self.attachments.check_disks(host)?;
        match (&self.attachments.root, self.rootless) {
            (Some(_), true) => Err(Unavailable::new(
                ROOT_AS_USER,
                "run tare as root, or weigh native and uml as this user",
            )),
            (None, true) => user_namespaces(),
            (_, false) => Ok(()),
        }
    }

    fn snapshot(&self, _host: &Host) -> Result<(), Unavailable> {
        match self.runtime {
            Runtime::Runc => criu::check(self.rootless)?,
            Runtime::Crun => criu::check_crun(&self.program, self.rootless)?,
            Runtime::Runsc => {}
        }
        match self.attachments.missing_from_images() {
            true => Err(attached()),
            false => Ok(()),
        }
    }

    fn said_of_image(&self, folder: &Path) -> Option<String> {
        let by_criu = self.runtime != Runtime::Runsc;
        by_criu.then(|| criu::said(folder)).flatten().map(|said| format!("CRIU's log: {said}"))
    }

    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        let mut needs = Program::default();
        let given = self.attachments.of_process(host, boot, &mut needs)?;
        let mut flags = self.flags.clone();
        if self.runtime == Runtime::Runsc {
            let has = given.net.as_ref().is_some_and(|link| link.namespace.is_some());
            flags.push(if has { "--network=sandbox" } else { "--network=none" }.into());
        }
        flags.splice(0..0, self.without_its_overlay());
        let Staged { before, root } = self.staged(host, boot, &mut needs)?;
        let makes_group = self.runtime == Runtime::Runc && !self.rootless;
        let shares = makes_group.then(tare_keeper::shares).flatten();
        let inside = Inside { maps_user: self.maps_user(), given, root, shares };
        let (bundle, copies) = bundle::write(host, boot, &inside)?;
        needs.copies.extend(copies);
        let command = self.command()?;
        let runtime = PathBuf::from(&command[command.len() - 1]);
        let start = [before, command.clone()].concat();
        let state = ["--root".to_owned(), boot.folder.join("state").display().to_string()];
        let bundle = bundle.display().to_string();
        let id = boot.id.to_owned();
        let mut program = Program::new(&start[0]).args(&start[1..]).args(&flags);
        program =
            Program { program: program.program, args: program.args, env: program.env, ..needs };
        let words = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<Vec<_>>();
        let image = self.image(boot);
        let begin = match boot.saved {
            Saved::From(_) => [words(&["restore"]), image.clone(), self.restore.clone()].concat(),
            _ => words(&["run"]),
        };
        program = program.args(&state).args(&begin).args(["--bundle", &bundle, &id]);
        let own = [command, flags, state.to_vec()].concat();
        if let Saved::Into(_) = boot.saved {
            let more = self.checkpoint.clone();
            let save = [own.clone(), words(&["checkpoint"]), image, more, words(&[&id])];
            program.saving = Saving::Command(save.concat());
        }
        let second = [own.clone(), words(&["exec", &id, "/tare-probe", "hello"])].concat();
        program.second = Second::Command(second);
        // A container that has ended by itself has left its state empty, and there is nothing to delete.
        let unless_empty =
            words(&["sh", "-c", "rmdir \"$0\" 2>/dev/null || exec \"$@\"", &state[1]]);
        let delete = [unless_empty, own, words(&["delete", "--force", &id])].concat();
        program.cleanup.insert(0, delete);
        if self.runtime != Runtime::Runsc && matches!(boot.saved, Saved::From(_)) {
            // runc mounts below the root while it restores, and unmounts by path. Containers of one image have one root: with the
            // host's mounts they would take each other's ("possibly malicious path detected -- refusing to operate on /").
            program.mounts = Mounts::Own;
            let kept = criu::work(boot.shared_folder(), boot.id);
            program.cleanup.push(criu::tidy(&self.criu_folder(boot), &kept));
        }
        program.record("runtime", runtime, Some("--version"));
        if let Some(root) = &self.attachments.root {
            root.record(&mut program);
        }
        Ok(Launch::Program(program))
    }
}
