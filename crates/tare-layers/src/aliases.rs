//! Other names of kinds of layers, as people know them.

use crate::Settings;

/// A name, the kind that it means, and the settings that make it that.
type Alias = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// The names. None of them is a kind's own.
pub(crate) const ALIASES: &[Alias] = &[
    ("host", "native", &[]),
    ("gvisor", "runsc", &[]),
    ("user-mode-linux", "uml", &[]),
    ("tcg", "qemu", &[]),
    ("qemu-kvm", "kvm", &[("vmm", "qemu")]),
    ("bubblewrap", "bwrap", &[]),
    ("systemd-nspawn", "nspawn", &[]),
    ("lkvm", "kvmtool", &[]),
    ("xen", "xen-pv", &[]),
    ("docker-runsc", "docker", &[("args", "--runtime runsc")]),
    ("docker-gvisor", "docker", &[("args", "--runtime runsc")]),
    ("docker-crun", "docker", &[("args", "--runtime crun")]),
    ("podman-runc", "podman", &[("engine", "--runtime runc")]),
    ("podman-crun", "podman", &[("engine", "--runtime crun")]),
];

/// The other names of the kind called `kind`, without settings of their own.
pub fn other_names(kind: &str) -> impl Iterator<Item = &'static str> {
    let of = move |(_, of, more): &&Alias| *of == kind && more.is_empty();
    ALIASES.iter().filter(of).map(|(name, ..)| *name)
}

/// `settings` with the kind that they mean, where they name it by another name. The layer keeps the name that it was given.
pub(crate) fn resolve(settings: &mut Settings) {
    let named = settings.get("kind").or(settings.get("name"));
    let Some((_, kind, more)) = ALIASES.iter().find(|(alias, ..)| Some(*alias) == named) else {
        return;
    };
    settings.replace("kind", kind);
    for (key, value) in *more {
        settings.default_to(key, value);
    }
}
