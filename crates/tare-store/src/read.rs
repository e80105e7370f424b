//! Reading a campaign: finished, running or cut off.

use crate::opened::{Opened, USUAL, check};
use crate::{
    Boot, Campaign, LayerRow, Plan, SeriesRow, StoreError, StoredArtifact, Warning, is_held,
};
use rusqlite::types::Type;
use rusqlite::{Connection, Row};
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;
use tare_proto::{BenchInfo, Counter, Turn, Untrusted};

/// Reads the whole campaign in `directory`, as it is at one instant.
pub fn load(directory: &Path) -> Result<Campaign, StoreError> {
    load_within(directory, USUAL)
}

/// [`load`] for a reader who waits no longer than `limit`.
pub fn load_within(directory: &Path, limit: Duration) -> Result<Campaign, StoreError> {
    // Looked at before the state is read: a campaign that ends in between has written its state by then.
    let held = is_held(directory);
    let opened = check(directory, limit)?;
    let campaign = read(&opened).map_err(|error| opened.failed(error))?;
    let killed = campaign.state == "running" && !held;
    Ok(if killed { Campaign { state: "interrupted".into(), ..campaign } } else { campaign })
}

/// The plan of the campaign in `directory`, without anything that was measured, for a reader who waits no longer than `limit`.
pub fn load_plan_within(directory: &Path, limit: Duration) -> Result<Plan, StoreError> {
    let opened = check(directory, limit)?;
    plan(&opened.database).map(|(plan, ..)| plan).map_err(|error| opened.failed(error))
}

fn read(opened: &Opened) -> rusqlite::Result<Campaign> {
    let Opened { database, .. } = opened;
    let mut layer_index = HashMap::new();
    let mut layers = rows(
        database,
        "SELECT id, name, kind, settings, why, remedy FROM layer ORDER BY id",
        |row| {
            layer_index.insert(row.get::<_, i64>(0)?, layer_index.len());
            Ok(LayerRow {
                name: text(row, 1)?,
                kind: text(row, 2)?,
                settings: text(row, 3)?,
                unavailable: any_text(row, 4)?.zip(any_text(row, 5)?),
                artifacts: Vec::new(),
            })
        },
    )?;
    let artifacts = rows(
        database,
        "SELECT layer_id, role, path, sha256, version FROM artifact ORDER BY role",
        |row| {
            let artifact = StoredArtifact {
                role: text(row, 1)?,
                path: text(row, 2)?,
                sha256: text(row, 3)?,
                version: text(row, 4)?,
            };
            Ok((row.get::<_, i64>(0)?, artifact))
        },
    )?;
    for (layer, artifact) in artifacts {
        layers[known(&layer_index, layer)?].artifacts.push(artifact);
    }
    let mut bench_index = HashMap::new();
    let sql = "SELECT id, name, about, unit, better, suite, estimator, samples, load, series_ms
               FROM benchmark ORDER BY id";
    let benchmarks = rows(database, sql, |row| {
        bench_index.insert(row.get::<_, i64>(0)?, bench_index.len());
        bench(row)
    })?;
    let mut boot_index = HashMap::new();
    let sql = "SELECT id, block, slot, layer_id, role, attempt, state, started, seconds, hello, failure, console
               FROM boot ORDER BY id";
    let boots = rows(database, sql, |row| {
        boot_index.insert(row.get::<_, i64>(0)?, boot_index.len());
        boot(row, &layer_index)
    })?;
    let series = series(opened, &boot_index, &bench_index)?;
    let whole_series = whole_series(opened, &boot_index, &bench_index)?;
    let warnings =
        rows(database, "SELECT layer, benchmark, text FROM warning ORDER BY id", |row| {
            Ok(Warning {
                layer: any_text(row, 0)?,
                benchmark: any_text(row, 1)?,
                text: text(row, 2)?,
            })
        })?;
    let (plan, state, open_blocks) = plan(database)?;
    Ok(Campaign {
        plan,
        state,
        open_blocks,
        layers,
        benchmarks,
        boots,
        series,
        whole_series,
        warnings,
    })
}

