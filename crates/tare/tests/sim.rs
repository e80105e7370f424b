//! The simulated machine: figures that repeat, effects of Xen that are known, units that are no times, and what is said where
//! it cannot run.

mod common;
mod layers_common;

use common::{Bench, count, done, mean, series};
use layers_common::children;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::process::Child;
use std::thread;
use std::time::Duration;
use tare_store::{BootState, Campaign};

/// A short campaign of scripted layers, the second costing `factor` times the first.
fn scripted(bench: &Bench, factor: f64, out: &str, more: &str) -> common::Done {
    let value = 1000.0 * factor;
    bench.tare(&format!(
        "run --machine sim --layer name=a,kind=mock,value=1000 --layer name=b,kind=mock,value={value} \
         --bench lmbench/null_call --bench kernel/getppid --seed 3 --out {out} {more}"
    ))
}

#[test]
fn values_are_instructions_and_blocks_are_counted() {
    let bench = Bench::new();
    let done = scripted(&bench, 2.0, "c", "--format json");
    assert_eq!(done.code, 0, "{}", done.err);
    let board: Value = done.json();
    assert_eq!(board["provenance"]["machine"], "sim");
    assert_eq!(board["counts"]["blocks"], 3);
    let rows = board["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 2, "what the host measures is left out");
    assert!(rows.iter().all(|row| row["unit"] == "instructions"), "{rows:?}");
    let shown = bench.ok("show c").out;
    assert!(shown.contains("not times on real hardware"), "{shown}");
    assert!(shown.contains("2.00 times costlier than a"), "{shown}");
    assert!(!shown.contains("slower"), "{shown}");
    let page = std::fs::read_to_string(bench.path("c/report.html")).unwrap();
    assert!(page.contains("not times on real hardware"));
}

#[test]
fn a_gate_sees_what_the_margin_calls_equivalent() {
    let bench = Bench::new();
    let done = scripted(&bench, 1.01, "c", "--fail-if instructions>+0.5%");
    assert_eq!(done.code, 3, "{}\n{}", done.out, done.err);
    assert!(done.err.contains("FAILED costlier > 0.5%: b lmbench/null_call"), "{}", done.err);
    let shown = |condition: &str| bench.tare(&format!("show c --short --fail-if {condition}")).code;
    assert_eq!(shown("instructions>0.5%"), 3);
    assert_eq!(shown("instructions>2%"), 0);
    assert_eq!(shown("cheaper>0.5%"), 0);
    assert_eq!(scripted(&bench, 1.02, "after", "").code, 0);
    let compared = |more: &str| bench.tare(&format!("compare c after --fail-if {more}")).code;
    assert_eq!(compared("instructions>0.5%"), 3);
    assert_eq!(compared("instructions>2%"), 0);
}

#[test]
fn a_condition_about_times_is_wrong_among_instructions() {
    let bench = Bench::new();
    let wrong = |done: common::Done| {
        assert_eq!(done.code, 2, "{}\n{}", done.out, done.err);
        assert!(done.err.contains("use 'costlier > 3%' (instructions)"), "{}", done.err);
        assert_eq!(done.out, "");
    };
    wrong(scripted(&bench, 1.1, "refused", "--fail-if slower>3%"));
    assert!(!bench.path("refused").exists(), "refused before anything is measured");
    assert_eq!(scripted(&bench, 1.1, "c", "").code, 0);
    wrong(bench.tare("show c --fail-if slower>3%"));
    wrong(bench.tare("compare c c --fail-if slower>3%"));
    let real = "run --layer name=a,kind=mock --layer name=b,kind=mock --baseline a --bench lmbench/null_call";
    bench.fails(&format!("{real} --fail-if instructions>1%"), 2, "use 'slower > 1%'");
}

#[test]
fn the_same_counts_are_identical() {
    let bench = Bench::new();
    let scripts = |name: &str, boots: &str| {
        bench.write(name, &format!("{{\"lmbench/null_call\": [{boots}]}}"));
    };
    scripts("a.json", "[1000], [1003], [999], [1002], [1001], [1000]");
    scripts("b.json", "[1010], [1120], [1300]");
    let run = |seed: u32, out: &str| {
        bench.ok(&format!(
            "run --machine sim --layer name=a,kind=mock,script=a.json --layer name=b,kind=mock,script=b.json \
             --bench lmbench/null_call --seed {seed} --out {out}"
        ));
    };
    run(3, "before");
    run(3, "after");
    let compared =
        bench.ok("compare before after --by value --fail-if costlier>1% --fail-undecided");
    assert!(compared.out.contains("1 identical"), "{}", compared.out);
    assert!(!compared.out.contains("undecided"), "{}", compared.out);
    scripts("b.json", "[1010], [1120], [1301]");
    run(3, "other");
    let other = bench.ok("compare before other --by value").out;
    assert!(other.contains("1 undecided") && other.contains("1 identical"), "{other}");
}

#[test]
fn a_machine_is_not_mistaken_for_another() {
    let bench = Bench::new();
    assert_eq!(scripted(&bench, 1.0, "sim", "").code, 0);
    let real = "run --layer name=a,kind=mock --layer name=b,kind=mock --baseline a \
                --bench lmbench/null_call --blocks 2 --out real";
    bench.ok(real);
    bench.fails("compare real sim", 1, "counts instructions");
    let elsewhere = bench.tare("run --layers xen-pv");
    assert!(elsewhere.err.contains("--machine sim has it"), "{}", elsewhere.err);
    let budget = bench.tare("run --machine sim --layers native --budget 1m");
    assert!(budget.err.contains("--blocks"), "{}", budget.err);
}

#[test]
fn what_is_missing_has_a_reason_and_a_remedy() {
    let bench = Bench::new();
    let old = bench.script("old-qemu", "echo 'QEMU emulator version 4.2.1'\n");
    let why = |layer: &str| {
        let done = bench.tare_with("doctor --machine sim --boot-limit 1s", &[layer]);
        assert_eq!(done.code, 4, "{}", done.out);
        done.out
    };
    let missing = why("native,emulator=/nowhere/qemu");
    assert!(missing.contains("there is no program /nowhere/qemu"), "{missing}");
    let aged = why(&format!("native,emulator={}", old.display()));
    assert!(aged.contains("no QEMU of version 6.0 or newer"), "{aged}");
    assert!(aged.contains("remedy: install a newer QEMU"), "{aged}");
    // A kernel that finds nothing to start, and does not end then.
    let hung = why("native,append=rdinit=/nowhere panic=0");
    assert!(hung.contains("the probe did not answer within 1.0 s"), "{hung}");
    assert!(hung.contains("remedy: give it more time"), "{hung}");
    let kernel = why("native,kernel=/nowhere/vmlinuz");
    assert!(kernel.contains("/nowhere/vmlinuz cannot be read"), "{kernel}");
}

const BENCHES: &[&str] =
    &["lmbench/null_call", "lmbench/page_fault", "lmbench/fork_exit", "lmbench/sig_catch"];

/// Two campaigns at once, so that each disturbs the other's host. One of them also stands still now and then, counts, and measures
/// one row more: some two minutes.
#[test]
fn bare_and_xen_repeat_to_the_last_bit_and_differ_as_is_known() {
    let bench = Bench::new();
    let globs: String = BENCHES.iter().map(|name| format!(" --bench {name}")).collect();
    let line = |out: &str, more: &str| {
        format!(
            "run --machine sim --layers native,xen-pv --blocks 1 --seed 5 --require --out {out}{globs}{more}"
        )
    };
    let one = bench.start(&line("one", ""));
    let mut two = bench.start(&line("two", " --count --bench lmbench/pipe"));
    stop_now_and_then(&mut two);
    for child in [one, two] {
        let done = done(child.wait_with_output().expect("tare ends"));
        assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
    }
    let [begun, again] = ["one", "two"].map(|out| begins(&bench.campaign(out)));
    assert_eq!(begun, again, "the guests differed before their probes began");
    let one = samples(&bench.campaign("one"));
    let two = samples(&bench.campaign("two"));
    assert_eq!(one.len(), 3 * BENCHES.len(), "native twice and xen-pv");
    assert_eq!(two.len(), one.len() + 3);
    let differs = |row| !two.contains(row);
    assert_eq!(one.iter().find(|row| differs(row)), None, "another row changed it, or its order");
    let mean = |layer: &str, name: &str| {
        let series = one.iter().find(|(l, b, _)| l == layer && b == name).expect("a series");
        series.2.iter().sum::<f64>() / series.2.len() as f64
    };
    for name in BENCHES {
        let bare = mean("native", name);
        let xen = mean("xen-pv", name);
        assert!(xen > 1.15 * bare, "{name}: {bare} bare, {xen} on Xen");
    }
    assert!(mean("xen-pv", "lmbench/fork_exit") > 2.0 * mean("native", "lmbench/fork_exit"));
}

/// A system call and a disk of two domains of Xen, of which the PV one's requests are split: some two minutes.
#[test]
fn domains_beside_the_first_run_on_xen_and_read_their_disks_through_it() {
    let bench = Bench::new();
    bench.ok(
        "run --machine sim --layers native --bench lmbench/null_call --bench disk/aio_read_64k \
              --layer xen-domu,append=xen_blkfront.max_indirect_segments=0 --layer xen-pvh \
              --load 1 --blocks 1 --seed 5 --count --require --out c",
    );
    let campaign = bench.campaign("c");
    assert!(campaign.boots.iter().all(|boot| boot.state == BootState::Done), "a line was damaged");
    let mean = |layer: &str, name: &str| mean(series(&campaign, layer, name));
    let call = "lmbench/null_call";
    let read = "disk/aio_read_64k";
    assert!(mean("xen-domu", call) > 2.0 * mean("native", call), "a system call goes through Xen");
    for domain in ["xen-domu", "xen-pvh"] {
        assert!(mean(domain, read) < 0.5 * mean("native", read), "a read goes through dom0");
    }
    let of = |layer, row: &str, name: &str| count(series(&campaign, layer, row), name);
    let native = of("native", call, "kernel/instructions");
    assert_eq!(of("native", call, "hypervisor/instructions"), 0.0);
    assert!(of("xen-domu", call, "hypervisor/instructions") > native);
    let returns = of("xen-domu", call, "hypercall/iret");
    assert!((0.99..1.1).contains(&returns), "each call returns by one, not {returns}");
    // The processor itself takes a call of the PVH domain into its kernel.
    let exits = "vm_exits";
    assert!((0.99..1.01).contains(&(of("xen-pvh", call, "kernel/instructions") / native)));
    assert!(of("xen-pvh", call, exits) < 0.01);
    // Dom0 sleeps while a domain makes calls, and carries every byte of a read.
    assert_eq!(of("native", read, "dom0/instructions"), 0.0);
    for domain in ["xen-domu", "xen-pvh"] {
        assert!(of(domain, call, "dom0/instructions") < 0.2 * native, "{domain}");
        let [own, dom0] =
            ["kernel", "dom0"].map(|it| of(domain, read, &format!("{it}/instructions")));
        assert!(dom0 > 10_000.0 && own > dom0, "{domain}: {own} of its own, {dom0} of dom0");
    }
    // Both ends of the disk are modules, of two kernels that have them at the same addresses.
    for (place, function) in [("kernel", "blkif_interrupt"), ("dom0", "xen_blkif_schedule")] {
        let executed = of("xen-domu", read, &format!("function/{place}/{function}"));
        assert!(executed > 100.0, "{function} of {place}: {executed}");
    }
    // The disk in memory copies as many pages for the domain as for the bare kernel.
    let bare = of("native", read, "function/kernel/brd_do_bvec");
    let for_domain = of("xen-domu", read, "function/dom0/brd_do_bvec");
    assert!(bare > 100.0 && (for_domain / bare - 1.0).abs() < 0.01, "{for_domain} of {bare}");
    let read_exits = of("xen-pvh", read, exits);
    assert!(read_exits > 1.0, "a request and its answer leave the domain, not {read_exits} times");
    // Eleven segments of 4 KiB: 44 + 20.
    let split = of("xen-domu", read, "device_requests");
    assert!((1.9..2.1).contains(&split), "{split} requests");
}

/// Until `tare` ends: stops every QEMU below it at random instants, for a moment.
fn stop_now_and_then(tare: &mut Child) {
    let up_to = |most: u64| Duration::from_micros(RandomState::new().hash_one(0) % most);
    while tare.try_wait().expect("tare is a child").is_none() {
        // Below a keeper is what makes copies of a machine, and below that the copy.
        let makers = children(tare.id()).into_iter().flat_map(children);
        let machines: Vec<u32> = makers.flat_map(children).filter(is_qemu).collect();
        let each = |signal| {
            for pid in &machines {
                // One that has just ended is nobody's any more.
                let _ = kill(Pid::from_raw(*pid as i32), signal);
            }
        };
        thread::sleep(up_to(20_000));
        each(Signal::SIGSTOP);
        thread::sleep(up_to(4_000));
        each(Signal::SIGCONT);
    }
}

fn is_qemu(pid: &u32) -> bool {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    name.starts_with("qemu-system")
}

/// When the probe of every boot began, by the guest's clock.
fn begins(campaign: &Campaign) -> Vec<Option<u64>> {
    let began = |boot: &tare_store::Boot| boot.hello.as_ref().map(|hello| hello.main_ns);
    campaign.boots.iter().map(began).collect()
}

/// Layer, benchmark and samples of every series.
fn samples(campaign: &Campaign) -> Vec<(String, String, Vec<f64>)> {
    let of = |row: &tare_store::SeriesRow| {
        let layer = campaign.layers[campaign.boots[row.boot].layer].name.raw().to_owned();
        (layer, campaign.benchmarks[row.benchmark].name.clone(), row.samples.clone())
    };
    campaign.series.iter().map(of).collect()
}
