//! What a newcomer does first: `tare --version`, `tare init`, `tare run`, `tare open`.

mod common;

use common::Bench;
use std::fs;

const MOCKS: &str = "--layer name=base,kind=mock --layer name=slow,kind=mock,value=150 \
                     --baseline base --bench lmbench/null_call --blocks 2 --seed 5";

#[test]
fn the_version_names_the_commit_the_probe_and_the_schema() {
    let bench = Bench::new();
    let said = bench.ok("--version").out;
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with(concat!("tare ", env!("CARGO_PKG_VERSION"), " (commit ")));
    let (word, hash) = lines[1].split_once(' ').expect("two words");
    assert!(word == "probe" && hash.len() == 64, "{said}");
    assert_eq!(lines[2], "campaign schema 3, reads 1 to 3");
    bench.ok(&format!("run {MOCKS} --out c"));
    assert_eq!(bench.campaign("c").plan.probe_sha256, hash, "what campaigns record");
}

#[test]
fn init_writes_settings_that_run_takes() {
    let bench = Bench::new();
    bench.ok(
        "init native name=half,kind=mock,fault=silent name=twice,kind=mock,value=2 --boot-limit 3s",
    );
    let text = fs::read_to_string(bench.path("tare.toml")).unwrap();
    assert!(text.contains("\n[[layer]]\nname = \"native\"\n"), "{text}");
    assert!(text.contains("\n[[layer]]\nname = \"twice\"\nkind = \"mock\"\nvalue = \"2\"\n"));
    assert!(text.contains("# It cannot run here: ") && text.contains("# name = \"half\"\n"));
    let done = bench.ok("run --bench lmbench/null_call --blocks 2 --out c");
    assert!(done.err.contains("Settings from tare.toml."), "{}", done.err);
    let campaign = bench.campaign("c");
    let names: Vec<&str> = campaign.layers.iter().map(|layer| layer.name.raw()).collect();
    assert_eq!(names, ["native", "twice"]);
    bench.fails("init native", 2, "tare.toml exists; --force replaces it");
    bench.ok("init native --force");
}

#[test]
fn run_ends_with_the_page_and_open_shows_it() {
    let bench = Bench::new();
    let done = bench.ok(&format!("run {MOCKS} --out c"));
    let page = bench.path("c/report.html").canonicalize().unwrap();
    let last = done.err.lines().last().unwrap();
    assert_eq!(last, format!("'tare open c' shows the page: {}", page.display()));
    fs::remove_file(&page).unwrap();
    let open = |browser: &str| {
        let mut command = bench.command("open c");
        command.env("BROWSER", browser).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        common::done(command.output().unwrap())
    };
    let without = open("");
    assert_eq!((without.code, without.out), (0, format!("{}\n", page.display())));
    assert!(without.err.contains("no browser was started") && page.is_file());
    let script = bench.script("browser", "printf %s \"$1\" > seen\n");
    let shown = open(&script.display().to_string());
    assert!(shown.err.contains("Shown by"), "{}", shown.err);
    assert_eq!(fs::read_to_string(bench.path("seen")).unwrap(), page.display().to_string());
    assert!(open("/bin/false").err.contains("open this file yourself"));
    assert!(open("/nowhere/browser").err.contains("cannot be started"));
    assert_eq!(bench.tare("open nowhere").code, 1);
}

#[test]
fn a_run_without_layers_says_which_and_why() {
    let bench = Bench::new();
    let done = bench.ok("run --bench lmbench/null_call --blocks 1 --boot-limit 5s --out c");
    let line =
        done.err.lines().find(|line| line.starts_with("Weighing those of")).expect("the line");
    assert!(line.contains("native, runc, runsc, kvm that run here"), "{line}");
    assert!(line.contains("qemu (emulates every instruction)") && line.contains("--layers all"));
}

#[test]
fn pages_of_the_manual_are_printed_without_a_network() {
    let bench = Bench::new();
    let page = bench.ok("help answers").out;
    assert!(page.starts_with("# Answers") && !page.contains("<!--"), "{page}");
    assert!(bench.ok("help run").out.contains("--layers"), "a verb's help is its own");
    assert_eq!(bench.tare("help no-such-page").code, 2);
}

#[test]
fn manual_and_completions_know_every_command() {
    let bench = Bench::new();
    bench.ok("generate man --out man");
    let page = fs::read_to_string(bench.path("man/tare-run.1")).unwrap();
    assert!(page.contains(".TH") && page.contains("\\-\\-budget"), "{page}");
    let main = bench.ok("generate man").out;
    for command in ["run", "init", "open", "doctor", "compare"] {
        assert!(bench.path(&format!("man/tare-{command}.1")).is_file(), "{command}");
        assert!(main.contains(&format!("tare\\-{command}(1)")), "{command}: {main}");
        for shell in ["bash", "zsh", "fish"] {
            let text = bench.ok(&format!("generate {shell}")).out;
            assert!(text.contains(command) && text.contains("budget"), "{shell}: {command}");
        }
    }
    assert!(!main.contains("keep"), "what tare starts itself is no command for people");
    let checks = std::process::Command::new("bash")
        .args(["-n", "/dev/stdin"])
        .stdin(std::process::Stdio::piped())
        .spawn();
    let mut checks = checks.expect("bash starts");
    let text = bench.ok("generate bash").out;
    std::io::Write::write_all(&mut checks.stdin.take().unwrap(), text.as_bytes()).unwrap();
    assert!(checks.wait().unwrap().success(), "bash reads its completions");
    bench.write("tare.bash", &text);
    std::fs::create_dir_all(bench.path("camp-a")).unwrap();
    bench.write("camp-a/campaign.db", "");
    std::fs::create_dir_all(bench.path("camp-other")).unwrap();
    for (words, expected) in [
        ("tare run --suite vm", "vmi"),
        ("tare run --layers native,gvi", "native,gvisor"),
        ("tare run --bench lmbench/null_c", "lmbench/null_call"),
        ("tare run --order ro", "rounds"),
        ("tare show camp", "camp-a"),
        ("tare run --laye", "--layers --layer"),
    ] {
        let script = format!(
            ". ./tare.bash; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _tare_values tare \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; echo \"${{COMPREPLY[*]}}\""
        );
        let mut bash = std::process::Command::new("bash");
        let said = bash.args(["-c", &script]).current_dir(bench.path("")).output().unwrap();
        let said = String::from_utf8_lossy(&said.stdout).trim().to_owned();
        assert_eq!(said, expected, "{words}");
    }
}
