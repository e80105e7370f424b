//! A repository is cloned and looked at.

use super::{Known, PLAIN};

pub const TASK: Known = Known {
    name: "clone",
    about: "git clone of a repository with 3,000 files, and git status",
    packages: &["git"],
    root_run: concat!(
        "mkdir /srv/repository; cd /srv/repository; git init -q; ",
        tree!(60),
        "; git add -A; git -c user.name=t -c user.email=t@t commit -qm tree"
    ),
    prepare: "rm -rf /tmp/clone",
    command: "git clone -q file:///srv/repository /tmp/clone && cd /tmp/clone && git status --short | wc -l",
    ..PLAIN
};
