//! Says what to do about a boot that failed, from its error and its console's last lines.

use crate::{SessionError, Unavailable};

/// What consoles say, and what to do then.
const KNOWN: &[(&str, &str)] = &[
    ("No space left on device", "make room in the folder for temporary files, or set TMPDIR"),
    ("Cannot allocate memory", "close other programs, or give the layer less (memory=)"),
    ("Unable to mount root fs", "the kernel has no initramfs support: give another (kernel=)"),
    (
        "ermission denied",
        "run tare as root, or let users make user namespaces: \
         sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
    (
        "peration not permitted",
        "run tare as root, or let users make user namespaces: \
         sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
    ("unknown platform", "use a platform that this runsc has (platform=), or a newer runsc"),
];

/// Why the boot failed and what to do, for any layer.
pub fn explain(error: &SessionError, console: &str) -> Unavailable {
    let last = console.lines().last().map(|line| format!(": {line}")).unwrap_or_default();
    let known = KNOWN.iter().find(|(text, _)| console.contains(text));
    let remedy = match (known, error) {
        (Some((_, remedy)), _) => remedy,
        (None, SessionError::NoGreeting(_)) => "give it more time, or look at its console's log",
        (None, _) => "look at its console's log and at the layer's settings",
    };
    Unavailable::new(format!("{error}{last}"), remedy)
}
