//! The functions in which a program was found that has ended long ago, natively and in a container.

use crate::common::{Bench, flat, series};
use tare_store::Campaign;

/// A program that does nothing but run its own code, for some twenty milliseconds.
pub const LOOP: [&str; 4] =
    ["--", "perl", "-e", "my $s = 0; for (1 .. 400_000) { $s += length('x' x 10) }"];

/// The share of looks at the layer's threads that found its program in functions of the file `perl`.
fn named(campaign: &Campaign, layer: &str) -> f64 {
    let counters = series(campaign, layer, "program/perl").counters.iter();
    let own = counters.filter(|one| one.name.starts_with("outside/functions/program/perl: Perl_"));
    own.map(|one| one.value).sum()
}

/// Its file is opened by its path, since its build ID proves that it is the one that was mapped.
pub fn are_named(bench: &Bench, campaign: &Campaign) {
    for layer in ["native", "runc"] {
        let share = named(campaign, layer);
        assert!((0.2..1.001).contains(&share), "{layer}: {share}");
    }
    let told = flat(&bench.ok("explain shared program/perl --layer runc").out);
    assert!(told.contains("Functions of programs on its CPUs"), "{told}");
    let stacks = bench.ok("explain shared program/perl --table stacks").out;
    assert!(stacks.contains("program/perl;runc;the program;perl: Perl_"), "{stacks}");
}

/// What a guest's program maps may be the guest's memory, and is not opened.
pub fn are_not_named_of_guests(campaign: &Campaign) {
    for layer in ["gvisor", "uml"] {
        for row in ["program/dd", "kernel/getppid"] {
            let counters = &series(campaign, layer, row).counters;
            let own =
                |one: &&tare_proto::Counter| one.name.starts_with("outside/functions/program/");
            assert_eq!(counters.iter().find(own), None, "{row} on {layer}");
        }
    }
}
