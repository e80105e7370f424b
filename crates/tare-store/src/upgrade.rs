//! Upgrades a campaign's file from an older schema to the current one, in place, when the campaign is resumed. Reading
//! ([`crate::load`]) needs no upgrade.

use rusqlite::Connection;

/// What each version needs to become the next one; the first is that of version 1.
const STEPS: &[&str] = &["
    ALTER TABLE series ADD COLUMN waited_ns INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE turn (
        series_id  INTEGER NOT NULL REFERENCES series(id),
        round      INTEGER NOT NULL,
        samples    INTEGER NOT NULL,
        subtracted REAL NOT NULL,
        PRIMARY KEY (series_id, round)
    ) STRICT;
    PRAGMA user_version = 2;
"];

/// Brings a campaign of schema `version` to today's; all of it, or none.
pub(crate) fn upgrade(database: &Connection, version: i64) -> rusqlite::Result<()> {
    for step in STEPS.iter().skip(version.max(1) as usize - 1) {
        database.execute_batch(&format!("BEGIN IMMEDIATE; {step} COMMIT;"))?;
    }
    Ok(())
}
