//! How many files a layer's own process may have open: a kernel that is a process holds one of the host's for each of the host's
//! files that its programs have looked at (hostfs), so a search through a file system takes thousands.

use nix::sys::resource::{Resource, getrlimit, rlim_t, setrlimit};
use std::{fs, io};

/// The most that Linux gives any process, to those who may ask for it.
const MOST: &str = "/proc/sys/fs/nr_open";

/// The numbers to ask for, the largest first: what the kernel allows, then what this user may have.
pub(crate) fn wanted() -> io::Result<[rlim_t; 2]> {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    let most = fs::read_to_string(MOST).ok().and_then(|text| text.trim().parse().ok());
    Ok([most.unwrap_or(hard).max(hard), hard])
}

/// Asks for as many of `wanted` as this process may have. Only makes system calls, as is allowed between fork and exec.
pub(crate) fn ask(wanted: [rlim_t; 2]) -> io::Result<()> {
    let [most, hard] = wanted;
    setrlimit(Resource::RLIMIT_NOFILE, most, most)
        .or_else(|_| setrlimit(Resource::RLIMIT_NOFILE, hard, hard))
        .map_err(io::Error::from)
}

/// Lets this process and what it starts have so many and no more, with the same restriction.
pub(crate) fn only(limit: rlim_t) -> io::Result<()> {
    setrlimit(Resource::RLIMIT_NOFILE, limit, limit).map_err(io::Error::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs;
    use std::os::unix::process::CommandExt;
    use std::time::Duration;

    /// The limits of a program that starts with at most `few` files and asks for more.
    fn limits(few: rlim_t) -> String {
        let wanted = wanted().unwrap();
        let mut look = programs::plain("sh");
        look.args(["-c", "ulimit -Sn; ulimit -Hn"]);
        // SAFETY: both only make system calls.
        unsafe {
            look.pre_exec(move || {
                let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
                setrlimit(Resource::RLIMIT_NOFILE, few.min(hard), hard)?;
                ask(wanted)
            })
        };
        programs::output(&mut look, Duration::from_secs(10)).unwrap()
    }

    #[test]
    fn a_process_gets_as_many_as_its_user_may_have() {
        let [most, hard] = wanted().unwrap();
        let got: Vec<rlim_t> = limits(64).lines().map(|line| line.parse().unwrap()).collect();
        assert_eq!(got[0], got[1]);
        assert!(got[0] == most || got[0] == hard, "{got:?}: {most} or {hard}");
        assert!(got[0] > 64);
    }
}
