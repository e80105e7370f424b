//! `tare verify` over scripted layers: the same is the same, and what is not is named. The simulated machine itself is repeated in
//! `sim_aarch64.rs`.

mod common;

use common::{Bench, flat};
use rusqlite::Connection;

/// A campaign whose second boot of a layer gives other values than its first; no seed is given.
fn recorded(bench: &Bench) {
    bench.ok(
        "run --machine sim --layer name=a,kind=mock,value=1000,step=1 --layer name=b,kind=mock,value=1100 --blocks 1 \
         --bench lmbench/null_call --bench kernel/getppid --out c",
    );
}

/// Changes the record in place.
fn change(bench: &Bench, sql: &str) {
    let database = Connection::open(bench.path("c/campaign.db")).expect("a record");
    database.execute_batch(sql).expect(sql);
}

#[test]
fn a_campaign_repeats_by_the_seed_that_every_one_has_and_its_command_says_so() {
    let bench = Bench::new();
    recorded(&bench);
    let plan = bench.campaign("c").plan;
    assert_eq!(plan.seed, 1);
    assert!(plan.command.raw().contains(" run --seed 1 --machine sim "), "{:?}", plan.command);
    let said = bench.ok("verify c --out again").out;
    let exact =
        "6 of 6 series are the same, byte for byte, with their counters; 3 of 3 boots began";
    assert!(flat(&said).contains(exact), "{said}");
    assert!(said.contains("The same files as in the record: probe."), "{said}");
    let kept = bench.campaign("again");
    assert_eq!(kept.series.len(), 6, "the repetition is a campaign");
    bench.fails("verify c --out again", 1, "again");
}

#[test]
fn a_changed_sample_is_named_with_both_values() {
    let bench = Bench::new();
    recorded(&bench);
    // The doubles 2 and 3 in the place of the samples.
    change(
        &bench,
        "UPDATE series SET count = 2, samples = x'00000000000000400000000000000840' WHERE id =
         (SELECT series_id FROM measurement WHERE block = 0 AND layer = 'b' AND benchmark = 'kernel/getppid')",
    );
    let found = bench.tare("verify c");
    assert_eq!(found.code, 1, "{}", found.err);
    let said = flat(&found.out);
    assert!(said.contains("5 of 6 series are the same"), "{said}");
    assert!(said.contains("block 1, b, kernel/getppid: samples[0] was 2.0, is 1100.0"), "{said}");
    let found = bench.tare("verify c --json");
    assert_eq!((found.code, &found.json()["exact"]), (1, &false.into()));
    let json = found.json();
    let one = &json["repetition"]["differences"][0];
    assert_eq!(one["what"], "samples[0]");
    assert_eq!((&one["block"], &one["layer"]), (&0.into(), &"b".into()));
}

#[test]
fn other_files_are_named_before_anything_runs() {
    let bench = Bench::new();
    recorded(&bench);
    change(
        &bench,
        r#"UPDATE campaign SET value = '"0123456789abcdef"' WHERE key = 'probe_sha256'"#,
    );
    let stopped = bench.tare("verify c --out again");
    assert_eq!(stopped.code, 1, "{}", stopped.err);
    assert!(stopped.out.contains("DIFFERENT probe: 0123456789ab in the record"), "{}", stopped.out);
    assert!(stopped.out.contains("remedy: tare carries it"), "{}", stopped.out);
    assert!(stopped.out.contains("Not repeated"), "{}", stopped.out);
    assert!(!bench.path("again").exists());
    let repeated = bench.ok("verify c --anyway");
    assert!(flat(&repeated.out).contains("6 of 6 series"), "{}", repeated.out);
}

#[test]
fn what_cannot_repeat_or_would_run_a_strangers_program_is_refused() {
    let bench = Bench::new();
    recorded(&bench);
    bench.fails("verify c --set memory=1G", 2, "no setting of a layer");
    bench.fails("verify nowhere", 1, "nowhere");
    let mark = bench.path("ran");
    change(
        &bench,
        &format!(
            "UPDATE layer SET settings = 'command=touch {},kind=mock,name=b' WHERE name = 'b'",
            mark.display()
        ),
    );
    bench.fails("verify c", 2, "--set b.command=");
    assert!(!mark.exists());
    bench.ok("run --layer name=a,kind=mock --layer name=b,kind=mock --baseline a --bench lmbench/null_call --blocks 1 --out real");
    bench.fails("verify real", 2, "tare compare real OTHER");
}
