//! Report 001's database load: SysBench OLTP on MariaDB, only reading.

use super::Known;
use super::oltp::ON_MARIADB;

pub const PROGRAM: Known = Known {
    name: "oltp-read",
    about: "SysBench OLTP read-only on MariaDB: transactions a second, one table of 10,000 rows",
    command: "sysbench oltp_read_only --mysql-socket=/tmp/db.sock --mysql-user=root --table-size=10000 --threads=$LOAD \
              --time=0 --events=150 run",
    ..ON_MARIADB
};
