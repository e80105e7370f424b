//! A new campaign's file: everything that is known before the first boot.

use crate::journal::begin_log;
use crate::sql::{int, json, word};
use crate::{FILE, LayerRow, Plan, SCHEMA_VERSION, StoreError};
use rusqlite::{Connection, params};
use std::fs::Permissions;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tare_proto::BenchInfo;

/// Makes the campaign's file in `directory`. It is filled under a name that nobody can guess: a campaign.db is always a
/// campaign.
pub(crate) fn make(
    directory: &Path,
    plan: &Plan,
    layers: &[LayerRow],
    benches: &[BenchInfo],
) -> Result<(), StoreError> {
    let io = |e| StoreError::Io(directory.to_owned(), e);
    let path = directory.join(FILE);
    let usual = Permissions::from_mode(0o666); // less the umask
    let mut names = tempfile::Builder::new();
    let fresh = names.prefix(".campaign-").permissions(usual).tempfile_in(directory).map_err(io)?;
    fill(fresh.path(), plan, layers, benches).map_err(|e| StoreError::Database(path.clone(), e))?;
    fresh.persist_noclobber(&path).map(drop).map_err(|e| match e.error.kind() {
        ErrorKind::AlreadyExists => StoreError::Exists(directory.to_owned()),
        _ => io(e.error),
    })
}

fn fill(
    path: &Path,
    plan: &Plan,
    layers: &[LayerRow],
    benches: &[BenchInfo],
) -> rusqlite::Result<()> {
    let mut database = Connection::open(path)?;
    let all = database.transaction()?;
    all.execute_batch(include_str!("schema.sql"))?;
    all.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    for exponent in -1074..=1023 {
        let value = f64::from(exponent).exp2();
        all.execute("INSERT INTO power_of_two VALUES (?1, ?2)", params![exponent, value])?;
    }
    for (key, value) in fields(plan).into_iter().chain([("state".to_owned(), json(&"running"))]) {
        all.execute("INSERT INTO campaign VALUES (?1, ?2)", params![key, value])?;
    }
    for layer in layers {
        let (why, remedy) =
            layer.unavailable.as_ref().map(|(why, remedy)| (why.raw(), remedy.raw())).unzip();
        let sql =
            "INSERT INTO layer (name, kind, settings, why, remedy) VALUES (?1, ?2, ?3, ?4, ?5)";
        all.execute(
            sql,
            params![layer.name.raw(), layer.kind.raw(), layer.settings.raw(), why, remedy],
        )?;
    }
    for bench in benches {
        let sql = "INSERT INTO benchmark (name, about, unit, better, suite, estimator, samples,
                   load, series_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let b = bench;
        let (unit, better, series_ms) = (word(&b.unit), word(&b.better), int(b.series_ms));
        let row = params![
            b.name,
            b.about,
            unit,
            better,
            b.suite,
            b.estimator,
            b.samples,
            b.load,
            series_ms
        ];
        all.execute(sql, row)?;
    }
    all.commit()?;
    begin_log(&database)
}

/// A plan as the rows of `campaign`.
pub(crate) fn fields(plan: &Plan) -> Vec<(String, String)> {
    let plan = serde_json::to_value(plan).unwrap_or_default();
    plan.as_object().into_iter().flatten().map(|(k, v)| (k.clone(), v.to_string())).collect()
}
