//! The start of an interpreter: path lookups, small files, memory maps.

use super::{Known, PLAIN};

pub const PROGRAM: Known = Known {
    name: "python",
    about: "Python starts and imports some of its library, 5 times",
    packages: &["python3"],
    command: "i=0; while [ $i -lt 5 ]; do python3 -c 'import json, re, subprocess, decimal' || exit 1; \
              i=$((i + 1)); done",
    ..PLAIN
};
