//! What the plugin counts in a simulated campaign: it adds up to what the guest's own clock says, and shows where
//! Xen's and KVM's cost is. One boot of the bare machine, a second for the floor, and one of each: two minutes on two
//! cores.

mod common;

use common::{Bench, assert_fits, count, instructions, mean, series};
use tare_store::Campaign;

/// Mean of the samples, and counters by name, of `bench` in the layer's first boot.
fn counted<'a>(
    campaign: &'a Campaign,
    layer: &str,
    bench: &str,
) -> (f64, impl Fn(&str) -> f64 + 'a) {
    let row = series(campaign, layer, bench);
    (mean(row), move |name: &str| count(row, name))
}

#[test]
fn counts_add_up_to_the_guests_clock_and_show_where_a_layer_costs() {
    let bench = Bench::new();
    bench.write("tare.toml", "machine = 'sim'\nexplain = true\nblocks = 1\nseed = 1\n");
    let ran = bench
        .ok("run --layers native,xen-pv,kvm --bench kernel/getppid --bench kernel/segv \
         --bench lmbench/page_fault --bench net/lo_tcp_rr --series 200ms --require --out c");
    let campaign = bench.campaign("c");
    for layer in ["native", "xen-pv", "kvm"] {
        for name in ["kernel/getppid", "kernel/segv", "lmbench/page_fault"] {
            let row = series(&campaign, layer, name);
            let mean = mean(row);
            let sum = instructions(row);
            assert!((sum / mean - 1.0).abs() < 1e-3, "{name} on {layer}: {sum} of {mean}");
        }
        // What takes its own samples: transactions a second, of 10⁹ instructions.
        let row = series(&campaign, layer, "net/lo_tcp_rr");
        let rate = mean(row);
        let sum = instructions(row);
        assert!((sum * rate / 1e9 - 1.0).abs() < 0.02, "{layer}: {rate} of {sum}");
    }
    let (_, native) = counted(&campaign, "native", "kernel/getppid");
    let (_, xen) = counted(&campaign, "xen-pv", "kernel/getppid");
    // The loop around the operations is the same few instructions a batch, whose size differs.
    let bare = native("probe/instructions");
    let on_xen = xen("probe/instructions");
    assert!((bare / on_xen - 1.0).abs() < 5e-3, "the probe's own part: {bare}, {on_xen}");
    // Ten calls; on Xen each goes up through it and returns by a hypercall.
    assert_eq!(native("probe/syscalls"), 10.0);
    assert_eq!(native("hypervisor/instructions"), 0.0);
    assert_eq!(xen("probe/syscalls"), 10.0);
    assert!((9.99..10.5).contains(&xen("hypercall/iret")), "{}", xen("hypercall/iret"));
    assert!(xen("hypervisor/instructions") > native("kernel/instructions"));
    assert!(xen("model/kernel/itlb_walks") > native("model/kernel/itlb_walks"));
    // A fault enters the bare kernel, and on Xen, Xen.
    let (_, native) = counted(&campaign, "native", "kernel/segv");
    let (_, xen) = counted(&campaign, "xen-pv", "kernel/segv");
    assert_eq!(native("kernel/page_faults"), 1.0);
    assert_eq!(xen("hypervisor/page_faults"), 1.0);
    assert!(
        ran.out.contains("hypercall iret") && ran.out.contains("Path length × 3."),
        "{}",
        ran.out
    );
    let explained = bench.ok("explain c kernel/getppid --layer xen-pv").out;
    assert!(explained.contains("hypervisor") && explained.contains("system calls"), "{explained}");
    kvm_costs_little_but_where_it_exits(&campaign);
    instructions_have_functions_and_callers(&bench, &campaign);
    let metrics = bench.ok("explain c kernel/getppid --table metrics").out;
    let line = |name: &str| metrics.lines().find(|line| line.contains(name)).unwrap_or_default();
    for wanted in ["path length", "VMM", "hypercalls a second", "iret", "CPI", "DTLB MPKI"] {
        assert!(line(wanted).split_whitespace().count() > 2, "{wanted}: {metrics}");
    }
    let tests = bench.ok("explain c --table tests").out;
    let benches = ["kernel/getppid", "kernel/segv", "net/lo_tcp_rr"];
    assert!(benches.iter().all(|name| tests.contains(name)) && tests.contains("ITLB"), "{tests}");
    assert_fits(&(metrics + &tests));
    let unknown = bench.tare("explain c kernel/getpid");
    assert!(unknown.code != 0 && unknown.err.contains("kernel/getppid"), "{}", unknown.err);
}

