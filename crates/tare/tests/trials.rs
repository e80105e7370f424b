//! Trying layers: what is remembered of those that do not boot, what is said meanwhile, what `--require` stops.

mod common;

use common::{Bench, Done, done};
use std::fs;

/// Runs `tare` with a cache of this test's own and `last`, which may hold spaces, as its last argument.
fn tare(bench: &Bench, line: &str, last: &str) -> Done {
    let mut command = bench.command(line);
    command.env("TARE_CACHE", bench.path("cache")).arg(last);
    done(command.output().expect("tare starts"))
}

/// A layer that never greets and leaves a mark in the file `tries` whenever it is booted.
fn mute(bench: &Bench) -> String {
    let marks = bench.path("tries");
    let script = format!("echo tried >> {}; exec sleep 100", marks.display());
    format!("name=mute,kind=mock,command=sh {}", bench.write("mute.sh", &script).display())
}

fn tries(bench: &Bench) -> usize {
    fs::read_to_string(bench.path("tries")).unwrap_or_default().lines().count()
}

#[test]
fn what_did_not_boot_is_remembered_until_something_changes_or_it_is_asked_again() {
    let bench = Bench::new();
    let mute = mute(&bench);
    let doctor = |line: &str| {
        let done = tare(&bench, &format!("doctor --boot-limit 1s {line}"), &mute);
        assert_eq!(done.code, 4, "{}", done.err);
        assert!(done.out.contains("the probe did not answer within 1.0 s"), "{}", done.out);
        (tries(&bench), done.out.contains("remembered"))
    };
    assert_eq!(doctor(""), (1, false));
    assert_eq!(doctor(""), (1, true));
    let told = tare(&bench, "doctor --boot-limit 1s", &mute).out;
    assert!(told.contains("tare doctor --again mock") && told.contains("(tried 20"), "{told}");
    assert_eq!(doctor("--again"), (2, false));
    assert_eq!(doctor(""), (2, true));
    // The program that would be started has changed: touched, and no more.
    let script = fs::read(bench.path("mute.sh")).unwrap();
    fs::remove_file(bench.path("mute.sh")).unwrap();
    fs::write(bench.path("other"), b"takes the number of the file that was").unwrap();
    fs::write(bench.path("mute.sh"), script).unwrap();
    assert_eq!(doctor(""), (3, false));
}

#[test]
fn a_campaign_does_not_wait_again_and_says_that_it_remembers() {
    let bench = Bench::new();
    let mute = mute(&bench);
    let line = "run --layer name=base,kind=mock --baseline base --bench lmbench/null_call --blocks 1 \
                --boot-limit 1s --layer name=other,kind=mock --out";
    for (out, remembered) in [("a", false), ("b", true)] {
        let done = tare(&bench, &format!("{line} {out} --layer"), &mute);
        assert_eq!(done.code, 0, "{}", done.err);
        assert_eq!(done.err.contains("remembered"), remembered, "{}", done.err);
        assert_eq!(tries(&bench), 1);
        let campaign = bench.campaign(out);
        assert_eq!(campaign.boots.len(), 3, "two of the baseline, one of the other");
        let (why, remedy) = campaign.layers[2].unavailable.as_ref().expect("did not boot");
        assert_eq!(
            (why.raw().contains("remembered"), remedy.raw().contains("--again")),
            (remembered, remembered)
        );
    }
}

#[test]
fn a_campaign_that_can_compare_nothing_does_not_start() {
    let bench = Bench::new();
    let line = "run --bench lmbench/null_call --blocks 1 --out c";
    let fire = "kind=command,name=fire,start=no-such-vmm {probe}";
    let alone = bench.tare_with(&format!("{line} --layer name=native,kind=mock --layer"), &[fire]);
    assert_eq!(alone.code, 4, "{}", alone.err);
    let said = common::flat(&alone.err);
    let why = "no layer that could be compared with native runs here (fire: there is no program no-such-vmm)";
    assert!(said.contains(why), "{said}");
    let based = bench.tare_with(
        &format!("{line} --layer name=native,kind=mock --baseline fire --layer"),
        &[fire],
    );
    assert_eq!(based.code, 4, "{}", based.err);
    assert!(
        common::flat(&based.err).contains("the baseline fire cannot run here"),
        "{}",
        based.err
    );
    assert!(!bench.path("c").exists());
    let fire = bench
        .command("run --layers firecracker,native --blocks 1 --out c")
        .env("PATH", "/usr/bin:/bin")
        .output();
    let fire = done(fire.unwrap());
    assert_eq!(fire.code, 4, "{}", fire.err);
    assert!(common::flat(&fire.err).contains("there is no program firecracker"), "{}", fire.err);
}

