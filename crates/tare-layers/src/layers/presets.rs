//! Layers that are words known to tare: one row each, on top of `command`. Every setting can be overruled, also the words.

use crate::layers::command::{self, Recipe};
use crate::{LayerKind, Settings, Unnamed};
use std::fs;
use tare_keeper::programs;
use tare_proto::Machine;

/// What a kind needs beside its words.
const fn kind(
    name: &'static str,
    about: &'static str,
    defaults: &'static [(&'static str, &'static str)],
    recipe: &'static Recipe,
) -> LayerKind {
    LayerKind {
        name,
        about,
        machine: Some(Machine::Real),
        settings: command::SETTINGS,
        defaults,
        unnamed: Unnamed::Tried("an engine around what native and runc show"),
        words: Some(recipe),
        make: command::make,
    }
}

/// No image is needed or pulled: its root is a folder that holds the probe.
pub const PODMAN: LayerKind = kind(
    "podman",
    "a container of podman, without an image (engine='--runtime runc': another runtime)",
    &[
        ("check", "podman {engine} ps --quiet"),
        (
            "start",
            "podman {engine} run -i --name {id} --network none --cgroup-parent=/{id} --log-driver none \
             --ulimit nofile={nofile}:{nofile} --ulimit nproc={nproc}:{nproc} --tmpfs /tmp:exec,mode=1777 -e TARE_SCRATCH=/tmp \
             -e TARE_DISK_FOLDER=/files -v {files}:/files {args} --rootfs {root} /tare-probe serve",
        ),
        // Where podman's own processes have been killed with the container, it does not make the runtime forget the container.
        (
            "stop",
            "sh -c 'name=$1; shift; it=$(podman \"$@\" container inspect \"$name\" \
             --format \"{{.Id}}/{{.OCIRuntime}}\") && \"${it#*/}\" delete --force \"${it%%/*}\"; \
             podman \"$@\" rm --force --ignore --time 0 \"$name\"' sh {id} {engine}",
        ),
    ],
    &Recipe {
        version: Some("--version"),
        remedies: &[
            (
                "newuidmap",
                "install uidmap and give this user a range in /etc/subuid and /etc/subgid, or run tare as root",
            ),
            ("permission denied", "set HOME to a folder of this user's, or run tare as root"),
            ("cannot resolve", "set HOME to a folder of this user's, or run tare as root"),
            ("cgroups in hybrid mode", "use a runtime that does without: engine='--runtime runc'"),
        ],
        complete: runtime_for_these_cgroups,
        ..Recipe::TESTED
    },
);

/// crun refuses hosts with both versions of control groups; runc does not.
fn runtime_for_these_cgroups(settings: &mut Settings) {
    let second = fs::read_to_string("/sys/fs/cgroup/unified/cgroup.controllers");
    if second.is_ok_and(|text| !text.trim().is_empty()) && programs::find("runc").is_ok() {
        settings.default_to("engine", "--runtime runc");
    }
}

pub const DOCKER: LayerKind = kind(
    "docker",
    "a container of docker, from an image made of the probe alone and removed with the campaign",
    &[
        ("check", "docker info"),
        (
            "prepare",
            "sh -c 'tar -C \"$1\" -c . | docker import - \"$2\"' sh {root} tare-probe:{campaign}",
        ),
        (
            "start",
            "docker run --rm -i --pull never --name {id} --network none --cpuset-cpus {cpu_list} --log-driver none \
             --tmpfs /tmp:exec,mode=1777 -e TARE_SCRATCH=/tmp -v {files}:/files -e TARE_DISK_FOLDER=/files {args} tare-probe:{campaign} \
             /tare-probe serve",
        ),
        ("stop", "docker rm --force {id}"),
        // If tare is killed, its last containers are being removed meanwhile, and an image waits for them: by force it would only
        // lose its name.
        (
            "finish",
            "sh -c 'for try in 1 2 3 4 5 6 7; do docker rmi \"$1\" && exit; left=$(docker images -q \"$1\") && [ -z \"$left\" ] && exit; \
             sleep 0.9; done; exit 1' sh tare-probe:{campaign}",
        ),
        ("processes", "elsewhere"),
    ],
    &Recipe {
        version: Some("--version"),
        remedies: &[
            (
                "Cannot connect to the Docker daemon",
                "start it (systemctl start docker), or say where it is with DOCKER_HOST",
            ),
            (
                "permission denied",
                "run tare as root, or join the group docker, which is as good as root",
            ),
        ],
        ..Recipe::TESTED
    },
);

pub const BWRAP: LayerKind = kind(
    "bwrap",
    "bubblewrap: namespaces of its own, without a runtime or root",
    &[(
        "start",
        "bwrap --unshare-all --die-with-parent --clearenv --setenv TARE_SCRATCH /tmp --setenv TARE_DISK_FOLDER /files \
         --bind {root} / --proc /proc --dev /dev --tmpfs /tmp --bind {files} /files {args} -- /tare-probe serve",
    )],
    &Recipe { version: Some("--version"), ..Recipe::TESTED },
);

pub const NSPAWN: LayerKind = kind(
    "nspawn",
    "a container of systemd-nspawn, without registration and network",
    &[
        (
            "start",
            "systemd-nspawn --quiet --register=no --keep-unit --pipe --private-network --as-pid2 --machine={id} \
             --tmpfs=/tmp --bind={files}:/files --setenv=TARE_SCRATCH=/tmp --setenv=TARE_DISK_FOLDER=/files {args} \
             --directory={root} /tare-probe serve",
        ),
        ("stop", "rm -rf --one-file-system /run/systemd/nspawn/propagate/{id}"),
    ],
    &Recipe { root: true, version: Some("--version"), ..Recipe::TESTED },
);

pub const LXC: LayerKind = kind(
    "lxc",
    "a container of LXC (lxc-execute), without a network",
    &[
        (
            "start",
            "lxc-execute -n {id} -P {folder} -f /dev/null -s lxc.rootfs.path=dir:{root} -s lxc.net.0.type=empty \
         -s lxc.cgroup.dir={id} -s 'lxc.mount.auto=proc:mixed sys:ro' -s lxc.autodev=1 \
         -s 'lxc.mount.entry=tmpfs tmp tmpfs rw 0 0' -s 'lxc.mount.entry={files} files none bind 0 0' \
         -s lxc.environment=TARE_SCRATCH=/tmp -s lxc.environment=TARE_DISK_FOLDER=/files {args} -- /tare-probe serve",
        ),
        // It locks a file that is called after its folder, and leaves it.
        ("stop", "rm -rf --one-file-system /run/lxc/lock/{folder}"),
    ],
    &Recipe { root: true, version: Some("--version"), ..Recipe::TESTED },
);

pub const CHROOT: LayerKind = kind(
    "chroot",
    "a change of root, in a mount namespace of its own",
    &[(
        "start",
        "unshare --mount sh -c 'mount -t proc proc \"$1/proc\" && mount --rbind /dev \"$1/dev\" && \
         mount -t tmpfs tmpfs \"$1/tmp\" && mount --bind \"$2\" \"$1/files\" && \
         exec env - PATH=/usr/sbin:/usr/bin:/sbin:/bin TARE_SCRATCH=/tmp TARE_DISK_FOLDER=/files \
         chroot \"$1\" /tare-probe serve' sh {root} {files}",
    )],
    &Recipe { root: true, ..Recipe::TESTED },
);
