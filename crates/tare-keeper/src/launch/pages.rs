//! How the host keeps the memory of a layer's processes: whether it merges equal pages (KSM), and whether it may use huge ones. The
//! kernel takes both for a process and all that come from it, so that any layer can have them whose processes are tare's.

use crate::{Unavailable, programs};
use nix::errno::Errno;
use serde::{Deserialize, Serialize};
use std::os::unix::process::CommandExt;
use std::time::Duration;
use std::{fs, io};

/// Whether the host's scanner for equal pages is on.
const RUN: &str = "/sys/kernel/mm/ksm/run";

/// What a process sees of its own pages, and what it says when they may be merged.
const OWN: &str = "/proc/self/ksm_stat";
const MERGES: &str = "ksm_merge_any: yes";

/// Longest time that a process may take to look at itself.
const LOOK: Duration = Duration::from_secs(10);

/// How pages are kept; as any other process' unless something was set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pages {
    /// Equal ones may be merged.
    pub merged: bool,
    /// None is huge.
    pub small: bool,
}

impl Pages {
    /// Asks for this, for this process and what comes from it. Only makes system calls, as is allowed between fork and exec.
    pub(crate) fn ask(self) -> io::Result<()> {
        let wanted =
            [(libc::PR_SET_MEMORY_MERGE, self.merged), (libc::PR_SET_THP_DISABLE, self.small)];
        for (option, _) in wanted.into_iter().filter(|(_, wanted)| *wanted) {
            // SAFETY: both options take plain numbers.
            Errno::result(unsafe { libc::prctl(option, 1, 0, 0, 0) })?;
        }
        Ok(())
    }

    /// Whether this host lets a process have it, and hands it on to the programs that the process starts.
    pub fn check(self) -> Result<(), Unavailable> {
        if !self.merged {
            return self.look().map(drop);
        }
        let runs = fs::read_to_string(RUN).unwrap_or_default();
        if runs.trim() != "1" {
            let why = format!("this host merges no pages: {RUN} is not 1");
            return Err(Unavailable::new(
                why,
                format!("as root: echo 1 > {RUN}; or leave ksm=on out"),
            ));
        }
        match self.look()?.contains(MERGES) {
            true => Ok(()),
            false => {
                let why =
                    "this kernel does not say that programs keep what ksm=on asks for (ksm_stat)";
                Err(Unavailable::new(why, "Linux 6.14 or newer; or leave ksm=on out"))
            }
        }
    }

    /// What a program sees of itself that was started like this.
    fn look(self) -> Result<String, Unavailable> {
        let mut look = programs::plain("cat");
        look.arg(if self.merged { OWN } else { "/dev/null" });
        // SAFETY: `ask` only makes system calls.
        unsafe { look.pre_exec(move || self.ask()) };
        programs::output(&mut look, LOOK).map_err(|why| {
            let why = format!("the host refuses ksm=on or thp=never to this user: {why}");
            Unavailable::new(why, "run tare as root, or leave the setting out")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_no_huge_pages_when_none_are_wanted() {
        let mut look = programs::plain("grep");
        look.args(["THP_enabled", "/proc/self/status"]);
        let pages = Pages { small: true, ..Pages::default() };
        // SAFETY: `ask` only makes system calls.
        unsafe { look.pre_exec(move || pages.ask()) };
        assert_eq!(programs::output(&mut look, LOOK).unwrap().trim(), "THP_enabled:\t0");
        assert!(pages.check().is_ok());
    }
}
