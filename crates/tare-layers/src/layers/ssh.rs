//! `ssh`: the probe on another machine, through the system's OpenSSH, whose keys, agents and configuration apply. The probe is
//! copied there once a campaign and removed at its end.

use crate::layers::command::{self, Recipe};
use crate::{LayerKind, Unnamed};
use tare_proto::Machine;

/// Without these a question would wait for an answer, and a dead connection for a day.
macro_rules! ssh {
    () => {
        "ssh -T -o BatchMode=yes -o ConnectTimeout=5 -o ServerAliveInterval=5 -o ServerAliveCountMax=3 {args} -- {host} "
    };
}

/// The probe there. What a shell there reads of settings is written for a shell. Its name cannot be guessed, and what has it already is refused (`set -C`).
macro_rules! probe {
    () => {
        "{sh:dir}/tare-probe-{hash}-{campaign}"
    };
}

pub const KIND: LayerKind = LayerKind {
    name: "ssh",
    about: "a process on another machine: host=NAME, as ssh knows it (dir=/tmp: where the probe goes; wrap='taskset -c 2': before it)",
    machine: Some(Machine::Real),
    settings: command::SETTINGS,
    defaults: &[
        ("dir", "/tmp"),
        // Before anything is to be removed there: a host that was never reached has nothing.
        ("check", concat!(ssh!(), "true")),
        (
            "push",
            concat!(
                "sh -c 'probe=$1; shift; exec \"$@\" <\"$probe\"' sh {probe} ",
                ssh!(),
                "'test \"$(uname -m)\" = {arch} || { echo \"that machine is of another\"\" architecture ($(uname -m)), the probe is for {arch}\" >&2; ",
                "exit 1; }; set -C; umask 077; cat >",
                probe!(),
                " && chmod 700 ",
                probe!(),
                "'"
            ),
        ),
        (
            "start",
            concat!(
                ssh!(),
                "'ln -s ",
                probe!(),
                " {sh:dir}/{id}-there && exec env - {sh:wrap} {sh:dir}/{id}-there serve'"
            ),
        ),
        // Not the boot's own name: this host may be that one, and `dir` the folder of its boots.
        // What a broken connection leaves; the brackets keep pkill from its own shell.
        (
            "stop",
            concat!(ssh!(), "'pkill -KILL -f \"[/]{id}-there serve\"; rm -f {sh:dir}/{id}-there'"),
        ),
        ("finish", concat!(ssh!(), "'rm -f ", probe!(), "'")),
        ("processes", "elsewhere"),
    ],
    unnamed: Unnamed::Ignored,
    words: Some(&RECIPE),
    make: command::make,
};

const RECIPE: Recipe = Recipe {
    absolute: &["dir"],
    needs: &[("host", "the machine's name, as ssh takes it: host=user@example.org")],
    remedies: &[
        (
            "Permission denied (",
            "let this user log in there without a password: ssh-copy-id, or a key in ssh-agent",
        ),
        (
            "Host key verification failed",
            "connect to it once by hand and confirm its key: ssh HOST",
        ),
        ("Could not resolve hostname", "correct host=, or add the name to ~/.ssh/config"),
        (
            "Connection refused",
            "start sshd there, or give its port in ~/.ssh/config or with args='-p PORT'",
        ),
        ("timed out", "see whether the machine is up and can be reached: ssh HOST true"),
        (
            "of another architecture (", // not as it stands in the words
            "this tare's probe is for another architecture: use a tare that was built for that machine",
        ),
        ("No space left on device", "make room there, or name another folder with dir="),
        (
            "Permission denied",
            "name a folder there in which this user may make and run programs: dir=",
        ),
        ("closed by remote host", "see to the connection, or to that machine's log of sshd"),
    ],
    ..Recipe::TESTED
};