#[test]
fn a_trial_that_takes_long_says_so_and_the_next_is_beside_it() {
    let bench = Bench::new();
    let mut command = bench.command("doctor --boot-limit 7s");
    command.env("TARE_CACHE", bench.path("cache"));
    let tried = done(command.args([&mute(&bench), "name=quick,kind=mock"]).output().unwrap());
    assert_eq!(tried.code, 4);
    assert!(tried.err.contains("trying mute: 0:0"), "{}", tried.err);
    assert!(tried.err.contains("of at most 0:07"), "{}", tried.err);
    let at = |name: &str| tried.out.find(&format!("\n{name}")).expect("said of each");
    if std::thread::available_parallelism().is_ok_and(|cpus| cpus.get() > 1) {
        assert!(at("quick") < at("mute"), "{}", tried.out);
    }
}

#[test]
fn a_required_layer_that_lacks_something_stops_everything_before_the_first_boot() {
    let bench = Bench::new();
    // A QEMU that is built without plugins cannot count.
    let emulator = bench.script("qemu", "echo QEMU emulator version 7.2.0\n");
    let first = mute(&bench);
    let line = format!(
        "run --require --count --bench lmbench/null_call --blocks 1 --boot-limit 1s --out c --layer kind=qemu,name=q,emulator={} \
         --baseline mute --layer",
        emulator.display()
    );
    let done = tare(&bench, &line, &first);
    assert_eq!(done.code, 4, "{}", done.err);
    assert!(
        done.err.contains("plugin") && done.err.contains("Nothing was measured"),
        "{}",
        done.err
    );
    assert_eq!(tries(&bench), 0, "nothing was booted");
    assert!(!bench.path("c/campaign.db").exists());
}

/// As tare tells it where the processor has more registers than User-Mode Linux can keep; here the tester does.
#[test]
fn doctor_says_that_uml_runs_without_avx() {
    let bench = Bench::new();
    let without = r"GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX\,-AVX2\,-AVX512F\,-AVX512VL\,-AVX_Fast_Unaligned_Load";
    let told = bench.ok(&format!("doctor uml,args={without}")).out;
    assert!(told.contains("note: runs without AVX"), "{told}");
}

/// How often a trial of a simulated machine starts its emulator: for the machine, and for a copy of it.
const TRIAL: usize = 2;

/// One boot of the simulated machine: its emulator starts that often and never again, which only boots after the trial notice.
#[test]
fn a_simulated_machine_that_booted_is_not_tried_again() {
    let bench = Bench::new();
    let marks = bench.path("tries").display().to_string();
    let once = format!(
        "case \"$*\" in *-kernel*) ;; *) exec qemu-system-x86_64 \"$@\" ;; esac\n\
         echo tried >> {marks}\n[ $(wc -l < {marks}) -le {TRIAL} ] && exec qemu-system-x86_64 \"$@\"\n"
    );
    let emulator = bench.script("emulator", &once);
    let run = |out: &str| {
        bench.tare(&format!(
            "run --machine sim --layer kind=native,emulator={} --bench lmbench/null_call --blocks 1 --out {out}",
            emulator.display()
        ))
    };
    for out in ["a", "b"] {
        let before = tries(&bench);
        let done = run(out);
        assert!(!done.err.contains("cannot run here"), "the trial came up: {}", done.err);
        let tried = if out == "a" { TRIAL } else { 0 };
        assert!(tries(&bench) > before + tried, "boots after it: {}", done.err);
    }
    let told = bench.tare(&format!("doctor --machine sim native,emulator={}", emulator.display()));
    assert_eq!(told.code, 4, "doctor boots it: {}", told.out);
}
