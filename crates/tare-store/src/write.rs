//! Making and writing a campaign.

use crate::create::{fields, make};
use crate::discard::remove_folders;
use crate::journal::{begin_log, end_log};
use crate::lock::hold;
use crate::logs::{LOGS, own_logs};
use crate::opened::{USUAL, check};
use crate::sql::{json, word};
use crate::upgrade::upgrade;
use crate::{BootState, CUT_OFF, FILE, LayerRow, Plan, Role, StoreError, StoredArtifact, Warning};
use rusqlite::{Connection, OpenFlags, params};
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tare_proto::{BenchInfo, Hello, Untrusted};

/// A campaign directory that this process, and no other, writes.
pub struct Store {
    directory: PathBuf,
    pub(crate) database: Connection,
    /// Which file the database is.
    file: (u64, u64),
    _lock: File,
}

pub(crate) type Result<T> = std::result::Result<T, StoreError>;

impl Store {
    /// Makes a campaign in `directory`, which is made too if it is not there.
    pub fn create(
        directory: &Path,
        plan: &Plan,
        layers: &[LayerRow],
        benchmarks: &[BenchInfo],
    ) -> Result<Store> {
        let io = |e| StoreError::Io(directory.to_owned(), e);
        fs::create_dir_all(directory).map_err(io)?;
        own_logs(directory)?;
        let lock = hold(directory)?;
        let made = make(directory, plan, layers, benchmarks);
        if made.is_err() && !directory.join(FILE).exists() {
            remove_folders(directory);
        }
        made?;
        Store::connect(directory, lock)
    }

    /// Opens a campaign to go on with it.
    pub fn open(directory: &Path) -> Result<Store> {
        let version = check(directory, USUAL)?.version;
        own_logs(directory)?;
        let store = Store::connect(directory, hold(directory)?)?;
        upgrade(&store.database, version)
            .map_err(|e| StoreError::Database(directory.join(FILE), e))?;
        Ok(store)
    }

    fn connect(directory: &Path, lock: File) -> Result<Store> {
        let path = directory.join(FILE);
        let connect = || -> rusqlite::Result<Connection> {
            let database = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
            database.busy_timeout(Duration::from_secs(10))?;
            begin_log(&database)?;
            database.pragma_update(None, "synchronous", "FULL")?;
            database.pragma_update(None, "foreign_keys", true)?;
            Ok(database)
        };
        let database = connect().map_err(|e| StoreError::Database(path.clone(), e))?;
        let file = identity(&path).ok_or_else(|| StoreError::Gone(path))?;
        Ok(Store { directory: directory.to_owned(), database, file, _lock: lock })
    }

    /// Where the campaign is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Where the console of boot `id` is logged.
    pub fn log_path(&self, id: i64) -> PathBuf {
        self.directory.join(LOGS).join(format!("boot-{id:04}.log"))
    }

    /// Sets how far the campaign has come: `running`, `interrupted`, `finished`.
    pub fn set_state(&mut self, state: &str) -> Result<()> {
        let text = json(&state);
        self.run("UPDATE campaign SET value = ?1 WHERE key = 'state'", params![text])
    }

