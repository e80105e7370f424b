//! Reads `/proc` and `/sys`. A missing file reads as empty, because a layer may hide it.

use std::fs;
use tare_proto::Mitigation;

/// Longest content that is kept of one file, in characters.
const MOST: usize = 512;

/// The first line of `path`, trimmed.
pub fn first_line(path: &str) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().next().unwrap_or_default().trim().chars().take(MOST).collect()
}

/// The word in brackets of a line such as `always [madvise] never`.
pub fn chosen(line: &str) -> String {
    let inside = line.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    inside.map_or(line, |(word, _)| word).to_owned()
}

/// The value of `key` in a file of `key : value` lines.
fn value(path: &str, key: &str) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    let mut pairs = text.lines().filter_map(|line| line.split_once(':'));
    let found = pairs.find(|(name, _)| name.trim() == key);
    found.map(|(_, value)| value.trim().chars().take(MOST).collect()).unwrap_or_default()
}

/// The sum of the numbers that follow `keys` at the beginning of lines of `path`.
pub fn sum(path: &str, keys: [&str; 2]) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let number = |key| -> Option<u64> {
        text.lines().find_map(|line| line.strip_prefix(key))?.trim().parse().ok()
    };
    keys.into_iter().map(number).sum()
}

/// The model name of the first CPU.
pub fn cpu_model() -> String {
    value("/proc/cpuinfo", "model name")
}

/// The line `key` of `/proc/meminfo` in KiB; 0 when unknown.
pub fn memory_kib(key: &str) -> u64 {
    let amount = value("/proc/meminfo", key);
    amount.split_whitespace().next().and_then(|kib| kib.parse().ok()).unwrap_or(0)
}

/// The load average over the last minute; negative when unknown.
pub fn load_average() -> f64 {
    let line = first_line("/proc/loadavg");
    line.split_whitespace().next().and_then(|average| average.parse().ok()).unwrap_or(-1.0)
}

/// Idle driver and governor, `driver/governor`; empty when there is none.
pub fn idle() -> String {
    let driver = first_line("/sys/devices/system/cpu/cpuidle/current_driver");
    let governor = first_line("/sys/devices/system/cpu/cpuidle/current_governor_ro");
    if driver.is_empty() && governor.is_empty() {
        String::new()
    } else {
        format!("{driver}/{governor}")
    }
}

/// Every CPU vulnerability the kernel names and what it does about it, sorted by name.
pub fn mitigations() -> Vec<Mitigation> {
    let entries = fs::read_dir("/sys/devices/system/cpu/vulnerabilities").into_iter().flatten();
    let mut found: Vec<Mitigation> = entries
        .flatten()
        .map(|entry| Mitigation {
            name: entry.file_name().to_string_lossy().into_owned(),
            state: first_line(&entry.path().to_string_lossy()),
        })
        .collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}
