//! The reader's own command: what becomes of its time and of what it prints, and of everything that can go wrong with it.
//!
//! An overlay over the host's files needs root, as the other layers' tests do.

mod common;

use common::{Bench, elf, flat, samples, set_mode};
use std::fs;
use tare_store::{Outcome, Scratch, SeriesRow};

/// Prints a figure that does not depend on the machine, and writes where it will not be found.
const SCRIPT: &str = "set -e
i=0; while [ $i -lt 300 ]; do i=$((i + 1)); done
cat input > written
echo \"rate: $(wc -c < written) per s\"
printf 'count: %s\\n' \"$1\"
";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.script("work.sh", SCRIPT);
    bench.write("input", "1234567");
    bench
}

#[test]
fn what_a_command_prints_is_the_same_on_every_layer_and_by_hand() {
    let bench = bench();
    let line = "run --layers native,runc,runsc,uml,qemu --blocks 2 --warmup 0 --out c \
                --metric (?<rate>[0-9]+).per.s --unit 1/s --metric count:.([0-9]+) --unit number \
                --better higher --better lower -- ./work.sh 42";
    let done = bench.ok(line);
    let campaign = bench.campaign("c");
    for layer in ["native", "runc", "runsc", "uml"] {
        let boots = if layer == "native" { 4 } else { 2 };
        for (row, value) in [("program/work-sh.rate", 7.0), ("program/work-sh.2", 42.0)] {
            let found = samples(&campaign, row, layer);
            assert_eq!(found, vec![vec![value; 3]; boots], "{row} on {layer}\n{}", done.out);
        }
    }
    assert!(
        flat(&done.out).contains("cannot run there: this kind of layer cannot show"),
        "{}",
        done.out
    );
    let counted =
        campaign.series.iter().find(|series| !series.counters.is_empty()).expect("counts");
    assert!(counted.counters.iter().any(|counter| counter.name == "run_user_s"));
    assert_eq!(bench.names(), ["c", "input", "work.sh"], "what it wrote is gone");
}

/// What is written lies on the disk that was named, on every layer, the record says so, and its bytes are counted.
#[test]
fn files_on_a_disk_are_there_on_every_layer_until_the_boot_ends() {
    let bench = bench();
    let disk = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let script = "cat input > /written && dd if=/dev/zero of=large bs=1M count=8 conv=fsync 2>/dev/null && dd if=input of=synced conv=fsync 2>/dev/null && stat -f -c 'total: %b' /";
    bench.script("write.sh", script);
    let place = disk.path().canonicalize().unwrap();
    let line = format!(
        "run --layers native,runc,runsc,uml --scratch disk={} --blocks 1 --repeat 1 --warmup 0 --costs=disk \
         --out c --metric total:.([0-9]+) --unit number --better higher -- ./write.sh",
        place.display()
    );
    let done = bench.ok(&line);
    let campaign = bench.campaign("c");
    let of_host = nix::sys::statvfs::statvfs(&place).unwrap().blocks() as f64;
    for layer in ["native", "runc", "runsc"] {
        assert_eq!(
            samples(&campaign, "program/write-sh", layer)[0],
            [of_host],
            "{layer}: {}",
            done.out
        );
    }
    for layer in ["native", "runc", "runsc", "uml"] {
        let moved = samples(&campaign, "program/write-sh.disk", layer).concat();
        let megabytes: Vec<f64> = moved.iter().map(|bytes| bytes / 1_048_576.0).collect();
        assert!(!megabytes.is_empty(), "{layer}: {}", done.out);
        assert!(megabytes.iter().all(|size| (8.0..10.0).contains(size)), "{layer}: {megabytes:?}");
    }
    let of_guest = samples(&campaign, "program/write-sh", "uml")[0][0] * 4096.0;
    assert!((7e9..9e9).contains(&of_guest), "a disk of 8 GiB: {of_guest}");
    let Some(Scratch::Disk { folder, .. }) = &campaign.plan.scratch else { panic!("{}", done.out) };
    assert_eq!(folder.raw(), place.to_str().unwrap());
    assert!(flat(&done.out).contains("Files are written to a disk: "), "{}", done.out);
    assert_eq!(fs::read_dir(&place).unwrap().count(), 0, "what was written is gone");
    let refused = bench.tare("run --layers native --scratch disk=/proc/nothing --blocks 1 -- true");
    assert!(refused.err.contains("--scratch disk: /proc/nothing"), "{}", refused.err);
    let refused = bench.tare("run --layers native --blocks 1 --costs=disk -- true");
    assert!(refused.err.contains("--costs=disk needs --scratch disk"), "{}", refused.err);
}