/// Every series with its turns and counters, in the order recorded.
fn series(
    Opened { version, database, .. }: &Opened,
    boots: &HashMap<i64, usize>,
    benches: &HashMap<i64, usize>,
) -> rusqlite::Result<Vec<SeriesRow>> {
    let waited = if *version > 1 { "waited_ns" } else { "0" };
    let sql = format!(
        "SELECT boot_id, benchmark_id, state, why, ops, warmup, loop_ns, subtracted, short_batch,
               probe_ns, host_ns, samples, id, {waited} FROM series ORDER BY id"
    );
    let mut counters = counters(database)?;
    let mut turns = if *version > 1 { turns(database)? } else { HashMap::new() };
    rows(database, &sql, |row| {
        let id = row.get(12)?;
        let counters = counters.remove(&id).unwrap_or_default();
        let turns = turns.remove(&id).unwrap_or_default();
        Ok(SeriesRow { counters, turns, ..one_series(row, boots, benches)? })
    })
}

/// The counters of every series that has some, by the series' row.
fn counters(database: &Connection) -> rusqlite::Result<HashMap<i64, Vec<Counter>>> {
    let sql = "SELECT series_id, name, value FROM counter ORDER BY series_id, rowid";
    let mut all: HashMap<i64, Vec<Counter>> = HashMap::new();
    for (series, counter) in rows(database, sql, |row| {
        Ok((row.get(0)?, Counter { name: row.get(1)?, value: row.get(2)? }))
    })? {
        all.entry(series).or_default().push(counter);
    }
    Ok(all)
}

/// The turns of every series that was taken in turns, by the series' row.
fn turns(database: &Connection) -> rusqlite::Result<HashMap<i64, Vec<Turn>>> {
    let sql = "SELECT series_id, samples, subtracted FROM turn ORDER BY series_id, round";
    let mut all: HashMap<i64, Vec<Turn>> = HashMap::new();
    for (series, turn) in rows(database, sql, |row| {
        Ok((row.get(0)?, Turn { samples: row.get(1)?, subtracted: row.get(2)? }))
    })? {
        all.entry(series).or_default().push(turn);
    }
    Ok(all)
}

fn rows<T>(
    database: &Connection,
    sql: &str,
    row: impl FnMut(&Row) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    database.prepare(sql)?.query_map([], row)?.collect()
}

fn plan(database: &Connection) -> rusqlite::Result<(Plan, String, Vec<u32>)> {
    let pairs = rows(database, "SELECT key, value FROM campaign", |row| {
        Ok((row.get::<_, String>(0)?, parsed::<serde_json::Value>(row, 1)?))
    })?;
    let mut fields: serde_json::Map<_, _> = pairs.into_iter().collect();
    let state =
        fields.remove("state").and_then(|s| Some(s.as_str()?.to_owned())).unwrap_or_default();
    let open = fields.remove("open_blocks").map(serde_json::from_value).transpose();
    let open = open.map_err(|e| odd(1, e))?.unwrap_or_default();
    let plan = serde_json::from_value(fields.into()).map_err(|e| odd(1, e))?;
    Ok((plan, state, open))
}

fn bench(row: &Row) -> rusqlite::Result<BenchInfo> {
    Ok(BenchInfo {
        name: row.get(1)?,
        about: row.get(2)?,
        unit: word(row, 3)?,
        better: word(row, 4)?,
        suite: row.get(5)?,
        estimator: row.get(6)?,
        samples: row.get(7)?,
        load: row.get(8)?,
        series_ms: row.get::<_, i64>(9)?.max(0) as u64,
        // What a run is planned by: its loads are rows by now, and its layers have what they need.
        ..BenchInfo::default()
    })
}

fn boot(row: &Row, layers: &HashMap<i64, usize>) -> rusqlite::Result<Boot> {
    let hello: Option<String> = row.get(9)?;
    Ok(Boot {
        id: row.get(0)?,
        block: row.get(1)?,
        slot: row.get(2)?,
        layer: known(layers, row.get(3)?)?,
        role: word(row, 4)?,
        attempt: row.get(5)?,
        state: word(row, 6)?,
        started: text(row, 7)?,
        seconds: row.get(8)?,
        hello: hello.map(|text| serde_json::from_str(&text)).transpose().map_err(|e| odd(9, e))?,
        failure: any_text(row, 10)?,
        console: any_text(row, 11)?,
    })
}

