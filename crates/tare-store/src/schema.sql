-- A campaign, schema version 3 (PRAGMA user_version). Times are seconds or nanoseconds as named;
-- samples are little-endian IEEE 754 doubles, eight bytes each, in the order taken.

-- What was asked for and what is known of the whole: one JSON value a key. `machine` is "real" or "sim", `order` is
-- "rounds", "series" or "boots".
CREATE TABLE campaign (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE layer (
    id       INTEGER PRIMARY KEY,
    name     TEXT NOT NULL UNIQUE,
    kind     TEXT NOT NULL,
    settings TEXT NOT NULL,          -- key=value,... as --layer takes them
    why      TEXT,                   -- why it cannot run here; null when it can
    remedy   TEXT                    -- what would change that
) STRICT;

-- The files that decide what a layer is.
CREATE TABLE artifact (
    layer_id INTEGER NOT NULL REFERENCES layer(id),
    role     TEXT NOT NULL,          -- kernel, runtime, emulator
    path     TEXT NOT NULL,
    sha256   TEXT NOT NULL,
    version  TEXT NOT NULL,          -- what it says of itself; may be empty
    PRIMARY KEY (layer_id, role)
) STRICT;

CREATE TABLE benchmark (
    id        INTEGER PRIMARY KEY,
    name      TEXT NOT NULL UNIQUE,
    about     TEXT NOT NULL,
    unit      TEXT NOT NULL,         -- nanoseconds, bytes, per_second, bytes_per_second, number;
                                     -- simulated: instructions, per_giga_instruction, bytes_per_giga_instruction
    better    TEXT NOT NULL,         -- lower, higher
    suite     TEXT NOT NULL,
    estimator TEXT NOT NULL,         -- how a series becomes one value
    samples   INTEGER NOT NULL,      -- how many a series should hold
    load      TEXT NOT NULL,         -- what the N of a name@N counts: copies, users, threads; may be empty
    series_ms INTEGER NOT NULL       -- time that a series takes; 0: as the campaign's plan says
) STRICT;

-- One cold start of a layer. The boot is the unit of replication.
CREATE TABLE boot (
    id        INTEGER PRIMARY KEY,
    block     INTEGER NOT NULL,      -- comparisons are paired within a block, counted from 0
    slot      INTEGER NOT NULL,      -- place in the block's shuffled order, counted from 0
    layer_id  INTEGER NOT NULL REFERENCES layer(id),
    role      TEXT NOT NULL,         -- weigh, floor for the baseline's second boot (A/A), one_cpu for a layer's second boot on one CPU
    attempt   INTEGER NOT NULL,      -- 1, or 2 after a failure
    state     TEXT NOT NULL,         -- running, done, failed
    started   TEXT NOT NULL,         -- UTC, ISO 8601
    seconds   REAL,                  -- from start to complete removal, without the turns of other layers
    hello     TEXT,                  -- the probe's greeting, JSON
    failure   TEXT,
    console   TEXT                   -- last console lines of a failed boot
) STRICT;

-- All samples of one benchmark in one boot.
CREATE TABLE series (
    id           INTEGER PRIMARY KEY,
    boot_id      INTEGER NOT NULL REFERENCES boot(id),
    benchmark_id INTEGER NOT NULL REFERENCES benchmark(id),
    state        TEXT NOT NULL,      -- measured, unavailable, failed
    why          TEXT,               -- for the latter two
    ops          INTEGER NOT NULL,   -- operations a sample
    warmup       INTEGER NOT NULL,   -- batches thrown away first
    loop_ns      REAL NOT NULL,      -- the empty loop's cost per operation (not subtracted)
    subtracted   REAL NOT NULL,      -- measured beside and subtracted from every sample
    short_batch  INTEGER NOT NULL,   -- batch under a hundred times the clock's resolution
    probe_ns     INTEGER NOT NULL,   -- length of the measurement by the probe's clock
    host_ns      INTEGER NOT NULL,   -- the same by the host's clock
    waited_ns    INTEGER NOT NULL,   -- the part of host_ns in which other layers took their turns
    count        INTEGER NOT NULL,
    samples      BLOB NOT NULL,
    UNIQUE (boot_id, benchmark_id)
) STRICT;

-- The turns that a series was taken in, one a round: layers take turns within a round. None when it was taken at once.
CREATE TABLE turn (
    series_id  INTEGER NOT NULL REFERENCES series(id),
    round      INTEGER NOT NULL,     -- counted from 0; the same round of a block's layers belongs together
    samples    INTEGER NOT NULL,     -- how many of the series' samples it holds; they follow those of the round before
    subtracted REAL NOT NULL,        -- measured beside the operation in this turn alone
    PRIMARY KEY (series_id, round)
) STRICT;

-- A series once more, all samples at once: the baseline's for the layers of its block that take no turns, whose ratios and noise
-- floor are made of these; every layer's where a campaign asks what its ratios owe to turns. Columns as of `series`.
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

-- Events counted beside a series (perf events, simulated counts).
CREATE TABLE counter (
    series_id INTEGER NOT NULL REFERENCES series(id),
    name      TEXT NOT NULL,
    value     REAL NOT NULL,
    PRIMARY KEY (series_id, name)
) STRICT;

-- What should be known when reading the scoreboard; layer and benchmark where it concerns one.
CREATE TABLE warning (
    id        INTEGER PRIMARY KEY,
    layer     TEXT,
    benchmark TEXT,
    text      TEXT NOT NULL
) STRICT;

-- Powers of two, with which `sample` decodes doubles in plain SQL.
CREATE TABLE power_of_two (
    exponent INTEGER PRIMARY KEY,
    value    REAL NOT NULL
) STRICT;

-- Every sample as a row: series_id, n (from 0), value.
CREATE VIEW sample AS
WITH RECURSIVE place(series_id, n) AS (
    SELECT id, 0 FROM series WHERE count > 0
    UNION ALL
    SELECT p.series_id, p.n + 1 FROM place p JOIN series s ON s.id = p.series_id WHERE p.n + 1 < s.count
),
-- The eight bytes as hexadecimal, most significant first.
hexed AS (
    SELECT p.series_id, p.n,
           hex(substr(s.samples, p.n * 8 + 8, 1)) || hex(substr(s.samples, p.n * 8 + 7, 1)) ||
           hex(substr(s.samples, p.n * 8 + 6, 1)) || hex(substr(s.samples, p.n * 8 + 5, 1)) ||
           hex(substr(s.samples, p.n * 8 + 4, 1)) || hex(substr(s.samples, p.n * 8 + 3, 1)) ||
           hex(substr(s.samples, p.n * 8 + 2, 1)) || hex(substr(s.samples, p.n * 8 + 1, 1)) AS h
    FROM place p JOIN series s ON s.id = p.series_id
),
digits AS (
    SELECT series_id, n,
           instr('0123456789ABCDEF', substr(h, 1, 1)) - 1 AS d1,
           instr('0123456789ABCDEF', substr(h, 2, 1)) - 1 AS d2,
           instr('0123456789ABCDEF', substr(h, 3, 1)) - 1 AS d3,
           ((((((((((((
           (instr('0123456789ABCDEF', substr(h, 4, 1)) - 1)) * 16 +
           (instr('0123456789ABCDEF', substr(h, 5, 1)) - 1)) * 16 +
           (instr('0123456789ABCDEF', substr(h, 6, 1)) - 1)) * 16 +
           (instr('0123456789ABCDEF', substr(h, 7, 1)) - 1)) * 16 +
           (instr('0123456789ABCDEF', substr(h, 8, 1)) - 1)) * 16 +
           (instr('0123456789ABCDEF', substr(h, 9, 1)) - 1)) * 16 +
           (instr('0123456789ABCDEF', substr(h, 10, 1)) - 1)) * 16 +
           (instr('0123456789ABCDEF', substr(h, 11, 1)) - 1)) * 16 +
           (instr('0123456789ABCDEF', substr(h, 12, 1)) - 1)) * 16 +
           (instr('0123456789ABCDEF', substr(h, 13, 1)) - 1)) * 16 +
           (instr('0123456789ABCDEF', substr(h, 14, 1)) - 1)) * 16 +
           (instr('0123456789ABCDEF', substr(h, 15, 1)) - 1)) * 16 +
           (instr('0123456789ABCDEF', substr(h, 16, 1)) - 1) AS fraction
    FROM hexed
),
parts AS (
    SELECT series_id, n, d1 >= 8 AS negative, (d1 & 7) * 256 + d2 * 16 + d3 AS biased, fraction FROM digits
)
SELECT q.series_id, q.n,
       CASE WHEN q.negative THEN -1.0 ELSE 1.0 END *
       CASE q.biased WHEN 2047 THEN NULL
                     WHEN 0 THEN q.fraction * (SELECT value FROM power_of_two WHERE exponent = -1074)
                     ELSE (q.fraction + 4503599627370496) *
                          (SELECT value FROM power_of_two WHERE exponent = q.biased - 1075) END AS value
FROM parts q;

-- What most questions start from: a measured series with its names.
CREATE VIEW measurement AS
SELECT s.id AS series_id, b.block, b.slot, b.role, l.name AS layer, k.name AS benchmark, k.unit, k.better,
       s.count, s.ops, s.loop_ns, s.subtracted
FROM series s JOIN boot b ON b.id = s.boot_id JOIN layer l ON l.id = b.layer_id
     JOIN benchmark k ON k.id = s.benchmark_id
WHERE s.state = 'measured';
