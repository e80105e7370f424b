//! The memory that a domain's disk driver sets aside when it starts, which settings can make more than the domain has.

use super::machine::Simulated;
use crate::SettingError;

/// Requests that a page of the ring holds.
const REQUESTS: u64 = 32;
/// Segments of a request, and the ring's pages as a power of two, unless something else is set.
const SEGMENTS: u64 = 32;
const ORDER: u64 = 0;
/// Segments of a request without indirect ones.
const DIRECT: u64 = 11;
/// MiB that a kernel needs at least beside them.
const KERNEL: u64 = 96;

/// Refuses a driver that would take all of the domain's memory: it keeps a page for each segment of each request, and one for
/// their list, unless grants do not persist (Linux, drivers/block/xen-blkfront.c: `fill_grant_buffer`). Its kernel would end
/// after minutes, without a word.
pub(super) fn check(machine: &Simulated) -> Result<(), SettingError> {
    let memory = machine.memory;
    let append = &machine.append;
    let set = |key: &str| {
        let value = |word: &String| {
            Some(
                word.strip_prefix("xen_blkfront.")?
                    .strip_prefix(key)?
                    .strip_prefix('=')?
                    .to_owned(),
            )
        };
        append.iter().rev().find_map(value)
    };
    let number = |key: &str, usual: u64| set(key).and_then(|n| n.parse().ok()).unwrap_or(usual);
    if machine.disk.is_none()
        || set("feature_persistent").is_some_and(|it| it.starts_with(['N', 'n', '0']))
    {
        return Ok(());
    }
    let (segments, order) = (
        number("max_indirect_segments", SEGMENTS).max(DIRECT),
        number("max_ring_page_order", ORDER),
    );
    let requests = REQUESTS.checked_shl(order.min(16) as u32).unwrap_or(u64::MAX);
    let kept = requests.saturating_mul(segments.saturating_add(1)).saturating_mul(4) >> 10;
    if kept + KERNEL <= memory {
        return Ok(());
    }
    Err(SettingError(format!(
        "the domain's disk driver keeps {kept} MiB for {segments} segments of {requests} requests, and the domain has {memory} MiB: \
         give it more (memory=), or fewer segments or pages"
    )))
}
