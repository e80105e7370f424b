//! The names of boots.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// A name that no other boot has, on this host or another, in this PID namespace or another.
pub fn fresh_id() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    // The standard library takes the key of such a hash from the kernel's random numbers.
    let random = RandomState::new().hash_one(COUNT.fetch_add(1, Ordering::Relaxed));
    format!("tare-{random:016x}")
}

/// Whether this can be a boot's id: nothing that means anything in a path.
pub(crate) fn is_id(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (5..=64).contains(&id.len()) && id.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_boot_is_called_like_another() {
        let all: BTreeSet<String> = (0..1000).map(|_| fresh_id()).collect();
        assert_eq!(all.len(), 1000);
        assert!(all.iter().all(|id| id.len() == 21 && is_id(id)));
    }
}
