//! The bundle of a container, as the OCI runtime specification wants it: `config.json` and a root
//! folder that holds the probe and nothing else.
//!
//! The runtime's own defaults rule: no seccomp profile, no capabilities, no limits. Docker adds a
//! seccomp filter, which costs time on every system call.

use crate::{BootSpec, Host};
use nix::unistd::{getegid, geteuid};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::{fs, io};

/// Writes the bundle into the boot's folder; where it is. With `maps_user` the container gets a
/// user namespace whose root is this user.
pub(crate) fn write(host: &Host, boot: &BootSpec, maps_user: bool) -> io::Result<PathBuf> {
    let bundle = boot.folder.join("bundle");
    let root = bundle.join("rootfs");
    for place in ["proc", "sys", "dev", "tmp"] {
        fs::create_dir_all(root.join(place))?;
    }
    fs::copy(&host.probe, root.join("tare-probe"))?; // a link would let it at the cache's file
    fs::write(bundle.join("config.json"), config(boot.id, maps_user).to_string())?;
    Ok(bundle)
}

fn config(id: &str, maps_user: bool) -> Value {
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
        "linux": linux(id, maps_user),
    })
}

fn mount(place: &str, kind: &str, options: &[&str]) -> Value {
    json!({"destination": place, "type": kind, "source": kind, "options": options})
}

fn linux(id: &str, maps_user: bool) -> Value {
    let mut namespaces = vec!["pid", "ipc", "uts", "mount", "network"];
    let mut linux = json!({});
    if geteuid().is_root() {
        linux["cgroupsPath"] = format!("/{id}").into(); // the runtime removes it with the container
    }
    if maps_user {
        namespaces.push("user");
        let map = |id: u32| json!([{"containerID": 0, "hostID": id, "size": 1}]);
        linux["uidMappings"] = map(geteuid().as_raw());
        linux["gidMappings"] = map(getegid().as_raw());
    }
    linux["namespaces"] = namespaces.iter().map(|kind| json!({"type": kind})).collect();
    linux
}
