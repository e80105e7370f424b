//! Layers of words in campaigns: a stranger's four lines, what all boots share, words that no test can boot.

mod common;
mod layers_common;

use common::Bench;
use layers_common::words::lines;
use std::fs;

/// Settings of a campaign with one layer of words that leaves a line for whatever runs.
fn four_lines(bench: &Bench) -> std::path::PathBuf {
    let log = bench.path("log");
    let say = |what: &str| format!("echo {what} >>{}", log.display());
    let text = format!(
        "[[layer]]\nname = 'mine'\nkind = 'command'\nsh = true\nstart = 'exec {{probe}} serve'\n\
         prepare = '{}'\nstop = '{}'\nfinish = '{}'\n",
        say("prepare"),
        say("stop"),
        say("finish")
    );
    bench.write("tare.toml", &text);
    log
}

#[test]
fn a_strangers_sandbox_is_in_the_scoreboard_and_shown_in_full() {
    let bench = Bench::new();
    let log = four_lines(&bench);
    let looked = bench.ok("doctor mine").out;
    assert!(looked.contains("mine     runs here"), "{looked}");
    assert_eq!(lines(&log, 3), ["prepare", "stop", "finish"]);
    let shown = bench
        .ok("run --layers native,mine --bench lmbench/null_call --blocks 3 --pin none -o c")
        .out;
    assert!(
        shown.contains("mine against native") && shown.contains("start=exec {probe} serve"),
        "{shown}"
    );
    let said = lines(&log, 6);
    let count = |what: &str| said.iter().filter(|line| *line == what).count();
    assert_eq!((count("prepare"), count("finish")), (2, 2), "once a campaign: {said:?}");
}

#[test]
fn what_boots_share_is_removed_when_tare_is_killed() {
    let bench = Bench::new();
    let log = four_lines(&bench);
    let line = "run --layers native,mine --bench lmbench/null_call --blocks 999 --pin none -o c";
    let mut tare = bench.start(line);
    lines(&log, 2); // a boot has ended
    tare.kill().unwrap();
    tare.wait().unwrap();
    common::wait_until("what boots share is removed", || {
        fs::read_to_string(&log).unwrap().lines().any(|line| line == "finish")
    });
}

/// What docker is asked for, with a stand-in for it that notes its words and does what they ask.
#[test]
fn dockers_words_are_said_in_their_order() {
    let bench = Bench::new();
    let log = bench.path("log");
    let script = format!(
        "#!/bin/sh\necho \"$@\" >>{}\ncase $1 in\nimport) tar -t >{} ;;\nrun) exec {} serve ;;\n\
         --version) echo Docker version 99.1 ;;\nesac\n",
        log.display(),
        bench.path("image").display(),
        env!("TARE_PROBE_FILE")
    );
    let docker = bench.write("docker", &script);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&docker, mode).unwrap();
    let path = format!("{}:{}", bench.path("").display(), std::env::var("PATH").unwrap());
    let looked = bench.command("doctor docker").env("PATH", path).output().unwrap();
    let looked = common::done(looked);
    assert_eq!(looked.code, 0, "{}{}", looked.out, looked.err);
    for part in ["docker 99.1", "its memory and the CPU time"] {
        assert!(looked.out.contains(part), "no '{part}' in\n{}", looked.out);
    }
    let image = fs::read_to_string(bench.path("image")).unwrap();
    assert!(image.lines().any(|name| name == "./tare-probe"), "{image}");
    let said = lines(&log, 6);
    let first: Vec<&str> = said.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(first, ["info", "import", "run", "rm", "--version", "rmi"], "{said:#?}");
    let name = said[1].strip_prefix("import - ").unwrap();
    assert!(
        said[2].contains("--pull never") && said[2].ends_with(&format!("{name} /tare-probe serve"))
    );
    assert_eq!(said[5], format!("rmi {name}"));
}