#[test]
fn a_row_is_the_time_of_whole_runs_and_layers_take_turns_run_by_run() {
    let bench = bench();
    bench.ok("run --layers native,runc --blocks 1 --repeat 4 --costs=wakeups --name work --ok ^rate --out c -- ./work.sh");
    let campaign = bench.campaign("c");
    let of_time =
        |series: &&SeriesRow| campaign.benchmarks[series.benchmark].name == "program/work";
    for series in campaign.series.iter().filter(of_time) {
        assert_eq!(series.turns.iter().map(|turn| turn.samples).collect::<Vec<_>>(), [1; 4]);
        assert!(series.samples.iter().all(|ns| *ns > 100_000.0), "{:?}", series.samples);
    }
    assert_eq!(samples(&campaign, "program/work", "runc")[0].len(), 4);
    for layer in ["native", "runc"] {
        let woken = samples(&campaign, "program/work.wakeups", layer);
        assert!(woken.iter().all(|boot| boot.len() == 4 && boot[0] >= 2.0), "{layer}: {woken:?}");
    }
    bench.ok("resume c --blocks 2");
    assert_eq!(samples(&bench.campaign("c"), "program/work", "runc").len(), 2, "and goes on");
}

#[test]
fn a_budget_decides_how_often_a_command_runs_and_says_what_that_will_tell() {
    let bench = bench();
    let layers = "--layers native --layer name=other,kind=native --pin none";
    // On a machine that stands still meanwhile the budget may hold one block, of which nothing can be told.
    let mut budgets = ["8s", "30s"].into_iter();
    let (done, of_other) = loop {
        let budget = budgets.next().expect("the longer budget holds two blocks");
        let done = bench.ok(&format!(
            "run {layers} --budget {budget} --name work --out c{budget} -- ./work.sh"
        ));
        let of_other = samples(&bench.campaign(&format!("c{budget}")), "program/work", "other");
        if of_other.len() > 1 {
            break (done, of_other);
        }
    };
    let most = of_other.iter().map(Vec::len).max();
    assert!(most > Some(3), "a short command runs often: {of_other:?}");
    let told = done.err.matches("this budget tells other's ratio to about ±").count();
    assert_eq!(told, 1, "once: {}", done.err);
    bench.ok(&format!("run {layers} --budget 3s --repeat 2 --name work --out d -- ./work.sh"));
    let given = samples(&bench.campaign("d"), "program/work", "other");
    assert!(!given.is_empty() && given.iter().all(|runs| runs.len() == 2), "{given:?}");
}

