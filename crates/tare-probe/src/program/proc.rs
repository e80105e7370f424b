//! What `/proc` says of processes and their threads: nothing of one that has gone.

#[cfg(target_pointer_width = "64")]
use crate::sys::page_size;
use std::fs;

/// Every process that can be seen here.
pub fn processes() -> Vec<libc::pid_t> {
    numbers("/proc")
}

/// The threads of process `pid`.
pub fn threads(pid: libc::pid_t) -> Vec<libc::pid_t> {
    numbers(&format!("/proc/{pid}/task"))
}

fn numbers(folder: &str) -> Vec<libc::pid_t> {
    let all = fs::read_dir(folder).into_iter().flatten().flatten();
    all.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// `/proc/PID/stat` from behind the name on, which may hold anything.
pub struct Stat(String);

impl Stat {
    /// Of process `pid`, while it is there.
    pub fn of(pid: libc::pid_t) -> Option<Stat> {
        fs::read_to_string(format!("/proc/{pid}/stat")).ok().map(|text| Stat::new(&text))
    }

    fn new(text: &str) -> Stat {
        Stat(text.rsplit(')').next().unwrap_or_default().to_owned())
    }

    /// Whether it has ended, and nobody has waited for it yet.
    pub fn has_ended(&self) -> bool {
        self.0.split_whitespace().next() == Some("Z")
    }

    /// The process that has started it, or adopted it.
    pub fn parent(&self) -> Option<libc::pid_t> {
        self.0.split_whitespace().nth(1)?.parse().ok()
    }

    /// Faults for which nothing was read from a disk.
    #[cfg(target_pointer_width = "64")]
    pub fn minor_faults(&self) -> u64 {
        self.number(7)
    }

    /// Ticks of CPU time in its own code, its own and those of children that were waited for.
    #[cfg(target_pointer_width = "64")]
    pub fn user_ticks(&self) -> u64 {
        self.number(11) + self.number(13)
    }

    /// The same in the kernel.
    #[cfg(target_pointer_width = "64")]
    pub fn system_ticks(&self) -> u64 {
        self.number(12) + self.number(14)
    }

    #[cfg(target_pointer_width = "64")]
    fn number(&self, at: usize) -> u64 {
        let word = self.0.split_whitespace().nth(at);
        word.and_then(|word| word.parse().ok()).unwrap_or(0)
    }
}

/// Pages that process `pid` has mapped and used, by what they are of.
#[derive(Default, Clone, Copy, PartialEq, Debug)]
#[cfg(target_pointer_width = "64")]
pub struct Pages {
    pub of_files: u64,
    /// Of memory that is shared, and of files in memory (tmpfs).
    pub shared: u64,
    /// Of its own.
    pub own: u64,
}

#[cfg(target_pointer_width = "64")]
impl Pages {
    /// Of process `pid`; none of one that has gone.
    pub fn of(pid: libc::pid_t) -> Pages {
        let text = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let pages = |key| {
            let kib = value(&text, key).and_then(|kib| kib.split_whitespace().next());
            kib.and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) * 1024 / page_size()
        };
        Pages { of_files: pages("RssFile:"), shared: pages("RssShmem:"), own: pages("RssAnon:") }
    }
}

/// Mappings of a process in which there are pages, by whose these are. A private mapping of a file counts as both if only some of
/// its pages were written to.
#[derive(Default, Clone, Copy, PartialEq, Debug)]
#[cfg(target_pointer_width = "64")]
pub struct Touched {
    /// With pages of a file, or of the kernel.
    pub of_files: u64,
    /// With pages of the process's own.
    pub of_memory: u64,
    /// Pages that it has made its own of files of which it may still write to others: its data, and not what its dynamic linker has
    /// written to and closed.
    pub data: u64,
}

#[cfg(target_pointer_width = "64")]
impl Touched {
    /// Of process `pid`; none where the kernel does not say it (`CONFIG_PROC_PAGE_MONITOR`).
    pub fn of(pid: libc::pid_t) -> Touched {
        Touched::new(&fs::read_to_string(format!("/proc/{pid}/smaps")).unwrap_or_default())
    }

