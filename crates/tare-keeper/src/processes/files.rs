//! The only reader of `/proc/PID/*`: what the other files of this folder ask for goes through here.

use std::fs::{self, File};
use std::io::{self, Read};

/// `/proc/PID/NAME` as text.
pub(crate) fn read(pid: u32, name: &str) -> io::Result<String> {
    fs::read_to_string(format!("/proc/{pid}/{name}"))
}

/// Whether a file of `/proc/PID` is missing since there is no such process any more.
pub(crate) fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(libc::ESRCH)
}

/// The first word after `key`, which includes its colon, in a file of lines `Key: value` (`status`, `smaps_rollup`).
pub(crate) fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(key))?.split_whitespace().next()
}

/// What tare uses of `/proc/PID/stat`.
pub(crate) struct Stat {
    state: char,
    /// The process that waits for its end.
    pub parent: u32,
    /// Page faults that needed no disk (minflt).
    pub minor_faults: u64,
    /// CPU time of children that have been waited for (cutime and cstime).
    pub ticks_of_children: u64,
    /// When it started, in ticks since the host's start.
    pub start_ticks: u64,
}

impl Stat {
    /// `None` where there is no such process. One read gives the file as a whole: all processes are read often, so that counts.
    pub fn of(pid: u32) -> Option<Stat> {
        Stat::read(&format!("/proc/{pid}/stat"))
    }

    /// The same of one thread of a process.
    pub fn of_thread(tid: u32) -> Option<Stat> {
        Stat::read(&format!("/proc/{tid}/task/{tid}/stat"))
    }

    fn read(path: &str) -> Option<Stat> {
        let mut bytes = [0; 1024];
        let size = File::open(path).ok()?.read(&mut bytes).ok()?;
        Stat::parse(&String::from_utf8_lossy(&bytes[..size]))
    }

    fn parse(line: &str) -> Option<Stat> {
        // The name before it may hold spaces and parentheses.
        let after_name = &line[line.rfind(')')? + 1..];
        // The first of these is field 3 in proc(5).
        let fields: Vec<&str> = after_name.split_whitespace().collect();
        let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
        Some(Stat {
            state: fields.first()?.chars().next()?,
            parent: number(4)?.try_into().ok()?,
            minor_faults: number(10)?,
            ticks_of_children: number(16)? + number(17)?,
            start_ticks: number(22)?,
        })
    }

    /// Whether it has ended, and only its parent does not know yet.
    pub fn is_zombie(&self) -> bool {
        matches!(self.state, 'Z' | 'X')
    }
}

/// The kernel's ticks in a second, which `stat` counts in.
pub(crate) fn ticks_per_second() -> f64 {
    // SAFETY: sysconf has no preconditions.
    unsafe { libc::sysconf(libc::_SC_CLK_TCK) }.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_what_separates_fields() {
        let line = "7 (a) b (c)) Z 3 7 7 0 -1 4 123 2 3 4 5 6 70 8 20 0 1 0 991 10 11";
        let stat = Stat::parse(line).unwrap();
        assert!(stat.is_zombie());
        assert_eq!(stat.minor_faults, 123);
        assert_eq!((stat.parent, stat.ticks_of_children, stat.start_ticks), (3, 78, 991));
        assert!(Stat::parse("7 (a) S 3").is_none() && Stat::parse("").is_none());
        assert_eq!(value("Name:\tx\nTracerPid:\t0\n", "TracerPid:"), Some("0"));
    }
}
