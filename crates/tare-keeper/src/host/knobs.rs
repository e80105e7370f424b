//! The knobs of this host that a layer may be booted and measured with, one row each. Nothing else of the host is ever set.

use crate::Unavailable;
use nix::fcntl::{Flock, FlockArg};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;

/// A knob.
#[derive(Debug)]
pub struct Knob {
    /// What it is called.
    pub name: &'static str,
    /// What it does, in a few words.
    pub about: &'static str,
    values: Values,
    /// The kernel's file of it; none for a limit that only what tare starts has.
    file: Option<&'static str>,
}

#[derive(Debug)]
enum Values {
    OneOf(&'static [&'static str]),
    UpTo(u64),
}

/// The limit of open files.
const OPEN_FILES: &str = "nofile";

/// Every knob.
pub const KNOBS: &[Knob] = &[
    Knob {
        name: "rcu_expedited",
        about: "1: grace periods of RCU end sooner, and interrupt all CPUs for it",
        values: Values::OneOf(&["0", "1"]),
        file: Some("/sys/kernel/rcu_expedited"),
    },
    Knob {
        name: "rcu_normal",
        about: "1: no grace period is expedited, whoever asks for it",
        values: Values::OneOf(&["0", "1"]),
        file: Some("/sys/kernel/rcu_normal"),
    },
    Knob {
        name: "thp",
        about: "which memory gets transparent huge pages",
        values: Values::OneOf(&["always", "madvise", "never"]),
        file: Some("/sys/kernel/mm/transparent_hugepage/enabled"),
    },
    Knob {
        name: "thp_defrag",
        about: "who waits until memory is made free for a huge page",
        values: Values::OneOf(&["always", "defer", "defer+madvise", "madvise", "never"]),
        file: Some("/sys/kernel/mm/transparent_hugepage/defrag"),
    },
    Knob {
        name: "halt_poll_ns",
        about: "nanoseconds for which KVM polls before the thread of an idle virtual CPU sleeps",
        values: Values::UpTo(u32::MAX as u64),
        file: Some("/sys/module/kvm/parameters/halt_poll_ns"),
    },
    Knob {
        name: "swappiness",
        about: "how much the kernel prefers swapping to dropping cached files",
        values: Values::UpTo(200),
        file: Some("/proc/sys/vm/swappiness"),
    },
    Knob {
        name: OPEN_FILES,
        about: "open files that each process may have which the layer's own program starts, and it itself",
        values: Values::UpTo(1 << 30),
        file: None,
    },
];

/// The limit of open files among the knobs of a layer.
pub(crate) fn open_files(knobs: &[(String, String)]) -> Option<u64> {
    knobs.iter().find(|(name, _)| name == OPEN_FILES)?.1.parse().ok()
}

impl Knob {
    /// The knob of that name.
    pub fn named(name: &str) -> Option<&'static Knob> {
        KNOBS.iter().find(|knob| knob.name == name)
    }

    /// The values that it takes, in words.
    pub fn values(&self) -> String {
        match self.values {
            Values::OneOf(words) => words.join(", "),
            Values::UpTo(most) => format!("a whole number up to {most}"),
        }
    }

    /// Whether `value` is one of those.
    pub fn takes(&self, value: &str) -> bool {
        match self.values {
            Values::OneOf(words) => words.contains(&value),
            Values::UpTo(most) => value.parse::<u64>().is_ok_and(|number| number <= most),
        }
    }

    /// Whether this user may turn it on this host.
    pub fn check(&self) -> Result<(), Unavailable> {
        let Some(file) = self.file else { return Ok(()) };
        let name = self.name;
        let Ok(found) = fs::metadata(file) else {
            let remedy = "omit it: this kernel lacks it, or its module is not loaded";
            return Err(Unavailable::new(format!("knobs={name}: there is no {file}"), remedy));
        };
        if found.permissions().mode() & 0o222 == 0 {
            let why = format!("knobs={name}: this kernel lets nobody write to {file}");
            return Err(Unavailable::new(
                why,
                "omit it, and set it among the kernel's arguments or its module's",
            ));
        }
        let opened = OpenOptions::new().write(true).open(file).map(drop);
        opened
            .map_err(|e| Unavailable::new(format!("knobs={name}: {file}: {e}"), "run tare as root"))
    }

    /// Whether it is the whole host's, and so has to be put back.
    pub(crate) fn is_shared(&self) -> bool {
        self.file.is_some()
    }

    /// Takes it for this process, until the file is closed.
    pub(crate) fn lock(&self) -> io::Result<Flock<File>> {
        let file = File::open(self.file.unwrap_or_default())?;
        Flock::lock(file, FlockArg::LockExclusiveNonblock)
            .map_err(|_| io::Error::other(format!("another tare turns {}", self.name)))
    }

    /// Its value.
    pub(crate) fn read(&self) -> io::Result<String> {
        Ok(chosen(&fs::read_to_string(self.file.unwrap_or_default())?))
    }

    /// Turns it to `value`, and fails if the kernel keeps another one.
    pub(crate) fn set(&self, value: &str) -> io::Result<()> {
        let named = |e| io::Error::other(format!("{}={value}: {e}", self.name));
        let file = self.file.unwrap_or_default();
        let written = OpenOptions::new().write(true).open(file);
        written.and_then(|mut file| file.write_all(value.as_bytes())).map_err(named)?;
        match self.read().map_err(named)? {
            kept if kept == value => Ok(()),
            kept => Err(named(io::Error::other(format!("the kernel keeps {kept}")))),
        }
    }
}

/// The value in a file of the kernel's, which may list all with brackets around it.
fn chosen(text: &str) -> String {
    text.split(['[', ']']).nth(1).unwrap_or(text).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_knob_takes_its_values_and_has_one_of_them() {
        let names: BTreeSet<_> = KNOBS.iter().map(|knob| knob.name).collect();
        assert_eq!(names.len(), KNOBS.len());
        for knob in KNOBS.iter().filter(|knob| knob.is_shared() && knob.read().is_ok()) {
            let value = knob.read().unwrap();
            assert!(knob.takes(&value), "{}={value}: {}", knob.name, knob.values());
        }
        let takes = |name, value| Knob::named(name).unwrap().takes(value);
        assert!(takes("thp", "never") && takes("swappiness", "200"));
        assert!(!takes("thp", "[never]") && !takes("swappiness", "201") && !takes("nofile", "-1"));
        assert!(Knob::named("/proc/sys/vm/swappiness").is_none());
    }

    #[test]
    fn the_value_stands_alone_or_in_brackets() {
        assert_eq!(chosen("always [madvise] never\n"), "madvise");
        assert_eq!(chosen("60\n"), "60");
    }
}
