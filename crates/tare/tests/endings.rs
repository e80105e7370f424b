//! However a campaign ends, what was measured is kept, nothing is left behind, and it can go on.

mod common;

use common::{Bench, done, signal, wait_until};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use tare_store::{Campaign, FILE, Order, SeriesRow, load};

/// Native boots: real keepers, real probes, real folders.
const NATIVE: &str = "run --layers native --bench lmbench/* --seed 3 --blocks 8 --out c";

/// Waits until the campaign in `dir` holds `count` series.
fn wait_for_series(dir: &Path, count: usize) {
    wait_until("series in the campaign", || {
        dir.join(FILE).exists() && load(dir).is_ok_and(|campaign| campaign.series.len() >= count)
    });
}

/// Command lines of the processes whose environment or arguments come from this test's folder.
fn processes_of(bench: &Bench) -> Vec<String> {
    let mark = bench.path("").display().to_string();
    let marked = |pid: &str| {
        let read = |what: &str| fs::read(format!("/proc/{pid}/{what}")).unwrap_or_default();
        let line = String::from_utf8_lossy(&read("cmdline")).replace('\0', " ");
        let environment = String::from_utf8_lossy(&read("environ")).into_owned();
        (line.contains(mark.trim_end_matches('/'))
            || environment.contains(mark.trim_end_matches('/')))
        .then_some(line)
    };
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| name.parse::<u32>().is_ok()).filter_map(|pid| marked(&pid)).collect()
}

/// Starts `line` with all its temporary files, and the records of its boots, in folders of this test.
fn start_contained(bench: &Bench, line: &str) -> Child {
    contained(bench, line).spawn().expect("tare starts")
}

fn contained(bench: &Bench, line: &str) -> Command {
    let tmp = bench.path("tmp");
    fs::create_dir_all(&tmp).unwrap();
    let mut command = bench.command(line);
    command.env("TMPDIR", &tmp).env("TARE_CACHE", bench.path("cache"));
    command
}

