//! What `tare fleet` submits, and what it does not, with stand-ins for Slurm's programs that write down how they were called.

mod common;

use common::{Bench, Done, done, path_with, set_mode};
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

const PLAN: &str = r#"
bench = ["lmbench/null_call"]
blocks = 2
baseline = "native"
[[layer]]
name = "native"
kind = "mock"
"#;

/// Each is one of Slurm's programs. `wrong` holds what sbatch says when it refuses, `tasks` what squeue knows.
const PROGRAMS: [(&str, &str); 5] = [
    (
        "sbatch",
        "[ ! -e $here/wrong ] || { cat $here/wrong >&2; exit 1; }\n\
         number=$(($(cat $here/number) + 1)); echo $number >$here/number; echo $number",
    ),
    ("scontrol", "[ \"$1\" = show ] && echo \"$3\" | tr , '\\n'; exit 0"),
    ("squeue", "cat $here/tasks"),
    ("sinfo", "echo idle"),
    ("scancel", "exit 0"),
];

/// A folder with a plan and a Slurm that only looks like one.
struct Fake {
    bench: Bench,
}

impl Fake {
    fn new() -> Fake {
        let bench = Bench::new();
        let here = bench.path("slurm");
        fs::create_dir(&here).unwrap();
        let shown = here.display();
        for (name, does) in PROGRAMS {
            let script = format!("here={shown}\necho {name} \"$@\" >>$here/calls\n{does}\n");
            bench.script(&format!("slurm/{name}"), &script);
        }
        for (name, text) in [("number", "100"), ("tasks", ""), ("calls", "")] {
            fs::write(here.join(name), text).unwrap();
        }
        bench.write("plan.toml", PLAN);
        Fake { bench }
    }

    fn command(&self, line: &str) -> Command {
        let mut command = self.bench.command(line);
        command.env("PATH", path_with(&self.bench.path("slurm")));
        command
    }

    fn tare(&self, line: &str) -> Done {
        done(self.command(line).output().unwrap())
    }

    #[track_caller]
    fn ok(&self, line: &str) -> String {
        let done = self.tare(line);
        assert_eq!(done.code, 0, "tare {line}\n{}{}", done.out, done.err);
        common::flat(&(done.out + &done.err))
    }

    /// How Slurm's programs were called since the last time that this was asked.
    fn calls(&self) -> Vec<String> {
        let path = self.bench.path("slurm/calls");
        let calls = fs::read_to_string(&path).unwrap();
        fs::write(path, "").unwrap();
        calls.lines().map(str::to_owned).collect()
    }

    /// The hosts' numbers of each array that was submitted since then.
    fn submitted(&self) -> Vec<String> {
        let calls = self.calls();
        let arrays = calls.iter().filter_map(|call| call.split("--array=").nth(1));
        arrays.map(|rest| rest.split(' ').next().unwrap().to_owned()).collect()
    }

    fn knows(&self, tasks: &str) {
        fs::write(self.bench.path("slurm/tasks"), tasks).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.bench.path(name)).unwrap_or_default()
    }
}

#[test]
fn a_plan_that_run_would_refuse_is_refused_before_anything_is_made() {
    let fake = Fake::new();
    for (wrong, why) in [
        (PLAN.replace("null_call", "nul_call"), "null_call"),
        (PLAN.replace("kind = \"mock\"", "kind = \"mok\""), "mok"),
        (PLAN.replace("kind = \"mock\"", "kind = \"mock\"\nspeed = 3"), "speed"),
        (PLAN.replace("baseline = \"native\"", "baseline = \"other\""), "other"),
        (PLAN.replace("blocks = 2", "blocks = 0"), "blocks"),
    ] {
        fake.bench.write("wrong.toml", &wrong);
        let done = fake.tare("fleet submit wrong.toml --nodes n1,n2 -o fleet");
        assert_eq!(done.code, 2, "{}{}", done.out, done.err);
        assert!(done.err.contains(why), "{}", done.err);
    }
    assert!(!fake.bench.path("fleet").exists() && fake.calls().is_empty());
    // Which CPUs there are is known on the nodes only.
    fake.bench.write("pinned.toml", &PLAN.replace("blocks = 2", "blocks = 2\npin = \"9999\""));
    fake.ok("fleet submit pinned.toml --nodes n1,n2 -o fleet");
    let done = fake.tare("fleet submit plan.toml");
    assert!(done.code == 2 && done.err.contains("--nodes"), "{}", done.err);
}

#[test]
fn what_dry_run_has_written_can_be_changed_and_submitted_once() {
    let fake = Fake::new();
    let said = fake.ok(
        "fleet submit plan.toml --nodes n1,n2 --account physics --dry-run -o fleet -- --time=60",
    );
    assert!(said.contains("tare fleet submit "), "{said}");
    assert!(fake.submitted().is_empty());
    for script in ["fleet/host.sbatch", "fleet/merge.sbatch"] {
        let text = fake.read(script);
        assert!(text.contains("#SBATCH --account=physics\n#SBATCH --time=60\n"), "{text}");
    }
    let done = fake.tare("fleet submit fleet --nodes n1");
    assert!(done.code == 2 && done.err.contains("change the files"), "{}", done.err);
    fs::write(fake.bench.path("fleet/plan.toml"), "blocks = 2\nsuit = []\n").unwrap();
    assert_eq!(fake.tare("fleet submit fleet").code, 2, "it was changed, and is wrong now");
    assert!(fake.submitted().is_empty());
    fs::write(fake.bench.path("fleet/plan.toml"), PLAN).unwrap();
    fake.ok("fleet submit fleet");
    assert_eq!(
        (fake.submitted(), fake.read("fleet/jobs")),
        (vec!["0,1".into()], "102 101\n".into())
    );
    let done = fake.tare("fleet submit fleet");
    assert!(done.code == 1 && done.err.contains("already"), "{}", done.err);
    let mut command = fake.command("fleet submit plan.toml --nodes n1 --dry-run -o other --");
    let done = done_of(command.arg("--comment=two\nlines"));
    assert!(done.code == 2 && !fake.bench.path("other").exists(), "{}", done.err);
}

