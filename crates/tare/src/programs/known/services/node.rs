//! A service in JavaScript.

use super::{PLAIN, Service};

pub const SERVICE: Service = Service {
    name: "node",
    about: "Node: JSON of fifty numbers",
    packages: &["nodejs"],
    root_run: "echo 'const answer = () => JSON.stringify(Array.from({ length: 50 }, (_, n) => n * n)); \
               require(\"http\").createServer((_, to) => { \
               to.setHeader(\"Content-Type\", \"application/json\"); to.end(answer()); }).listen(8080, \"0.0.0.0\");' \
               > /srv/served.js",
    url: "http://:8080/",
    rate: 200,
    // In User-Mode Linux on some processors the registers of AVX are lost (docs/programs.md).
    command: "exec node --no-enable-avx --no-enable-avx2 /srv/served.js",
    ..PLAIN
};
