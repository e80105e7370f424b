//! A campaign comes back as it was written, whatever happens in between.

mod common;

use common::{bench, layer, new_store, plan};
use std::process::Command;
use tare_proto::{Counter, Hello, Series, Untrusted};
use tare_store::*;

fn measured(benchmark: &str, samples: Vec<f64>) -> Recorded {
    let counters = vec![Counter::new("cpu_user", 0.25), Counter::new("cpu_host", 1.5)];
    let series = Series { samples, ops: 9, elapsed_ns: 5, counters, ..Series::default() };
    Recorded {
        benchmark: benchmark.into(),
        outcome: Outcome::Measured,
        why: None,
        series,
        host_ns: 6,
        waited_ns: 0,
    }
}

/// Doubles that are hard to decode by hand.
const HARD: [f64; 9] =
    [1.0, -0.0, 148.92, 1e-300, 5e-324, f64::MAX, -123456.789, 2.2250738585072014e-308, 0.1];

#[test]
fn what_was_written_is_read() {
    let home = tempfile::tempdir().unwrap();
    let unavailable = Some(("no linux.uml".into(), "install it".into()));
    let layers = [layer("native"), LayerRow { unavailable, ..layer("uml") }];
    let benches = [bench("a"), bench("b")];
    let mut store = Store::create(home.path(), &plan(), &layers, &benches).unwrap();
    let boot = store.begin_boot(0, 1, "uml", Role::Floor, 2, "now").unwrap();
    let hello = Hello { kernel: "6.1".into(), ..Hello::default() };
    store.greet(boot, &hello).unwrap();
    store.record(boot, &measured("b", HARD.to_vec())).unwrap();
    store.record(boot, &Recorded::without_samples("a", Outcome::Unavailable, "no trap")).unwrap();
    store.end_boot(boot, 1.5, Some(("it died", "last words"))).unwrap();
    let warning = Warning { layer: None, benchmark: Some("a".into()), text: "careful".into() };
    store.warn(&warning).unwrap();
    store.warn(&warning).unwrap();
    store.set_state("finished").unwrap();
    store.close().unwrap();

    let campaign = load(home.path()).unwrap();
    assert_eq!(campaign.plan, plan());
    assert_eq!(campaign.state, "finished");
    assert_eq!(campaign.benchmarks, [bench("a"), bench("b")]);
    assert_eq!(campaign.layers[1].unavailable, Some(("no linux.uml".into(), "install it".into())));
    assert_eq!(campaign.warnings, [warning]);
    let found = &campaign.boots[0];
    assert_eq!(
        (found.layer, found.role, found.attempt, found.state),
        (1, Role::Floor, 2, BootState::Failed)
    );
    assert_eq!(found.hello, Some(hello));
    assert_eq!(found.console.as_ref().map(Untrusted::raw), Some("last words"));
    let series = &campaign.series[0];
    let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&series.samples), bits(&HARD));
    assert_eq!((series.benchmark, series.ops, series.probe_ns, series.host_ns), (1, 9, 5, 6));
    assert_eq!(series.counters, measured("b", vec![]).series.counters);
    assert_eq!(campaign.series[1].outcome, Outcome::Unavailable);
    assert_eq!(campaign.series[1].why.as_ref().map(Untrusted::raw), Some("no trap"));
    let files: Vec<_> =
        std::fs::read_dir(home.path()).unwrap().map(|f| f.unwrap().file_name()).collect();
    assert_eq!(files.len(), 2, "one file and the logs, not {files:?}");
}

