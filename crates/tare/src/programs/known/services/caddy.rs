//! A service in Go.

use super::{PLAIN, Service};

pub const SERVICE: Service = Service {
    name: "caddy",
    about: "Caddy in Go: a page of 1 KB",
    packages: &["caddy"],
    root_run: "mkdir -p /srv/www; head -c 1024 /dev/zero | tr '\\0' x > /srv/www/index.html; \
               echo '{\n admin off\n auto_https off\n}\n:8080 {\n root * /srv/www\n file_server\n}' \
               > /srv/Caddyfile",
    url: "http://:8080/",
    rate: 500,
    command: "exec env HOME=/tmp XDG_DATA_HOME=/tmp XDG_CONFIG_HOME=/tmp caddy run --config /srv/Caddyfile --adapter caddyfile",
    ..PLAIN
};