    fn new(smaps: &str) -> Touched {
        let (mut touched, mut resident, mut is_data) = (Touched::default(), 0, false);
        for line in smaps.lines() {
            let mut words = line.split_whitespace();
            if words.next().is_some_and(|first| !first.ends_with(':')) {
                // addresses, rights, offset, device, inode, path
                is_data = words.next() == Some("rw-p") && words.nth(2) != Some("0");
            }
            let kib = |key| line.strip_prefix(key)?.split_whitespace().next()?.parse::<u64>().ok();
            if let Some(kib) = kib("Rss:") {
                resident = kib;
            } else if let Some(own) = kib("Anonymous:") {
                touched.of_files += u64::from(resident > own);
                touched.of_memory += u64::from(own > 0);
                touched.data += if is_data { own * 1024 / page_size() } else { 0 };
            }
        }
        touched
    }

    /// Those that are not in `before`.
    pub fn since(self, before: Touched) -> Touched {
        Touched {
            of_files: self.of_files.saturating_sub(before.of_files),
            of_memory: self.of_memory.saturating_sub(before.of_memory),
            data: self.data.saturating_sub(before.data),
        }
    }
}

/// What stands after `key` in `/proc/TID/status`, of a process or a thread.
#[cfg(target_pointer_width = "64")]
pub fn status(tid: libc::pid_t, key: &str) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{tid}/status")).ok()?;
    value(&text, key).map(str::to_owned)
}

/// The same in the text of such a file.
#[cfg(target_pointer_width = "64")]
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(key)).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_anything() {
        let stat =
            Stat::new("17 (a) Z 9 (b) S 42 17 17 0 -1 4194560 123 6 0 0 250 31 1000 7 20 0 1 0 5");
        assert_eq!((stat.has_ended(), stat.parent()), (false, Some(42)));
        assert_eq!(stat.minor_faults(), 123);
        assert_eq!((stat.user_ticks(), stat.system_ticks()), (1250, 38));
        assert!(Stat::new("17 (sh) Z 1 17").has_ended());
    }

    #[test]
    fn this_process_is_there_with_this_thread() {
        let own = std::process::id() as libc::pid_t;
        // SAFETY: gettid has no preconditions.
        let thread = unsafe { libc::gettid() };
        assert!(processes().contains(&own) && threads(own).contains(&thread));
        // SAFETY: getppid has no preconditions.
        assert_eq!(Stat::of(own).and_then(|stat| stat.parent()), Some(unsafe { libc::getppid() }));
        assert_eq!(status(thread, "Tgid:"), Some(own.to_string()));
        let pages = Pages::of(own);
        assert!(pages.of_files > 0 && pages.own > 0, "{pages:?}");
        let touched = Touched::of(own);
        assert!(touched.of_files > 0 && touched.of_memory > 0, "{touched:?}");
    }

    #[test]
    fn a_mapping_of_a_file_holds_pages_of_both_or_of_one_or_none() {
        let mapping = |rights: &str, inode: u32, resident: u32, own: u32| {
            format!(
                "7f00-7f10 {rights} 0 fe:00 {inode} /lib/x\nSize: 64 kB\nRss: {resident} kB\n\
                 Anonymous: {own} kB\nVmFlags: rd mr mw me\n"
            )
        };
        let mappings = [
            mapping("r-xp", 5, 256, 0),
            mapping("r--p", 5, 128, 64),
            mapping("rw-p", 5, 64, 64),
            mapping("rw-p", 0, 0, 0),
            mapping("rw-p", 0, 64, 64),
        ];
        let touched = Touched::new(&mappings.concat());
        let data = 64 * 1024 / page_size();
        assert_eq!(touched, Touched { of_files: 2, of_memory: 3, data });
        let before = Touched { of_files: 3, of_memory: 1, data: 0 };
        assert_eq!(touched.since(before), Touched { of_files: 0, of_memory: 2, data });
    }
}
