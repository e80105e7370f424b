//! What a kind of words consists of: its settings, and what is known of it beside the words.

use crate::attach::knobs;
use crate::{Setting, Settings};
use std::path::Path;

/// The settings of every kind that is words.
pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        key: "start",
        about: "the words that start it: its standard input and output must be the probe's",
    },
    Setting {
        key: "stop",
        about: "ends what outlives those words; runs on every ending, and must succeed when there is nothing to end",
    },
    Setting {
        key: "save",
        about: "saves the layer that runs into the folder {image}; it may end with that (docs/sandbox.md)",
    },
    Setting {
        key: "restore",
        about: "starts another one from {image}, as start= does from nothing, with the same {root} and {files}",
    },
    Setting { key: "check", about: "a quick look whether it can run here" },
    Setting { key: "prepare", about: "makes what all boots of a campaign share, once" },
    Setting { key: "push", about: "brings the probe there, once a campaign, after prepare" },
    Setting { key: "finish", about: "removes what prepare and push have made" },
    Setting {
        key: "processes",
        about: "below (those that start= starts) or elsewhere (behind a daemon, on another host)",
    },
    Setting {
        key: "pids",
        about: "prints the layer's process ids where they are elsewhere on this host",
    },
    Setting {
        key: "cgroup",
        about: "the control group that has the layer's processes where they are elsewhere on this host",
    },
    Setting { key: "sh", about: "true: a shell runs the words" },
    Setting {
        key: "tty",
        about: "true: its standard input and output are a terminal, for a program that reads from nothing else",
    },
    Setting { key: "args", about: "more words, where {args} stands" },
    Setting { key: "vcpus", about: "what {cpus} stands for (default 1)" },
    Setting { key: "memory", about: "what {memory} stands for (default 512M)" },
    Setting { key: "kernel", about: "what {kernel} stands for (default: one that tare finds)" },
    knobs::SETTING,
];

/// What is known of a kind of words beside the words themselves.
#[derive(Debug, Clone, Copy)]
pub struct Recipe {
    /// Only root can start it.
    pub root: bool,
    /// Settings that it must have, and what each is.
    pub needs: &'static [(&'static str, &'static str)],
    /// Settings that are absolute paths of another machine.
    pub absolute: &'static [&'static str],
    /// Its program says its version so.
    pub version: Option<&'static str>,
    /// Texts on its console, and what to do about them.
    pub remedies: &'static [(&'static str, &'static str)],
    /// Whether tests boot it.
    pub tested: Tested,
    /// Adds settings that depend on the host or on other settings.
    pub complete: fn(&mut Settings),
}

/// Whether tests boot a kind of layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tested {
    /// They do.
    Booted,
    /// They run its words with a stand-in for its program, because of this.
    Words(&'static str),
}

impl Recipe {
    /// One that tests boot, with nothing to say of it.
    pub(crate) const TESTED: Recipe = Recipe {
        root: false,
        needs: &[],
        absolute: &[],
        version: None,
        remedies: &[],
        tested: Tested::Booted,
        complete: |_| {},
    };
}

/// Programs that only ask somebody else to start a layer: a daemon, or another host.
const CLIENTS: &[&str] = &[
    "docker",
    "nerdctl",
    "ctr",
    "crictl",
    "kubectl",
    "oc",
    "ssh",
    "virsh",
    "lxc",
    "incus",
    "limactl",
    "multipass",
    "machinectl",
    "systemd-run",
    "gcloud",
    "aws",
    "adb",
    "srun",
];

/// A client's layer is elsewhere.
pub(super) fn complete(settings: &mut Settings) {
    let first = settings.get("start").and_then(|start| start.split_whitespace().next());
    let name = first.and_then(|first| Path::new(first).file_name()?.to_str());
    if name.is_some_and(|name| CLIENTS.contains(&name)) {
        settings.default_to("processes", "elsewhere");
    }
}
