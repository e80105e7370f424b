//! Xen's balloon driver, asked by the guest itself through sysfs. (Linux, Documentation/ABI/stable/sysfs-devices-system-xen_memory)

use super::by_turns;
use crate::process;
use std::fs;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use tare_proto::Balloon;

/// What the driver is to reach, in KiB.
const TARGET: &str = "/sys/devices/system/xen_memory/xen_memory0/target_kb";
/// What the guest has at this moment.
const CURRENT: &str = "/sys/devices/system/xen_memory/xen_memory0/info/current_kb";

/// What the process that moves tells all others, in KiB.
struct Told {
    /// What went out or came in until it looked last.
    moved: AtomicU64,
    /// What the guest had then.
    current: AtomicU64,
}

static TOLD: OnceLock<&'static Told> = OnceLock::new();

/// Starts the process that moves memory.
pub fn start(balloon: Balloon) -> Result<(), String> {
    let all = kib(TARGET)?;
    set(all)?; // it can be set
    let told = TOLD.get_or_init(shared);
    told.current.store(kib(CURRENT)?, Ordering::Relaxed);
    let moves = || {
        let error = by_turns(balloon, |out| {
            let now = kib(CURRENT)?;
            let before = told.current.swap(now, Ordering::Relaxed);
            told.moved.fetch_add(now.abs_diff(before), Ordering::Relaxed);
            set(all.saturating_sub(out))
        });
        eprintln!("tare-probe: the balloon stays where it is: {error}");
        1
    };
    process::fork(moves).map(drop).map_err(|error| format!("the balloon: {error}"))
}

/// What went out or came in until now; `None` where nothing was started.
pub fn moved_kib() -> Option<u64> {
    let told = TOLD.get()?;
    let since = kib(CURRENT).ok()?.abs_diff(told.current.load(Ordering::Relaxed));
    Some(told.moved.load(Ordering::Relaxed) + since)
}

fn kib(path: &str) -> Result<u64, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    text.trim().parse().map_err(|_| format!("{path} is no number"))
}

fn set(kib: u64) -> Result<(), String> {
    fs::write(TARGET, kib.to_string()).map_err(|error| format!("{TARGET}: {error}"))
}

/// Numbers that this process shares with those that it forks.
fn shared() -> &'static Told {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let kind = libc::MAP_SHARED | libc::MAP_ANON;
    // SAFETY: a fresh mapping of no file, at no wanted place.
    let page = unsafe { libc::mmap(ptr::null_mut(), size_of::<Told>(), access, kind, -1, 0) };
    assert_ne!(page, libc::MAP_FAILED, "no memory for two numbers");
    // SAFETY: the mapping is large enough, aligned to a page, full of zeros, and never unmapped.
    unsafe { &*page.cast::<Told>() }
}
