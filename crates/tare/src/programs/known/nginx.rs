//! A web server and its client over the loopback interface.

use super::{Known, PLAIN, WITHOUT_WARMUP};

pub const PROGRAM: Known = Known {
    name: "nginx",
    about: "nginx, one process: requests a second of wrk, for a page of 1 KB",
    packages: &["nginx-light", "wrk"],
    root_run: "mkdir -p /srv/www; head -c 1024 /dev/zero | tr '\\0' x > /srv/www/index.html; \
               echo 'worker_processes 1; daemon off; pid /tmp/nginx.pid; events { worker_connections 512; } \
               http { access_log off; server { listen 127.0.0.1:8080; root /srv/www; } }' > /srv/nginx.conf",
    background: "exec nginx -e stderr -c /srv/nginx.conf",
    ready: "bash -c 'exec 3<> /dev/tcp/127.0.0.1/8080'",
    command: "wrk -t 1 -c $LOAD -d 1s http://127.0.0.1:8080/",
    metric: Some(("^Requests/sec: +([0-9.]+)", "1/s")),
    load: ("connections", &[16]),
    runs: WITHOUT_WARMUP,
    ..PLAIN
};