#[test]
fn the_samples_view_decodes_every_bit_in_plain_sql() {
    let home = tempfile::tempdir().unwrap();
    let mut store = new_store(home.path());
    let boot = store.begin_boot(0, 0, "native", Role::Weigh, 1, "now").unwrap();
    store.record(boot, &measured("a", HARD.to_vec())).unwrap();
    store.record(boot, &measured("b", vec![f64::NAN, f64::INFINITY])).unwrap();
    drop(store);
    let database = rusqlite::Connection::open(home.path().join(FILE)).unwrap();
    let mut query = database.prepare("SELECT value FROM sample ORDER BY series_id, n").unwrap();
    let values: Vec<Option<f64>> =
        query.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
    let expected: Vec<Option<f64>> = HARD.iter().map(|v| Some(*v)).chain([None, None]).collect();
    assert_eq!(values, expected);
}

#[test]
fn one_tare_at_a_time_and_never_over_another_campaign() {
    let home = tempfile::tempdir().unwrap();
    let store = new_store(home.path());
    assert!(matches!(Store::open(home.path()), Err(StoreError::Busy(_))));
    assert!(load(home.path()).is_ok(), "a running campaign can be read");
    drop(store);
    assert!(Store::open(home.path()).is_ok());
    let again = Store::create(home.path(), &plan(), &[], &[]);
    assert!(matches!(again, Err(StoreError::Exists(_))));
}

#[test]
fn a_campaign_runs_while_a_process_holds_it_and_not_after_its_kill() {
    let home = tempfile::tempdir().unwrap();
    let store = new_store(home.path());
    assert_eq!(load(home.path()).unwrap().state, "running");
    drop(store); // as a kill leaves it: nothing is written
    assert_eq!(load(home.path()).unwrap().state, "interrupted");
    // Looking never keeps anybody from going on with it.
    let looking = std::thread::spawn({
        let home = home.path().to_owned();
        move || (0..200).for_each(|_| drop(load(&home).unwrap()))
    });
    for _ in 0..50 {
        Store::open(home.path()).expect("nobody runs it");
    }
    looking.join().unwrap();
    let mut store = Store::open(home.path()).unwrap();
    store.set_state("finished").unwrap();
    drop(store);
    assert_eq!(load(home.path()).unwrap().state, "finished");
}

#[test]
fn a_block_that_is_not_brought_to_its_end_stays_open() {
    let home = tempfile::tempdir().unwrap();
    let mut store = new_store(home.path());
    assert_eq!(load(home.path()).unwrap().open_blocks, [0u32; 0]);
    for block in 0..3 {
        store.begin_block(block).unwrap();
        assert_eq!(load(home.path()).unwrap().open_blocks.last(), Some(&block));
        if block != 1 {
            store.end_block(block).unwrap();
        }
    }
    assert_eq!(load(home.path()).unwrap().open_blocks, [1]);
    store.set_plan(&plan()).unwrap();
    assert_eq!(load(home.path()).unwrap().open_blocks, [1]);
}

#[test]
fn what_is_no_campaign_is_named() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join(FILE);
    assert!(matches!(load(home.path()), Err(StoreError::Missing(_))));
    std::fs::write(&file, "not a database, but long enough to look at for SQLite, surely so")
        .unwrap();
    assert!(matches!(load(home.path()), Err(StoreError::Foreign(..))));
    std::fs::remove_file(&file).unwrap();
    let foreign = rusqlite::Connection::open(&file).unwrap();
    foreign.execute_batch("CREATE TABLE t (x)").unwrap();
    assert!(matches!(load(home.path()), Err(StoreError::Foreign(..))));
    foreign.pragma_update(None, "user_version", SCHEMA_VERSION + 1).unwrap();
    assert!(matches!(load(home.path()), Err(StoreError::Newer(..))));
    foreign.pragma_update(None, "user_version", SCHEMA_VERSION).unwrap();
    let error = load(home.path()).unwrap_err().to_string();
    assert!(error.contains(FILE), "{error}");
}

