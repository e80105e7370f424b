//! Whose words tare runs: those in the folder in which it is started, and those of a campaign, may be somebody else's.

mod common;

use common::{Bench, flat, set_mode, wait_until};
use nix::sys::stat::Mode;
use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::process::Child;

const MOCKS: &str = "run --layer name=base,kind=mock --baseline base --bench lmbench/null_call --blocks 1 --seed 5 --out c";

/// Another user than those who run tests.
const NOBODY: u32 = 65534;

/// It ends by itself; how.
fn code(mut child: Child) -> i32 {
    wait_until("it ends", || child.try_wait().expect("a child").is_some());
    child.wait().expect("a child").code().unwrap_or(-1)
}

#[test]
fn a_tare_toml_that_others_could_have_written_is_not_run_unless_it_is_named() {
    let bench = Bench::new();
    let ran = bench.path("ran").display().to_string();
    let layer = format!(
        "name = \"own\"\nkind = \"command\"\nstart = \"touch {ran} {{probe}}\"\ncheck = \"touch {ran}\"\n"
    );
    let file = bench.write("tare.toml", &format!("[[layer]]\n{layer}"));
    let run = |line: &str| {
        bench.tare(&format!("{line} --bench lmbench/null_call --blocks 1 --boot-limit 1s --out c"))
    };
    let refused = |why: &str| {
        for line in ["run", "doctor own"] {
            let said = if line == "run" { run(line) } else { bench.tare(line) };
            assert_eq!(said.code, 1, "{line}: {}", said.err);
            let text = flat(&said.err);
            assert!(text.contains(why) && text.contains("--config tare.toml"), "{line}: {text}");
        }
        assert!(!bench.path("ran").exists(), "{why}");
    };
    set_mode(&file, 0o646);
    refused("others may write to it (mode 646)");
    set_mode(&file, 0o644);
    set_mode(bench.path("."), 0o1777);
    refused("others may write to its folder (mode 1777)");
    set_mode(bench.path("."), 0o700);
    if nix::unistd::geteuid().is_root() {
        chown(&file, Some(NOBODY), None).expect("a file of another user's");
        refused("it belongs to another user (uid 65534)");
        let by_sudo =
            bench.command("doctor own").env("SUDO_UID", "65534").output().expect("tare starts");
        assert!(
            !String::from_utf8_lossy(&by_sudo.stderr).contains("another user"),
            "the user of sudo"
        );
        fs::remove_file(bench.path("ran")).expect("it was run");
    }
    run("run --config tare.toml");
    assert!(bench.path("ran").exists(), "it was named");
}

#[test]
fn a_tare_toml_without_an_end_is_not_waited_for() {
    let bench = Bench::new();
    nix::unistd::mkfifo(&bench.path("tare.toml"), Mode::S_IRWXU).expect("a FIFO");
    assert_eq!(code(bench.start("run --blocks 1")), 1);
    assert!(bench.tare("run --blocks 1").err.contains("tare.toml is not a regular file"));
}

#[test]
fn a_campaign_that_others_could_have_written_is_not_gone_on_with() {
    let bench = Bench::new();
    bench.ok(MOCKS);
    let folder = bench.path("c");
    let file = bench.path("c/campaign.db");
    let refused = |why: &str| {
        let said = bench.tare("resume c --blocks 2");
        assert_eq!(said.code, 1, "{}", said.err);
        let text = flat(&said.err);
        assert!(text.contains(why) && text.contains("cp -r c COPY"), "{text}");
        bench.ok("show c");
    };
    set_mode(&file, 0o666);
    refused("others may write to it (mode 666)");
    set_mode(&file, 0o644);
    set_mode(&folder, 0o777);
    refused("others may write to its folder (mode 777)");
    set_mode(&folder, 0o755);
    if nix::unistd::geteuid().is_root() {
        chown(&folder, Some(NOBODY), None).expect("a folder of another user's");
        refused("its folder belongs to another user (uid 65534)");
        chown(&folder, Some(0), None).expect("root's again");
    }
    // A link where logs are written leads anywhere.
    fs::create_dir(bench.path("elsewhere")).expect("a folder");
    fs::rename(bench.path("c/logs"), bench.path("kept")).expect("logs");
    symlink(bench.path("elsewhere"), bench.path("c/logs")).expect("a link");
    bench.fails("resume c --blocks 2", 1, "c/logs");
    assert_eq!(fs::read_dir(bench.path("elsewhere")).expect("a folder").count(), 0);
    fs::remove_file(bench.path("c/logs")).expect("the link");
    bench.ok("resume c --blocks 2");
}
