//! A part of report 000's and 003's kernel build. The smallest whole kernel takes minutes, too long for a row.

use super::{Known, PLAIN};

pub const PROGRAM: Known = Known {
    name: "kernel-lib",
    about: "make -j of lib/math and lib/zlib_inflate of Linux 6.1 (tinyconfig): object files a second",
    packages: PACKAGES,
    // What the build reads stays; Kconfig reads the description of everything.
    root_run: "cd /srv; tar -xf /usr/src/linux-source-6.1.tar.xz; rm /usr/src/linux-source-6.1.tar.xz; mv linux-source-6.1 linux; \
               cd linux; make tinyconfig; make prepare; \
               find Documentation arch/[!x]* block certs crypto drivers fs ipc net samples security sound tools/perf \
               tools/testing virt -type f ! -name 'Kconfig*' -delete",
    prepare: "cd /srv/linux && find lib -name '*.[oa]' -delete",
    command: "cd /srv/linux && begin=$(date +%s%N) && make -j$LOAD lib/math/ lib/zlib_inflate/ && \
              ns=$(($(date +%s%N) - begin)) && find lib -name '*.o' | wc -l | \
              awk -v ns=$ns '{ print \"built: \" $1 * 1e9 / ns \" files/s\" }'",
    metric: Some(("^built: ([0-9.]+) files/s", "1/s")),
    load: ("jobs", &[1, 0]),
    ..PLAIN
};

/// What a build of Linux takes, and the sources.
pub(super) const PACKAGES: &[&str] = &[
    "bc",
    "bison",
    "flex",
    "gcc",
    "libc6-dev",
    "libelf-dev",
    "linux-source-6.1",
    "make",
    "xz-utils",
];
