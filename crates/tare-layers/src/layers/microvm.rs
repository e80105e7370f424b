//! Small monitors that boot a kernel and have its first serial line on their standard input and output: words on top of
//! `command`, written from their documentation and, where that says nothing of pipes, from their source. They need KVM, and Debian
//! 12 has no package of any of them.

use crate::layers::command::{self, Recipe, Tested};
use crate::{LayerKind, Settings, Unnamed};
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
        unnamed: Unnamed::Ignored,
        words: Some(recipe),
        make: command::make,
    }
}

const NEEDS_KVM: &str = "use a machine with KVM, and a user who may open /dev/kvm";

const RECIPE: Recipe = Recipe {
    version: Some("--version"),
    remedies: &[
        ("there is no program", "put it into a folder of PATH"),
        ("/dev/kvm", NEEDS_KVM),
        ("hypervisor interface", NEEDS_KVM),
    ],
    tested: Tested::Words("Debian 12 has no package of it"),
    ..Recipe::TESTED
};

pub const KVMTOOL: LayerKind = kind(
    "kvmtool",
    "a virtual machine of KVM under kvmtool (lkvm run)",
    &[
        (
            "start",
            "lkvm run --mem {memory} --cpus {cpus} --console serial --network mode=none --kernel {kernel} --initrd {initramfs} \
             --params '{cmdline}' {args}",
        ),
        // Its term.c starts what reads the standard input only where that and the standard output are terminals.
        ("tty", "true"),
    ],
    &RECIPE,
);

pub const CLOUD_HYPERVISOR: LayerKind = kind(
    "cloud-hypervisor",
    "a virtual machine of KVM under Cloud Hypervisor",
    &[
        // Its machine has ACPI and is switched off; one that is reset starts again in the same process.
        (
            "start",
            "cloud-hypervisor --cpus boot={cpus} --memory size={memory}M --console off --serial tty --kernel {vmlinux} \
             --initramfs {initramfs} --cmdline '{cmdline} tare.end=off' {args}",
        ),
        // Its serial_manager.rs takes input of `--serial tty` only from a terminal. `--serial socket=` would need another program
        // between the socket and the line, and lost what came before that had connected.
        ("tty", "true"),
    ],
    &RECIPE,
);

pub const FIRECRACKER: LayerKind = kind(
    "firecracker",
    "a virtual machine of KVM under Firecracker",
    &[
        ("sh", "true"),
        (
            "start",
            r#"printf '{"boot-source": {"kernel_image_path": "%s", "initrd_path": "%s", "boot_args": "%s"}, "drives": [], "machine-config": {"vcpu_count": %s, "mem_size_mib": %s}}' {vmlinux} {initramfs} {cmdline} {cpus} {memory} >vm.json; exec firecracker --no-api --config-file vm.json {args}"#,
        ),
    ],
    &Recipe { complete: look_for_firecracker, ..RECIPE },
);

/// What a shell starts is not seen in its words: without it every trial would write a machine first.
fn look_for_firecracker(settings: &mut Settings) {
    let own = FIRECRACKER.defaults.iter().find(|(key, _)| *key == "start");
    if settings.get("start") == own.map(|(_, words)| *words) {
        settings.default_to(
            "check",
            "command -v firecracker >/dev/null || ! echo there is no program firecracker >&2",
        );
    }
}
