//! Campaigns of every schema version so far, as recorded by the tare of that time, are still read, and upgraded when they are
//! continued.
//!
//! `tests/data/schema-N.sql` is such a campaign: three scripted layers, two benchmarks, two blocks. Whoever raises the version
//! records another one, without the table of constants:
//!
//! ```text
//! tare run --layer name=base,kind=mock,value=100,step=1 --layer name=slow,kind=mock,value=150,pauses=yes \
//!   --layer name=lost,kind=mock,fault=fail --baseline base --bench lmbench/null_call --bench lmbench/ctx_2p_0k \
//!   --blocks 2 --seed 5 --out c
//! sqlite3 c/campaign.db .dump | grep -v 'INSERT INTO power_of_two' > crates/tare-store/tests/data/schema-N.sql
//! ```

use rusqlite::Connection;
use std::fs;
use std::path::Path;
use tare_store::{Campaign, FILE, Outcome, Role, SCHEMA_VERSION, Store, StoreError, load};

/// The recorded campaign of a version, in a folder of its own.
fn recorded(version: i64) -> tempfile::TempDir {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/schema-{version}.sql"));
    let dump = fs::read_to_string(&file).unwrap_or_else(|_| {
        panic!("no campaign of version {version} is recorded; the top of this file says how")
    });
    let home = tempfile::tempdir().unwrap();
    let database = Connection::open(home.path().join(FILE)).unwrap();
    database.execute_batch(&dump).unwrap();
    database.pragma_update(None, "user_version", version).unwrap();
    home
}

fn samples(campaign: &Campaign, layer: &str) -> Vec<f64> {
    let layer = campaign.layers.iter().position(|row| row.name == layer).unwrap();
    let of = |boot: usize| campaign.boots[boot].layer == layer;
    let series = campaign.series.iter().filter(|series| of(series.boot));
    series.flat_map(|series| series.samples.iter().copied()).collect()
}

fn check(campaign: &Campaign, version: i64) {
    assert_eq!(campaign.plan.baseline, "base", "version {version}");
    assert_eq!((campaign.plan.seed, campaign.plan.blocks), (5, Some(2)), "version {version}");
    assert_eq!(campaign.state, "finished");
    let names: Vec<&str> = campaign.layers.iter().map(|layer| layer.name.raw()).collect();
    assert_eq!(names, ["base", "slow", "lost"]);
    assert_eq!(campaign.benchmarks.len(), 2);
    let floors = campaign.boots.iter().filter(|boot| boot.role == Role::Floor).count();
    assert!(floors == 2 && campaign.boots.len() >= 8, "version {version}");
    let slow = samples(campaign, "slow");
    assert!(!slow.is_empty() && slow.iter().all(|sample| *sample == 150.0), "version {version}");
    assert!(samples(campaign, "base").iter().all(|sample| (100.0..=103.0).contains(sample)));
    assert!(samples(campaign, "lost").is_empty());
    assert!(campaign.series.iter().any(|series| series.outcome == Outcome::Failed));
}

#[test]
fn every_version_is_read_and_upgraded() {
    for version in 1..=SCHEMA_VERSION {
        let home = recorded(version);
        let before = load(home.path()).unwrap();
        check(&before, version);
        drop(Store::open(home.path()).unwrap());
        let after = load(home.path()).unwrap();
        check(&after, version);
        assert_eq!(before.series, after.series, "version {version}");
        let database = Connection::open(home.path().join(FILE)).unwrap();
        let now = database.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
        assert_eq!(now.unwrap(), SCHEMA_VERSION, "from version {version}");
    }
}

/// What an upgrade makes of an old campaign has the tables that a new one has.
#[test]
fn an_upgraded_campaign_has_todays_tables() {
    let columns = |database: &Connection| {
        let mut asked = database
            .prepare(
                "SELECT m.name, c.name, c.type, c.\"notnull\" FROM sqlite_schema m \
                 JOIN pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY 1, 2",
            )
            .unwrap();
        let rows =
            asked.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)));
        rows.unwrap().collect::<Result<Vec<(String, String, String, bool)>, _>>().unwrap()
    };
    let today = Connection::open_in_memory().unwrap();
    today.execute_batch(include_str!("../src/schema.sql")).unwrap();
    for version in 1..=SCHEMA_VERSION {
        let home = recorded(version);
        drop(Store::open(home.path()).unwrap());
        let upgraded = Connection::open(home.path().join(FILE)).unwrap();
        assert_eq!(columns(&upgraded), columns(&today), "from version {version}");
    }
}

#[test]
fn a_newer_version_names_the_tare_that_reads_it() {
    let home = recorded(SCHEMA_VERSION);
    let database = Connection::open(home.path().join(FILE)).unwrap();
    database.pragma_update(None, "user_version", SCHEMA_VERSION + 1).unwrap();
    let say = "UPDATE campaign SET value = ?1 WHERE key = 'tare_version'";
    database.execute(say, ["\"9.8.7\\u001b[31m\""]).unwrap();
    for error in [load(home.path()).unwrap_err(), Store::open(home.path()).map(drop).unwrap_err()] {
        assert!(matches!(error, StoreError::Newer(..)));
        let text = error.to_string();
        assert!(text.contains(&format!("has schema version {}", SCHEMA_VERSION + 1)), "{text}");
        assert!(text.contains("read it with tare 9.8.7") && !text.contains('\u{1b}'), "{text}");
    }
    database.execute("DROP TABLE campaign", []).unwrap();
    let text = load(home.path()).unwrap_err().to_string();
    assert!(text.contains("read it with a newer tare"), "{text}");
}
