//! The sizes of the modelled caches and TLBs.

/// Bytes in a cache line.
pub const LINE: u64 = 64;

/// Entries and ways of each structure; for caches, entries are lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape(Vec<(&'static str, usize, usize)>);

impl Default for Shape {
    /// A server core's usual sizes: L1 32 KiB, L2 1 MiB, L3 16 MiB, TLBs of 64 and 1536 entries.
    fn default() -> Shape {
        Shape(vec![
            ("itlb", 64, 8),
            ("dtlb", 64, 4),
            ("stlb", 1536, 12),
            ("l1i", 512, 8),
            ("l1d", 512, 8),
            ("l2", 16 * 1024, 16),
            ("l3", 256 * 1024, 16),
        ])
    }
}

impl Shape {
    /// Sets `key` from `ENTRIES:WAYS`, or for a cache `KIBIBYTESK:WAYS`.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let row = self.0.iter_mut().find(|row| row.0 == key);
        let row = row.ok_or_else(|| format!("there is no argument '{key}'"))?;
        let read = || {
            let (size, ways) = value.split_once(':')?;
            let kib = size.strip_suffix('K');
            let number: usize = kib.unwrap_or(size).parse().ok()?;
            let entries =
                if kib.is_some() { number.checked_mul(1024)? / LINE as usize } else { number };
            let ways: usize = ways.parse().ok()?;
            let sets = entries.checked_div(ways)?;
            let whole = sets.is_power_of_two() && sets * ways == entries && entries <= 1 << 22;
            whole.then_some((entries, ways))
        };
        let wanted = "ENTRIES:WAYS or SIZEK:WAYS, a power of two of sets";
        let (entries, ways) = read().ok_or_else(|| format!("{key}={value}: it takes {wanted}"))?;
        (row.1, row.2) = (entries, ways);
        Ok(())
    }

    /// The sizes in words: `itlb 64 entries 8 ways, ...`.
    pub fn describe(&self) -> String {
        let row = |(name, entries, ways): &(&str, usize, usize)| {
            if name.ends_with("tlb") {
                format!("{name} {entries} entries {ways} ways")
            } else {
                format!("{name} {} KiB {ways} ways", entries * LINE as usize / 1024)
            }
        };
        self.0.iter().map(row).collect::<Vec<_>>().join(", ")
    }

    pub fn entries_and_ways(&self, name: &str) -> (usize, usize) {
        let row = self.0.iter().find(|row| row.0 == name);
        row.map_or((8, 8), |&(_, entries, ways)| (entries, ways))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_checked() {
        let mut shape = Shape::default();
        shape.set("l1d", "48K:12").unwrap();
        shape.set("dtlb", "96:6").unwrap();
        assert_eq!(
            (shape.entries_and_ways("l1d"), shape.entries_and_ways("dtlb")),
            ((768, 12), (96, 6))
        );
        assert!(shape.describe().contains("l1d 48 KiB 12 ways"), "{}", shape.describe());
        for (key, value) in
            [("l1d", "48K:0"), ("l1d", "48K:7"), ("l2", "x:8"), ("l3", "99999999K:16")]
        {
            let refused = shape.set(key, value).unwrap_err();
            assert!(refused.contains(key) && refused.contains(value), "{refused}");
        }
        assert!(shape.set("l4", "1M:8").unwrap_err().contains("l4"));
    }
}
