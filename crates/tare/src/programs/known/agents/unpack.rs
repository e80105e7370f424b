//! An archive is unpacked.

use super::{Known, PLAIN};

pub const TASK: Known = Known {
    name: "unpack",
    about: "tar unpacks a packed archive of 5,000 files",
    packages: &[],
    root_run: "mkdir /tmp/packed; cd /tmp/packed; i=0; \
               while [ $i -lt 100 ]; do mkdir d$i; j=0; while [ $j -lt 50 ]; do seq $i $((i + 9 * j)) > d$i/f$j; j=$((j + 1)); done; \
               i=$((i + 1)); done; tar -czf /srv/archive.tar.gz .; rm -r /tmp/packed",
    prepare: "rm -rf /tmp/unpacked; mkdir /tmp/unpacked",
    command: "tar -xzf /srv/archive.tar.gz -C /tmp/unpacked",
    ..PLAIN
};
