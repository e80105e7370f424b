//! Layers of words in campaigns: a stranger's four lines, what all boots share, words that no test can boot.

mod common;
mod layers_common;

use common::{Bench, path_with};
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

#[test]
fn a_program_that_reads_only_from_a_terminal_gets_one() {
    let bench = Bench::new();
    let start = "sh -c '[ -t 0 ] && [ -t 1 ] && exec \"$0\" serve' {probe}";
    let toml = format!("[[layer]]\nname = 'mine'\nkind = 'command'\nstart = \"\"\"{start}\"\"\"\n");
    bench.write("tare.toml", &format!("{toml}tty = true\n"));
    // Answers that are longer than what a terminal holds, too.
    bench.ok("run --layers native,mine --bench lmbench/null_call --blocks 3 --pin none -o c");
    let row = common::series(&bench.campaign("c"), "mine", "lmbench/null_call").samples.len();
    assert!(row > 0);
    bench.write("tare.toml", &toml);
    assert_eq!(bench.tare("doctor mine").code, 4, "a pipe is no terminal");
}

#[test]
fn a_host_that_was_never_reached_burdens_no_later_command() {
    let bench = Bench::new();
    let bin = bench.path("bin");
    fs::create_dir(&bin).unwrap();
    let asked = bench.path("asked");
    let script = format!(
        "echo \"$@\" >>{}\necho 'ssh: connect to host nowhere port 22: Connection timed out' >&2\nexit 255\n",
        asked.display()
    );
    bench.script("bin/ssh", &script);
    let path = path_with(&bin);
    let tare = |line: &str| {
        let mut command = bench.command(line);
        command.env("PATH", &path).env("TARE_CACHE", bench.path("cache"));
        common::done(command.output().unwrap())
    };
    let looked = tare("doctor ssh,host=nowhere");
    assert_eq!(looked.code, 4, "{}{}", looked.out, looked.err);
    let said = common::flat(&looked.out);
    assert!(said.contains("timed out") && said.contains("can be reached"), "{said}");
    assert!(!said.contains("not removed"), "{said}");
    let line =
        "run --layer name=native,kind=mock --bench lmbench/null_call --blocks 2 --short -o c";
    let run = tare(line);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(!run.err.contains("left"), "{}", run.err);
    assert_eq!(fs::read_to_string(&asked).unwrap().lines().count(), 1, "it was asked once");
}

/// What docker is asked for, with a stand-in for it that notes its words and does what they ask.
#[test]
fn dockers_words_are_said_in_their_order() {
    let bench = Bench::new();
    let log = bench.path("log");
    let script = format!(
        "echo \"$@\" >>{}\ncase $1 in\nimport) tar -t >{} ;;\nrun) exec {} serve ;;\n\
         --version) echo Docker version 99.1 ;;\nesac\n",
        log.display(),
        bench.path("image").display(),
        env!("TARE_PROBE_FILE")
    );
    bench.script("docker", &script);
    let path = path_with(&bench.path(""));
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
