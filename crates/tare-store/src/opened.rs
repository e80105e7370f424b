//! Opening a campaign's file to read it. The file may be anybody's: nothing of what it holds is run, and it has a deadline.

use crate::journal::or_recovered;
use crate::{FILE, SCHEMA_VERSION, StoreError};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tare_proto::harmless;

/// How long a campaign may take to be read when nobody waits for it.
pub(crate) const USUAL: Duration = Duration::from_secs(300);

/// How many steps of SQLite's machine lie between two looks at the clock: about a millisecond's.
const STEPS: std::ffi::c_int = 100_000;

/// Most characters that are shown of the version of a newer tare, and of a name in a schema.
const LONGEST: usize = 40;

/// The tables of a campaign that are read.
const TABLES: &[&str] = &[
    "campaign",
    "layer",
    "artifact",
    "benchmark",
    "boot",
    "series",
    "turn",
    "whole_series",
    "counter",
    "warning",
];

/// What of a schema is more than rows: anything that computes while tables are read or written. A campaign's own views are never
/// read by tare.
const LIVELY: &str = "
    SELECT type || ' ' || name FROM sqlite_schema
    WHERE type = 'trigger' OR (type = 'view' AND name NOT IN ('sample', 'measurement'))
       OR sql LIKE 'CREATE VIRTUAL%' LIMIT 1";

/// A campaign's file that this version reads, as it was when it was opened: what is written later is not seen.
pub(crate) struct Opened {
    /// Its schema's version: 1 up to [`SCHEMA_VERSION`].
    pub(crate) version: i64,
    pub(crate) database: Connection,
    path: PathBuf,
    limit: Duration,
}

impl Opened {
    /// What to say of an error while it was read.
    pub(crate) fn failed(&self, error: rusqlite::Error) -> StoreError {
        match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) => {
                StoreError::Slow(self.path.clone(), self.limit)
            }
            _ => StoreError::Database(self.path.clone(), error),
        }
    }
}

/// Opens the campaign in `directory`, if it is one that this version reads, for no longer than `limit`.
pub(crate) fn check(directory: &Path, limit: Duration) -> Result<Opened, StoreError> {
    let path = directory.join(FILE);
    if !path.is_file() {
        return Err(StoreError::Missing(directory.to_owned()));
    }
    let foreign = |why: String| StoreError::Foreign(path.clone(), why);
    let open = || {
        let database = connect(&path, limit)?;
        // Whatever is read from here on is of one and the same instant.
        database.execute_batch("BEGIN")?;
        let version = database.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        Ok((version, database))
    };
    let (version, database): (i64, Connection) = or_recovered(&path, open)?;
    match version {
        1..=SCHEMA_VERSION => {}
        newer if newer > SCHEMA_VERSION => {
            let plain = matches!(not_rows(&database), Ok(None));
            let reader = plain.then(|| reader_of(&database)).flatten();
            return Err(StoreError::Newer(
                path,
                newer,
                reader.unwrap_or_else(|| "a newer tare".into()),
            ));
        }
        _ => return Err(foreign("it has no schema version of tare's".into())),
    }
    let opened = Opened { version, database, path: path.clone(), limit };
    match not_rows(&opened.database) {
        Ok(None) => Ok(opened),
        Ok(Some(what)) => Err(foreign(format!("it holds the {what}, which no campaign has"))),
        Err(error) => Err(opened.failed(error)),
    }
}

/// What the schema has that is not a table of rows, or has in the place of one.
fn not_rows(database: &Connection) -> rusqlite::Result<Option<String>> {
    let first = |sql: &str| -> rusqlite::Result<Option<String>> {
        let mut found = database.prepare(sql)?;
        let mut rows = found.query([])?;
        rows.next()?.map(|row| row.get(0)).transpose()
    };
    let mut found = first(LIVELY)?;
    for table in TABLES {
        let computed = format!(
            "SELECT 'computed column ' || name FROM pragma_table_xinfo('{table}') WHERE hidden > 0"
        );
        found = found.or(first(&computed)?);
    }
    Ok(found.map(|what| harmless(&what, LONGEST)))
}

/// The tare that reads a campaign of a newer one: that one, or any later.
fn reader_of(database: &Connection) -> Option<String> {
    let asked = "SELECT value FROM campaign WHERE key = 'tare_version'";
    let json = database.query_row(asked, [], |row| row.get::<_, String>(0)).ok()?;
    let version = serde_json::from_str::<String>(&json).ok()?;
    Some(format!("tare {} or a newer one", harmless(&version, LONGEST)))
}

fn connect(path: &Path, limit: Duration) -> rusqlite::Result<Connection> {
    let database = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    database.busy_timeout(limit.min(Duration::from_secs(10)))?;
    let end = Instant::now() + limit;
    database.progress_handler(STEPS, Some(move || Instant::now() >= end));
    Ok(database)
}
