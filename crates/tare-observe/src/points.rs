//! The tracepoints that an observer uses, and which of them this kernel lacks.

use crate::refused::Refused;
use crate::tracefs::Tracefs;
use crate::tracepoint::{Known, Reads};
use std::fmt;
use std::io;

/// Tracepoints that must be there, wherever time is told.
pub(crate) const NEEDED: [&str; 2] = ["sched/sched_switch", "sched/sched_waking"];

/// Tracepoints that are counted where the kernel has them.
pub(crate) const COUNTED: [&str; 9] = [
    "raw_syscalls/sys_enter",
    "signal/signal_deliver",
    "exceptions/page_fault_user",
    "kvm/kvm_exit",
    "kvm/kvm_inj_virq",
    "tlb/tlb_flush",
    "block/block_rq_issue",
    "net/net_dev_xmit",
    "net/netif_receive_skb",
];

/// Tracepoints that say in which system call a thread is.
pub(crate) const CALLS: [&str; 2] = ["raw_syscalls/sys_enter", "raw_syscalls/sys_exit"];

/// A tracepoint that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Its name (`signal/signal_deliver`).
    pub name: &'static str,
    /// Why.
    pub why: String,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.why)
    }
}

/// Those that can be used, each with its name, and those that cannot.
#[derive(Default)]
pub(crate) struct Points {
    pub known: Vec<Known>,
    pub names: Vec<&'static str>,
    pub missing: Vec<Missing>,
}

impl Points {
    /// What is `needed`, and of `counted` what is there.
    pub(crate) fn of(
        tracefs: &Tracefs,
        needed: &[&'static str],
        counted: &[&'static str],
    ) -> Result<Points, Refused> {
        let mut points = Points::default();
        for name in needed.iter().chain(counted).copied() {
            let place = points.names.len();
            let known = tracefs.tracepoint(name).and_then(|format| {
                let reads = Reads::of(name, &format, place);
                let reads = reads.ok_or_else(|| io::Error::other("its fields are not known"))?;
                Ok(Known { id: format.id, reads })
            });
            match known {
                Ok(known) => {
                    points.known.push(known);
                    points.names.push(name);
                }
                Err(error) if needed.contains(&name) => return Err(Refused::tracefs(error)),
                Err(error) => points.lacks(name, error.to_string()),
            }
        }
        Ok(points)
    }

    /// Takes down once that `name` cannot be used.
    pub(crate) fn lacks(&mut self, name: &'static str, why: String) {
        if !self.missing.iter().any(|one| one.name == name) {
            self.missing.push(Missing { name, why });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const SWITCH: &str = "ID: 1\n\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n\
        \tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n";
    const WAKING: &str = "ID: 2\n\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n";

    #[test]
    fn what_a_kernel_lacks_is_said_and_what_must_be_there_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let place = folder.path().join("events").join(name);
            fs::create_dir_all(&place).unwrap();
            fs::write(place.join("format"), text).unwrap();
        };
        put("sched/sched_switch", SWITCH);
        let tracefs = Tracefs::at(folder.path());
        let without_waking = Points::of(&tracefs, &NEEDED, &COUNTED).err().unwrap().to_string();
        assert!(without_waking.contains("CONFIG_FTRACE"), "{without_waking}");
        put("sched/sched_waking", WAKING);
        put("signal/signal_deliver", "ID: 3\n\tfield:int other;\toffset:8;\tsize:4;\tsigned:1;\n");
        put("tlb/tlb_flush", "ID: 4\n");
        let points = Points::of(&tracefs, &NEEDED, &COUNTED).unwrap();
        assert_eq!(points.names, ["sched/sched_switch", "sched/sched_waking", "tlb/tlb_flush"]);
        let missing: Vec<&str> = points.missing.iter().map(|one| one.name).collect();
        assert_eq!(missing.len(), COUNTED.len() - 1);
        let signal = points.missing.iter().find(|one| one.name == "signal/signal_deliver").unwrap();
        assert_eq!(signal.to_string(), "signal/signal_deliver (its fields are not known)");
        assert!(missing.contains(&"raw_syscalls/sys_enter"));
    }
}
