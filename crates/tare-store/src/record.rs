//! Writing what was measured: series, and the counters beside them.

use crate::sql::{int, word};
use crate::write::{Result, Store};
use crate::{Outcome, Recorded};
use rusqlite::params;
use tare_proto::Counter;

impl Store {
    /// Records one benchmark's series, durably.
    pub fn record(&mut self, boot: i64, recorded: &Recorded) -> Result<()> {
        let sql = "INSERT INTO series (boot_id, benchmark_id, state, why, ops, warmup, loop_ns, subtracted,
                   short_batch, probe_ns, host_ns, waited_ns, count, samples)
                   VALUES (?1, (SELECT id FROM benchmark WHERE name = ?2),
                   ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";
        let s = &recorded.series;
        let blob: Vec<u8> = s.samples.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.run("SAVEPOINT one", [])?;
        self.run(
            sql,
            params![
                boot,
                recorded.benchmark,
                word(&recorded.outcome),
                recorded.why,
                int(s.ops),
                s.warmup,
                finite(s.loop_ns),
                finite(s.subtracted),
                s.short_batch,
                int(s.elapsed_ns),
                int(recorded.host_ns),
                int(recorded.waited_ns),
                s.samples.len(),
                blob
            ],
        )?;
        let series = self.database.last_insert_rowid();
        for Counter { name, value } in &s.counters {
            let sql = "INSERT OR REPLACE INTO counter VALUES (?1, ?2, ?3)";
            self.run(sql, params![series, name, finite(*value)])?;
        }
        for (round, turn) in s.turns.iter().enumerate() {
            let sql = "INSERT INTO turn VALUES (?1, ?2, ?3, ?4)";
            self.run(sql, params![series, round, turn.samples, finite(turn.subtracted)])?;
        }
        self.run("RELEASE one", [])
    }

    /// Records a series that the baseline took once more, all samples at once, durably.
    pub fn record_whole(&mut self, boot: i64, recorded: &Recorded) -> Result<()> {
        let sql = "INSERT INTO whole_series VALUES (?1, (SELECT id FROM benchmark WHERE name = ?2),
                   ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
        let s = &recorded.series;
        let blob: Vec<u8> = s.samples.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.run(
            sql,
            params![
                boot,
                recorded.benchmark,
                int(s.ops),
                s.warmup,
                finite(s.loop_ns),
                finite(s.subtracted),
                s.short_batch,
                int(s.elapsed_ns),
                int(recorded.host_ns),
                s.samples.len(),
                blob
            ],
        )
    }

    /// Removes what was recorded of a boot: it is measured again as a whole.
    pub fn forget_series(&mut self, boot: i64) -> Result<()> {
        const OF_BOOT: &str = "series_id IN (SELECT id FROM series WHERE boot_id = ?1)";
        self.at_once(|store| {
            store.run(&format!("DELETE FROM counter WHERE {OF_BOOT}"), [boot])?;
            store.run(&format!("DELETE FROM turn WHERE {OF_BOOT}"), [boot])?;
            store.run("DELETE FROM series WHERE boot_id = ?1", [boot])
        })
    }

    /// Adds counters to a series that is recorded.
    pub fn add_counters(&mut self, boot: i64, benchmark: &str, counters: &[Counter]) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO counter SELECT series.id, ?3, ?4 FROM series
                   WHERE boot_id = ?1 AND benchmark_id = (SELECT id FROM benchmark WHERE name = ?2)";
        for Counter { name, value } in counters {
            self.run(sql, params![boot, benchmark, name, finite(*value)])?;
        }
        Ok(())
    }
}

impl Store {
    /// Adds what was seen from outside to the series of `benchmark` by which `layer` is weighed in `block`, if there is one.
    pub fn add_seen(
        &mut self,
        block: u32,
        layer: &str,
        benchmark: &str,
        counters: &[Counter],
    ) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO counter SELECT series.id, ?4, ?5 FROM series JOIN boot ON boot.id = boot_id
                   WHERE block = ?1 AND role = 'weigh' AND series.state = 'measured'
                   AND layer_id = (SELECT id FROM layer WHERE name = ?2)
                   AND benchmark_id = (SELECT id FROM benchmark WHERE name = ?3)";
        for Counter { name, value } in counters {
            self.run(sql, params![block, layer, benchmark, name, finite(*value)])?;
        }
        Ok(())
    }
}

/// SQLite stores a NaN as NULL, which the schema refuses; a probe that sends one gets a zero.
fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
}

impl Recorded {
    /// A benchmark that was not measured, and why.
    pub fn without_samples(benchmark: &str, outcome: Outcome, why: &str) -> Recorded {
        let (benchmark, why) = (benchmark.to_owned(), Some(why.to_owned()));
        Recorded { benchmark, outcome, why, ..Recorded::default() }
    }

    /// Samples that the host took itself.
    pub fn by_host(benchmark: &str, samples: Vec<f64>) -> Recorded {
        let series = tare_proto::Series { samples, ops: 1, ..Default::default() };
        Recorded { benchmark: benchmark.to_owned(), series, ..Recorded::default() }
    }
}
