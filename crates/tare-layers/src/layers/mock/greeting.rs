//! How a mock greets: well, or as hostile as it can.

use tare_proto::{Hello, Mitigation, PROTOCOL};

/// What no terminal may ever be given: it clears the screen, sets the window's title, rings, and turns the direction.
pub(super) const HOSTILE: &str =
    "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{7f}\u{202e}reversed\u{2066}";

pub(super) fn greeting() -> Hello {
    Hello {
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION").into(),
        kernel: "mock".into(),
        cpus: 1,
        affinity: vec![0],
        page_size: 4096,
        clock_resolution_ns: 1,
        scratch_fs: "tmpfs".into(),
        ..Hello::default()
    }
}

pub(super) fn hostile_greeting() -> Hello {
    let text = || HOSTILE.to_owned();
    Hello {
        version: text(),
        kernel: text(),
        kernel_version: text(),
        machine: text(),
        cpu_model: text(),
        clock_source: text(),
        thp: text(),
        aslr: text(),
        idle: text(),
        governor: text(),
        tunables: text(),
        mitigations: vec![Mitigation { name: text(), state: text() }],
        scratch: text(),
        scratch_fs: text(),
        ..greeting()
    }
}
