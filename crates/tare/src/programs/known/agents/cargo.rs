//! A project in Rust is built with its dependencies.

use super::{Known, PLAIN};

pub const TASK: Known = Known {
    name: "cargo",
    about: "cargo build of a program in Rust with four dependencies, from nothing",
    packages: &[
        "cargo",
        "librust-itoa-dev",
        "librust-libc-dev",
        "librust-ryu-dev",
        "librust-smallvec-dev",
    ],
    root_run: "mkdir -p /srv/cargo/src /srv/cargo/.cargo; cd /srv/cargo; \
               echo '[source.crates-io]\nreplace-with = \"debian\"\n[source.debian]\ndirectory = \"/usr/share/cargo/registry\"' > .cargo/config.toml; \
               echo '[package]\nname = \"tried\"\nversion = \"1.0.0\"\nedition = \"2021\"\n\
               [dependencies]\nitoa = \"1\"\nlibc = \"0.2\"\nryu = \"1\"\nsmallvec = \"1\"' > Cargo.toml; \
               echo 'fn main() {\n    let all: smallvec::SmallVec<[f64; 4]> = (1..5).map(f64::from).collect();\n    \
               let process = unsafe { libc::getpid() };\n    \
               println!(\"{} {}\", ryu::Buffer::new().format(all[0]), itoa::Buffer::new().format(process));\n}' > src/main.rs; \
               CARGO_HOME=/tmp/cargo cargo generate-lockfile --offline",
    prepare: "rm -rf /tmp/target",
    command: "cd /srv/cargo && CARGO_HOME=/tmp/cargo exec cargo build --quiet --offline --locked --target-dir /tmp/target",
    ..PLAIN
};