    /// Records that a block begins. It is incomplete until [`Store::end_block`], and stays so if its run ends before: no later
    /// run adds to it.
    pub fn begin_block(&mut self, block: u32) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO campaign SELECT 'open_blocks', json_insert(coalesce(
                   (SELECT value FROM campaign WHERE key = 'open_blocks'), '[]'), '$[#]', ?1)";
        self.run(sql, params![block])
    }

    /// Records that every boot of a block has been made.
    pub fn end_block(&mut self, block: u32) -> Result<()> {
        let sql = "UPDATE campaign SET value = (SELECT json_group_array(open.value) FROM
                   json_each(campaign.value) AS open WHERE open.value <> ?1) WHERE key = 'open_blocks'";
        self.run(sql, params![block])
    }

    /// Replaces what was asked for (a resumed campaign may be given more time).
    pub fn set_plan(&mut self, plan: &Plan) -> Result<()> {
        for (key, value) in fields(plan) {
            self.run("UPDATE campaign SET value = ?2 WHERE key = ?1", params![key, value])?;
        }
        Ok(())
    }

    /// Does `work` as one transaction: all of it becomes durable, or none of it.
    pub fn at_once<T>(&mut self, work: impl FnOnce(&mut Store) -> Result<T>) -> Result<T> {
        self.run("BEGIN IMMEDIATE", [])?;
        let done = work(self);
        self.run(if done.is_ok() { "COMMIT" } else { "ROLLBACK" }, [])?;
        done
    }

    /// Records a file that decides what a layer is; a later one of the same role replaces it.
    pub fn add_artifact(&mut self, layer: &str, artifact: &StoredArtifact) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO artifact VALUES
                   ((SELECT id FROM layer WHERE name = ?1), ?2, ?3, ?4, ?5)";
        let StoredArtifact { role, path, sha256, version } = artifact;
        self.run(sql, params![layer, role.raw(), path.raw(), sha256.raw(), version.raw()])
    }

    /// Records a warning, once.
    pub fn warn(&mut self, warning: &Warning) -> Result<()> {
        let Warning { layer, benchmark, text } = warning;
        let sql = "INSERT INTO warning (layer, benchmark, text) SELECT ?1, ?2, ?3 WHERE NOT EXISTS
                   (SELECT 1 FROM warning WHERE layer IS ?1 AND benchmark IS ?2 AND text = ?3)";
        let [layer, benchmark] = [layer, benchmark].map(|name| name.as_ref().map(Untrusted::raw));
        self.run(sql, params![layer, benchmark, text.raw()])
    }

    /// Records the start of a boot; its row.
    pub fn begin_boot(
        &mut self,
        block: u32,
        slot: u32,
        layer: &str,
        role: Role,
        attempt: u32,
        started: &str,
    ) -> Result<i64> {
        let sql = "INSERT INTO boot (block, slot, layer_id, role, attempt, state, started)
                   VALUES (?1, ?2, (SELECT id FROM layer WHERE name = ?3), ?4, ?5, ?6, ?7)";
        let (role, running) = (word(&role), word(&BootState::Running));
        self.run(sql, params![block, slot, layer, role, attempt, running, started])?;
        Ok(self.database.last_insert_rowid())
    }

    /// Records the greeting of a boot.
    pub fn greet(&mut self, boot: i64, hello: &Hello) -> Result<()> {
        self.run("UPDATE boot SET hello = ?2 WHERE id = ?1", params![boot, json(hello)])
    }

    /// Records the end of a boot.
    pub fn end_boot(
        &mut self,
        boot: i64,
        seconds: f64,
        failure: Option<(&str, &str)>,
    ) -> Result<()> {
        let state = if failure.is_some() { BootState::Failed } else { BootState::Done };
        let (why, console) = failure.unzip();
        let sql =
            "UPDATE boot SET state = ?2, seconds = ?3, failure = ?4, console = ?5 WHERE id = ?1";
        self.run(sql, params![boot, word(&state), seconds, why, console])
    }

    /// Marks boots that were cut off by the end of an earlier tare.
    pub fn mark_interrupted(&mut self) -> Result<()> {
        let sql = "UPDATE boot SET state = ?2, failure = ?3 WHERE state = ?1";
        self.run(sql, params![word(&BootState::Running), word(&BootState::Failed), CUT_OFF])
    }

    /// Folds the write-ahead log into the one file, unless somebody else has it open.
    pub fn close(self) -> Result<()> {
        self.check_there()?;
        end_log(&self.database).map_err(|e| StoreError::Database(self.directory.join(FILE), e))
    }

    /// Writing to a file that was removed still succeeds, although nobody can read it any more; so this is checked.
    fn check_there(&self) -> Result<()> {
        let path = self.directory.join(FILE);
        if identity(&path) == Some(self.file) { Ok(()) } else { Err(StoreError::Gone(path)) }
    }

    pub(crate) fn run(&mut self, sql: &str, params: impl rusqlite::Params) -> Result<()> {
        self.check_there()?;
        let done = self.database.prepare_cached(sql).and_then(|mut sql| sql.execute(params));
        done.map(drop).map_err(|e| StoreError::Database(self.directory.join(FILE), e))
    }
}

/// The device and inode that `path` names.
fn identity(path: &Path) -> Option<(u64, u64)> {
    let found = fs::metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}
