//! A database with processes and shared memory: PostgreSQL.

use super::{Known, PLAIN};

pub const PROGRAM: Known = Known {
    name: "pgbench",
    about: "pgbench on PostgreSQL: its TPC-B-like transactions, scale 1",
    packages: &["postgresql-15"],
    root_run: "install -d -o postgres -g postgres /srv/pg; \
               echo 'exec setpriv --reuid=postgres --regid=postgres --clear-groups env PGUSER=postgres PGHOST=/tmp \
               /usr/lib/postgresql/15/bin/\"$@\"' > /srv/pg/as; \
               sh /srv/pg/as initdb -D /srv/pg/data -A trust --no-sync; \
               sh /srv/pg/as pg_ctl -D /srv/pg/data -w -o '-k /tmp -c listen_addresses=' start; \
               sh /srv/pg/as pgbench -i -s 1 postgres; sh /srv/pg/as pg_ctl -D /srv/pg/data -w -m fast stop",
    background: "exec sh /srv/pg/as postgres -D /srv/pg/data -k /tmp -c listen_addresses= -c shared_buffers=32MB \
                 -c fsync=off -c dynamic_shared_memory_type=mmap",
    ready: "sh /srv/pg/as pg_isready",
    command: "exec sh /srv/pg/as pgbench -c $LOAD -j 1 -t 300 postgres",
    metric: Some(("^tps = ([0-9.]+)", "1/s")),
    load: ("clients", &[1]),
    ..PLAIN
};
