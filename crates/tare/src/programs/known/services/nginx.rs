//! A web server: a static page.

use super::{PLAIN, Service};

pub const SERVICE: Service = Service {
    name: "nginx",
    about: "nginx, one process: a page of 1 KB",
    packages: &["nginx-light"],
    root_run: "mkdir -p /srv/www; head -c 1024 /dev/zero | tr '\\0' x > /srv/www/index.html; \
               echo 'worker_processes 1; daemon off; pid /tmp/served.pid; events { worker_connections 512; } \
               http { access_log off; server { listen 8080; root /srv/www; } }' > /srv/served.conf",
    url: "http://:8080/",
    rate: 500,
    command: "exec nginx -e stderr -c /srv/served.conf",
    ..PLAIN
};
