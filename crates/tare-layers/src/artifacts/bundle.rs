//! The bundle of a container, as the OCI runtime specification wants it: `config.json` and a root
//! folder that holds the probe and nothing else.
//!
//! The runtime's own defaults rule: no seccomp profile, no capabilities, no limits. Docker adds a
//! seccomp filter, which costs time on every system call.

use crate::attach::OfProcess;
use crate::{BootSpec, Host, Saved};
use nix::sys::stat::{major, minor};
use nix::unistd::{getegid, geteuid};
use serde_json::{Value, json};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::{fs, io};
use tare_proto::{DISK, DISK_FOLDER, NET, ROOT, ROOT_HERE, SCRIPT};

/// Where a container finds its disk.
const DISK_INSIDE: &str = "/disk";
/// Where it finds its folder on a disk.
const FILES_INSIDE: &str = "/files";

/// Where it makes its own files.
const SCRATCH: &str = "TARE_SCRATCH=/tmp";

/// Namespaces that every container has for itself.
const NAMESPACES: [&str; 5] = ["pid", "ipc", "uts", "mount", "network"];

/// What root may do in a container of programs: Docker's default.
const CAPABILITIES: [&str; 14] = [
    "CAP_AUDIT_WRITE",
    "CAP_CHOWN",
    "CAP_DAC_OVERRIDE",
    "CAP_FOWNER",
    "CAP_FSETID",
    "CAP_KILL",
    "CAP_MKNOD",
    "CAP_NET_BIND_SERVICE",
    "CAP_NET_RAW",
    "CAP_SETFCAP",
    "CAP_SETGID",
    "CAP_SETPCAP",
    "CAP_SETUID",
    "CAP_SYS_CHROOT",
];

pub(crate) struct Inside {
    /// A user namespace whose root is this user.
    pub maps_user: bool,
    pub given: OfProcess,
    /// The root of programs, which then is the container's too, and how many MiB it may grow by. It is there when the runtime
    /// starts.
    pub root: Option<(PathBuf, u64)>,
    /// The weight of the control group that the runtime makes for it; `None` where it makes none.
    pub shares: Option<u32>,
}

/// The bundle's name, and the places of its description and of the probe in it.
const BUNDLE: &str = "bundle";
const CONFIG: &str = "config.json";
const PROBE: &str = "rootfs/tare-probe";

/// Writes the bundle into the boot's folder; where it is, and the copies that it lacks.
pub(crate) fn write(
    host: &Host,
    boot: &BootSpec,
    inside: &Inside,
) -> io::Result<(PathBuf, Vec<(PathBuf, PathBuf)>)> {
    if let Saved::From(folder) = boot.saved {
        return Ok((restored(folder, boot)?, Vec::new()));
    }
    let mut config = config(boot.id, inside);
    let mut probes = Vec::new();
    if let Some((root, mib)) = &inside.root {
        let probe = boot.shared_folder().join("tare-probe");
        for_programs(&mut config, root, &probe);
        tell(&mut config, format!("{ROOT}={ROOT_HERE}:{mib}"));
        probes.push(probe);
    }
    let bundle = lay_out(boot, &config)?;
    probes.push(bundle.join(PROBE));
    // A link would let it at the cache's file.
    Ok((bundle, probes.into_iter().map(|probe| (host.probe.clone(), probe)).collect()))
}

/// The same for a container that has nothing of the host's, with the boot's script, which the probe follows. `programs` are
/// where the container will find the root of its programs and the bundle.
pub(crate) fn write_scripted(
    host: &Host,
    boot: &BootSpec,
    programs: Option<(&Path, &Path)>,
    script: &str,
) -> io::Result<PathBuf> {
    let mut config = plain(&["serve", SCRIPT]);
    let place = |bundle: &Path| bundle.join("rootfs").join(SCRIPT.trim_start_matches('/'));
    if let Some((root, bundle)) = programs {
        for_programs(&mut config, root, &bundle.join(PROBE));
        mounts(&mut config).push(bound(SCRIPT, &place(bundle), "ro"));
    }
    let bundle = lay_out(boot, &config)?;
    fs::copy(&host.probe, bundle.join(PROBE))?;
    fs::write(place(&bundle), script)?;
    Ok(bundle)
}

/// A bundle for a container that is restored from the image in `folder`: it has the files of the saved one, and a control group of its own.
fn restored(folder: &Path, boot: &BootSpec) -> io::Result<PathBuf> {
    let saved = folder.join(BUNDLE);
    let mut config: Value = serde_json::from_slice(&fs::read(saved.join(CONFIG))?)?;
    if let Some(root) = config["root"]["path"].as_str().map(|path| saved.join(path)) {
        config["root"]["path"] = json!(root);
    }
    if !config["linux"]["cgroupsPath"].is_null() {
        config["linux"]["cgroupsPath"] = json!(format!("/{}", boot.id));
    }
    let bundle = boot.folder.join(BUNDLE);
    fs::create_dir(&bundle)?;
    fs::write(bundle.join(CONFIG), config.to_string())?;
    Ok(bundle)
}