#[test]
fn a_command_that_cannot_run_ends_the_campaign_before_it_begins() {
    let bench = bench();
    bench.script("flood.sh", "yes | head -c 300000000\necho last words\nexit 3\n");
    let cases: &[(&[&str], &str)] = &[
        (&["--", "./nothere"], "there is no program ./nothere"),
        (&["--", "./input"], "./input is not executable"),
        (&["--", "sh", "-c", "kill -9 $$"], "killed by signal 9 and printed nothing"),
        (&["--", "./flood.sh"], "exit status 3; its last lines: y | y | y | last words"),
        (&["--timeout", "1s", "--", "sleep", "100"], "did not end within 1 s"),
        (
            &["--overlay-limit", "64M", "--", "sh", "-c", "head -c 9000G /dev/zero > fill"],
            "No space left on device; what it writes may take 64 MiB of this host's memory (--overlay-limit)",
        ),
        (&["--timeout", "5s", "--", "sh", "-c", "sleep 100 & exit 5"], "exit status 5"),
        (&["--", "sh", "-c", "read line < /dev/tty && exit 1; exit 6"], "exit status 6"),
        (&["--cwd", "/no/such", "--", "true"], "no folder /no/such"),
        (&["--stdin", "/no/such", "--", "cat"], "input /no/such cannot be read"),
        (
            &["--ok", "fine", "--", "echo", "bad"],
            "did not print 'fine' (--ok); its last lines: bad",
        ),
        (&["--setup", "exit 9", "--", "true"], "setup ended with exit status 9"),
        (&["--metric", "x=([0-9]+)", "--unit", "s", "--", "echo", "y"], "matches nothing"),
        (&["--metric", "([0-9])", "--unit", "s", "--", "echo", "1 2"], "matches more than once"),
        (&["--parse", "sysbench", "--", "echo", "hello"], "is not sysbench's"),
        (
            &["--background", "sleep 100", "--ready", "exit 1", "--timeout", "1s", "--", "true"],
            "the server did not",
        ),
        (
            &[
                "--background",
                "echo in use; sleep 0.1; exit 3",
                "--",
                "sh",
                "-c",
                "sleep 0.4; exit 1",
            ],
            "the server ended with exit status 3; the server's last lines: in use",
        ),
    ];
    for (words, why) in cases {
        let done = bench.tare_with("run --layers native --blocks 1 --out c", words);
        assert_eq!(done.code, 1, "{words:?}: {}", done.err);
        assert!(flat(&done.err).contains(why), "{words:?}: {}", done.err);
        assert!(!bench.path("c").exists(), "{words:?}");
    }
}

#[test]
fn a_file_keeps_its_number_when_it_is_linked() {
    let bench = bench();
    let script = "number() { stat -c %d:%i input; }\nbefore=$(number)\nln input again\ntest $before = $(number)\n";
    bench.script("link.sh", script);
    bench.ok("run --layers native,runc --blocks 1 --out c -- ./link.sh");
    assert_eq!(samples(&bench.campaign("c"), "program/link-sh", "runc")[0].len(), 3);
}

#[test]
fn wrong_usage_is_refused_before_anything_is_booted() {
    let bench = bench();
    let cases: &[(&[&str], &str)] = &[
        (&["--metric", "[0-9]+", "--unit", "s", "--", "true"], "exactly one group"),
        (&["--metric", "(", "--unit", "s", "--", "true"], "is no regular expression"),
        (&["--metric", "([0-9]+)", "--", "true"], "--better higher"),
        (&["--metric", "([0-9]+)", "--unit", "furlongs", "--", "true"], "no unit 'furlongs'"),
        (&["--parse", "sysbenc", "--", "true"], "did you mean sysbench"),
        (&["--name", "a/b", "--", "true"], "is not a valid name of a program"),
        (&["--env", "NOT_SET_HERE", "--", "true"], "not set here"),
        (&["--metric", "([0-9]+)"], "required"),
        (&["--load", "2", "--", "true"], "no matching benchmark of this campaign has loads"),
        (&["--load-counts", "jobs", "--load", "auto", "--", "true"], "list them: --load"),
        (&["--root-run", "true", "--", "true"], "required"),
        (
            &["--root", "/usr", "--root-run", "true", "--", "true"],
            "only in roots of Debian's packages",
        ),
        (&["--memory", "much", "--", "true"], "not a size"),
        (&["--machine", "sim", "--", "true"], "none of this host's files"),
    ];
    for (words, why) in cases {
        let done = bench.tare_with("run --blocks 1 --out c", words);
        assert_eq!(done.code, 2, "{words:?}: {}", done.err);
        assert!(flat(&done.err).contains(why), "{words:?}: {}", done.err);
    }
}

