//! Report 000's and 003's kernel build: the smallest whole kernel. It takes minutes natively and hours where it is emulated, so that
//! only its own name asks for it.

use super::{Known, PLAIN, kernel_lib};

pub const PROGRAM: Known = Known {
    name: "kernel",
    about: "make -j vmlinux of Linux 6.1 (tinyconfig), whole: minutes a run, so only --bench programs/kernel runs it",
    packages: kernel_lib::PACKAGES,
    // Other architectures, drawings and tests are not built; Kconfig reads the description of everything.
    root_run: "mkdir /srv/kernel; cd /srv/kernel; tar --strip-components=1 -xf /usr/src/linux-source-6.1.tar.xz; \
               make tinyconfig; make prepare; \
               find Documentation arch/[!x]* tools/perf tools/testing -type f ! -name 'Kconfig*' -delete",
    prepare: "cd /srv/kernel && rm -f vmlinux && find . -name '*.[oa]' -newer .config ! -path './scripts/*' ! -path './tools/*' -delete",
    command: "cd /srv/kernel && make -j$LOAD vmlinux",
    load: ("jobs", &[1, 0]),
    memory: "2G",
    runs: (0, 1),
    minutes: 240,
    ..PLAIN
};
