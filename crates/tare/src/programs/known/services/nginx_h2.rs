//! A web server over HTTP/2 and TLS: a static page.

use super::{Service, nginx_tls};

pub const SERVICE: Service = Service {
    name: "nginx-h2",
    about: "nginx over HTTP/2 and TLS 1.3, one process: a page of 1 KB",
    url: "h2://:8443/",
    ..nginx_tls::SERVICE
};
