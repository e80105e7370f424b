//! A campaign's file may come from anybody: what would compute while it is read is refused, and reading has a deadline.

use rusqlite::Connection;
use std::fs;
use std::path::Path;
use std::time::Duration;
use tare_store::{FILE, Store, StoreError, load, load_within};

/// The recorded campaign, and what somebody has done to it.
fn changed(sql: &str) -> tempfile::TempDir {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/schema-2.sql");
    let home = tempfile::tempdir().expect("a folder");
    let database = Connection::open(home.path().join(FILE)).expect("a database");
    database.execute_batch(&fs::read_to_string(file).expect("recorded")).expect("a campaign");
    database.execute_batch("PRAGMA user_version = 2;").expect("its version");
    database.execute_batch(sql).expect(sql);
    home
}

const ENDLESS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n)
    SELECT i AS id, i AS boot_id, i AS benchmark_id, 'measured' AS state FROM n";

#[test]
fn what_computes_while_it_is_read_is_no_campaign() {
    load(changed("").path()).expect("unchanged, it is one");
    for (what, sql) in [
        (
            "view series",
            format!(
                "ALTER TABLE series RENAME TO old; DROP VIEW sample; DROP VIEW measurement; CREATE VIEW series AS {ENDLESS};"
            ),
        ),
        ("view campaign", format!("DROP TABLE campaign; CREATE VIEW campaign AS {ENDLESS};")),
        ("view more", format!("CREATE VIEW more AS {ENDLESS};")),
        (
            "trigger t",
            "CREATE TRIGGER t AFTER UPDATE ON campaign BEGIN DELETE FROM series; END;".into(),
        ),
        (
            "table counter",
            "DROP TABLE counter; CREATE VIRTUAL TABLE counter USING fts5(series_id, name, value);"
                .into(),
        ),
        (
            "computed column note",
            "ALTER TABLE warning ADD COLUMN note TEXT GENERATED ALWAYS AS (hex(zeroblob(9))) VIRTUAL;"
                .into(),
        ),
    ] {
        let home = changed(&sql);
        for error in [
            load(home.path()).expect_err(what),
            Store::open(home.path()).map(drop).expect_err(what),
        ] {
            let text = error.to_string();
            assert!(text.contains(&format!("is not a campaign: it holds the {what}")), "{text}");
        }
    }
}

#[test]
fn a_newer_campaign_whose_table_is_a_view_is_refused_unread() {
    let sql = format!(
        "DROP TABLE campaign; CREATE VIEW campaign AS {ENDLESS}; PRAGMA user_version = 99;"
    );
    let text = load(changed(&sql).path()).expect_err("newer").to_string();
    assert!(text.contains("read it with a newer tare"), "{text}");
}

#[test]
fn reading_has_a_deadline() {
    let many = "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
        INSERT INTO warning SELECT i, NULL, NULL, 'x' FROM n";
    let home = changed(many);
    let error = load_within(home.path(), Duration::ZERO).expect_err("at once is too late");
    assert!(matches!(error, StoreError::Slow(..)), "{error}");
    assert!(error.to_string().contains("takes longer than 0 s to read"), "{error}");
}
