//! The suite `programs` on real layers, and that tare's values are what the same commands print by hand in the same root;
//! and programs that look at many of this host's files.
//!
//! Needs Debian's mirror, as the packages of the tests do: the root is built once for both looks at the suite.

mod common;

use common::{Bench, done, samples};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tare_store::{Campaign, Outcome};

/// The layers of the proof: this host, a container, a current gVisor, a guest.
const LAYERS: &str =
    "--layers native,runc,uml --layer name=gvisor,kind=runsc,platform=systrap,runtime=";

/// Compiles to the standard output: the sum of what comes out is the same wherever the compiler runs.
const GCC: &str = "gcc -O2 -S -o - /srv/large.c | cksum";

/// Starts a server of its own, so that the same words do by hand.
const REDIS: &str = "redis-server --save '' --port 7379 --dir /tmp > /dev/null & \
                     until redis-cli -p 7379 ping > /dev/null; do sleep 0.1; done; \
                     redis-benchmark -p 7379 -n 1000 -c 20 -t set -q > /dev/null; \
                     redis-cli -p 7379 info commandstats | grep cmdstat_set; redis-cli -p 7379 shutdown nosave; wait";

fn layers() -> String {
    format!("{LAYERS}{}", common::gvisor().display())
}

/// Two rows of the suite and one of `services`.
#[test]
fn rows_have_values_on_every_layer_and_these_are_what_the_same_commands_print_by_hand() {
    let bench = Bench::new();
    let rows =
        "--bench programs/gcc --bench programs/redis --bench services/nginx-h2 --bench host/start";
    bench.ok(&format!("run {} {rows} --blocks 1 --out c", layers()));
    have_values_on_every_layer(&bench.campaign("c"));
    are_as_by_hand(&root(&bench));
}

/// The root that the campaign was made in.
fn root(bench: &Bench) -> PathBuf {
    let listed: serde_json::Value = bench.json("cache list --json");
    let all = listed.as_array().expect("roots");
    let of = |root: &&serde_json::Value| {
        root["recipe"]
            .as_str()
            .is_some_and(|recipe| recipe.contains("libc6-dev,nginx-light,openssl,redis-server"))
    };
    let root = all.iter().find(of).expect("the root of the suite");
    PathBuf::from(root["folder"].as_str().expect("a folder")).join("tree")
}

fn have_values_on_every_layer(campaign: &Campaign) {
    for layer in ["native", "runc", "uml", "gvisor"] {
        for row in [
            "programs/gcc",
            "programs/redis@20",
            "services/nginx-h2.p50@500",
            "services/nginx-h2.cpu@500",
        ] {
            let found = samples(campaign, row, layer).concat();
            let boots = if layer == "native" { 2 } else { 1 };
            assert_eq!(found.len(), 3 * boots, "{row} on {layer}");
            assert!(found.iter().all(|value| *value > 0.0), "{row} on {layer}: {found:?}");
        }
    }
    assert!(campaign.series.iter().all(|series| series.outcome == Outcome::Measured));
}

/// Programs in the same root, the folder `tree`.
fn are_as_by_hand(tree: &Path) {
    let own = Bench::new();
    let program = |name: &str, command: &str, regex: &str| {
        format!(
            "[[program]]\nname = '{name}'\nroot = '{}'\ncommand = \"\"\"{command}\"\"\"\nmetric = '{regex}'\n\
             better = 'lower'\nwarmup = 0\nrepeat = 1\n",
            tree.display()
        )
    };
    let sum = "^([0-9]+) [0-9]+";
    let calls = "cmdstat_set:calls=([0-9]+)";
    own.write("tare.toml", &(program("gcc", GCC, sum) + &program("redis", REDIS, calls)));
    own.ok(&format!("run {} --blocks 1 --out c", layers()));
    let found = own.campaign("c");
    for (row, command, begin) in [("program/gcc", GCC, ""), ("program/redis", REDIS, "calls=")] {
        let mut by_hand = Command::new("chroot");
        let printed = by_hand.arg(tree).args(["/bin/sh", "-c", command]).output().expect("chroot");
        let printed = String::from_utf8(printed.stdout).expect("text");
        let rest = printed.split_once(begin).map(|(_, rest)| rest);
        let digits = rest.and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
        let number: f64 =
            digits.and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{row}: {printed}"));
        for layer in ["native", "runc", "uml", "gvisor"] {
            let values = samples(&found, row, layer).concat();
            assert!(
                !values.is_empty() && values.iter().all(|value| *value == number),
                "{row} on {layer}: {values:?}"
            );
        }
    }
}

/// Programs that open three hundred files each, of two folders.
const OPENERS: &str = r#"
[[program]]
name = "first"
command = ["perl", "-e", "for (</usr/bin/*>) { next unless -f; open F, $_ or die \"$_: $!\"; last if ++$n == 300 }"]

[[program]]
name = "second"
command = ["perl", "-e", "for (</usr/share/doc/*/copyright>) { open F, $_ or die \"$_: $!\"; last if ++$n == 300 }"]
"#;

#[test]
fn programs_on_user_mode_linux_may_look_at_more_files_than_tare_may_open() {
    let bench = Bench::new();
    bench.write("tare.toml", OPENERS);
    // Its kernel keeps a file of this host open for each that programs have opened, and forgets them before the next program.
    let line = "tare=$1 && shift && exec prlimit --nofile=500:500 \"$tare\" \"$@\"";
    let mut limited = Command::new("sh");
    limited.args(["-c", line, "sh"]).arg(env!("CARGO_BIN_EXE_tare")).current_dir(bench.path("."));
    limited.env("TARE_CACHE", common::cache()).env("NO_COLOR", "1").stdin(Stdio::null());
    limited.args("run --layers native,uml --blocks 1 --out c".split(' '));
    let ran = done(limited.output().expect("tare starts"));
    assert_eq!(ran.code, 0, "{}\n{}", ran.out, ran.err);
    let campaign = bench.campaign("c");
    for program in ["program/first", "program/second"] {
        assert!(!samples(&campaign, program, "uml").is_empty(), "{program}: {}", ran.out);
    }
}
