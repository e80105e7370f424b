//! The simulated POWER machine: its partition and a guest of KVM-HV in it repeat, the guest's kernel executes what the partition's does,
//! and what keeps a guest from starting is told.

mod common;

use common::{Bench, flat, mean, series};

/// Three boots, twice, and two that are refused: about a minute.
#[test]
fn a_power_machine_and_its_guest_repeat() {
    let bench = Bench::new();
    bench.ok(
        "run --machine sim --layers ppc64,ppc64-kvm-hv --baseline ppc64 --bench lmbench/null_call --bench lmbench/fork_exit \
         --blocks 1 --seed 5 --explain --require --out c",
    );
    let campaign = bench.campaign("c");
    for row in ["lmbench/null_call", "lmbench/fork_exit"] {
        let [bare, guest] =
            ["ppc64", "ppc64-kvm-hv"].map(|layer| mean(series(&campaign, layer, row)));
        let ratio = guest / bare;
        assert!((0.95..1.1).contains(&ratio), "{row}: nothing of it leaves the guest, but {ratio}");
    }
    let explained = flat(&bench.ok("explain c lmbench/null_call").out);
    assert!(explained.contains("knows x86 only"), "{explained}");
    let repeated = bench.ok("verify c").out;
    assert!(repeated.contains("6 of 6 series are the same"), "{repeated}");
    assert!(!repeated.contains("Not in the record"), "{repeated}");
    // A processor whose partitions may hold no guest, and a kernel without KVM-PR.
    let refused = bench.tare(
        "run --machine sim --layer name=old,kind=ppc64-kvm-hv,cpu=POWER8 --layer name=pr,kind=ppc64-kvm-pr --baseline old \
         --bench lmbench/null_call --blocks 1 --out d",
    );
    let said = flat(&refused.err);
    assert!(said.contains("or the guest in it: "), "{said}");
    assert!(said.contains("built without KVM-PR") && said.contains("kernel="), "{said}");
}
