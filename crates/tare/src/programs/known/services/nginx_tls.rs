//! A web server over TLS: a static page.

use super::{PLAIN, Service};

pub const SERVICE: Service = Service {
    name: "nginx-tls",
    about: "nginx over TLS 1.3, one process: a page of 1 KB",
    packages: &["nginx-light", "openssl"],
    root_run: "mkdir -p /srv/www; head -c 1024 /dev/zero | tr '\\0' x > /srv/www/index.html; \
               openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 -subj /CN=localhost \
               -keyout /srv/tls.key -out /srv/tls.pem; \
               echo 'worker_processes 1; daemon off; pid /tmp/served.pid; events { worker_connections 512; } \
               http { access_log off; server { listen 8443 ssl http2; ssl_protocols TLSv1.3; ssl_certificate /srv/tls.pem; \
               ssl_certificate_key /srv/tls.key; root /srv/www; } }' > /srv/served-tls.conf",
    url: "https://:8443/",
    rate: 500,
    // In User-Mode Linux on some processors the registers of AVX are lost (docs/programs.md). AES has instructions of its own.
    command: "exec env OPENSSL_ia32cap='~0x1000100000000000:0' nginx -e stderr -c /srv/served-tls.conf",
    ..PLAIN
};
