//! A program of the reader's in the simulated machine: in instructions, that repeat, and by place.

mod common;

use common::{Bench, count, instructions, mean, series, small_root};

/// A loop in the shell that reads its own file system and starts programs.
const SCRIPT: &str =
    "i=0; while [ $i -lt 100 ]; do i=$((i+1)); done; cat /bin/cat | wc -c; echo done > /file";

/// Five boots: one of each layer to try it, a rehearsal, two of the baseline and one on Xen.
#[test]
fn a_program_costs_the_same_instructions_everywhere_and_a_layer_adds_its_own() {
    let bench = Bench::new();
    small_root(&bench);
    let mut command = bench.command(
        "run --machine sim --layers native,xen-pv --root root.tar --name loop --ok [0-9]+ --repeat 2 --blocks 1 --seed 5 \
         --count --require --out c --",
    );
    let ran = common::done(command.args(["/bin/sh", "-c", SCRIPT]).output().expect("tare starts"));
    assert_eq!(ran.code, 0, "{}\n{}", ran.out, ran.err);
    let campaign = bench.campaign("c");
    let of = |layer| series(&campaign, layer, "program/loop");
    let bare = of("native");
    let xen = of("xen-pv");
    assert!(mean(xen) > 1.05 * mean(bare), "{} on Xen, bare {}", mean(xen), mean(bare));
    for one in [bare, xen] {
        let sum = instructions(one);
        assert!((sum / mean(one) - 1.0).abs() < 0.01, "{sum} of {}", mean(one));
    }
    // The program's own instructions are the same, whatever is below its kernel.
    let own = |one| count(one, "user/instructions");
    assert!((own(bare) / own(xen) - 1.0).abs() < 0.01, "{} bare, {} on Xen", own(bare), own(xen));
    assert_eq!(count(bare, "hypervisor/instructions"), 0.0);
    assert!(count(xen, "hypervisor/instructions") > 0.0);
    // What it does is counted where nothing lies below its kernel: its shell starts cat, wc and a shell for each side of
    // the pipe.
    let did = |one, name: &str| count(one, &format!("op/{name}"));
    assert!((3.0..20.0).contains(&did(bare, "exec")), "{} programs", did(bare, "exec"));
    // Its root is the guest's memory.
    let opened = |one| did(one, "open") + did(one, "open_tmpfs");
    assert!(opened(bare) > 2.0 && opened(xen) == 0.0, "{:?}", bare.counters);
    // A tracer makes a pipe's reader slow or fast; what is told is of the run without one.
    let in_pipes = did(bare, "pipe_read") + did(bare, "pipe_write");
    assert!(in_pipes < count(bare, "user/syscalls"), "{in_pipes} in pipes");
    let unpriced = bench.tare("predict --from c");
    assert!(unpriced.err.contains("--suite operations"), "{}", unpriced.err);
    let of_host = bench.tare("predict --from c -- /bin/true");
    assert!(of_host.err.contains("counts instructions"), "{}", of_host.err);
    let shown = bench.ok("show c").out;
    assert!(shown.contains("instr") && shown.contains("program/loop"), "{shown}");
}

#[test]
fn a_program_without_a_root_of_its_own_is_refused() {
    let bench = Bench::new();
    let refused = |line: &str| {
        bench.fails(line, 2, "--root");
    };
    refused("run --machine sim --layers native --out c -- /bin/true");
    refused("run --machine sim --layer kind=native,root=host --bench lmbench/null_call --out c");
    assert!(!bench.path("c").exists());
}
