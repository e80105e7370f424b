//! A compiler: one large C file.

use super::{Known, PLAIN};

pub const PROGRAM: Known = Known {
    name: "gcc",
    about: "GCC compiles one C file of 100 functions with -O2",
    packages: &["gcc", "libc6-dev"],
    root_run: "awk 'BEGIN { for (i = 0; i < 100; i++) printf \"int f%d(int *a, int n) { int s = 0; \
               for (int i = 0; i < n; i++) { s += a[i] * %d; if (s > %d) s -= a[n - i - 1]; } return s; }\\n\", \
               i, i, 7 * i }' > /srv/large.c",
    command: "gcc -O2 -c -o /tmp/large.o /srv/large.c",
    ..PLAIN
};
