//! What CPUs have done since the machine started, in the kernel's ticks: the only reader of `/proc/stat`.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

/// Columns of `/proc/stat` (proc(5)).
const IDLE: usize = 3;
const IOWAIT: usize = 4;
const STEAL: usize = 7;

/// Length of a tick as the kernel counts them for users (`USER_HZ`), in milliseconds.
const TICK_MS: u64 = 10;

/// The ticks of one CPU, by the columns of `/proc/stat`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ticks(Vec<u64>);

impl Ticks {
    /// Those of every CPU in `stat`, the text of `/proc/stat`.
    pub fn of_each(stat: &str) -> BTreeMap<u32, Ticks> {
        let one = |line: &str| {
            let (name, numbers) = line.split_once(' ')?;
            let cpu = name.strip_prefix("cpu")?.parse().ok()?;
            let ticks = numbers.split_whitespace().map(|n| n.parse().unwrap_or(0)).collect();
            Some((cpu, Ticks(ticks)))
        };
        stat.lines().filter_map(one).collect()
    }

    /// How many there were since those of `before`.
    #[must_use]
    pub fn since(&self, before: &Ticks) -> Ticks {
        Ticks(self.0.iter().zip(&before.0).map(|(now, then)| now.saturating_sub(*then)).collect())
    }

    /// All of them; guests' time (the last two columns) is in the users' already.
    pub fn all(&self) -> u64 {
        self.0.iter().take(STEAL + 1).sum()
    }

    /// Those in which the CPU ran something, or its hypervisor kept it from running.
    pub fn busy(&self) -> Option<u64> {
        Some(self.all() - self.idle()?)
    }

    /// Those in which it had nothing to run.
    fn idle(&self) -> Option<u64> {
        Some(self.0.get(IDLE)? + self.0.get(IOWAIT).unwrap_or(&0))
    }

    /// Those in which its hypervisor kept it from running.
    pub fn stolen(&self) -> Option<u64> {
        self.0.get(STEAL).copied()
    }
}

/// How long all of `cpus` together have been idle since the machine started, to a tick; `None` where that cannot be read. The kernel measures
/// this time (`CONFIG_NO_HZ_COMMON`). What CPUs were busy with it only samples at ticks: in a second, that is wrong by a tenth.
pub(crate) fn idle_time(cpus: &[u32]) -> Option<Duration> {
    idle_in(&fs::read_to_string("/proc/stat").ok()?, cpus)
}

fn idle_in(stat: &str, cpus: &[u32]) -> Option<Duration> {
    let each = Ticks::of_each(stat);
    let idle = |cpu: &u32| each.get(cpu)?.idle();
    let ticks: u64 = cpus.iter().map(idle).sum::<Option<u64>>()?;
    Some(Duration::from_millis(ticks * TICK_MS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cpus_wait_for_is_idle_time_too() {
        let stat = "cpu 9 9 9 9 9 9 9 9 9 9\ncpu0 1 2 4 1000 1000 8 16 32 64 64\ncpu10 1 0 0 9 9 0 0 0 0 0\nintr 5\n";
        assert_eq!(idle_in(stat, &[0]), Some(Duration::from_millis(20_000)));
        assert_eq!(idle_in(stat, &[0, 10]), Some(Duration::from_millis(20_180)));
        assert_eq!(idle_in(stat, &[1]), None);
        assert_eq!(idle_in("cpu0 1 2", &[0]), None);
        assert_eq!(Ticks::of_each(stat)[&0].busy(), Some(63));
    }
}
