//! A cache, four threads.

use super::{PLAIN, Service};

pub const SERVICE: Service = Service {
    name: "memcached",
    about: "memcached with its four threads: GET of a key that it does not have",
    packages: &["memcached"],
    url: "memcached://:11211/get key",
    rate: 500,
    command: "exec memcached -u nobody -l 0.0.0.0 -m 64",
    ..PLAIN
};