fn boots_of(bench: &Bench) -> Vec<String> {
    let folder = bench.path("cache").join(format!("boots-{}", geteuid()));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

/// Sends a signal to tare and waits until nothing is left of it.
fn end_by(bench: &Bench, child: &mut Child, which: Signal) {
    let boots = boots_of(bench);
    signal(child, which);
    wait_until("tare ends", || child.try_wait().unwrap().is_some());
    wait_until_nothing_is_left(bench, &boots);
}

fn wait_until_nothing_is_left(bench: &Bench, boots: &[String]) {
    wait_until("every process of the campaign ends", || processes_of(bench).is_empty());
    wait_until("the boots' folders are removed", || {
        fs::read_dir(bench.path("tmp")).unwrap().flatten().count() == 0
    });
    wait_until("the boots' records are removed", || boots_of(bench).is_empty());
    let places = ["/dev/shm".into()].into_iter().chain(control_groups());
    let entries = places.flat_map(|place: PathBuf| fs::read_dir(place).unwrap().flatten());
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let left: Vec<_> = names.filter(|name| boots.iter().any(|id| name.starts_with(id))).collect();
    assert!(left.is_empty(), "left in /dev/shm or of control groups: {left:?}");
}

fn control_groups() -> Vec<PathBuf> {
    let mounts = fs::read_to_string("/proc/mounts").unwrap();
    let lines = mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    lines.filter(|words| words[2].starts_with("cgroup")).map(|words| words[1].into()).collect()
}

/// `blocks` blocks are whole, with every benchmark measured exactly once in every role; the others are as they were cut off.
fn assert_complete(campaign: &Campaign, blocks: u32) {
    let mut times = HashMap::new();
    for series in &campaign.series {
        let boot = &campaign.boots[series.boot];
        *times.entry((boot.block, boot.layer, boot.role, series.benchmark)).or_insert(0) += 1;
    }
    assert!(times.values().all(|&count| count == 1), "something was measured twice");
    let boots = campaign.layers.len() + 1;
    let whole = times.keys().filter(|(block, ..)| !campaign.open_blocks.contains(block)).count();
    assert_eq!(whole, blocks as usize * boots * campaign.benchmarks.len());
}

fn boots_by_block(campaign: &Campaign) -> HashMap<u32, Vec<i64>> {
    let mut blocks: HashMap<u32, Vec<i64>> = HashMap::new();
    campaign.boots.iter().for_each(|boot| blocks.entry(boot.block).or_default().push(boot.id));
    blocks
}

#[test]
fn killed_at_any_instant_it_loses_nothing_and_resumes() {
    let bench = Bench::new();
    let mut child = start_contained(&bench, NATIVE);
    wait_for_series(&bench.path("c"), 25);
    end_by(&bench, &mut child, Signal::SIGKILL);
    let before = bench.campaign("c");
    assert_eq!(before.state, "interrupted", "nobody runs it any more");
    assert_eq!(before.plan.order, Order::Rounds);
    let row = |of: &SeriesRow| (before.boots[of.boot].block, of.benchmark);
    for series in &before.series {
        let whole = before.series.iter().filter(|other| row(other) == row(series)).count();
        assert_eq!(whole, 2, "the row that was in its rounds is not there, the others are whole");
    }
    let shown = bench.ok("show c").out;
    assert!(!shown.contains("running"), "{shown}");

    // Twice: a campaign may be killed while it is being resumed.
    let mut again = start_contained(&bench, "resume c");
    wait_for_series(&bench.path("c"), before.series.len() + 10);
    end_by(&bench, &mut again, Signal::SIGKILL);

    bench.ok("resume c");
    let after = bench.campaign("c");
    assert_eq!(after.state, "finished");
    assert_complete(&after, 8);
    assert_eq!(after.series[..before.series.len()], before.series[..], "nothing recorded was lost");
    let then = boots_by_block(&before);
    let now = boots_by_block(&after);
    assert!(then.iter().all(|(block, boots)| now[block] == *boots), "a block belongs to one run");
    assert!(after.open_blocks.len() <= 2, "one a kill: {:?}", after.open_blocks);
    bench.ok("resume c --blocks 9");
    assert_complete(&bench.campaign("c"), 9);
}

#[test]
fn killed_with_many_layers_alive_it_leaves_none() {
    let bench = Bench::new();
    let line = "run --layers native --bench start/rate --load 12 --blocks 50 --seed 1 --out c";
    let mut child = start_contained(&bench, line);
    wait_until("twelve layers at once", || boots_of(&bench).len() >= 12);
    end_by(&bench, &mut child, Signal::SIGKILL);
    assert!(bench.ok("show c").out.contains("start/rate"));
}

#[test]
fn interrupted_it_prints_what_it_has_and_says_how_to_go_on() {
    let bench = Bench::new();
    let child = start_contained(&bench, NATIVE);
    wait_for_series(&bench.path("c"), 80);
    let boots = boots_of(&bench);
    signal(&child, Signal::SIGINT);
    let ended = done(child.wait_with_output().unwrap());
    assert_eq!(ended.code, 130, "{}", ended.err);
    assert!(ended.err.contains("tare resume c"), "{}", ended.err);
    assert!(ended.out.contains("null_call"), "no scoreboard:\n{}", ended.out);
    wait_until_nothing_is_left(&bench, &boots);
    assert_eq!(bench.campaign("c").state, "interrupted");
    assert!(!ended.out.contains("Failed boots"), "no failure: {}", ended.out);
    bench.ok("resume c");
    assert_complete(&bench.campaign("c"), 8);
}

#[test]
fn a_directory_is_never_run_twice_at_once_or_over() {
    let bench = Bench::new();
    let mut child = start_contained(&bench, NATIVE);
    wait_for_series(&bench.path("c"), 1);
    bench.fails("resume c", 1, "in use by another tare");
    end_by(&bench, &mut child, Signal::SIGKILL);
    bench.fails(NATIVE, 1, "already holds a campaign");
}

#[test]
fn a_damaged_campaign_is_named() {
    let bench = Bench::new();
    fs::create_dir(bench.path("c")).unwrap();
    bench.write("c/campaign.db", "SQLite format 3, but not really: this is text and nothing else");
    for verb in ["show", "resume"] {
        bench.fails(&format!("{verb} c"), 1, "campaign.db");
    }
}

/// A container runtime that stops halfway: it has made control groups and a daemon, and no container.
const RUNTIME: &str = r#"for id; do :; done
case "$*" in *" run "*) ;; *) exit ;; esac
test -e BENCH/lower && { setsid prlimit --locks=7 --rss=7 sleep 1000 & echo $! >BENCH/lowered; }
while read -r _ place kind _; do
    case $kind in cgroup*) mkdir "$place/$id" && echo $$ >"$place/$id/cgroup.procs" ;; esac