#[test]
fn a_run_that_fails_on_one_layer_has_no_number_there_and_says_why() {
    let bench = bench();
    let only =
        "if [ \"$(cat /proc/sys/kernel/hostname)\" = tare ]; then echo not here; exit 7; fi\n";
    bench.script("only.sh", only);
    let done = bench.tare("run --layers native,runc --blocks 1 --out c -- ./only.sh");
    assert_eq!(done.code, 4, "nothing could be compared: {}", done.err);
    let why =
        "program/only-sh: failed: ./only.sh ended with exit status 7; its last lines: not here";
    assert!(flat(&done.out).contains(why), "{}", done.out);
    let campaign = bench.campaign("c");
    let failed: Vec<_> = campaign.series.iter().filter(|s| s.outcome == Outcome::Failed).collect();
    assert_eq!(failed.len(), 1);
    assert!(failed[0].samples.is_empty());
}

#[test]
fn a_32_bit_program_says_so_where_the_layer_runs_none() {
    let bench = Bench::new();
    // mov eax, 1 (exit); xor ebx, ebx; int 0x80
    let code = [0xb8, 1, 0, 0, 0, 0x31, 0xdb, 0xcd, 0x80];
    let old = bench.path("old");
    fs::write(&old, elf::of_32_bits(&code)).expect("a program");
    set_mode(&old, 0o755);
    let done = bench
        .ok("run --layers native,runc,runsc --blocks 1 --repeat 1 --warmup 0 --out c -- ./old");
    let campaign = bench.campaign("c");
    assert_eq!(samples(&campaign, "program/old", "runc").len(), 1, "{}", done.out);
    let why = "./old is a 32-bit program, and this layer's kernel runs none (gVisor's and";
    assert!(flat(&done.out).contains(why), "{}", done.out);
}

#[test]
fn a_guest_whose_disk_is_full_says_so_and_goes_on() {
    let bench = bench();
    let fill = "if [ \"$(cat /proc/sys/kernel/hostname)\" = tare ]; then head -c 9000G /dev/zero > fill; fi\n";
    bench.script("fill.sh", fill);
    bench.write(
        "tare.toml",
        "[[layer]]\nname = 'native'\n\
         [[layer]]\nname = 'uml'\n\
         [[program]]\nname = 'fill'\ncommand = './fill.sh'\nwarmup = 0\nrepeat = 1\n\
         [[program]]\nname = 'after'\ncommand = 'echo left $(ls -d . fill 2> /dev/null | wc -l)'\nmetric = 'left ([0-9]+)'\nbetter = 'lower'\n\
         warmup = 0\nrepeat = 1\nsetup = 'rm -f fill'\n",
    );
    let done = bench.ok("run --blocks 1 --out c");
    let full = "No space left on device; what it writes may take half of this guest's memory,";
    assert!(flat(&done.out).contains(full), "{}", done.out);
    assert_eq!(samples(&bench.campaign("c"), "program/after", "uml"), [[1.0]], "{}", done.out);
}

#[test]
fn a_program_at_several_loads_is_several_rows_with_one_curve() {
    let bench = bench();
    let line = "run --layers native,runc --blocks 1 --warmup 0 --repeat 1 --out c --load 1,3 --load-counts threads \
                --metric ([0-9]+)/s --unit 1/s --name load";
    let done = bench.tare_with(line, &["--", "sh", "-c", "echo $((10 * LOAD))/s"]);
    assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
    let campaign = bench.campaign("c");
    for layer in ["native", "runc"] {
        assert!(
            samples(&campaign, "program/load", layer).concat().iter().all(|rate| *rate == 10.0)
        );
        assert!(
            samples(&campaign, "program/load@3", layer).concat().iter().all(|rate| *rate == 30.0)
        );
    }
    let page = fs::read_to_string(bench.path("c/report.html")).expect("a page");
    assert!(page.contains("threads"), "its curve counts them");
}

