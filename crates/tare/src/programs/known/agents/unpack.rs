//! An archive is unpacked.

use super::{Known, PLAIN};

pub const TASK: Known = Known {
    name: "unpack",
    about: "tar unpacks a packed archive of 5,000 files",
    packages: &[],
    root_run: concat!(
        "mkdir /tmp/packed; cd /tmp/packed; ",
        tree!(100),
        "; tar -czf /srv/archive.tar.gz .; rm -r /tmp/packed"
    ),
    prepare: "rm -rf /tmp/unpacked; mkdir /tmp/unpacked",
    command: "tar -xzf /srv/archive.tar.gz -C /tmp/unpacked",
    ..PLAIN
};
