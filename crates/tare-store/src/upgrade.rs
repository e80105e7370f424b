//! Upgrades a campaign's file from an older schema to the current one, in place, when the campaign is resumed. Reading
//! ([`crate::load`]) needs no upgrade.

use rusqlite::Connection;

/// What each version needs to become the next one; the first is that of version 1.
const STEPS: &[&str] = &[
    "
    ALTER TABLE series ADD COLUMN waited_ns INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE turn (
        series_id  INTEGER NOT NULL REFERENCES series(id),
        round      INTEGER NOT NULL,
        samples    INTEGER NOT NULL,
        subtracted REAL NOT NULL,
        PRIMARY KEY (series_id, round)
    ) STRICT;
    PRAGMA user_version = 2;
",
    "
    CREATE TABLE whole_series (
        boot_id      INTEGER NOT NULL REFERENCES boot(id),
        benchmark_id INTEGER NOT NULL REFERENCES benchmark(id),
        ops          INTEGER NOT NULL,
        warmup       INTEGER NOT NULL,
        loop_ns      REAL NOT NULL,
        subtracted   REAL NOT NULL,
        short_batch  INTEGER NOT NULL,
        probe_ns     INTEGER NOT NULL,
        host_ns      INTEGER NOT NULL,
        count        INTEGER NOT NULL,
        samples      BLOB NOT NULL,
        PRIMARY KEY (boot_id, benchmark_id)
    ) STRICT;
    PRAGMA user_version = 3;
",
];

/// Brings a campaign of schema `version` to today's; all of it, or none.
pub(crate) fn upgrade(database: &Connection, version: i64) -> rusqlite::Result<()> {
    for step in STEPS.iter().skip(version.max(1) as usize - 1) {
        database.execute_batch(&format!("BEGIN IMMEDIATE; {step} COMMIT;"))?;
    }
    Ok(())
}