#[test]
fn explained_programs_have_their_system_calls_by_name() {
    let bench = bench();
    let line =
        "run --layers native,runc --blocks 1 --warmup 0 --repeat 1 --explain --out c --name calls";
    // In two processes: the shell's own child makes its calls too.
    let script = "i=0; while [ $i -lt 250 ]; do test -e /no/such; i=$((i + 1)); done; \
                  (while [ $i -lt 300 ]; do test -e /no/such; i=$((i + 1)); done; true) & wait";
    let done = bench.tare_with(line, &["--", "sh", "-c", script]);
    assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
    let campaign = bench.campaign("c");
    let of = |layer: &str| {
        let on = |s: &&SeriesRow| campaign.layers[campaign.boots[s.boot].layer].name == layer;
        let counters = campaign.series.iter().filter(on).flat_map(|series| &series.counters);
        let looks =
            counters.filter(|c| c.name.starts_with("perf/calls/") && c.name.contains("stat"));
        looks.map(|counter| counter.value).fold(0.0, f64::max)
    };
    assert!((300.0..400.0).contains(&of("native")), "{}", of("native"));
    assert_eq!(of("runc"), 0.0, "they are the program's, not the layer's");
    assert!(done.out.contains("Seen by the host, per run"), "{}", done.out);
    assert!(done.out.contains("· newfstatat"), "{}", done.out);
}

#[test]
fn a_guest_has_the_memory_that_a_program_needs_or_says_what_to_give_it() {
    let bench = bench();
    // What Go's runtime is told of the processor comes from the guest's kernel.
    let line = "run --layers native --layer uml,args=GODEBUG=cpu.avx=off --layer name=small,kind=uml,memory=128M --memory 600M \
                --name told --metric ^told.([0-9]+)$ --better lower --blocks 1 --warmup 0 --repeat 1 --out c";
    let done = bench.tare_with(line, &["--", "sh", "-c", "echo told ${#GODEBUG}1"]);
    assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
    let campaign = bench.campaign("c");
    let settings = |name: &str| {
        let row = campaign.layers.iter().find(|row| row.name == name).expect("a layer");
        row.settings.clone()
    };
    assert!(settings("uml").raw().contains("memory=600M"), "{}", settings("uml").raw());
    assert_eq!(samples(&campaign, "program/told", "uml"), [[111.0]], "{}", done.out);
    assert_eq!(samples(&campaign, "program/told", "native").concat(), [1.0, 1.0], "{}", done.out);
    let why = "it needs 600 MiB of memory and this layer has";
    assert!(flat(&done.out).contains(why), "{}", done.out);
    assert!(flat(&done.out).contains("give it memory=600M"), "{}", done.out);
}

#[test]
fn a_server_runs_beside_its_client_and_what_is_left_behind_is_ended() {
    let bench = bench();
    bench.write(
        "tare.toml",
        "[[layer]]\nname = 'native'\n\
         [[layer]]\nname = 'runc'\n\
         [[program]]\nname = 'client'\nsetup = 'mkdir /tmp/made'\nready = 'test -e /tmp/made/ready'\n\
         background = '(sleep 0.2; touch /tmp/made/ready; exec sleep 1000.25) & sleep 1000.25'\n\
         prepare = 'rm -f /tmp/made/left'\nteardown = 'rmdir /tmp/made/none 2>/dev/null || rm -r /tmp/made'\n\
         command = '(sleep 1000.5 &); sleep 0.1; echo server $(pgrep -fc sleep.1000.25); \
         echo left $(pgrep -fc sleep.1000.5); touch /tmp/made/left'\n\
         metric = ['server (?<server>[0-9]+)', 'left (?<left>[0-9]+)']\nbetter = 'higher'\n",
    );
    bench.ok("run --blocks 1 --out c");
    let campaign = bench.campaign("c");
    for layer in ["native", "runc"] {
        for found in samples(&campaign, "program/client.server", layer) {
            assert!(found.iter().all(|servers| *servers >= 2.0), "{layer}: {found:?}");
        }
        for found in samples(&campaign, "program/client.left", layer) {
            assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "none adds up: {found:?}");
        }
    }
    let left =
        std::process::Command::new("pgrep").args(["-f", "sleep 1000"]).output().expect("pgrep");
    assert!(left.stdout.is_empty(), "{}", String::from_utf8_lossy(&left.stdout));
}