/// Every instruction is a function's, by the kernels' own symbols, and calls are followed into Linux and into Xen.
fn instructions_have_functions_and_callers(bench: &Bench, campaign: &Campaign) {
    for layer in ["native", "xen-pv", "kvm"] {
        for name in ["kernel/getppid", "lmbench/page_fault"] {
            let row = series(campaign, layer, name);
            for place in ["kernel", "hypervisor"] {
                let sum = |prefix: &str| -> f64 {
                    let own = row.counters.iter().filter(|one| one.name.starts_with(prefix));
                    own.map(|one| one.value).sum()
                };
                let all = count(row, &format!("{place}/instructions"));
                for prefix in [format!("function/{place}/"), format!("called/{place}")] {
                    let named = sum(&prefix);
                    assert!(
                        (named - all).abs() <= 1e-3 * all + 1.0,
                        "{layer} {name} {prefix}: {named} of {all}"
                    );
                }
            }
        }
    }
    // Ten calls, each of which does the same.
    let (_, native) = counted(campaign, "native", "kernel/getppid");
    assert_eq!(native("entry/kernel/entry_SYSCALL_64"), 10.0);
    let own = native("function/kernel/__do_sys_getppid");
    assert!(own >= 10.0 && own % 10.0 == 0.0, "{own} instructions of ten calls");
    let (_, xen) = counted(campaign, "xen-pv", "kernel/getppid");
    assert_eq!(xen("function/kernel/__do_sys_getppid"), own, "the same function on Xen");
    assert!(xen("function/hypervisor/do_iret") > 0.0);
    // KVM is modules of its kernel; the one of the processor runs what the other one exits to.
    let (_, kvm) = counted(campaign, "kvm", "net/lo_tcp_rr");
    for function in ["svm_vcpu_run", "svm_handle_exit", "kvm_arch_vcpu_ioctl_run"] {
        assert!(kvm(&format!("function/hypervisor/{function}")) > 0.0, "{function}");
    }
    let folded = bench.ok("explain c kernel/getppid --layer xen-pv --table stacks").out;
    for path in ["native;kernel;entry_SYSCALL_64;do_syscall_64;", "xen-pv;hypervisor;"] {
        assert!(folded.contains(path), "{path}: {folded}");
    }
    assert!(folded.contains(";pv_hypercall;do_iret"), "{folded}");
    let told = bench.ok("explain c kernel/getppid --layer xen-pv").out;
    assert!(told.contains("by function") && told.contains("hypervisor: do_iret"), "{told}");
    let page = std::fs::read_to_string(bench.path("c/report.html")).unwrap();
    assert!(page.contains("Flame graph of xen-pv"), "the page draws them");
}

/// With nested paging a system call and a fault stay in the guest: what KVM adds is the exits of interrupts, and memory.
fn kvm_costs_little_but_where_it_exits(campaign: &Campaign) {
    let guest = |count: &dyn Fn(&str) -> f64| {
        ["probe", "user", "kernel"].map(|p| count(&format!("{p}/instructions"))).iter().sum::<f64>()
    };
    let (_, native) = counted(campaign, "native", "kernel/getppid");
    let (_, kvm) = counted(campaign, "kvm", "kernel/getppid");
    let bare = guest(&native);
    let inside = guest(&kvm);
    assert!((bare / inside - 1.0).abs() < 1e-2, "a system call: {bare}, in the guest {inside}");
    assert_eq!(kvm("probe/syscalls"), 10.0);
    assert!(kvm("vm_exits") > 0.0 && kvm("kvm/exits") > 0.0, "no exit was counted");
    assert!(kvm("hypervisor/instructions") > 0.0, "an exit costs its host");
    assert_eq!(native("vm_exits"), 0.0);
    let (_, native) = counted(campaign, "native", "lmbench/page_fault");
    let (_, kvm) = counted(campaign, "kvm", "lmbench/page_fault");
    // A fault executes the same to the instruction. What RCU frees meanwhile falls into one series and not into the other, some 1%.
    for function in ["do_user_addr_fault", "handle_mm_fault", "filemap_map_pages", "do_set_pte"] {
        let name = format!("function/kernel/{function}");
        let (bare, inside) = (native(&name), kvm(&name));
        assert!((bare / inside - 1.0).abs() < 1e-6, "{function}: {bare}, in the guest {inside}");
    }
    let faults = native("kernel/page_faults");
    let same = kvm("kernel/page_faults");
    assert!((faults / same - 1.0).abs() < 1e-2, "page faults: {faults}, in the guest {same}");
}
