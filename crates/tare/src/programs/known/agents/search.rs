//! A tree is searched, by content and by name.

use super::{Known, PLAIN};

pub const TASK: Known = Known {
    name: "search",
    about: "ripgrep through 5,000 files, and find by name, ten times",
    packages: &["ripgrep"],
    root_run: concat!("mkdir /srv/searched; cd /srv/searched; ", tree!(100)),
    command: "cd /srv/searched && i=0; while [ $i -lt 10 ]; do rg -c 7$i . > /tmp/found || exit 1; \
              find . -name \"f$i\" > /tmp/named || exit 1; i=$((i + 1)); done",
    ..PLAIN
};