/// Everything but the probe.
fn lay_out(boot: &BootSpec, config: &Value) -> io::Result<PathBuf> {
    let bundle = boot.shared_folder().join(BUNDLE);
    let root = bundle.join("rootfs");
    for place in ["proc", "sys", "dev", "tmp", "files"] {
        fs::create_dir_all(root.join(place))?;
    }
    if let Saved::Into(folder) = boot.saved {
        fs::create_dir_all(folder.join("files"))?;
    }
    fs::write(bundle.join(CONFIG), config.to_string())?;
    Ok(bundle)
}

/// What every container has: the probe, told `words`, and nothing of the host's.
fn plain(words: &[&str]) -> Value {
    let args: Vec<&str> = ["/tare-probe"].iter().chain(words).copied().collect();
    json!({
        "ociVersion": "1.0.2",
        "hostname": "tare",
        "process": {
            "terminal": false,
            "user": {"uid": 0, "gid": 0},
            "args": args,
            "env": [SCRATCH],
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
        "linux": {"namespaces": NAMESPACES.map(|kind| json!({"type": kind}))},
    })
}

fn config(id: &str, inside: &Inside) -> Value {
    let mut config = plain(&["serve"]);
    config["linux"] = linux(id, inside);
    bind(&mut config, &inside.given.files, FILES_INSIDE, DISK_FOLDER);
    if let Some(disk) = &inside.given.disk {
        bind(&mut config, disk, DISK_INSIDE, DISK);
        allow(&mut config, disk);
    }
    if let Some(net) = &inside.given.net {
        tell(&mut config, format!("{NET}={}", net.told));
    }
    config
}

/// Makes `root` the container's, with what programs expect: it may be written to, a terminal can be had, and root inside
/// may do what it may under Docker.
fn for_programs(config: &mut Value, root: &Path, probe: &Path) {
    config["root"] = json!({"path": root, "readonly": false});
    let sets = ["bounding", "effective", "permitted"].map(|set| (set, json!(CAPABILITIES)));
    config["process"]["capabilities"] = sets.into_iter().collect();
    let pts = ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"];
    let all = mounts(config);
    all.retain(|mount| mount["destination"] != "/tmp"); // the root's own is there
    all.extend([mount("/dev/pts", "devpts", &pts), bound("/tare-probe", probe, "ro")]);
    let env = config["process"]["env"].as_array_mut();
    env.into_iter().flatten().filter(|word| **word == SCRATCH).for_each(|word| {
        *word = json!("TARE_SCRATCH=/dev/shm");
    });
}

/// Adds `word` to the probe's environment.
fn tell(config: &mut Value, word: String) {
    config["process"]["env"].as_array_mut().into_iter().for_each(|env| env.push(json!(word)));
}

fn mounts(config: &mut Value) -> &mut Vec<Value> {
    config["mounts"].as_array_mut().expect("every container has mounts")
}

fn bound(inside: &str, source: &Path, access: &str) -> Value {
    json!({"destination": inside, "type": "bind", "source": source, "options": ["bind", access]})
}

/// Mounts `what` into the container and tells the probe where.
fn bind(config: &mut Value, what: &Path, inside: &str, variable: &str) {
    mounts(config).push(bound(inside, what, "rw"));
    tell(config, format!("{variable}={inside}"));
}

/// Lets the container at `disk` when that is a device.
fn allow(config: &mut Value, disk: &Path) {
    let Ok(found) = fs::metadata(disk) else { return }; // an image that is yet to be made
    if found.file_type().is_block_device() && geteuid().is_root() {
        let major = major(found.rdev());
        let minor = minor(found.rdev());
        config["linux"]["resources"]["devices"] =
            json!([{"allow": true, "type": "b", "major": major, "minor": minor, "access": "rw"}]);
    }
}

fn mount(place: &str, kind: &str, options: &[&str]) -> Value {
    json!({"destination": place, "type": kind, "source": kind, "options": options})
}

fn linux(id: &str, inside: &Inside) -> Value {
    let mut namespaces = NAMESPACES.to_vec();
    let mut linux = json!({});
    if geteuid().is_root() {
        linux["cgroupsPath"] = format!("/{id}").into(); // the runtime removes it with the container
        if let Some(shares) = inside.shares {
            linux["resources"]["cpu"] = json!({"shares": shares});
        }
    }
    if inside.maps_user {
        namespaces.push("user");
        let map = |id: u32| json!([{"containerID": 0, "hostID": id, "size": 1}]);
        linux["uidMappings"] = map(geteuid().as_raw());
        linux["gidMappings"] = map(getegid().as_raw());
    }
    let shared = inside.given.net.as_ref().and_then(|net| net.namespace.as_ref());
    let namespace = |kind: &&str| match shared.filter(|_| *kind == "network") {
        Some(path) => json!({"type": kind, "path": path}),
        None => json!({"type": kind}),
    };
    linux["namespaces"] = namespaces.iter().map(namespace).collect();
    linux
}