#[test]
fn a_full_disk_is_an_error_and_loses_nothing_recorded() {
    // A limit on the size of files, set by a shell for a child of this test, stands for a full disk.
    if std::env::var_os("TARE_FULL").is_none() {
        let this = std::env::current_exe().unwrap();
        let script = "ulimit -f 400; trap '' XFSZ; exec \"$0\" --exact a_full_disk_is_an_error_and_loses_nothing_recorded";
        let status =
            Command::new("bash").args(["-c", script]).arg(this).env("TARE_FULL", "1").status();
        assert!(status.unwrap().success());
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let mut store = new_store(home.path());
    let mut recorded = 0;
    let failure = loop {
        let boot = store.begin_boot(recorded, 0, "native", Role::Weigh, 1, "now");
        match boot.and_then(|boot| store.record(boot, &measured("a", vec![1.0; 4000]))) {
            Ok(()) => recorded += 1,
            Err(failure) => break failure,
        }
        assert!(recorded < 1000, "the limit was never reached");
    };
    assert!(failure.to_string().contains(FILE), "{failure}");
    drop(store);
    assert!(load(home.path()).unwrap().series.len() >= recorded as usize);
}

#[test]
fn a_campaign_that_lost_its_name_is_not_written_to() {
    let place = tempfile::tempdir().unwrap();
    let (here, there) = (place.path().join("here"), place.path().join("there"));
    let mut store = new_store(&here);
    store.set_state("interrupted").unwrap();
    std::fs::rename(&here, &there).unwrap();
    let gone = |result: Result<(), StoreError>| {
        assert!(matches!(result, Err(StoreError::Gone(_))), "{result:?}");
    };
    gone(store.set_state("running"));
    gone(store.record(1, &measured("a", vec![1.0])));
    // Another campaign in its place is not this one.
    drop(new_store(&here));
    gone(store.begin_boot(0, 0, "native", Role::Weigh, 1, "now").map(drop));
    gone(store.close());
    assert_eq!(load(&there).unwrap().state, "interrupted");
}

#[test]
fn what_never_began_leaves_nothing_and_what_did_stays() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("c");
    drop(new_store(&directory));
    discard_empty(&directory);
    assert!(!directory.exists());
    let mut store = new_store(&directory);
    store.begin_boot(0, 0, "native", Role::Weigh, 1, "now").unwrap();
    drop(store);
    discard_empty(&directory);
    assert_eq!(load(&directory).unwrap().boots.len(), 1);
}

#[test]
fn a_campaign_is_not_made_through_a_link_that_lies_ready() {
    let place = tempfile::tempdir().unwrap();
    let victim = place.path().join("victim");
    std::fs::write(&victim, "mine").unwrap();
    let directory = place.path().join("c");
    std::fs::create_dir(&directory).unwrap();
    for name in [".campaign.new", ".campaign.new-journal"] {
        std::os::unix::fs::symlink(&victim, directory.join(name)).unwrap();
    }
    drop(new_store(&directory));
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "mine");
    assert!(directory.join(".campaign.new").is_symlink(), "it was nobody's business");
    assert_eq!(load(&directory).unwrap().layers.len(), 2);
}

#[test]
fn what_the_baseline_measured_once_more_stands_apart() {
    let home = tempfile::tempdir().unwrap();
    let mut store = new_store(home.path());
    let boot = store.begin_boot(0, 0, "native", Role::Weigh, 1, "now").unwrap();
    store.record(boot, &measured("a", vec![1.0])).unwrap();
    store.record_whole(boot, &measured("a", vec![2.0, 3.0])).unwrap();
    assert!(store.record_whole(boot, &measured("a", vec![4.0])).is_err(), "once a boot");
    store.close().unwrap();
    let campaign = load(home.path()).unwrap();
    assert_eq!(campaign.series.len(), 1);
    let [whole] = campaign.whole_series.as_slice() else { panic!("{:?}", campaign.whole_series) };
    assert_eq!((whole.boot, whole.benchmark, whole.host_ns), (0, 0, 6));
    assert_eq!(whole.samples, [2.0, 3.0]);
}
