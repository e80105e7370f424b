//! The suite `sandbox` on real containers of which every third start goes wrong: it is counted, explained, and costs only itself.

mod common;

use common::{Bench, samples};
use std::fs;
use tare_store::{BootState, Campaign, Outcome};

/// A sleep that only the containers of one test sleep.
const SLEEP: &str = "sleep 86399.25";

/// runc, but what every third start does instead is FAULT.
const RUNTIME: &str = r#"case "$*" in *" run "*) ;; *) exec runc "$@" ;; esac
until mkdir FOLDER/lock 2>/dev/null; do sleep 0.01; done
started=$(($(cat FOLDER/started 2>/dev/null || echo 0) + 1))
echo $started >FOLDER/started
rmdir FOLDER/lock
[ $((started % 3)) -ne 0 ] || { FAULT; }
exec runc "$@"
"#;

/// A campaign of starts at once, of four and of one, on containers of such a runtime.
fn with(fault: &str) -> (Bench, Campaign) {
    let bench = Bench::new();
    let place = bench.path("").display().to_string();
    let script = RUNTIME.replace("FOLDER", place.trim_end_matches('/')).replace("FAULT", fault);
    let runtime = bench.script("runtime", &script);
    bench.ok(&format!(
        "run --layers native --layer name=bad,kind=runc,runtime={} --bench start/rate --bench start/warm --load 1,4 \
         --blocks 1 --boot-limit 3s --seed 1 --out c",
        runtime.display()
    ));
    let campaign = bench.campaign("c");
    (bench, campaign)
}

fn assert_counted(fault: &str, why: &str) {
    let (bench, campaign) = with(fault);
    let found = samples(&campaign, "start/warm@4", "bad").concat();
    assert!((2..=3).contains(&found.len()), "one or two of four fail: {found:?}");
    let of_bad = campaign.series.iter().filter(|row| {
        campaign.benchmarks[row.benchmark].name == "start/rate@4"
            && campaign.layers[campaign.boots[row.boot].layer].name == "bad"
    });
    for row in of_bad {
        assert_eq!(row.outcome, Outcome::Measured);
        let failed = row.counters.iter().find(|counter| counter.name == "failed_starts");
        assert!(failed.is_some_and(|failed| failed.value >= 1.0), "{:?}", row.counters);
    }
    let told = campaign
        .warnings
        .iter()
        .any(|it| it.text.raw().contains("of 4 starts failed") && it.text.raw().contains(why));
    assert!(told, "{fault}: {:?}", campaign.warnings);
    assert!(campaign.boots.iter().all(|boot| boot.state == BootState::Done), "{fault}");
    let ours = |words: &str| {
        words.contains(&bench.path("runtime").display().to_string())
            || (fault.contains(SLEEP) && words.contains(SLEEP))
    };
    let left = fs::read_dir("/proc").unwrap().flatten().filter(|process| {
        let words = fs::read(process.path().join("cmdline")).unwrap_or_default();
        ours(&String::from_utf8_lossy(&words).replace('\0', " "))
    });
    assert_eq!(left.count(), 0, "{fault}: a runtime lives on");
}

#[test]
fn a_container_that_dies_before_it_greets_is_counted() {
    assert_counted("echo broken on purpose >&2; exit 3", "broken on purpose");
}

#[test]
fn a_container_that_hangs_is_counted_and_ended() {
    assert_counted(&format!("exec {SLEEP}"), "did not answer");
}
