//! A memory of a few tags: what caches and TLBs have in common.

/// A set-associative memory of tags, the most recent of a set first. Tag 0 is an empty place.
pub struct Lru {
    mask: u64,
    ways: usize,
    tags: Vec<u64>,
}

impl Lru {
    /// `entries` in sets of `ways`, a power of two of sets.
    pub fn new((entries, ways): (usize, usize)) -> Lru {
        Lru { mask: (entries / ways) as u64 - 1, ways, tags: vec![0; entries] }
    }

    /// Whether `tag` was there; it is the most recent of its `set` now.
    #[inline(always)]
    pub fn touch(&mut self, set: u64, tag: u64) -> bool {
        let first = (set & self.mask) as usize * self.ways;
        let tags = &mut self.tags[first..first + self.ways];
        if tags[0] == tag {
            return true;
        }
        let hit = tags.iter().position(|&kept| kept == tag);
        let free = || tags.iter().position(|&kept| kept == 0);
        let at = hit.or_else(free).unwrap_or(self.ways - 1);
        tags.copy_within(0..at, 1);
        tags[0] = tag;
        hit.is_some()
    }

    /// Forgets the tags that are not to be `kept`.
    pub fn drop_unless(&mut self, kept: impl Fn(u64) -> bool) {
        self.tags.iter_mut().filter(|tag| !kept(**tag)).for_each(|tag| *tag = 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recent_of_a_set_goes_first() {
        let mut cache = Lru::new((4, 2)); // two sets
        assert!(!cache.touch(0, 10));
        assert!(!cache.touch(2, 20)); // the same set
        assert!(cache.touch(0, 10)); // 20 is the older one now
        assert!(!cache.touch(4, 30));
        assert!(cache.touch(0, 10));
        assert!(!cache.touch(2, 20), "20 was replaced");
        assert!(!cache.touch(1, 40), "the other set is untouched");
        cache.drop_unless(|tag| tag == 10);
        assert!(!cache.touch(2, 20));
        assert!(cache.touch(0, 10));
    }
}
