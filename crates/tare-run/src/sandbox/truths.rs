//! What a restored layer says of itself, beside what another one of the same image says: what copies should not share.

use super::asked::Seen;
use super::image::Image;
use super::visit::Visit;
use crate::plan::sandbox_benches::RESTORE_START;
use std::fs;
use tare_board::format::quantity;
use tare_proto::Unit;

/// How far a realtime clock may be from where it was before it counts as having jumped, in seconds.
const JUMP: f64 = 0.02;

impl Visit {
    /// Notes what the restored layers, which were `seen`, share and should not, and where their clock stands.
    pub(super) fn truths(&mut self, image: &Image, seen: &[Seen]) {
        let host = of_host();
        if let Some(text) = image.before.as_ref().and_then(|before| said(before, seen, &host)) {
            self.ledger.note(RESTORE_START, text);
        }
    }
}

/// What this host says of itself, as layers do: a container has the same.
fn of_host() -> String {
    let text = |path| fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    format!("machine={} boot={}", text("/etc/machine-id"), text("/proc/sys/kernel/random/boot_id"))
}

/// What of a layer copies should not share, and how it is called.
const UNIQUE: [(&str, &str); 4] = [
    ("random", "the kernel's random numbers"),
    ("machine", "the machine id"),
    ("boot", "the boot id"),
    ("mac", "the MAC address"),
];

/// What two layers of one image share, beyond what they have of the `host`, and by how much the clock of the last is off.
fn said(before: &Seen, seen: &[Seen], host: &str) -> Option<String> {
    let [.., other] = seen else { return None };
    let pairs = |key: &str| {
        let mut rest = seen.iter().enumerate();
        rest.any(|(at, one)| {
            seen[at + 1..].iter().any(|two| shared(&one.identity, &two.identity, key))
        })
    };
    if seen.len() < 2 {
        return None;
    }
    let mut parts = Vec::new();
    let same = UNIQUE.into_iter().filter(|(key, _)| pairs(key));
    let (hosts, same): (Vec<_>, Vec<_>) =
        same.partition(|(key, _)| shared(&other.identity, host, key));
    let names =
        |all: Vec<(&str, &'static str)>| all.into_iter().map(|(_, what)| what).collect::<Vec<_>>();
    parts.push(match (same.is_empty(), hosts.is_empty()) {
        (true, true) => {
            "two restored of one image share no random number, machine id, boot id or MAC address"
                .into()
        }
        (true, false) => "two restored of one image share no identity of their own".into(),
        _ => format!("two restored of one image share {}", names(same).join(", ")),
    });
    if !hosts.is_empty() {
        parts.push(format!("of this host they have {}", names(hosts).join(", ")));
    }
    let late = before.ahead_s - other.ahead_s;
    let clock = match late > JUMP {
        true => {
            let by = quantity(Unit::Nanoseconds, late * 1e9);
            format!(
                "the realtime clock of a restored one is {by} late: it goes on from when the layer was saved"
            )
        }
        false => {
            "the realtime clock of a restored one is the host's, so to a program inside it jumps"
                .into()
        }
    };
    parts.push(clock);
    Some(parts.join("; "))
}

/// Whether both say the same of `key`, and anything at all.
fn shared(one: &str, other: &str, key: &str) -> bool {
    let of = |text: &str| {
        let word = text.split(' ').find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
        word.filter(|word| *word != "-").map(str::to_owned)
    };
    of(one).zip(of(other)).is_some_and(|(one, other)| one == other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(random: &str, ahead_s: f64) -> Seen {
        Seen { identity: format!("random={random} machine=- boot=b mac=-"), ahead_s }
    }

    #[test]
    fn what_copies_share_is_named_and_what_there_is_not_is_not() {
        let text = said(&seen("x", 0.0), &[seen("a", 0.0), seen("a", 0.001)], "boot=h").unwrap();
        assert!(text.starts_with(
            "two restored of one image share the kernel's random numbers, the boot id;"
        ));
        assert!(!text.contains("machine") && text.contains("jumps"), "{text}");
    }

    #[test]
    fn what_containers_have_of_the_host_is_not_what_copies_share() {
        let text = said(&seen("x", 0.0), &[seen("a", 0.0), seen("c", 0.0)], "boot=b").unwrap();
        let start = "two restored of one image share no identity of their own; of this host they have the boot id;";
        assert!(text.starts_with(start), "{text}");
    }

    #[test]
    fn a_clock_that_stood_still_is_behind() {
        let text = said(&seen("x", 0.0), &[seen("a", -2.0), seen("c", -3.0)], "boot=h").unwrap();
        assert!(text.contains("share the boot id") && text.contains("3.00 s late"), "{text}");
        assert_eq!(said(&seen("x", 0.0), &[], "boot=h"), None);
    }
}
