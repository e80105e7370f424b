//! Small commands, one after the other.

use super::{Known, PLAIN};

pub const TASK: Known = Known {
    name: "shell",
    about: "200 small commands of a shell: ls, cat, grep, sed, mkdir, mv, rm",
    packages: &[],
    prepare: "rm -rf /tmp/small",
    command: "mkdir /tmp/small && cd /tmp/small && i=0; while [ $i -lt 25 ]; do ls -l /etc > listed && grep -c root /etc/passwd > counted && \
              sed s/root/$i/ /etc/passwd > edited && mkdir d$i && mv edited d$i/ && cat d$i/edited > copied && test -s copied && rm copied || exit 1; \
              i=$((i + 1)); done",
    ..PLAIN
};