fn one_series(
    row: &Row,
    boots: &HashMap<i64, usize>,
    benches: &HashMap<i64, usize>,
) -> rusqlite::Result<SeriesRow> {
    let blob = row.get_ref(11)?.as_blob()?;
    let unsigned = |at| row.get::<_, i64>(at).map(|n| n.max(0) as u64);
    Ok(SeriesRow {
        boot: known(boots, row.get(0)?)?,
        benchmark: known(benches, row.get(1)?)?,
        outcome: word(row, 2)?,
        why: any_text(row, 3)?,
        ops: unsigned(4)?,
        warmup: row.get(5)?,
        loop_ns: row.get(6)?,
        subtracted: row.get(7)?,
        short_batch: row.get(8)?,
        probe_ns: unsigned(9)?,
        host_ns: unsigned(10)?,
        waited_ns: unsigned(13)?,
        counters: Vec::new(),
        turns: Vec::new(),
        samples: blob.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect(),
    })
}

/// The baseline's series that were taken once more, in the order recorded.
fn whole_series(
    Opened { version, database, .. }: &Opened,
    boots: &HashMap<i64, usize>,
    benches: &HashMap<i64, usize>,
) -> rusqlite::Result<Vec<SeriesRow>> {
    if *version < 3 {
        return Ok(Vec::new());
    }
    let sql = "SELECT boot_id, benchmark_id, 'measured', NULL, ops, warmup, loop_ns, subtracted, short_batch,
               probe_ns, host_ns, samples, rowid, 0 FROM whole_series ORDER BY rowid";
    rows(database, sql, |row| one_series(row, boots, benches))
}

fn text(row: &Row, at: usize) -> rusqlite::Result<Untrusted> {
    row.get::<_, String>(at).map(Untrusted::from)
}

/// A column that may be NULL.
fn any_text(row: &Row, at: usize) -> rusqlite::Result<Option<Untrusted>> {
    Ok(row.get::<_, Option<String>>(at)?.map(Untrusted::from))
}

/// A column that holds a unit variant's name.
fn word<T: DeserializeOwned>(row: &Row, at: usize) -> rusqlite::Result<T> {
    serde_json::from_value(row.get::<_, String>(at)?.into()).map_err(|e| odd(at, e))
}

fn parsed<T: DeserializeOwned>(row: &Row, at: usize) -> rusqlite::Result<T> {
    serde_json::from_str(&row.get::<_, String>(at)?).map_err(|e| odd(at, e))
}

/// The index of the row `id`, which a damaged file may refer to without having it.
fn known(index: &HashMap<i64, usize>, id: i64) -> rusqlite::Result<usize> {
    index.get(&id).copied().ok_or(rusqlite::Error::IntegralValueOutOfRange(0, id))
}

fn odd(at: usize, error: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(at, Type::Text, Box::new(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FILE;

    #[test]
    fn what_is_written_while_a_campaign_is_read_is_not_mixed_in() {
        let home = tempfile::tempdir().expect("a folder");
        let writer = Connection::open(home.path().join(FILE)).expect("a database");
        let made = format!(
            "PRAGMA journal_mode = WAL; {} PRAGMA user_version = 2; INSERT INTO campaign VALUES ('state', '\"running\"');
             INSERT INTO warning VALUES (1, NULL, NULL, 'before');",
            include_str!("schema.sql")
        );
        writer.execute_batch(&made).expect("a campaign");
        let opened = check(home.path(), USUAL).expect("a campaign");
        let texts = || rows(&opened.database, "SELECT text FROM warning", |row| row.get(0));
        writer.execute_batch("UPDATE warning SET text = 'after'").expect("written");
        let found: Vec<String> = texts().expect("read");
        assert_eq!(found, ["before"], "all that is read is of the instant of the opening");
    }
}
