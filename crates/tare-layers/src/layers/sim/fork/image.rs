//! An empty disk image of QEMU's own format, qcow2: QEMU keeps saved machines in such a file, as snapshots.
//!
//! The format's definition: QEMU's `docs/interop/qcow2.txt`, version 3.

/// Bytes of a cluster, as a power of two.
const CLUSTER_BITS: u32 = 16;
const CLUSTER: usize = 1 << CLUSTER_BITS;

/// Bytes of the header.
const HEADER: u32 = 104;

/// Bytes of the disk, of which nothing is used.
const DISK: u64 = 1 << 20;

/// The file: a cluster each for the header, the table of reference counts, the counts and the table of the disk's clusters.
pub(super) fn empty() -> Vec<u8> {
    let (counts_table, counts, disk_table) = (CLUSTER, 2 * CLUSTER, 3 * CLUSTER);
    let mut file = vec![0; 4 * CLUSTER];
    let words: [(usize, u64, usize); 10] = [
        (4, 3, 4), // version
        (20, u64::from(CLUSTER_BITS), 4),
        (24, DISK, 8),
        (36, 1, 4), // entries of the disk's table
        (40, disk_table as u64, 8),
        (48, counts_table as u64, 8),
        (56, 1, 4), // clusters of the table of counts
        (96, 4, 4), // a count has 2⁴ bits
        (100, u64::from(HEADER), 4),
        (counts_table, counts as u64, 8),
    ];
    file[..4].copy_from_slice(b"QFI\xfb");
    for (at, value, bytes) in words {
        file[at..at + bytes].copy_from_slice(&value.to_be_bytes()[8 - bytes..]);
    }
    for cluster in 0..4 {
        file[counts + 2 * cluster + 1] = 1;
    }
    file
}
