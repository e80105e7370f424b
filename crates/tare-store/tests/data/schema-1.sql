PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE campaign (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
INSERT INTO campaign VALUES('baseline','"base"');
INSERT INTO campaign VALUES('batch_ns','1000000');
INSERT INTO campaign VALUES('blocks','2');
INSERT INTO campaign VALUES('boot_s','30.0');
INSERT INTO campaign VALUES('budget_s','null');
INSERT INTO campaign VALUES('cache_bytes','503316480');
INSERT INTO campaign VALUES('command','"tare run --layer name=base,kind=mock,value=100,step=1 --layer name=slow,kind=mock,value=150 --layer name=lost,kind=mock,fault=fail --baseline base --bench lmbench/null_call --bench lmbench/ctx_2p_0k --blocks 2 --seed 5 --out one"');
INSERT INTO campaign VALUES('counting','"off"');
INSERT INTO campaign VALUES('cpus','[1]');
INSERT INTO campaign VALUES('created','"2026-11-22T11:25:30Z"');
INSERT INTO campaign VALUES('events','false');
INSERT INTO campaign VALUES('machine','"real"');
INSERT INTO campaign VALUES('margin','0.02');
INSERT INTO campaign VALUES('probe_sha256','"0646c8ab83887fb9378739fb4aae98f704f28539bf07325c4ca001e3e830781a"');
INSERT INTO campaign VALUES('seed','5');
INSERT INTO campaign VALUES('series_ms','500');
INSERT INTO campaign VALUES('tare_version','"0.1.0"');
INSERT INTO campaign VALUES('width','0.01');
INSERT INTO campaign VALUES('state','"finished"');
INSERT INTO campaign VALUES('open_blocks','[]');
CREATE TABLE layer (
    id       INTEGER PRIMARY KEY,
    name     TEXT NOT NULL UNIQUE,
    kind     TEXT NOT NULL,
    settings TEXT NOT NULL,          -- key=value,... as --layer takes them
    why      TEXT,                   -- why it cannot run here; null when it can
    remedy   TEXT                    -- what would change that
) STRICT;
INSERT INTO layer VALUES(1,'base','mock','kind=mock,name=base,step=1,value=100',NULL,NULL);
INSERT INTO layer VALUES(2,'slow','mock','kind=mock,name=slow,value=150',NULL,NULL);
INSERT INTO layer VALUES(3,'lost','mock','fault=fail,kind=mock,name=lost',NULL,NULL);
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
INSERT INTO benchmark VALUES(1,'lmbench/null_call','one getppid(2)','nanoseconds','lower','vmi','best-18-of-30',30,'copies',0);
INSERT INTO benchmark VALUES(2,'lmbench/ctx_2p_0k','one context switch in a ring of 2 processes, touching nothing','nanoseconds','lower','vmi','best-18-of-30',30,'copies',0);
CREATE TABLE boot (
    id        INTEGER PRIMARY KEY,
    block     INTEGER NOT NULL,      -- comparisons are paired within a block, counted from 0
    slot      INTEGER NOT NULL,      -- place in the block's shuffled order, counted from 0
    layer_id  INTEGER NOT NULL REFERENCES layer(id),
    role      TEXT NOT NULL,         -- weigh, or floor for the baseline's second boot (A/A)
    attempt   INTEGER NOT NULL,      -- 1, or 2 after a failure
    state     TEXT NOT NULL,         -- running, done, failed
    started   TEXT NOT NULL,         -- UTC, ISO 8601
    seconds   REAL,                  -- from start to complete removal
    hello     TEXT,                  -- the probe's greeting, JSON
    failure   TEXT,
    console   TEXT                   -- last console lines of a failed boot
) STRICT;
INSERT INTO boot VALUES(1,0,0,1,'floor',1,'done','2026-11-22T11:25:30Z',0.059292115999999998876,'{"protocol":1,"version":"0.1.0","kernel":"mock","kernel_version":"","machine":"","cpu_model":"","cpus":1,"affinity":[0],"memory_kib":0,"clock_source":"","clock_resolution_ns":1,"clock_read_ns":0.0,"page_size":4096,"thp":"","aslr":"","idle":"","governor":"","mitigations":[],"scratch":"","scratch_fs":"tmpfs","pid":0,"uid":0,"clock_ns":0}',NULL,NULL);
INSERT INTO boot VALUES(2,0,1,1,'weigh',1,'done','2026-11-22T11:25:31Z',0.059522156999999999149,'{"protocol":1,"version":"0.1.0","kernel":"mock","kernel_version":"","machine":"","cpu_model":"","cpus":1,"affinity":[0],"memory_kib":0,"clock_source":"","clock_resolution_ns":1,"clock_read_ns":0.0,"page_size":4096,"thp":"","aslr":"","idle":"","governor":"","mitigations":[],"scratch":"","scratch_fs":"tmpfs","pid":0,"uid":0,"clock_ns":0}',NULL,NULL);
INSERT INTO boot VALUES(3,0,2,3,'weigh',1,'done','2026-11-22T11:25:31Z',0.067536226000000004754,'{"protocol":1,"version":"0.1.0","kernel":"mock","kernel_version":"","machine":"","cpu_model":"","cpus":1,"affinity":[0],"memory_kib":0,"clock_source":"","clock_resolution_ns":1,"clock_read_ns":0.0,"page_size":4096,"thp":"","aslr":"","idle":"","governor":"","mitigations":[],"scratch":"","scratch_fs":"tmpfs","pid":0,"uid":0,"clock_ns":0}',NULL,NULL);
INSERT INTO boot VALUES(4,0,3,2,'weigh',1,'done','2026-11-22T11:25:31Z',0.064863683000000005307,'{"protocol":1,"version":"0.1.0","kernel":"mock","kernel_version":"","machine":"","cpu_model":"","cpus":1,"affinity":[0],"memory_kib":0,"clock_source":"","clock_resolution_ns":1,"clock_read_ns":0.0,"page_size":4096,"thp":"","aslr":"","idle":"","governor":"","mitigations":[],"scratch":"","scratch_fs":"tmpfs","pid":0,"uid":0,"clock_ns":0}',NULL,NULL);
INSERT INTO boot VALUES(5,1,0,2,'weigh',1,'done','2026-11-22T11:25:31Z',0.059419529999999998182,'{"protocol":1,"version":"0.1.0","kernel":"mock","kernel_version":"","machine":"","cpu_model":"","cpus":1,"affinity":[0],"memory_kib":0,"clock_source":"","clock_resolution_ns":1,"clock_read_ns":0.0,"page_size":4096,"thp":"","aslr":"","idle":"","governor":"","mitigations":[],"scratch":"","scratch_fs":"tmpfs","pid":0,"uid":0,"clock_ns":0}',NULL,NULL);
INSERT INTO boot VALUES(6,1,1,3,'weigh',1,'done','2026-11-22T11:25:31Z',0.063956968000000002927,'{"protocol":1,"version":"0.1.0","kernel":"mock","kernel_version":"","machine":"","cpu_model":"","cpus":1,"affinity":[0],"memory_kib":0,"clock_source":"","clock_resolution_ns":1,"clock_read_ns":0.0,"page_size":4096,"thp":"","aslr":"","idle":"","governor":"","mitigations":[],"scratch":"","scratch_fs":"tmpfs","pid":0,"uid":0,"clock_ns":0}',NULL,NULL);
INSERT INTO boot VALUES(7,1,2,1,'floor',1,'done','2026-11-22T11:25:31Z',0.059184230999999996869,'{"protocol":1,"version":"0.1.0","kernel":"mock","kernel_version":"","machine":"","cpu_model":"","cpus":1,"affinity":[0],"memory_kib":0,"clock_source":"","clock_resolution_ns":1,"clock_read_ns":0.0,"page_size":4096,"thp":"","aslr":"","idle":"","governor":"","mitigations":[],"scratch":"","scratch_fs":"tmpfs","pid":0,"uid":0,"clock_ns":0}',NULL,NULL);
INSERT INTO boot VALUES(8,1,3,1,'weigh',1,'done','2026-11-22T11:25:31Z',0.064236799999999996679,'{"protocol":1,"version":"0.1.0","kernel":"mock","kernel_version":"","machine":"","cpu_model":"","cpus":1,"affinity":[0],"memory_kib":0,"clock_source":"","clock_resolution_ns":1,"clock_read_ns":0.0,"page_size":4096,"thp":"","aslr":"","idle":"","governor":"","mitigations":[],"scratch":"","scratch_fs":"tmpfs","pid":0,"uid":0,"clock_ns":0}',NULL,NULL);
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
    count        INTEGER NOT NULL,
    samples      BLOB NOT NULL,
    UNIQUE (boot_id, benchmark_id)
) STRICT;
INSERT INTO series VALUES(1,1,1,'measured',NULL,1,0,0.0,0.0,0,49,21249,30,X'000000000000594000000000000059400000000000005940000000000000594000000000000059400000000000005940000000000000594000000000000059400000000000005940000000000000594000000000000059400000000000005940000000000000594000000000000059400000000000005940000000000000594000000000000059400000000000005940000000000000594000000000000059400000000000005940000000000000594000000000000059400000000000005940000000000000594000000000000059400000000000005940000000000000594000000000000059400000000000005940');
INSERT INTO series VALUES(2,1,2,'measured',NULL,1,0,0.0,0.0,0,58,6969,30,X'000000000000594000000000000059400000000000005940000000000000594000000000000059400000000000005940000000000000594000000000000059400000000000005940000000000000594000000000000059400000000000005940000000000000594000000000000059400000000000005940000000000000594000000000000059400000000000005940000000000000594000000000000059400000000000005940000000000000594000000000000059400000000000005940000000000000594000000000000059400000000000005940000000000000594000000000000059400000000000005940');
INSERT INTO series VALUES(3,2,1,'measured',NULL,1,0,0.0,0.0,0,53,16609,30,X'000000000040594000000000004059400000000000405940000000000040594000000000004059400000000000405940000000000040594000000000004059400000000000405940000000000040594000000000004059400000000000405940000000000040594000000000004059400000000000405940000000000040594000000000004059400000000000405940000000000040594000000000004059400000000000405940000000000040594000000000004059400000000000405940000000000040594000000000004059400000000000405940000000000040594000000000004059400000000000405940');
INSERT INTO series VALUES(4,2,2,'measured',NULL,1,0,0.0,0.0,0,55,7921,30,X'000000000040594000000000004059400000000000405940000000000040594000000000004059400000000000405940000000000040594000000000004059400000000000405940000000000040594000000000004059400000000000405940000000000040594000000000004059400000000000405940000000000040594000000000004059400000000000405940000000000040594000000000004059400000000000405940000000000040594000000000004059400000000000405940000000000040594000000000004059400000000000405940000000000040594000000000004059400000000000405940');
INSERT INTO series VALUES(5,3,1,'failed','scripted',0,0,0.0,0.0,0,0,0,0,X'');
INSERT INTO series VALUES(6,3,2,'failed','scripted',0,0,0.0,0.0,0,0,0,0,X'');
INSERT INTO series VALUES(7,4,1,'measured',NULL,1,0,0.0,0.0,0,49,17052,30,X'0000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c06240');
INSERT INTO series VALUES(8,4,2,'measured',NULL,1,0,0.0,0.0,0,57,6920,30,X'0000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c06240');
INSERT INTO series VALUES(9,5,1,'measured',NULL,1,0,0.0,0.0,0,52,16660,30,X'0000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c06240');
INSERT INTO series VALUES(10,5,2,'measured',NULL,1,0,0.0,0.0,0,40,9458,30,X'0000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c062400000000000c06240');
INSERT INTO series VALUES(11,6,1,'failed','scripted',0,0,0.0,0.0,0,0,0,0,X'');
INSERT INTO series VALUES(12,6,2,'failed','scripted',0,0,0.0,0.0,0,0,0,0,X'');
INSERT INTO series VALUES(13,7,1,'measured',NULL,1,0,0.0,0.0,0,51,17196,30,X'000000000080594000000000008059400000000000805940000000000080594000000000008059400000000000805940000000000080594000000000008059400000000000805940000000000080594000000000008059400000000000805940000000000080594000000000008059400000000000805940000000000080594000000000008059400000000000805940000000000080594000000000008059400000000000805940000000000080594000000000008059400000000000805940000000000080594000000000008059400000000000805940000000000080594000000000008059400000000000805940');
INSERT INTO series VALUES(14,7,2,'measured',NULL,1,0,0.0,0.0,0,50,9042,30,X'000000000080594000000000008059400000000000805940000000000080594000000000008059400000000000805940000000000080594000000000008059400000000000805940000000000080594000000000008059400000000000805940000000000080594000000000008059400000000000805940000000000080594000000000008059400000000000805940000000000080594000000000008059400000000000805940000000000080594000000000008059400000000000805940000000000080594000000000008059400000000000805940000000000080594000000000008059400000000000805940');
INSERT INTO series VALUES(15,8,1,'measured',NULL,1,0,0.0,0.0,0,52,16366,30,X'0000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c05940');
INSERT INTO series VALUES(16,8,2,'measured',NULL,1,0,0.0,0.0,0,37,7435,30,X'0000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c059400000000000c05940');
CREATE TABLE counter (
    series_id INTEGER NOT NULL REFERENCES series(id),
    name      TEXT NOT NULL,
    value     REAL NOT NULL,
    PRIMARY KEY (series_id, name)
) STRICT;
CREATE TABLE warning (
    id        INTEGER PRIMARY KEY,
    layer     TEXT,
    benchmark TEXT,
    text      TEXT NOT NULL
) STRICT;
INSERT INTO warning VALUES(1,NULL,NULL,'at the start: CPU 1 is busy for 100% of its time, load average 5.68; remedy: end other work, or name idle CPUs with --pin');
INSERT INTO warning VALUES(2,NULL,NULL,'about this machine: the hypervisor takes 0% now, 0.11% since the start; no hardware counters: software events only; this machine is a virtual machine');
CREATE TABLE power_of_two (
    exponent INTEGER PRIMARY KEY,
    value    REAL NOT NULL
) STRICT;
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
FROM parts q
;
CREATE VIEW measurement AS
SELECT s.id AS series_id, b.block, b.slot, b.role, l.name AS layer, k.name AS benchmark, k.unit, k.better,
       s.count, s.ops, s.loop_ns, s.subtracted
FROM series s JOIN boot b ON b.id = s.boot_id JOIN layer l ON l.id = b.layer_id
     JOIN benchmark k ON k.id = s.benchmark_id
WHERE s.state = 'measured';
COMMIT;
