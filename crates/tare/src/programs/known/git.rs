//! A version control system that looks at every file of a tree.

use super::{Known, PLAIN};

pub const PROGRAM: Known = Known {
    name: "git",
    about: "git status of a tree of 10,000 files, 5 times",
    packages: &["git"],
    root_run: "mkdir /srv/tree; cd /srv/tree; git init -q; i=0; \
               while [ $i -lt 100 ]; do mkdir d$i; j=0; while [ $j -lt 100 ]; do echo $i $j > d$i/f$j; j=$((j + 1)); done; \
               i=$((i + 1)); done; git add -A; git -c user.name=t -c user.email=t@t commit -qm tree",
    command: "cd /srv/tree && i=0; while [ $i -lt 5 ]; do git status > /dev/null || exit 1; i=$((i + 1)); done",
    ..PLAIN
};
