//! A database in a file: inserts, an index, a query.

use super::{Known, PLAIN};

pub const PROGRAM: Known = Known {
    name: "sqlite",
    about: "SQLite inserts 50,000 rows, makes an index and groups by it",
    packages: &["sqlite3"],
    prepare: "rm -f /tmp/file.db",
    command: "sqlite3 /tmp/file.db \"CREATE TABLE t(a INTEGER, b TEXT); \
              WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) \
              INSERT INTO t SELECT (i * 7919) % 10007, 'row ' || i FROM n; CREATE INDEX x ON t(a); \
              SELECT count(*) FROM (SELECT a, max(b) FROM t GROUP BY a);\"",
    ..PLAIN
};