fn done_of(command: &mut Command) -> Done {
    done(command.output().unwrap())
}

#[test]
fn no_job_begins_that_could_not_be_recorded() {
    let fake = Fake::new();
    fake.ok("fleet submit plan.toml --nodes n1,n2 --dry-run -o fleet");
    // Nothing can be written there, as where a quota is full.
    symlink("nowhere/jobs", fake.bench.path("fleet/jobs")).unwrap();
    let done = fake.tare("fleet submit fleet");
    assert!(done.code == 1 && done.err.contains("cannot write"), "{}", done.err);
    let calls = fake.calls();
    assert!(!calls.iter().any(|call| call.contains("release")), "{calls:?}");
    assert_eq!(calls.last().unwrap(), "scancel 101 102");
}

#[test]
fn a_host_that_was_cancelled_stays_so_when_slurm_has_forgotten_it() {
    let fake = Fake::new();
    fake.ok("fleet submit plan.toml --nodes n1,n2 --retries 9 -o fleet");
    assert_eq!(fake.submitted(), ["0,1"]);
    fake.knows("101|0|FAILED|NonZeroExitCode\n101|1|CANCELLED|None\n");
    assert!(fake.ok("fleet again fleet").contains("n2 was cancelled: it is not submitted again"));
    assert_eq!(fake.submitted(), ["0"]);
    fake.knows("103|0|FAILED|NonZeroExitCode\n");
    assert!(fake.ok("fleet again fleet").contains("n2 was cancelled: it is not submitted again"));
    assert_eq!(fake.submitted(), ["0"]);
    fake.knows("");
    fake.ok("fleet again fleet");
    assert_eq!(fake.submitted(), ["0"]);
}

#[test]
fn a_host_where_the_plan_is_wrong_is_not_submitted_again() {
    let fake = Fake::new();
    fake.ok("fleet submit plan.toml --nodes n1,n2 --retries 9 -o fleet");
    let tare = fake.read("fleet/settings");
    let tare = tare.lines().find_map(|line| line.strip_prefix("tare=./")).unwrap().to_owned();
    let tare = fake.bench.path("fleet").join(tare);
    let kept = fake.bench.path("kept");
    fs::rename(&tare, &kept).unwrap();
    for (number, code) in [("0", 2), ("1", 1)] {
        fs::write(&tare, format!("#!/bin/sh\nexit {code}\n")).unwrap();
        set_mode(&tare, 0o755);
        let mut task = Command::new("sh");
        task.arg("host.sbatch").current_dir(fake.bench.path("fleet"));
        task.env("SLURM_ARRAY_TASK_ID", number).env("SLURM_ARRAY_JOB_ID", "101");
        task.env("SLURM_JOB_ID", "101")
            .env("SLURMD_NODENAME", ["n1", "n2"][usize::from(number == "1")]);
        assert_eq!(task.output().unwrap().status.code(), Some(1));
    }
    fake.submitted();
    fake.knows("101|0|FAILED|NonZeroExitCode\n101|1|FAILED|NonZeroExitCode\n");
    assert!(fake.ok("fleet again fleet").contains("n1 refuses the plan"));
    assert_eq!(fake.submitted(), ["1"]);
}

#[test]
fn slurms_own_words_are_told() {
    let fake = Fake::new();
    let error = "sbatch: error: Batch job submission failed: Invalid account specified";
    fs::write(fake.bench.path("slurm/wrong"), error).unwrap();
    let done = fake.tare("fleet submit plan.toml --nodes n1 -o fleet");
    assert!(done.code == 1 && done.err.contains("Invalid account specified"), "{}", done.err);
    assert!(!done.err.contains("needs Slurm's programs"), "{}", done.err);
    let mut command = fake.bench.command("fleet submit plan.toml --nodes n1 -o without");
    let done = done_of(command.env("PATH", fake.bench.path("none")));
    assert!(done.code == 1 && done.err.contains("needs Slurm's programs"), "{}", done.err);
    // The task's script has heard of a signal only.
    fs::remove_file(fake.bench.path("slurm/wrong")).unwrap();
    fake.ok("fleet submit fleet");
    fs::write(fake.bench.path("fleet/hosts/n1/failure"), "tare ended with status 143 on n1\n")
        .unwrap();
    fake.knows("101|0|TIMEOUT|TimeLimit\n");
    fake.ok("fleet again fleet");
    let said = fake.ok("fleet status fleet");
    assert!(said.contains("Slurm says TIMEOUT of its task (its time limit"), "{said}");
}
