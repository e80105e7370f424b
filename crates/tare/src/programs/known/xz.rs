//! A compressor: user time and memory, hardly a system call.

use super::{Known, PLAIN};

pub const PROGRAM: Known = Known {
    name: "xz",
    about: "xz compresses 0.5 MB of programs, in one thread",
    packages: &["xz-utils"],
    root_run: "cat /usr/bin/[a-z]* /usr/lib/*-linux-gnu/*.so* 2>/dev/null | head -c 2000000 > /srv/programs; \
               test $(wc -c < /srv/programs) = 2000000",
    command: "head -c 500000 /srv/programs | xz -6 -T1 -c > /dev/null",
    ..PLAIN
};