done 2>/dev/null </proc/mounts
setsid prlimit --locks=7 sleep 1000 &
echo "$PPID $id" >BENCH/new && mv BENCH/new BENCH/mark
exec sleep 1000
"#;

/// `tare doctor` of one layer, at the point where that runtime stops.
struct Halfway {
    bench: Bench,
    tare: Child,
    keeper: Pid,
    id: String,
}

impl Halfway {
    fn reached() -> Halfway {
        Halfway::reached_in(Bench::new())
    }

    fn reached_in(bench: Bench) -> Halfway {
        let place = bench.path("").display().to_string();
        let runtime = bench.script("runtime", &RUNTIME.replace("BENCH/", &place));
        let line = format!("doctor runc,runtime={}", runtime.display());
        let tare = start_contained(&bench, &line);
        wait_until("the runtime stops", || bench.path("mark").exists());
        let mark = fs::read_to_string(bench.path("mark")).unwrap();
        let (keeper, id) = mark.trim().split_once(' ').unwrap();
        assert_eq!(boots_of(&bench), [id], "the boot is recorded");
        let keeper = Pid::from_raw(keeper.parse().unwrap());
        Halfway { tare, keeper, id: id.to_owned(), bench }
    }
}

#[test]
fn killed_while_a_runtime_starts_it_leaves_no_control_group() {
    let Halfway { bench, mut tare, id, .. } = Halfway::reached();
    let groups = || control_groups().iter().filter(|place| place.join(&id).exists()).count();
    assert!(groups() > 0 || !geteuid().is_root(), "the runtime has made none");
    end_by(&bench, &mut tare, Signal::SIGKILL);
}

#[test]
fn a_keeper_that_is_killed_is_reported_and_its_work_is_done() {
    let Halfway { bench, tare, keeper, id } = Halfway::reached();
    kill(keeper, Signal::SIGKILL).unwrap();
    let ended = done(tare.wait_with_output().unwrap());
    assert_eq!(ended.code, 4, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("the process that looks after the layer ended"), "{}", ended.out);
    wait_until_nothing_is_left(&bench, &[id]);
}

#[test]
fn what_both_leave_when_killed_is_found_by_the_next() {
    // One of its processes has lowered the limit that carries the boot's mark, another one both of them.
    let bench = Bench::new();
    bench.write("lower", "");
    let Halfway { bench, mut tare, keeper, id } = Halfway::reached_in(bench);
    let folder = bench.path("tmp").join(&id);
    let next = || done(contained(&bench, "doctor native").output().unwrap());
    let beside = next();
    assert!(!beside.err.contains(&id), "a living boot was touched: {}", beside.err);
    assert!(folder.exists() && kill(keeper, None).is_ok(), "a living boot was ended");
    signal(&tare, Signal::SIGSTOP); // it would do the keeper's work
    kill(keeper, Signal::SIGKILL).unwrap();
    signal(&tare, Signal::SIGKILL);
    tare.wait().unwrap();
    wait_until("the keeper has gone", || kill(keeper, None).is_err());
    assert!(folder.exists());
    let after = next();
    assert!(after.err.contains(&id), "nothing is said: {}", after.err);
    let lowered = fs::read_to_string(bench.path("lowered")).unwrap();
    // Root's boots have a control group, by which it is found and ended all the same; an ordinary user's is named.
    let process = Pid::from_raw(lowered.trim().parse().unwrap());
    let named = format!("process {process} (sleep) may be of that boot too");
    let lives =
        fs::read_to_string(format!("/proc/{process}/cmdline")).is_ok_and(|it| !it.is_empty());
    assert_eq!(after.err.contains(&named), lives, "{}", after.err);
    if lives {
        kill(process, Signal::SIGKILL).unwrap();
    }
    wait_until_nothing_is_left(&bench, &[id]);
}
