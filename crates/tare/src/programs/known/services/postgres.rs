//! A database, one process a connection.

use super::{PLAIN, Service};

pub const SERVICE: Service = Service {
    name: "postgres",
    about: "PostgreSQL: SELECT of one row by its primary key",
    packages: &["postgresql-15"],
    root_run: "install -d -o postgres -g postgres /srv/served-pg; \
               echo 'exec setpriv --reuid=postgres --regid=postgres --clear-groups env PGUSER=postgres PGHOST=/tmp \
               /usr/lib/postgresql/15/bin/\"$@\"' > /srv/served-pg/as; \
               sh /srv/served-pg/as initdb -D /srv/served-pg/data -A trust --no-sync; \
               echo 'host all all all trust' >> /srv/served-pg/data/pg_hba.conf; \
               sh /srv/served-pg/as pg_ctl -D /srv/served-pg/data -w -o '-k /tmp -c listen_addresses=' start; \
               sh /srv/served-pg/as psql -c 'CREATE TABLE item (id int PRIMARY KEY, name text)' \
               -c 'INSERT INTO item SELECT n, md5(n::text) FROM generate_series(1, 10000) n' -c 'VACUUM ANALYZE item'; \
               sh /srv/served-pg/as pg_ctl -D /srv/served-pg/data -w -m fast stop",
    url: "postgres://:5432/?SELECT name FROM item WHERE id = 4711",
    rate: 500,
    command: "exec sh /srv/served-pg/as postgres -D /srv/served-pg/data -k /tmp -c listen_addresses='*' -c shared_buffers=32MB \
              -c fsync=off -c dynamic_shared_memory_type=mmap",
    ..PLAIN
};
