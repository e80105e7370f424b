//! `runc`, `crun`, `runsc`: the probe in a container, from a bundle made for each boot. No daemon,
//! no image; an ordinary user gets a container of a user namespace with one mapped id.
//!
//! The runtime's own defaults rule: no seccomp profile, no capabilities, no cgroup limits (runc
//! makes an empty cgroup as root). Docker adds a seccomp filter, which costs time on every call.

use crate::{
    BootSpec, Host, Launch, Layer, LayerKind, Program, Setting, Settings, Unavailable, programs,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::{fs, io};

pub const RUNC: LayerKind = kind("runc", "a container of runc: this host's kernel, namespaces");
pub const CRUN: LayerKind = kind("crun", "a container of crun: this host's kernel, namespaces");
pub const RUNSC: LayerKind = LayerKind {
    settings: &[RUNTIME, PLATFORM, ARGS],
    ..kind("runsc", "a sandbox of gVisor: a kernel in user space")
};

const RUNTIME: Setting =
    Setting { key: "runtime", about: "the runtime's program (default: the layer's kind)" };
const PLATFORM: Setting = Setting {
    key: "platform",
    about: "how gVisor gets at system calls: systrap, ptrace or kvm (default: runsc's own)",
};
const ARGS: Setting = Setting { key: "args", about: "more global arguments of the runtime" };

const fn kind(name: &'static str, about: &'static str) -> LayerKind {
    LayerKind {
        name,
        about,
        settings: &[RUNTIME, ARGS],
        defaults: &[],
        only_by_name: false,
        make: |settings| Ok(Box::new(Oci::new(settings))),
    }
}

struct Oci {
    kind: String,
    runtime: String,
    flags: Vec<String>,
    rootless: bool,
}

impl Oci {
    fn new(settings: &Settings) -> Oci {
        let kind = settings.get("kind").unwrap_or_default().to_owned();
        let rootless = !nix::unistd::geteuid().is_root();
        let mut flags: Vec<String> = match kind.as_str() {
            "crun" => vec!["--cgroup-manager=disabled".into()],
            "runsc" => vec!["--ignore-cgroups".into(), "--network=none".into()],
            _ => Vec::new(),
        };
        if kind == "runsc" && rootless {
            flags.push("--rootless".into());
        }
        flags.extend(settings.get("platform").map(|platform| format!("--platform={platform}")));
        flags.extend(settings.words("args"));
        let runtime = settings.get("runtime").unwrap_or(&kind).to_owned();
        Oci { kind, runtime, flags, rootless }
    }

    /// crun refuses hosts with both versions of cgroups even when told to leave them alone; it
    /// then runs in a mount namespace of its own where the second is not to be seen.
    fn hides_cgroups(&self) -> bool {
        let second = fs::read_to_string("/sys/fs/cgroup/unified/cgroup.controllers");
        self.kind == "crun" && second.is_ok_and(|text| !text.trim().is_empty())
    }

    /// runsc makes its user namespace itself, and `unshare` has made crun's.
    fn maps_user(&self) -> bool {
        self.rootless && self.kind != "runsc" && !self.hides_cgroups()
    }

    fn command(&self) -> Result<Vec<String>, Unavailable> {
        let runtime = programs::find(&self.runtime)?.to_string_lossy().into_owned();
        if !self.hides_cgroups() {
            return Ok(vec![runtime]);
        }
        let unshare = programs::find("unshare")?.to_string_lossy().into_owned();
        let flags = if self.rootless { "-rm" } else { "-m" };
        let script = "mount -t tmpfs none /sys/fs/cgroup/unified && exec \"$0\" \"$@\"";
        Ok([unshare, flags.into(), "sh".into(), "-c".into(), script.into(), runtime].into())
    }
}

impl Layer for Oci {
    fn check(&self, _host: &Host) -> Result<(), Unavailable> {
        self.command()?;
        if self.rootless { user_namespaces() } else { Ok(()) }
    }

    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        let (bundle, state) = (boot.folder.join("bundle"), boot.folder.join("state"));
        let rootfs = bundle.join("rootfs");
        for place in ["proc", "sys", "dev", "tmp"] {
            fs::create_dir_all(rootfs.join(place))?;
        }
        fs::copy(&host.probe, rootfs.join("tare-probe"))?; // a container must not share the cache's
        fs::write(bundle.join("config.json"), config(boot.id, self.maps_user()).to_string())?;
        let command = self.command().map_err(|e| io::Error::other(e.to_string()))?;
        let runtime = PathBuf::from(&command[command.len() - 1]);
        let root = ["--root".to_owned(), text(&state)];
        let (bundle, id) = (text(&bundle), boot.id.to_owned());
        let mut program = Program::new(&command[0]).args(&command[1..]).args(&self.flags);
        program = program.args(&root).args(["run", "--bundle", &bundle, &id]);
        let delete = ["delete".to_owned(), "--force".to_owned(), id];
        program.cleanup.push([command, self.flags.clone(), root.into(), delete.into()].concat());
        Ok(Launch::Program(program.made_of("runtime", runtime, Some("--version"))))
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Whether an ordinary user may make user namespaces.
fn user_namespaces() -> Result<(), Unavailable> {
    for switch in ["user/max_user_namespaces", "kernel/unprivileged_userns_clone"] {
        let value = fs::read_to_string(Path::new("/proc/sys").join(switch));
        if value.is_ok_and(|value| value.trim() == "0") {
            let name = switch.replace('/', ".");
            let enough = if name.starts_with("user") { 10000 } else { 1 };
            return Err(Unavailable::new(
                format!("ordinary users may not make user namespaces ({name} is 0)"),
                format!("as root: sysctl -w {name}={enough}; or run tare as root"),
            ));
        }
    }
    Ok(())
}

fn config(id: &str, maps_user: bool) -> Value {
    let mount = |place: &str, kind: &str, options: &[&str]| json!({"destination": place, "type": kind, "source": kind, "options": options});
    let mut namespaces = vec!["pid", "ipc", "uts", "mount", "network"];
    let mut linux = json!({});
    if nix::unistd::geteuid().is_root() {
        linux["cgroupsPath"] = format!("/{id}").into(); // `delete` removes it
    }
    if maps_user {
        namespaces.push("user");
        let map = |id: u32| json!([{"containerID": 0, "hostID": id, "size": 1}]);
        linux["uidMappings"] = map(nix::unistd::geteuid().as_raw());
        linux["gidMappings"] = map(nix::unistd::getegid().as_raw());
    }
    linux["namespaces"] = namespaces.iter().map(|kind| json!({"type": kind})).collect();
    json!({
        "ociVersion": "1.0.2",
        "hostname": "tare",
        "process": {
            "terminal": false,
            "user": {"uid": 0, "gid": 0},
            "args": ["/tare-probe", "serve"],
            "env": ["TARE_SCRATCH=/tmp"],
            "cwd": "/",
        },
        "root": {"path": "rootfs", "readonly": true},
        "mounts": [
            mount("/proc", "proc", &[]),
            mount("/sys", "sysfs", &["nosuid", "noexec", "nodev", "ro"]),
            mount("/dev", "tmpfs", &["nosuid", "mode=755"]),
            mount("/dev/shm", "tmpfs", &["nosuid", "nodev", "mode=1777"]),
            mount("/tmp", "tmpfs", &["nosuid", "nodev", "mode=1777"]),
        ],
        "linux": linux,
    })
}
