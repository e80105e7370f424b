//! How a block becomes requests that the device accepts: 64 KiB become 44 + 20 where a request has 11 pages.

/// A request of the ring: a piece of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Where in the block.
    pub offset: u32,
    /// How long.
    pub bytes: u32,
}

/// Cuts `block` bytes into parts of at most `segments` segments of `segment_bytes` each.
pub fn split(block: u32, segments: u32, segment_bytes: u32) -> Vec<Part> {
    let most = segments.saturating_mul(segment_bytes).max(1);
    let starts = (0..block).step_by(most as usize);
    starts.map(|offset| Part { offset, bytes: most.min(block - offset) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_of_eleven_pages_splits_sixty_four_kibibytes_as_report_001_says() {
        let parts = split(64 << 10, 11, 4096);
        let kibibytes: Vec<u32> = parts.iter().map(|part| part.bytes >> 10).collect();
        assert_eq!(kibibytes, [44, 20]);
        assert_eq!(parts[1].offset, 44 << 10);
    }

    #[test]
    fn what_fits_is_one_request() {
        assert_eq!(split(64 << 10, 16, 4096).len(), 1);
        assert_eq!(split(4096, 1, 4096).len(), 1);
        assert_eq!(split(1 << 20, 32, 4096).len(), 8);
    }
}
