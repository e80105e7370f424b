//! Report 004's database load: SysBench OLTP on MariaDB, reading and writing.

use super::{Known, PLAIN};

pub const PROGRAM: Known = Known {
    name: "oltp",
    about: "SysBench OLTP read-write on MariaDB: transactions a second, one table of 10,000 rows",
    command: "sysbench oltp_read_write --mysql-socket=/tmp/db.sock --mysql-user=root --table-size=10000 --threads=$LOAD \
              --time=0 --events=150 run",
    ..ON_MARIADB
};

/// A SysBench client and its server. Its pools are small, because a User-Mode Linux cannot map what MariaDB would reserve;
/// it does without io_uring, which gVisor of 2022 has not.
pub(super) const ON_MARIADB: Known = Known {
    packages: &["mariadb-server", "sysbench"],
    // Forced, because it asks first how the host's name resolves.
    root_run: "mkdir /srv/db; chown mysql /srv/db; \
               mariadb-install-db --force --user=mysql --datadir=/srv/db --skip-test-db --innodb-log-file-size=16M; \
               echo 'exec mariadbd --no-defaults --user=mysql --datadir=/srv/db --socket=/tmp/db.sock --skip-networking \
               --innodb-use-native-aio=0 --innodb-buffer-pool-size=64M --loose-innodb-buffer-pool-size-max=64M \
               --innodb-log-file-size=16M --innodb-flush-log-at-trx-commit=0' > /srv/mariadb; \
               sh /srv/mariadb & i=0; \
               until mariadb-admin --no-defaults --socket=/tmp/db.sock ping; do i=$((i + 1)); test $i -lt 300; sleep 0.1; done; \
               mariadb --no-defaults --socket=/tmp/db.sock -e 'CREATE DATABASE sbtest'; \
               sysbench oltp_read_write --mysql-socket=/tmp/db.sock --mysql-user=root --table-size=10000 prepare; \
               mariadb-admin --no-defaults --socket=/tmp/db.sock shutdown; wait",
    background: "exec sh /srv/mariadb",
    ready: "mariadb-admin --no-defaults --socket=/tmp/db.sock ping",
    metric: Some(("transactions: +[0-9]+ +\\(([0-9.]+) per sec", "1/s")),
    load: ("threads", &[1]),
    memory: "1G",
    ..PLAIN
};
